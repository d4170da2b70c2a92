"""The proofs of `batch`, against the worst operands that they allow, random ones, and extreme ones: each is tight.

An operation on enclosed numbers gives the least enclosure of what its operands enclose, so that a unit less fails here,
and so does a unit more. What is off by less than a unit is held to operands whose exact results lie beside whole ones.
The truth comes from fractions, and of logarithms from mpmath with three times as many digits.
"""

import random
from fractions import Fraction
from itertools import pairwise
from operator import add, mul, sub

import mpmath
import numpy as np
import pytest
from campaign import seeded
from hypothesis import given, settings
from hypothesis import strategies as st
from rankspec.oracle.conventions.axes import Discount
from rankspec.oracle.definitions.expression import RANK, Number, Operation, Operator, Quantity, lifted, log2, read
from rankspec.oracle.measures.choices import DISCOUNTS
from rankspec.oracle.scoring.batch.arithmetic import Arithmetic, Ratio, TooWideError
from rankspec.oracle.scoring.batch.evaluated import Outcomes
from rankspec.oracle.scoring.batch.fixed import BITS, LARGEST, LIMB, Fixed, Segments, quotients
from scoring_kit import fixed_of, integers

ONE = 1 << BITS
DIVISORS = st.sampled_from([1, 2, 3, 7, 1 << 18, LARGEST - 1, LARGEST]) | st.integers(1, LARGEST)
EDGES = st.sampled_from([0, 1, 2, (1 << LIMB - 1) - 1, 1 << LIMB - 1, (1 << LIMB) - 2, (1 << LIMB) - 1])
LOWER_LIMBS = EDGES | st.integers(0, (1 << LIMB) - 1)
UPPER_LIMBS = st.sampled_from([0, 1, -1, 1 << 40]) | st.integers(-(1 << 43), 1 << 43)
WIDTHS = st.sampled_from([0, 1, 2, 3]) | EDGES | st.integers(0, 1 << LIMB + 1)


@st.composite
def enclosed(draw):
    """Return the ends of a number, in units of its lower limb, and the number as a `Fixed`."""
    high, low, width = draw(UPPER_LIMBS), draw(LOWER_LIMBS), draw(WIDTHS)
    least = (high << LIMB) + low
    return (least, least + width), Fixed((integers([high]), integers([low])), integers([width]))


def ends_of(fixed):
    """Return the ends, whose limbs are in their range."""
    assert all(((limb >= 0) & (limb < 1 << LIMB)).all() for limb in fixed.limbs[1:])
    return fixed.ends()


@settings(max_examples=60)
@given(st.data())
def test_each_operation_gives_the_least_enclosure(data):
    (a, b), one = data.draw(enclosed())
    (c, d), other = data.draw(enclosed())
    divisor, factor = data.draw(DIVISORS), data.draw(st.integers(0, LARGEST))
    assert ends_of(one) == [(a, b)]
    assert ends_of(one.over(integers([divisor]))) == [(a // divisor, -(-b // divisor))]
    assert ends_of(one.over(integers([0]))) == [(0, 0)]
    assert ends_of(one.plus(other)) == [(a + c, b + d)]
    assert ends_of(one.times(integers([factor]))) == [(a * factor, b * factor)]
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
    assert ends_of(both.replaced(places, swapped.at(places))) == picked
    assert ends_of(both) == [(a, b), (c, d)]


@given(st.lists(st.tuples(st.integers(0, LARGEST), DIVISORS), min_size=1, max_size=12))
def test_ratios_are_enclosed_by_one_unit_or_exact(pairs):
    above, below = (integers(each) for each in zip(*pairs, strict=True))
    assert ends_of(Fixed.ratios(above, below)) == [(a * ONE // b, -(-a * ONE // b)) for a, b in pairs]


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
    doubles, certain = fixed_of(numbers).doubles()
    count = 0
    for (low, high), double, is_certain in zip(numbers, doubles.tolist(), certain.tolist(), strict=True):
        least, most = (nearest(Fraction(end, ONE)) for end in (low, high))
        assert is_certain == (least == most and low // ONE * 1 >= -(1 << 9) and low < (ONE << 9) + (ONE >> LIMB))
        assert not is_certain or double == least
        count += is_certain
    assert 0.2 * len(numbers) < count < 0.8 * len(numbers)


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
def test_quotients_hold_for_both_ends_of_what_they_divide():
    """And are no wider than that, but for four units and what the other end is off."""
    source = random.Random(seeded(2))
    pairs = beside_whole_units(source, 2000, fewest_bits=70)
    wide = (0, 1, 5, 1 << 30, 1 << 45)
    widths = [[min(source.choice(wide), *(number >> 36 for number in pair)) for _ in pair] for pair in pairs]
    above, below = (
        fixed_of([(pair[side], pair[side] + width[side]) for pair, width in zip(pairs, widths, strict=True)])
        for side in (0, 1)
    )
    for (least, most), (a, b), (wide_a, wide_b) in zip(quotients(above, below).ends(), pairs, widths, strict=True):
        lowest, highest = Fraction(a * ONE, b + wide_b), Fraction((a + wide_a) * ONE, b)
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
    found = Outcomes.quotients(above, below)
    for place, ((a, b), double) in enumerate(zip(pairs, found.doubles.tolist(), strict=True)):
        exact = Fraction(a, b or 1) if b or not a else None
        assert found.certain[place] == (max(abs(a), b) <= 1 << 53)
        if found.certain[place] and exact is not None:
            assert double == nearest(exact)
        is_small = 0 <= a <= LARGEST and b <= LARGEST
        assert found.enclosed[place] == (is_small or (b > 0 and abs(a) // b < LARGEST))
        if found.enclosed[place] and b:
            least, most = found.fixed.at(integers([place])).ends()[0]
            scaled = exact * ONE
            assert (least, most) == (scaled.__floor__(), scaled.__ceil__())


def ends(fixed):
    """Return between which numbers each of them is said to lie."""
    return [(Fraction(low, ONE), Fraction(high, ONE)) for low, high in fixed.ends()]


def require_enclosed(fixed, exact, *, most_units=float("inf")):
    """Require that the numbers lie where it says, closely, and that a certain double is the nearest one."""
    assert all(((limb >= 0) & (limb < 1 << LIMB)).all() for limb in fixed.limbs[1:])
    for (least, most), number in zip(ends(fixed), exact, strict=True):
        assert least <= number <= most, (number, float((number - least) * ONE), float((most - number) * ONE))
        assert (most - least) * ONE <= most_units
    doubles, certain = fixed.doubles()
    for double, is_certain, number in zip(doubles.tolist(), certain.tolist(), exact, strict=True):
        assert not is_certain or double == number.numerator / number.denominator


@given(st.lists(st.tuples(st.integers(0, (1 << 33) - 1), st.integers(1, (1 << 33) - 1)), min_size=1, max_size=12))
def test_shares_of_large_numbers(pairs):
    pairs = [(min(pair), max(pair)) for pair in pairs]
    above, below = (integers(each) for each in zip(*pairs, strict=True))
    require_enclosed(Fixed.shares(above, below), [Fraction(a, b) for a, b in pairs], most_units=1)


@pytest.mark.parametrize("discount", Discount, ids=str)
def test_logarithms(discount):
    """A gain of 1 and one of 7 at each of many ranks, whose sum is enclosed."""
    ranks = integers([*range(1, 400), 2**15, 2**17 - 1, 2**18 - 2, 2**18 - 1])
    divided = {
        Discount.LOG2_RANK_PLUS_ONE: lambda rank: mpmath.log(rank + 1, 2),
        Discount.LOG2_RANK: lambda rank: mpmath.log(rank, 2) if rank > 1 else mpmath.mpf(1),
    }[discount]
    with mpmath.workprec(3 * BITS):
        near = [as_fraction(1 / divided(int(rank))) for rank in ranks]
    arithmetic = Arithmetic({}, {"rank": lambda: ranks}, Segments(np.arange(ranks.size + 1)))
    for gain in (1, 7):
        fixed = read(gain / DISCOUNTS[discount], arithmetic)
        for (least, most), number in zip(ends(fixed), near, strict=True):
            slack = Fraction(1, 2 ** (2 * BITS))  # of what mpmath leaves open
            assert least - slack <= gain * number <= most + slack
            assert (most - least) * ONE <= 2 * gain
        below = [least for least, _ in ends(fixed)]
        assert sum(a > b for a, b in pairwise(below)) > ranks.size // 2


def as_fraction(number):
    sign, mantissa, exponent, _ = number._mpf_
    return (-1) ** sign * mantissa * Fraction(2) ** exponent


@pytest.mark.parametrize("p", ["1/2", "4/5", "19/20", "99/100", "1/3", "999999/1000000", "0", "1"])
def test_powers(p):
    ranks, p = integers([1, 2, 3, 50, 399, 400]), Fraction(p)
    arithmetic = Arithmetic({}, {"rank": lambda: ranks}, Segments(integers([0, 6])))
    require_enclosed(
        read(Number(p) ** (RANK - 1), arithmetic), [p ** (rank - 1) for rank in ranks.tolist()], most_units=2
    )
    for base in (Number(p) + 2, RANK, Number(p) / RANK):
        with pytest.raises(TooWideError):
            read(base ** (RANK - 1), arithmetic)


def test_quotients_by_logarithms():
    numbers = [2, 3, 4, 3, 1000, LARGEST, 2**31]
    segments = Segments(integers([0, 3, len(numbers)]))
    found = read(7 / log2(RANK), Arithmetic({}, {"rank": lambda: integers(numbers)}, segments))
    with mpmath.workdps(200):
        for (least, most), number in zip(found.ends(), numbers, strict=True):
            assert least <= 7 * ONE / mpmath.log(number, 2) <= most
            assert most - least <= 7 * 2 + 2
    with pytest.raises(TooWideError):
        read(7 / log2(RANK) + log2(RANK), Arithmetic({}, {"rank": lambda: integers(numbers)}, segments))


OPERATORS = {
    Operator.ADD: add,
    Operator.SUBTRACT: sub,
    Operator.MULTIPLY: mul,
    Operator.DIVIDE: lambda one, other: one / other if other else Fraction(0),
    Operator.LEAST: min,
    Operator.GREATEST: max,
}


def valued(expression, quantities):
    """Return the value of an expression, by its words."""
    match expression:
        case Number(value):
            return value
        case Quantity(name):
            return Fraction(quantities[name])
        case Operation(Operator.POWER, (base, exponent)):
            return valued(base, quantities) ** int(valued(exponent, quantities))
        case Operation(operator, (one, other)):
            return OPERATORS[operator](valued(one, quantities), valued(other, quantities))


LIMITS = [limit + more for limit in (2**17, 2**18, LARGEST, 2**33, 2**61) for more in (-1, 0, 1)]
WHOLES = st.sampled_from([1, 3, 3, 5, 17, 18, 19, 32, 33, 34, 61]).flatmap(lambda bits: st.integers(0, 2**bits))
WHOLES |= st.sampled_from(LIMITS)
LEAVES = st.one_of(
    st.sampled_from([Quantity(name) for name in ("n", "m", "rank", "grade")]),
    st.fractions(0, 9, max_denominator=9).map(Number),
    st.fractions(0, 9, max_denominator=2**33).map(Number),
    (WHOLES | st.integers(2**61, 2**64)).map(Fraction).map(Number),
)


def operations(inner):
    two = st.builds(lambda kind, one, other: Operation(kind, (one, other)), st.sampled_from([*OPERATORS]), inner, inner)
    power = st.builds(
        lambda base, exponent: Operation(Operator.POWER, (base, exponent)), inner, st.integers(0, 3).map(lifted)
    )
    return st.one_of(two, two, two, power)


@settings(max_examples=150, deadline=None)
@given(
    operations(st.one_of(LEAVES, operations(LEAVES))),
    st.lists(st.tuples(WHOLES, WHOLES), min_size=4, max_size=4),
    st.lists(st.tuples(WHOLES, WHOLES), min_size=2, max_size=2),
)
def test_expressions_are_read_exactly_or_enclosed_or_refused(expression, documents, lists):
    require_read(expression, documents, lists)


def test_enclosures_have_room_for_what_they_meet_or_are_refused():
    """Sums over denominators too large for a ratio, with whole numbers about each limit, as operands and as terms."""
    enclosed = Number(Fraction(1, 2**32 + 1)) + Number(Fraction(3, 2**33 - 1))
    outcomes = [
        require_read(expression, [(limit, limit)] * 4, [(limit, limit)] * 2)
        for limit in LIMITS
        for quantity in (Quantity("n"), Quantity("rank"))
        for expression in (
            *(enclosed + quantity, enclosed * quantity, enclosed / quantity, quantity / 7 + enclosed),
            *((enclosed + quantity) * quantity, (enclosed + quantity) / quantity, enclosed + quantity + quantity),
        )
    ]
    assert outcomes.count("total") > 60
    assert outcomes.count(None) > 60


@pytest.mark.parametrize("quantity", [Quantity("n"), Quantity("rank")])
def test_what_has_no_reading_in_whole_numbers_is_refused(quantity):
    """A difference, a product or a divisor of enclosures, a divisor below 0, a power of what is no whole number."""
    enclosed = Number(Fraction(1, 2**32 + 1)) + Number(Fraction(3, 2**33 - 1))
    numbers = integers([3, 7])
    arithmetic = Arithmetic({"n": lambda: numbers}, {"rank": lambda: numbers}, Segments(integers([0, 1, 2])))
    below, half = quantity - lifted(9), quantity / lifted(2)
    for expression in (
        *(enclosed - quantity, enclosed * enclosed, quantity / enclosed, quantity / below, quantity / (below * half)),
        *(log2(quantity) * log2(quantity), log2(half), lifted(2) ** half, enclosed**quantity, quantity * 2**64),
    ):
        with pytest.raises(TooWideError):
            arithmetic.total(read(expression, arithmetic))


def require_read(expression, documents, lists):
    """Two lists, of one document and of three. Whatever the size of numbers, none that wraps around is returned."""
    segments = Segments(integers([0, 1, 4]))
    of_ranks = {
        name: (lambda place=place: integers([each[place] for each in documents]))
        for place, name in enumerate(("rank", "grade"))
    }
    of_list = {
        name: (lambda place=place: integers([each[place] for each in lists])) for place, name in enumerate(("n", "m"))
    }
    arithmetic = Arithmetic(of_list, of_ranks, segments)
    owners = [lists[0], *[lists[1]] * 3]
    exact = [
        valued(expression, {"rank": rank, "grade": grade, "n": n, "m": m})
        for (rank, grade), (n, m) in zip(documents, owners, strict=True)
    ]
    try:
        found = read(expression, arithmetic)
    except TooWideError:
        return None
    if isinstance(found, Ratio):
        above, below = (arithmetic.spread(each).numbers.tolist() for each in found)
        assert [Fraction(*pair) for pair in zip(above, below, strict=True)] == exact
    else:
        require_enclosed(found, exact)
    try:
        total = arithmetic.total(found)
    except TooWideError:
        return "terms"
    sums = [exact[0], sum(exact[1:])]
    if isinstance(total, Ratio):
        pairs = zip(total.above.numbers.tolist(), total.below.numbers.tolist(), strict=True)
        assert [Fraction(*pair) for pair in pairs] == sums
    else:
        require_enclosed(total, sums)
    return "total"


@pytest.mark.parametrize("quantity", [Quantity("n"), Quantity("rank")])
def test_what_is_small_is_read(quantity):
    """Products below 2^62 over denominators below 2^33, and what has a few digits, are refused nowhere."""
    numbers = integers([3, 7, 11])
    arithmetic = Arithmetic({"n": lambda: numbers}, {"rank": lambda: numbers}, Segments(integers([0, 1, 2, 3])))
    for expression, ratio in (
        (quantity * (2**57), 2**57),
        (quantity / (2**28), Fraction(1, 2**28)),
        (quantity * (2**62 // 11 - 1), 2**62 // 11 - 1),
        (quantity - lifted(2) * quantity, -1),
        (quantity * quantity / quantity, 1),
        (quantity / (quantity - quantity), 0),
        (quantity**3 / (quantity * quantity), 1),
        (quantity * Fraction(2, 7) + quantity * Fraction(3, 7), Fraction(5, 7)),
    ):
        found = read(expression, arithmetic)
        assert isinstance(found, Ratio)
        above, below = (each.numbers.tolist() for each in map(arithmetic.spread, found))
        assert [Fraction(*pair) for pair in zip(above, below, strict=True)] == [ratio * number for number in (3, 7, 11)]
