"""Which settings of the axes of single measures an input can tell apart: denominators, gains, ideals, variants.

What comes to the same on every query of the input is one setting, the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from rankspec.oracle.conventions.axes import (
    Discount,
    FWeight,
    Gain,
    Ideal,
    NoveltyIdeal,
    PrecisionDenominator,
    PrefsCounted,
    PrefsTies,
    RbpGain,
    RecallDenominator,
)
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels, SubtopicGrade
from rankspec.oracle.data.run import Run
from rankspec.oracle.measures.areas.denominators import LEAST_OF, Counts, least
from rankspec.oracle.measures.defined import IDEAL, GainedList
from rankspec.oracle.measures.worth import beyond_exponential_gain, gain_of
from rankspec.oracle.rankings.ranking import is_relevant

T = TypeVar("T")


def relevant_documents(measure: Measure, grades: Mapping[str, int]) -> set[str]:
    """Return the documents of some judgments that are relevant, or gain something where grades are gains."""
    if not measure.is_graded:
        return {docno for docno, grade in grades.items() if is_relevant(grade, measure.rel)}
    gained = gain_of(measure, Gain.LINEAR)  # who gains something does so under every rule
    return {docno for docno, grade in grades.items() if gained(grade) > 0}


@dataclass(frozen=True)
class Shown:
    """A measure on an input.

    Attributes:
        shortened: some convention removes documents.
        ordered: all conventions have one order.
    """

    measure: Measure
    qrels: Qrels
    run: Run
    shortened: bool
    ordered: bool

    @property
    def grades(self) -> set[int]:
        """Return every grade there is."""
        return {grade for query in self.qrels for grade in self.qrels.grades(query).values()}

    def counts(self, query: str) -> Counts:
        """Return what denominators are made of, the hits left out: they depend on the order."""
        relevant = len(relevant_documents(self.measure, self.qrels.grades(query)))
        documents = len(self.run.documents(query))
        k = documents if self.measure.k is None else self.measure.k
        return Counts(relevant, k, min(documents, k))


def settings_of_measures(shown: Shown) -> dict[str, Sequence[Setting]]:
    """Return axis -> the settings that differ on an input, the default's first."""
    of_the_measure = [axis for axis in AXES if shown.measure.family.has(axis)]
    numbers = {axis: AXES[axis].in_use for axis in of_the_measure if AXES[axis].in_use}
    values = {axis: list(AXES[axis].values or ()) for axis in of_the_measure if axis in _ALL}
    return {**numbers, **values, **{axis: _RULES[axis](shown) for axis in of_the_measure if axis in _RULES}}


def _denominators(shown: Shown, rules: Iterable[PrecisionDenominator | RecallDenominator]) -> Sequence[Setting]:
    """Return the first rule, and those that divide by something else on some query.

    Counts that some conventions change (the length where they remove documents, the hits with the order) always may.
    """
    changing = {"hits", "hits_in_list", *(["length"] if shown.shortened else [])}
    counts = list(map(shown.counts, shown.qrels))
    first, *others = (rule for rule in rules if rule not in shown.measure.family.excludes)
    return [
        first,
        *(
            rule
            for rule in others
            if not changing.isdisjoint(LEAST_OF[rule])
            or any(least(LEAST_OF[rule], each) != least(LEAST_OF[first], each) for each in counts)
        ),
    ]


def _apart(values: Iterable[T], alike: Collection[T]) -> Sequence[T]:
    """Return values of which some are known to come to the same, the first of these alone. An unknown one is kept."""
    found = list(values)
    first = next(value for value in found if value in alike)
    return [value for value in found if value is first or value not in alike]


def _f_weights(shown: Shown) -> Sequence[Setting]:
    return list(FWeight) if tells_f_weight(shown.measure) else _apart(FWeight, {FWeight.BETA_SQUARED, FWeight.BETA})


def tells_f_weight(measure: Measure) -> bool:
    """Tell whether a beta is another number than its square."""
    return measure.beta is not None and measure.beta not in {0, 1}


def _gains(shown: Shown) -> Sequence[Setting]:
    own = dict(shown.measure.gains or ())
    if beyond_exponential_gain(shown.measure, shown.qrels):
        return [Gain.LINEAR, Gain.BINARY]
    if any(grade > 1 and grade not in own for grade in shown.grades):
        return list(Gain)
    return _apart(Gain, {Gain.LINEAR, Gain.EXPONENTIAL, Gain.BINARY})


def _discounts(shown: Shown) -> Sequence[Setting]:
    deep = shown.measure.k != 1 and any(len(shown.run.documents(query)) > 1 for query in shown.run)
    whole = shown.measure.family.has("ideal")  # whose ideal ranking may be longer than the list
    if deep or whole:
        return list(Discount)
    return _apart(Discount, {Discount.LOG2_RANK_PLUS_ONE, Discount.LOG2_RANK})


def _ideals(shown: Shown) -> Sequence[Setting]:
    if shown.shortened:
        return list(Ideal)
    seen: dict[object, Ideal] = {}
    for ideal in Ideal:
        gains = tuple(_ideal_gains(ideal, shown, query) for query in shown.qrels if query in shown.run)
        by_order = not shown.ordered and ideal is Ideal.RETRIEVED_TOP and shown.measure.k is not None
        seen.setdefault((gains, ideal) if by_order else gains, ideal)
    return list(seen.values())


def _ideal_gains(ideal: Ideal, shown: Shown, query: str) -> tuple[Fraction | int, ...]:
    """Return the gains that an ideal holds a query's list against, by linear gain."""
    k, grades, gained = shown.measure.k, shown.qrels.grades(query), gain_of(shown.measure, Gain.LINEAR)
    best_first = sorted(shown.run.documents(query), key=lambda document: document.score, reverse=True)
    whole = [[grades.get(docno)] for docno, _ in best_first]
    gains, limit = IDEAL[ideal](GainedList(whole[:k], whole, [*grades.values()], gained, k))
    return tuple(sorted((each for each in gains if each > 0), reverse=True)[:limit])


def _rbp_gains(shown: Shown) -> Sequence[Setting]:
    if max(shown.grades, default=0) > 1:
        return list(RbpGain)
    return _apart(RbpGain, {RbpGain.BINARY, RbpGain.SCALED_BY_TOPIC})


def _novelty_ideals(shown: Shown) -> Sequence[Setting]:
    """Return both where a query has subtopics; of one subtopic every greedy ranking is the best one."""
    if any(isinstance(grade, SubtopicGrade) for grade in shown.grades):
        return list(NoveltyIdeal)
    return _apart(NoveltyIdeal, {NoveltyIdeal.GREEDY, NoveltyIdeal.EXACT})


_RULES: Mapping[str, Callable[[Shown], Sequence[Setting]]] = {
    "precision_denominator": lambda shown: _denominators(shown, PrecisionDenominator),
    "recall_denominator": lambda shown: _denominators(shown, RecallDenominator),
    "f_weight": _f_weights,
    "gain": _gains,
    "discount": _discounts,
    "ideal": _ideals,
    "rbp_gain": _rbp_gains,
    "novelty_ideal": _novelty_ideals,
    "prefs_counted": lambda shown: [each for each in PrefsCounted if each not in shown.measure.family.excludes],
    "prefs_ties": lambda shown: [PrefsTies.SAME] if shown.ordered else list(PrefsTies),
}
_ALL = frozenset(
    {
        *("multiple_rounding", "bpref_variant", "rbp_residual", "reader_horizon", "novelty_normalization"),
        *("prefs_nonrelevant", "compat_depth", "compat_normalization"),
    }
)
"""Axes of which no input is known to leave values out."""
