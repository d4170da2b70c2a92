"""How the rows of a list end in its value: what their sum is divided by, and what else takes part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from rankspec.oracle.explaining.steps import Beside, Factor, Ideal
from rankspec.oracle.reals.real import Number


@dataclass(frozen=True)
class Closing:
    """What a list's value is made of besides its rows; see `ListDerivation` for the fields.

    Attributes:
        adds: what a row adds, as a short formula.
        rule: the rule that gives 0 instead of a sum over 0.
    """

    divisor: Number = Fraction(1)
    divisor_text: str = ""
    denominator: int | None = None
    denominator_text: str = ""
    adds: str = ""
    beside: Beside | None = None
    ideal: tuple[Ideal, ...] = ()
    factors: tuple[Factor, ...] = ()
    formula: str = ""
    needed: str = ""
    rule: str = ""


def least(names: Iterable[str], numbers: Mapping[str, int]) -> tuple[int, str]:
    """Return the least of some numbers, and how it came about.

    >>> least(["R", "k"], {"R": 5, "k": 3, "n": 9})
    (3, 'min(R, k) = min(5, 3) = 3')
    """
    listed = list(names)
    found = min(numbers[name] for name in listed)
    if len(listed) == 1:
        return found, f"{listed[0]} = {found}"
    return found, f"min({', '.join(listed)}) = min({', '.join(str(numbers[name]) for name in listed)}) = {found}"
