"""Sums of the means of 1/(a + s), s the number of marked documents among p drawn without replacement, in n log n steps.

Of m documents j are marked. With G(p) the mean of 1/(a + s), A(p) = C(m, p) G(p) is the sum over s of
C(j, s) C(m - j, p - s) / (s + a). Its generating function is (1 + x)^(m - j) B(x), where B(x) is the sum of
C(j, s) x^s / (s + a), and x B' + a B = (1 + x)^j. So (1 + x)(x A' + a A) - (m - j) x A = (1 + x)^(m + 1), which says
of the coefficients

    (p + a) A(p) = C(m + 1, p) - (p - 1 + a - (m - j)) A(p - 1),
    (p + a) (m + 1 - p) G(p) = (m + 1) - (p - 1 + a - (m - j)) p G(p - 1),    G(0) = 1/a.

A step is (G, S) -> ((t G + u) / q, S + weight * G), S the sum so far. Such steps are composed in pairs, pairs of pairs
and so on (binary splitting): the numbers that meet are of equal length, so that long ones meet few times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm


@dataclass(frozen=True)
class _Steps:
    """Consecutive steps: G becomes (t G + u) / q, and S grows by (x G + y) / (q d), of the G before them."""

    t: int
    u: int
    q: int
    x: int
    y: int
    d: int

    def then(self, other: _Steps) -> _Steps:
        """Return these steps followed by others."""
        d = lcm(self.d, other.d)
        mine, others = d // self.d * other.q, d // other.d
        return _Steps(
            other.t * self.t,
            other.t * self.u + other.u * self.q,
            self.q * other.q,
            self.x * mine + other.x * self.t * others,
            self.y * mine + (other.x * self.u + other.y * self.q) * others,
            d,
        )


def sum_of_inverse_means(weights: Sequence[Fraction], marked: int, drawn_from: int, offset: Fraction) -> Fraction:
    """Return the sum of weights[p] times the mean of 1/(offset + s), for p = 0, 1, ... documents drawn.

    Args:
        weights: at most drawn_from + 1 of them.
        marked: j, the marked documents.
        drawn_from: m, all documents.
        offset: a, above 0.
    """
    if not weights:
        return Fraction(0)
    a, scale = offset.numerator, offset.denominator
    unmarked = drawn_from - marked
    steps = []
    for p, weight in enumerate(weights[1:], start=1):
        t = -((p - 1 - unmarked) * scale + a) * p
        u, q = (drawn_from + 1) * scale, (drawn_from + 1 - p) * (p * scale + a)
        steps.append(_Steps(t, u, q, weight.numerator * t, weight.numerator * u, weight.denominator))
    while len(steps) > 1:
        steps = [
            steps[place].then(steps[place + 1]) if place + 1 < len(steps) else steps[place]
            for place in range(0, len(steps), 2)
        ]
    first = weights[0] / offset
    if not steps:
        return first
    whole = steps[0]
    return first + Fraction(whole.x * scale + whole.y * a, whole.q * whole.d * a)
