"""The shape of a function whose parameters' names don't tell it: a few answers do."""

import inspect
import re
import sys
from fractions import Fraction

import pytest
from campaign import in_campaign, one_in
from rankspec.conformance.checks.check import CheckPlan, check
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.questions.question import Question
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import NotCalled, TimedOut
from rankspec.conformance.worker.arguments import ActualPredicted, QueryLists
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle import Qrels, Run, parse_measure
from refusals import refused

AP = parse_measure("AP")


def apk(actual, predicted, k=10):
    hits = [p in actual and p not in predicted[:i] for i, p in enumerate(predicted[:k])]
    return (
        sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit) / min(len(actual), k) if actual else 0
    )


def mapk(actual, predicted, k=10):
    values = [apk(ids, listed, k) for ids, listed in zip(actual, predicted, strict=False)]
    return sum(values) / len(values) if values else 0.0


def of_labels(labels, total):
    hits = [label > 0 for label in labels]
    return sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit) / total if total else 0.0


QUERY, KEY, LABEL, SCORE = "qid", ["qid", "docno"], "label", "score"
"""Names of columns that do not stand in the function."""


def of_frames(qrels, run):
    ranked = run.sort_values([QUERY, SCORE], ascending=[True, False], kind="stable")
    both = ranked.merge(qrels, on=KEY, how="left").fillna({LABEL: 0})
    totals = qrels.groupby(QUERY)[LABEL].sum()
    return both.groupby(QUERY)[LABEL].apply(list).to_frame().apply(lambda r: of_labels(r.iloc[0], totals[r.name]), 1)


def found_of_any(gold, guesses):
    """Recall of one list, or of several, whatever their order."""
    if any(isinstance(each, list | tuple) for each in gold):
        return sum(map(found_of_any, gold, guesses)) / len(gold)
    return len({*gold} & {*guesses}) / len(gold)


@one_in(2)
@pytest.mark.parametrize(("function", "shape"), [(of_frames, Shape.FRAMES), (found_of_any, Shape.ACTUAL_PREDICTED)])
def test_answers_tell_the_shape(function, shape):
    """What fits several, and frames whose columns have not the first names; others: `worker/test_forms.py`."""
    if shape is Shape.FRAMES:
        pytest.importorskip("pandas", reason="pandas comes with ranx")
    hello = InProcess(function).loaded.hello
    assert (hello.shape, hello.functions["*"].shape, bool(hello.shape_note)) == (shape, shape, True)


def precision(x, y, k):
    return sum(d in set(y) for d in x[:k]) / k


def hit(x, y, k):
    return float(any(d in y for d in x[:k]))


def reciprocal(foo, bar):
    return next((1 / rank for rank, d in enumerate(foo, 1) if d in bar), 0.0)


def list_first(foo, bar):
    return apk(bar, foo, 10)


def truth_first(foo, bar):
    return apk(foo, bar, 10)


LAST = ("predicted", "actual")


@pytest.mark.parametrize(
    ("function", "order"),
    in_campaign(
        [(precision, LAST), (hit, LAST), (reciprocal, LAST), (list_first, LAST), (truth_first, LAST[::-1])],
        but=["list_first"],  # not the order that is tried first
    ),
)
def test_answers_tell_which_of_two_neutral_names_takes_the_list(function, order, written):
    """In this process, and in a worker, which knows nothing of what was found."""
    question = Call("AP", ActualPredicted(("a", "b"), ("x", "b", "a")), 2 if function in {precision, hit} else None)
    expected = {precision: Fraction(1, 2), hit: 1, reciprocal: Fraction(1, 2)}.get(
        function, (Fraction(1, 2) + Fraction(2, 3)) / 2
    )
    here = InProcess(function)
    assert here.loaded.hello.functions["*"].natives == order
    source = "\n".join(map(inspect.getsource, (apk, function)))
    there = Workers(parse(written(source, function=function.__name__)))
    for connectable in (here, there):
        for _ in range(2):
            with connectable.connect() as connection:
                assert connection.hello.functions["*"].natives == order
                (outcome,) = connection.ask([question]).outcomes
                assert float(outcome.value) == pytest.approx(float(expected))


def test_the_shape_that_overrides_is_one_that_can_be_stated():
    hello = InProcess(list_first).loaded.hello
    (stated,) = re.findall(r"--shape (\S+)$", hello.shape_note)
    assert stated == "predicted-actual"
    turned = InProcess(list_first, stated)
    with turned.connect() as connection:
        (outcome,) = connection.ask([Call("AP", ActualPredicted(("a",), ("x", "a")))]).outcomes
    assert (turned.loaded.hello.shape_note, outcome.value) == ("", Fraction(1, 2))
    by_name = InProcess(apk_by_name, stated).loaded.hello
    assert by_name.shape is Shape.ACTUAL_PREDICTED


def apk_by_name(predicted, actual):
    return apk(actual, predicted, 10)


def test_a_stated_shape_is_not_asked_about():
    hello = InProcess(mapk, "actual-predicted").loaded.hello
    assert (hello.shape, hello.shape_note) == (Shape.ACTUAL_PREDICTED, "")


def first_is_hit(array, top_k=10):
    return int(0 in sorted(range(len(array)), key=lambda each: array[each])[-top_k:])


@pytest.mark.parametrize(
    ("function", "code", "named"),
    [
        pytest.param(lambda a, b: a @ b, "shape-unclear", "b", id="exception"),
        pytest.param(lambda a, b: 0.5, "shape-unclear", "b", id="constant"),
        pytest.param(lambda a, b: len(sys.no_such_name), "function-not-runnable", "no_such_name", id="environment"),
    ],
)
def test_a_function_that_fits_no_shape_says_what_was_tried(function, code, named):
    """What a module lacks, it lacks whichever way a function is called."""
    with refused(code, named):
        _ = InProcess(function).loaded


def test_scores_of_which_the_first_is_relevant_are_no_labels():
    """A right hit rate of them passes for one of labels where the first label is 1: it is not accused."""
    assert InProcess(first_is_hit).loaded.hello.form == "labels-scores[first]"


def cascade_without_its_chances(relevances, k=10):
    weight, total = 1.0, 0.0
    for place, grade in enumerate(relevances[:k]):
        weight, total = weight * (2**grade - 1) / 16, total + weight * (2**grade - 1) / 16 / (place + 1)
    return total


def test_labels_are_labels_where_a_list_without_a_first_hit_is_worth_nothing():
    assert InProcess(cascade_without_its_chances).loaded.hello.form == "ranking"


METRIC = """
def apk(a, p, k):
    hits = [d in a and d not in p[:i] for i, d in enumerate(p[:k])]
    return sum(sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit) / min(len(a), k) if a else 0


def mapk(actual, predicted, k=10):
    return sum(apk(a, p, k) for a, p in zip(actual, predicted)) / max(len(actual), 1)
"""


def test_a_worker_is_asked_too_and_a_mean_of_lists_conforms(written):
    qrels = Qrels.of({"q": {"a": 1, "b": 1}, "r": {"c": 1, "d": 0}})
    run = Run.of({"q": {"x": 3, "b": 2, "a": 1}, "r": {"d": 2, "c": 1}})
    question = Question("two", parse_measure("AP@3"), qrels, run, ("two",))
    workers = Workers(parse(written(METRIC, function="mapk")), Limits())
    checked = check(workers, CheckPlan([question], fixed_measure=True))
    assert checked.hello.shape is Shape.LISTS
    assert any("--shape lists-of-lists" in remark for remark in checked.remarks)
    (answer,) = checked.answers
    assert answer.outcome.value == Fraction(((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2)


def test_what_hangs_at_its_first_question_has_hung_at_the_first_that_it_is_asked(written):
    place = written("def f(actual, predicted):\n    import time\n    time.sleep(60)\n")
    limits = Limits(case_seconds=0.3, startup_seconds=1.5)
    with Workers(parse(place), limits).connect() as connection:
        outcomes = connection.ask([Call("AP", QueryLists((), (), ()))] * 2).outcomes
    assert [type(outcome) for outcome in outcomes] == [TimedOut, NotCalled]
