"""Blocks of undecided order by kernels, against the exact mean over their orders."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from rankspec.oracle.conventions.axes import Denominator, Ideal, NegativeGrades, NoHits, RbpGain, Ties, Unjudged
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.scoring.batch.blocks import Blocks
from rankspec.oracle.scoring.batch.fixed import Segments, Table
from rankspec.oracle.scoring.batch.lists import UNJUDGED, Judged, Places
from rankspec.oracle.scoring.batch.scored import Scored, values_of_scored
from rankspec.oracle.values import to_double

EXPECTED = replace(DEFAULT, ties=Ties.EXPECTED)
CONVENTIONS = {
    "default": EXPECTED,
    "negative grades unjudged": replace(EXPECTED, negative_grades=NegativeGrades.UNJUDGED),
    "ideal of the list": replace(EXPECTED, ideal=Ideal.RETRIEVED_TOP, rbp_gain=RbpGain.SCALED_BY_TOPIC),
    "no hits are 1": replace(EXPECTED, no_hits=NoHits.ONE),
    "over hits": replace(EXPECTED, denominator=Denominator.RETRIEVED_RELEVANT),
    "removed": replace(EXPECTED, unjudged=Unjudged.REMOVED),
    "deep": replace(EXPECTED, depth=7),
}
CERTIFIED = (
    *("AP", "AP@6", "nDCG", "nDCG@6", "DCG@4", "RBP", "RBP@5"),
    *("P@5", "R@5", "Rprec", "F@5", "Judged@5", "NumRelRet", "SetF"),
)
OTHERS = ("RR", "RR@4", "infAP", "Bpref", "ERR@5", "Success@3", "AP@R", "RBPResidual@5", "Unjudged@5")


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


@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=CONVENTIONS)
@pytest.mark.parametrize("text", [*CERTIFIED, *OTHERS])
def test_values_of_ties_are_the_nearest_doubles_of_exact_means(text, convention):
    measure = parse_measure(text)
    values = values_of_scored(measure, drawn(len(text)), convention)
    for query in range(values.lists.queries):
        exact = value_of(values.ranking_of(query), values.measure, values.convention)
        assert values.doubles[query] == to_double(exact), query


@pytest.mark.parametrize("text", CERTIFIED)
def test_no_tie_needs_the_exact_path_where_there_is_a_form(text):
    values = values_of_scored(parse_measure(text), drawn(1), EXPECTED)
    assert values.certified.all()
    assert (values.lists.tied.sum(), values.lists.queries) == (37, 60)


@pytest.mark.parametrize("text", ["AP", "AP@100000", "nDCG"])
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
