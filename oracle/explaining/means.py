"""What a geometric mean multiplies: each query's value, kept from 0 by the floor."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import GeometricZero
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.reals.deciding import greater
from rankspec.oracle.reals.real import Number, weighted_sum
from rankspec.oracle.values import Exact, Undefined


@clause("map.geometric-zero.*")
def factors_of(values: Sequence[Exact], convention: EffectiveConvention) -> tuple[Number, ...]:
    """Return the factors of the geometric mean; none where a value is not a number."""
    numbers = [value for value in values if not isinstance(value, Undefined)]
    if len(numbers) < len(values):
        return ()
    floor = convention.geometric_floor
    match convention.geometric_zero:
        case GeometricZero.FLOOR:
            return tuple(greater(number, floor) for number in numbers)
        case GeometricZero.ADDED | GeometricZero.ADDED_SUBTRACTED:
            one = Fraction(1)
            return tuple(weighted_sum([(one, number), (one, floor)]) for number in numbers)
        case _:
            assert_never(convention.geometric_zero)


def taken_off(convention: EffectiveConvention) -> Fraction:
    """Return what is taken off the root again."""
    subtracted = convention.geometric_zero is GeometricZero.ADDED_SUBTRACTED
    return convention.geometric_floor if subtracted else Fraction(0)
