"""The mean over no query: what `empty_mean` says, wherever a mean is taken."""

import math

import pytest
from rankspec.conformance.infer.interview.version_space import space_of
from rankspec.conformance.infer.witness.separation import separate
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.derivation import explain
from rankspec.oracle.evaluation import evaluate
from rankspec.oracle.language.expression import parse_convention, parse_measure
from rankspec.oracle.scoring.engines.counting import product_of_dicts
from rankspec.oracle.scoring.engines.scoring import score_product
from rankspec.oracle.sweeps.by_query import ByQuery
from rankspec.oracle.sweeps.lists import Evaluator
from rankspec.oracle.sweeps.space import Data, observable_settings
from rankspec.oracle.values import Undefined, to_text
from refusals import refused

QRELS = Qrels.of({"q1": {"a": 1}, "q2": {"b": 0}})
ELSEWHERE = Run.of({"q3": [("a", 1)]})
SKIPS = "missing_query=skip"
AP = Measure("AP")

VALUES = [("nan", Undefined.NAN), ("zero", 0), ("one", 1)]


@pytest.mark.parametrize(("rule", "value"), VALUES)
@pytest.mark.parametrize("aggregate", ["mean", "geometric"])
def test_evaluate_explain_and_batch_say_the_same(rule, value, aggregate):
    convention = parse_convention(f"default[aggregate={aggregate}, empty_mean={rule}, {SKIPS}]")
    assert evaluate(AP, QRELS, ELSEWHERE, convention).value == value
    assert explain(AP, QRELS, ELSEWHERE, convention).value == value
    found = score_product(AP, product_of_dicts(QRELS, {"q3": {"a": 1.0}}, convention), convention)
    assert found.mean.double == value or (math.isnan(found.mean.double) and rule == "nan")
    assert found.exact_mean == value


def test_an_error_is_demanded():
    convention = parse_convention(f"default[empty_mean=error, {SKIPS}]")
    with refused("no-query-counts", "empty_mean=error") as error:
        evaluate(AP, QRELS, ELSEWHERE, convention)
    with refused("no-query-counts", "empty_mean=error"):
        score_product(AP, product_of_dicts(QRELS, {"q3": {"a": 1.0}}, convention), convention)
    derivation = explain(AP, QRELS, ELSEWHERE, convention)
    assert (derivation.value, derivation.error) == (Undefined.ERROR, str(error.value))


def test_a_total_of_counts_is_0_whatever_the_rule():
    convention = parse_convention(f"default[empty_mean=error, {SKIPS}]")
    assert evaluate(parse_measure("NumRet"), QRELS, ELSEWHERE, convention).value == 0


@pytest.mark.parametrize(
    ("qrels", "run", "matters"),
    [
        ({"q1": {"a": 1}}, {"q3": [("a", 1)]}, True),
        ({"q1": {"a": 0}}, {"q1": [("a", 1)]}, True),
        ({"q1": {"a": 1}}, {"q1": [("b", 1)]}, True),
        ({"q1": {"a": 1}}, {"q1": [("a", 1)]}, False),
        ({"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": [("a", 1)], "q2": [("a", 1)]}, False),
    ],
)
def test_it_matters_where_every_query_can_be_left_out(qrels, run, matters):
    space = observable_settings(AP, Data(Qrels.of(qrels), Run.of(run)))
    assert ("empty_mean" in space) is matters


@pytest.mark.parametrize("measure", ["AP", "nDCG"])
def test_sweeps_give_each_mean_over_no_query_once(measure):
    data = Data(QRELS, ELSEWHERE)
    sweep = Evaluator(parse_measure(measure), data) if measure == "AP" else ByQuery(parse_measure(measure), data)
    found = {}
    for total in sweep.totals():
        changed = dict(total.differences)
        if str(changed.get("missing_query")) == "skip" and {*changed} <= {"missing_query", "empty_mean"}:
            assert found.setdefault(str(changed.get("empty_mean", "nan")), to_text(total.value())) is not None
    assert found == {"nan": "nan", "zero": "0", "one": "1", "minus-one": "-1"}


def test_sets_of_queries_alone_show_it():
    def observable(shape, *, one_mean=True):
        return (
            "empty_mean"
            in space_of(AP, Signature(shape, shape.natives, Need.OPTIONAL, Need.OPTIONAL), one_mean=one_mean).settings
        )

    assert observable(Shape.QRELS_RUN)
    assert not observable(Shape.QRELS_RUN, one_mean=False)
    assert not observable(Shape.LABELS_SCORES)


def test_the_witness_leaves_out_every_query():
    conventions = [parse_convention(f"default[empty_mean={rule}, {SKIPS}]") for rule in ("zero", "one")]
    found = separate(AP, *conventions)
    assert found.input is not None
    assert found.input.size.documents == 1
    assert found.values == (0, 1)
