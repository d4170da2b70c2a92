"""How the rows of a list end in its value: what their sum is divided by, and what else takes part."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rankspec.oracle.explaining.steps import Beside, Factor, Ideal
from rankspec.oracle.measures.denominators import Counts, least
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


_SYMBOLS = {
    "relevant": "R",
    "cutoff": "k",
    "length": "n",
    "hits": "hits in the list looked at",
    "hits_in_list": "hits in the list before the cutoff",
}


def least_text(names: tuple[str, ...], counts: Counts) -> tuple[int, str]:
    """Return the least of some counts, and how it came about.

    >>> least_text(("relevant", "cutoff"), Counts(relevant=5, cutoff=3, length=9))
    (3, 'min(R, k) = min(5, 3) = 3')
    """
    found = least(names, counts)
    symbols = ", ".join(_SYMBOLS[name] for name in names)
    if len(names) == 1:
        return found, f"{symbols} = {found}"
    return found, f"min({symbols}) = min({', '.join(str(getattr(counts, name)) for name in names)}) = {found}"
