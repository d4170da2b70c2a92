"""Evaluating all conventions together gives what evaluating each by itself gives: lists in order once, shared areas."""

from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from oracle_strategies import conventions, inputs, measures
from rankspec.conformance.cases.inputs import case_input, data_of_case
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.infer.resolve.search import convention_of, value_on
from rankspec.oracle import DEFAULT, Measure, Qrels, Run, Undefined, UndefinedValueError
from rankspec.oracle.conventions.axes import Aggregate, Interpolation, RecallGrid, ScorePrecision
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.data.run import as_float32, as_float64
from rankspec.oracle.measures.areas.estimators import ESTIMATORS, area, operating_points
from rankspec.oracle.measures.areas.expectation import expected_area
from rankspec.oracle.measures.gain import worth_of
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.rankings.ranking import hits, length, uncut_lists
from rankspec.oracle.sweeps.areas import Areas
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.sweeps.lists import Evaluator, QueryLists
from rankspec.oracle.sweeps.orders import Orders
from rankspec.oracle.sweeps.space import Data
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
    value = value_on(given_data)
    for total in chance.sample(totals, min(SOME, len(totals))):
        convention = convention_of(total.differences)
        assert meaningless(measure, convention) is None
        assert comparable(value(measure, convention)) == comparable(total.value()), convention.differences()
        if not isinstance(total.value(), Undefined):
            assert abs(to_double(total.value()) - total.approximate) < 1e-12


@pytest.mark.campaign
@settings(max_examples=FEW)
@given(measures().filter(of_measure), inputs(), st.lists(conventions(), max_size=12))
def test_no_value_of_any_convention_is_missing(measure, data, drawn):
    given_data = Data(Qrels.of(data[0]), Run.of(data[1]))
    value = value_on(given_data)
    depths = {None, *(convention.depth for convention in drawn)}
    known = None
    for each in drawn:
        convention = each.with_setting("geometric_floor", FLOOR)
        if meaningless(measure, convention) is not None:
            continue
        exact = value(measure, convention)
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
    value = value_on(data)
    for total in totals[:: max(1, len(totals) // 60)]:
        assert value(measure, convention_of(total.differences)) == total.value()


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
    value = value_on(given_data)
    for total in filter(chosen, totals):
        exact = value(measure, convention_of(total.differences))
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
    tied = {"labels": [0, 1] * 200, "scores": [1] * 400}
    evaluator = Evaluator(Measure("AP"), data_of_case(case_input(tied)))
    totals = list(evaluator.totals())
    assert evaluator.complete is False
    expected = [total for total in totals if str(dict(total.differences).get("ties")) == "expected"]
    assert expected
    assert all("interpolation" not in dict(total.differences) for total in expected)


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
    expected = expected_area(estimator, blocks) if undecided else area(estimator, operating_points(blocks))
    areas = Areas(blocks, undecided, k)
    assert areas.area(interpolation, relevant + more, grid) == expected
    assert is_near(areas.near(interpolation, relevant + more, grid), expected)


@given(BLOCKS, st.integers(0, 2), st.booleans())
def test_areas_by_sloped_line(blocks, more, undecided):
    relevant = hits(blocks)
    assume(relevant)
    listed = blocks if undecided else tuple((label,) for block in blocks for label in block)
    estimator = ESTIMATORS[Interpolation.SLOPED_LINE](relevant + more, length(blocks), None, RecallGrid.EXACT)
    expected = expected_area(estimator, blocks) if undecided else area(estimator, operating_points(listed))
    areas = Areas(listed, undecided, None)
    assert areas.area(Interpolation.SLOPED_LINE, relevant + more, RecallGrid.EXACT) == expected
    assert is_near(areas.near(Interpolation.SLOPED_LINE, relevant + more, RecallGrid.EXACT), expected)


@given(BLOCKS)
def test_probabilities_of_orders_add_up(blocks):
    orders = Orders(blocks)
    for rank in range(orders.length + 1):
        assert sum((orders.probability(rank, count) for count in range(hits(blocks) + 1)), Fraction(0)) == 1
    assert sum((weight for _, _, weight in orders.hit_cells), Fraction(0)) == hits(blocks)


def test_orders_that_are_too_many_are_known():
    assert Orders(((0, 1) * 50,)).is_feasible
    assert not Orders(((0, 1) * 500,)).is_feasible


def test_no_area_is_worked_out_exactly_that_nobody_looks_at(monkeypatch):
    def never(*_):
        raise AssertionError("an exact area that no printed number came near")

    monkeypatch.setattr("rankspec.oracle.sweeps.areas.area", never)
    monkeypatch.setattr("rankspec.oracle.sweeps.areas.expected_area", never)
    data = data_of({"labels": [0, 1, 1, 0, 1, 0], "scores": ["0.9", "0.9", "0.5", "0.5", "0.5", "0.1"]})
    totals = [total.approximate for total in Evaluator(Measure("AP", 4), data).totals()]
    assert min(abs(total - (1 / 2 + 2 / 3) / 3) for total in totals) < 1e-12


MEASURES = st.builds(lambda rel: Measure("AP", rel=rel), st.integers(1, 2))


def lists_or_error(make):
    try:
        return list(make())
    except UndefinedValueError as error:
        return str(error)


@given(MEASURES, inputs(), conventions())
def test_every_list_is_the_oracle_s(measure, data, convention):
    given_data = Data(Qrels.of(data[0]), Run.of(data[1]))
    holding = measure.under(convention)
    for query in given_data.qrels:
        documents, grades = given_data.run.documents(query), given_data.qrels.grades(query)

        def reference(query=query, documents=documents, grades=grades):
            ranking = ranking_of(query, documents, grades, holding, worth_of(measure, holding))
            yield from uncut_lists(ranking.binary(measure.rel), holding)

        lists = QueryLists(given_data, query, measure)
        assert lists_or_error(lambda lists=lists: lists.uncut(holding)) == lists_or_error(reference)
        assert lists.relevant == sum(grade >= measure.rel for grade in grades.values())


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
