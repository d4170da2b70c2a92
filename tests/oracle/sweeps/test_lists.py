"""Evaluating all conventions together gives what evaluating each by itself gives, and misses none."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_strategies import conventions, inputs, measures
from rankspec.conformance.cases.inputs import case_input, data_of_case
from rankspec.conformance.infer.resolve.search import convention_of, value_on
from rankspec.oracle import Measure, Qrels, Run, Undefined
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.sweeps.lists import Evaluator
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
