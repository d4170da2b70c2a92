"""How strong the shipped cases are: of the conventions that something tells apart, how many do the cases tell apart?

Two sets of pairs are counted, as a function of the shape `qrels-run` can show them: neighbours, which differ from a
named convention on one axis, or are two values of it; and, for averages of precision, all pairs of a fixed sample of
the whole space. For other measures the neighbours are those of the default and of trec_eval. A pair that no case
separates is searched for a witness; what has none, up to a bound, counts as one convention.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from rankspec.conformance.cases.case import Case
from rankspec.conformance.infer.witness.separation import Separation, separate
from rankspec.conformance.questions.question import Question, questions_of
from rankspec.oracle.conventions.axes import Aggregate, Denominator, Duplicates, ScorePrecision, Unjudged
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention
from rankspec.oracle.conventions.families import FAMILIES as DECLARED
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.expression import expression_text, parse_measure
from rankspec.oracle.sweeps.exact_values import comparable, exact_under

SAMPLE = 400
"""How many conventions of each family are compared with each other."""

SEARCHED = 1_500
"""How many inputs are tried for a pair that no case separates."""

_SEARCHED_OF_OTHERS = 400
"""The same for measures with few axes of their own, whose smallest inputs are small."""

_LARGER = {"AP@k": (Measure("AP", 10),), "TAP@k": (Measure("TAP", 2),)}
"""What needs a longer list to show: recalls on a float grid point, misses above the cutoff score."""

_SEED = 20_240_229
"""The sample is the same every time."""

FAMILIES = (Measure("AP"), Measure("AP", 2), Measure("AP11"), Measure("TAP", 1))
"""One measure for each family: AP, AP@k, AP11, TAP@k."""

OTHERS = tuple(
    measure
    for family in DECLARED.values()
    for measure in map(parse_measure, family.samples.neighbours)
    if measure not in FAMILIES
)
"""The other measures, of which the neighbours of the default and of trec_eval are separated."""

_BASES_OF_OTHERS = ("default", "trec_eval-9.0.8")

_UNSEEN = ("duplicates", "geometric_floor", "depth", "empty_mean")
"""Axes that dicts of dicts can't show, those that take any number, and the one that is a constant in every measure."""

_OF_OTHERS = frozenset({"geometric_zero"})
"""Axes that are tried with other measures alone: it shows in GMAP, and no sample has to be drawn anew for it."""

Pair = tuple[Convention, Convention]


@dataclass(frozen=True)
class Strength:
    """What the cases of one family separate.

    Attributes:
        family: `AP`, `AP@k`, `nDCG@k`, ...
        kind: `neighbours`, or `sample` for all pairs of a sample.
        pairs: how many pairs there are.
        equal: how many of them nothing separates, as far as was searched.
        unseparated: those that can be separated and no case does, as canonical texts.
    """

    family: str
    kind: str
    pairs: int
    equal: int
    unseparated: tuple[tuple[str, str], ...]

    @property
    def separable(self) -> int:
        """Return how many pairs can be separated."""
        return self.pairs - self.equal

    @property
    def separated(self) -> int:
        """Return how many of them the cases separate."""
        return self.separable - len(self.unseparated)

    @property
    def share(self) -> float:
        """Return the share of them."""
        return self.separated / self.separable if self.separable else 1.0


def strength(cases: Iterable[Case], sample: int = SAMPLE) -> list[Strength]:
    """Return what cases separate, family by family."""
    listed = list(cases)
    found = []
    for measure in FAMILIES:
        answers = Answers.of_cases(measure, listed)
        found += [_of_neighbours(measure, answers), _of_sample(measure, answers, sample)]
    return found + [_of_neighbours(measure, Answers.of_cases(measure, listed)) for measure in OTHERS]


def _family(measure: Measure) -> str:
    """Return what stands for measures that differ in the cutoff, or in parameters, alone."""
    return f"{measure.name}@k" if measure.k is not None else measure.name


class Answers:
    """The values of conventions on the questions of one family, computed when they are first needed."""

    def __init__(self, measure: Measure, questions: Sequence[Question]) -> None:
        """Put small questions first: they separate most, and are cheap."""
        self.measure = measure
        self.questions = sorted(questions, key=lambda question: question.size)
        self._known: dict[tuple[int, Convention], Hashable] = {}

    @classmethod
    def of_cases(cls, measure: Measure, cases: Iterable[Case]) -> Answers:
        """Take the questions of cases that are about a measure of the family."""
        questions = questions_of(case for case in cases if case.input is not None)
        return cls(measure, [each for each in questions if _family(each.measure) == _family(measure)])

    def add(self, question: Question) -> None:
        """Ask one more, the last."""
        self.questions.append(question)

    def value(self, number: int, convention: Convention) -> Hashable:
        """Return the value on a question."""
        key = (number, convention)
        if key not in self._known:
            self._known[key] = self._value(self.questions[number], convention)
        return self._known[key]

    def _value(self, question: Question, convention: Convention) -> Hashable:
        try:
            return comparable(exact_under(question.measure, question.qrels, question.run, convention))
        except InputError:
            return "no number"

    def classes(self, conventions: Iterable[Convention]) -> list[list[Convention]]:
        """Return the conventions in classes of equal values on every question; classes of one are left out."""
        classes = [list(conventions)]
        for number in range(len(self.questions)):
            classes = [part for each in classes for part in self._split(number, each) if len(part) > 1]
        return classes

    def split_by_last(self, classes: Iterable[list[Convention]]) -> list[list[Convention]]:
        """Return classes, split once more by the last question."""
        last = len(self.questions) - 1
        return [part for each in classes for part in self._split(last, each) if len(part) > 1]

    def _split(self, number: int, conventions: Iterable[Convention]) -> Iterable[list[Convention]]:
        parts: dict[Hashable, list[Convention]] = {}
        for convention in conventions:
            parts.setdefault(self.value(number, convention), []).append(convention)
        return parts.values()

    def separate(self, a: Convention, b: Convention) -> bool:
        """Tell whether a question separates two conventions."""
        return any(self.value(number, a) != self.value(number, b) for number in range(len(self.questions)))


# ---- Pairs


def _of_neighbours(measure: Measure, answers: Answers) -> Strength:
    pairs = {tuple(sorted(pair, key=repr)): pair for pair in neighbours(measure)}
    return _counted(measure, "neighbours", len(pairs), [pair for pair in pairs.values() if not answers.separate(*pair)])


def neighbours(measure: Measure) -> Iterator[Pair]:
    """Yield pairs that differ on one axis alone: every two values of every axis, in every named convention."""
    named = PROFILES if measure in FAMILIES else _BASES_OF_OTHERS
    for base in dict.fromkeys(_seen(PROFILES[name].convention) for name in named):
        for axis, settings in _settings(measure).items():
            if axis in measure.axes(base):
                conventions = [base.with_setting(axis, setting) for setting in settings]
                meant = [each for each in conventions if meaningless(measure, each) is None]
                yield from combinations([each for each in meant if canonical(measure, each) == each], 2)


def _seen(convention: Convention) -> Convention:
    """Return a convention as a function of two dicts shows it: no duplicates, scores that are doubles."""
    precision = convention.score_precision
    if precision is ScorePrecision.EXACT:
        precision = ScorePrecision.FLOAT64
    return convention.with_setting("duplicates", Duplicates.ERROR).with_setting("score_precision", precision)


def _settings(measure: Measure) -> Mapping[str, Sequence[Setting]]:
    """Return the axes that can be seen, with their values."""
    settings: dict[str, Sequence[Setting]] = {}
    families = FAMILIES if measure in FAMILIES else (measure,)
    drawn = {axis for each in families for axis in each.family.axes}.difference(_UNSEEN)
    if measure in FAMILIES:
        drawn -= _OF_OTHERS
    for name, axis in AXES.items():
        if axis.values is not None and name in drawn:
            values: list[Setting] = list(axis.values)
            if name == "score_precision":
                values.remove(ScorePrecision.EXACT)
            if name == "aggregate" and not measure.family.is_poolable:
                values.remove(Aggregate.MICRO)
            settings[name] = values
    return settings


def canonical(measure: Measure, convention: Convention) -> Convention:
    """Return the simplest convention of those that are one by definition: idle axes are left at the default."""
    used = measure.axes(convention)
    for axis in AXES:
        if axis not in used:
            convention = convention.with_setting(axis, getattr(DEFAULT, axis))
    if measure.family.is_order_free and convention.depth is None:
        convention = replace(convention, ties=DEFAULT.ties, score_precision=ScorePrecision.FLOAT64)
    if convention.unjudged is Unjudged.NONRELEVANT and not measure.family.tells_unjudged:
        convention = convention.with_setting("negative_grades", DEFAULT.negative_grades)
    same = _SAME if measure.k is not None else {**_SAME, **_SAME_UNCUT}
    if convention.denominator in same:
        convention = convention.with_setting("denominator", same[convention.denominator])
    return convention


_SAME = {
    # n is the length after the cutoff, so never above k.
    Denominator.MIN_CUTOFF_LENGTH: Denominator.LENGTH,
    Denominator.MIN_RELEVANT_CUTOFF_LENGTH: Denominator.MIN_RELEVANT_LENGTH,
}
_SAME_UNCUT = {Denominator.RETRIEVED_RELEVANT: Denominator.RELEVANT_IN_LIST}


def _of_sample(measure: Measure, answers: Answers, size: int) -> Strength:
    chosen = sampled(measure, size)
    pairs = len(chosen) * (len(chosen) - 1) // 2
    left = [pair for each in answers.classes(chosen) for pair in combinations(each, 2)]
    return _counted(measure, "sample", pairs, left)


def sampled(measure: Measure, size: int) -> list[Convention]:
    """Return different conventions of a family, drawn axis by axis; half of the axes keep the default's value."""
    draw = random.Random(_SEED)  # noqa: S311 - a sample, no secret
    settings = _settings(measure)
    base = _seen(DEFAULT)
    found: dict[Convention, None] = {}
    for _ in range(50 * size):
        convention = base
        for axis, values in settings.items():
            if draw.random() < 0.5:  # noqa: PLR2004 - half of them
                convention = convention.with_setting(axis, draw.choice(values))
        if meaningless(measure, convention) is None:
            found.setdefault(canonical(measure, convention))
        if len(found) == size:
            break
    return list(found)


def searched(measure: Measure, pair: Pair) -> tuple[Measure, Separation] | None:
    """Search for a witness of a pair, under the family's measure or one with a larger cutoff; None if there is none."""
    most = SEARCHED if measure in FAMILIES or measure.recall is not None else _SEARCHED_OF_OTHERS
    for candidate in (measure, *_LARGER.get(_family(measure), ())):
        separation = separate(candidate, *pair, most)
        if separation.input is not None:
            return candidate, separation
    return None


def _counted(measure: Measure, kind: str, pairs: int, left: Sequence[Pair]) -> Strength:
    """Search a witness for each pair that no case separates."""
    separable = [pair for pair in left if searched(measure, pair) is not None]
    texts = tuple((expression_text(measure, a), expression_text(measure, b)) for a, b in separable)
    return Strength(_family(measure), kind, pairs, len(left) - len(separable), texts)
