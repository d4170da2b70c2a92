"""Blocks of undecided order, lists longer than 262,143 documents, and every printed digit: all against exact values."""

from dataclasses import dataclass, replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from campaign import in_campaign, one_in, sizes
from hypothesis import given
from hypothesis import strategies as st
from measure_strategies import naive_says
from naive.values import symbolic
from random_batches import Scored, random_scored, values_of_dicts
from rankspec.oracle import (
    DEFAULT,
    Qrels,
    UndefinedValueError,
    parse_convention,
    parse_measure,
    values_of,
)
from rankspec.oracle.conventions.axes import Interpolation, RbpGain, Ties
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.scoring.batch.fixed import Segments
from rankspec.oracle.scoring.batch.lists import UNJUDGED, lists_of_labels
from rankspec.oracle.scoring.batch.lists import Judged as Grades
from rankspec.oracle.scoring.batch.routes import is_of_whole_ties
from rankspec.oracle.values import Undefined, to_double

EXPECTED = replace(DEFAULT, ties=Ties.EXPECTED)
SETTINGS = (
    *("", "negative_grades=unjudged"),
    "ideal=retrieved-top, rbp_gain=scaled-by-topic, rbp_residual=zero-if-all-judged",
    *("ideal=retrieved, gain=exponential", "no_hits=one", "no_hits=skip, no_relevant=nan"),
    *("denominator=retrieved-relevant, interpolation=trapezoid", "denominator=retrieved-relevant"),
    *("denominator=relevant-in-list, depth=7", "unjudged=removed", "infap_epsilon=1/3, negative_grades=unjudged"),
    *("depth=7", "depth=4, no_hits=nan", "depth=7, unjudged=removed, negative_grades=unjudged"),
    *("interpolation=trapezoid, denominator=min-relevant-length", "interpolation=trapezoid-unanchored"),
    *("interpolation=all-ranks", "interpolation=all-ranks, depth=6"),
)
CERTIFIED = (
    *("AP", "AP@6", "nDCG", "nDCG@6", "DCG@4", "RBP", "RBP@5", "P@5", "R@5", "Rprec", "F@5", "NumRelRet", "SetF"),
    *("SetAP", "AP@R", "ContextPrecision", "ContextPrecision@5"),
)
OTHERS = (
    *("RBPResidual", "RBPResidual@5", "Judged@5", "Unjudged@5", "Utility", "RR", "RR@4", "Success@3", "Bpref"),
    *("Accuracy@20", "Accuracy@4", "ERR", "ERR@5", "Q", "Q@4", "Q(beta=0.5)@6"),
    *("infAP", "infAP(rel=2)", "AP11@4", "IPrec@0.3", "Q(gains={1:1.5})@4"),
)


def under(settings):
    return parse_convention(", ".join(filter(None, ("ties=expected", settings))).join(("default[", "]")))


def drawn(seed, queries=60):
    """Return lists of up to 14 documents in blocks of up to 6, a third of the queries without ties."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 15, queries)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    labels = random.choice([1, 1, 2, 3, 0, 0, -1, UNJUDGED, UNJUDGED], offsets[-1]).astype(np.int64)
    levels = np.repeat(random.choice([2, 4, 1000], queries), sizes)
    scores = np.floor(random.random(offsets[-1]) * levels)
    return Scored(scores, labels, offsets, tuple(random.integers(0, 4, queries).tolist()))


# All settings are tried each time on smaller ties, against the naive oracle.
@pytest.mark.parametrize("queries", sizes(12, 60))
@pytest.mark.parametrize("settings", in_campaign(SETTINGS, but=["", *SETTINGS[2::6]], ids=str))
def test_values_of_ties_are_the_nearest_doubles_of_exact_means(settings, queries):
    """Those of measures that have a form need no exact path, unless a limit divides a tie."""
    for text in (*CERTIFIED, *OTHERS):
        values = drawn(len(text), queries).values(parse_measure(text), under(settings))
        for query in range(values.lists.queries):
            exact = value_of(values.ranking_of(query), values.measure, values.convention)
            if isinstance(exact, Undefined):
                assert values.undefined[query] is exact, text
            else:
                assert values.doubles[query] == to_double(exact), (text, query)
        assert values.lists.tied.sum() > queries // 5, text
        measure, convention = values.measure, values.convention
        is_cut = measure.k is not None or measure.family.limit_is_relevant
        is_read = convention.interpolation is Interpolation.STEP or not measure.family.is_area
        is_read &= convention.rbp_gain is RbpGain.BINARY or measure.name != "RBP"
        if convention.depth is None and (not is_cut or is_of_whole_ties(measure, convention)):
            assert values.certified.all() == (text in CERTIFIED and is_read), text
        elif text in CERTIFIED:
            assert values.certified[~values.lists.tied].all() == is_read, text


@one_in(3)
@pytest.mark.parametrize("settings", SETTINGS)
def test_values_of_ties_are_those_of_the_naive_oracle(settings):
    """Which takes every order of every block, of up to 5 documents here."""
    qrels, run = random_scored(len(settings), 16, 5)
    convention = under(settings)
    for text in (*CERTIFIED, *OTHERS):
        measure = parse_measure(text)
        found = values_of_dicts(
            measure, Qrels.of(qrels), {query: dict(each) for query, each in run.items()}, convention
        )
        _, expected = naive_says(measure, qrels, run, convention)
        for place, query in enumerate(qrels):
            value = expected[query]
            if isinstance(value, str):
                assert found.undefined[place].value == value
            else:
                assert found.doubles[place] == float(sympy.N(symbolic(value), 40)), (text, query)


def test_a_grade_beyond_the_highest_one_is_an_error():
    scored = Scored(np.array([1.0, 1.0]), np.array([5, 0]), np.array([0, 2]))
    with pytest.raises(UndefinedValueError, match="grade 5 is above the highest one"):
        scored.values(parse_measure("ERR"), EXPECTED)
    scale = replace(EXPECTED, err_max_grade=5)
    assert scored.values(parse_measure("ERR"), scale).doubles.tolist() == [31 / 32 * 0.75]
    assert scored.values(parse_measure("ERR"), replace(EXPECTED, err_max_grade=19)).by_exact_path.all()


FAR_DOWN = ("nDCG", "AP@100000")


@pytest.mark.parametrize("text", in_campaign(("AP", *FAR_DOWN), but=["AP"], ids=str))
def test_blocks_far_down_are_enclosed(text):
    """Behind 260,000 documents in strict order stand blocks of 2 and 600: factors are as large as they get."""
    hits = np.arange(1000, 260_000, 2000)
    labels = np.full(260_602, UNJUDGED)
    labels[[*hits, 260_001, 260_003, 260_200, 260_500]] = 1
    scores = np.concatenate((np.arange(260_000, 0, -1.0), [0, 0], np.full(600, -1.0)))
    scored = Scored(scores, labels, np.array([0, labels.size]))
    values = scored.values(parse_measure(text), EXPECTED)
    assert values.certified.all()
    assert values.doubles[0] == to_double(value_of(values.ranking_of(0), values.measure, values.convention))


MEASURES = ("AP", "nDCG", "RR", "P@10", "P@160", "P@4000", "P@131072", "P@1000003", "Bpref")
PRECISION = 600
FLOOR = Fraction(1, 100_000)


@dataclass(frozen=True)
class GradedList:
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
JUDGED = st.builds(GradedList, GRADES, st.lists(st.integers(1, 3), min_size=1, max_size=9).map(tuple))
BINARY = [GradedList((None,) * above + (1,), (1,) * more) for above in (0, 1, 3, 7, 31) for more in (0, 1, 3, 63)]
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
    values = values_of(parse_measure("AP"), lists_of([GradedList((0,), ())]), parse_convention(f"default[{setting}]"))
    with pytest.raises(TypeError):
        values.mean_decimal(4)


def test_a_total_of_means_over_a_tie_is_rounded_once():
    """Of 5 tied documents with 2 hits, and of 5 with 1, the first 3 have 6/5 and 3/5 hits on average: 9/5 in all."""
    scored = Scored(np.ones(10), np.array([1, 1, 0, 0, 0, 1, 0, 0, 0, 0]), np.array([0, 5, 10]))
    values = scored.values(parse_measure("NumRelRet"), parse_convention("default[ties=expected, depth=3]"))
    assert values.mean().double == 1.8
    assert 1.2 + 0.6 != 1.8
    assert values.mean_decimal(20) == 18 * 10**19


def test_a_tie_beyond_the_cutoff_reaches_no_kernel_without_a_form_for_it():
    """Of 40 tied documents with one hit, P@1 to P@3 are 1/40 each on average, and so is their mean."""
    scored = Scored(np.ones(40), np.eye(1, 40, 39, dtype=np.int64)[0], np.array([0, 40]))
    convention = parse_convention("default[ties=expected, interpolation=all-ranks]")
    values = scored.values(parse_measure("AP@3"), convention)
    assert values.mean().double == 1 / 40
