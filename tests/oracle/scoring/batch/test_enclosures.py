"""What certifies a double: every number of the batch lies where its `Fixed` says, for random and extreme operands.

The truth comes from fractions, and of logarithms from mpmath with three times as many digits.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankspec.oracle.conventions.axes import Discount, RecallGrid
from rankspec.oracle.definitions.expression import log2, read
from rankspec.oracle.definitions.quantities import RANK
from rankspec.oracle.scoring.batch.areas import Curves, all_ranks
from rankspec.oracle.scoring.batch.arithmetic import Arithmetic, TooWideError
from rankspec.oracle.scoring.batch.blocks import Blocks
from rankspec.oracle.scoring.batch.far_ranks import _shifted, powers_at, weights_of_blocks, weights_of_ranks
from rankspec.oracle.scoring.batch.fixed import BITS, LARGEST, LIMB, Fixed, Segments, Table
from rankspec.oracle.scoring.batch.gain_at_points import gained
from rankspec.oracle.scoring.batch.graded import discounts, powers
from rankspec.oracle.scoring.batch.lists import Places
from rankspec.oracle.scoring.batch.quotients import quotients

EXTREMES = [1, 2, 3, 7, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, LARGEST - 1, LARGEST]
COUNTS = st.one_of(st.sampled_from([0, *EXTREMES]), st.integers(0, LARGEST))
DIVISORS = st.one_of(st.sampled_from(EXTREMES), st.integers(1, LARGEST))
PAIRS = st.lists(st.tuples(COUNTS, DIVISORS), min_size=1, max_size=12)
LIMBS = st.integers(2, 6)
"""Limbs of an enclosure: two for doubles, five and more for decimals."""


def integers(numbers) -> np.ndarray:
    return np.array(list(numbers), np.int64)


def ends(fixed: Fixed) -> list[tuple[Fraction, Fraction]]:
    """Return between which numbers each of them is said to lie."""
    one = 2**fixed.bits
    lower = [
        sum(limb * 2 ** (LIMB * place) for place, limb in enumerate(reversed(limbs)))
        for limbs in zip(*(limb.tolist() for limb in fixed.limbs), strict=True)
    ]
    found = [
        (Fraction(low, one), Fraction(low + width, one)) for low, width in zip(lower, fixed.width.tolist(), strict=True)
    ]
    assert fixed.ends() == [(least * one, most * one) for least, most in found]
    return found


def require_enclosed(fixed: Fixed, exact: list[Fraction], *, most_units: float = float("inf")) -> None:
    """Require that the numbers lie where it says, closely, and that a certain double is the nearest one."""
    assert all(((limb >= 0) & (limb < 1 << LIMB)).all() for limb in fixed.limbs[1:])
    one = 2**fixed.bits
    for (least, most), number in zip(ends(fixed), exact, strict=True):
        assert least <= number <= most, (number, float((number - least) * one), float((most - number) * one))
        assert (most - least) * one <= most_units
    doubles, certain = fixed.doubles()
    for double, is_certain, number in zip(doubles.tolist(), certain.tolist(), exact, strict=True):
        assert not is_certain or double == number.numerator / number.denominator


@given(PAIRS, st.lists(DIVISORS, min_size=12, max_size=12), LIMBS)
def test_quotients_of_whole_numbers_and_of_enclosed_ones(pairs, more, limbs):
    above, below = (integers(each) for each in zip(*pairs, strict=True))
    exact = [Fraction(a, b) for a, b in pairs]
    ratios = Fixed.ratios(above, below, limbs)
    require_enclosed(ratios, exact, most_units=2)
    again = integers(more[: len(pairs)])
    twice = [number / by for number, by in zip(exact, more, strict=False)]
    require_enclosed(ratios.over(again), twice, most_units=4)
    thrice = [number / by for number, by in zip(twice, more, strict=False)]
    require_enclosed(ratios.over(again).over(again), thrice, most_units=6)
    require_enclosed(ratios.over(np.zeros_like(again)), [Fraction(0)] * len(pairs), most_units=0)


@given(st.integers(0, (1 << 63) - (1 << LIMB)), st.integers(0, (1 << LIMB) - 1), st.integers(0, 1 << 40), DIVISORS)
def test_a_division_holds_for_both_ends_of_what_it_divides(high, low, width, divisor):
    divided = Fixed((integers([high]), integers([low])), integers([width]))
    (least, most), (below, above) = ends(divided)[0], ends(divided.over(integers([divisor])))[0]
    assert below <= least / divisor <= most / divisor <= above


@given(PAIRS, PAIRS, LIMBS)
def test_sums_products_and_differences(one, other, limbs):
    size = min(len(one), len(other))
    one, other = one[:size], other[:size]
    first, second = ([Fraction(min(a, b), b) for a, b in each] for each in (one, other))
    fixed = [
        Fixed.ratios(integers(min(a, b) for a, b in each), integers(b for _, b in each), limbs) for each in (one, other)
    ]
    require_enclosed(fixed[0].plus(fixed[1]), [a + b for a, b in zip(first, second, strict=True)], most_units=4)
    require_enclosed(fixed[0].taken_from(1), [1 - a for a in first], most_units=2)
    require_enclosed(fixed[0].minus(fixed[1]), [a - b for a, b in zip(first, second, strict=True)], most_units=4)
    wholes = integers(a for a, _ in one)
    differences = [whole - a for whole, a in zip(wholes.tolist(), first, strict=True)]
    require_enclosed(fixed[0].taken_from(wholes), differences, most_units=2)
    factors = integers(a for a, _ in other)
    products = [a * factor for a, (factor, _) in zip(first, other, strict=True)]
    require_enclosed(fixed[0].times(factors), products, most_units=2 * LARGEST)
    half = Segments(integers([0, size // 2, size]))
    sums = [sum(first[: size // 2], Fraction(0)), sum(first[size // 2 :], Fraction(0))]
    require_enclosed(fixed[0].summed(half), sums, most_units=2 * size)
    least, most = fixed[0].total()
    assert least <= sum(first) * 2 ** fixed[0].bits <= most
    chosen = np.arange(size) % 2 == 0
    mixed = [a if place % 2 == 0 else b for place, (a, b) in enumerate(zip(first, second, strict=True))]
    require_enclosed(fixed[0].where(chosen, fixed[1]), mixed)
    places = np.flatnonzero(~chosen)
    require_enclosed(fixed[0].put(places, fixed[1].at(places)), mixed)


@given(
    st.lists(st.tuples(st.integers(0, (1 << 33) - 1), st.integers(1, (1 << 33) - 1)), min_size=1, max_size=12), LIMBS
)
def test_shares_of_large_numbers(pairs, limbs):
    pairs = [(min(pair), max(pair)) for pair in pairs]
    above, below = (integers(each) for each in zip(*pairs, strict=True))
    require_enclosed(Fixed.shares(above, below, limbs), [Fraction(a, b) for a, b in pairs], most_units=1)


@given(st.data())
def test_sums_of_ratios(data):
    ranks = data.draw(st.lists(st.integers(1, 3000), min_size=1, max_size=40))
    factors = [data.draw(st.integers(0, LARGEST // len(ranks))) for _ in ranks]
    cut = data.draw(st.integers(0, len(ranks)))
    segments, table = Segments(integers([0, cut, len(ranks)])), Table.reciprocals(3000, data.draw(LIMBS))
    terms = [Fraction(factor, rank) for factor, rank in zip(factors, ranks, strict=True)]
    exact = [sum(terms[:cut], Fraction(0)), sum(terms[cut:], Fraction(0))]
    require_enclosed(table.sums(integers(factors), integers(ranks), segments), exact)
    counted = [
        sum((Fraction(place, rank) for place, rank in enumerate(part, 1)), Fraction(0))
        for part in (ranks[:cut], ranks[cut:])
    ]
    require_enclosed(table.counted_sums(integers(ranks), segments), counted)


def test_the_longest_sums_of_ratios():
    """As many terms, and as great a factor, as the limbs have room for."""
    table = Table.reciprocals(LARGEST)
    ranks = np.arange(1, LARGEST + 1)
    one = Segments(integers([0, ranks.size]))
    require_enclosed(table.counted_sums(ranks, one), [Fraction(LARGEST)])
    require_enclosed(table.sums(integers([LARGEST]), integers([1]), Segments(integers([0, 1]))), [Fraction(LARGEST)])
    last = Segments(integers([0, 1]))
    require_enclosed(table.sums(integers([LARGEST]), integers([LARGEST]), last), [Fraction(1)])


@pytest.mark.parametrize("limbs", [2, 5])
def test_reciprocals_and_their_running_sums(limbs):
    table = Table.reciprocals(2000, limbs)
    running = table.harmonic()
    total = Fraction(0)
    one = 2 ** (LIMB * limbs)
    assert entry(table, 0) == 0
    for rank in range(1, 2001):
        assert 0 <= Fraction(one, rank) - entry(table, rank) < 1
        total += Fraction(one, rank)
        assert 0 <= total - entry(running, rank) < rank


def entry(table: Table, rank: int) -> int:
    return sum(int(limb[rank]) << LIMB * place for place, limb in enumerate(reversed(table.limbs)))


@pytest.mark.parametrize("limbs", [2, 5])
@pytest.mark.parametrize("discount", Discount, ids=str)
def test_logarithms(discount, limbs):
    """A gain of 1 and one of 7 at each of many ranks, whose sum is enclosed."""
    ranks = integers([*range(1, 400), 2**15, 2**17 - 1, 2**18 - 2, 2**18 - 1])
    divided = {
        Discount.LOG2_RANK_PLUS_ONE: lambda rank: mpmath.log(rank + 1, 2),
        Discount.LOG2_RANK: lambda rank: mpmath.log(rank, 2) if rank > 1 else mpmath.mpf(1),
    }[discount]
    table, places = discounts(discount, ranks, limbs)
    bits = LIMB * limbs
    with mpmath.workprec(3 * bits):
        near = [as_fraction(1 / divided(int(rank))) for rank in ranks]
    for gain in (1, 7):
        fixed = table.sums(np.full(ranks.size, gain), places, Segments(np.arange(ranks.size + 1)))
        for (least, most), number in zip(ends(fixed), near, strict=True):
            slack = Fraction(1, 2 ** (2 * bits))  # of what mpmath leaves open
            assert least - slack <= gain * number <= most + slack
            assert (most - least) * 2**bits <= 2 * gain
        below = [least for least, _ in ends(fixed)]
        assert sum(a > b for a, b in pairwise(below)) > ranks.size // 2


def as_fraction(number) -> Fraction:
    sign, mantissa, exponent, _ = number._mpf_
    return (-1) ** sign * mantissa * Fraction(2) ** exponent


@pytest.mark.parametrize("limbs", [2, 5])
@pytest.mark.parametrize("p", ["1/2", "4/5", "19/20", "99/100", "1/3", "999999/1000000"])
def test_powers(p, limbs):
    p = Fraction(p)
    table = powers(p, 400, limbs)
    scaled = weights_of_ranks(p, np.arange(1, 401))
    far = Table(scaled.limbs)
    for rank in (1, 2, 3, 50, 399, 400):
        exact = (1 - p) * p ** (rank - 1)
        assert 0 <= exact * 2 ** (LIMB * limbs) - entry(table, rank) <= table.error
        assert 0 <= exact * Fraction(2) ** (BITS + int(scaled.exponents[rank - 1])) - entry(far, rank - 1) < 2
        assert entry(far, rank - 1).bit_length() == BITS
    hits = integers([1, 2, 400])
    exact = sum((1 - p) * p ** (rank - 1) for rank in hits.tolist())
    require_enclosed(table.sums(np.ones(3, np.int64), hits, Segments(integers([0, 3]))), [exact])


@pytest.mark.parametrize("limbs", [2, 5])
@pytest.mark.parametrize("p", ["4/5", "99999/100000", "999999999/1000000000"])
def test_powers_at_far_ranks(p, limbs):
    p, ranks = Fraction(p), [1, 2, 3, 90, 300_000, 300_001, 2**24, 2**31 - 1]
    table, index = powers_at(p, integers(ranks[::-1]), limbs)
    with mpmath.workprec(LIMB * limbs + 100):
        for place, rank in zip(index[::-1].tolist(), ranks, strict=True):
            exact = mpmath.mpf((1 - p).numerator) / (1 - p).denominator
            exact *= (mpmath.mpf(p.numerator) / p.denominator) ** (rank - 1) * 2 ** (LIMB * limbs)
            assert -(2**-20) <= exact - entry(table, place) <= table.error


@pytest.mark.parametrize("p", ["1/3", "4/5", "99/100"])
def test_far_weights_halved_many_times_are_too_low_by_no_more_than_they_say(p):
    p = Fraction(p)
    scaled = weights_of_ranks(p, np.arange(1, 301))
    for halved in (0, 1, 7, LIMB - 1, LIMB, LIMB + 5):
        found = _shifted(*scaled.limbs, np.full(300, halved))
        for rank in range(1, 301):
            exact = (1 - p) * p ** (rank - 1) * Fraction(2) ** (BITS + int(scaled.exponents[rank - 1]) - halved)
            assert 0 <= exact - entry(found, rank - 1) <= found.error


@pytest.mark.parametrize("p", ["1/3", "4/5", "99/100", "1000/1001"])
def test_far_weights_of_blocks(p):
    p = Fraction(p)
    tops, sizes, counted = (
        [0, 1, 40, 900, 2000, 5000, 5001],
        [1, 7, 3, 1000, 1, 1, 262_000],
        [1, 7, 3, 1000, 1, 1, 2000],
    )
    segments = Segments(integers([0, len(tops)]))
    blocks = Blocks(segments, integers(tops), integers(sizes), integers(counted), integers(sizes))
    scaled = weights_of_blocks(p, blocks)
    for place, (top, size, number) in enumerate(zip(tops, sizes, counted, strict=True)):
        exact = p**top * (1 - p**number) / size
        found = entry(Table(scaled.limbs), place)
        assert 0 <= exact * Fraction(2) ** (BITS + int(scaled.exponents[place])) - found < 2
        assert found.bit_length() == BITS
    assert weights_of_blocks(Fraction(1025, 1026), blocks) is None


@pytest.mark.parametrize("ranks", [[1], [2, 3, 7, 50], [40, 41, 42], [*range(1, 60, 2)], [59, 60]])
def test_sums_over_all_ranks_behind_hits(ranks):
    harmonic = [sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0)) for n in range(90)]
    for last in (60, 77, 89):
        hits = Places(Segments(integers([0, len(ranks)])), integers(ranks), None, np.ones(len(ranks), np.int64))
        exact = sum((harmonic[last] - harmonic[rank - 1] for rank in ranks), Fraction(0)) / last
        for limbs in (2, 5):
            curves = Curves(hits, integers([1]), integers([last]), None, RecallGrid.EXACT, limbs)
            require_enclosed(all_ranks(curves), [exact])


@given(PAIRS, PAIRS, LIMBS)
def test_quotients_of_enclosed_numbers(one, other, limbs):
    """Both with a width: of a division by another number."""
    pairs = [((max(a, 1), b), (max(c, 1), d)) for (a, b), (c, d) in zip(one, other, strict=False)]
    pairs = [((a, b), (c, d)) for (a, b), (c, d) in pairs if 2**-20 < Fraction(a * d, b * c) < 2**9]
    if pairs:
        above, below = ([Fraction(*each) / 3 for each in side] for side in zip(*pairs, strict=True))
        fixed = [
            Fixed.ratios(integers(a for a, _ in side), integers(b for _, b in side), limbs).over(np.full(len(pairs), 3))
            for side in zip(*pairs, strict=True)
        ]
        require_enclosed(quotients(*fixed), [a / b for a, b in zip(above, below, strict=True)])


TWO_LIMBS = st.tuples(st.integers(1 << (LIMB - 19), (1 << 63) - (1 << LIMB)), st.integers(0, (1 << LIMB) - 1))


@given(TWO_LIMBS, TWO_LIMBS, st.sampled_from([0, 1, 1000, 1 << 30]), st.sampled_from([0, 3]))
def test_quotients_hold_for_both_ends_of_what_they_divide(above, below, width, more):
    """Whatever numbers lie in the two enclosures, their quotient lies in that of the quotient."""
    further = (integers([0]),) * more
    scaled = [Fixed((integers([high]), integers([low]), *further), integers([width])) for high, low in (above, below)]
    a, b = (ends(each)[0] for each in scaled)
    if not 2**-20 < a[0] / b[0] < 2**9:
        return
    least, most = ends(quotients(*scaled))[0]
    assert least <= a[0] / b[1]
    assert a[1] / b[0] <= most


def test_a_double_is_certain_only_if_both_ends_round_to_it():
    half_way = (1 << BITS) + (1 << (BITS - 53))  # of 1 and the next double
    for number, width, is_certain in [
        (half_way, 0, True),
        (half_way - 1, 1, True),  # ties to even: 1
        (half_way - 1, 2, False),
        (half_way + 1, 5, True),
        (1 << BITS, 1 << 43, False),
    ]:
        fixed = Fixed((integers([number >> LIMB]), integers([number & ((1 << LIMB) - 1)])), integers([width]))
        _, certain = fixed.doubles()
        nearest = {float(each) for each in ends(fixed)[0]}
        assert bool(certain[0]) is is_certain
        assert not is_certain or len(nearest) == 1


def test_hits_above_a_block():
    """Two queries: blocks of two, one and three hits, and then two of one, some with other documents in them."""
    segments = Segments(integers([0, 6, 6, 8]))
    ranks = integers([3, 3, 4, 9, 9, 9, 2, 5])
    tops = integers([0, 0, 3, 5, 5, 5, 1, 2])
    grades = np.ones(8, np.int64)
    blocks = Places(segments, ranks, tops, grades)
    assert blocks.counts_above().tolist() == [0, 0, 2, 3, 3, 3, 0, 1]
    assert blocks.counts().tolist() == [2, 2, 3, 6, 6, 6, 1, 2]
    assert blocks.ranks_above().tolist() == [0, 0, 3, 5, 5, 5, 1, 2]
    strict = Places(segments, integers([1, 3, 4, 7, 8, 9, 2, 5]), None, grades)
    assert strict.counts_above().tolist() == [0, 1, 2, 3, 4, 5, 0, 1]
    assert strict.ranks_above().tolist() == [0, 2, 3, 6, 7, 8, 1, 4]


@pytest.mark.parametrize("limbs", [2, 5])
def test_gains_down_to_points(limbs):
    """Two lists of three documents each, of no, two and all documents; running sums over both of them."""
    grades, ranks = [1, 130_000, 7, 3, 1, 100_000], [1, 5, 900, 2, 3, 200_000]
    places = Places(Segments(integers([0, 3, 6])), integers(ranks), None, integers(grades))
    points = Segments(integers([0, 3, 6]))
    found = gained(places, points, integers([0, 2, 3, 0, 2, 3]), Discount.LOG2_RANK_PLUS_ONE, limbs)
    with mpmath.workdps(200):
        terms = [grade / mpmath.log(rank + 1, 2) for grade, rank in zip(grades, ranks, strict=True)]
        exact = [mpmath.fsum(terms[first:last]) for first, last in [(0, 0), (0, 2), (0, 3), (3, 3), (3, 5), (3, 6)]]
        for (least, most), number in zip(found.ends(), exact, strict=True):
            assert least <= number * 2**found.bits <= most
            assert most - least <= 2 * sum(grades)


@pytest.mark.parametrize("limbs", [2, 5])
def test_quotients_by_logarithms(limbs):
    numbers = [2, 3, 4, 3, 1000, LARGEST, 2**31]
    segments = Segments(integers([0, 3, len(numbers)]))
    found = read(7 / log2(RANK), Arithmetic({}, {"rank": lambda: integers(numbers)}, segments, limbs))
    with mpmath.workdps(200):
        for (least, most), number in zip(found.ends(), numbers, strict=True):
            assert least <= 7 * 2**found.bits / mpmath.log(number, 2) <= most
            assert most - least <= 7 * 2 + 2
    with pytest.raises(TooWideError):
        read(7 / log2(RANK) + log2(RANK), Arithmetic({}, {"rank": lambda: integers(numbers)}, segments, limbs))
