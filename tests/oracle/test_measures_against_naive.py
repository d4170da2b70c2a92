"""The whole measure family, and the ranges that ties and unjudged documents leave open, against the naive oracle."""

import itertools
import os
import random
from contextlib import suppress
from fractions import Fraction
from functools import cache

import pytest
from campaign import in_campaign, one_in, seeded, sizes
from hypothesis import assume, given, settings
from measure_strategies import (
    agree,
    family_measures,
    full_conventions,
    naive_says,
    plain_convention,
    plain_parameters,
    plain_value,
)
from naive import ranges as naive
from naive.values import same
from oracle_strategies import OF_AREAS, inputs
from rankspec.oracle import (
    Convention,
    ConventionError,
    InputError,
    Measure,
    Qrels,
    Run,
    UndefinedValueError,
    expression_text,
    parse_convention,
    parse_measure,
)
from rankspec.oracle import ranges as oracle
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.values import to_value

LONG = os.environ.get("RANKSPEC_PROFILE") == "long"
BINARY_LENGTH = 8
"""The longest binary rankings, of which there are 511, each with R from its hits to two more."""
GRADED_LENGTH = 6 if LONG else 4
"""The longest graded rankings with ties: 2750 up to 4, 164,171 up to 6."""
SOME_CUTOFFS = range(1, BINARY_LENGTH + 2) if LONG else (1, 4, 9)
LABELS = (None, -1, 0, 1, 2)
"""Unjudged, negative, nonrelevant, relevant, highly relevant."""
GRIDDED = {axes.Interpolation.ELEVEN_POINT, axes.Interpolation.HUNDRED_ONE_POINT}
BLOCK_RULES = (Ties.EXPECTED, Ties.GROUPED, Ties.MID_RANK, Ties.OPTIMISTIC, Ties.PESSIMISTIC)


def named(*texts):
    return pytest.mark.parametrize("measure", [parse_measure(text) for text in texts], ids=str)


# ---- Every binary ranking


@cache
def binary_rankings(longest):
    """Return every binary ranking up to a length, each with R from its hits to two more, as queries."""
    qrels = {}
    run = {}
    for size in range(longest + 1):
        for labels in itertools.product((0, 1), repeat=size):
            for extra in range(3):
                query = f"{''.join(map(str, labels))}+{extra}"
                judged = {f"d{place}": label for place, label in enumerate(labels)}
                qrels[query] = judged | {f"m{number}": 1 for number in range(extra)}
                run[query] = [(f"d{place}", -place) for place in range(size)]
    return qrels, run


def number_of_binary_rankings(longest):
    return 3 * (2 ** (longest + 1) - 1)


def test_the_binary_rankings_are_all_there():
    assert len(binary_rankings(BINARY_LENGTH)[0]) == number_of_binary_rankings(BINARY_LENGTH) == 511 * 3


@pytest.mark.parametrize("longest", sizes(BINARY_LENGTH - 4, BINARY_LENGTH))
@named(
    "AP@1",
    "ContextPrecision@1",
    "P@1",
    "R@1",
    "F(beta=2)@1",
    "Success@1",
    "RR@1",
    "ERR@1",
    "RBP@1",
    "RBPResidual@1",
    "Judged@1",
    "Unjudged@1",
)
def test_every_binary_ranking_at_every_cutoff(measure, longest):
    for k in range(1, longest + 2):
        compared = agree(_cut_at(measure, k), binary_rankings(longest), Convention())
        assert compared == number_of_binary_rankings(longest)


@pytest.mark.parametrize("longest", sizes(BINARY_LENGTH - 4, BINARY_LENGTH))
@named(
    *("AP", "AP11", "GMAP", "RR", "Rprec", "SetP", "SetP(relative=True)", "SetR", "SetF", "SetF(beta=0.5)", "SetAP"),
    *("ERR", "Bpref", "infAP", "RBP", "RBP(p=0.5)", "RBPResidual", "NumQ", "NumRet", "NumRel", "NumRelRet"),
    *(
        *("Accuracy", "AP@R", "ContextPrecision", "ContextPrecision@2", "Utility"),
        *("Utility(hit=3, miss=-0.5, lost=-1)", "GMBpref"),
    ),
    *("NERR10", "NERR11", "NERR11(T=0.3)", "INSQ", "INST", "INST(T=2)", "Compat", "Compat(p=0.5, normalize=False)"),
    *("NumNonrelJudgedRet", *(f"IPrec@{level / 10}" for level in range(11))),
)
def test_every_binary_ranking_uncut(measure, longest):
    assert agree(measure, binary_rankings(longest), Convention()) == number_of_binary_rankings(longest)


@pytest.mark.parametrize("longest", sizes(4, BINARY_LENGTH if LONG else 5))
@named("BinG", "G", "nDCGRel", "RnDCG", "RnDCG(gains={1: 2.5})")
def test_every_binary_ranking_of_gains_at_points(measure, longest):
    agree(measure, binary_rankings(longest), Convention())


@named("AP", "P@2", "RR", "Rprec", "SetF", "nDCG@3", "G", "G(dcg='exp-log2')", "BinG", "Q", "RBP", "NumRet")
def test_every_list_of_documents_that_repeat(measure):
    """A copy counts as a document: a list may gain more than the ideal one."""
    lists = ["".join(each) for size in (1, 2, 3) for each in itertools.product("abc", repeat=size)]
    run = {each: [(docno, -place) for place, docno in enumerate(each)] for each in lists}
    agree(
        measure,
        ({each: {"a": 3, "b": 1, "c": 0} for each in lists}, run),
        Convention(duplicates=axes.Duplicates.COUNTED),
    )


@named("DCG", "nDCG", "nDCG(dcg='exp-log2')", "nDCG(gains={1: 2.5})")
@pytest.mark.campaign
def test_every_binary_ranking_of_irrational_measures(measure):
    longest = BINARY_LENGTH if LONG else 5
    for k in (None, *range(1, longest + 2)):
        agree(_cut_at(measure, k), binary_rankings(longest), Convention())


@pytest.mark.parametrize("longest", sizes(2, 5))
# The two of recall levels have four grids each: ten times the conventions of the others.
@pytest.mark.parametrize(
    "interpolation",
    in_campaign(axes.Interpolation, but=[str(each) for each in axes.Interpolation if each not in GRIDDED], ids=str),
)
def test_every_estimator_with_every_denominator(interpolation, longest):
    grids = axes.RecallGrid if interpolation in GRIDDED else [axes.RecallGrid.EXACT]
    for denominator, grid, k in itertools.product(axes.Denominator, grids, (None, 1, 3, 7)):
        convention = Convention(interpolation=interpolation, denominator=denominator, recall_grid=grid)
        if meaningless(Measure("AP", k), convention) is None:
            agree(Measure("AP", k), binary_rankings(longest), convention)


def _cut_at(measure, k):
    text = str(measure).partition("@")[0]
    return parse_measure(text if k is None else f"{text}@{k}")


AXES_OF_ONE_MEASURE = [
    *(("P@1", {"precision_denominator": value}) for value in list(axes.PrecisionDenominator)[1:]),
    ("R@1", {"recall_denominator": axes.RecallDenominator.MIN_RELEVANT_CUTOFF}),
    ("F(beta=2)@1", {"f_weight": axes.FWeight.BETA}),
    ("F@1", {"precision_denominator": axes.PrecisionDenominator.MIN_CUTOFF_LENGTH}),
    *(("Bpref", {"bpref_variant": value}) for value in list(axes.BprefVariant)[1:]),
    ("RBPResidual", {"rbp_residual": axes.RbpResidual.ZERO_IF_ALL_JUDGED}),
    *((f"IPrec@{t / 10}", {"recall_grid": grid}) for t in (1, 3, 6, 7, 10) for grid in list(axes.RecallGrid)[1:]),
    *(
        (f"RprecMult@{multiple}", {"multiple_rounding": rounding})
        for multiple in (0.05, 0.4, 0.7, 1.4)
        for rounding in axes.MultipleRounding
    ),
    ("infAP", {"infap_epsilon": Fraction(1, 2)}),
    *(("ERR", {"err_max_grade": grade}) for grade in (1, 2, 4)),
    ("ERR@1", {"err_max_grade": 3}),
    ("RBP", {"rbp_persistence": Fraction(0)}),
]


@pytest.mark.parametrize("longest", sizes(BINARY_LENGTH - 4, BINARY_LENGTH))
@pytest.mark.parametrize(
    ("text", "setting"),
    AXES_OF_ONE_MEASURE,
    ids=lambda given: given if isinstance(given, str) else "-".join(f"{axis}-{value}" for axis, value in given.items()),
)
def test_every_binary_ranking_on_the_axes_of_its_own(text, setting, longest):
    measure = parse_measure(text)
    for k in SOME_CUTOFFS if measure.k is not None else (None,):
        cut = measure if k is None else _cut_at(measure, k)
        compared = agree(cut, binary_rankings(longest), Convention(**setting))
        assert compared == number_of_binary_rankings(longest)


# ---- Every graded ranking with ties


def blocks_of(size):
    """Yield every division of so many documents into blocks, every labelling of each, orders in a block aside."""
    if size == 0:
        yield []
    for first in range(1, size + 1):
        for labels in itertools.combinations_with_replacement(LABELS, first):
            for rest in blocks_of(size - first):
                yield [labels, *rest]


@cache
def graded_rankings(longest):
    """Return them up to a length, every second one with documents of its qrels that were not retrieved, as queries."""
    qrels = {}
    run = {}
    for size in range(1, longest + 1):
        for blocks in blocks_of(size):
            query = f"q{len(qrels)}"
            qrels[query] = {"m1": 1, "m0": 0, "m2": -1} if len(qrels) % 2 else {}
            run[query] = []
            for score, labels in enumerate(blocks):
                for label in labels[::-1] if len(qrels) % 3 else labels:
                    docno = f"d{len(run[query])}"
                    run[query].append((docno, -score))
                    if label is not None:
                        qrels[query][docno] = label
    return qrels, run


def test_the_graded_rankings_are_all_there():
    """a(n) = sum of C(s + 4, 4) a(n - s) over the size s of the first block: 5, 40, 310, 2395."""
    assert [len(list(blocks_of(size))) for size in range(1, 5)] == [5, 40, 310, 2395]
    assert len(graded_rankings(4)[0]) == 2750


GRADED = [
    *("AP", "AP@2", "AP(rel=2)", "P@1", "P@3", "P(rel=2)@2", "R@2", "F@3", "Success@2", "RR", "RR@2", "Rprec"),
    *("Rprec(rel=2)", "SetP", "SetR", "SetF", "SetAP", "IPrec@0.5", "Bpref", "Bpref(rel=2)", "infAP", "RBP", "RBP@2"),
    *("ERR", "ERR@2", "RBPResidual", "RBPResidual@2", "Judged@2", "Unjudged@2", "Utility", "AP@R", "AP(rel=2)@R"),
    *("ContextPrecision", "ContextPrecision@2", "Accuracy", "Accuracy@2", "NumRet", "NumRelRet"),
    *("NumNonrelJudgedRet", "P(judged_only=True)@2"),
    *("NERR8(max_rel=2)@2", "NERR9(max_rel=2)@3", "NERR10(max_rel=3)", "BPM(T=0.6, max_rel=2)@3", "Compat"),
    "Compat(normalize=False, p=0.5)",
    *("NRBP(alpha=0.25)", "nNRBP", "ERR_IA@2", "nERR_IA@2", "AP_IA", "P_IA@2", "StRecall@2"),
]
POOL = Convention(negative_grades=axes.NegativeGrades.UNJUDGED, rbp_gain=axes.RbpGain.SCALED_BY_TOPIC)


@pytest.mark.parametrize("longest", sizes(3, GRADED_LENGTH))
@one_in(2)
@named(*GRADED)
def test_the_mean_over_all_orders_of_every_graded_ranking(measure, longest):
    """Closed forms against every order; with the pool, all five labels are told apart."""
    agree(measure, graded_rankings(longest), POOL.with_setting("ties", Ties.EXPECTED))


@pytest.mark.parametrize(
    "interpolation",
    in_campaign(
        [each for each in axes.Interpolation if each is not axes.Interpolation.STEP],
        but=["envelope", "trapezoid", "11-point"],  # a maximum, a line and points: a kind of estimator each
        ids=str,
    ),
)
def test_the_mean_over_all_orders_of_every_estimator(interpolation):
    for measure in (Measure("AP"), Measure("AP", 2)):
        convention = Convention(ties=Ties.EXPECTED, interpolation=interpolation)
        if meaningless(measure, convention) is None:
            agree(measure, graded_rankings(3), convention)


@pytest.mark.parametrize("longest", sizes(2, GRADED_LENGTH - 1))
@one_in(2)
@named(*GRADED)
def test_every_graded_ranking_under_every_rule_for_blocks(measure, longest):
    for other, ties in itertools.product((Convention(), POOL), BLOCK_RULES):
        convention = other.with_setting("ties", ties)
        if meaningless(measure, convention) is None:
            agree(measure, graded_rankings(longest), convention)


@pytest.mark.campaign
@pytest.mark.parametrize("gain", axes.Gain, ids=str)
@pytest.mark.parametrize("ideal", axes.Ideal, ids=str)
def test_every_graded_ranking_of_irrational_measures(gain, ideal):
    for discount, ties in itertools.product(axes.Discount, (Ties.EXPECTED, Ties.OPTIMISTIC, Ties.PESSIMISTIC)):
        convention = Convention(gain=gain, ideal=ideal, discount=discount, ties=ties)
        for text in ("nDCG", "nDCG@2") if ideal is not axes.Ideal.JUDGED else ("nDCG", "nDCG@2", "DCG", "DCG@2"):
            agree(parse_measure(text), graded_rankings(GRADED_LENGTH - 2), convention)


@pytest.mark.parametrize(
    "text", ["INST(max_rel=2)", "INSQ(T=0.3, max_rel=2)", "NERR11(max_rel=2)", "SDCG(max_rel=2)@2"]
)
def test_every_graded_ranking_of_readers_without_end(text):
    for ties in (Ties.EXPECTED, Ties.OPTIMISTIC, Ties.PESSIMISTIC):
        agree(parse_measure(text), graded_rankings(GRADED_LENGTH - 2), Convention(ties=ties))


@pytest.mark.parametrize("depth", axes.CompatDepth, ids=str)
@pytest.mark.parametrize("normalization", axes.CompatNormalization, ids=str)
def test_every_graded_ranking_of_compatibility(depth, normalization):
    for p in (Fraction(0), Fraction(9, 10)):
        convention = Convention(compat_depth=depth, compat_normalization=normalization, compat_persistence=p)
        agree(
            parse_measure("Compat"), graded_rankings(GRADED_LENGTH - 2), convention.with_setting("ties", Ties.EXPECTED)
        )


@pytest.mark.parametrize("text", ["NERR10", "NERR11(max_rel=2)", "INSQ", "INST(T=2)"])
def test_every_short_ranking_of_readers_of_a_thousand_ranks(text):
    convention = Convention(reader_horizon=axes.ReaderHorizon.THOUSAND)
    agree(parse_measure(text), graded_rankings(2), convention)


@pytest.mark.parametrize("text", ["BinG", "G", "G(dcg='exp-log2')", "nDCGRel", "RnDCG"])
def test_every_graded_ranking_of_gains_at_points(text):
    for discount, ties in itertools.product(axes.Discount, (Ties.EXPECTED, Ties.OPTIMISTIC, Ties.PESSIMISTIC)):
        agree(parse_measure(text), graded_rankings(GRADED_LENGTH - 2), Convention(discount=discount, ties=ties))


# ---- At random, over every axis


@settings(max_examples=3 * settings.default.max_examples)
@given(family_measures(), inputs(), full_conventions())
def test_any_measure_of_anything(measure, data, convention):
    """Any parameters, grades, ties, repeated documents, missing and unknown queries, under any convention."""
    if meaningless(measure, convention):
        with pytest.raises(ValueError):  # noqa: PT011 - which words it uses is its own affair
            naive_says(measure, *data, convention)
        return
    try:
        agree(measure, data, convention)
    except InputError:
        with pytest.raises(ValueError):  # noqa: PT011 - which words it uses is its own affair
            naive_says(measure, *data, convention)


def test_every_family_is_compared():
    """A family that the grammar gets is one that the naive oracle has to know, with the same cut and parameters."""
    for family in FAMILIES.values():
        k = 2 if family.requires_k else None
        share = Fraction(1, 2)
        measure = Measure(
            family.name,
            k,
            recall=share if family.cut is Cut.RECALL else None,
            multiple=share if family.cut is Cut.MULTIPLE else None,
        )
        agree(measure, binary_rankings(2), Convention())
        if family.requires_k:
            with pytest.raises(ConventionError):
                Measure(family.name)


LONGEST = 5 if os.environ.get("RANKSPEC_PROFILE") == "long" else 4
LENGTHS = sizes(3, LONGEST)
SETTLED_HITS = (axes.NoHits.ZERO, axes.NoHits.ONE, axes.NoHits.NAN)
"""A query that some orders leave out of the mean is a matter of its own."""


def ends_agree(kind, measure, qrels, run, convention):
    """Compare the ranges of all queries that count, and return their number."""
    said = getattr(oracle, kind)(measure, Qrels.of(qrels), Run.of(run), convention).per_query
    cut = next((each for each in (measure.recall, measure.multiple) if each is not None), measure.k)
    settings_of_it = plain_convention(convention), plain_parameters(measure)
    expected = getattr(naive, kind)(measure.name, cut, 1, qrels, run, *settings_of_it)
    compared = [query for query in expected if query in said]
    for query in compared:
        low, high = (expected[query],) * 2 if isinstance(expected[query], str) else expected[query]
        got = [plain_value(to_value(end)) for end in (said[query].low, said[query].high)]
        assert same(got[0], low), (kind, expression_text(measure, convention), qrels[query], run[query], got, low)
        assert same(got[1], high), (kind, expression_text(measure, convention), qrels[query], run[query], got, high)
    return len(compared)


def every_list(*, tied, longest):
    """Return every list of hits, misses and unjudged documents up to a length, with ties in every place or none."""
    qrels = {}
    run = {}
    for size in range(1, longest + 1):
        for labels in itertools.product((None, 0, 2), repeat=size):
            for breaks in itertools.product((0, 1), repeat=size - 1) if tied else [(1,) * (size - 1)]:
                query = f"q{len(run)}"
                ranks = itertools.accumulate((0, *breaks))
                run[query] = [(f"d{place}", -rank) for place, rank in enumerate(ranks)]
                judged = {f"d{place}": label for place, label in enumerate(labels) if label is not None}
                qrels[query] = judged | ({"m1": 1, "m0": 0} if len(run) % 2 else {"m0": 0})
    return qrels, run


TEXTS = (
    *("AP", "AP@2", "AP11", "P@2", "R@2", "F@2", "Success@2", "RR", "Rprec", "SetP", "SetP(relative=True)", "SetR"),
    *("SetF", "SetAP", "IPrec@0.5", "RBP", "RBP@2", "DCG@2", "nDCG", "ERR@2", "Bpref"),
)
OF_TIES_ALONE = ("infAP", "RBPResidual@2", "Judged@2", "NumNonrelJudgedRet")


@pytest.mark.parametrize("longest", LENGTHS)
@pytest.mark.parametrize("text", [*TEXTS, *OF_TIES_ALONE])
def test_every_order_of_every_short_list(text, longest):
    assert ends_agree("tie_range", parse_measure(text), *every_list(tied=True, longest=longest), Convention()) >= 100


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("unjudged", axes.Unjudged, ids=str)
@pytest.mark.parametrize("longest", LENGTHS)
def test_every_way_to_judge_every_short_list(text, unjudged, longest):
    lists = every_list(tied=False, longest=longest)
    compared = ends_agree("judgement_range", parse_measure(text), *lists, Convention(unjudged=unjudged))
    assert compared >= len(lists[0]) * 5 / 6


@pytest.mark.parametrize("interpolation", axes.Interpolation, ids=str)
@pytest.mark.parametrize("denominator", in_campaign(axes.Denominator, but=["relevant", "retrieved-relevant"], ids=str))
@pytest.mark.parametrize("longest", sizes(2, 3))
def test_ranges_of_areas(interpolation, denominator, longest):
    """Hits in the denominator, and sloped lines, make the known orders the wrong ones."""
    convention = Convention(interpolation=interpolation, denominator=denominator)
    for tied, more, kind in ((True, 0, "tie_range"), (False, 1, "judgement_range")):
        lists = every_list(tied=tied, longest=longest + more)
        assert ends_agree(kind, Measure("AP", 3), *lists, convention) == len(lists[0])


MEASURES = ("AP", "AP@6", "AP11", "GMAP@6", "P@4", "R@5", "F@5", "RR", "Rprec", "SetF", "SetAP", "RBP", "IPrec@0.4")
CONVENTIONS = (
    "default",
    "default[ties=grouped]",
    "default[depth=7, no_hits=one]",
    "default[no_relevant=one, no_hits=nan]",
)
OF_GRADED = ("nDCG", "nDCG@4", "nDCG(dcg='exp-log2')@6", "DCG@4", "ERR", "ERR@4", "Bpref", "GMBpref")
OF_GRADES = (
    *("default", "default[ideal=judged-uncut]", "default[ideal=judged-to-length, discount=log2-rank]"),
    *("default[ideal=retrieved, depth=5]", "default[ideal=retrieved-top]", "default[depth=4, no_hits=nan]"),
    *("default[no_relevant=one, no_hits=one]", "default[bpref_variant=sigir-2004]"),
    *("default[bpref_variant=bpref-10, no_hits=nan]", "default[bpref_variant=all-nonrelevant]"),
    "default[negative_grades=unjudged, no_hits=nan]",
)


def lists(seed, grades):
    """Return a list of up to ten documents, of which six are unjudged, with ties, and some that were not retrieved."""
    chance = random.Random(f"{seeded(seed)} {grades}")
    judged = {f"j{place}": chance.choice(grades) for place in range(chance.randrange(2, 5))}
    docnos = [*judged, *(f"u{place}" for place in range(6))]
    chance.shuffle(docnos)
    missed = {f"m{place}": chance.choice(grades) for place in range(seed % 3)}
    return {"q": judged | missed}, {"q": [(docno, chance.randrange(8)) for docno in docnos]}


@pytest.mark.drawn
@pytest.mark.parametrize("text", MEASURES)
def test_every_way_to_judge_six_documents(text):
    measure = parse_measure(text)
    conventions = [parse_convention(named) for named in (*CONVENTIONS, *(OF_AREAS if measure.name == "AP" else ()))]
    meaningful = [convention for convention in conventions if meaningless(measure, convention) is None]
    assert len(meaningful) >= 3
    for seed, convention in enumerate(meaningful * 2):
        assert ends_agree("judgement_range", measure, *lists(seed, (0, 1) if seed % 3 else (0,)), convention) == 1


def of_its_own(text, named):
    """Tell whether a convention sets no axis of other measures: with such a one it is what it is without."""
    changed = parse_convention(named).differences()
    return all(axis in parse_measure(text).family.axes for axis in changed)


DRAWN_GRADES = ((-1, 0, 0, 4), (0, 1, 2), (0,), (0, 1), (0, 2, 3))
"""Hits or none above; some documents have negative grades."""


@pytest.mark.drawn
@pytest.mark.parametrize("lengths", sizes(2, len(DRAWN_GRADES)))
@pytest.mark.parametrize(
    ("text", "named"), [pair for pair in itertools.product(OF_GRADED, OF_GRADES) if of_its_own(*pair)]
)
def test_every_way_to_grade_a_few_documents(text, named, lengths):
    measure = parse_measure(text)
    for seed, grades in enumerate(DRAWN_GRADES[:lengths]):
        qrels, run = lists(seed, grades)
        run["q"] = [each for each in run["q"] if each[0] not in {"u4", "u5"}]
        assert ends_agree("judgement_range", measure, qrels, run, parse_convention(named)) == 1


REFUSALS = (ConventionError, InputError, UndefinedValueError)
"""Pooled queries, measures that no judgement changes, a rule that says error."""


@given(family_measures(), inputs(), full_conventions())
def test_ranges_of_anything(measure, data, convention):
    """Both ranges over every axis; repeated documents are unjudged once in each copy, so they are left out."""
    qrels, run = data
    assume(all(len(dict(documents)) == len(documents) for documents in run.values()))
    assume(convention.no_hits in SETTLED_HITS and meaningless(measure, convention) is None)
    compared = 0
    for kind in ("tie_range", "judgement_range"):
        with suppress(*REFUSALS):
            compared += ends_agree(kind, measure, qrels, run, convention)
    assume(compared)  # examples that compare nothing don't count


def test_the_range_of_a_run_is_that_of_the_mean():
    # P@1 of a tied pair is 0 or 1, of a single hit 1: between 1/2 and 1.
    qrels = Qrels.of({"a": {"x": 1}, "b": {"x": 1}})
    run = Run.of({"a": [("x", 1), ("y", 1)], "b": [("x", 1)]})
    whole = oracle.tie_range(parse_measure("P@1"), qrels, run).whole
    assert (whole.low, whole.high) == (Fraction(1, 2), Fraction(1))
