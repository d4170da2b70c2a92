"""Evaluating all conventions together gives what evaluating each by itself gives: by lists, and query by query."""

import math
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from campaign import in_campaign, seeded
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from oracle_strategies import conventions, inputs, measures
from rankspec.conformance.cases.inputs import case_input, data_of_case
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.infer.resolve.search import convention_of
from rankspec.oracle import DEFAULT, Measure, Qrels, Run, Undefined, parse_measure
from rankspec.oracle.conventions.axes import Aggregate, Interpolation, RecallGrid, ScorePrecision
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.run import as_float32, as_float64
from rankspec.oracle.measures.areas.estimators import ESTIMATORS
from rankspec.oracle.measures.areas.expectation import area_of
from rankspec.oracle.rankings.ranking import hits, length
from rankspec.oracle.sweeps.by_query import ByQuery, other_measures
from rankspec.oracle.sweeps.exact_values import comparable, exact_on
from rankspec.oracle.sweeps.lists import CLOSED, Areas, Evaluator
from rankspec.oracle.sweeps.space import observable_settings
from rankspec.oracle.values import to_double

SOME = 25
FEW = max(settings.default.max_examples // 6, 25)
"""An example is thousands of conventions."""
FLOOR = DEFAULT.geometric_floor


def of_measure(measure):
    return measure.name != "TAP"


@pytest.mark.campaign
@settings(max_examples=FEW)
@given(
    measures().filter(of_measure), inputs(), st.sampled_from([(None,), (None, 1, 2)]), st.randoms(use_true_random=False)
)
def test_every_convention_has_its_value(measure, data, depths, chance):
    given_data = Data(Qrels.of(data[0]), Run.of(data[1]))
    totals = list(Evaluator(measure, given_data, depths).totals())
    assert len({frozenset(total.differences) for total in totals}) == len(totals)
    for total in chance.sample(totals, min(SOME, len(totals))):
        convention = convention_of(total.differences)
        assert meaningless(measure, convention) is None
        assert comparable(exact_on(measure, given_data, convention)) == comparable(total.value()), (
            convention.differences()
        )
        if not isinstance(total.value(), Undefined):
            assert abs(to_double(total.value()) - total.approximate) < 1e-12


@pytest.mark.campaign
@settings(max_examples=FEW)
@given(measures().filter(of_measure), inputs(), st.lists(conventions(), max_size=12))
def test_no_value_of_any_convention_is_missing(measure, data, drawn):
    given_data = Data(Qrels.of(data[0]), Run.of(data[1]))
    depths = {None, *(convention.depth for convention in drawn)}
    known = None
    for each in drawn:
        convention = each.with_setting("geometric_floor", FLOOR)
        if meaningless(measure, convention) is not None:
            continue
        exact = exact_on(measure, given_data, convention)
        if exact in {Undefined.ERROR, Undefined.SKIP}:
            continue
        if known is None:
            totals = Evaluator(measure, given_data, sorted(depths, key=str)).totals()
            known = {comparable(total.value()) for total in totals}
        assert comparable(exact) in known, convention.differences()


FORMS = [
    {"relevance": [1, 0, 1, 1, 0], "num_relevant": 4},
    {"labels": [0, 1, 1, 0, 1, 0], "scores": ["0.9", "0.9", "0.5", "0.5", "0.5", "0.1"]},
    {"actual": ["a", "b", "m"], "predicted": ["a", "x", "a", "b"]},
]


@pytest.mark.parametrize("given_form", FORMS, ids=lambda each: next(iter(each)))
@pytest.mark.parametrize("k", [None, 3])
def test_the_other_forms(given_form, k):
    data, measure = data_of_case(case_input(given_form)), Measure("AP", k)
    totals = list(Evaluator(measure, data).totals())
    for total in totals[:: max(1, len(totals) // 60)]:
        assert exact_on(measure, data, convention_of(total.differences)) == total.value()


def settings_of(given_form, axis):
    totals = Evaluator(Measure("AP"), data_of_case(case_input(given_form))).totals()
    return {str(dict(total.differences)[axis]) for total in totals if axis in dict(total.differences)}


def test_a_form_is_asked_what_it_can_show():
    ranked, scored, ids = FORMS
    assert settings_of(ranked, "ties") == settings_of(ids, "ties") == set()
    # Names that were made up in input order can't decide a tie in another way than the input order.
    assert settings_of(scored, "ties") == {"reverse-input", "grouped", "expected", "optimistic", "pessimistic"}
    # An id that is not among the relevant ones is a miss: there are no judgments that it could lack.
    assert settings_of(ids, "unjudged") == set()
    assert settings_of(ids, "duplicates") == {"counted", "first", "removed"}


def pooled(total):
    return dict(total.differences).get("aggregate") is Aggregate.MICRO


@pytest.mark.parametrize(
    ("qrels", "run", "depths", "chosen"),
    [
        # Both the depth and the cutoff fall into the ties.
        ({"q": {"a": 1, "x": 0, "y": 0}}, {"q": dict.fromkeys("axy", 3)}, (2,), lambda _: True),
        # The first document of the pool may be a hit or none.
        (
            {"q": {"a": 1, "x": 0}, "r": {"b": 1, "y": 0}},
            {"q": {"a": 3, "x": 3}, "r": {"b": 2, "y": 1}},
            (None, 1),
            pooled,
        ),
    ],
    ids=["limits-in-ties", "pools"],
)
def test_every_convention_near_the_default_has_its_value(qrels, run, depths, chosen):
    given_data, measure = Data(Qrels.of(qrels), Run.of(run)), Measure("AP", 1)
    totals = [total for total in Evaluator(measure, given_data, depths).totals() if len(total.differences) <= 3]
    for total in filter(chosen, totals):
        exact = exact_on(measure, given_data, convention_of(total.differences))
        assert comparable(exact) == comparable(total.value()), total.differences
        assert isinstance(exact, Undefined) or abs(to_double(exact) - total.approximate) < 1e-12


RULES_OF_QUERIES = {"no_relevant", "no_hits", "missing_query", "unknown_query"}


@pytest.mark.parametrize(
    ("qrels", "run", "expected"),
    [
        # The second query brings a judgment that changes nothing, so no rule keeps anything out.
        ({"q": {"a": 1}, "m": {"z": 0}}, {"q": [("a", 1)]}, {"": 1}),
        # The document of an unknown query stands above the hit.
        ({"q": {"a": 1}}, {"q": [("a", 1)], "u": [("b", 2)]}, {"": 1, "unknown_query=zero": Fraction(1, 2)}),
        (
            {"q": {"a": 1}, "r": {"a": 1}},
            {"q": [("x", 2)], "r": [("y", 1)]},
            {"": 0, "no_hits=one": 1, "no_hits=nan": Undefined.NAN, "no_hits=skip": Undefined.SKIP},
        ),
    ],
)
def test_what_pooled_queries_are_worth_is_said_once_by_the_fewest_rules(qrels, run, expected):
    found = []
    for total in Evaluator(Measure("AP"), Data(Qrels.of(qrels), Run.of(run))).totals():
        said = {axis: str(setting) for axis, setting in total.differences}
        if said.pop("aggregate", "mean") == "micro" and said.keys() <= RULES_OF_QUERIES:
            found.append((", ".join(f"{axis}={setting}" for axis, setting in said.items()), total.value()))
    assert sorted(found) == sorted(expected.items())


def test_orders_that_are_too_many_are_left_out_and_said_so():
    tied = {"labels": [0, 1] * 6, "scores": [1] * 12}
    evaluator = Evaluator(Measure("AP"), data_of_case(case_input(tied)))
    totals = list(evaluator.totals())
    assert evaluator.complete is False
    expected = [total for total in totals if str(dict(total.differences).get("ties")) == "expected"]
    assert expected
    tried = {dict(total.differences).get("interpolation", Interpolation.STEP) for total in expected}
    assert tried == {each for each in Interpolation if each in CLOSED and each is not Interpolation.ALL_RANKS_PADDED}


BLOCKS = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=5).map(tuple), min_size=1, max_size=4).map(tuple)
INTERPOLATIONS = st.sampled_from([each for each in Interpolation if each is not Interpolation.SLOPED_LINE])


def is_near(double, exact):
    """What a double may be off, as its docstring has it."""
    return abs(Fraction(double) - exact) <= abs(exact) / 2**49


# Two orders, of which the mean is taken at each level.
@example(((0, 1), (1,)), Interpolation.ELEVEN_POINT, 0, RecallGrid.EXACT, True)  # noqa: FBT003
# The first hit at rank 1 or at rank 2, at rank 2 or at rank 3.
@example(((0, 1), (1,)), Interpolation.LINEAR_101, 0, RecallGrid.EXACT, True)  # noqa: FBT003
@example(((0,), (0, 1)), Interpolation.LINEAR_101, 0, RecallGrid.EXACT, True)  # noqa: FBT003
@given(BLOCKS, INTERPOLATIONS, st.integers(-1, 3), st.sampled_from(list(RecallGrid)), st.booleans())
def test_areas_of_blocks(blocks, interpolation, more, grid, undecided):
    relevant = hits(blocks)
    assume(relevant + more > 0)
    points = length(blocks) if undecided else len(blocks)
    padded = interpolation is Interpolation.ALL_RANKS_PADDED
    if padded and not undecided:
        return  # it needs ranks, and a block has none inside
    k = points + 1 if padded else None
    estimator = ESTIMATORS[interpolation](relevant + more, points, k, grid)
    expected = area_of(estimator, blocks, undecided=undecided)
    areas = Areas(blocks, undecided, k)
    assert areas.area(interpolation, relevant + more, grid) == expected
    assert is_near(areas.near(interpolation, relevant + more, grid), expected)


@given(BLOCKS, st.integers(0, 2), st.booleans())
def test_areas_by_sloped_line(blocks, more, undecided):
    relevant = hits(blocks)
    assume(relevant)
    listed = blocks if undecided else tuple((label,) for block in blocks for label in block)
    estimator = ESTIMATORS[Interpolation.SLOPED_LINE](relevant + more, length(blocks), None, RecallGrid.EXACT)
    expected = area_of(estimator, listed, undecided=undecided)
    areas = Areas(listed, undecided, None)
    assert areas.area(Interpolation.SLOPED_LINE, relevant + more, RecallGrid.EXACT) == expected
    assert is_near(areas.near(Interpolation.SLOPED_LINE, relevant + more, RecallGrid.EXACT), expected)


def test_no_area_is_worked_out_exactly_that_nobody_looks_at(monkeypatch):
    def never(*_):
        raise AssertionError("an exact area that no printed number came near")

    monkeypatch.setattr("rankspec.oracle.sweeps.lists.area_of", never)
    data = data_of({"labels": [0, 1, 1, 0, 1, 0], "scores": ["0.9", "0.9", "0.5", "0.5", "0.5", "0.1"]})
    totals = [total.approximate for total in Evaluator(Measure("AP", 4), data).totals()]
    assert min(abs(total - (1 / 2 + 2 / 3) / 3) for total in totals) < 1e-12


SCORES = st.sampled_from(
    [0, 1, -1, 0.1, 2.5, 1e30, float("inf"), "0.1", "1/3", "0.1000000001", "1e400", "-1e400", "-inf"]
)


@given(st.lists(st.lists(SCORES, max_size=4), min_size=1, max_size=3))
def test_whole_numbers_compare_as_the_rounded_scores_do(lists):
    run = Run.of({f"q{place}": [(f"d{n}", score) for n, score in enumerate(each)] for place, each in enumerate(lists)})
    data = Data(Qrels.of({}), run)
    given_scores = [document.score for listed in data.lists for document in listed]
    assume(given_scores)
    rounds = {ScorePrecision.EXACT: as_is, ScorePrecision.FLOAT64: as_float64, ScorePrecision.FLOAT32: as_float32}
    for precision, compared in data.compared.items():
        whole = [document.score for query in compared for document in compared.documents(query)]
        rounded = [rounds[precision](score) for score in given_scores]
        for one, other in zip(whole, rounded, strict=True):
            for another, further in zip(whole, rounded, strict=True):
                assert (one < another, one == another) == (other < further, other == further)


def as_is(score):
    return score


BY_QUERY = [
    "P@3", "R@2", "F(beta=2)@3", "F@2", "Success@2", "RR", "RR@2", "Rprec", "SetP", "SetP(relative=True)", "SetR",
    "SetF(beta=0.5)", "SetAP", "IPrec@0.3", "DCG@3", "nDCG@2", "nDCG", "nDCG(dcg='exp-log2')@3",
    "nDCG(gains={0: 1, 1: 2.5})@3", "Bpref", "infAP", "RBP", "RBP(p=0.8, rel=2)@3", "RBPResidual", "Judged@3",
    "NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet", "NumQ", "GMAP", "P(rel=2)@3", "nDCG(judged_only=True)@3",
]  # fmt: skip

GONE_THROUGH = [text for text in BY_QUERY if text not in {"nDCG@2", "GMAP"}]
"""Those whose every value fits into 20,000 lines, on some of the drawn data."""


def _data(seed):
    """Return two or three queries with ties, grades below 0, unjudged documents, and queries in one file alone."""
    draw = Random(seeded(seed))
    qrels, run = {}, {}
    for query in ("q1", "q2", "q3")[: draw.choice((2, 3))]:
        names = draw.sample("abcdefg", draw.randint(2, 5))
        qrels[query] = {name: draw.choice((0, 1, 1, 2, 3, -1)) for name in draw.sample("abcdefg", draw.randint(1, 5))}
        run[query] = [(name, draw.choice(("3", "2", "2", "1.00000001", "1"))) for name in names]
    if draw.random() < 0.3:
        del run["q1"]
    if draw.random() < 0.3:
        del qrels["q2"]
    return Data(Qrels.of(qrels), Run.of(run))


@pytest.mark.drawn
@pytest.mark.parametrize("text", in_campaign(BY_QUERY, but=["RR@2"], ids=str))
def test_every_value_is_the_oracles(text):
    measure = parse_measure(text)
    seen = 0
    for seed in range(2):
        data = _data(seed)
        every = list(ByQuery(measure, data, most_lines=4_000).totals())
        for total in Random(seed).sample(every, min(len(every), 15)):
            exact = exact_on(measure, data, convention_of(total.differences))
            found = total.exact if total.later is None else total.later()
            assert comparable(found) == comparable(exact)
            double = to_double(exact)
            assert math.isnan(double) == math.isnan(total.approximate)
            assert math.isnan(double) or abs(double - total.approximate) < 1e-12
            seen += 1
    assert seen


@pytest.mark.drawn
@pytest.mark.parametrize("text", in_campaign(GONE_THROUGH, but=["RR@2", "R@2"], ids=str))
def test_no_value_is_left_out(text):
    measure = parse_measure(text)
    draw = Random(seeded(text))
    compared = 0
    for seed in range(3, 5):
        data = _data(seed)
        evaluator = ByQuery(measure, data, most_lines=20_000)
        found = {_rounded(total.approximate) for total in evaluator.totals()}
        if not evaluator.complete:
            continue
        for _ in range(15):
            convention = DEFAULT
            for axis in measure.family.axes:
                if AXES[axis].values and draw.random() < 0.4:
                    convention = convention.with_setting(axis, draw.choice(list(AXES[axis].values)))
            is_pool = convention.aggregate is Aggregate.MICRO and not text.startswith(("AP", "GMAP", "IPrec"))
            is_searched = not is_pool or len(convention.differences()) <= 2
            if is_searched and meaningless(measure, convention) is None:
                exact = exact_on(measure, data, convention)
                assert exact is Undefined.ERROR or _rounded(to_double(exact)) in found, convention
                compared += exact is not Undefined.ERROR
    assert compared >= 3


def _rounded(double):
    return "nan" if math.isnan(double) else round(double, 10)


def test_a_pooled_value_is_no_mean():
    # Half of the recall: the first query reaches it at precision 1, the second never, both in one list at precision 1.
    qrels = Qrels.of({"q": {"a": 1}, "r": {"b": 1}})
    data = Data(qrels, Run.of({"q": [("a", 4), ("x", 3)], "r": [("y", 2), ("z", 1)]}))
    found = {total.differences: total.approximate for total in ByQuery(parse_measure("IPrec@0.5"), data).totals()}
    assert (found[()], found[("aggregate", Aggregate.MICRO),]) == (1 / 2, 1)


def test_a_rule_for_no_query_is_asked_where_no_query_counts():
    # The first query has no relevant documents, the second no hits. With both left out, the mean is what the rule says,
    # a geometric one too; with one of them no rule is needed.
    data = Data(Qrels.of({"q": {"a": 0}, "r": {"a": 0, "b": 1}}), Run.of({"q": [("a", 1)], "r": [("a", 1)]}))
    skipped, found = {"no_relevant=skip", "no_hits=skip"}, {}
    for total in ByQuery(parse_measure("RR"), data).totals():
        rules = {f"{axis}={setting}" for axis, setting in total.differences}
        if rules >= skipped or "empty_mean" in dict(total.differences):
            found[frozenset(rules - skipped)] = str(total.approximate)
    assert found == {
        frozenset(): "nan",
        frozenset({"empty_mean=zero"}): "0.0",
        frozenset({"empty_mean=one"}): "1.0",
        frozenset({"empty_mean=minus-one"}): "-1.0",
    }


def test_what_can_not_matter_is_not_varied():
    data = Data(Qrels.of({"q": {"a": 1, "b": 0}}), Run.of({"q": [("a", 2), ("b", 1)]}))
    assert observable_settings(parse_measure("P@2"), data) == {
        "precision_denominator": tuple(AXES["precision_denominator"].values)[::2]
    }
    assert observable_settings(parse_measure("R@1"), data) == {}
    assert observable_settings(parse_measure("F@2"), data).keys() == {"precision_denominator"}
    assert observable_settings(parse_measure("nDCG@2"), data).keys() == {"discount"}
    assert observable_settings(parse_measure("RBP(p=0.8)"), data) == {}
    graded = replace(data, qrels=Qrels.of({"q": {"a": 2, "b": 1, "c": 1}}))
    assert observable_settings(parse_measure("nDCG@2"), graded).keys() == {"gain", "discount", "ideal"}
    assert observable_settings(parse_measure("R@2"), graded).keys() == {"recall_denominator"}


def test_other_measures_have_the_same_cutoff():
    others = {str(each) for each in other_measures(parse_measure("AP(rel=2)@5"))}
    assert {"RR(rel=2)@5", "P(rel=2)@5", "nDCG@5", "GMAP(rel=2)@5"} <= others
    assert not others & {"AP(rel=2)@5", "Rprec(rel=2)", "NumRet"}
    uncut = {each.name for each in other_measures(parse_measure("AP"))}
    assert {"RR", "Rprec", "nDCG", "Bpref"} <= uncut
    assert not uncut & {"P", "R", "AP", "IPrec", "TAP"}
    assert uncut <= {*FAMILIES}
