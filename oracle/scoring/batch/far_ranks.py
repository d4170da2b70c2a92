"""Rank-biased sums of hits far down: scaled by a power of two, so that 88 bits begin where the value does.

1. The weight of rank r is m * 2^-(88 + e) with m of 88 bits, too low by less than 1 + 2^-6: a product of 128 bits loses
   less than 2^-127 of itself, the fewer than 2^32 factors of a weight up to rank 2^31 less than 2^-94, and cutting it
   to 88 bits less than one unit.
2. A query's weights are taken in units of its first hit's: m >> (e - e1). Cutting a number twice is cutting it once, so
   that it loses no further unit, and what the factors lost counts less. So a term is too low by less than 2, and the
   sum is enclosed as in `fixed.py`, relative to the first hit's weight.
3. The sum's nearest double times 2^-e1 is the value's nearest double, as long as that is no subnormal number.
4. A document of a block of n behind N others, of whose places m count, has the mean weight p^N (1 - p^m) / n. That is
   w(N+1) (1 - p^m) / ((1 - p) n), w the weight of a rank, and p^m is w(m+1) / (1 - p), both with 128 bits. 1 - p^m is
   at least 1 - p, so that it loses less than 2^-94 of itself as long as p/(1 - p) is at most 2^10: less than a unit
   after all. Weights of blocks fall as those of ranks do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from rankspec.oracle.scoring.batch.blocks import Blocks
from rankspec.oracle.scoring.batch.fixed import BITS, LIMB, LIMBS, Integers, Segments, Table, distinct
from rankspec.oracle.scoring.batch.outcomes import Outcomes

# 40 bits beyond the 88 that are kept: what the factors of a weight lose stays below them.
_WORKING_BITS = 128
# Units that a term is too low by: one in being cut, and less than another of what its factors lost (see 1 and 2 above).
_TERM_ERROR = 2
# What numbers of 128 bits may have lost of themselves: less than 2^-107, and as much again in the steps to it.
_LOST_BITS = 106
_POWER_BITS = 256
"""Bits after the point of 1 - p^m, which is at least 2^-11 where p/(1 - p) is at most 2^10."""
_GREATEST_ODDS = 1 << 10
_LOWEST_EXPONENT = 980
"""Sums are above 2^-30, so doubles scaled by less than this are normal."""
_LOWEST_SUM = 2.0**-30
_NOTHING_EXPONENT = 1096
"""From 2^-1075 down numbers round to 0."""
_GUARD_BITS = 8
"""What the factors of a weight lose of it stays below 2^-5 units with them (see `powers_at`)."""
_CUT_ERROR = 2
"""Units that such a weight is too low by: one in being cut, and less than another of what its factors lost."""


class Scaled(NamedTuple):
    """Weights of documents, or of blocks, m * 2^-(88 + e): the limbs of m, and e, which never falls down a list."""

    limbs: tuple[Integers, ...]
    exponents: Integers

    @classmethod
    def of(cls, numbers: Sequence[tuple[int, int]]) -> Scaled:
        """Return numbers times powers of 2, cut to 88 bits."""
        cuts = [number.bit_length() - BITS for number, _ in numbers]
        cut_off = [number >> cut if cut > 0 else number << -cut for (number, _), cut in zip(numbers, cuts, strict=True)]
        table = Table.of_integers(cut_off, _TERM_ERROR)
        exponents = [exponent - cut - BITS for (_, exponent), cut in zip(numbers, cuts, strict=True)]
        return cls(table.limbs, np.array(exponents, np.int64))


def scaled_weights(p: Fraction, ranks: Sequence[int], bits: int = _WORKING_BITS) -> list[tuple[int, int]]:
    """Return (1 - p) * p^(r - 1) for ascending ranks: numbers of so many bits, and by which power they are scaled."""
    shift = bits + (1 - p).denominator.bit_length()
    scaled, at = [], 1
    current = _cut(((1 - p) * (1 << shift)).__floor__(), shift, bits)
    for rank in ranks:
        if rank > at:
            power, exponent = _power(p, rank - at, bits)
            current = _cut(current[0] * power, current[1] + exponent, bits)
        at = rank
        scaled.append(current)
    return scaled


def _power(p: Fraction, exponent: int, bits: int) -> tuple[int, int]:
    """Return a power of p as a number of so many bits and the power of 2 it is scaled by.

    A product is too low by at most what its factors are, and 2^(1 - bits) of itself, so that a power loses less than
    2^(2 - bits) of itself for each factor.
    """
    if exponent == 1:
        shift = bits + p.denominator.bit_length()
        return _cut((p.numerator << shift) // p.denominator, shift, bits)
    half, scale = _power(p, exponent // 2, bits)
    power = _cut(half * half, 2 * scale, bits)
    if exponent % 2:
        one, scale = _power(p, 1, bits)
        power = _cut(power[0] * one, power[1] + scale, bits)
    return power


def _cut(number: int, exponent: int, bits: int) -> tuple[int, int]:
    """Return a number of so many bits, rounded down."""
    excess = number.bit_length() - bits
    return (number >> excess if excess > 0 else number << -excess), exponent - excess


def weights_of_ranks(p: Fraction, ranks: Integers) -> Scaled:
    """Return the weights of documents at some ranks."""
    each, index = distinct(ranks)
    scaled = Scaled.of(scaled_weights(p, each.tolist()))
    return Scaled(tuple(limb[index] for limb in scaled.limbs), scaled.exponents[index])


def powers_at(p: Fraction, ranks: Integers, limbs: int) -> tuple[Table, Integers]:
    """Return the weights of the ranks that come up after the point, and where in the table each of these ranks stands.

    A weight (1 - p) p^(r - 1) loses less than r 2^(3 - bits) of itself: 2^(2 - bits) for each factor (see `_power`) and
    2^(1 - bits) for each rank on the way. It is at most 1/r, since the weights above it are no lower and all of them
    are 1 together. So it loses less than 2^(3 - bits), however far down.
    """
    each, index = distinct(ranks)
    weights = scaled_weights(p, each.tolist(), limbs * LIMB + _GUARD_BITS)
    return Table.of_integers([number >> shift - limbs * LIMB for number, shift in weights], _CUT_ERROR, limbs), index


def weights_of_blocks(p: Fraction, blocks: Blocks) -> Scaled | None:
    """Return the mean weights of the documents of some blocks; None if p is too close to 1."""
    off = 1 - p
    if p / off > _GREATEST_ODDS:
        return None
    ranks = sorted({*(blocks.tops + 1).tolist(), *(blocks.counted + 1).tolist()})
    weights = dict(zip(ranks, scaled_weights(p, ranks), strict=True))
    numbers = []
    for top, counted, size in zip(blocks.tops.tolist(), blocks.counted.tolist(), blocks.sizes.tolist(), strict=True):
        (weight, exponent), (power, shift) = weights[top + 1], weights[counted + 1]
        # p^m times 2^256 from above: what its weight may lose, and one unit.
        above = ((power + (power >> _LOST_BITS) + 1) * off.denominator << _POWER_BITS) // (off.numerator << shift) + 1
        left = (1 << _POWER_BITS) - above
        numbers.append((weight * left * off.denominator // (off.numerator * size), exponent + _POWER_BITS))
    return Scaled.of(numbers)


def with_far_ranks(
    outcomes: Outcomes,
    segments: Segments,
    worth: Integers,
    weights: Callable[[Integers], Scaled | None],
    divisors: Integers | None = None,
) -> Outcomes:
    """Certify sums of weights that were too small for 88 bits after the point.

    Args:
        outcomes: what is known of the sums.
        segments: which documents or blocks add to which.
        worth: what each is worth, a whole number.
        weights: returns the weights of those at some places.
        divisors: what the sums are divided by.
    """
    if outcomes.certain.all() or len(outcomes.fixed.limbs) > LIMBS:
        return outcomes
    chosen = np.flatnonzero(segments.of(~outcomes.certain) & (worth > 0))
    if not chosen.size or (scaled := weights(chosen)) is None:
        return outcomes
    segments = segments.kept(chosen)
    there = segments.sizes > 0
    first = np.zeros(there.size, np.int64)
    first[there] = scaled.exponents[segments.starts[:-1][there]]
    high, low = scaled.limbs
    shifted = _shifted(high, low, scaled.exponents - segments.of(first))
    found = shifted.sums(worth[chosen], np.arange(chosen.size), segments)
    doubles, certain = (found if divisors is None else found.over(divisors)).doubles()
    certain &= there & ~outcomes.certain & (first < _LOWEST_EXPONENT) & (doubles > _LOWEST_SUM)
    normal = np.ldexp(np.where(certain, doubles, 0.0), -np.minimum(first, _LOWEST_EXPONENT))
    # Sums are below 2^21 in units of the first weight, so that these round to 0.
    is_nothing = there & ~outcomes.certain & (first > _NOTHING_EXPONENT)
    known = certain | is_nothing
    return outcomes._replace(doubles=np.where(known, normal, outcomes.doubles), certain=outcomes.certain | known)


def _shifted(high: Integers, low: Integers, by: Integers) -> Table:
    """Return numbers of two limbs, halved so many times and rounded down."""
    near = np.minimum(by, LIMB)
    carried = (high & ((np.int64(1) << near) - 1)) << (LIMB - near)
    far = np.clip(by - LIMB, 0, LIMB)
    return Table((high >> near, ((low >> near) | carried) >> far), _TERM_ERROR)
