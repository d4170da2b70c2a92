"""The grammar, fourth part: at which places something is added, and how what is added becomes one number.

A line each. Add a line, and it is searched for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rankspec.conformance.infer.formulas.arithmetic import Numbers, is_precise, log2, over, precise, sqrt
from rankspec.conformance.infer.formulas.sight import Sight


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
    Places("at the second hit", lambda x: x.hit & x.there & (_running(x) == 2), is_one=True),  # noqa: PLR2004
    Places("at each hit but the first", lambda x: x.hit & x.there & (_running(x) > 1)),
    Places("at each hit but the last", lambda x: x.hit & x.there & (_running(x) < x.h)),
    Places("at the first and the last hit", lambda x: x.hit & x.there & ((_running(x) == 1) | (_running(x) == x.h))),
    Places("at each rank down to the last hit", lambda x: x.there & (np.cumsum(x.there, axis=1) <= x.end)),
    Places("at each rank down to the first hit", lambda x: x.there & (_running(x) - (x.hit & x.there) == 0), needs_hits=False),
    Places("at each hit that follows a miss", lambda x: x.hit & x.there & ~_shifted(x.hit)),
    Places("at each hit that follows a hit", lambda x: x.hit & x.there & _shifted(x.hit)),
)  # fmt: skip


def _shifted(hits: Numbers) -> Numbers:
    before: Numbers = np.zeros_like(hits)
    before[:, 1:] = hits[:, :-1]
    return before


def _sum(terms: Numbers, where: Numbers) -> Numbers:
    total: Numbers = np.where(where, terms, 0).sum(axis=-1)
    return total


def _count(where: Numbers) -> Numbers:
    counts: Numbers = where.sum(axis=-1)
    return counts


def _highest(terms: Numbers, where: Numbers) -> Numbers:
    highest: Numbers = np.where(where, terms, -np.inf).max(axis=-1)
    return np.where(_count(where) > 0, highest, 0)


def _lowest(terms: Numbers, where: Numbers) -> Numbers:
    return -_highest(-terms, where)


def _at(terms: Numbers, where: Numbers, place: Callable[[Numbers], Numbers]) -> Numbers:
    """Return the term at a place in the order of size."""
    ordered = np.sort(np.where(where, terms, np.inf), axis=-1)
    places = np.broadcast_to(np.maximum(place(_count(where)), 0), ordered.shape[:-1])[..., None]
    return np.where(_count(where) > 0, np.take_along_axis(ordered, places, axis=-1)[..., 0], 0)


def _median(terms: Numbers, where: Numbers) -> Numbers:
    return (_at(terms, where, lambda n: (n - 1) // 2) + _at(terms, where, lambda n: n // 2)) / 2


def _mean(terms: Numbers, where: Numbers) -> Numbers:
    return over(_sum(terms, where), _count(where))


def _trimmed(terms: Numbers, where: Numbers) -> Numbers:
    trimmed = _sum(terms, where) - _highest(terms, where) - _lowest(terms, where)
    return np.where(_count(where) > 2, over(trimmed, _count(where) - 2), _mean(terms, where))  # noqa: PLR2004


def _harmonic(terms: Numbers, where: Numbers) -> Numbers:
    has_nothing = (where & (terms == 0)).any(axis=-1)
    return np.where(has_nothing, 0, over(_count(where), _sum(over(1, terms), where)))


def _product(terms: Numbers, where: Numbers) -> Numbers:
    product: Numbers = np.where(where, terms, 1).prod(axis=-1)
    return np.where(_count(where) > 0, product, 0)


def _geometric(terms: Numbers, where: Numbers) -> Numbers:
    product, count = _product(terms, where), np.maximum(_count(where), 1)
    if is_precise(terms):
        rooted = np.frompyfunc(lambda each, n: precise().root(each, int(n)) if each > 0 else 0, 2, 1)
        return rooted(product, np.broadcast_to(count, product.shape))  # type: ignore[no-any-return]
    return np.asarray(np.maximum(product, 0) ** (1 / count))


def _quadratic(terms: Numbers, where: Numbers) -> Numbers:
    return sqrt(_mean(terms * terms, where))


def _noisy_or(terms: Numbers, where: Numbers) -> Numbers:
    missed: Numbers = np.where(where, 1 - terms, 1).prod(axis=-1)
    return 1 - missed


def _later_count_less(terms: Numbers, where: Numbers) -> Numbers:
    order = np.maximum(np.cumsum(where, axis=-1), 1)
    return over(_sum(over(terms, order), where), _sum(over(1, order), where))


def _log_weighted(terms: Numbers, where: Numbers) -> Numbers:
    order = np.maximum(np.cumsum(where, axis=-1), 1)
    return _sum(over(terms, log2(order + 1.0)), where)


SUM = Combination("the sum", _sum)
COMBINATIONS = (
    SUM,
    Combination("the mean", _mean),
    Combination("the highest", _highest),
    Combination("the lowest", _lowest),
    Combination("the median", _median),
    Combination("the lower median", lambda terms, where: _at(terms, where, lambda n: (n - 1) // 2)),
    Combination("the upper median", lambda terms, where: _at(terms, where, lambda n: n // 2)),
    Combination("the harmonic mean", _harmonic),
    Combination("the geometric mean", _geometric),
    Combination("the quadratic mean", _quadratic),
    Combination("the mean without the highest and the lowest", _trimmed),
    Combination("the sum of squares", lambda terms, where: _sum(terms * terms, where)),
    Combination("the product", _product),
    Combination("1 less the product of 1 less each", _noisy_or),
    Combination("the mean weighted by 1, 1/2, 1/3, ...", _later_count_less),
)
