"""A number that is known exactly and used as numbers are: compared, added, rounded, formatted."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from rankspec.oracle.reals.deciding import compare
from rankspec.oracle.values import Exact, Undefined


def _comparison(decide: Callable[[Any, Any], bool]) -> Callable[[Any, object], bool]:
    def compared(own: ExactNumber, other: object) -> bool:
        other_exact = _exact(other)
        if other_exact is not None and not isinstance(own.exact_number, Undefined):
            return decide(compare(own.exact_number, other_exact), 0)
        return decide(float(own), float(other)) if isinstance(other, Real | ExactNumber) else NotImplemented

    return compared


def _computation(compute: Callable[[Any, Any], Any]) -> Callable[[Any, object], Any]:
    def computed(own: ExactNumber, other: object) -> Any:
        exact, other_exact = own.exact_number, _exact(other)
        if isinstance(exact, Fraction) and isinstance(other_exact, Fraction):
            result = compute(exact, other_exact)
            return result if isinstance(other, Fraction) else float(result)
        return compute(float(own), float(other)) if isinstance(other, Real | ExactNumber) else NotImplemented

    return computed


class ExactNumber(ABC):
    """What is exact stays so beside what is: a fraction or another such number is compared exactly.

    Beside a float it is the nearest double, so that it equals `float(itself)`. What is computed of it is a float, and
    beside a Fraction a Fraction, where the number is rational. What is undefined is NaN.
    """

    @property
    @abstractmethod
    def exact_number(self) -> Exact:
        """The number."""

    @abstractmethod
    def __float__(self) -> float: ...

    __eq__, __ne__ = _comparison(operator.eq), _comparison(operator.ne)
    __lt__, __le__ = _comparison(operator.lt), _comparison(operator.le)
    __gt__, __ge__ = _comparison(operator.gt), _comparison(operator.ge)
    __hash__ = None  # type: ignore[assignment] # it equals a fraction and the double nearest to it, which differ

    __add__ = __radd__ = _computation(operator.add)
    __mul__ = __rmul__ = _computation(operator.mul)
    __sub__, __rsub__ = _computation(operator.sub), _computation(lambda own, other: other - own)
    __truediv__, __rtruediv__ = _computation(operator.truediv), _computation(lambda own, other: other / own)

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
    if isinstance(number, Rational) or (isinstance(number, Decimal) and number.is_finite()):
        return Fraction(number)
    return None
