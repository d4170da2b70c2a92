"""The mistake that explains all answers together with some convention: searched for with a budget, and verified.

The budget is counted in predictions, never in seconds. Two things make the search short. Answers that no convention
explains at all must each be touched by a mistake, or it is none. And what it does not touch is as it was predicted
without it, so these answers are compared first, at no cost, and leave few conventions for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice

from rankspec.conformance.infer.interview.evidence import NEGATIVE, Evidence, Nearest, with_errors
from rankspec.conformance.infer.interview.inputs import random_probes
from rankspec.conformance.infer.interview.interview import Interview
from rankspec.conformance.infer.interview.prediction import OverBudgetError, Predictor, decimal_places, fits, numbers_of
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe, has_tied_documents
from rankspec.conformance.infer.interview.version_space import OBSERVABLE, Versions, complexity, narrowed_within
from rankspec.conformance.infer.mistakes.mistake import Mistake, combined
from rankspec.conformance.infer.mistakes.program_search import program_mistakes
from rankspec.conformance.infer.mistakes.table import named_mistakes, threshold_mistakes
from rankspec.conformance.judge.agreement import UNIT_FLOAT32, UNIT_FLOAT64
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.oracle.conventions.axis import Needs

_SINGLES = 100_000
"""The budget for mistakes alone, in predictions that are looked up; one that is computed counts for 20 and more."""
_PAIRS = 40_000  # Fewer than for single ones: by then the list of what is promising is short, and two at once are rare
_FORMULAS = 80_000
"""The budget for formulas that gave the answers to lists without ties: those that were right took 50,000 at most."""
_OF_ONE = 40_000  # The most that one mistake, or one pair, takes for the answers that are no convention's
_OF_A_CANDIDATE = 100_000  # The most that it takes for all others, once it explains these
_AROUND = 1_000_000
"""The most for the conventions around one with which it explains everything: some 60, all answers of each."""
_FRESH = 40  # So many new inputs are asked before a mistake is named
_DRAWN = 160  # Four times as many as are asked, so that enough of them are touched by the mistake
_MOST_VERIFIED = 50
"""The plainest conventions alone are held against new answers: the others say the same of all that was asked."""
_REFUTING = 8
"""A candidate that touches eight answers of no convention is rarely wrong; each costs every candidate a comparison."""
_MOST_PARTING = 16  # The smallest inputs that part come first, and tell candidates from each other
_PROMISING = 5  # So many mistakes are tried together with every other one: those that explain the most by themselves
_MOST_ON_LONG = 4
"""Exact values of lists of 1,001 documents take long, and the conventions left agree on nearly all of them."""
_ROUNDINGS = 2  # To the fewest digits that explain all answers: rounded to them, and cut off after them
_NAMED, _PREDICTORS, _FAILED = "mistakes that have a name", "predictors", "mistakes that do not explain it"
_REFUTING_ANSWERS = "answers of no convention"
"""What an interview keeps of a search."""

_NEEDED: Mapping[str, frozenset[Needs]] = {
    **dict.fromkeys(("scores", "sorting", "documents with scores"), frozenset({Needs.SCORES})),
    **dict.fromkeys(("the threshold", "grades"), frozenset({Needs.QRELS})),
    **dict.fromkeys(("queries", "the mean"), frozenset({Needs.QUERIES})),
    "docnos": frozenset({Needs.IDS, Needs.QRELS}),
}
"""What a shape must have of which a mistake speaks: labels 0 and 1 are no grades, unless grades are gains."""


@dataclass(frozen=True)
class MistakeFit:
    """A mistake, its predictor, and the conventions with which it explains all numbers."""

    mistake: Mistake
    predictor: Predictor
    versions: Versions
    is_whole: bool  # false where conventions were too many, and those alone were tried that differ from one in one axis
    unrefuted: tuple[Versions, ...] = ()  # those explain all as well, and the plainest stand for them on new answers
    is_unordered: bool = False  # tied documents are in no fixed order


class Extent(Enum):
    """What is tried."""

    PROMISING = "the most promising mistakes that have a name"
    PROMISING_OR_FORMULA = "these, and slips of formulas"
    NAMED = "all mistakes that have a name"
    WHOLE = "all of them, slips of formulas, and two mistakes at once"


def explanation(
    interview: Interview, evidence: Evidence, near: Nearest, extent: Extent = Extent.WHOLE
) -> tuple[MistakeFit | None, int | None]:
    """Return the plainest one, None if none is found: no mistake of the list, and no two of them."""
    # The number says after how many predictions a whole search ended, if it ended before everything was tried.
    before = interview.predictor.effort.spent
    search = _MistakeSearch(interview, evidence, near)
    measure, depth = interview.target.measure, interview.effective_depth
    # Two searches of an interview try the same mistakes: what is predicted with them is known to the second one.
    if _NAMED not in interview.searched:
        interview.searched[_NAMED] = [*named_mistakes(measure, depth)], [*threshold_mistakes(interview)]
    named, thresholds = interview.searched[_NAMED]
    singles = [each for each in (*named, *thresholds) if search.is_possible(each)]
    is_promising = extent in {Extent.PROMISING, Extent.PROMISING_OR_FORMULA}
    explained = search.first(search.ranked(singles)[: _PROMISING if is_promising else None], _SINGLES)
    if explained is None and extent is Extent.PROMISING_OR_FORMULA:
        explained = search.first(search.formulas(), _FORMULAS)
    if extent is not Extent.WHOLE:
        return explained, None
    if explained is None or _leaves_errors(explained, interview, evidence):
        formula = search.first(search.formulas(), _FORMULAS)
        if explained is None or (formula is not None and not _leaves_errors(formula, interview, evidence)):
            explained = formula
    if explained is None and search.parting:
        explained = search.first(search.pairs(named), _PAIRS)
    ended = explained is None and search.is_cut_short
    return explained, interview.predictor.effort.spent - before if ended else None


def _leaves_errors(explained: MistakeFit, interview: Interview, evidence: Evidence) -> bool:
    """Tell whether inputs were refused without a reason, though all numbers are explained."""
    contradictions = with_errors(explained.versions, evidence, explained.predictor).contradictions
    return any(each not in interview.related for each in contradictions)


def compares_docnos_otherwise(interview: Interview, evidence: Evidence, near: Nearest) -> bool:
    """Tell whether all is explained by how docnos are compared, which decides the order of ties."""
    search = _MistakeSearch(interview, evidence, near)
    named = [each for each in named_mistakes(interview.target.measure, None) if each.name == "docnos"]
    return search.first(search.ranked([each for each in named if search.is_possible(each)]), _SINGLES) is not None


class _MistakeSearch:
    """What is tried, one after the other."""

    is_cut_short = False  # a budget was spent before everything was tried
    _end = 0  # how much may be spent, as all that was counts, before the search among some candidates ends

    def __init__(self, interview: Interview, evidence: Evidence, near: Nearest) -> None:
        self._interview = interview
        self._answers: Mapping[ShapedProbe, Outcome] = evidence.answers
        self._quick = quick = [each for each in evidence.numbers if interview.is_quick(each)]
        self._larger = [each for each in evidence.numbers if not interview.is_quick(each)]
        self._singles = evidence.singles
        self._unit = UNIT_FLOAT32 if self._singles else UNIT_FLOAT64
        self._effort = interview.predictor.effort
        self._everything = Versions.all_of(interview.space)
        self._near = near
        # Where nothing fits, the nearest convention may be far from the one that all but the mistake follows.
        self._tried_first = (near.convention, interview.space.normal(interview.space.start))
        numbers = {number for each in quick for number in numbers_of(evidence.answers[each])}
        self._numbers = sorted(numbers, key=lambda each: -each.denominator)  # the first tells most who does not round
        self._predictors: dict[Mistake, Predictor] = interview.searched.setdefault(_PREDICTORS, {})
        # Of the same answers a second search has the same to say, whichever convention it calls the nearest.
        self._failed: set[Mistake] = interview.searched.setdefault((_FAILED, frozenset(evidence.answers)), set())
        parting = [each for each in near.parting if each in set(quick)]
        self.parting = sorted(parting, key=lambda each: (self._everything.growth(each), each.longest))
        # These are the answers of no convention, whichever is called the nearest.
        known = [each for each in interview.searched.get(_REFUTING_ANSWERS, ()) if each in self._answers]
        self._refuting = interview.searched[_REFUTING_ANSWERS] = known or self._refuted()

    def _refuted(self) -> list[ShapedProbe]:
        """Return some questions whose answers are those of no convention, the ones on which the fewest axes matter."""
        end = self._effort.spent + _OF_ONE
        refuted: list[ShapedProbe] = []
        for each in self.parting[:_MOST_PARTING]:
            if len(refuted) == _REFUTING or self._effort.spent > end:
                break
            with suppress(OverBudgetError):
                if not self._left(None, self._everything, [each], self._answers).members:
                    refuted.append(each)
        return refuted

    def predictor(self, mistake: Mistake | None) -> Predictor:
        """Return what predicts with a mistake; what is common to two of them is computed once."""
        if mistake is None:
            return self._interview.predictor
        if mistake not in self._predictors:
            base = self.predictor(mistake.components[-1]) if mistake.components else self._interview.predictor
            self._predictors[mistake] = mistake.predictor(base)
        return self._predictors[mistake]

    def is_possible(self, mistake: Mistake) -> bool:
        """Tell whether the shape shows what the mistake changes, and it touches each answer that is nobody's."""
        return self._is_observable(mistake) and self._touches_enough(mistake)

    def _is_observable(self, mistake: Mistake) -> bool:
        observable = OBSERVABLE[self._interview.target.signature.shape]
        needed = next((needs for start, needs in _NEEDED.items() if mistake.name.startswith(start)), frozenset())
        if needed and not needed & observable:
            return self._interview.target.measure.is_graded and Needs.QRELS in needed and Needs.GRADES in observable
        return mistake.image is None or all(mistake.image(number, self._unit) for number in self._numbers)

    def _touches_enough(self, mistake: Mistake) -> bool:
        predictor = self.predictor(mistake)
        if self._refuting:
            return all(predictor.touches(each) for each in self._refuting)
        return any(predictor.touches(each) for each in self._quick)

    def pairs(self, singles: Sequence[Mistake]) -> Iterator[Mistake]:
        """Yield the pairs that are possible, those first whose parts explain the most by themselves."""
        observable = [each for each in singles if self._is_observable(each)]
        # A number of digits that all answers have says that they are rounded, whatever else they are.
        gaining = self.ranked(observable)
        ranked = sorted(gaining, key=lambda each: each.image is None)
        for place, first in enumerate(ranked[:_PROMISING]):
            for second in gaining:
                both = None if second in ranked[: place + 1] else combined(first, second)
                if both is not None and self._touches_enough(both):
                    yield both

    def ranked(self, candidates: Sequence[Mistake]) -> list[Mistake]:
        """Return those first that explain the most together with a convention, the plainest among equals."""
        return sorted(candidates, key=lambda each: -self._gain(each))

    def _gain(self, mistake: Mistake) -> int:
        """Count the answers that it explains with a convention that is tried first, of some that the nearest does not."""
        predictor = self.predictor(mistake)
        return max(
            sum(
                fits(self._answers[each], predictor.predicted(each, convention), singles=self._singles)
                for each in self.parting[:_MOST_PARTING]
            )
            for convention in self._tried_first
        )

    def formulas(self) -> Iterator[Mistake]:
        """Yield formulas that give the answers to lists without ties; rounded, where all answers are."""
        digits = decimal_places(self._numbers, self._unit)
        named = named_mistakes(self._interview.target.measure, None) if digits is not None else ()
        rounding = [each for each in named if each.image is not None and self._is_observable(each)]
        for formula in program_mistakes(self._interview, singles=self._singles, digits=digits):
            yield formula
            both = (combined(formula, each) for each in rounding)
            yield from (each for each in islice(both, _ROUNDINGS) if each is not None)

    def first(self, candidates: Iterable[Mistake], budget: int) -> MistakeFit | None:
        """Return the first one that explains everything, within a budget."""
        self._end = self._effort.spent + budget
        for mistake in candidates:
            if mistake in self._failed:
                continue
            if self._effort.spent > self._end:
                self.is_cut_short = True
                return None
            try:
                versions, is_whole = self._explaining(mistake)
                verified, unrefuted = self._verified(mistake, versions) if versions.members else (versions, ())
            except OverBudgetError:
                self.is_cut_short = True
                continue
            if verified.members:
                return MistakeFit(mistake, self.predictor(mistake), verified, is_whole, unrefuted)
            self._failed.add(mistake)
        return None

    def _explaining(self, mistake: Mistake) -> tuple[Versions, bool]:
        """Return the conventions with which it explains all answers, and whether all were tried; `OverBudgetError`."""
        # Of sets of queries nearly every axis matters, and conventions may have no end: then those around one that fits.
        everything = Versions.all_of(self._interview.space.restricted(mistake.restricted))
        try:
            versions = self._left(mistake, everything, self._refuting, self._answers)
            budget = min(_OF_A_CANDIDATE, max(self._end - self._effort.spent, _OF_ONE))
            return self._left(mistake, versions, self._quick, self._answers, budget), True
        except OverBudgetError:
            rules = mistake.restricted.items()
            allowed = [each for each in self._tried_first if all(getattr(each, axis) in own for axis, own in rules)]
            is_right = self._interview.matching(self._answers, self.predictor(mistake), singles=self._singles)
            explaining = (each for each in allowed if all(is_right(question, each) for question in self._quick))
            plain = next(explaining, None)
            if plain is None:
                raise
            return self._left(mistake, everything.around(plain), self._quick, self._answers, _AROUND), False

    def _verified(self, mistake: Mistake, versions: Versions) -> tuple[Versions, tuple[Versions, ...]]:
        """Return the conventions that predict the largest inputs too, and new ones that are chosen to refute them."""
        # And those that the plainest ones stand for, which explain all that was asked before.
        predictor = self.predictor(mistake)
        by_complexity = tuple(sorted(versions.members, key=complexity))
        versions = replace(versions, members=by_complexity[:_MOST_VERIFIED])
        beyond = replace(versions, members=by_complexity[_MOST_VERIFIED:])
        drawn = self._usual(random_probes(self._interview.target.measures, _DRAWN, seed=2))
        touched = [each for each in drawn if predictor.touches(each)]
        untouched = [each for each in drawn if not predictor.touches(each)]
        fresh = [*[*touched[: _FRESH * 3 // 4], *untouched][:_FRESH], *self._usual(mistake.refuting)]
        outcomes = self._interview.respondent.raw([each.call for each in fresh])
        answers = dict(zip(fresh, outcomes, strict=True))
        numbers = {each: outcome for each, outcome in answers.items() if isinstance(outcome, Number | PerQuery)}
        # A depth is verified by lists of more documents than that, on both sides of it.
        versions = self._left(mistake, versions, list(numbers), numbers, _OF_A_CANDIDATE)
        few = replace(versions, members=versions.members[:_MOST_ON_LONG])
        others = replace(versions, members=versions.members[_MOST_ON_LONG:])
        left = self._left(mistake, few, self._larger, self._answers, _OF_A_CANDIDATE)
        return left, tuple(each for each in (others, beyond) if each.members)

    def _usual(self, probes: Iterable[Probe]) -> list[ShapedProbe]:
        """Put probes into the shape, but for negative grades and ties where none of what has to be explained has any."""
        negative = any(NEGATIVE in each.features for each in self._answers)
        tied = any(map(has_tied_documents, self._answers))
        shaped = (each for each in map(self._interview.shaped, probes) if each is not None and not each.probe.loose)
        return [
            each
            for each in shaped
            if (negative or NEGATIVE not in each.features) and (tied or not has_tied_documents(each))
        ]

    def _left(
        self,
        mistake: Mistake | None,
        versions: Versions,
        questions: Sequence[ShapedProbe],
        answers: Mapping[ShapedProbe, Outcome],
        budget: int = _OF_ONE,
    ) -> Versions:
        predictor = self.predictor(mistake)
        keep = self._interview.matching(answers, predictor, singles=self._singles)
        return narrowed_within(versions, questions, keep, predictor, budget)
