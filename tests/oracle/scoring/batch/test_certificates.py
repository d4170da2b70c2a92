"""The proofs of `batch`, against the worst operands that they allow: each constant of them is tight.

An operation on enclosed numbers gives the least enclosure of what its operands enclose, so that a unit less fails here,
and so does a unit more. What is off by less than a unit is held to operands whose exact results lie beside whole ones.
"""

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from campaign import seeded
from hypothesis import given, settings
from hypothesis import strategies as st
from rankspec.oracle.scoring.batch.evaluated import Outcomes
from rankspec.oracle.scoring.batch.fixed import BITS, LARGEST, LIMB, Fixed, Segments, quotients
from rankspec.oracle.scoring.batch.kernels.graded import powers_at
from scoring_kit import entry, fixed_of, integers

ONE = 1 << BITS
DIVISORS = st.sampled_from([1, 2, 3, 7, 1 << 18, LARGEST - 1, LARGEST]) | st.integers(1, LARGEST)
EDGES = st.sampled_from([0, 1, 2, (1 << LIMB - 1) - 1, 1 << LIMB - 1, (1 << LIMB) - 2, (1 << LIMB) - 1])
LOWER_LIMBS = EDGES | st.integers(0, (1 << LIMB) - 1)
UPPER_LIMBS = st.sampled_from([0, 1, -1, 1 << 40]) | st.integers(-(1 << 43), 1 << 43)
WIDTHS = st.sampled_from([0, 1, 2, 3]) | EDGES | st.integers(0, 1 << LIMB + 1)


@st.composite
def enclosed(draw, limbs, upper=UPPER_LIMBS):
    """Return the ends of a number, in units of its last limb, and the number as a `Fixed`."""
    parts = [draw(upper), *(draw(LOWER_LIMBS) for _ in range(limbs - 1))]
    least = sum(limb << LIMB * place for place, limb in enumerate(reversed(parts)))
    width = draw(WIDTHS)
    return (least, least + width), Fixed(tuple(integers([limb]) for limb in parts), integers([width]))


def ends_of(fixed):
    """Return the ends, whose limbs are in their range."""
    assert all(((limb >= 0) & (limb < 1 << LIMB)).all() for limb in fixed.limbs[1:])
    return fixed.ends()


@settings(max_examples=60)
@given(st.data(), st.integers(2, 6))
def test_each_operation_gives_the_least_enclosure(data, limbs):
    (a, b), one = data.draw(enclosed(limbs))
    (c, d), other = data.draw(enclosed(limbs))
    divisor, factor = data.draw(DIVISORS), data.draw(st.integers(0, LARGEST))
    whole = factor << LIMB * limbs
    assert ends_of(one) == [(a, b)]
    assert ends_of(one.over(integers([divisor]))) == [(a // divisor, -(-b // divisor))]
    assert ends_of(one.over(integers([0]))) == [(0, 0)]
    assert ends_of(one.plus(other)) == [(a + c, b + d)]
    assert ends_of(one.minus(other)) == [(a - d, b - c)]
    assert ends_of(one.taken_from(factor)) == [(whole - b, whole - a)]
    assert ends_of(one.times(integers([factor]))) == [(a * factor, b * factor)]
    for fewer in range(2, limbs + 1):
        shift = LIMB * (limbs - fewer)
        assert ends_of(one.narrowed(fewer)) == [(a >> shift, -(-b >> shift))]
    both = Fixed(
        tuple(map(np.concatenate, zip(one.limbs, other.limbs, strict=True))), np.concatenate((one.width, other.width))
    )
    assert ends_of(both.summed(Segments(integers([0, 0, 2])))) == [(0, 0), (a + c, b + d)]
    assert both.total() == (a + c, b + d)
    chosen = np.array([data.draw(st.booleans()), data.draw(st.booleans())])
    swapped = both.at(integers([1, 0]))
    picked = [
        pair if is_first else swap for pair, swap, is_first in zip(both.ends(), swapped.ends(), chosen, strict=True)
    ]
    assert ends_of(both.where(chosen, swapped)) == picked
    places = np.flatnonzero(~chosen)
    assert ends_of(both.put(places, swapped.at(places))) == picked
    assert ends_of(both) == [(a, b), (c, d)]


@given(st.lists(st.tuples(st.integers(0, LARGEST), DIVISORS), min_size=1, max_size=12), st.integers(2, 6))
def test_ratios_are_enclosed_by_one_unit_or_exact(pairs, limbs):
    above, below = (integers(each) for each in zip(*pairs, strict=True))
    scale = 1 << LIMB * limbs
    assert ends_of(Fixed.ratios(above, below, limbs)) == [(a * scale // b, -(-a * scale // b)) for a, b in pairs]


def nearest(number):
    return number.numerator / number.denominator


def midpoints(source, number):
    """Return numbers half-way between two doubles, in units of 2^-88: from 2^-35 up to 2^9."""
    return [(2 * source.randrange(1 << 52, 1 << 53) + 1) << source.randrange(44) for _ in range(number)]


@pytest.mark.drawn
def test_a_double_is_certain_exactly_if_both_ends_round_to_it():
    """Beside midpoints, of which a tie goes to the even double, and beside 2^9, where the upper limb ends."""
    source = random.Random(seeded(1))
    lows = [number + more for number in midpoints(source, 400) for more in (-2, -1, 0, 1, 2)]
    lows += [sign * (1 << BITS + 9) + more for sign in (1, -1) for more in (-(1 << 45), -3, -1, 0, 1, 1 << 43)]
    lows += [0, 1, ONE, ONE - 1, -1, -ONE]
    numbers = [(low, low + width) for low in lows for width in (0, 1, 2, 3, 4, 1 << 35, 1 << 43, 1 << 54)]
    for more in (0, 1):  # in three limbs, too
        scaled = [
            (low << LIMB * more, high << LIMB * more) for low, high in numbers if high - low < 1 << 15 or not more
        ]
        doubles, certain = fixed_of(scaled, 2 + more).doubles()
        unit = 1 << LIMB * (2 + more)
        count = 0
        for (low, high), double, is_certain in zip(scaled, doubles.tolist(), certain.tolist(), strict=True):
            least, most = (nearest(Fraction(end, unit)) for end in (low, high))
            assert is_certain == (least == most and low // unit * 1 >= -(1 << 9) and low < (unit << 9) + (unit >> LIMB))
            assert not is_certain or double == least
            count += is_certain
        assert 0.2 * len(scaled) < count < 0.8 * len(scaled)


def beside_whole_units(source, number, *, most=9, fewest_bits=40):
    """Return pairs of whole numbers whose quotient times 2^88 lies just below or above a whole number."""
    pairs = []
    while len(pairs) < number:
        below = source.randrange(1, 1 << source.randrange(fewest_bits, BITS + 18)) | 1
        above = source.choice((1, -1)) * pow(ONE, -1, below) % below
        above += source.randrange(1 << source.randrange(1, 18)) * below
        if below >> fewest_bits - 2 and 2.0**-20 < above / below < 2.0**most and above < 1 << BITS + 18:
            pairs.append((above, below))
    return pairs


@pytest.mark.drawn
@pytest.mark.parametrize("most", [9, 18])
def test_quotients_beside_whole_units(most):
    """Exact operands: below 2^9 a quotient is enclosed by three units, of which each is needed."""
    source = random.Random(seeded(most))
    pairs = beside_whole_units(source, 3000, most=most)
    above, below = (fixed_of([(number, number) for number in side]) for side in zip(*pairs, strict=True))
    is_low_needed = is_high_needed = False
    for (least, high), (a, b) in zip(ends_of(quotients(above, below)), pairs, strict=True):
        exact = Fraction(a * ONE, b)
        assert least <= exact <= high
        is_low_needed |= exact < least + 1
        is_high_needed |= exact > high - 1
        assert high - least <= (3 if a < b << 9 else a // b // 128 + 3)
    assert is_low_needed
    assert is_high_needed


@pytest.mark.drawn
@pytest.mark.parametrize("limbs", [2, 5])
def test_quotients_hold_for_both_ends_of_what_they_divide(limbs):
    """And are no wider than that, but for four units and what the other end is off."""
    source = random.Random(seeded(limbs))
    more = LIMB * (limbs - 2)
    pairs = [(a << more, b << more) for a, b in beside_whole_units(source, 2000, fewest_bits=70)]
    wide = (0, 1, 5, 1 << 30, 1 << 45) if limbs == 2 else (0, 1, 5, 1 << 30)
    widths = [[min(source.choice(wide), *(number >> 36 for number in pair)) for _ in pair] for pair in pairs]
    above, below = (
        fixed_of([(pair[side], pair[side] + width[side]) for pair, width in zip(pairs, widths, strict=True)], limbs)
        for side in (0, 1)
    )
    unit = 1 << LIMB * limbs
    for (least, most), (a, b), (wide_a, wide_b) in zip(quotients(above, below).ends(), pairs, widths, strict=True):
        lowest, highest = Fraction(a * unit, b + wide_b), Fraction((a + wide_a) * unit, b)
        assert least <= lowest
        assert highest <= most
        assert most - least <= (highest - lowest) * Fraction(1 + 2**-18) + 4


@pytest.mark.drawn
def test_whole_numbers_over_whole_ones_are_certain_up_to_2_to_the_53rd():
    """Beyond, a number is no double, and its quotient is rounded twice. Whatever is enclosed lies there."""
    source = random.Random(seeded(3))
    near = [(1 << 53) + more for more in range(-3, 4)]
    small = [0, 1, 2, 3, LARGEST, LARGEST + 1, 1 << 30]
    wide = [source.randrange(1 << 63) for _ in range(12)]
    pairs = [(a, b) for a in (*near, *small, *wide) for b in (*near, *small, *wide)]
    pairs += [(-a, b) for a, b in pairs]
    above, below = (integers(side) for side in zip(*pairs, strict=True))
    for limbs in (2, 5):
        found = Outcomes.quotients(above, below, limbs)
        for place, ((a, b), double) in enumerate(zip(pairs, found.doubles.tolist(), strict=True)):
            exact = Fraction(a, b or 1) if b or not a else None
            assert found.certain[place] == (max(abs(a), b) <= 1 << 53)
            if found.certain[place] and exact is not None:
                assert double == nearest(exact)
            is_small = 0 <= a <= LARGEST and b <= LARGEST
            assert found.enclosed[place] == (is_small or (b > 0 and abs(a) // b < LARGEST))
            if found.enclosed[place] and b:
                least, most = found.fixed.at(integers([place])).ends()[0]
                scaled = exact * 2**found.fixed.bits
                assert (least, most) == (scaled.__floor__(), scaled.__ceil__())


def exact_weights(p, ranks):
    """Return (1 - p) p^(r - 1), with 400 bits."""
    with mpmath.workprec(400):
        share, off = (mpmath.mpf(each.numerator) / each.denominator for each in (p, 1 - p))
        return [off * share ** (rank - 1) for rank in ranks]


FAR = [*range(2**31 - 1500, 2**31), 1, 2, 3, 90, 300_000, 2**24]


@pytest.mark.parametrize("limbs", [2, 5])
def test_powers_at_far_ranks_are_too_low_by_less_than_two_units(limbs):
    greatest = 0
    for p in map(Fraction, ("4/5", "99/100", "99999/100000", "999999999/1000000000", "2/3")):
        ranks = [rank for rank in sorted({*FAR, *range(50, 900)}) if rank < 900 or 1 - p < Fraction(1, 10**5)]
        table, index = powers_at(p, integers(ranks[::-1]), limbs)
        with mpmath.workprec(400):
            for place, number in zip(index[::-1].tolist(), exact_weights(p, ranks), strict=True):
                lost = mpmath.ldexp(number, LIMB * limbs) - entry(table, place)
                assert 0 <= lost < table.error
                greatest = max(greatest, lost)
    assert greatest > 1
