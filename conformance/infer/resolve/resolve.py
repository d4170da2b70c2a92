"""Resolve: which conventions give a number, as it was printed, on the data that it was computed from.

>>> found = resolve("0.5556", measure="AP@3", relevance=[1, 0, 1], num_relevant=5)
>>> found.status, str(found.explanations[0])
('explained', 'AP@3 under default[denominator=cutoff]: 5/9 = 0.5555555556, rounded')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Unpack

from rankspec.conformance.cases.exact import Printed, parse_printed
from rankspec.conformance.cases.files.on_disk import paths_that_print
from rankspec.conformance.cases.inputs import data_of_case
from rankspec.conformance.data.arguments import DataArguments, data_of
from rankspec.conformance.infer.resolve.search import Explanation, Search, sameness, search_measures
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.oracle.conventions.axes import ScorePrecision
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.document_weights import require_points
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
_Profiles = Callable[[Explanation], Iterator[str]]


@dataclass(frozen=True)
class Resolution:
    """What became of a number.

    Attributes:
        printed: the number, with its digits.
        measure: the measure that was asked for.
        data: what the number is said to be computed from.
        default_number: its value under the default convention, as the oracle has it.
        explanations: every convention that gives the number, the simplest first.
        nearest: where there are none, values that come nearest, each under its simplest convention.
        searched: how many conventions were evaluated. Those that differ on an axis alone that can't matter are one.
        complete: these were all that the data can show.
        expected_accidental: how many of them would give some other number of as many digits, by chance.
        errata: the number is known to be wrong in a document, for this very input.
        untried: why conventions with an exponential gain were left out; empty where they were not.
        is_wide: other cutoffs or measures were asked for, so that they explain a number.
    """

    printed: str
    measure: Measure
    data: Data = field(compare=False, repr=False)
    default_number: Exact
    explanations: tuple[Explanation, ...]
    nearest: tuple[Explanation, ...]
    searched: int
    complete: bool
    expected_accidental: Fraction = Fraction(0)
    errata: tuple[KnownErratum, ...] = ()
    untried: str = ""
    is_wide: bool = False

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
    same = _profiles_on(measure, data)
    explanations = tuple(_named(each, same) for each in search.matches) or _under_profiles(printed, measure, data)
    nearest = [_named(each, same) for each in search.nearest]
    if not explanations and isinstance(printed.number, Fraction) and abs(printed.number) > 1:
        percentages = searched(as_percentage(printed)).matches[:_MOST_LINES]
        nearest = [replace(_named(each, same), agreement=None, percentage=True) for each in percentages] + nearest
    if any_measure and not explanations:
        explanations, searched_too = _under_others(printed, measure, data, progress)
        search = replace(search, searched=search.searched + searched_too)
        nearest = [] if explanations else nearest
    default = exact_on(measure, data, data.default)
    return Resolution(
        value.strip(),
        measure,
        data,
        default,
        explanations,
        tuple(nearest),
        search.searched,
        search.complete,
        expected_accidental(printed, search.searched),
        documents_errata(printed, data) if documents else (),
        beyond_exponential_gain(measure, data.qrels),
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
        plain = [each for each in search.matches if each.complexity[0] <= _MOST_DIFFERENCES][:_MOST_LINES]
        if plain:
            same = _profiles_on(other, data)
            explanations += [_named(each, same) for each in plain]
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


def _named(explanation: Explanation, same: _Profiles) -> Explanation:
    return replace(explanation, profiles=tuple(same(explanation)))


def _profiles_on(measure: Measure, data: Data) -> _Profiles:
    """Return a function that names the profiles that are a convention, as far as the data can tell."""
    space = observable_settings(measure, data)
    profiles = _profiles_of(measure, data)

    @cache
    def value_of(name: str) -> AnyValue:
        return sameness(exact_on(measure, data, profiles[name]))

    def same(candidate: Explanation) -> Iterator[str]:
        convention = candidate.convention
        if candidate.measure != measure:
            return
        axes = [axis for axis in measure.axes(convention) if axis in space and axis != "recall_grid"]
        for name, profile in profiles.items():
            if all(
                _on_data(getattr(profile, axis), space[axis]) == getattr(convention, axis) for axis in axes
            ) and value_of(name) == sameness(candidate.number):
                yield name

    return same


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
        grades = data.qrels.grades(query)
        documents = [document.docno for document in data.run.documents(query)]
        missed = sorted(grade for docno, grade in grades.items() if docno not in {*documents})
        lists.append((tuple(grades.get(docno) for docno in documents), tuple(missed)))
    return lists
