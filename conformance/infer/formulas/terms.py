"""The grammar, third part: what is added at a place, in ranks i, hits c, grades g and the sizes of the query.

A line each: words that are a formula, and the formula. Add a line, and it is searched for.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rankspec.conformance.infer.formulas.arithmetic import Numbers, ln, log2, log10, over, sqrt
from rankspec.conformance.infer.formulas.sight import Quantity, Sight
from rankspec.oracle.conventions.axes import Discount, Gain


def _best_later(x: Sight) -> Numbers:
    """Return the highest precision at a rank or behind it."""
    precision = np.where(x.there, over(x.c, x.i), 0)
    behind: Numbers = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    return behind


def _best_so_far(x: Sight) -> Numbers:
    best: Numbers = np.maximum.accumulate(np.where(x.there, over(x.c, x.i), 0), axis=1)
    return best


def _f(beta: float) -> Callable[[Sight], Numbers]:
    weight = beta * beta
    return lambda x: over((1 + weight) * x.c, x.i + weight * x.r)


PRECISION = Quantity("c/i (precision)", lambda x: over(x.c, x.i))
ONE = Quantity("1", lambda x: x.i * 0 + 1)
RECIPROCAL = Quantity("1/i", lambda x: over(1, x.i))

TERMS = (
    PRECISION,
    ONE,
    RECIPROCAL,
    Quantity("c/i * c/R (precision times recall)", lambda x: over(x.c * x.c, x.i * x.r)),
    Quantity("2c/(i + R) (F1 at rank i)", _f(1)),
    Quantity("5c/(i + 4R) (F2 at rank i)", _f(2)),
    Quantity("1.25c/(i + R/4) (F0.5 at rank i)", _f(0.5)),
    Quantity("(c/i + c/R)/2 (the mean of precision and recall)", lambda x: (over(x.c, x.i) + over(x.c, x.r)) / 2),
    Quantity("c/sqrt(i * R) (the geometric mean of precision and recall)", lambda x: over(x.c, sqrt(x.i * x.r))),
    Quantity("c/max(i, R) (the smaller of precision and recall)", lambda x: over(x.c, np.maximum(x.i, x.r))),
    Quantity("c/(i + R - c) (Jaccard's index)", lambda x: over(x.c, x.i + x.r - x.c)),
    Quantity("(c + 1)/(i + 1)", lambda x: over(x.c + 1, x.i + 1)),
    Quantity("(c + 0.5)/(i + 1)", lambda x: over(x.c + 0.5, x.i + 1)),
    Quantity("(c + 1)/(i + 2)", lambda x: over(x.c + 1, x.i + 2)),
    Quantity("c/(i - 1) (c at rank 1)", lambda x: over(x.c, np.maximum(x.i - 1, 1))),
    Quantity("(c - 1)/(i - 1) (the precision above)", lambda x: over(x.c - 1, x.i - 1)),
    Quantity("(c/i)^2 (the square of precision)", lambda x: over(x.c, x.i) ** 2),
    Quantity("sqrt(c/i) (the square root of precision)", lambda x: sqrt(over(x.c, x.i))),
    Quantity("c^2/i", lambda x: over(x.c * x.c, x.i)),
    Quantity("c/i / log2(i + 1) (precision, discounted)", lambda x: over(x.c, x.i * log2(x.i + 1))),
    Quantity("precision rounded down to 1 digit", lambda x: np.floor(over(10 * x.c, x.i)) / 10),
    Quantity("precision rounded down to 2 digits", lambda x: np.floor(over(100 * x.c, x.i)) / 100),
    Quantity("precision rounded to 1 digit", lambda x: np.floor(over(10 * x.c, x.i) + 0.5) / 10),
    Quantity("precision rounded to 2 digits", lambda x: np.floor(over(100 * x.c, x.i) + 0.5) / 100),
    Quantity("precision rounded to 3 digits", lambda x: np.floor(over(1000 * x.c, x.i) + 0.5) / 1000),
    Quantity("the highest precision at this rank or a later one", _best_later),
    Quantity("the highest precision so far", _best_so_far),
    Quantity("(i - c)/i (the share of misses)", lambda x: over(x.i - x.c, x.i)),
    Quantity("c/(i - c + 1) (hits over misses + 1)", lambda x: over(x.c, x.i - x.c + 1)),
    Quantity("the grade divided by the highest grade", lambda x: over(x.g, x.best), graded=True),
    Quantity("the grade", lambda x: x.g, graded=True),
    Quantity("the mean grade so far", lambda x: over(x.s, x.i), graded=True),
    Quantity("g * c/i (the grade times precision)", lambda x: over(x.g * x.c, x.i), graded=True),
)  # fmt: skip
"""At hits, or anywhere."""


PLAIN_GAIN = Quantity("g", lambda x: x.g)
GAINS = (
    PLAIN_GAIN,
    Quantity("(2^g - 1)", lambda x: 2**x.g - 1, {"gain": Gain.EXPONENTIAL}),
    Quantity("[g > 0]", lambda x: np.where(x.g > 0, 1, x.g * 0), {"gain": Gain.BINARY}),
    Quantity("(3^g - 1)", lambda x: 3**x.g - 1),
    Quantity("(e^g - 1)", lambda x: np.exp(x.g) - 1),
    Quantity("g^2", lambda x: x.g * x.g),
    Quantity("sqrt(g)", lambda x: sqrt(x.g)),
    Quantity("log2(1 + g)", lambda x: log2(1 + x.g)),
    Quantity("(g + 1)", lambda x: x.g + 1),
    Quantity("g/max g", lambda x: over(x.g, x.best)),
    Quantity("(2^g - 1)/2^max g", lambda x: over(2**x.g - 1, 2**x.best)),
)

PLAIN_DISCOUNT = Quantity("log2(i + 1)", lambda x: log2(x.i + 1))
DISCOUNTS = (
    PLAIN_DISCOUNT,
    Quantity("log2(i) (1 at rank 1)", lambda x: log2(np.maximum(x.i, 2)), {"discount": Discount.LOG2_RANK}),
    Quantity("log2(i + 2)", lambda x: log2(x.i + 2)),
    Quantity("(1 + log2(i))", lambda x: 1 + log2(x.i)),
    Quantity("ln(i + 1)", lambda x: ln(x.i + 1)),
    Quantity("ln(i) (1 at rank 1)", lambda x: np.where(x.i > 1, ln(np.maximum(x.i, 2)), x.i * 0 + 1)),
    Quantity("log10(i + 1)", lambda x: log10(x.i + 1)),
    Quantity("i", lambda x: x.i),
    Quantity("(i + 1)", lambda x: x.i + 1),
    Quantity("sqrt(i)", lambda x: sqrt(x.i)),
    Quantity("1", lambda x: x.i * 0 + 1),
)


def discounted(gain: Quantity, discount: Quantity) -> Quantity:
    """Return a gain over a discount."""
    cost = (gain is not PLAIN_GAIN and not gain.settings) + (discount is not PLAIN_DISCOUNT and not discount.settings)
    words = gain.words if discount.words == "1" else f"{gain.words} / {discount.words}"
    settings = {**gain.settings, **discount.settings}
    return Quantity(words, lambda x: over(gain.of(x), discount.of(x)), settings, cost)


def discounted_terms() -> tuple[Quantity, ...]:
    """Return every gain over every discount, the plain ones first."""
    return tuple(discounted(gain, discount) for gain in GAINS for discount in DISCOUNTS)


def weights() -> tuple[Quantity, ...]:
    """Return what falls with the rank alone."""
    terms = [Quantity(f"1/{each.words}", lambda x, of=each.of: over(1, of(x))) for each in DISCOUNTS]  # type: ignore[misc]
    return tuple(each for each in terms if each.words not in {"1/1", "1/i"})
