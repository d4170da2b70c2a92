"""Means over queries: weights of queries, aggregates that weigh them, and the mean over no query."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import oracle as naive
from naive.questions import parsed
from naive.values import same
from rankspec.conformance.infer.interview.version_space import space_of
from rankspec.conformance.infer.resolve.search import sweep_of
from rankspec.conformance.infer.witness.separation import separate
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import ConventionError, InputError, Qrels, Run, evaluate, explain, parse_convention, parse_measure
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.document_weights import parsed_weights, read_weights
from rankspec.oracle.scoring.engines.counting import product_of_dicts
from rankspec.oracle.scoring.engines.scoring import score_product
from rankspec.oracle.sweeps.by_query import ByQuery
from rankspec.oracle.sweeps.lists import Evaluator
from rankspec.oracle.sweeps.space import observable_settings
from rankspec.oracle.values import Undefined, to_text
from refusals import refused

DOCUMENTS = st.sampled_from("abcde")
JUDGED = st.dictionaries(DOCUMENTS, st.sampled_from([0, 0, 1, 1, 2, -1]), min_size=1, max_size=4)
LISTED = st.lists(st.tuples(DOCUMENTS, st.integers(1, 4)), max_size=4, unique_by=lambda pair: pair[0])
DRAWN_QRELS = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), JUDGED, min_size=1)
RUNS = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "u"]), LISTED)
WEIGHTS = st.fixed_dictionaries(
    {
        query: st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 3), Fraction(5)])
        for query in ("q1", "q2", "q3", "u")
    }
)
MEASURES = ("AP", "AP@2", "P@2", "R@2", "F@2", "RR", "nDCG@2", "RBP", "Judged@2", "SetF", "RprecMult@0.4", "BPM@2")
RULES = ("", "missing_query=skip", "unknown_query=zero", "no_relevant=skip", "no_relevant=one", "no_hits=skip")


def plainly(run):
    return {query: [(docno, Fraction(score)) for docno, score in listed] for query, listed in run.items()}


def agree(theirs, ours):
    return theirs == ours.value if isinstance(ours, Undefined) else not isinstance(theirs, str) and same(theirs, ours)


@pytest.mark.drawn
@given(
    qrels=DRAWN_QRELS,
    run=RUNS,
    weights=WEIGHTS | st.none(),
    measure=st.sampled_from(MEASURES),
    rules=st.tuples(st.sampled_from(["mean", "by-relevant", "ratio", "micro"]), st.sampled_from(RULES)),
)
def test_what_queries_weigh(qrels, run, weights, measure, rules):
    asked = parse_measure(measure)
    convention = parse_convention(f"default[aggregate={', '.join(filter(None, rules))}]")
    changed = {axis: str(setting) for axis, setting in convention.differences().items()}
    try:
        theirs = naive.answer(parsed(measure), qrels, plainly(run), changed, weights)[0]
    except ValueError:
        with pytest.raises(ConventionError):
            evaluate(asked, Qrels.of(qrels), Run.of(run), convention, weights)
        return
    ours = evaluate(asked, Qrels.of(qrels), Run.of(run), convention, weights).value
    assert agree(theirs, ours)
    assert explain(asked, Qrels.of(qrels), Run.of(run), convention, weights).value == ours


@pytest.mark.drawn
@given(
    qrels=st.dictionaries(st.sampled_from(["q1", "q2"]), JUDGED, min_size=1),
    run=st.dictionaries(st.sampled_from(["q1", "q2", "u"]), LISTED, max_size=2),
    measure=st.sampled_from(["AP", "R@2", "nDCG"]),
    weights=WEIGHTS | st.none(),
    draw=st.randoms(),
)
@settings(max_examples=settings.default.max_examples // 3)
def test_sweeps_weigh_as_the_oracle_does(qrels, run, measure, weights, draw):
    asked, data = parse_measure(measure), Data(Qrels.of(qrels), Run.of(run), weights=weights)
    totals = sweep_of(asked, data).totals()
    weighing = [
        each for each in totals if weights or str(dict(each.differences).get("aggregate")) in {"by-relevant", "ratio"}
    ]
    for total in draw.sample(weighing, min(len(weighing), 30)):
        convention = parse_convention("default").with_settings(dict(total.differences))
        assert meaningless(asked, convention) is None
        exact = evaluate(asked, data.qrels, data.run, convention, weights)
        assert total.value() == exact.exact
        assert total.approximate == pytest.approx(exact.double, nan_ok=True)


def test_files_and_dictionaries_of_weights(tmp_path):
    file = tmp_path / "weights.txt"
    file.write_text("query weight\nq1 0.1\nq2,1/3\n")
    assert read_weights(file) == {"q1": Fraction(1, 10), "q2": Fraction(1, 3)}
    assert parsed_weights({"q1": "0.1", "q2": 0.5}) == {"q1": Fraction(1, 10), "q2": Fraction(1, 2)}


@pytest.mark.parametrize("text", ["q1 -1\n", "q1 inf\n", "q1 heavy\n", "q1 1 2\n", "q1 1\nq1 2\n"])
def test_what_is_no_file_of_weights(text, tmp_path):
    file = tmp_path / "weights.txt"
    file.write_text(text)
    with pytest.raises(InputError):
        read_weights(file)


def test_the_list_of_a_query_without_judgments_is_not_looked_at():
    judged, ranked = Qrels.of({"q1": {"a": 1}}), Run.of({"q1": [("a", 1)], "q2": [("b", 1), ("b", 1)]})
    convention = parse_convention("default[aggregate=by-relevant, unknown_query=zero]")
    assert evaluate(parse_measure("AP"), judged, ranked, convention).value == 1


def test_a_query_that_counts_needs_a_weight():
    judged, ranked = Qrels.of({"q1": {"a": 1}}), Run.of({"q1": [("a", 1)]})
    with pytest.raises(InputError) as refusal:
        evaluate(parse_measure("AP"), judged, ranked, weights={})
    assert refusal.value.code == "weight-missing"


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
