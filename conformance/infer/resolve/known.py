"""Known conventions first: what programs and libraries follow, then these with one rule changed, then with more.

`search.py` tries every combination, which takes minutes on the files of fifty queries, and finds made-up ones beside
what people use. Here few are tried, by how likely somebody used them, and the first kind that gives a number ends it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, islice, product

from rankspec.conformance.cases.exact import Agreement, Printed
from rankspec.conformance.implementations.specs import adapter_for
from rankspec.conformance.infer.resolve import resolve
from rankspec.conformance.infer.resolve.search import Matching
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.conformance.worker.loading import adapter_named
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.data import Data
from rankspec.oracle.errors import ConventionError, InputError
from rankspec.oracle.language.expression import parse_convention
from rankspec.oracle.measures.gain import is_beyond_limits
from rankspec.oracle.sweeps.by_query import ByQuery
from rankspec.oracle.sweeps.certified import CertifiedValues, NotCountedError
from rankspec.oracle.sweeps.exact_values import exact_on
from rankspec.oracle.sweeps.space import observable_settings
from rankspec.oracle.sweeps.totals import Total
from rankspec.oracle.values import Undefined, to_double

_OF_LISTS: Mapping[Setting, axes.Denominator] = dict.fromkeys(
    (axes.Denominator.RELEVANT, axes.Denominator.MIN_RELEVANT_CUTOFF), axes.Denominator.RELEVANT_IN_LIST
)
"""What a rule comes to for a library that is given the retrieved documents of a query, and no others."""

_USUAL: Mapping[str, tuple[Setting, ...]] = {
    "denominator": (
        *(axes.Denominator.MIN_RELEVANT_CUTOFF, axes.Denominator.CUTOFF, axes.Denominator.RETRIEVED_RELEVANT),
    ),
    "gain": (axes.Gain.EXPONENTIAL,),
    "ideal": (axes.Ideal.RETRIEVED,),
    "precision_denominator": (axes.PrecisionDenominator.MIN_CUTOFF_LENGTH,),
    "recall_denominator": (axes.RecallDenominator.MIN_RELEVANT_CUTOFF,),
    "ties": (axes.Ties.DOCNO_DESCENDING, axes.Ties.DOCNO_ASCENDING, axes.Ties.INPUT_ORDER),
    "no_relevant": (axes.NoRelevant.SKIP, axes.NoRelevant.ONE),
    "missing_query": (axes.MissingQuery.SKIP,),
}
"""Rules that people follow: tried all together, and named before others that come to the same on some data."""

_SAME = 1e-12  # Doubles of one value that were summed in another order
_MOST_POOLED = 500
"""Up to so many documents, one list of all queries is tried with two rules changed, with one of the object detectors'
changed, and as the mean over all orders of ties. Of 2,000 documents in ties one such mean took half a minute; nobody
is known to take one; the others, a hundred, took half of the time of a number that nothing explains."""
_MOST_DOCUMENTS = 2_000_000
"""How many retrieved documents are evaluated, all conventions together: some fifteen seconds."""
_WHOLE = 1000  # The bar's length for each kind
_CUT_OFF = Fraction(1, 1000)  # With fewer than three digits nearly everything is cut off from something
_NOTHING = 1e-12  # MeasureValues of doubles that are no further apart are one value here


@dataclass(frozen=True)
class KnownConvention:
    """A convention that somebody follows."""

    name: str  # what it is called; empty for one that only came of another by changing rules
    convention: Convention  # what it comes to on files
    from_lists: bool = False  # the library sees the retrieved documents alone, each query of the run by itself
    changes: int = 0  # in how many rules it is not what the name says
    is_profile: bool = False  # the library itself does not come to this: it is given less than the files have
    left_out: tuple[str, ...] = ()  # queries that one side lacks and the library refuses: it is given the others

    @property
    def rarity(self) -> tuple[int, int]:
        """In how many rules it was changed, and how many of them few people follow."""
        return (self.changes, _unusual(self.convention)) if self.changes else (0, 0)


def known_conventions(measure: Measure, data: Data, libraries: Sequence[str] = ()) -> list[KnownConvention]:
    """Return the conventions that have a name and say something of a measure, those of some libraries first."""
    named = [library_convention(library, measure, data) for library in libraries]
    named.append(KnownConvention("default", DEFAULT))
    for name, profile in PROFILES.items():
        # What libraries make of grades that are not whole was not measured.
        if profile.knows(measure) and data.qrels.decimal is None:
            sees_lists = profile.is_library and _sees_lists(name, data)
            if sees_lists and _counts_outside_lists(measure):
                continue
            named += [_from_lists(name, measure)] if sees_lists else []
            named.append(KnownConvention(name, profile.convention, is_profile=sees_lists))
    return [each for each in named if meaningless(measure, each.convention) is None]


def library_convention(name: str, measure: Measure, data: Data) -> KnownConvention:
    """Return the convention a library declares, as it comes out on data; `ConventionError` for none for the measure."""
    family = measure.family.name
    adapter = adapter_named(adapter_for(name.partition("==")[0], family))
    if adapter is None:
        profile = next((each for each in (name, *PROFILES) if each in PROFILES and each.startswith(name)), None)
        if profile is None:
            raise ConventionError(f"{name}: no convention that it follows is recorded", code="convention-unknown")
        return _without_refused(KnownConvention(profile, PROFILES[profile].convention), data)
    if family not in adapter.measures:
        raise ConventionError(f"{name}: {measure} was not measured on it", code="measure-not-recorded")
    if not adapter.convention:
        raise ConventionError(f"{name}: no convention that it follows is recorded", code="convention-unknown")
    if not _sees_lists(adapter.name, data):
        return _without_refused(KnownConvention(adapter.name, parse_convention(adapter.convention)), data)
    if _counts_outside_lists(measure):
        why = f"{name}: it is given the retrieved documents alone, and no rule says what {measure} is of them"
        raise ConventionError(why, code="convention-unknown")
    return _from_lists(adapter.name, measure)


def _without_refused(known: KnownConvention, data: Data) -> KnownConvention:
    """Return a library as it is called with the queries that it takes, where it refuses one that a side lacks."""
    rules = known.convention
    missing = [query for query in data.qrels if query not in data.run]
    unknown = [query for query in data.run if query not in data.qrels]
    missing = missing if rules.missing_query is axes.MissingQuery.ERROR else []
    unknown = unknown if rules.unknown_query is axes.UnknownQuery.ERROR else []
    if missing:
        rules = replace(rules, missing_query=axes.MissingQuery.SKIP)
    if unknown:
        rules = replace(rules, unknown_query=axes.UnknownQuery.SKIP)
    return replace(known, convention=rules, left_out=(*missing, *unknown))


def _sees_lists(name: str, data: Data) -> bool:
    """Tell whether a library takes labels and scores, and so is given less than files have."""
    adapter = adapter_named(name)
    is_of_lists = adapter is not None and adapter.shape == Shape.LABELS_SCORES.value
    if not is_of_lists or (data.named and data.judged):
        return is_of_lists
    # R of a list of labels may say that a query has a relevant document that its list lacks.
    retrieved = {query: {each.docno for each in data.run.documents(query)} for query in data.run}
    judged = ((query, *pair) for query in data.qrels for pair in data.qrels.grades(query).items())
    return any(grade > 0 and docno not in retrieved.get(query, ()) for query, docno, grade in judged)


def _counts_outside_lists(measure: Measure) -> bool:
    """Tell whether relevant documents outside a list count, whatever the convention: no rule leaves them out."""
    return measure.family.has("recall_denominator") or measure.family.limit_is_relevant


def _from_lists(name: str, measure: Measure) -> KnownConvention:
    """Return what a library that takes labels and scores makes of files."""
    adapter = adapter_named(name)
    declared = parse_convention(adapter.convention if adapter is not None else "default")
    # What it calls a query without relevant documents is one of which it was given none.
    rule = declared.no_relevant.value
    converted = replace(
        declared,
        denominator=_OF_LISTS.get(declared.denominator, declared.denominator),
        ideal=axes.Ideal.RETRIEVED if declared.ideal is axes.Ideal.JUDGED else declared.ideal,
        missing_query=axes.MissingQuery.SKIP,
        unknown_query=axes.UnknownQuery.SKIP,
        no_hits=next((each for each in axes.NoHits if each.value == rule), axes.NoHits.ZERO),
    )
    return KnownConvention(name, _of_measure(converted, measure), from_lists=True)


def _of_measure(convention: Convention, measure: Measure) -> Convention:
    """Return a convention without settings on which a measure does not depend: fewer to try, and to type."""
    used = measure.axes(convention)
    return convention.with_settings({axis: getattr(DEFAULT, axis) for axis in AXES if axis not in used})


class MeasureValues:
    """The value of a measure on some data, under any convention."""

    def __init__(self, measure: Measure, data: Data, certified: CertifiedValues | None = None) -> None:
        """Compute nothing yet: what is computed is kept, and of `certified` shared with other measures."""
        self.measure, self.data = measure, data
        self.certified = certified or CertifiedValues(data)

    @cached_property
    def _queries(self) -> ByQuery:  # made where it is needed: it looks at each query
        return ByQuery(self.measure, self.data)

    def under(self, convention: Convention) -> Total | None:
        """Return the value, None where the convention means nothing for the measure, or demands an error."""
        if meaningless(self.measure, convention) or is_beyond_limits(self.measure, convention, self.data.qrels):
            return None
        try:
            return self.certified.under(self.measure, convention)
        except NotCountedError:
            pass
        try:
            if not (self.measure.family.cuts_by_score or convention.aggregate is axes.Aggregate.MICRO):
                return self._queries.under(convention)
            exact = exact_on(self.measure, self.data, convention)
        except InputError:  # no midpoint lies between two infinities
            return None
        changed = tuple(convention.differences().items())
        return None if exact is Undefined.ERROR else Total(changed, to_double(exact), exact)

    def by_query(self, convention: Convention) -> dict[str, float]:
        """Return the value of each query that counts; nothing where the whole is no mean of theirs."""
        is_mean = self.measure.under(convention).aggregate is DEFAULT.aggregate
        return self._queries.each(convention) if is_mean and not self.measure.family.cuts_by_score else {}


@dataclass(frozen=True)
class KnownSearch:
    """Numbers, and which known conventions give them."""

    values: MeasureValues  # computes the measure on the data
    resolutions: tuple[resolve.Resolution, ...]  # conventions of the first kind that gives each number, most used first
    origins: dict[Convention, KnownConvention]  # a convention that was tried -> where it comes from

    @property
    def is_explained(self) -> bool:
        """Whether each number is."""
        return all(each.explanations for each in self.resolutions)

    def changes(self, resolution: resolve.Resolution) -> int:
        """Return in how many rules what explains a number is not the definition; 0 for what somebody follows."""
        best = resolution.explanations[0].convention
        return len(differing_axes(self.values, DEFAULT, best)) if self.origins[best].changes else 0


class SearchDepth(IntEnum):
    """The kinds of conventions that are tried, each with those before it."""

    NAMED = 1
    FOLLOWED = 2  # made of rules that people follow
    RULE_CHANGED = 3
    TWO_RULES_CHANGED = 4


def search_known(  # noqa: PLR0913 - what is searched, how far, and who hears of it
    numbers: Sequence[str],
    measure: Measure,
    data: Data,
    libraries: Sequence[str] = (),
    *,
    depth: SearchDepth = SearchDepth.TWO_RULES_CHANGED,
    values: MeasureValues | None = None,
    progress: OnProgress = silent,
) -> KnownSearch:
    """Find known conventions that give numbers; the first kind that does ends it, none beyond the `depth` is tried."""
    # What was evaluated of the same measure and data before can be handed on as `values`. `InputError` for no number,
    # `ConventionError` for a library that follows no known convention for the measure.
    values = values or MeasureValues(measure, data)
    named = known_conventions(measure, data, libraries)
    of_kinds = _of_kinds(named, measure, data, libraries)
    origins: dict[Convention, KnownConvention] = {}
    approximate: dict[Convention, float] = {}
    matchings = [[matching_of(printed) for printed in readings_of(number)] for number in numbers]
    most = max(len(named), most_conventions(data))
    is_long = sum(map(len, data.lists)) > _MOST_POOLED

    def is_dear(known: KnownConvention) -> bool:
        effective = measure.under(known.convention)
        is_rare = known.changes > 1 or known.name != "default" or effective.ties is axes.Ties.EXPECTED
        return is_long and bool(known.changes) and is_rare and effective.aggregate is axes.Aggregate.MICRO

    for place, kind in enumerate(islice(of_kinds, depth)):
        left = [readings for readings in matchings if not any(each.matches for each in readings)]
        conventions = list(kind) if left or not place else []
        for count, known in enumerate(conventions):
            progress(f"conventions of {measure}", place * _WHOLE + count * _WHOLE // len(conventions), depth * _WHOLE)
            own = known.convention
            if own in origins or len(origins) >= most or is_dear(known) or not data.allows(own.ties):
                continue
            origins[own] = known
            if (total := values.under(own)) is not None:
                approximate[own] = total.approximate
                for matching in chain(*left):
                    matching.offer(measure, total)

    def names(convention: Convention) -> tuple[str, ...]:
        value = approximate[convention]
        same = (one for one in named if math.isclose(approximate.get(one.convention, math.nan), value, rel_tol=_SAME))
        return tuple(dict.fromkeys(each.name for each in same if not each.from_lists))

    plainest = values.under(data.default)
    default = Undefined.ERROR if plainest is None else plainest.value()
    order = {convention: place for place, convention in enumerate(origins)}
    resolutions = []
    for number, readings in zip(numbers, matchings, strict=True):
        chosen = next((each for each in readings if each.matches), readings[-1])
        search = chosen.answer(complete=False)
        explanations = sorted(search.matches, key=lambda one: (origins[one.convention].rarity, order[one.convention]))
        # Nearly all numbers are rounded: one is cut off where there is no other explanation.
        rounded = [each for each in explanations if each.agreement is not Agreement.TRUNCATED]
        is_percentage = chosen is not readings[0]
        named_ones = (
            replace(each, profiles=names(each.convention), percentage=is_percentage)
            for each in (rounded or explanations)
        )
        resolution = resolve.Resolution(
            *(number.strip(), measure, data, default, tuple(named_ones), search.nearest, chosen.searched),
            complete=False,
            expected_accidental=resolve.expected_accidental(chosen.printed, chosen.searched),
            errata=resolve.documents_errata(chosen.printed, data),
        )
        resolutions.append(resolution)
    return KnownSearch(values, tuple(resolutions), origins)


def _of_kinds(
    named: Sequence[KnownConvention], measure: Measure, data: Data, libraries: Sequence[str]
) -> Iterator[Iterable[KnownConvention]]:
    """Yield conventions, those that somebody follows most likely first."""
    yield [each for each in named if each.name in libraries or is_used_on(data, each, measure)]
    space = observable_settings(measure, data, pooled=measure.family.is_area)
    yield usual_conventions(measure, space)
    yield chain(named, _changed(named, measure, space, 1))
    # Whoever loops over a run leaves out what it lacks: that alone is no change there.
    skipping = [replace(DEFAULT, missing_query=axes.MissingQuery.SKIP)] if "missing_query" in space else []
    plain = [
        *(KnownConvention("default", own) for own in (*skipping, DEFAULT)),
        *(each for each in named if each.name in libraries and not each.is_profile),
    ]
    yield (each for each in _changed(plain, measure, space, 2) if _unusual(each.convention) <= 1)


def is_used_on(data: Data, known: KnownConvention, measure: Measure) -> bool:
    """Tell whether somebody would follow a convention there: detectors pool what they found, nobody pools queries."""
    return len(data.lists) <= 1 or measure.under(known.convention).aggregate is not axes.Aggregate.MICRO


def usual_conventions(measure: Measure, space: Mapping[str, Sequence[Setting]]) -> Iterator[KnownConvention]:
    """Yield the conventions that an own program may follow of which each single rule is nothing unusual."""
    choices = [
        [(axis, setting) for setting in (getattr(DEFAULT, axis), *_USUAL[axis]) if setting in space[axis]]
        for axis in _USUAL
        if axis in space
    ]
    combined = (dict(settings) for settings in product(*choices))
    conventions = [_of_measure(DEFAULT.with_settings(settings), measure) for settings in combined]
    for convention in sorted(conventions, key=lambda each: len(each.differences())):
        yield KnownConvention("default", convention, changes=len(convention.differences()))


def _unusual(convention: Convention) -> int:
    """Return in how many rules a convention does neither what is defined nor what people do."""
    return sum(setting not in _USUAL.get(axis, ()) for axis, setting in convention.differences().items())


def most_conventions(data: Data) -> int:
    """Return how many conventions are tried on data of this size, beside those with a name."""
    return _MOST_DOCUMENTS // max(1, sum(map(len, data.lists)))


def matching_of(printed: Printed) -> Matching:
    """Return what conventions are offered to, to be held against a number that people rounded, or cut off."""
    return Matching(printed, takes_cut_off=printed.unit <= _CUT_OFF)


def readings_of(number: str) -> list[Printed]:
    """Return a number as it stands, and as a percentage where it is above 1 and at most 100."""
    printed = resolve.read_number(number)
    if isinstance(printed.number, Undefined) or printed.text.endswith("%") or not 1 < printed.number <= resolve.PERCENT:
        return [printed]
    return [printed, resolve.as_percentage(printed)]


def _changed(
    named: Iterable[KnownConvention], measure: Measure, space: Mapping[str, Sequence[Setting]], count: int
) -> Iterator[KnownConvention]:
    """Yield conventions with so many rules that the data can show set otherwise."""
    for known, varied in product([*named], combinations(space, count)):
        for settings in product(*(space[axis] for axis in varied)):
            changed = known.convention.with_settings(dict(zip(varied, settings, strict=True)))
            if all(getattr(changed, axis) is not getattr(known.convention, axis) for axis in varied):
                yield KnownConvention(known.name, _of_measure(changed, measure), known.from_lists, count)


# ---- From one convention to another


@dataclass(frozen=True)
class Step:
    """Rules that change together: one, or several where one alone would mean nothing."""

    axes: tuple[str, ...]  # the axes of the rules
    value: float  # the value of the data after it


def differing_axes(values: MeasureValues, first: Convention, second: Convention) -> tuple[str, ...]:
    """Return the axes on which two conventions differ, as far as the measure and the data can show them."""
    measure = values.measure
    observable = {*observable_settings(measure, values.data), *(axis for axis in AXES if AXES[axis].values is None)}
    used = {*measure.axes(first), *measure.axes(second)} & observable
    return tuple(axis for axis in first.differences(second) if axis in used)


def walk(values: MeasureValues, first: Convention, second: Convention) -> list[Step]:
    """Return the steps that change the value, each time the one that changes it most."""
    steps: list[Step] = []
    here, value = first, _value(values.under(first))
    used = {*values.measure.axes(first), *values.measure.axes(second)}
    left = [axis for axis in first.differences(second) if axis in used]
    while left:
        ahead = [(axis, here.with_setting(axis, getattr(second, axis))) for axis in left]
        reached = [(axis, to, _value(values.under(to))) for axis, to in ahead]
        possible = [(axis, to, after) for axis, to, after in reached if after is not None]
        if not possible:  # one rule without another would mean nothing
            after = _value(values.under(second))
            return steps if after is None else [*steps, Step(tuple(left), after)]
        axis, here, after = max(possible, key=lambda each: abs(each[2] - (value or 0.0)))
        if abs(after - (value or 0.0)) > _NOTHING:
            steps.append(Step((axis,), after))
        value, left = after, [each for each in left if each != axis]
    return steps


def _value(total: Total | None) -> float | None:
    """Return a value as a number, None of what is undefined: no step leads there."""
    return None if total is None or math.isnan(total.approximate) else total.approximate


@dataclass(frozen=True)
class QueryShare:
    """A query that counts on both sides, with its two values, and how many queries count on either."""

    query: str
    first: float
    second: float
    counting: tuple[int, int]


def largest_share(values: MeasureValues, first: Convention, second: Convention) -> QueryShare | None:
    """Return the query whose two values differ most, None where fewer than two count on both sides."""
    ours, theirs = values.by_query(first), values.by_query(second)
    both = [query for query in ours if query in theirs]
    if len(both) <= 1:
        return None
    query = max(both, key=lambda each: abs(ours[each] - theirs[each]))
    return QueryShare(query, ours[query], theirs[query], (len(ours), len(theirs)))
