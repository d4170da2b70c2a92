"""A deviation: what a program does that no convention says, and how it predicts with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from fractions import Fraction

from rankspec.conformance.infer.identify import altered_inputs as altered
from rankspec.conformance.infer.identify.deviating import OfTheInput, OfTheQuestion, OfTheSet, OfTheValue
from rankspec.conformance.infer.identify.deviating_areas import OfTheArea, WithFloor
from rankspec.conformance.infer.identify.prediction import Predictor
from rankspec.conformance.infer.identify.probe import Probe
from rankspec.conformance.judge.agreement import Known
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.measure import Measure
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
        restricted: axis -> the settings with which it means something, where these are not all.
        parts: the deviations of which it consists.
    """

    name: str
    words: str
    made: Made
    level: Level = Level.INPUT
    settings: Mapping[str, Setting] = field(default_factory=dict)
    refuting: Sequence[Probe] = ()
    image: Image | None = None
    restricted: Mapping[str, tuple[Setting, ...]] = field(default_factory=dict)
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
        restricted={**first.restricted, **second.restricted},
        parts=(outer, inner),
    )


def of_question(measure: Callable[[Measure], Measure] = lambda measure: measure, depth: int | None = None) -> Made:
    """Answer another question: another cutoff, threshold or depth."""
    return lambda base: OfTheQuestion(base, measure, depth)


def of_input(change: altered.Change) -> Made:
    """Answer for another input."""
    return lambda base: OfTheInput(change, base)


def of_score(score: Callable[[float], float]) -> Made:
    """Change every score."""
    return of_input(altered.of_scores(score))


def of_list(change: Callable[[altered.Listed, Mapping[str, int]], altered.Listed]) -> Made:
    """Change every list, knowing the judgments."""
    return of_input(altered.of_lists(change))


def of_area(blocks: Callable[[Blocks], Blocks] = lambda blocks: blocks, more: Fraction = Fraction(0)) -> Made:
    """Change the list or the denominator of an area."""
    return lambda base: OfTheArea(blocks, more, base.effort)


def of_value(function: Callable[[Fraction], Fraction]) -> Made:
    """Let the value go through a function at the end."""
    return lambda base: OfTheValue(function, base)


def with_floor(floor: Fraction) -> Made:
    """Give a geometric mean another floor."""
    return lambda base: WithFloor(floor, base.effort)


def of_set(mean: Callable[[Sequence[Fraction]], Fraction], counts: Callable[[Known], bool] | None = None) -> Made:
    """Put the values of the queries together otherwise, of those that count."""
    return lambda base: OfTheSet(mean, counts, base)
