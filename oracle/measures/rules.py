"""What an undefined value is worth, and the mean over the lists that a limit can leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from rankspec.oracle.conventions.axes import NoHits, NoRelevant
from rankspec.oracle.reals.real import weighted_sum
from rankspec.oracle.values import Exact, Undefined, worst

RULES: Mapping[NoRelevant | NoHits, Exact] = {
    NoRelevant.ZERO: Fraction(0),
    NoRelevant.ONE: Fraction(1),
    NoRelevant.NAN: Undefined.NAN,
    NoRelevant.SKIP: Undefined.SKIP,
    NoRelevant.ERROR: Undefined.ERROR,
    NoHits.ZERO: Fraction(0),
    NoHits.ONE: Fraction(1),
    NoHits.NAN: Undefined.NAN,
    NoHits.SKIP: Undefined.SKIP,
    NoHits.ERROR: Undefined.ERROR,
}
"""What a rule for an undefined value says. Clauses undefined.no-relevant.*, undefined.no-hits.*."""


def mean_over_lists(outcomes: Iterable[tuple[Fraction, Exact]]) -> Exact:
    """Return the mean of values with their probabilities; `error` beats `skip` beats `nan` beats a number."""
    weighted = list(outcomes)
    undefined = worst(value for _, value in weighted)
    if undefined is not None:
        return undefined
    return weighted_sum((weight, value) for weight, value in weighted if not isinstance(value, Undefined))
