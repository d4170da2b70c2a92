"""Blocks of undecided order by kernels, against the exact mean over their orders."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
from campaign import in_campaign, one_in, sizes
from measure_strategies import naive_says
from naive.values import symbolic
from random_batches import random_scored
from rankspec.oracle.conventions.axes import Interpolation, RbpGain, Ties
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.language.expression import parse_convention, parse_measure
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.scoring.batch.fixed import Segments, Table
from rankspec.oracle.scoring.batch.lists import UNJUDGED, Judged, Places
from rankspec.oracle.scoring.batch.routes import is_of_whole_ties
from rankspec.oracle.scoring.batch.tied_blocks import Blocks
from rankspec.oracle.scoring.batch.values import Scored, values_of_scored
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
CERTIFIED = (*("AP", "AP@6", "nDCG", "nDCG@6", "DCG@4", "RBP", "RBP@5", "RBPResidual", "RBPResidual@5"),)
OTHERS = (
    *("P@5", "R@5", "Rprec", "F@5", "Judged@5", "Unjudged@5", "NumRelRet", "SetF", "SetAP", "Utility"),
    *("RR", "RR@4", "Success@3", "Bpref", "AP@R", "ContextPrecision", "ContextPrecision@5"),
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
    missing = random.integers(0, 4, queries)
    starts, grades = [0], []
    for query in range(queries):
        listed = labels[offsets[query] : offsets[query + 1]]
        grades += [*listed[listed != UNJUDGED].tolist(), *[1] * int(missing[query])]
        starts.append(len(grades))
    judged = Judged(Segments(np.array(starts, np.int64)), np.array(grades, np.int64))
    return Scored(scores, labels, offsets, judged=judged)


# All settings are tried each time on smaller ties, against the naive oracle.
@pytest.mark.parametrize("queries", sizes(12, 60))
@pytest.mark.parametrize("settings", in_campaign(SETTINGS, but=["", *SETTINGS[2::6]], ids=str))
def test_values_of_ties_are_the_nearest_doubles_of_exact_means(settings, queries):
    """Those of measures that have a form need no exact path, unless a limit divides a tie."""
    for text in (*CERTIFIED, *OTHERS):
        values = values_of_scored(parse_measure(text), drawn(len(text), queries), under(settings))
        for query in range(values.lists.queries):
            exact = value_of(values.ranking_of(query), values.measure, values.convention)
            if isinstance(exact, Undefined):
                assert values.undefined[query] is exact, text
            else:
                assert values.doubles[query] == to_double(exact), (text, query)
        assert values.lists.tied.sum() > queries // 5, text
        measure, convention = values.measure, values.convention
        is_cut = measure.k is not None or measure.family.limit_is_relevant
        if convention.depth is None and (not is_cut or is_of_whole_ties(measure, convention)):
            has_form = not measure.family.is_area or convention.interpolation is Interpolation.STEP
            assert values.certified.all() == (text in CERTIFIED and has_form), text
        elif text in CERTIFIED:
            assert values.certified[~values.lists.tied].all(), text


@one_in(3)
@pytest.mark.parametrize("settings", SETTINGS)
def test_values_of_ties_are_those_of_the_naive_oracle(settings):
    """Which takes every order of every block, of up to 5 documents here."""
    given, qrels, run = random_scored(len(settings), 16, 5)
    convention = under(settings)
    for text in (*CERTIFIED, *OTHERS):
        measure = parse_measure(text)
        found = values_of_scored(measure, given, convention)
        _, expected = naive_says(measure, qrels, run, convention)
        for place, query in enumerate(qrels):
            value = expected[query]
            if isinstance(value, str):
                assert found.undefined[place].value == value
            else:
                assert found.doubles[place] == float(sympy.N(symbolic(value), 40)), (text, query)


@one_in(2)
@pytest.mark.parametrize("text", ["RBP", "RBP(p=0.2)@700", "RBP(p=0.99)", "RBP(p=0.9999)"])
@pytest.mark.parametrize("gain", list(RbpGain))
def test_ties_far_down_are_certified(text, gain):
    """Their weights vanish beside 1, but not beside that of the first block; of readers who hardly stop, they don't."""
    random = np.random.default_rng(len(text))
    sizes = random.integers(300, 1200, 20)
    labels = np.where(random.random(sizes.sum()) < 0.004, random.integers(1, 4, sizes.sum()), UNJUDGED)
    scores = np.floor(random.random(sizes.sum()) * 100)
    scored = Scored(scores, labels, np.concatenate(([0], np.cumsum(sizes))))
    values = values_of_scored(parse_measure(text), scored, replace(EXPECTED, rbp_gain=gain))
    assert values.doubles.tolist() == [to_double(values.exact_of(query)) for query in range(sizes.size)]
    assert values.certified[(values.doubles > 2.0**-950) | (values.doubles == 0)].all()
    assert ((values.doubles < 2.0**-60) & (values.doubles > 0)).any() or text in {"RBP(p=0.99)", "RBP(p=0.9999)"}


def test_a_grade_beyond_the_highest_one_is_an_error():
    scored = Scored(np.array([1.0, 1.0]), np.array([5, 0]), np.array([0, 2]))
    with pytest.raises(UndefinedValueError, match="grade 5 is above the highest one"):
        values_of_scored(parse_measure("ERR"), scored, EXPECTED)
    scale = replace(EXPECTED, err_max_grade=5)
    assert values_of_scored(parse_measure("ERR"), scored, scale).doubles.tolist() == [31 / 32 * 0.75]
    assert values_of_scored(parse_measure("ERR"), scored, replace(EXPECTED, err_max_grade=19)).by_exact_path.all()


FAR_DOWN = ("nDCG", "AP@100000")


@pytest.mark.parametrize("text", in_campaign(("AP", *FAR_DOWN), but=["AP"], ids=str))
def test_blocks_far_down_are_enclosed(text):
    """Behind 260,000 documents in strict order stand blocks of 2 and 600: factors are as large as they get."""
    hits = np.arange(1000, 260_000, 2000)
    labels = np.full(260_602, UNJUDGED)
    labels[[*hits, 260_001, 260_003, 260_200, 260_500]] = 1
    scores = np.concatenate((np.arange(260_000, 0, -1.0), [0, 0], np.full(600, -1.0)))
    scored = Scored(scores, labels, np.array([0, labels.size]))
    values = values_of_scored(parse_measure(text), scored, EXPECTED)
    assert values.certified.all()
    assert values.doubles[0] == to_double(value_of(values.ranking_of(0), values.measure, values.convention))


@pytest.mark.parametrize("limit", [None, 40])
def test_sums_over_blocks_are_enclosed(limit):
    """Two lists: blocks of 30 (gains 2 and 1) behind 7 documents, of 5 behind 37; a block of 50 at the top."""
    segments = Segments(np.array([0, 3, 4]))
    places = Places(segments, np.array([37, 37, 42, 50]), np.array([7, 7, 37, 0]), np.ones(4, np.int64))
    blocks = Blocks.of(places, np.array([2, 1, 4, 1]), limit)
    tops = [[(3, 7, 30), (4, 37, 5)], [(1, 0, 50)]]
    sums = blocks.weighed(Table.reciprocals(50).harmonic())
    for (least, most), listed in zip(sums.ends(), tops, strict=True):
        exact = sum(
            Fraction(gain, size * rank)
            for gain, top, size in listed
            for rank in range(top + 1, min(top + size, limit or 50) + 1)
        )
        assert least <= exact * 2**sums.bits <= most <= least + 100


def test_sums_of_precisions_over_blocks_are_enclosed():
    """A hit at rank 3, and 5 of 300 documents behind 7,000."""
    places = Places(Segments(np.array([0, 6])), np.array([3, *[7300] * 5]), np.array([2, *[7000] * 5]), np.ones(6, int))
    sums = Blocks.of(places, np.ones(6, np.int64), None).precisions(2)
    exact = Fraction(1, 3) + sum(
        Fraction(5, 300) * (2 + Fraction(4 * (place - 1), 299)) / (7000 + place) for place in range(1, 301)
    )
    (ends,) = sums.ends()
    assert ends[0] <= exact * 2**sums.bits <= ends[1] <= ends[0] + 2**20
