"""Rank-biased sums of hits far down: scaled by a power of two, so that 88 bits begin where the value does.

1. The weight of rank r is m * 2^-(88 + e) with m of 88 bits, too low by less than 2: each step of the recurrence loses
   less than 2^-126 of it, fewer than 2^19 steps less than 2^-107, and cutting it to 88 bits one unit.
2. A query's weights are taken in units of its first hit's: m >> (e - e1) loses another unit. So a term is too low by
   less than 3, and the sum is enclosed as in `fixed.py`, relative to the first hit's weight.
3. The sum's nearest double times 2^-e1 is the value's nearest double, as long as that is no subnormal number.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from rankspec.oracle.scoring.batch.fixed import BITS, LIMB, LIMBS, Integers, Table
from rankspec.oracle.scoring.batch.lists import Places
from rankspec.oracle.scoring.batch.outcomes import Outcomes

# 40 bits beyond the 88 that are kept: what fewer than 2^19 steps of the recurrence lose stays below them.
_WORKING_BITS = 128
# Units that a term is too low by: two of the weight, and one that the shift drops (see 1 and 2 above).
_TERM_ERROR = 3
_LOWEST_EXPONENT = 980
"""Sums are above 2^-30, so doubles scaled by less than this are normal."""
_LOWEST_SUM = 2.0**-30


def scaled_weights(p: Fraction, last: int) -> tuple[list[int], Integers]:
    """Return (1 - p) * p^(r - 1) for r = 1, ..., last: numbers of 88 bits, and by which power they are scaled."""
    widened = p.denominator.bit_length() - p.numerator.bit_length() + 1
    shift = _WORKING_BITS + (1 - p).denominator.bit_length()
    current, exponent = ((1 - p) * (1 << shift)).__floor__(), shift
    numbers, exponents = [0], [0]
    for _ in range(last):
        cut = current.bit_length() - BITS
        numbers.append(current >> cut)
        exponents.append(exponent - cut - BITS)
        current = (current * p.numerator << widened) // p.denominator
        excess = current.bit_length() - _WORKING_BITS
        current, exponent = current >> excess if excess > 0 else current << -excess, exponent + widened - excess
    return numbers, np.array(exponents, np.int64)


def with_far_ranks(
    outcomes: Outcomes, places: Places, worth: Integers, p: Fraction, divisors: Integers | None = None
) -> Outcomes:
    """Certify sums of weights that were too small for 88 bits after the point.

    Args:
        outcomes: what is known of the sums.
        places: the documents that add to them.
        worth: what each is worth, a whole number.
        p: the persistence.
        divisors: what the sums are divided by.
    """
    if outcomes.certain.all() or len(outcomes.fixed.limbs) > LIMBS:
        return outcomes
    chosen = np.flatnonzero(places.segments.of(~outcomes.certain) & (worth > 0))
    if not chosen.size:
        return outcomes
    segments, ranks = places.segments.kept(chosen), places.ranks[chosen]
    numbers, exponents = scaled_weights(p, int(ranks.max()))
    weights = Table.of_integers(numbers, _TERM_ERROR)
    there = segments.sizes > 0
    first = np.zeros(there.size, np.int64)
    first[there] = exponents[ranks[segments.starts[:-1][there]]]
    behind = exponents[ranks] - segments.of(first)
    high, low = (limb[ranks] for limb in weights.limbs)
    shifted = _shifted(high, low, behind)
    found = shifted.sums(worth[chosen], np.arange(chosen.size), segments)
    doubles, certain = (found if divisors is None else found.over(divisors)).doubles()
    certain &= there & ~outcomes.certain & (first < _LOWEST_EXPONENT) & (doubles > _LOWEST_SUM)
    scaled = np.ldexp(np.where(certain, doubles, 0.0), -np.minimum(first, _LOWEST_EXPONENT))
    return outcomes._replace(doubles=np.where(certain, scaled, outcomes.doubles), certain=outcomes.certain | certain)


def _shifted(high: Integers, low: Integers, by: Integers) -> Table:
    """Return numbers of two limbs, halved so many times and rounded down."""
    near = np.minimum(by, LIMB)
    carried = (high & ((np.int64(1) << near) - 1)) << (LIMB - near)
    far = np.clip(by - LIMB, 0, LIMB)
    return Table((high >> near, ((low >> near) | carried) >> far), _TERM_ERROR)
