"""A number that is known exactly and used as numbers are: compared, added, rounded, formatted."""

from __future__ import annotations

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from rankspec.oracle.reals.deciding import compare
from rankspec.oracle.values import Exact, Undefined


class ExactNumber(ABC):
    """What is exact stays so beside what is: a fraction or another such number is compared exactly.

    Beside a float it is the nearest double, so that it equals `float(itself)`. What is computed of it is a float, and
    beside a Fraction a Fraction, where the number is rational. What is undefined is NaN.
    """

    __hash__ = None  # type: ignore[assignment] # it equals a fraction and the double nearest to it, which differ

    @property
    @abstractmethod
    def exact_number(self) -> Exact:
        """The number."""

    @abstractmethod
    def __float__(self) -> float: ...

    def __eq__(self, other: object) -> bool:
        return self._compared(other, operator.eq)

    def __ne__(self, other: object) -> bool:
        return self._compared(other, operator.ne)

    def __lt__(self, other: object) -> bool:
        return self._compared(other, operator.lt)

    def __le__(self, other: object) -> bool:
        return self._compared(other, operator.le)

    def __gt__(self, other: object) -> bool:
        return self._compared(other, operator.gt)

    def __ge__(self, other: object) -> bool:
        return self._compared(other, operator.ge)

    def _compared(self, other: object, decide: Callable[[Any, Any], bool]) -> bool:
        beside = _exact(other)
        if beside is not None and not isinstance(self.exact_number, Undefined):
            return decide(compare(self.exact_number, beside), 0)
        return decide(float(self), float(other)) if isinstance(other, Real | ExactNumber) else NotImplemented

    def __add__(self, other: object) -> Any:
        return self._computed(operator.add, other)

    def __radd__(self, other: object) -> Any:
        return self._computed(operator.add, other)

    def __sub__(self, other: object) -> Any:
        return self._computed(operator.sub, other)

    def __rsub__(self, other: object) -> Any:
        return self._computed(lambda own, given: given - own, other)

    def __mul__(self, other: object) -> Any:
        return self._computed(operator.mul, other)

    def __rmul__(self, other: object) -> Any:
        return self._computed(operator.mul, other)

    def __truediv__(self, other: object) -> Any:
        return self._computed(operator.truediv, other)

    def __rtruediv__(self, other: object) -> Any:
        return self._computed(lambda own, given: given / own, other)

    def _computed(self, compute: Callable[[Any, Any], Any], other: object) -> Any:
        own, beside = self.exact_number, _exact(other)
        if isinstance(own, Fraction) and isinstance(beside, Fraction):
            computed = compute(own, beside)
            return computed if isinstance(other, Fraction) else float(computed)
        return compute(float(self), float(other)) if isinstance(other, Real | ExactNumber) else NotImplemented

    def __neg__(self) -> float:
        return -float(self)

    def __abs__(self) -> float:
        return abs(float(self))

    def __bool__(self) -> bool:
        return float(self) != 0

    def __int__(self) -> int:
        return int(self.exact_number if isinstance(self.exact_number, Fraction) else float(self))

    def __round__(self, digits: int | None = None) -> float:
        """Round what is exact, where it is rational: not the double, which may lie on the other side of a tie."""
        own = self.exact_number
        number: Any = own if isinstance(own, Fraction) else float(self)
        return round(number) if digits is None else float(round(number, digits))

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:  # noqa: FBT001 - numpy's signature
        import numpy as np  # noqa: PLC0415 - who asks for an array has loaded it

        return np.asarray(float(self), dtype=dtype)


def _exact(number: object) -> Any:
    """Return a number exactly; None for a float, and for what is none."""
    if isinstance(number, ExactNumber):
        return None if isinstance(number.exact_number, Undefined) else number.exact_number
    if isinstance(number, Rational | Decimal) and math.isfinite(number):
        return Fraction(number)
    return None
