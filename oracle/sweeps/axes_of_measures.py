"""Which settings of the axes of single measures an input can tell apart: denominators, gains, ideals, variants.

What comes to the same on every query of the input is one setting, the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankspec.oracle.conventions.axes import (
    BprefVariant,
    CompatDepth,
    CompatNormalization,
    Discount,
    FWeight,
    Gain,
    Ideal,
    MultipleRounding,
    NoveltyIdeal,
    NoveltyNormalization,
    PrecisionDenominator,
    PrefsCounted,
    PrefsNonrelevant,
    PrefsTies,
    RbpGain,
    RbpResidual,
    ReaderHorizon,
    RecallDenominator,
)
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.data.subtopics import SubtopicGrade
from rankspec.oracle.measures.cumulated_gain import IDEAL, GainedList
from rankspec.oracle.measures.worth import gain_of
from rankspec.oracle.rankings.ranking import is_relevant


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

    @property
    def relevant(self) -> list[int]:
        """Return R of every query."""
        return [len(relevant_documents(self.measure, self.qrels.grades(query))) for query in self.qrels]


def settings_of_measures(shown: Shown) -> dict[str, Sequence[Setting]]:
    """Return axis -> the settings that differ on an input, the default's first."""
    of_the_measure = [axis for axis in AXES if shown.measure.family.has(axis)]
    numbers = {axis: AXES[axis].in_use for axis in of_the_measure if AXES[axis].in_use}
    return {**numbers, **{axis: _RULES[axis](shown) for axis in of_the_measure if axis in _RULES}}


def _precision_denominators(shown: Shown) -> Sequence[Setting]:
    k = shown.measure.k or 0
    found: list[Setting] = [PrecisionDenominator.CUTOFF]
    if shown.shortened or any(len(shown.run.documents(query)) < k for query in shown.qrels):
        found.append(PrecisionDenominator.MIN_CUTOFF_LENGTH)
    reachable = PrecisionDenominator.MIN_RELEVANT_CUTOFF
    if reachable not in shown.measure.family.excludes and any(relevant < k for relevant in shown.relevant):
        found.append(reachable)
    return found


def _recall_denominators(shown: Shown) -> Sequence[Setting]:
    more = any(relevant > (shown.measure.k or 0) for relevant in shown.relevant)
    return list(RecallDenominator) if more else [RecallDenominator.RELEVANT]


def _f_weights(shown: Shown) -> Sequence[Setting]:
    return list(FWeight) if tells_f_weight(shown.measure) else [FWeight.BETA_SQUARED]


def tells_f_weight(measure: Measure) -> bool:
    """Tell whether a beta is another number than its square."""
    return measure.beta is not None and measure.beta not in {0, 1}


def _gains(shown: Shown) -> Sequence[Setting]:
    own = dict(shown.measure.gains or ())
    return list(Gain) if any(grade > 1 and grade not in own for grade in shown.grades) else [Gain.LINEAR]


def _discounts(shown: Shown) -> Sequence[Setting]:
    deep = shown.measure.k != 1 and any(len(shown.run.documents(query)) > 1 for query in shown.run)
    whole = shown.measure.family.has("ideal")  # whose ideal ranking may be longer than the list
    return list(Discount) if deep or whole else [Discount.LOG2_RANK_PLUS_ONE]


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
    whole = [[gained(grades[docno]) if docno in grades else 0] for docno, _ in best_first]
    gains, limit = IDEAL[ideal](GainedList(whole[:k], whole, [gained(each) for each in grades.values()], k))
    return tuple(sorted((each for each in gains if each > 0), reverse=True)[:limit])


def _rbp_gains(shown: Shown) -> Sequence[Setting]:
    return list(RbpGain) if max(shown.grades, default=0) > 1 else [RbpGain.BINARY]


def _novelty_ideals(shown: Shown) -> Sequence[Setting]:
    """Return both where a query has subtopics; of one subtopic every greedy ranking is the best one."""
    return (
        list(NoveltyIdeal) if any(isinstance(grade, SubtopicGrade) for grade in shown.grades) else [NoveltyIdeal.GREEDY]
    )


_RULES: Mapping[str, Callable[[Shown], Sequence[Setting]]] = {
    "precision_denominator": _precision_denominators,
    "recall_denominator": _recall_denominators,
    "multiple_rounding": lambda _: list(MultipleRounding),
    "f_weight": _f_weights,
    "gain": _gains,
    "discount": _discounts,
    "ideal": _ideals,
    "bpref_variant": lambda _: list(BprefVariant),
    "rbp_gain": _rbp_gains,
    "rbp_residual": lambda _: list(RbpResidual),
    "reader_horizon": lambda _: list(ReaderHorizon),
    "novelty_normalization": lambda _: list(NoveltyNormalization),
    "novelty_ideal": _novelty_ideals,
    "prefs_counted": lambda shown: [each for each in PrefsCounted if each not in shown.measure.family.excludes],
    "prefs_nonrelevant": lambda _: list(PrefsNonrelevant),
    "prefs_ties": lambda shown: [PrefsTies.SAME] if shown.ordered else list(PrefsTies),
    "compat_depth": lambda _: list(CompatDepth),
    "compat_normalization": lambda _: list(CompatNormalization),
}
