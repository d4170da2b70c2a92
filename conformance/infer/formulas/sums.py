"""The grammar of sums: at which places something is added, how it becomes one number, and what that is divided by.

A line each. Add a line, and it is searched for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rankspec.conformance.infer.formulas.arithmetic import Numbers, over
from rankspec.conformance.infer.formulas.sight import Quantity, Sight
from rankspec.oracle.conventions.axes import Denominator, PrecisionDenominator, RecallDenominator


@dataclass(frozen=True, eq=False)
class Places:
    """At which places something is added.

    Attributes:
        words: `adds 1/i` goes on with them.
        of: where.
        is_one: it is one place at most, so that there is nothing to put together.
        needs_hits: there are none without a hit.
    """

    words: str
    of: Callable[[Sight], Numbers]
    is_one: bool = False
    needs_hits: bool = True


@dataclass(frozen=True, eq=False)
class Combination:
    """How terms are put together.

    Attributes:
        words: `takes ... of` is said with them.
        of: the number, of terms in the last axis, and of where they are; 0 where there are none.
    """

    words: str
    of: Callable[[Numbers, Numbers], Numbers]


def _running(x: Sight) -> Numbers:
    return np.cumsum(x.hit & x.there, axis=1)


HITS = Places("at each hit", lambda x: x.hit & x.there)
FIRST_HIT = Places("at the first hit", lambda x: x.hit & x.there & (_running(x) == 1), is_one=True)
PLACES = (
    HITS,
    Places("at each rank", lambda x: x.there, needs_hits=False),
    Places("at each miss", lambda x: ~x.hit & x.there, needs_hits=False),
    FIRST_HIT,
    Places("at the last hit", lambda x: x.hit & x.there & (_running(x) == x.h), is_one=True),
    Places("at the last document", lambda x: x.there & (np.cumsum(x.there, axis=1) == x.m), is_one=True, needs_hits=False),
    Places("at the first document", lambda x: x.there & (np.cumsum(x.there, axis=1) == 1), is_one=True, needs_hits=False),
    Places("at each hit but the first", lambda x: x.hit & x.there & (_running(x) > 1)),
)  # fmt: skip


def _sum(terms: Numbers, where: Numbers) -> Numbers:
    total: Numbers = np.where(where, terms, 0).sum(axis=-1)
    return total


def _count(where: Numbers) -> Numbers:
    counts: Numbers = where.sum(axis=-1)
    return counts


def _highest(terms: Numbers, where: Numbers) -> Numbers:
    highest: Numbers = np.where(where, terms, -np.inf).max(axis=-1)
    return np.where(_count(where) > 0, highest, 0)


def _at(terms: Numbers, where: Numbers, place: Callable[[Numbers], Numbers]) -> Numbers:
    """Return the term at a place in the order of size."""
    ordered = np.sort(np.where(where, terms, np.inf), axis=-1)
    places = np.broadcast_to(np.maximum(place(_count(where)), 0), ordered.shape[:-1])[..., None]
    return np.where(_count(where) > 0, np.take_along_axis(ordered, places, axis=-1)[..., 0], 0)


def _median(terms: Numbers, where: Numbers) -> Numbers:
    return (_at(terms, where, lambda n: (n - 1) // 2) + _at(terms, where, lambda n: n // 2)) / 2


def _mean(terms: Numbers, where: Numbers) -> Numbers:
    return over(_sum(terms, where), _count(where))


def _harmonic(terms: Numbers, where: Numbers) -> Numbers:
    has_nothing = (where & (terms == 0)).any(axis=-1)
    return np.where(has_nothing, 0, over(_count(where), _sum(over(1, terms), where)))


def _product(terms: Numbers, where: Numbers) -> Numbers:
    product: Numbers = np.where(where, terms, 1).prod(axis=-1)
    return np.where(_count(where) > 0, product, 0)


def _geometric(terms: Numbers, where: Numbers) -> Numbers:
    # Of logarithms: the product of a thousand terms may be less than any double.
    some = (_count(where) > 0) & ~(where & (terms <= 0)).any(axis=-1)
    return np.where(some, np.exp(_mean(np.log(np.where(terms > 0, terms, 1)), where)), 0)


SUM = Combination("the sum", _sum)
COMBINATIONS = (
    SUM,
    Combination("the mean", _mean),
    Combination("the highest", _highest),
    Combination("the lowest", lambda terms, where: -_highest(-terms, where)),
    Combination("the median", _median),
    Combination("the harmonic mean", _harmonic),
    Combination("the geometric mean", _geometric),
    Combination("the product", _product),
)


R = Quantity(
    "R", lambda x: x.r, {"denominator": Denominator.RELEVANT, "recall_denominator": RecallDenominator.RELEVANT}
)
K = Quantity("k", lambda x: x.k, {"denominator": Denominator.CUTOFF, "precision_denominator": PrecisionDenominator.CUTOFF}, cuts=True)  # fmt: skip
NOTHING_DIVIDES = Quantity("1", lambda x: x.r * 0 + 1)
R_AND_K = Quantity("R + k", lambda x: x.r + x.k)
M = Quantity("m (the evaluated documents)", lambda x: x.m, {"denominator": Denominator.LENGTH, "precision_denominator": PrecisionDenominator.MIN_CUTOFF_LENGTH})  # fmt: skip


DIVISORS = (
    R,
    K,
    NOTHING_DIVIDES,
    M,
    Quantity("min(R, k)", lambda x: np.minimum(x.r, x.k), {"denominator": Denominator.MIN_RELEVANT_CUTOFF, "recall_denominator": RecallDenominator.MIN_RELEVANT_CUTOFF, "precision_denominator": PrecisionDenominator.MIN_RELEVANT_CUTOFF}, cuts=True),
    Quantity("min(R, k, m)", lambda x: np.minimum(np.minimum(x.r, x.k), x.m), {"denominator": Denominator.MIN_RELEVANT_CUTOFF_LENGTH}, cuts=True),
    Quantity("min(R, m)", lambda x: np.minimum(x.r, x.m), {"denominator": Denominator.MIN_RELEVANT_LENGTH}),
    Quantity("min(k, m)", lambda x: np.minimum(x.k, x.m), {"denominator": Denominator.MIN_CUTOFF_LENGTH}, cuts=True),
    Quantity("H (the hits)", lambda x: x.h, {"denominator": Denominator.RETRIEVED_RELEVANT}),
    Quantity("the hits of the list before the cutoff", lambda x: x.a, {"denominator": Denominator.RELEVANT_IN_LIST}, cuts=True),
    R_AND_K,
    Quantity("R + m", lambda x: x.r + x.m),
    Quantity("R + n", lambda x: x.r + x.n, cuts=True),
    Quantity("R + m - H (all documents together)", lambda x: x.r + x.m - x.h),
    Quantity("max(R, n)", lambda x: np.maximum(x.r, x.n)),
    Quantity("the number of misses", lambda x: x.m - x.h),
    Quantity("the rank of the last hit", lambda x: x.end),
    Quantity("k if the list has k documents, else R", lambda x: np.where(x.n >= x.k, x.k, x.r), cuts=True),
    Quantity("R if the list is longer than k, else k", lambda x: np.where(x.n > x.k, x.r, x.k), cuts=True),
    Quantity("R (1 if there is only one hit)", lambda x: np.where(x.h == 1, x.r * 0 + 1, x.r)),
    Quantity("R * R", lambda x: x.r * x.r),
    Quantity("H(H + 1)/2", lambda x: x.h * (x.h + 1) / 2),
    Quantity("the highest grade", lambda x: x.best),
    Quantity("the sum of the judged grades", lambda x: x.t),
)  # fmt: skip

ONCE = Quantity("1", lambda x: x.r * 0 + 1)
TWICE = Quantity("2", lambda x: x.r * 0 + 2)
FACTORS = (
    ONCE,
    TWICE,
    Quantity("1/2", lambda x: x.r * 0 + 0.5),
    Quantity("100", lambda x: x.r * 0 + 100),
    Quantity("recall H/R", lambda x: over(x.h, x.r)),
    Quantity("H (the hits)", lambda x: x.h),
    Quantity("precision H/m", lambda x: over(x.h, x.m)),
    Quantity("min(1, n/k) (less than 1 for a short list)", lambda x: np.minimum(over(x.n, x.k), x.k * 0 + 1), cuts=True),
    Quantity("m (the evaluated documents)", lambda x: x.m),
)  # fmt: skip

WITHOUT_HITS = (
    Quantity("1/(m + 1)", lambda x: over(1, x.m + 1)),
    Quantity("1/(k + 1)", lambda x: over(1, x.k + 1), cuts=True),
    Quantity("1/(n + 1)", lambda x: over(1, x.n + 1), cuts=True),
    Quantity("1/m", lambda x: over(1, x.m)),
    Quantity("1/R", lambda x: over(1, x.r)),
    Quantity("-1", lambda x: x.r * 0 - 1),
)
"""What a list without a hit may be worth where no rule for it holds."""
