"""Lists longer than 262,143 documents: certified where the ranks of relevant documents are enough, to the last bit."""

import operator
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from rankspec.oracle.conventions.axes import RecallGrid, Ties
from rankspec.oracle.language.expression import parse_convention, parse_measure
from rankspec.oracle.reals.real import log_sum, quotient
from rankspec.oracle.scoring.batch.fixed import Segments
from rankspec.oracle.scoring.batch.kernels.areas import Curves
from rankspec.oracle.scoring.batch.lists import Judged, Lists, Places
from rankspec.oracle.scoring.batch.values import values_of
from rankspec.oracle.values import to_double

LENGTHS = (262_143, 262_144, 524_287, 524_288, 2**24, 2**31 - 1, 10)


def lists(tied=None):
    """Return a list of each length with three relevant documents: the third, one in the middle, the last."""
    ranks = np.array([rank for length in LENGTHS for rank in (3, length // 2 + 3, length)], np.int64)
    segments = Segments(np.arange(0, ranks.size + 1, 3))
    tops = None if tied is None else ranks - 1
    ones = np.ones_like(ranks)
    return Lists(Places(segments, ranks, tops, ones), np.array(LENGTHS), Judged(segments, ones), tied)


def of_definition(text, setting, length):
    ranks = (3, length // 2 + 3, length)
    if setting:
        return of_interpolation(setting, ranks)
    precisions = sum(Fraction(count, rank) for count, rank in enumerate(ranks, start=1))
    discounts = [(Fraction(1), rank + 1) for rank in ranks]
    misses_above = log_sum((Fraction(1, 3), 2 + rank - count) for count, rank in enumerate(ranks, start=1))
    return {
        "AP": precisions / 3,
        "BinG": misses_above,
        "G": misses_above,
        "ContextPrecision": precisions / 3,
        "RR": Fraction(1, 3),
        "P@1000000": Fraction(3 if length <= 1_000_000 else 1, 1_000_000),
        "SetP": Fraction(3, length),
        "DCG": log_sum(discounts),
        "nDCG": quotient(log_sum(discounts), log_sum([(Fraction(1), rank + 1) for rank in (1, 2, 3)])),
        # The first hit gains at each of the three, the second at two.
        "nDCGRel": quotient(
            log_sum((3 - place, rank + 1) for place, rank in enumerate(ranks)),
            log_sum([(Fraction(3), rank + 1) for rank in (1, 2, 3)]),
        ),
    }[text]


def of_interpolation(setting, ranks):
    precisions = [Fraction(count, rank) for count, rank in enumerate(ranks, start=1)]
    best = [max(precisions[place:]) for place in range(3)]
    before = [Fraction(count, rank - 1) for count, rank in enumerate(ranks)]
    trapezoids = sum(map(operator.add, before, precisions)) / 6
    levels = {"11-point": 10, "101-point": 100}.get(setting, 1)
    at_levels = [best[max(-(-3 * level // levels), 1) - 1] for level in range(levels + 1)]
    return {
        "envelope": sum(best) / 3,
        "11-point": sum(at_levels) / 11,
        "101-point": sum(at_levels) / 101,
        "trapezoid": trapezoids,
        "trapezoid-unanchored": trapezoids,
        "step": best[1],
    }[setting]


@pytest.mark.parametrize("is_higher", [True, False])
def test_precisions_that_differ_little_are_told_apart_far_down(is_higher):
    """The last two of 262,144 hits: 262,143/r and 262,144/r', r' the last rank where it is higher, or the next one."""
    number, first = 262_143, 2**31 - 10_000
    last = first * (number + 1) // number + (not is_higher)
    ranks = np.concatenate((np.arange(10**9, 10**9 + number - 1), [first, last]))
    assert (Fraction(number + 1, last) >= Fraction(number, first)) is is_higher
    hits = Places(Segments(np.array([0, ranks.size])), ranks, None, np.ones_like(ranks))
    curves = Curves(hits, np.array([ranks.size]), RecallGrid.EXACT)
    assert curves.best_from[-2:].tolist() == [number if is_higher else number - 1, number]


@pytest.mark.campaign
def test_a_denominator_that_is_too_large_is_left_to_exact_arithmetic():
    """Trapezoids are divided by twice the length. A shorter list beside it, of a hit, stays certified."""
    length = 300_000
    ranks = np.array([2, length, 1])
    segments = Segments(np.array([0, 2, 3]))
    given = Lists(
        Places(segments, ranks, None, np.ones_like(ranks)), np.array([length, 1]), Judged(segments, np.ones(3, int))
    )
    values = values_of(
        parse_measure("AP"), given, parse_convention("default[interpolation=trapezoid, denominator=length]")
    )
    area = (Fraction(1, 2) + Fraction(1, length - 1) + Fraction(2, length)) / (2 * length)
    assert values.doubles.tolist() == [to_double(area), 1.0]
    assert values.by_exact_path.tolist() == [True, False]


@pytest.mark.parametrize("text", ["RBP", "RBP(p=0.999999)", "RBP(p=0.999999999)", "RBPResidual(p=0.9999999)"])
def test_readers_who_go_far_have_no_cliff(text):
    measure = parse_measure(text)
    values = values_of(measure, lists())
    assert values.certified.all()
    with mpmath.workdps(100):
        p = mpmath.mpf((measure.p or Fraction(4, 5)).numerator) / (measure.p or Fraction(4, 5)).denominator
        for place, length in enumerate(LENGTHS):
            found = sum((1 - p) * p ** (rank - 1) for rank in (3, length // 2 + 3, length))
            assert values.doubles[place] == float(1 - found if "Residual" in text else found), length


def test_what_is_too_far_down_for_a_double_is_0():
    segments = Segments(np.array([0, 1, 2]))
    ranks = np.array([400_000, 2**31 - 1])
    given = Lists(Places(segments, ranks, None, np.ones(2, np.int64)), ranks, Judged(segments, np.ones(2, np.int64)))
    for text in ("RBP", "RBP(p=0.99999999)"):
        values = values_of(parse_measure(text), given)
        assert values.certified.all()
        with mpmath.workdps(60):
            far = [float(mpmath.mpf(10) ** -8 * (1 - mpmath.mpf(10) ** -8) ** (int(rank) - 1)) for rank in ranks]
        assert values.doubles.tolist() == ([0.0, 0.0] if text == "RBP" else far)


@pytest.mark.parametrize("ties", [Ties.INPUT_ORDER, Ties.EXPECTED])
@pytest.mark.parametrize(
    ("text", "setting"),
    [
        *((text, "") for text in ("AP", "ContextPrecision", "RR", "P@1000000", "SetP", "DCG", "nDCG", "nDCGRel")),
        *(("BinG", ""), ("G", ""), ("IPrec@0.5", "step")),
        *(("AP", each) for each in ("envelope", "11-point", "101-point", "trapezoid", "trapezoid-unanchored")),
    ],
)
def test_there_is_no_cliff(text, setting, ties):
    given = lists(np.zeros(len(LENGTHS), np.bool_) if ties is Ties.EXPECTED else None)
    convention = parse_convention(f"default[interpolation={setting}]" if setting and text == "AP" else "default")
    values = values_of(parse_measure(text), given, replace(convention, ties=ties))
    assert values.certified.all()
    for place, length in enumerate(LENGTHS):
        assert values.doubles[place] == to_double(of_definition(text, setting, length)), length


def test_what_is_known_is_enclosed_with_more_digits():
    found = values_of(parse_measure("AP"), lists()).decimals(30)
    assert [*found.values()] == [round(of_definition("AP", "", length) * 10**30) for length in LENGTHS]
