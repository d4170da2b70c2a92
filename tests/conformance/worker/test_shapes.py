"""Shapes and arguments: told by parameters or stated; what is sent, given and read back, by hand."""

from functools import partial
from typing import get_args

import pytest
from rankspec.conformance.worker.adapter import ShapeName
from rankspec.conformance.worker.arguments import QrelsRun, QueryLists, highest
from rankspec.conformance.worker.commands import option_name, read_rows, row_names
from rankspec.conformance.worker.messages import Unusable, Value, Values
from rankspec.conformance.worker.packing import is_same
from rankspec.conformance.worker.shapes import Need, Shape, ShapeError, tell

ABSENT, OPTIONAL, REQUIRED = Need.ABSENT, Need.OPTIONAL, Need.REQUIRED


def called(signature, function, **roles):
    """Call as a worker does."""
    return function(
        *[roles[role] for role in signature.positional if role in roles],
        **{name: roles[role] for role, name in signature.keywords if role in roles},
    )


ROLES = {shape: {name: name for name in shape.natives} for shape in Shape}


@pytest.mark.parametrize(
    ("function", "shape", "natives", "k", "rel"),
    [
        (lambda relevance: [relevance], Shape.RANKING, 1, ABSENT, ABSENT),
        (lambda relevance, k: [relevance, k], Shape.RANKING, 1, REQUIRED, ABSENT),
        (lambda relevance, num_relevant, k=None: [relevance, num_relevant, k], Shape.RANKING, 2, OPTIONAL, ABSENT),
        (lambda num_relevant, relevance: [relevance, num_relevant], Shape.RANKING, 2, ABSENT, ABSENT),
        (lambda y_true, y_score, *, k=None: [y_true, y_score, k], Shape.LABELS_SCORES, 2, OPTIONAL, ABSENT),
        (lambda y_score, y_true, average="macro": [y_true, y_score], Shape.LABELS_SCORES, 2, ABSENT, ABSENT),
        (lambda y_true, y_score, /, k=None: [y_true, y_score, k], Shape.LABELS_SCORES, 2, OPTIONAL, ABSENT),
        (lambda actual, predicted, k=10: [actual, predicted, k], Shape.ACTUAL_PREDICTED, 2, OPTIONAL, ABSENT),
        (lambda qrels, run: [qrels, run], Shape.QRELS_RUN, 2, ABSENT, ABSENT),
        (lambda run, qrels, k, rel=1: [qrels, run, k, rel], Shape.QRELS_RUN, 2, REQUIRED, OPTIONAL),
        (lambda qrels_path, run_path, **_: [qrels_path, run_path], Shape.FILES, 2, ABSENT, ABSENT),
        (partial(lambda a, relevance: [relevance], 1), Shape.RANKING, 1, ABSENT, ABSENT),
    ],
)
def test_names_tell_the_shape(function, shape, natives, k, rel):
    signature = tell(function)
    assert (signature.shape, len(signature.natives), signature.k, signature.rel) == (shape, natives, k, rel)
    extra = {name: name for name, need in (("k", k), ("rel", rel)) if need is not ABSENT}
    expected = [*[name for name in shape.natives if name in signature.natives], *extra]
    assert called(signature, function, **ROLES[shape], **extra) == expected


@pytest.mark.parametrize(
    ("function", "shape", "expected"),
    [
        (lambda a: [a], Shape.RANKING, ["relevance"]),
        (lambda a, b: [a, b], Shape.RANKING, ["relevance", "num_relevant"]),
        (lambda a, k: [a, k], Shape.RANKING, ["relevance", "K"]),
        (lambda a, b, c: [a, b, c], Shape.RANKING, ["relevance", "num_relevant", "K"]),
        (lambda a, k, b: [a, k, b], Shape.RANKING, ["relevance", "K", "num_relevant"]),
        (lambda relevance, total=None: [relevance, total], Shape.RANKING, ["relevance", "num_relevant"]),
        (lambda a, b: [a, b], Shape.LABELS_SCORES, ["y_true", "y_score"]),
        (lambda a, b, top: [a, b, top], Shape.LABELS_SCORES, ["y_true", "y_score", "K"]),
        (lambda scores, y_true: [y_true, scores], Shape.LABELS_SCORES, ["y_true", "y_score"]),
        (lambda y_true, y_score, c=0: [y_true, y_score, c], Shape.LABELS_SCORES, ["y_true", "y_score", 0]),
        (lambda preds, target: [target, preds], Shape.MATRICES, ["y_true", "y_score"]),
        (lambda results, truth, n: [truth, results, n], Shape.ACTUAL_PREDICTED, ["actual", "predicted", "K"]),
        (lambda gold, results: [gold, results], Shape.QRELS_RUN, ["qrels", "run"]),
        (lambda *a: [*a], Shape.ACTUAL_PREDICTED, ["actual", "predicted", "K"]),
        (lambda a, b, c=0: [a, b, c], Shape.QRELS_RUN, ["qrels", "run", 0]),
        (lambda a, b, *, k: [a, b, k], Shape.FILES, ["qrels_path", "run_path", "K"]),
        (lambda qrels, run: [qrels, run], Shape.FILES, ["qrels_path", "run_path"]),
    ],
)
def test_a_stated_shape_is_met_by_position(function, shape, expected):
    assert called(tell(function, shape), function, **ROLES[shape], k="K") == expected


@pytest.mark.parametrize(
    ("function", "stated", "said"),
    [
        (lambda a, b: (a, b), None, "(a, b)"),
        (lambda relevance, weight: (relevance, weight), None, "(relevance, weight)"),
        (lambda relevance=0, qrels=0, run=0: (relevance, qrels, run), None, "fit the shapes ranking and qrels-run"),
        (lambda a: a, Shape.LABELS_SCORES, "(a) are too few for the shape labels-scores"),
        (lambda a, b, c, d: (a, b, c, d), Shape.LABELS_SCORES, "'d' has no place in the shape labels-scores"),
        (lambda a, b, *, c: (a, b, c), Shape.QRELS_RUN, "'c' has no place"),
        (lambda relevance, k, num_relevant, /: (relevance, k, num_relevant), None, "positional-only"),
        (iter, None, "its parameters can't be inspected: state the shape with --shape"),
    ],
)
def test_what_fits_no_shape_is_refused(function, stated, said):
    with pytest.raises(ShapeError) as caught:
        tell(function, stated)
    assert said in str(caught.value)


def test_a_callable_without_a_signature_gets_the_arguments_of_the_stated_shape():
    assert tell(iter, Shape.ACTUAL_PREDICTED).positional == ("actual", "predicted")


def test_the_adapter_base_knows_the_same_shapes():
    assert get_args(ShapeName) == tuple(shape.value for shape in Shape)


def test_a_dictionary_in_another_order_was_changed():
    given = QrelsRun((("q", (("a", 1), ("b", 0))),), (("q", (("a", 2.0), ("b", 1.0))),))
    natives = given.plain()
    assert is_same(natives, given.plain())
    natives["run"]["q"] = {"b": 1.0, "a": 2.0}
    assert not is_same(natives, given.plain())


@pytest.mark.parametrize(
    ("returned", "read"),
    [([0.5, 1.0], {"p": 0.5, "q": 1.0}), ((0.5, 1.0), {"p": 0.5, "q": 1.0}), ([0.5], [0.5]), ([1, 2, 3], [1, 2, 3])],
)
def test_a_number_a_query_is_one_for_each(returned, read):
    assert QueryLists(("p", "q"), (("a",), ("b",)), (("a",), ("b",))).by_query(returned) == read


def test_the_grade_of_a_document_is_its_highest_one():
    assert (highest((("a", 2), ("b", 1))), highest((("a", 0), ("b", 1))), highest(3)) == (2, 1, 3)


@pytest.mark.parametrize(
    ("printed", "mean", "queries"),
    [
        ("map all 0.5\n", "0.5", None),
        ("map q1 0.25\nmap q2 0.75\nmap all 0.5\nP_5 all 0.1\n", "0.5", {"q1": "0.25", "q2": "0.75"}),
        ("own q1 0.25\n", None, {"q1": "0.25"}),
        ("map all 0.5\nmap all 0.5\n", "0.5", None),
    ],
)
def test_rows_of_one_measure(printed, mean, queries):
    answer = read_rows(printed, "AP")
    if queries is None:
        assert isinstance(answer, Value)
        assert answer.value.number == mean
    else:
        assert isinstance(answer, Values)
        assert {query: each.number for query, each in answer.values} == queries
        assert (answer.overall and answer.overall.number) == mean


@pytest.mark.parametrize(
    "printed", ["map q1 0.5\nmap q1 0.6\n", "one q1 0.5\ntwo q1 0.5\n", "map q1 half\n", "map 0.5\n", ""]
)
def test_rows_that_are_none(printed):
    assert isinstance(read_rows(printed, "AP"), Unusable)


def test_names_of_trec_eval():
    assert [option_name(each) for each in ("IPrec@0.25", "AP(rel=2)@5", "AP(judged_only=True)")] == [
        *("iprec_at_recall.0.25", "map_cut.5", "AP(judged_only=True)")
    ]
    assert row_names("P@10") == ("P_10", "P.10", "P@10")
