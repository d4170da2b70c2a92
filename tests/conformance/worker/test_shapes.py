"""The shape of a callable: told by its parameters' names, or stated and then met by position."""

from functools import partial
from typing import get_args

import pytest
from rankspec.conformance.worker.adapter import ShapeName
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
