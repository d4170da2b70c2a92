"""The grammar, third part: what is added at a place, in ranks i, hits c, grades g and the sizes of the query.

A line each: words that are a formula, and the formula. Add a line, and it is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from rankspec.conformance.infer.formulas.arithmetic import Numbers, floor, ln, log2, log10, over, power, sqrt
from rankspec.conformance.infer.formulas.sight import Sight
from rankspec.oracle.conventions.axes import Discount, Gain
from rankspec.oracle.conventions.axis import Setting


@dataclass(frozen=True, eq=False)
class Term:
    """What is added.

    Attributes:
        words: the formula.
        of: its value at each place.
        settings: axis -> setting, where it is a convention's.
        cost: how many things differ in it from what is plain.
        cuts: it speaks of k, and means nothing new where there is none.
        graded: it speaks of grades, which are no more than hits where grades are no gains.
    """

    words: str
    of: Callable[[Sight], Numbers]
    settings: Mapping[str, Setting] = field(default_factory=dict)
    cost: int = 1
    cuts: bool = False
    graded: bool = False


def _best_later(x: Sight) -> Numbers:
    """Return the highest precision at a rank or behind it."""
    precision = np.where(x.there, over(x.c, x.i), 0)
    behind: Numbers = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    return behind


def _best_so_far(x: Sight) -> Numbers:
    best: Numbers = np.maximum.accumulate(np.where(x.there, over(x.c, x.i), 0), axis=1)
    return best


def _at_levels(*levels: float, interpolated: bool) -> Callable[[Sight], Numbers]:
    """Return the mean of the precisions at which recall levels are reached, the same for every place."""

    def mean(x: Sight) -> Numbers:
        precision = _best_later(x) if interpolated else np.where(x.there, over(x.c, x.i), 0)
        total = x.r * 0
        for level in levels:
            reached = x.there & (over(x.c, x.r) >= level - _SLACK)
            first = reached & (np.cumsum(reached, axis=1) == 1)
            total = total + np.where(first, precision, 0).sum(axis=1, keepdims=True)
        return np.broadcast_to(total / len(levels), x.i.shape)

    return mean


_SLACK = 1e-9
_LEVELS = (
    ("3 points of recall, 0.25, 0.5, 0.75", (0.25, 0.5, 0.75)),
    ("3 points of recall, 0.2, 0.5, 0.8", (0.2, 0.5, 0.8)),
    ("5 points of recall, 0, 0.25, ..., 1", (0, 0.25, 0.5, 0.75, 1)),
    ("10 points of recall, 0.1, 0.2, ..., 1", tuple(level / 10 for level in range(1, 11))),
    ("11 points of recall, 0, 0.1, ..., 1", tuple(level / 10 for level in range(11))),
    ("20 points of recall, 0.05, 0.1, ..., 1", tuple(level / 20 for level in range(1, 21))),
    ("21 points of recall, 0, 0.05, ..., 1", tuple(level / 20 for level in range(21))),
)


def _f(beta: float) -> Callable[[Sight], Numbers]:
    weight = beta * beta
    return lambda x: over((1 + weight) * x.c, x.i + weight * x.r)


PRECISION = Term("precision c/i", lambda x: over(x.c, x.i))
ONE = Term("1", lambda x: x.i * 0 + 1)
RECIPROCAL = Term("1/i", lambda x: over(1, x.i))

TERMS = (
    PRECISION,
    ONE,
    RECIPROCAL,
    Term("recall c/R", lambda x: over(x.c, x.r)),
    Term("precision times recall, c/i * c/R", lambda x: over(x.c * x.c, x.i * x.r)),
    Term("F1, 2c/(i + R)", _f(1)),
    Term("F2, 5c/(i + 4R)", _f(2)),
    Term("F0.5, 1.25c/(i + R/4)", _f(0.5)),
    Term("the mean of precision and recall, (c/i + c/R)/2", lambda x: (over(x.c, x.i) + over(x.c, x.r)) / 2),
    Term("the geometric mean of precision and recall, c/sqrt(i * R)", lambda x: over(x.c, sqrt(x.i * x.r))),
    Term("the lesser of precision and recall, c/max(i, R)", lambda x: over(x.c, np.maximum(x.i, x.r))),
    Term("c/min(i, R)", lambda x: over(x.c, np.minimum(x.i, x.r))),
    Term("Jaccard's index c/(i + R - c)", lambda x: over(x.c, x.i + x.r - x.c)),
    Term("(c + 1)/(i + 1)", lambda x: over(x.c + 1, x.i + 1)),
    Term("(c + 0.5)/(i + 1)", lambda x: over(x.c + 0.5, x.i + 1)),
    Term("(c + 1)/(i + 2)", lambda x: over(x.c + 1, x.i + 2)),
    Term("c/(i + 1)", lambda x: over(x.c, x.i + 1)),
    Term("c/(i + 2)", lambda x: over(x.c, x.i + 2)),
    Term("c/(i - 1), c at rank 1", lambda x: over(x.c, np.maximum(x.i - 1, 1))),
    Term("c/(i + 0.5)", lambda x: over(x.c, x.i + 0.5)),
    Term("(c + 1)/i", lambda x: over(x.c + 1, x.i)),
    Term("(c + 0.5)/i", lambda x: over(x.c + 0.5, x.i)),
    Term("(c - 1)/i", lambda x: over(x.c - 1, x.i)),
    Term("(c - 0.5)/i", lambda x: over(x.c - 0.5, x.i)),
    Term("(c - 0.5)/(i - 0.5)", lambda x: over(x.c - 0.5, x.i - 0.5)),
    Term("(c - 1)/(i - 1), the precision above", lambda x: over(x.c - 1, x.i - 1)),
    Term("c/k", lambda x: over(x.c, x.k), cuts=True),
    Term("c/n", lambda x: over(x.c, x.n)),
    Term("c/min(R, k)", lambda x: over(x.c, np.minimum(x.r, x.k)), cuts=True),
    Term("c/H, H the hits", lambda x: over(x.c, x.h)),
    Term("c/min(i, k)", lambda x: over(x.c, np.minimum(x.i, x.k)), cuts=True),
    Term("c, the hits down to it", lambda x: x.c),
    Term("i, the rank", lambda x: x.i),
    Term("i/c, one over precision", lambda x: over(x.i, x.c)),
    Term("the square of precision, (c/i)^2", lambda x: over(x.c, x.i) ** 2),
    Term("the square root of precision, sqrt(c/i)", lambda x: sqrt(over(x.c, x.i))),
    Term("c/sqrt(i)", lambda x: over(x.c, sqrt(x.i))),
    Term("c/i^2", lambda x: over(x.c, x.i * x.i)),
    Term("c^2/i", lambda x: over(x.c * x.c, x.i)),
    Term("c/log2(i + 1)", lambda x: over(x.c, log2(x.i + 1))),
    Term("log2(c + 1)/log2(i + 1)", lambda x: over(log2(x.c + 1), log2(x.i + 1))),
    Term("precision discounted, c/i / log2(i + 1)", lambda x: over(x.c, x.i * log2(x.i + 1))),
    Term("the logarithm of precision, ln(c/i)", lambda x: -ln(over(x.i, x.c))),
    Term("precision rounded down to a whole number", lambda x: floor(over(x.c, x.i))),
    Term("precision rounded down to 1 digit", lambda x: floor(over(10 * x.c, x.i)) / 10),
    Term("precision rounded down to 2 digits", lambda x: floor(over(100 * x.c, x.i)) / 100),
    Term("precision rounded to 1 digit", lambda x: floor(over(10 * x.c, x.i) + 0.5) / 10),
    Term("precision rounded to 2 digits", lambda x: floor(over(100 * x.c, x.i) + 0.5) / 100),
    Term("precision rounded to 3 digits", lambda x: floor(over(1000 * x.c, x.i) + 0.5) / 1000),
    Term("the highest precision at it or behind it", _best_later),
    Term("the highest precision down to it", _best_so_far),
    *(Term(f"the mean interpolated precision at {words}", _at_levels(*levels, interpolated=True)) for words, levels in _LEVELS),
    *(Term(f"the mean precision at {words}", _at_levels(*levels, interpolated=False)) for words, levels in _LEVELS),
    Term("the share of misses, (i - c)/i", lambda x: over(x.i - x.c, x.i)),
    Term("hits over misses, c/(i - c)", lambda x: over(x.c, x.i - x.c)),
    Term("c/(i - c + 1), hits over misses and one", lambda x: over(x.c, x.i - x.c + 1)),
    Term("1/(i - c + 1)", lambda x: over(1, x.i - x.c + 1)),
    Term("1 - (i - c)/R", lambda x: 1 - over(x.i - x.c, x.r)),
    Term("1 - min(i - c, R)/R", lambda x: 1 - over(np.minimum(x.i - x.c, x.r), x.r)),
    Term("1 - (i - c)/(n - H), the misses below", lambda x: 1 - over(x.i - x.c, x.n - x.h)),
    Term("1 - (i - c)/n", lambda x: 1 - over(x.i - x.c, x.n)),
    Term("(n - i + 1)/n", lambda x: over(x.n - x.i + 1, x.n)),
    Term("(k - i + 1)/k", lambda x: over(x.k - x.i + 1, x.k), cuts=True),
    Term("1 - i/n", lambda x: 1 - over(x.i, x.n)),
    Term("1 - i/k", lambda x: 1 - over(x.i, x.k), cuts=True),
    Term("the grade over the highest one", lambda x: over(x.g, x.best), graded=True),
    Term("the grade", lambda x: x.g, graded=True),
    Term("the mean grade down to it", lambda x: over(x.s, x.i), graded=True),
    Term("the grade times precision, g * c/i", lambda x: over(x.g * x.c, x.i), graded=True),
    Term("the grades down to it", lambda x: x.s, graded=True),
)  # fmt: skip
"""At hits, or anywhere."""


@dataclass(frozen=True, eq=False)
class Half:
    """A gain, or a discount: half a term."""

    words: str
    of: Callable[[Sight], Numbers]
    settings: Mapping[str, Setting] = field(default_factory=dict)


PLAIN_GAIN = Half("g", lambda x: x.g)
GAINS = (
    PLAIN_GAIN,
    Half("(2^g - 1)", lambda x: power(2, x.g) - 1, {"gain": Gain.EXPONENTIAL}),
    Half("[g > 0]", lambda x: np.where(x.g > 0, 1, x.g * 0), {"gain": Gain.BINARY}),
    Half("2^g", lambda x: power(2, x.g)),
    Half("2^(g - 1)", lambda x: np.where(x.g > 0, power(2, x.g - 1), 0)),
    Half("(3^g - 1)", lambda x: power(3, x.g) - 1),
    Half("(e^g - 1)", lambda x: power(2.718281828459045, x.g) - 1),
    Half("(10^g - 1)", lambda x: power(10, x.g) - 1),
    Half("g^2", lambda x: x.g * x.g),
    Half("g^3", lambda x: x.g * x.g * x.g),
    Half("g(g + 1)/2", lambda x: x.g * (x.g + 1) / 2),
    Half("sqrt(g)", lambda x: sqrt(x.g)),
    Half("log2(1 + g)", lambda x: log2(1 + x.g)),
    Half("ln(1 + g)", lambda x: ln(1 + x.g)),
    Half("(g + 1)", lambda x: x.g + 1),
    Half("max(g - 1, 0)", lambda x: np.maximum(x.g - 1, x.g * 0)),
    Half("min(g, 1)", lambda x: np.minimum(x.g, x.g * 0 + 1)),
    Half("min(g, 2)", lambda x: np.minimum(x.g, x.g * 0 + 2)),
    Half("min(g, 3)", lambda x: np.minimum(x.g, x.g * 0 + 3)),
    Half("(2^min(g, 3) - 1)", lambda x: power(2, np.minimum(x.g, x.g * 0 + 3)) - 1),
    Half("g/max g", lambda x: over(x.g, x.best)),
    Half("(2^g - 1)/2^max g", lambda x: over(power(2, x.g) - 1, power(2, x.best))),
    Half("[g = max g]", lambda x: np.where((x.g == x.best) & (x.g > 0), 1, x.g * 0)),
    Half("[g > 1]", lambda x: np.where(x.g > 1, 1, x.g * 0)),
    Half("the grades down to it", lambda x: x.s),
)

PLAIN_DISCOUNT = Half("log2(i + 1)", lambda x: log2(x.i + 1))
DISCOUNTS = (
    PLAIN_DISCOUNT,
    Half("log2(i), 1 at rank 1", lambda x: log2(np.maximum(x.i, 2)), {"discount": Discount.LOG2_RANK}),
    Half("log2(i + 2)", lambda x: log2(x.i + 2)),
    Half("(1 + log2(i))", lambda x: 1 + log2(x.i)),
    Half("max(1, log2(i + 1) - 1)", lambda x: np.maximum(log2(x.i + 1) - 1, 1)),
    Half("ln(i + 1)", lambda x: ln(x.i + 1)),
    Half("(1 + ln(i))", lambda x: 1 + ln(x.i)),
    Half("ln(i), 1 at rank 1", lambda x: np.where(x.i > 1, ln(np.maximum(x.i, 2)), x.i * 0 + 1)),
    Half("ln(i + 2)", lambda x: ln(x.i + 2)),
    Half("log10(i + 1)", lambda x: log10(x.i + 1)),
    Half("(1 + log10(i))", lambda x: 1 + log10(x.i)),
    Half("log10(i + 9)", lambda x: log10(x.i + 9)),
    Half("max(1, log10(i))", lambda x: np.maximum(log10(x.i), 1)),
    Half("log3(i + 2)", lambda x: ln(x.i + 2) / ln(x.i * 0 + 3)),
    Half("i", lambda x: x.i),
    Half("(i + 1)", lambda x: x.i + 1),
    Half("sqrt(i)", lambda x: sqrt(x.i)),
    Half("sqrt(i + 1)", lambda x: sqrt(x.i + 1)),
    Half("i^2", lambda x: x.i * x.i),
    Half("1", lambda x: x.i * 0 + 1),
    Half("2^(i - 1)", lambda x: power(2, x.i - 1)),
    Half("2^i", lambda x: power(2, x.i)),
    Half("log2(i + 1)^2", lambda x: log2(x.i + 1) ** 2),
    Half("log2(c + 1), of the hits", lambda x: log2(x.c + 1)),
    Half("(i * log2(i + 1))", lambda x: x.i * log2(x.i + 1)),
)

PERSISTENCES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99)


def discounted(gain: Half, discount: Half) -> Term:
    """Return a gain over a discount."""
    cost = (gain is not PLAIN_GAIN and not gain.settings) + (discount is not PLAIN_DISCOUNT and not discount.settings)
    words = gain.words if discount.words == "1" else f"{gain.words} / {discount.words}"
    settings = {**gain.settings, **discount.settings}
    return Term(words, lambda x: over(gain.of(x), discount.of(x)), settings, cost)


def discounted_terms() -> tuple[Term, ...]:
    """Return every gain over every discount, the plain ones first."""
    return tuple(discounted(gain, discount) for gain in GAINS for discount in DISCOUNTS)


def weights() -> tuple[Term, ...]:
    """Return what falls with the rank alone."""
    plain = tuple(Term(f"1/{each.words}", lambda x, of=each.of: over(1, of(x))) for each in DISCOUNTS[:-1])  # type: ignore[misc]
    falling = tuple(
        Term(f"{share}^{shown}", lambda x, p=share, less=less: power(p, x.i - less))  # type: ignore[misc]
        for share in PERSISTENCES
        for shown, less in (("(i - 1)", 1), ("i", 0))
    )
    reader = Term("1/(60 + i)", lambda x: over(1, 60 + x.i))
    return (*(each for each in plain if each.words not in {"1/1", "1/i"}), *falling, reader)
