"""Every digit that is printed: a naive model's fractions and long logarithms, rounded half to even."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankspec.oracle import Scored, parse_convention, parse_measure, values_of_scored
from rankspec.oracle.scoring.batch.fixed import Segments
from rankspec.oracle.scoring.batch.lists import UNJUDGED, lists_of_labels
from rankspec.oracle.scoring.batch.lists import Judged as Grades
from rankspec.oracle.scoring.batch.values import values_of

MEASURES = ("AP", "nDCG", "RR", "P@10", "P@160", "P@4000", "P@131072", "P@1000003", "Bpref")
PRECISION = 600
FLOOR = Fraction(1, 100_000)


@dataclass(frozen=True)
class Judged:
    """The grades of a list in its order, and of the relevant documents that it lacks; a document without is None."""

    grades: tuple[int | None, ...]
    missing: tuple[int, ...] = ()

    @property
    def hits(self):
        return [rank for rank, grade in enumerate(self.grades, 1) if grade]

    @property
    def relevant(self):
        return sorted([grade for grade in (*self.grades, *self.missing) if grade], reverse=True)

    def value(self, measure):
        """Return a value; that of nDCG to hundreds of digits."""
        name, _, k = measure.partition("@")
        if name == "AP":
            precisions = (Fraction(count, rank) for count, rank in enumerate(self.hits, 1))
            return sum(precisions, Fraction(0)) / len(self.relevant)
        if name == "RR":
            return Fraction(1, self.hits[0]) if self.hits else Fraction(0)
        if name == "P":
            return Fraction(sum(rank <= int(k) for rank in self.hits), int(k))
        if name == "Bpref":
            return self._bpref()
        with mpmath.workprec(PRECISION):
            found = mpmath.fsum(grade / mpmath.log(rank + 1, 2) for rank, grade in enumerate(self.grades, 1) if grade)
            ideal = mpmath.fsum(grade / mpmath.log(rank + 1, 2) for rank, grade in enumerate(self.relevant, 1))
            return as_fraction(found / ideal)

    def _bpref(self):
        number, nonrelevant = len(self.relevant), sum(grade == 0 for grade in self.grades)
        total = Fraction(0)
        for rank in self.hits:
            above = min(sum(grade == 0 for grade in self.grades[: rank - 1]), number)
            total += 1 - Fraction(above, min(number, nonrelevant)) if above else 1
        return total / number


def as_fraction(number):
    _, mantissa, exponent, _ = number._mpf_
    return int(mantissa) * Fraction(2) ** int(exponent)


def geometric(values):
    with mpmath.workprec(PRECISION):
        floored = [max(value, FLOOR) for value in values]
        logs = [mpmath.log(mpmath.mpf(value.numerator) / value.denominator) for value in floored]
        return as_fraction(mpmath.exp(mpmath.fsum(logs) / len(logs)))


def rounded(value, digits):
    return round(value * 10**digits)  # half to even


GRADES = st.lists(st.sampled_from([None, 0, 0, 1, 2, 3]), max_size=40).map(tuple)
JUDGED = st.builds(Judged, GRADES, st.lists(st.integers(1, 3), min_size=1, max_size=9).map(tuple))
BINARY = [Judged((None,) * above + (1,), (1,) * more) for above in (0, 1, 3, 7, 31) for more in (0, 1, 3, 63)]
"""Values such as 1/2, 1/8, 1/2048: decimals end half-way between two shorter ones."""


def lists_of(queries):
    labels = [UNJUDGED if grade is None else grade for query in queries for grade in query.grades]
    known = [[grade for grade in query.grades if grade is not None] + [*query.missing] for query in queries]
    starts = np.cumsum([0, *map(len, known)])
    grades = Grades(Segments(starts), np.array([grade for each in known for grade in each], np.int64))
    return lists_of_labels(np.array(labels, np.int64), np.cumsum([0, *(len(q.grades) for q in queries)]), judged=grades)


@given(st.lists(st.one_of(JUDGED, st.sampled_from(BINARY)), min_size=1, max_size=20), st.integers(1, 60))
def test_decimals_are_those_of_exact_values(queries, digits):
    lists = lists_of(queries)
    for measure in MEASURES:
        exact = [query.value(measure) for query in queries]
        values = values_of(parse_measure(measure), lists)
        assert values.decimals(digits) == {place: rounded(value, digits) for place, value in enumerate(exact)}
        assert values.mean_decimal(digits) == rounded(sum(exact, Fraction(0)) / len(exact), digits)
    exact = [query.value("AP") for query in queries]
    assert values_of(parse_measure("GMAP"), lists).mean_decimal(digits) == rounded(geometric(exact), digits)


@pytest.mark.parametrize("setting", ["no_relevant=nan", "no_relevant=skip"])
def test_what_is_no_number_has_no_digits(setting):
    values = values_of(parse_measure("AP"), lists_of([Judged((0,), ())]), parse_convention(f"default[{setting}]"))
    with pytest.raises(TypeError):
        values.mean_decimal(4)


def test_a_total_of_means_over_a_tie_is_rounded_once():
    """Of 5 tied documents with 2 hits, and of 5 with 1, the first 3 have 6/5 and 3/5 hits on average: 9/5 in all."""
    scored = Scored(np.ones(10), np.array([1, 1, 0, 0, 0, 1, 0, 0, 0, 0]), np.array([0, 5, 10]))
    values = values_of_scored(parse_measure("NumRelRet"), scored, parse_convention("default[ties=expected, depth=3]"))
    assert values.mean().double == 1.8
    assert 1.2 + 0.6 != 1.8
    assert values.mean_decimal(20) == 18 * 10**19


def test_a_tie_beyond_the_cutoff_reaches_no_kernel_without_a_form_for_it():
    """Of 40 tied documents with one hit, P@1 to P@3 are 1/40 each on average, and so is their mean."""
    scored = Scored(np.ones(40), np.eye(1, 40, 39, dtype=np.int64)[0], np.array([0, 40]))
    convention = parse_convention("default[ties=expected, interpolation=all-ranks]")
    values = values_of_scored(parse_measure("AP@3"), scored, convention)
    assert values.mean().double == 1 / 40
