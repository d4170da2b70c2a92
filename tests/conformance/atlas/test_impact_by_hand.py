"""Impact, by hand: Kendall's tau of orders with ties, and ends of a range that doubles do not tell apart."""

from dataclasses import replace
from fractions import Fraction

import pytest
from rankspec.conformance.atlas.impact import RunScore, Scored, _span, impact, kendall
from rankspec.oracle import DEFAULT, Qrels, Run, parse_measure
from rankspec.oracle.conventions.axes import NoRelevant
from rankspec.oracle.values import Undefined
from refusals import refused


def scored(**worths):
    """Return runs with exact values, and with doubles that may be off by less than 1e-9."""
    return Scored(
        DEFAULT, {}, {run: RunScore(double, lambda exact=exact: exact) for run, (double, exact) in worths.items()}
    )


def of(*values):
    return scored(**{run: (float(value), Fraction(value)) for run, value in zip("abcd", values, strict=False)})


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [
        ((3, 2, 1), (3, 2, 1), Fraction(1)),
        ((3, 2, 1), (1, 2, 3), Fraction(-1)),
        ((3, 2, 1), (3, 1, 2), Fraction(1, 3)),
        ((2, 2, 1), (5, 5, 4), Fraction(1)),  # equal orders, ties and all
        ((1, 1, 1, 1), (2, 2, 2, 2), Fraction(1)),
        ((2, 2, 1), (3, 2, 1), Fraction(2, 3)),  # a tie that is broken neither agrees nor disagrees
    ],
)
def test_tau(first, second, tau):
    assert kendall(of(*first), of(*second), "abcd"[: len(first)]) == tau


def test_a_run_without_a_value_has_no_tau_and_no_place():
    """By its double, or where that is near another's by its exact value."""
    for nothing in ((float("nan"), Fraction(0)), (1.0, Undefined.SKIP)):
        without = scored(a=nothing, b=(1.0, Fraction(1)))
        assert kendall(of(2, 1), without, "ab") is kendall(without, of(2, 1), "ab") is None
        assert (without.sign("a", "b"), without.sign("b", "a"), without.sign("b", "b")) == (None, None, 0)
    with refused("value-undefined", "none"):
        impact(
            parse_measure("AP"),
            Qrels.of({"q": {"a": 0}}),
            {"none": Run.of({"q": [("a", 1)]})},
            replace(DEFAULT, no_relevant=NoRelevant.NAN),
        )


def test_values_nearer_than_doubles_tell_are_compared_exactly():
    """The doubles are off in the twelfth place, in the wrong order; the exact values are a third and a bit more."""
    third, more = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 2**80)
    two = scored(a=(1 / 3 - 1e-12, more), b=(1 / 3 + 1e-12, third))
    assert (two.sign("a", "b"), two.sign("b", "a"), two.sign("a", "a")) == (1, -1, 0)
    under = [scored(a=(1 / 3, third)), scored(a=(1 / 3 - 1e-12, more)), scored(a=(1 / 3 + 1e-12, third - 1))]
    found = _span("a", under)
    assert (found.lowest.exact, found.base.exact, found.highest.exact) == (third - 1, third, more)
