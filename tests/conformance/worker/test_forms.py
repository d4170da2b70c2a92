"""Any function is called as it is: its form is found from its parameters, its source, and a few answers."""

from __future__ import annotations

import pytest
from identified_in_process import identified
from programs.called_as import NO_METRICS, RIGHT, of_pairs, several_at_once
from rankspec.conformance.implementations.naming import measure_by_name
from rankspec.conformance.implementations.specs import stated_form
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.worker.arguments import ActualPredicted, LabelsScores, QrelsRun
from rankspec.conformance.worker.callables import UncallableError, as_function
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.results import plain_result
from rankspec.conformance.worker.shapes import parse_form
from rankspec.oracle import parse_measure
from refusals import refused


def stated_of(named):
    """Return the form and the measure that stand in a docstring."""
    form, _, measure = named.__doc__.partition("; ")
    return form, measure


@pytest.mark.parametrize("named", RIGHT, ids=lambda named: named.__name__)
def test_a_function_is_called_in_its_own_form(named):
    hello = InProcess(named).loaded.hello
    form, _ = stated_of(named)
    assert hello.functions["*"].form.value == form


@pytest.mark.campaign
@pytest.mark.parametrize("named", RIGHT, ids=lambda named: named.__name__)
def test_what_is_called_in_its_own_form_is_identified(named):
    _, measure = stated_of(named)
    identification = identified(named, measure)
    assert identification.status is Status.IDENTIFIED, identification.observations
    assert identification.texts[0].startswith(f"{measure} under ")


@pytest.mark.parametrize("named", RIGHT, ids=lambda named: named.__name__)
def test_the_form_that_was_found_can_be_stated(named):
    form, _ = stated_of(named)
    stated = InProcess(named, form).loaded.hello
    assert (stated.functions["*"].form.value, stated.told) == (form, "")


@pytest.mark.parametrize("function", NO_METRICS, ids=lambda function: function.__name__)
def test_what_is_no_ranking_metric_is_refused(function):
    with refused("shape-unclear", function.__name__):
        _ = InProcess(function).loaded


@pytest.mark.parametrize("text", ["labels-scores[arrays]", "ranking[set]", "rows"])
def test_a_form_that_there_is_not_is_refused(text):
    with refused("unknown-shape", text):
        stated_form(text)


@pytest.mark.parametrize("text", ["ranking", "labels-scores[array, turned]", "predicted-actual[set, objects id score]"])
def test_a_form_reads_back(text):
    assert parse_form(text).value == text


class NeedsData:
    def __init__(self, corpus):
        self.corpus = corpus

    def __call__(self, actual, predicted):
        return len(actual) / len(predicted) / len(self.corpus)


class Nothing:
    pass


@pytest.mark.parametrize(("kind", "word"), [(NeedsData, "corpus"), (Nothing, "Nothing")])
def test_a_class_that_can_not_be_made_or_fed_says_why(kind, word):
    with pytest.raises(UncallableError, match=word):
        as_function(kind)


ONE = Call("AP", ActualPredicted(("a",), ("a",)), 10)
QUERIES = Call("AP", QrelsRun((("1", (("a", 1),)), ("2", (("b", 1),))), ()))


@pytest.mark.parametrize(
    ("returned", "call", "expected"),
    [
        ({"map@10": 0.5, "mrr": 1.0, "map@5": 0.25}, ONE, 0.5),
        ({"value": 0.5}, ONE, 0.5),
        ([0.5], ONE, 0.5),
        (iter([0.5]), ONE, 0.5),
        ("0.5", ONE, "0.5"),
        ({"1": {"ndcg": 0.2, "AP": 1.0}, "2": {"ndcg": 0.1, "AP": 0.5}}, QUERIES, {"1": 1.0, "2": 0.5}),
        ({"ap": {"1": 1.0, "2": 0.5}, "p": {"1": 0.1, "2": 0.2}}, QUERIES, {"1": 1.0, "2": 0.5}),
        ({"1": 1.0, "2": 0.5}, QUERIES, {"1": 1.0, "2": 0.5}),
        (None, ONE, None),
    ],
)
def test_of_several_values_the_one_that_is_asked_for_is_taken(returned, call, expected):
    assert plain_result(returned, call) == expected


def test_a_function_is_taken_for_the_first_of_the_values_that_its_source_names():
    hello = InProcess(several_at_once).loaded.hello
    assert hello.returns == ("precision", "recall@10")
    assert measure_by_name(hello) == parse_measure("P@10")
    assert measure_by_name(InProcess(of_pairs).loaded.hello) is None


def test_what_a_form_can_not_hold_is_not_asked():
    one = InProcess(lambda results, gold: 1 / (1 + results.index(gold)) if gold in results else 0.0)
    with one.connect() as connection:
        (two,) = connection.ask([Call("RR", ActualPredicted(("a", "b"), ("a",)))]).outcomes
        (other,) = connection.ask([Call("RR", LabelsScores((1,), (1,)))]).outcomes
    assert "one relevant document" in two.reason
    assert "labels-scores" in other.reason
