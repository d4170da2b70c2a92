"""How far down a list an implementation looks, found by moving one hit down a long list until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.settle.identify.candidate_inputs import name_of_three, probe
from rankspec.conformance.settle.identify.probe import Probe
from rankspec.oracle.conventions.measure import Measure

_NEAR = tuple(range(2, 34))
_FAR = (
    50,
    51,
    52,
    64,
    65,
    66,
    100,
    101,
    102,
    128,
    129,
    130,
    200,
    201,
    202,
    256,
    257,
    258,
    500,
    501,
    502,
    512,
    513,
    514,
)
_FARTHEST = (1000, 1001, 1002)


def reach(measure: Measure, ask: Callable[[Sequence[Probe]], Sequence[Outcome]]) -> int | None:
    """Return the last rank at which a hit changes the value, None if there is none such among those that are tried."""
    for ranks in (_NEAR, (*_FAR, *_FARTHEST)):
        values = [_value(outcome) for outcome in ask([_moved(rank, ranks[-1], measure) for rank in ranks])]
        if None in values or len(values) < len(ranks):
            return None
        if values[-1] == values[-2]:
            return max((rank for rank, value in zip(ranks, values, strict=True) if value != values[-1]), default=1)
    return None


def _moved(rank: int, length: int, measure: Measure) -> Probe:
    """Return a list with two hits: the first document, and the one at a rank."""
    names = [name_of_three(number) for number in range(length)]
    grades = dict.fromkeys(names, 0) | {names[0]: measure.rel, names[rank - 1]: measure.rel}
    listed = [(name, str(length - place)) for place, name in enumerate(names)]
    return probe(f"a hit at rank {rank}", measure, {"q": grades}, {"q": listed})


def _value(outcome: Outcome) -> Fraction | None:
    if isinstance(outcome, PerQuery) and len(outcome.values) == 1:
        outcome = next(iter(outcome.values.values()))
    return outcome.value if isinstance(outcome, Number) and isinstance(outcome.value, Fraction) else None
