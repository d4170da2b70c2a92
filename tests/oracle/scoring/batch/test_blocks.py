"""Blocks of undecided order by kernels, against the exact mean over their orders."""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from campaign import in_campaign, one_in, sizes
from measure_strategies import naive_says
from naive.values import symbolic
from random_batches import random_scored
from rankspec.oracle.conventions.axes import RbpGain, Ties
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.measure import effective
from rankspec.oracle.definitions.expression import COUNT, HIT, MISSED, RANK
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.language.expression import parse_convention, parse_measure
from rankspec.oracle.measures.list_terms import Kind, ListTerms
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.scoring.batch.evaluated import EvaluatedLists
from rankspec.oracle.scoring.batch.fixed import Segments, Table
from rankspec.oracle.scoring.batch.kernels.graded import _reached
from rankspec.oracle.scoring.batch.lists import UNJUDGED, Judged, Lists, Places
from rankspec.oracle.scoring.batch.routes import is_of_whole_ties
from rankspec.oracle.scoring.batch.spread import Blocks, behind_hits, first_hits, law
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
CERTIFIED = (
    *("AP", "AP@6", "nDCG", "nDCG@6", "DCG@4", "RBP", "RBP@5", "RBPResidual", "RBPResidual@5"),
    *("P@5", "R@5", "Rprec", "F@5", "Judged@5", "Unjudged@5", "NumRelRet", "SetF", "SetAP", "Utility"),
    *("RR", "RR@4", "Success@3", "Bpref", "AP@R", "ContextPrecision", "ContextPrecision@5"),
    *("Accuracy@20", "Accuracy@4", "ERR", "ERR@5", "Q", "Q@4", "Q(beta=0.5)@6"),
)
OTHERS = ("infAP", "infAP(rel=2)", "AP11@4", "IPrec@0.3", "Q(gains={1:1.5})@4")


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
            assert values.certified.all() == (text in CERTIFIED), text
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
@pytest.mark.parametrize("relevant", [1, 2, 1000, 200_000])
@pytest.mark.parametrize("text", ["RR", "Bpref"])
def test_a_long_tie_at_the_top(text, relevant):
    """RR of r hits in n documents is r/(n - r + 1) (H(n) - H(r - 1)); of Bpref 0 to n - r others stand above a hit."""
    size = 200_000
    labels = np.repeat([1, 0], [relevant, size - relevant])
    values = values_of_scored(parse_measure(text), Scored(np.zeros(size), labels, np.array([0, size])), EXPECTED)
    bound = min(relevant, size - relevant)
    lost = sum(min(above, bound) for above in range(size - relevant + 1))
    with mpmath.workdps(60):
        harmonic = mpmath.harmonic(size) - mpmath.harmonic(relevant - 1)
        first_hit = float(mpmath.mpf(relevant) / (size - relevant + 1) * harmonic)
    expected = {"RR": first_hit, "Bpref": to_double(1 - Fraction(lost, (size - relevant + 1) * max(bound, 1)))}
    assert values.certified.all()
    assert values.doubles.tolist() == [expected[text]]


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


@pytest.mark.parametrize("ties", [Ties.INPUT_ORDER, Ties.EXPECTED])
def test_readers_stop_before_the_end(ties):
    """After 945 documents that let 15 of 16 go on, 88 bits of a chance are gone; another list goes on."""
    labels = np.concatenate((np.ones(2000, np.int64), np.zeros(800, np.int64), [4, 4]))
    scores = np.concatenate((np.repeat(np.arange(1000.0, 0, -1), 2), np.arange(802, 0, -1.0)))
    values = values_of_scored(
        parse_measure("ERR"), Scored(scores, labels, np.array([0, 2000, 2802])), replace(DEFAULT, ties=ties)
    )
    assert values.certified.all()
    assert values.doubles.tolist() == [to_double(values.exact_of(query)) for query in range(2)]


def test_chances_to_get_to_a_document_are_enclosed():
    """Of three lists the first goes on behind what 88 bits hold, the second is empty, the third ends before."""
    goes_on = np.array([15] * 1100 + [9, 1, 15])
    reached = _reached(Segments(np.array([0, 1100, 1100, 1103])), goes_on, 4, 2)
    exact = [Fraction(15, 16) ** place for place in range(1100)] + [Fraction(1), Fraction(9, 16), Fraction(9, 256)]
    for (least, most), chance in zip(reached.ends(), exact, strict=True):
        assert least <= chance * 2**reached.bits <= most <= least + 40


def test_a_grade_beyond_the_highest_one_is_an_error():
    scored = Scored(np.array([1.0, 1.0]), np.array([5, 0]), np.array([0, 2]))
    with pytest.raises(UndefinedValueError, match="grade 5 is above the highest one"):
        values_of_scored(parse_measure("ERR"), scored, EXPECTED)
    scale = replace(EXPECTED, err_max_grade=5)
    assert values_of_scored(parse_measure("ERR"), scored, scale).doubles.tolist() == [31 / 32 * 0.75]
    assert values_of_scored(parse_measure("ERR"), scored, replace(EXPECTED, err_max_grade=19)).by_exact_path.all()


def test_chances_to_have_the_first_hit_are_enclosed():
    """Two lists: of 7 hits among 12,000 documents behind 5; none; a hit in strict order."""
    segments = Segments(np.array([0, 7, 7, 8]))
    places = Places(segments, np.array([*[12_005] * 7, 3]), np.array([*[5] * 7, 2]), np.ones(8, np.int64))
    judged = Judged(segments, np.ones(8, np.int64))
    measure = parse_measure("RR")
    given = Lists(places, np.array([13_000, 2, 3]), judged, np.array([True, False, False]))
    spread = first_hits(EvaluatedLists(given, measure, effective(measure, EXPECTED)), 2)
    assert spread.segments.starts.tolist() == [0, 11_994, 11_994, 11_995]
    assert spread.of_ranks["rank"]().tolist() == [*range(6, 12_000), 3]
    exact = [Fraction(math.comb(12_000 - place, 6), math.comb(12_000, 7)) for place in range(1, 11_995)]
    for (least, most), chance in zip(spread.chance.ends(), [*exact, Fraction(1)], strict=True):
        assert least <= chance * 2**spread.chance.bits <= most <= least + 2


FAR_DOWN = ("nDCG", "Q", "AP@100000", "RR", "Success@260100", "Bpref", "ContextPrecision", "ERR")


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


@pytest.mark.parametrize(
    "term",
    [
        *(lambda count, _, rank: count / rank, lambda _, missed, rank: 2 - missed / rank),
        *(lambda count, *_: count * count, lambda count, missed, rank: count * missed / rank),
        *(lambda count, _, rank: rank / count, lambda _, missed, __: 1 / (missed + 1)),
        *(lambda count, _, rank: count * (rank - count), lambda *places: places[1] / places[0]),
    ],
)
def test_means_are_put_in_where_they_give_the_mean_over_the_orders(term):
    """Three hits and two misses in any order, behind a hit and a miss: so many stand above each place on average."""
    behind, block = Kind(hit=1), [Kind(hit=1)] * 3 + [Kind()] * 2
    *_, exact = ListTerms(HIT * term(COUNT, MISSED, RANK), {}).of_blocks([(behind,), (Kind(),), block])
    counts = [2 + Fraction(place * 2, 4) for place in range(5)]
    places = [(count, rank - count, Fraction(rank)) for rank, count in enumerate(counts, 3)]
    put_in = Fraction(3, 5) * sum(term(*place) for place in places)
    assert (law(HIT * term(COUNT, MISSED, RANK)) is behind_hits) == (sum(exact) == put_in)
