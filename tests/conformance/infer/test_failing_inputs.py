"""An error on one kind of input is an observation; everything else is identified as if it had not been asked."""

from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest
from campaign import in_campaign
from golden_words import SAID
from identified_in_process import identified, precisions_over
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.run.connection import FIRST_SEED
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.outcomes import TimedOut
from rankspec.oracle.language.expression import parse_measure
from refusals import assert_names


def too_long(most):
    def function(relevance, num_relevant):
        if len(relevance) > most:
            raise RecursionError("maximum recursion depth exceeded")
        return precisions_over(relevance, num_relevant)

    return function


def negative_refused(qrels, run, *, first_alone=False):
    values = []
    first = min((query for query in run if query in qrels), default=None)
    for query, grades in qrels.items():
        if max(grades.values(), default=0) < 0 and (query == first or not first_alone):
            raise ValueError
        listed = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])
        values.append(
            precisions_over(
                [grades.get(docno, 0) > 0 for docno, _ in listed], sum(grade > 0 for grade in grades.values())
            )
        )
    return sum(values) / len(values) if values else float("nan")


@pytest.mark.parametrize("most", [987, pytest.param(8, marks=pytest.mark.campaign)])
def test_lists_that_are_too_long(most):
    found = identified(too_long(most), "AP")
    assert found.status is Status.IDENTIFIED
    assert found.texts[0] == "AP under default"
    assert_names("\n".join(found.observations), "RecursionError", most + 1)


@pytest.mark.campaign
def test_judgments_of_the_first_query_that_are_all_negative():
    """As trec_eval, whose table of grades is not there before a query needs it."""
    found = identified(lambda qrels, run: negative_refused(qrels, run, first_alone=True), "AP")
    assert found.status is Status.IDENTIFIED
    assert any(SAID["judgments-first-query-all"] in each for each in found.observations)


def no_scores_below_zero(y_true, y_score):
    if min(y_score, default=0) < 0:
        raise ValueError("scores contain negative elements")
    order = sorted(range(len(y_score)), key=lambda place: -y_score[place])
    return precisions_over([y_true[place] for place in order], sum(y_true)) if any(y_true) else float("nan")


def no_cutoff_beyond_the_list(y_true, y_score, k):
    if k > len(y_true):
        raise AssertionError(f"expected k <= {len(y_true)}")
    order = sorted(range(len(y_score)), key=lambda place: -y_score[place])
    return sum(y_true[place] for place in order[:k]) / k


def none_where_nothing_is_relevant(actual, predicted, k):
    return precisions_over([document in actual for document in predicted[:k]], len(actual)) if actual else None


def negative_grades_refused_where_they_are_looked_at(qrels, run):
    values = []
    for query, grades in qrels.items():
        if query in run and min(grades.values(), default=0) < 0:
            raise OverflowError("out of range")
        listed = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])
        relevant = {docno for docno, grade in grades.items() if grade > 0}
        values.append(precisions_over([docno in relevant for docno, _ in listed], len(relevant)))
    return sum(values) / len(values) if values else float("nan")


REFUSES = [
    (no_scores_below_zero, "AP", "score-below-0", "AP under default[no_relevant=nan]"),
    # It is not known whether it would divide by k or by the length of a shorter list.
    (no_cutoff_beyond_the_list, "P@3", "cutoff-beyond-list", "P@3 under default"),
    (
        *(none_where_nothing_is_relevant, "AP@3", "no-judgments-all-returned"),
        "AP@3 under default[duplicates=counted, no_relevant=error]",
    ),
    (negative_grades_refused_where_they_are_looked_at, "AP", "negative-grade-query-run", "AP under default"),
]


@pytest.mark.parametrize(
    ("function", "measure", "refused", "text"), in_campaign(REFUSES, but=["no_cutoff_beyond_the_list"])
)
def test_what_is_refused_is_said_and_all_else_identified(function, measure, refused, text):
    found = identified(function, measure)
    status = Status.AMBIGUOUS if function is no_cutoff_beyond_the_list else Status.IDENTIFIED
    assert (found.status, found.texts[0]) == (status, text)
    assert any(each.startswith(f"fails on {SAID[refused]}") for each in found.observations)


class Hanging(InProcess):
    """A function that gives no answer in time for lists of more than 900 documents."""

    @contextmanager
    def connect(self, hash_seed=FIRST_SEED):
        with super().connect(hash_seed) as connection:

            def ask(calls, on_outcome=None):
                report = connection.ask(calls)
                outcomes = [
                    TimedOut(1.0) if len(call.arguments.relevance) > 900 else outcome
                    for call, outcome in zip(calls, report.outcomes, strict=True)
                ]
                for number, outcome in enumerate(outcomes if on_outcome else ()):
                    on_outcome(number, outcome)
                return replace(report, outcomes=tuple(outcomes))

            yield SimpleNamespace(hello=connection.hello, ask=ask)


def test_without_answers_to_long_lists_a_convention_is_not_certain():
    found = identify_connected(Hanging(too_long(10_000)), parse_measure("AP"))
    assert (found.status, found.texts) == (Status.AMBIGUOUS, ("AP under default",))
