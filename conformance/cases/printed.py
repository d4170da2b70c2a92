"""A number as it was printed: its digits say how exact it claims to be."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from rankspec.conformance.cases.exact import as_fraction
from rankspec.oracle.data.scores import as_float64
from rankspec.oracle.errors import InputError
from rankspec.oracle.values import AnyValue, Undefined

_DECIMAL = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", re.ASCII)
_MOST_CHARACTERS = 1_500
"""A double written out in full has no more."""
_FRACTION = re.compile(r"[-+]?\d+/0*[1-9]\d*", re.ASCII)


class Agreement(Enum):
    """How a printed number comes of an exact one."""

    ROUNDED = "rounded"
    """To the nearest, a half in either direction."""

    TRUNCATED = "truncated"
    """The further digits are cut off."""

    def __str__(self) -> str:
        """Return the word."""
        return str(self.value)


@dataclass(frozen=True)
class Printed:
    """A printed number.

    Attributes:
        text: as it was printed.
        number: the number, `Undefined.NAN` for nan.
        unit: a unit of the last digit, 0 for a fraction, which is exact.
    """

    text: str
    number: Fraction | Undefined
    unit: Fraction

    def agreement(self, exact: AnyValue) -> Agreement | None:
        """Say how this number comes of an exact value; None if it does not."""
        if isinstance(exact, Undefined) or isinstance(self.number, Undefined):
            return Agreement.ROUNDED if exact is self.number else None
        return self.agreement_of(as_fraction(exact))

    def agreement_of(self, exact: Fraction) -> Agreement | None:
        """Say the same of a fraction."""
        if isinstance(self.number, Undefined):
            return None
        beyond = exact - self.number
        if abs(beyond) * 2 <= self.unit:
            return Agreement.ROUNDED
        outwards = -beyond if self.text.startswith("-") else beyond
        return Agreement.TRUNCATED if 0 <= outwards < self.unit else None

    def distance(self, exact: AnyValue) -> Fraction | None:
        """Return how far an exact value lies from this number, None if one of them is no number."""
        if isinstance(exact, Undefined) or isinstance(self.number, Undefined):
            return None
        return abs(as_fraction(exact) - self.number)


def parse_printed(text: str) -> Printed:
    """Read a number as printed: a decimal, a fraction such as 4/6, or nan.

    Raises:
        InputError: it is none.
    """
    stripped = text.strip()
    if len(stripped) > _MOST_CHARACTERS:
        raise InputError(f"a number of {len(stripped)} characters; no program prints more than {_MOST_CHARACTERS}")
    if stripped.lower() == "nan":
        return Printed(stripped, Undefined.NAN, Fraction(0))
    if _FRACTION.fullmatch(stripped):
        return Printed(stripped, Fraction(stripped), Fraction(0))
    if not _DECIMAL.fullmatch(stripped):
        raise InputError(f"{text!r} is no printed number; give it with the digits it has, 0.6533 or 37/48 for instance")
    if math.isinf(as_float64(Fraction(stripped))):
        raise InputError(f"{stripped} lies beyond every double; no program prints it")
    exponent = Decimal(stripped).as_tuple().exponent
    return Printed(stripped, Fraction(stripped), Fraction(10) ** int(exponent))
