"""Resolve: which conventions give a number, as it was printed, on the data that it was computed from.

>>> found = resolve("0.5556", measure="AP@3", relevance=[1, 0, 1], num_relevant=5)
>>> found.status, str(found.explanations[0])
('explained', 'AP@3 under default[denominator=cutoff]: 5/9 = 0.5555555556, rounded')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from types import MappingProxyType
from typing import Unpack

from rankspec.conformance.cases.exact import Printed, parse_printed
from rankspec.conformance.cases.files.on_disk import paths_that_print
from rankspec.conformance.cases.inputs import data_of_case
from rankspec.conformance.data.arguments import DataArguments, data_of
from rankspec.conformance.infer.resolve.first_difference import FirstDifference, parting
from rankspec.conformance.infer.resolve.search import Explanation, Search, sameness, search_measures
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.oracle.conventions.axes import ScorePrecision
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.document_weights import require_points
from rankspec.oracle.derivation import explain
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.measures.gain import beyond_exponential_gain
from rankspec.oracle.query_set import require_weighted_mean
from rankspec.oracle.sweeps.by_query import other_measures
from rankspec.oracle.sweeps.exact_values import exact_on
from rankspec.oracle.sweeps.space import observable_settings
from rankspec.oracle.values import AnyValue, Exact, Undefined, Value, outside

PERCENT = 100
_FINER: Mapping[ScorePrecision, ScorePrecision] = MappingProxyType(
    {ScorePrecision.FLOAT32: ScorePrecision.FLOAT64, ScorePrecision.FLOAT64: ScorePrecision.EXACT}
)
_MOST_LINES = 10  # A screen's worth
_MOST_DIFFERENCES = 2
"""With three differences from the default nearly every measure gives nearly every number of two digits."""
_MOST_OF_ANOTHER = 20_000  # The simplest conventions come first, and only plain ones are reported of another measure
_MOST_OF_A_DOCUMENT = 200  # No document prints a number for a longer list
_WINDOW = Fraction(3, 2)
CUTOFF = "cutoff"
_MOST_CUTOFFS = 30  # Cutoffs that are printed beside a number lie below 30, or are stated
_ODD = 3  # An odd setting weighs more than a cutoff and a usual setting together
_PLAIN_AXES = frozenset({"denominator", "ties", "interpolation", "aggregate", "unjudged", "gain", "ideal", "discount"})
_LARGEST_DERIVED = 3_000


@dataclass(frozen=True)
class Resolution:
    """What became of a number."""

    printed: str  # the number, with its digits
    measure: Measure  # the measure that was asked for
    data: Data = field(compare=False, repr=False)  # what the number is said to be computed from
    default_number: Exact  # its value under the default convention, as the oracle has it
    explanations: tuple[Explanation, ...]  # every convention that gives the number, the simplest first
    nearest: tuple[Explanation, ...]  # where there are none, the nearest values, each under its simplest convention
    searched: int  # how many conventions were evaluated. Those that differ on an axis alone that can't matter are one
    complete: bool  # these were all that the data can show
    expected_accidental: Fraction = Fraction(0)  # how many would give another number of as many digits by chance
    errata: tuple[KnownErratum, ...] = ()  # the number is known to be wrong in a document, for this very input
    untried: str = ""  # why conventions with an exponential gain were left out; empty where they were not
    is_wide: bool = False  # other cutoffs or measures were asked for, so that they explain a number

    @property
    def own(self) -> tuple[Explanation, ...]:
        """The explanations that suppose no cutoff and no measure that nobody asked for."""
        return tuple(each for each in self.explanations if self.is_wide or each.measure == self.measure)

    @property
    def may_be_chance(self) -> bool:
        """Whether so few digits were given that some convention would give the number anyway."""
        return self.expected_accidental >= 1

    @property
    def default(self) -> Value:
        """Return the value under the default convention as a sympy number."""
        return outside(self.default_number)

    @property
    def status(self) -> str:
        """Return `explained` or `unexplained`."""
        return "explained" if self.own else "unexplained"


def resolve(
    value: str | float | Fraction,
    *,
    measure: Measure | str = "AP",
    any_cutoff: bool = False,
    any_measure: bool = False,
    **arguments: Unpack[DataArguments],
) -> Resolution:
    """Find every convention that gives a number on the data; parameters and errors are `rankspec.resolve`'s."""
    which = named_measure(measure) if isinstance(measure, str) else measure
    data = data_of(arguments, which.rel)
    return resolve_data(str(value), which, data, any_cutoff=any_cutoff, any_measure=any_measure)


def resolve_data(  # noqa: PLR0913 - what can be asked of a search
    value: str,
    measure: Measure,
    data: Data,
    *,
    any_cutoff: bool = False,
    any_measure: bool = False,
    documents: bool = True,
    progress: OnProgress = silent,
) -> Resolution:
    """Find every convention that gives a number on data that was read already; `InputError` for no number."""
    # Without `documents` the cases, which a browser would read too slowly, are not asked for known errata.
    printed = read_number(value)
    if data.weighed:
        require_points(measure, data.default)
    if data.weights is not None:
        require_weighted_mean(measure, measure.under(data.default))
    measures = [measure]
    depths: list[int | None] = [None]
    if any_cutoff and not data.weighed:
        measures += [replace(measure, k=k) for k in range(1, data.longest + 1) if k != measure.k]
        depths += range(1, data.longest)

    def searched(number: Printed) -> Search:
        return search_measures(number, measures, data, depths_of_first=depths, progress=progress)

    search = searched(printed)
    named = _naming(measure, data)
    explanations = tuple(map(named, search.matches)) or _under_profiles(printed, measure, data)
    nearest = [*map(named, search.nearest)]
    if not explanations and isinstance(printed.number, Fraction) and abs(printed.number) > 1:
        percentages = map(named, searched(as_percentage(printed)).matches[:_MOST_LINES])
        nearest = [*(replace(each, agreement=None, percentage=True) for each in percentages), *nearest]
    if any_measure and not explanations:
        explanations, searched_too = _under_others(printed, measure, data, progress)
        search = replace(search, searched=search.searched + searched_too)
        nearest = [] if explanations else nearest
    default = exact_on(measure, data, data.default)
    return Resolution(
        *(value.strip(), measure, data, default, explanations, tuple(nearest), search.searched, search.complete),
        expected_accidental=expected_accidental(printed, search.searched),
        errata=documents_errata(printed, data) if documents else (),
        untried=beyond_exponential_gain(measure, data.qrels),
        is_wide=any_cutoff or any_measure,
    )


def _profiles_of(measure: Measure, data: Data) -> dict[str, Convention]:
    """Return the named conventions that say something of a measure on some data."""
    return {
        name: profile.convention
        for name, profile in PROFILES.items()
        if profile.knows(measure) and meaningless(measure, profile.convention) is None and data.qrels.decimal is None
    }


def _under_profiles(printed: Printed, measure: Measure, data: Data) -> tuple[Explanation, ...]:
    """Return the named conventions that give a number: some set what a search leaves alone, or together."""
    tried = (
        Explanation(measure, convention, lambda exact=exact: exact, printed.agreement(exact), (name,))  # type: ignore[misc]
        for name, convention in _profiles_of(measure, data).items()
        if data.allows(convention.ties)
        for exact in (exact_on(measure, data, convention),)
    )
    return tuple(each for each in tried if each.agreement is not None)


def documents_errata(printed: Printed, data: Data) -> tuple[KnownErratum, ...]:
    """Return the errata of documents that print a number for this very input."""
    paths = paths_that_print(printed) if sum(map(len, data.lists)) <= _MOST_OF_A_DOCUMENT else ()
    if not paths:
        return ()
    # A browser has no YAML, and few numbers are printed in a document: no case is read for the others.
    from rankspec.conformance.cases.catalogue import load_shipped  # noqa: PLC0415

    lists = _lists(data)
    return tuple(
        KnownErratum(case.id, case.title or case.document, case.line, case.printed, case.measure, case.exact)
        for case in load_shipped(paths)
        if case.verdict == "erratum" and case.quantity == "value"
        if case.printed is not None and case.input is not None and case.exact is not None
        if parse_printed(case.printed).number == printed.number and _lists(data_of_case(case.input)) == lists
    )


def expected_accidental(printed: Printed, conventions: int) -> Fraction:
    """Return how many of so many conventions give a number by chance, if values lie anywhere between 0 and 1.

    A number of d digits is what a window of one and a half units of the last digit is rounded or truncated to.

    >>> expected_accidental(parse_printed("0.52"), 400)
    Fraction(6, 1)
    """
    return conventions * min(_WINDOW * printed.unit, Fraction(1))


def _under_others(
    printed: Printed, measure: Measure, data: Data, progress: OnProgress
) -> tuple[tuple[Explanation, ...], int]:
    """Return other measures that give the number under plain conventions, and how many conventions were searched."""
    # With enough differences every measure gives every number, so conventions with more than a few say nothing.
    explanations: list[Explanation] = []
    searched = 0
    for other in other_measures(measure):
        search = search_measures(printed, [other], data, most=_MOST_OF_ANOTHER, progress=progress)
        searched += search.searched
        if plain := [each for each in search.matches if each.complexity[0] <= _MOST_DIFFERENCES][:_MOST_LINES]:
            explanations += map(_naming(other, data), plain)
    return tuple(sorted(explanations, key=lambda each: len(each.convention.differences()))), searched


def read_number(text: str) -> Printed:
    """Read a number as printed: a decimal, a fraction, nan, or a percentage; `InputError` if it is none."""
    stripped = text.strip()
    if not stripped.endswith("%"):
        return parse_printed(stripped)
    printed = parse_printed(stripped.removesuffix("%"))
    if isinstance(printed.number, Undefined):
        raise InputError(f"{text!r} is not a printed number; nan has no percent sign", code="number-not-printed")
    return replace(as_percentage(printed), text=stripped)


def as_percentage(printed: Printed) -> Printed:
    """Return a hundredth of a printed number, which is no word."""
    return replace(printed, number=printed.number / PERCENT, unit=printed.unit / PERCENT)  # type: ignore[arg-type, operator]


def _naming(measure: Measure, data: Data) -> Callable[[Explanation], Explanation]:
    """Return what adds to an explanation the profiles that are its convention, as far as the data can tell."""
    space = observable_settings(measure, data)
    profiles = _profiles_of(measure, data)

    @cache
    def value_of(name: str) -> AnyValue:
        return sameness(exact_on(measure, data, profiles[name]))

    def named(candidate: Explanation) -> Explanation:
        convention = candidate.convention
        if candidate.measure != measure:
            return candidate
        axes = [axis for axis in measure.axes(convention) if axis in space and axis != "recall_grid"]
        same = (
            name
            for name, profile in profiles.items()
            if all(_on_data(getattr(profile, axis), space[axis]) == getattr(convention, axis) for axis in axes)
            and value_of(name) == sameness(candidate.number)
        )
        return replace(candidate, profiles=tuple(same))

    return named


def _on_data(setting: Setting, settings: tuple[Setting, ...]) -> Setting:
    """Return a setting as the data shows it: a precision that changes nothing here is the next finer one."""
    while isinstance(setting, ScorePrecision) and setting not in settings:
        setting = _FINER[setting]
    return setting


@dataclass(frozen=True)
class KnownErratum:
    """A printed number that is known to be wrong, on this very input."""

    case: str
    document: str
    line: int | None
    printed: str
    measure: str
    exact: str  # what is true, as text

    @property
    def text(self) -> str:
        """Return it in a sentence."""
        where = self.document if self.line is None else f"{self.document}, line {self.line}"
        exact = f"{self.measure} is {self.exact} there (fixtures show {self.case})"
        return f"{self.printed} is an erratum of {where}: {exact}"


def _lists(data: Data) -> list[tuple[tuple[int | None, ...], tuple[int, ...]]]:
    """Return the lists whatever documents are called: labels in the order given, and grades never retrieved."""
    lists = []
    for query in dict.fromkeys([*data.qrels, *data.run]):
        grades, documents = data.qrels.grades(query), [each.docno for each in data.run.documents(query)]
        missed = sorted(grade for docno, grade in grades.items() if docno not in {*documents})
        lists.append((tuple(grades.get(docno) for docno in documents), tuple(missed)))
    return lists


# ---- Several numbers at once

# Other cutoffs are tried only where no plain convention gives a number. Explanations are ranked by what they suppose: a
# named convention or a cutoff is plainer than a setting that few programs have.


@dataclass(frozen=True)
class Pair:
    """An explanation of each of two numbers."""

    first: Explanation  # of the first number
    second: Explanation  # of the second number
    axes: tuple[str, ...]  # what they differ on, the cutoff among them; none if one explanation gives both numbers
    parting: FirstDifference | None = None  # where their derivations part; None if not derived, or the same


@dataclass(frozen=True)
class JointResolution:
    """What became of several numbers."""

    values: tuple[Resolution, ...]  # what became of each, the plainest explanations first
    # each two of them that are explained, in their order, with the plainest pair of explanations
    paired: tuple[tuple[tuple[Resolution, Resolution], Pair], ...]

    @property
    def status(self) -> str:
        """`explained` if each number is."""
        return "explained" if all(each.own for each in self.values) else "unexplained"

    @property
    def expected_accidental(self) -> Fraction:
        """How many fits were to be expected by chance, all numbers together."""
        return sum((each.expected_accidental for each in self.values), Fraction(0))


def resolve_jointly(
    values: Sequence[str], measure: Measure, data: Data, progress: OnProgress = silent
) -> JointResolution:
    """Explain several numbers on the same data at once; `InputError` for what is no number."""
    for value in values:
        read_number(value)
    plain = (resolve_data(value, measure, data, progress=progress) for value in values)
    resolutions = [with_other_cutoffs(each, data, progress) for each in plain]
    by_burden = partial(burden, stated=measure)
    ranked = [replace(each, explanations=tuple(sorted(each.explanations, key=by_burden))) for each in resolutions]
    return pairs_of(ranked, data)


def pairs_of(resolutions: Sequence[Resolution], data: Data) -> JointResolution:
    """Put what became of each number together, each two of them with their plainest pair of explanations."""
    pairs = ((two, _plainest(*two, data)) for two in combinations(resolutions, 2))
    return JointResolution(tuple(resolutions), tuple((two, pair) for two, pair in pairs if pair is not None))


def with_other_cutoffs(resolution: Resolution, data: Data, progress: OnProgress = silent) -> Resolution:
    """Add plain conventions with another cutoff, where only odder ones or none give a number."""
    # Nobody asked for that cutoff, so they come after those that give it, and explain nothing by themselves.
    measure, weight = resolution.measure, partial(burden, stated=resolution.measure)
    is_cut = measure.family.cut in {Cut.OPTIONAL, Cut.REQUIRED}
    plainest = min(map(weight, resolution.explanations), default=_ODD)
    if plainest < _ODD or sum(map(len, data.lists)) > _LARGEST_DERIVED or not is_cut:
        return resolution
    uncut = [None] if measure.family.cut is Cut.OPTIONAL else []
    others = [*uncut, *range(1, min(data.longest, _MOST_CUTOFFS) + 1)]
    resolutions = []
    for place, k in enumerate(others):
        progress(f"cutoffs of {measure.name}", place, len(others))
        if k != measure.k:
            resolutions.append(resolve_data(resolution.printed, replace(measure, k=k), data))
    plainer = sorted((each for one in resolutions for each in one.explanations if weight(each) < _ODD), key=weight)
    if not plainer:
        return resolution
    return replace(
        resolution,
        explanations=(*resolution.explanations, *plainer),
        searched=sum(one.searched for one in (resolution, *resolutions)),
        complete=all(one.complete for one in (resolution, *resolutions)) and data.longest <= _MOST_CUTOFFS,
        expected_accidental=sum((one.expected_accidental for one in (resolution, *resolutions)), Fraction(0)),
    )


def burden(explanation: Explanation, stated: Measure) -> int:
    """Return how much an explanation supposes: a cutoff that was not stated, a profile, a usual setting 1 each."""
    # An odd setting is more.
    of_cutoff = int(explanation.measure.k != stated.k)
    of_truncation = int(str(explanation.agreement) == "truncated")
    differences = explanation.convention.differences()
    settings = sum(1 if axis in _PLAIN_AXES else _ODD for axis in differences)
    named = bool(explanation.profiles) and explanation.convention_text in explanation.profiles
    return of_cutoff + of_truncation + (min(settings, 1) if named else settings)


def _plainest(one: Resolution, other: Resolution, data: Data) -> Pair | None:
    """Return the plainest explanation of each; one that gives both numbers before two."""
    if not one.explanations or not other.explanations:
        return None
    both = [each for each in one.explanations if each in other.explanations]
    first, second = (both[0], both[0]) if both else (one.explanations[0], other.explanations[0])
    used = {*first.measure.axes(first.convention), *second.measure.axes(second.convention)}
    axes = [axis for axis in first.convention.differences(second.convention) if axis in used]
    axes = [*([CUTOFF] if first.measure.k != second.measure.k else []), *axes]
    derived = (explain(each.measure, data.qrels, data.run, each.convention) for each in (first, second))
    difference = None if sum(map(len, data.lists)) > _LARGEST_DERIVED else parting(*derived)
    return Pair(first, second, tuple(axes), difference)
