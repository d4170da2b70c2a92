"""The quotient of two enclosed numbers, in double-doubles with a proved error.

1. Both lower ends are brought to x = xh + xl, y = yh + yl. From 2^9 on, high has more than 53 bits, and what its double
   leaves off joins low. That is below 2^53 units of 2^-88 up to x = 2^18, so it is exact; above it is off by one unit.
2. q = th + tl with th = xh/yh, tl = ((xh - th*yh) + (xl - th*yl))/yh, th*yh by Dekker's product. xh - th*yh is exact up
   to one rounding, since th*yh is within an ulp of xh; each of the seven roundings, and yl left out of the last
   divisor, loses at most 4u^2 of q, u = 2^-53: together less than 40u^2.
3. The numbers lie in [x, x + a] and [y, y + b], so their quotient lies within q * (1 - b/y) and q * (1 + a/x).
4. The sum that becomes the lower limb is below 2^45 up to q = 2^9, and its first addend 0 beyond: it is off by at most
   2^-8 units of 2^-88. With 2 that is less than 2^-12 units for each of max(q, 2^9): an eighth of a unit up to 2^9.
   Then it is rounded down, so that q is up to one unit higher. What 2, 3 and this say is rounded up.

Of more than two limbs the ends are divided as Python's whole numbers, a query at a time.
"""

from __future__ import annotations

import numpy as np
from rankspec.oracle.scoring.batch.fixed import BITS, LIMB, LIMBS, Doubles, Fixed

# Dekker's constant for 53 bits: the product with it splits a double into two halves of at most 26 bits.
_SPLITTER = 2.0**27 + 1
_OWN_LOSS = 2.0**-12
"""Units of 2^-88 that the quotient is off by, for each of max(q, 2^9): 40u^2 are 2^-12.6 of them."""
_LEAST_LOSS = 2.0**9 * _OWN_LOSS
_ROUNDING = 1 + 2.0**-40
"""The widths are added in doubles; this covers their own few roundings."""


def quotients(above: Fixed, below: Fixed) -> Fixed:
    """Return above / below, both positive."""
    if len(above.limbs) > LIMBS:
        return _wide_quotients(above, below)
    xh, xl = _as_two(above)
    yh, yl = _as_two(below)
    th = xh / yh
    product, rest = _product(th, yh)
    tl = (((xh - product) - rest) + (xl - th * yl)) / yh
    units = th * (2.0**BITS * _ROUNDING)
    loss = np.maximum(th * _OWN_LOSS, _LEAST_LOSS)
    lower = np.ceil(units * (below.width / yh * 2.0**-BITS) + loss).astype(np.int64)
    upper = np.ceil(units * (above.width / xh * 2.0**-BITS) + loss).astype(np.int64) + 1
    high = np.floor(th * 2.0**LIMB)
    low = np.floor((th - high * 2.0**-LIMB) * 2.0**BITS + tl * 2.0**BITS)
    return Fixed.carried((high.astype(np.int64), low.astype(np.int64) - lower), lower + upper)


def _wide_quotients(above: Fixed, below: Fixed) -> Fixed:
    pairs = zip(above.ends(), below.ends(), strict=True)
    ends = [((a << above.bits) // d, -((-b << above.bits) // c)) for (a, b), (c, d) in pairs]
    return Fixed.between(ends, len(above.limbs))


def _as_two(number: Fixed) -> tuple[Doubles, Doubles]:
    """Return two doubles whose sum is the lower end, the first of them its nearest double."""
    upper, lower = number.limbs
    rounded = upper.astype(np.float64)
    left = upper - rounded.astype(np.int64)
    high, low = rounded * 2.0**-LIMB, ((left << LIMB) + lower) * 2.0**-BITS
    first = high + low
    return first, low - (first - high)


def _product(first: Doubles, second: Doubles) -> tuple[Doubles, Doubles]:
    """Return the product of doubles and what its rounding left off, exactly (Dekker 1971)."""
    product = first * second
    a, b = _halves(first), _halves(second)
    return product, ((a[0] * b[0] - product) + a[0] * b[1] + a[1] * b[0]) + a[1] * b[1]


def _halves(number: Doubles) -> tuple[Doubles, Doubles]:
    shifted = _SPLITTER * number
    upper = shifted - (shifted - number)
    return upper, number - upper
