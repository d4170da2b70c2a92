"""What no shape may lose: queries on one side alone, rows of other lengths, a query without lines in a file."""

from fractions import Fraction

import pytest
from rankspec.conformance.checks.stability import NO_JUDGEMENTS, neighbours_of
from rankspec.conformance.questions.parameters import not_taken
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import LostError, Refused, Rendering, as_lists, as_matrices, put, render
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.worker.arguments import Files, QrelsRun
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import Qrels, Run, parse_convention, parse_measure

AP = parse_measure("AP")
QRELS = Qrels.of({"p": {"a": 1}, "q": {"a": 1}})


@pytest.mark.parametrize(
    ("rendered", "run"),
    [
        (as_lists, {"p": {"a": 1}}),
        (as_lists, {"p": {"a": 1}, "q": {"a": 1}, "r": {"a": 1}}),
        (as_matrices, {"p": {"a": 1}, "q": {"a": 2, "b": 1}}),
        (as_matrices, {"p": [("a", 2), ("a", 1)], "q": {"a": 2, "b": 1}}),
    ],
)
def test_what_does_not_fit_side_by_side_is_lost(rendered, run):
    with pytest.raises(LostError):
        rendered(QRELS, Run.of(run), AP)


def test_what_fits_is_laid_out_by_query():
    run = Run.of({"p": {"b": 2, "a": 1}, "q": {"a": 3, "c": 1}})
    assert as_lists(QRELS, run, AP).arguments.predicted == (("b", "a"), ("a", "c"))
    assert as_matrices(QRELS, run, AP).arguments.y_true == ((0, 1), (1, 0))


@pytest.mark.parametrize(("kind", "judged"), [(QrelsRun, 3), (Files, 1)])
def test_a_file_has_no_lines_of_a_query_without_any(kind, judged):
    call = Call("AP", kind((("q", (("a", 1),)),), (("q", (("a", 1.0),)),)), None, None, "AP", ())
    (odd,) = [each for each in neighbours_of(call) if each.odd == f"queries {NO_JUDGEMENTS}"]
    assert (len(odd.call.arguments.qrels), len(odd.call.arguments.run)) == (judged, 3)


@pytest.mark.parametrize(
    ("measure", "shape", "fixed", "said"),
    [
        ("AP(rel=2)", Shape.QRELS_RUN, True, "it takes no relevance threshold"),
        ("AP(rel=2)", Shape.RANKING, False, None),
        ("AP@3", Shape.QRELS_RUN, False, "it takes no cutoff"),
        ("AP@3", Shape.QRELS_RUN, True, None),
        ("AP", Shape.QRELS_RUN, False, None),
    ],
)
def test_what_a_function_without_parameters_can_be_asked(measure, shape, fixed, said):
    assert (
        not_taken(parse_measure(measure), Signature(shape, shape.natives, Need.ABSENT, Need.ABSENT), fixed=fixed)
        == said
    )


def test_a_cutoff_that_is_needed():
    needing = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.REQUIRED, Need.ABSENT)
    assert not_taken(AP, needing, fixed=False)


def rendered_as(shape, measure, convention, grades, listed):
    question = Question("one", parse_measure(measure), Qrels.of({"q": grades}), Run.of({"q": listed}), ("one",))
    signature = Signature(shape, shape.natives, Need.OPTIONAL, Need.OPTIONAL)
    return render(question, parse_convention(convention), signature)


@pytest.mark.parametrize(
    ("shape", "convention", "listed", "said"),
    [
        (Shape.QRELS_RUN, "default[duplicates=first]", [("a", 2), ("a", 1)], "a document appears twice"),
        # Of u and a the value is 1 where u is removed; of the labels 0 and 1 it is 1/2.
        (Shape.RANKING, "default[unjudged=removed]", [("u", 2), ("a", 1)], "unjudged"),
    ],
)
def test_what_a_shape_loses_is_not_asked(shape, convention, listed, said):
    refused = rendered_as(shape, "AP", convention, {"a": 1}, listed)
    assert isinstance(refused, Refused)
    assert refused.verdict == "not-expressible"
    assert said in refused.reason


def test_labels_are_relevant_at_the_threshold_of_the_measure():
    asked = rendered_as(Shape.RANKING, "AP(rel=2)", "default", {"a": 2, "b": 1}, [("b", 2), ("a", 1)])
    assert isinstance(asked, Rendering)
    assert (asked.call.arguments.relevance, asked.expectation.exact) == ((0, 1), Fraction(1, 2))


def test_a_function_whose_measure_is_not_stated_is_asked_for_average_precision_alone():
    hello = InProcess(lambda relevance, num_relevant: 0.0).loaded.hello
    for measure, fixed, is_asked in (("AP", False, True), ("RR", False, False), ("RR", True, True)):
        one = {"q": {"a": 1}}
        question = Question("one", parse_measure(measure), Qrels.of(one), Run.of(one), ("one",))
        assert isinstance(put(question, parse_convention("default"), hello, fixed=fixed), Rendering) is is_asked


def test_a_value_that_is_kept_hides_no_limit(monkeypatch):
    for limit, kind in ((99, Refused), (100, Rendering), (99, Refused)):
        monkeypatch.setenv("RANKSPEC_LIMITS", f"exponential_grade={limit}")
        put_to_it = rendered_as(Shape.QRELS_RUN, "nDCG", "default[gain=exponential]", {"a": 100}, {"a": 1})
        assert isinstance(put_to_it, kind)
        assert isinstance(rendered_as(Shape.QRELS_RUN, "AP", "default", {"a": 100}, {"a": 1}), Rendering)
