"""An error on one kind of input is an observation; what did not answer in time is none, and is asked again."""

from contextlib import contextmanager
from dataclasses import replace
from textwrap import dedent
from types import SimpleNamespace

import pytest
from campaign import in_campaign
from golden_words import SAID
from identified_in_process import identified, precisions_over
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify, identify_connected
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.run.connection import FIRST_SEED
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
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


@pytest.mark.campaign
def test_what_long_lists_alone_show_is_no_convention_of_short_ones():
    def function(relevance, num_relevant):
        return next((1 / rank for rank, label in enumerate(relevance[:20], 1) if label > 0), 0.0)

    assert identified(function, "RR").texts == ("RR under default[depth=20]",)


LIMITS = Limits(case_seconds=3, timeouts_in_a_row=1)
AVERAGE_PRECISION = """
import os, time
from pathlib import Path
calls = []
def average_precision(relevance, num_relevant):
    calls.append(1)
    hits = [rank for rank, label in enumerate(relevance, 1) if label]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0
"""


def found_of(folder, source, limits=LIMITS):
    path = folder / "slow.py"
    path.write_text(AVERAGE_PRECISION + dedent(source), encoding="utf-8")
    return identify(f"{path}:f", limits=limits, measure="AP")


def shortage(found):
    """Return how many questions were answered, of how many."""
    told = identification_data(found)["answered"]
    return told["questions"] - sum(told["instead"].values()), told["questions"]


@pytest.mark.campaign
@pytest.mark.parametrize("factor", [1, 100])
def test_without_all_answers_nothing_is_identified_and_no_witness_is_a_timeout(tmp_path, factor):
    """What lists of more than 4,000 documents are worth, nobody knows; what the others are worth stands."""
    found = found_of(
        tmp_path,
        f"""
        def f(relevance, num_relevant):
            if len(relevance) > 4000:
                time.sleep(1000)
            return {factor} * average_precision(relevance, num_relevant)
        """,
        Limits(case_seconds=2),
    )
    answered, asked = shortage(found)
    assert 0 < asked - answered < 5
    told = identification_data(found)["answered"]
    assert (told["questions"], told["instead"], told["options"]) == (
        asked,
        {SAID["no-answer-within-2"]: asked - answered},
        ["--case-seconds"],
    )
    assert {"denominator", "interpolation"} < {*told["sure"]}
    if factor == 1:
        assert (found.status, found.texts[0], found.witness) == (Status.AMBIGUOUS, "AP under default", None)
    else:
        assert (found.status, found.explained) == (Status.OUTSIDE, False)
        assert found.witness is not None
        assert float(found.witness.got) <= 100
