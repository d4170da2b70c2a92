"""The batch against the exact oracle: the same doubles, query by query and in the mean, on every setting."""

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from campaign import in_campaign, seeded
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_batches import Scored, random_batch, random_scored, values_of_dicts
from rankspec.oracle import Qrels, Run, UndefinedValueError, evaluate, parse_convention, parse_measure
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import effective, meaningless
from rankspec.oracle.reals.deciding import nearest_decimal
from rankspec.oracle.scoring.batch.evaluated import is_read
from rankspec.oracle.scoring.batch.fixed import Segments
from rankspec.oracle.scoring.batch.lists import UNJUDGED, Judged, lists_of_labels
from rankspec.oracle.scoring.batch.routes import EXACT
from rankspec.oracle.scoring.batch.values import NeedsScoresError, values_of
from rankspec.oracle.scoring.engines.statement import TIES
from rankspec.oracle.values import Undefined, to_double
from refusals import refused

MEASURES = (
    *("AP", "AP@5", "AP(rel=2)@10", "AP(rel=0)", "AP(judged_only=True)@9", "GMAP", "P@5", "R@7", "F@5"),
    *("F(beta=2)@9", "Success@3", "RR", "RR@4", "Rprec", "SetP", "SetP(relative=True)", "SetR", "SetF(beta=0.5)"),
    *("SetAP", "IPrec@0", "IPrec@0.1", "IPrec@0.7", "Bpref", "Bpref(rel=2)", "infAP", "RBP", "RBP(p=0.95)@10"),
    *("RBP(rel=2)", "Judged@6", "NumQ", "NumRet", "NumRel", "NumRelRet"),
    *("NumNonrelJudgedRet", "DCG", "DCG@5", "nDCG", "nDCG@10", "nDCG(dcg='exp-log2')@6", "nDCG(gains={1:1.5})@9"),
    *("G", "BinG", "BinG(rel=2)"),
    *("RprecMult@0.4", "RprecMult@1.7", "AP@R", "ContextPrecision", "Accuracy@5", "Utility", "GMBpref", "Unjudged@4"),
    *("Q", "Q@4"),
)
DIGITS = 30
"""More than enclosures of 88 bits decide."""
AREAS = ("AP", "AP@5", "AP(rel=2)@30")
SETTINGS = {
    "default": MEASURES,
    "trec_eval-9.0.8": MEASURES,
    "trec_eval-10.0[missing_query=zero, rbp_gain=binary]": MEASURES,
    "default[unjudged=removed, negative_grades=unjudged]": MEASURES,
    "default[depth=7]": MEASURES,
    "default[depth=7, unjudged=removed]": MEASURES,
    "default[no_relevant=skip, no_hits=nan]": MEASURES,
    "default[no_relevant=one, no_hits=one]": MEASURES,
    "default[aggregate=geometric]": ("AP", "P@5", "nDCG"),
    **{  # lower than what enclosures can tell from 0
        f"default[aggregate=geometric, geometric_zero={each}, geometric_floor=0.{'0' * 39}1]": ("AP", "P@5", "RR@1")
        for each in axes.GeometricZero
    },
    "default[aggregate=geometric, geometric_zero=added]": ("AP", "RR"),
    "default[aggregate=geometric, geometric_zero=added-subtracted]": ("AP", "RR"),
    "default[precision_denominator=min-relevant-cutoff]": ("P@5", "F@5"),
    "default[precision_denominator=min-cutoff-length, recall_denominator=min-relevant-cutoff, f_weight=beta]": (
        *("P@5", "R@5", "F(beta=2)@5", "Judged@9", "SetF(beta=2)"),
    ),
    **{f"default[denominator={each}]": AREAS for each in axes.Denominator},
    **{
        f"default[recall_grid={grid}]": ("IPrec@0", "IPrec@0.3", "IPrec@0.5", "IPrec(rel=2)@1")
        for grid in axes.RecallGrid
    },
    **{
        f"default[ideal={each}, discount=log2-rank, gain=exponential]": ("nDCG", "nDCG@4", "DCG@4")
        for each in axes.Ideal
    },
    "default[discount=log2-rank, gain=exponential]": ("G",),
    **{
        f"default[bpref_variant={each}, negative_grades=unjudged]": ("Bpref", "RBP", "RBP@5")
        for each in axes.BprefVariant
    },
}
SELDOM = (*("trec_eval-10.0[missing_query=zero]", "default[depth=7]", "default[no_relevant=one, no_hits=one]"),)
"""Of these settings of many measures, or of many values, others are tried each time."""
TIED = (
    *("AP", "AP@4", "AP(rel=2)", "P@3", "RR", "Rprec", "SetF", "nDCG@3", "Bpref", "RBP@4", "infAP"),
    *("Judged@3", "G", "BinG", "GMAP", "AP@R", "ContextPrecision", "IPrec@0.3", "R@3", "F@4", "Success@2"),
    *("Accuracy@5", "RprecMult@0.7", "SetP", "SetR", "SetAP", "Utility", "DCG@4", "GMBpref", "Q@5"),
    *("Unjudged@3", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet"),
)


@pytest.mark.parametrize(("under", "compared"), [("default", MEASURES), ("default[ties=expected]", TIED)])
def test_every_family_that_has_a_kernel_is_compared(under, compared):
    examples, families = [parse_measure(each.example) for each in FAMILIES.values()], {*map(family_of, compared)}
    known = {each.family.name for each in examples if is_read(each, effective(each, parse_convention(under)))}
    assert known <= families


def family_of(text):
    return parse_measure(text).family.name


COUNTED = [ties for ties in axes.Ties if ties in TIES]
OF_LENGTHS = {"SetF", "SetP", "SetAP", "Utility", "Unjudged", "NumRet"}


@cache
def batch(seed):
    lists, qrels, run = random_batch(seed, 18, 12 if seed % 2 else 40)
    return lists, Qrels.of(qrels), Run.of(run)


@cache
def scored(seed):
    qrels, run = random_scored(seed, 30, 9)
    return {query: dict(listed) for query, listed in run.items()}, Qrels.of(qrels), Run.of(run)


def agree(found, evaluation, queries):
    """Hold a batch's doubles, and decimals of wider enclosures, to the exact values, with nothing allowed for."""
    decimals = found.decimals(DIGITS)
    for place, query in enumerate(queries):
        exact = evaluation.exact_per_query.get(query, Undefined.SKIP)
        if isinstance(exact, Undefined):
            assert found.undefined[place] is found.exact_of(place) is exact
            assert math.isnan(found.doubles[place])
        else:
            assert found.doubles[place] == to_double(exact), (query, found.certified[place])
            assert decimals[place] == nearest_decimal(exact, DIGITS), query
            assert found.exact_of(place) == exact
    mean = found.mean().double
    assert mean == evaluation.double or (math.isnan(mean) and math.isnan(evaluation.double))
    if isinstance(evaluation.exact, Undefined):
        with pytest.raises(TypeError):
            found.mean_decimal(DIGITS)
    else:
        assert found.mean_decimal(DIGITS) == nearest_decimal(evaluation.exact, DIGITS)


@pytest.mark.drawn
@pytest.mark.parametrize("text", in_campaign(SETTINGS, but=[each for each in SETTINGS if each not in SELDOM], ids=str))
def test_labels_in_rank_order(text):
    convention = parse_convention(text)
    lists, qrels, run = batch(len(text))
    measures = [each for each in map(parse_measure, SETTINGS[text]) if meaningless(each, convention) is None]
    assert len(measures) >= len(SETTINGS[text]) - 1  # some denominators need a cutoff
    for measure in measures:
        found = values_of(measure, lists, convention)
        assert found.reason is None
        agree(found, evaluate(measure, qrels, run, convention), qrels)
        assert found.certified.mean() > 0.9


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("ties", "others"),
    in_campaign(
        [
            (ties, others)
            for ties in COUNTED
            for others in ("", "score_precision=float32", "depth=4", "unjudged=removed", "no_hits=nan")
        ],
        but=[  # documents leave their ties, or a depth drops whole ones
            *(f"{ties}-unjudged=removed" for ties in COUNTED),
            "grouped-depth=4",
        ],
        ids=lambda row: "-".join(map(str, row)),
    ),
)
def test_scores_with_ties(ties, others):
    convention = parse_convention(f"default[ties={ties}{others and ', '}{others}]")
    given, qrels, run = scored(len(others))
    measures = [each for each in map(parse_measure, TIED) if meaningless(each, convention) is None]
    assert len(measures) == (26 if ties is axes.Ties.GROUPED else len(TIED))  # areas and counts have operating points
    for measure in measures:
        if ties is axes.Ties.GROUPED and measure.name in (OF_LENGTHS if others == "depth=4" else {"Unjudged"}):
            with pytest.raises(NeedsScoresError):  # a block that is cut goes, and the length with it
                values_of_dicts(measure, qrels, given, convention)
            continue
        found = values_of_dicts(measure, qrels, given, convention)
        assert found.reason is None
        agree(found, evaluate(measure, qrels, run, convention), qrels)


@pytest.mark.parametrize(
    ("measure", "convention", "labels", "relevant", "expected"),
    [
        # Two counts, of which either is the least: 1/min(10, 5), 1/min(2, 5).
        ("AP@5", "denominator=min-relevant-cutoff", [[1, 0], [1, 0]], [10, 2], [1 / 5, 1 / 2]),
        # (1 hit + a gain of 1) / (rank 2 + the ideal gain of 1): the ideal ranking ends at rank 1.
        ("Q", "gain=linear", [[0, 1], [1]], [1, 1], [2 / 3, 1]),
        # No miss above, and two: 1/log2(2) and 1/log2(4).
        ("BinG", "no_hits=zero", [[1, 0, 0, 1], [0, 0, 1]], [2, 1], [3 / 4, 1 / 2]),
        # The ideal ranking gains 1 and 1 and costs 4 down to rank 4, where 2 were gained: 1/log2(4); 3 and 1 at rank 3.
        ("G", "no_hits=zero", [[1, 0, 0, 1], [0, 0, 1]], [2, 1], [3 / 4, 1 / 2]),
    ],
)  # fmt: skip
def test_lists_by_hand(measure, convention, labels, relevant, expected):
    offsets = np.cumsum([0, *map(len, labels)])
    lists = lists_of_labels(np.array([label for each in labels for label in each]), offsets, np.array(relevant))
    parsed, under = parse_measure(measure), parse_convention(f"default[{convention}]")
    assert is_read(parsed, parsed.under(under))
    assert values_of(parsed, lists, under).doubles.tolist() == expected


@pytest.mark.parametrize("under", ["default", "default[ties=expected, rbp_gain=grade]", "trec_eval-9.0.8[depth=3]"])
def test_of_no_query_there_is_no_value_and_what_the_convention_says_of_a_mean(under):
    convention, nothing = parse_convention(under), np.zeros(0)
    for measure in map(parse_measure, MEASURES):
        found = Scored(nothing, nothing, np.array([0])).values(measure, convention)
        assert (found.doubles.size, found.decimals(9)) == (0, {})
        assert repr(found.mean().double) == repr(evaluate(measure, Qrels({}), Run({}), convention).double)


def test_whole_rankings_are_taken_instead_of_the_lists_that_they_stand_beside():
    lists, qrels, run = batch(1)
    is_stated = np.arange(lists.queries) % 3 == 1
    for measure in map(parse_measure, ("AP", "nDCG@3", "P@5", "NumRelRet")):
        found = values_of(measure, lists, DEFAULT)
        rankings = {place: found.ranking_of(place) for place in np.flatnonzero(is_stated).tolist()}
        beside = values_of(measure, lists.without(is_stated), DEFAULT, rankings=rankings)
        agree(beside, evaluate(measure, qrels, run, DEFAULT), qrels)
        assert (beside.by_exact_path == (found.by_exact_path | is_stated)).all()


@given(st.lists(st.integers(-1, 5), max_size=5), st.lists(st.integers(0, 2), max_size=5), st.sampled_from("?bBilfO"))
@settings(max_examples=200)
@example([0, 2, 1, 3], [1, 1, 1], "l")
@example([0, 0, 2, 2], [1, 1], "l")
def test_offsets_divide_labels_or_are_refused(offsets, labels, kind):
    """From 0 on they never fall, and end with the number of labels: each list is what lies between two of them."""
    values = np.array(labels).astype(kind)
    if kind in "fO" and labels:
        with refused("labels-not-flat"):
            lists_of_labels(values, np.array(offsets))
    elif offsets[:1] != [0] or offsets != sorted(offsets) or offsets[-1] != len(labels):
        with refused("offsets-malformed"):
            lists_of_labels(values, np.array(offsets, np.int64))
    else:
        found = values_of(parse_measure("NumRelRet"), lists_of_labels(values, np.array(offsets)), DEFAULT)
        relevant = [int(each >= 1) for each in values.tolist()]
        assert found.doubles.tolist() == [sum(relevant[start:end]) for start, end in pairwise(offsets)]


@pytest.mark.parametrize(("gain", "highest"), [("linear", 600), ("linear", 40_000), ("exponential", 13)])
def test_sums_of_gains_beyond_the_width_of_a_double(gain, highest):
    """Sums from 2^9 on have more than 53 bits in their upper limb."""
    source = np.random.default_rng(highest)
    sizes = source.integers(2, 12, 100)
    lists = lists_of_labels(source.integers(0, highest, sizes.sum()), np.concatenate(([0], np.cumsum(sizes))))
    found = values_of(parse_measure("nDCG@5"), lists, parse_convention(f"default[gain={gain}]"))
    assert found.doubles.tolist() == [to_double(found.exact_of(place)) for place in range(sizes.size)]
    assert found.certified.mean() > 0.9


@pytest.mark.parametrize("grade", [18, 20])
@pytest.mark.parametrize("name", ["nDCG", "nDCG@3", "DCG", "G", "RBP"])
def test_sums_of_gains_beyond_fixed_point_are_left_to_exact_arithmetic(name, grade):
    """Gains of nearly 2^18 or 2^20, of a few documents or of many: of those retrieved, those judged, or both."""
    numbers = [(retrieved, judged) for retrieved in (1, 3, 60) for judged in (1, 3, 60)]
    offsets, starts = (np.cumsum([0, *each]) for each in zip(*numbers, strict=True))
    whole = Judged(Segments(starts), np.full(starts[-1], grade))
    lists = lists_of_labels(np.full(offsets[-1], grade), offsets, judged=whole)
    convention = parse_convention(
        "default[gain=exponential, rbp_gain=grade]" if name == "RBP" else "default[gain=exponential]"
    )
    found = values_of(parse_measure(name), lists, convention)
    assert found.doubles.tolist() == [to_double(found.exact_of(place)) for place in range(len(numbers))]
    if name == "nDCG":  # of one document
        assert bool(found.certified[0]) is (grade == 18)


@pytest.mark.parametrize("name", ["RBP(p=0.8)", "RBP(p=0.01)", "RBP(p=0.5)@900", "RBP(p=0.99)"])
def test_hits_far_down(name):
    """Their weights vanish beside 1, but not beside the first hit's: the exact path decides them."""
    source = np.random.default_rng(len(name))
    sizes = source.integers(1, 1200, 60)
    labels = [np.where(source.random(size) < 0.004, source.integers(1, 4, size), 0) for size in sizes]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    lists = lists_of_labels(np.concatenate(labels), offsets)
    found = values_of(parse_measure(name), lists)
    assert all(found.doubles[place] == to_double(found.exact_of(place)) for place in range(sizes.size))
    assert found.certified[found.doubles > 2.0**-20].all()
    assert ((found.doubles < 2.0**-60) & (found.doubles > 0)).any() or name == "RBP(p=0.99)"


@pytest.mark.drawn
@pytest.mark.parametrize("text", ["default", "default[negative_grades=unjudged, unjudged=removed]", "trec_eval-9.0.8"])
def test_labels_and_r_are_the_judgments_that_they_imply(text):
    """Those of the list, and a grade of 1 for each relevant document that is missing."""
    source, convention = np.random.default_rng(seeded(text)), parse_convention(text)
    labels = [source.choice([-1, 0, 1, 2, UNJUDGED], size) for size in source.integers(0, 9, 30)]
    missing, offsets = source.integers(0, 4, len(labels)), np.cumsum([0, *map(len, labels)])
    grades = [[*each[each != UNJUDGED], *[1] * more] for each, more in zip(labels, missing, strict=True)]
    judged = Judged(Segments(np.cumsum([0, *map(len, grades)])), np.array([grade for each in grades for grade in each]))
    relevant = np.array([(each >= 1).sum() for each in labels]) + missing
    flat = np.concatenate(labels)
    for name in ("AP", "AP(rel=2)", "P(rel=2)@3", "nDCG", "Bpref", "RBPResidual", "ERR", "infAP", "NumRel", "RBP@4"):
        by_labels, by_judgments, alone = (
            values_of(parse_measure(name), lists_of_labels(flat, offsets, *given), convention)
            for given in ((relevant,), (None, judged), ())
        )
        assert np.array_equal(by_labels.doubles, by_judgments.doubles, equal_nan=True), name
        assert [*map(sum, np.split(alone.lists.judged.grades >= 1, alone.lists.judged.segments.starts[1:-1]))] == (
            relevant - missing
        ).tolist()
    for fewer in (relevant - 1, relevant[:-1]):
        with refused("num-relevant-too-low"):
            values_of(
                parse_measure("AP"), lists_of_labels(flat, offsets, np.where(missing[: fewer.size], fewer - 9, fewer))
            )


def test_a_gain_beyond_limits_is_computed_where_it_is_looked_at():
    whole = Judged(Segments(np.array([0, 1, 2])), np.array([1, 10**6]))
    lists = lists_of_labels(np.array([1]), np.array([0, 1, 1]), judged=whole)
    measure, under = parse_measure("DCG"), parse_convention("default[gain=exponential]")
    assert values_of(measure, lists, under, unlisted={1: Fraction(1, 2)}).doubles.tolist() == [1.0, 0.5]
    with refused("beyond-limit"):
        values_of(measure, lists, under)


@pytest.mark.parametrize(("axis", "place"), [("no_relevant", 1), ("no_hits", 2)])
def test_an_undefined_value_that_is_an_error(axis, place):
    """The first query that has none is named, and the rule that demands it."""
    lists = lists_of_labels(np.array([1, 0, 0, 0]), np.arange(5), np.array([1, 0, 1, 0]))
    given = parse_measure("AP"), lists, parse_convention(f"default[{axis}=error]")
    for names in (None, ["q0", "q1", "q2", "q3"]):
        with pytest.raises(UndefinedValueError) as found:
            values_of(*given, names=names)
        assert (found.value.code, "no_relevant=error" in str(found.value)) == ("value-undefined", axis == "no_relevant")
        assert (f"query q{place}:" if names else f"query {place} ") in str(found.value)


def test_every_measure_has_a_path():
    """A family has a kernel, or a line of `EXACT` says why it has none."""
    convention = parse_convention("default")
    for family in FAMILIES.values():
        measure = parse_measure(family.example)
        without = not is_read(measure, measure.under(convention))
        assert not without or any(case.when(measure, measure.under(convention)) for case in EXACT), family.name
    assert EXACT[0].when(parse_measure("TAP@5"), convention)


@pytest.mark.parametrize("ties", COUNTED, ids=str)
@pytest.mark.parametrize(("name", "aggregate"), [("TAP@2", "mean"), ("AP", "micro")])
def test_what_all_scores_decide_is_not_read_off_lists_one_by_one(name, aggregate, ties):
    """The cutoff is a score, or all queries' documents are pooled."""
    given, qrels, _ = scored(1)
    with pytest.raises(NeedsScoresError):
        values_of_dicts(
            parse_measure(name), qrels, given, parse_convention(f"default[ties={ties}, aggregate={aggregate}]")
        )
