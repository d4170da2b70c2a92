"""What conventions change about runs: how far each run's value goes, and which runs change places, under which axis.

Every convention that differs from the one asked for on axes that some run can show is tried, those with few
differences first. The value of a query depends on the axes that it can show alone, so most values are known already;
orders are told by doubles where these lie apart, by exact values where they don't.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice, product
from typing import NamedTuple

from rankspec.conformance.infer.resolve.known import MeasureValues
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import AXES, Convention, setting_text
from rankspec.oracle.conventions.measure import Measure, meaningless, require_meaning
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError
from rankspec.oracle.measures.gain import beyond_exponential_gain, is_beyond_limits
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.sweeps.space import observable_settings
from rankspec.oracle.values import Exact, Undefined

MOST_CONVENTIONS = 120  # How many conventions are tried, unless more are asked for
_APART = 1e-9  # Doubles that are so far apart are in the order of the exact values


@dataclass(frozen=True)
class RunScore:
    """The value of a run: the double, and the exact value when it is asked for. None counts where it is undefined."""

    double: float
    later: Callable[[], Exact]

    @cached_property
    def exact(self) -> Fraction | Undefined:
        """The exact value, irrational ones to 50 places."""
        return comparable(self.later())

    @property
    def is_number(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.double)

    def sign(self, other: RunScore) -> int | None:
        """Return 1 if it is above the other, -1 if below, 0 if they are equal; None if one has no value."""
        if not (self.is_number and other.is_number):
            return None
        if abs(self.double - other.double) > _APART:
            return 1 if self.double > other.double else -1
        exact, others = self.exact, other.exact
        if isinstance(exact, Undefined) or isinstance(others, Undefined):
            return None
        return (exact > others) - (exact < others)


@dataclass(frozen=True)
class Scored:
    """All runs under one convention."""

    convention: Convention
    changed: Mapping[str, str]  # axis -> its value, where it differs from the convention asked for
    worths: Mapping[str, RunScore]  # run -> what it is worth

    def sign(self, a: str, b: str) -> int | None:
        """Return 1 if A is above B, -1 if below, 0 if they are equal; None if one has no value."""
        return self.worths[a].sign(self.worths[b])


@dataclass(frozen=True)
class Span:
    """How far the value of a run goes, with the first convention at each end."""

    run: str
    base: RunScore
    lowest: RunScore
    lowest_under: Convention
    highest: RunScore
    highest_under: Convention


@dataclass(frozen=True)
class Moved:
    """The query by which two runs' difference changed most."""

    query: str
    before: tuple[float, float]  # the values of the run above and of the one below, under the convention asked for
    after: tuple[float, float]  # the same where they change places


@dataclass(frozen=True)
class Swap:
    """A pair of runs that change places."""

    above: str  # the run that is above under the convention asked for; `below` the other one
    below: str
    under: tuple[Scored, ...]  # where they change places: the smallest sets of changes, none of which holds another
    moved: Moved | None  # the query that did most of it under the first of these; None if it is none by itself


class Effect(NamedTuple):
    """What a convention does to the order of the runs."""

    swaps: int  # how many pairs change places
    tau: Fraction  # Kendall's tau (a) with the order under the convention asked for
    largest: float  # the largest change of any run's value


@dataclass(frozen=True)
class AxisImpact:
    """What one axis does alone, by its value that swaps most pairs."""

    axis: str
    value: str
    swaps: int  # pairs that change places under some value of it
    tau: Fraction  # the lowest of Kendall's tau (a) with the order under the convention asked for
    largest: float  # the largest change of any run's value


@dataclass(frozen=True)
class Impact:
    """What the conventions do."""

    measure: Measure
    convention: Convention
    runs: tuple[str, ...]
    spans: tuple[Span, ...]
    swaps: tuple[Swap, ...]
    axes: tuple[AxisImpact, ...]  # what each axis does alone, the one that matters most first
    lowest_tau: tuple[Fraction, Convention]  # the lowest of Kendall's tau (a), and the convention under which it is
    tried: int  # how many conventions were evaluated; `complete` if these are all that the runs can show
    complete: bool
    scored: tuple[Scored, ...]  # every convention that was tried, in order
    untried: str = ""  # why conventions with an exponential gain were left out; empty where they were not

    def effect(self, convention: Convention) -> Effect | None:
        """Return what a convention that was tried does; None if it was not, or a run has no value under it."""
        scored = next((each for each in self.scored if each.convention == convention), None)
        return None if scored is None else effect_of(self.scored[0], scored, self.runs)


def impact(  # noqa: PLR0913 - each is a thing of its own
    measure: Measure,
    qrels: Qrels,
    runs: Mapping[str, Run],
    base: Convention,
    *,
    only: Sequence[Convention] | None = None,
    most: int = MOST_CONVENTIONS,
    progress: OnProgress = silent,
) -> Impact:
    """Find out what conventions (`only` these, else at most so many) do to two or more runs, against a `base`."""
    # `ConventionError` where it means nothing for the measure, `InputError` where a run has no value under it.
    require_meaning(measure, base)
    data = {name: Data(qrels, run) for name, run in runs.items()}
    # The axes that some run can show, with all values that one can, that of the base first.
    settings_of: dict[str, dict[Setting, None]] = {}
    for of_run in data.values():
        for axis, settings in observable_settings(measure, of_run).items():
            settings_of.setdefault(axis, {getattr(base, axis): None}).update(dict.fromkeys(settings))
    space = {axis: tuple(settings_of[axis]) for axis in AXES if axis in settings_of}
    values = {name: MeasureValues(measure, each) for name, each in data.items()}
    first = Scored(base, {}, {name: _score(each, base) for name, each in values.items()})
    if undefined := next((name for name, score in first.worths.items() if not score.is_number), None):
        why = f"{undefined} has no value under the convention asked for, so there is nothing to compare"
        raise InputError(why, code="value-undefined")
    listed = list(islice(_tried(measure, base, space) if only is None else iter(only), most + 1))
    complete = len(listed) <= most
    others = (each for each in listed[:most] if each != base and meaningless(measure, each) is None)
    meant = [each for each in others if not is_beyond_limits(measure, each, qrels)]
    scored = [first]
    for number, each in enumerate(meant):
        progress("trying conventions", number, len(meant))
        worths = {name: _score(of_run, each) for name, of_run in values.items()}
        changed = {axis: setting_text(setting) for axis, setting in each.differences(base).items()}
        scored.append(Scored(each, changed, worths))
    names = tuple(runs)
    untried = beyond_exponential_gain(measure, qrels)
    taus = [(tau, each.convention) for each in scored if (tau := kendall(first, each, names)) is not None]
    spans, swaps = tuple(_span(name, scored) for name in names), tuple(_swaps(first, scored, values))
    of_axes, lowest_tau = tuple(_axes(first, scored, names)), min(taus, key=lambda each: each[0])
    complete = complete and not untried
    tried, every = len(scored), tuple(scored)
    return Impact(measure, base, names, spans, swaps, of_axes, lowest_tau, tried, complete, every, untried)


def kendall(a: Scored, b: Scored, runs: Iterable[str]) -> Fraction | None:
    """Return Kendall's tau (a): agreeing less disagreeing pairs over all; None if a run has no value under either."""
    total = agreement = 0
    for one, other in combinations(runs, 2):
        signs = a.sign(one, other), b.sign(one, other)
        if signs[0] is None or signs[1] is None:
            return None
        total += 1
        agreement += signs[0] * signs[1] if signs != (0, 0) else 1
    return Fraction(agreement, total) if total else None


def effect_of(first: Scored, second: Scored, runs: Sequence[str]) -> Effect | None:
    """Return what a convention does, beside the one asked for; None if a run has no value."""
    tau = kendall(first, second, runs)
    if tau is None:
        return None
    largest = max(abs(second.worths[run].double - first.worths[run].double) for run in runs)
    return Effect(len(_swapped(first, second, runs)), tau, largest)


def _swapped(first: Scored, second: Scored, runs: Sequence[str]) -> set[tuple[str, str]]:
    signs = {pair: (first.sign(*pair), second.sign(*pair)) for pair in combinations(runs, 2)}
    return {pair for pair, (old, new) in signs.items() if old and new == -old}


def _tried(measure: Measure, base: Convention, space: Mapping[str, tuple[Setting, ...]]) -> Iterator[Convention]:
    """Yield the combinations that mean something, those with few differences from the base first."""
    for number in range(len(space) + 1):
        for axes in combinations(space, number):
            for settings in product(*(space[axis][1:] for axis in axes)):
                convention = replace(base, **dict(zip(axes, settings, strict=True)))  # type: ignore[arg-type]
                if set(axes) <= set(measure.axes(convention)) and meaningless(measure, convention) is None:
                    yield convention


def _score(values: MeasureValues, convention: Convention) -> RunScore:
    """Return the value of a run, none where the convention demands an error."""
    total = values.under(convention)
    return RunScore(math.nan, lambda: Undefined.ERROR) if total is None else RunScore(total.approximate, total.value)


def _moved_most(above: MeasureValues, below: MeasureValues, new: Convention, old: Convention) -> Moved | None:
    """Return the query by which a run lost most to another one; None where the set is not a mean of queries."""
    if old.aggregate != new.aggregate:
        return None
    before, after = ([each.by_query(convention) for each in (above, below)] for convention in (old, new))
    defined = (q for q in before[0] if not any(math.isnan(each.get(q, math.nan)) for each in (*before, *after)))
    moved = [Moved(q, (before[0][q], before[1][q]), (after[0][q], after[1][q])) for q in defined]
    lost = {each: (each.after[0] - each.after[1]) - (each.before[0] - each.before[1]) for each in moved}
    worst = min(lost, key=lambda each: (lost[each], each.query), default=None)
    return worst if worst is not None and lost[worst] < 0 else None


def _span(name: str, scored: Sequence[Scored]) -> Span:
    low = high = scored[0]
    for each in scored:
        score = each.worths[name]
        if score.is_number:
            low = each if score.sign(low.worths[name]) == -1 else low
            high = each if score.sign(high.worths[name]) == 1 else high
    return Span(name, scored[0].worths[name], low.worths[name], low.convention, high.worths[name], high.convention)


def _swaps(first: Scored, scored: Sequence[Scored], values: Mapping[str, MeasureValues]) -> Iterator[Swap]:
    for one, other in combinations(values, 2):
        sign = first.sign(one, other)
        if not sign:
            continue
        found: list[Scored] = []
        for each in scored:
            changes = set(each.changed.items())
            if each.sign(one, other) == -sign and not any(set(old.changed.items()) <= changes for old in found):
                found.append(each)
        if found:
            above, below = (one, other) if sign > 0 else (other, one)
            moved = _moved_most(values[above], values[below], found[0].convention, first.convention)
            yield Swap(above, below, tuple(found), moved)


def _axes(first: Scored, scored: Sequence[Scored], runs: Sequence[str]) -> list[AxisImpact]:
    """Say what each axis does by itself; the one that swaps most pairs first, then by tau and by the change."""
    found: dict[str, list[AxisImpact]] = {}
    swapped: dict[str, set[tuple[str, str]]] = {}
    for each in (each for each in scored if len(each.changed) == 1):
        if (effect := effect_of(first, each, runs)) is None:
            continue
        ((axis, value),) = each.changed.items()
        swapped.setdefault(axis, set()).update(_swapped(first, each, runs))
        found.setdefault(axis, []).append(AxisImpact(axis, value, *effect))
    worst = [max(listed, key=lambda each: (each.swaps, -each.tau, each.largest)) for listed in found.values()]
    whole = [replace(each, swaps=len(swapped[each.axis])) for each in worst]
    return sorted(whole, key=lambda each: (-each.swaps, each.tau, -each.largest))
