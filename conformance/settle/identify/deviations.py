"""Named deviations: what programs do that no convention says, each tried with all conventions, and with each other.

One that explains every answer, together with a convention, is what the program does, as far as anybody can see. Each is
declared in a line or two: what differs, in words that end `all but ... is AP@10`; what it does; and how it predicts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from fractions import Fraction

from rankspec.conformance.judge.agreement import Known
from rankspec.conformance.settle.identify import altered_inputs as altered
from rankspec.conformance.settle.identify.deviating import (
    OfTheInput,
    OfTheQuestion,
    OfTheSet,
    OfTheValue,
)
from rankspec.conformance.settle.identify.deviating_areas import OfTheArea, WithFloor, is_varied
from rankspec.conformance.settle.identify.prediction import Predictor
from rankspec.conformance.settle.identify.probe import Probe
from rankspec.conformance.settle.identify.reach import BEYOND, both_sides
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.scores import Score
from rankspec.oracle.rankings.cutting import Blocks

Made = Callable[[Predictor], Predictor]
Image = Callable[[Fraction, Fraction], bool]
"""Of a number and the unit roundoff of what it was computed in."""


class Level(IntEnum):
    """Where a deviation acts. One that acts later stands on the predictions of one that acts earlier."""

    AREA = 0
    """In the computation itself: it predicts alone, so others stand on it, and it on none."""
    INPUT = 1
    SET = 2
    VALUE = 3


@dataclass(frozen=True, eq=False)
class Deviation:
    """A deviation.

    Attributes:
        name: what differs.
        words: what it does.
        made: makes its predictor of one that predicts without it.
        level: where it acts.
        settings: settings of axes that are no part of the space, since they take any number: so it is no deviation.
        refuting: what is asked besides random inputs before it is named: where it would show that it is another one.
        image: whether a number can be an answer at all, where it acts on values.
        parts: the deviations of which it consists.
    """

    name: str
    words: str
    made: Made
    level: Level = Level.INPUT
    settings: Mapping[str, Setting] = field(default_factory=dict)
    refuting: Sequence[Probe] = ()
    image: Image | None = None
    parts: tuple[Deviation, ...] = ()

    @property
    def said(self) -> tuple[str, ...]:
        """A line for each thing that differs."""
        return tuple(f"{each.name}: {each.words}" for each in self.parts or (self,))


def together(first: Deviation, second: Deviation) -> Deviation | None:
    """Return two deviations at once; None where they can't be, or are about the same thing."""
    alone = first.level is second.level is Level.AREA
    if first.name == second.name or alone or first.settings or second.settings:
        return None
    # What is computed of the inner one is shared with all that stand on it.
    outer, inner = (second, first) if first.level < second.level else (first, second)
    return Deviation(
        f"{first.name} and {second.name}",
        f"{first.words}; {second.words}",
        outer.made,
        outer.level,
        refuting=(*first.refuting, *second.refuting),
        image=outer.image,
        parts=(outer, inner),
    )


def deviations(base: Measure, reach: int | None, apart: float) -> Iterator[Deviation]:
    """Yield the deviations that are tried, the plainest first.

    Args:
        base: the measure.
        reach: how far down a list it looks, None if it is the whole list.
        apart: how far the nearest convention is from the answers at most; more than an epsilon brings about or less,
            and no epsilon is tried.
    """
    yield from _of_depth(base, reach)
    yield from _of_thresholds(base)
    yield from _of_scores()
    yield from _of_lists()
    yield from _of_sets()
    for exponent in range(2, 17):
        floor = Fraction(1, 10**exponent)
        words = f"values are raised to 1e-{exponent} at least before their geometric mean is taken"
        yield Deviation("the floor", words, _floor(floor), Level.AREA, {"geometric_floor": floor})
    if is_varied(base):
        yield from _of_areas(apart)
    yield from _of_values(apart)


def _of_depth(base: Measure, reach: int | None) -> Iterator[Deviation]:
    refuting = [] if reach is None else both_sides(reach, base if base.k is None else replace(base, k=BEYOND))
    if reach is not None:
        words = f"looks at the first {reach} documents of a query alone"
        yield Deviation("the depth", words, _question(depth=reach), settings={"depth": reach}, refuting=refuting)
    if base.k is not None:
        yield Deviation("the cutoff", "cuts off one document late: k + 1", _question(lambda each: _with_k(each, 1)))
        yield Deviation("the cutoff", "cuts off one document early: k - 1", _question(lambda each: _with_k(each, -1)))
    if base.k is not None and base.family.cut is Cut.OPTIONAL:
        yield Deviation("the cutoff", "ignores it", _question(lambda measure: replace(measure, k=10**6)))
    if base.k is not None and reach is not None:
        words = f"takes none above {reach}: k is min(k, {reach})"
        at_most = _question(lambda measure: replace(measure, k=min(measure.k or reach, reach)))
        yield Deviation("the cutoff", words, at_most, refuting=refuting)


def _of_thresholds(base: Measure) -> Iterator[Deviation]:
    if "rel" in base.family.parameters:
        above = _question(lambda measure: replace(measure, rel=measure.rel + 1))
        below = _question(lambda measure: replace(measure, rel=measure.rel - 1))
        yield Deviation("the threshold", "counts a grade as relevant only above it", above)
        if base.rel > 0:
            yield Deviation("the threshold", "counts a grade as relevant that is one below it", below)
        yield Deviation("the threshold", "counts a grade as relevant only if it equals it", _input(altered.equal_alone))
    for words, grade in (
        ("counts any judged document as relevant", lambda grade: max(grade, base.rel, 1)),
        ("counts any grade but 0 as relevant", lambda grade: max(abs(grade), base.rel) if grade else 0),
        ("wrap in a signed integer of 8 bits", altered.wrapped(8, signed=True)),
        ("wrap in an unsigned integer of 8 bits", altered.wrapped(8, signed=False)),
        ("wrap in a signed integer of 16 bits", altered.wrapped(16, signed=True)),
        ("are 1 at most", lambda grade: min(grade, max(base.rel, 1))),
    ):
        yield Deviation("grades", words, _input(altered.of_grades(grade)))


def _of_scores() -> Iterator[Deviation]:
    yield Deviation("sorting", "there is none: the list is taken as it comes", _listed(altered.in_input_order))
    yield Deviation("sorting", "the lowest score comes first", _score(lambda score: -score))
    yield Deviation("sorting", "it is by the absolute value of the score", _score(abs))
    for which, is_lost in (("of 0 or less", _is_not_positive), ("below 0", _is_negative), ("of 0", _is_zero)):
        for words, change in (
            (f"a relevant document with a score {which} does not count", altered.unhit),
            (f"a document with a score {which} is dropped", altered.dropped),
            (f"a document with a score {which} is not relevant, in R neither", altered.nonrelevant),
        ):
            yield Deviation(f"scores {which}", words, _input(change(is_lost)))
    yield Deviation("scores", "pass through a sigmoid", _score(altered.sigmoid))
    yield Deviation("scores", "are rounded to half precision (float16)", _score(altered.half))
    yield Deviation("scores", "lose their decimals", _score(altered.whole))
    for digits in range(1, 13):
        yield Deviation("scores", f"are rounded to {digits} digits", _score(altered.to_digits(digits)))


def _of_lists() -> Iterator[Deviation]:
    yield Deviation("the last document", "it is left out", _input(altered.without(-1)))
    yield Deviation("the first document", "it is left out", _input(altered.without(0)))
    yield Deviation(
        "ranks", "counts ranks from one too high, the cutoff with them", _listed(altered.with_a_miss_on_top)
    )
    yield Deviation("duplicates", "each copy counts in R", _input(altered.of_judgments(altered.repeats_in_r)))
    yield Deviation("docnos", "case is ignored", _input(altered.of_docnos(str.casefold)))
    yield Deviation("docnos", "leading zeros are ignored", _input(altered.of_docnos(lambda name: name.lstrip("0"))))
    yield Deviation("docnos", "they are compared as numbers", _input(altered.of_docnos(altered.padded)))
    for length in (1, 2, 4, 8, 10, 12, 16, 20, 32):
        cut = _input(altered.of_docnos(altered.cut_to(length)))
        yield Deviation("docnos", f"they are cut to {length} characters", cut)


def _of_sets() -> Iterator[Deviation]:
    every = altered.every
    for words, run, qrels in (
        ("the last one of the qrels is left out", every, lambda queries: queries[:-1]),
        ("the last one of the run is left out", lambda queries: queries[:-1], every),
        ("the first one of the qrels is left out", every, lambda queries: queries[1:]),
        ("the first one of the run is left out", lambda queries: queries[1:], every),
        ("the first one of the qrels counts alone", every, altered.first_of(1)),
    ):
        yield Deviation("queries", words, _input(altered.of_queries(run, qrels)))
    for words, counts in (
        ("the value of a query is dropped when it is 0", lambda value: value != 0),
        ("the value of a query is dropped when it is not a number", lambda value: isinstance(value, Fraction)),
    ):
        yield Deviation("the mean", words, _set(_mean, counts), Level.SET)
    for words, mean in (
        ("the sum is returned", _sum),
        ("the median is returned", _median),
        ("the highest value is returned", max),
        ("the lowest value is returned", min),
    ):
        yield Deviation("the mean", words, _set(mean), Level.SET)


def _of_areas(apart: float) -> Iterator[Deviation]:
    yield Deviation("the denominator", "divides by D + 1, one more", _area(more=Fraction(1)), Level.AREA)
    for exponent in (each for each in range(3, 17) if 10.0**-each / 100 <= apart <= 10.0 ** (3 - each)):
        words = f"divides by D + 1e-{exponent}: an epsilon"
        yield Deviation("the denominator", words, _area(more=Fraction(1, 10**exponent)), Level.AREA)
    ranks = _area(lambda blocks: ((0,), *blocks))
    yield Deviation("ranks", "counts ranks from one too high: precision is hits / (rank + 1)", ranks, Level.AREA)
    last, first = _area(lambda blocks: blocks[:-1]), _area(lambda blocks: blocks[1:])
    yield Deviation("the last document", "leaves out what is last after the cutoff", last, Level.AREA)
    yield Deviation("the first document", "leaves out what is first after the cutoff", first, Level.AREA)


def _of_values(apart: float) -> Iterator[Deviation]:
    for words, function in (
        ("returns percent: 100 times the value", lambda value: 100 * value),
        ("returns 1 - the value", lambda value: 1 - value),
        ("returns the value with the other sign", lambda value: -value),
        ("returns twice the value", lambda value: 2 * value),
        ("returns half the value", lambda value: value / 2),
    ):
        yield Deviation("the value", words, _value(function), Level.VALUE)
    for digits in (digits for digits in range(1, 13) if apart <= 10.0**-digits):
        for words, function in (
            (f"rounds to {digits} digits", _rounded(digits)),
            (f"cuts off after {digits} digits", _cut_off(digits)),
        ):
            yield Deviation("the last digits", words, _value(function), Level.VALUE, image=_has_digits(digits))


def _question(measure: Callable[[Measure], Measure] = lambda measure: measure, depth: int | None = None) -> Made:
    return lambda base: OfTheQuestion(base, measure, depth)


def _input(change: altered.Change) -> Made:
    return lambda base: OfTheInput(change, base)


def _score(score: Callable[[float], float]) -> Made:
    return _input(altered.of_scores(score))


def _listed(change: Callable[[altered.Listed, Mapping[str, int]], altered.Listed]) -> Made:
    return _input(altered.of_lists(change))


def _area(blocks: Callable[[Blocks], Blocks] = lambda blocks: blocks, more: Fraction = Fraction(0)) -> Made:
    return lambda base: OfTheArea(blocks, more, base.effort)


def _value(function: Callable[[Fraction], Fraction]) -> Made:
    return lambda base: OfTheValue(function, base)


def _floor(floor: Fraction) -> Made:
    return lambda base: WithFloor(floor, base.effort)


def _set(mean: Callable[[Sequence[Fraction]], Fraction], counts: Callable[[Known], bool] | None = None) -> Made:
    return lambda base: OfTheSet(mean, counts, base)


def _rounded(digits: int) -> Callable[[Fraction], Fraction]:
    return lambda value: round(value, digits)


def _cut_off(digits: int) -> Callable[[Fraction], Fraction]:
    return lambda value: Fraction(math.trunc(value * 10**digits), 10**digits)


def _has_digits(digits: int) -> Image:
    """Return whether a number has no more digits; numbers too coarse to tell have more."""

    def has(value: Fraction, unit: Fraction) -> bool:
        least = 4 * unit * max(abs(value), Fraction(1))
        last = Fraction(1, 10**digits)
        return least < last * _MUCH_FINER and abs(value - round(value, digits)) <= least

    return has


_MUCH_FINER = Fraction(1, 100)


def _with_k(measure: Measure, more: int) -> Measure:
    # Nothing is left of a cutoff at 1 that is one less: the list is empty.
    return replace(measure, k=max(1, (measure.k or 1) + more))


def _is_not_positive(score: Score) -> bool:
    return score <= 0


def _is_negative(score: Score) -> bool:
    return score < 0


def _is_zero(score: Score) -> bool:
    return score == 0


def _sum(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0))


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _median(values: Sequence[Fraction]) -> Fraction:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
