"""An error on one kind of input is an observation; everything else is identified as if it had not been asked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import log2
from types import SimpleNamespace

import pytest
from golden_words import SAID
from identified_in_process import identified, precisions_over
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify, identify_connected
from rankspec.conformance.run.connection import FIRST_SEED
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.outcomes import TimedOut
from rankspec.conformance.worker.adapter import Adapter, UnsupportedError
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


def none_at_zero(labels, scores):
    """The mean nDCG over the orders of ties; None where nothing is gained."""
    gains, ideal, rank = 0.0, sorted(labels, reverse=True), 0
    for score in sorted(set(scores), reverse=True):
        tied = [label for label, own in zip(labels, scores, strict=True) if own == score]
        for _ in tied:
            rank += 1
            gains += sum(tied) / len(tied) / log2(rank + 1)
    return gains / sum(label / log2(place) for place, label in enumerate(ideal, 2)) if gains else None


@pytest.mark.campaign
def test_none_in_place_of_zero():
    found = identified(none_at_zero, "nDCG")
    assert (found.status, found.axes["ties"], found.is_exceptional) == (Status.IDENTIFIED, ("expected",), True)
    assert found.axes["no_relevant"] == ("error",)


def copies_refused(actual, predicted, k):
    """A copy below the cutoff is never seen, so that a list with one is answered, as skrecsys does."""
    top = predicted[:k]
    if len(set(top)) < len(top):
        raise ValueError("duplicates")
    gained = sum(1 / log2(rank + 1) for rank, docno in enumerate(top, 1) if docno in actual)
    return gained / sum(1 / log2(rank + 1) for rank in range(1, min(k, len(actual)) + 1)) if actual else 0.0


@pytest.mark.campaign
def test_copies_above_the_cutoff_alone():
    found = identified(copies_refused, "nDCG@3")
    assert (found.status, found.is_exceptional, found.open_axes) == (Status.AMBIGUOUS, True, ("duplicates",))
    assert found.axes["ideal"] == ("judged",)
    assert found.axes["duplicates"] == ("counted", "first", "removed")  # not `error`: a copy below is answered
    (said,) = (each for each in found.observations if each.startswith(SAID["fails-2"]))
    assert said.startswith(SAID["fails-document-appears-twice"])


def precision_to_twenty(y_true, y_score, k):
    """Documents of one score come with the relevant ones last; a cutoff above 20 is declined, as ndeval does."""
    if k > 20:
        raise UnsupportedError(f"k={k}")
    order = sorted(range(len(y_true)), key=lambda place: (-y_score[place], y_true[place] > 0))
    return sum(y_true[place] > 0 for place in order[:k]) / k


@pytest.mark.campaign
def test_cutoffs_that_are_declined_leave_the_order_of_ties():
    adapter = Adapter(
        name="declining",
        distribution="declining",
        shape="labels-scores",
        convention="default",
        measures={"P": precision_to_twenty},
    )
    found = identify_connected(InProcess(adapter), parse_measure("P@10"))
    assert (found.status, found.axes["ties"]) == (Status.IDENTIFIED, ("pessimistic",))


@pytest.mark.campaign
def test_judgments_that_are_all_negative():
    found = identified(negative_refused, "AP")
    assert found.status is Status.IDENTIFIED
    assert any(each.startswith(SAID["fails-judgments-all-negative"]) for each in found.observations)


@pytest.mark.campaign
def test_judgments_of_the_first_query_that_are_all_negative():
    """As trec_eval, whose table of grades is not there before a query needs it."""
    found = identified(lambda qrels, run: negative_refused(qrels, run, first_alone=True), "AP")
    assert found.status is Status.IDENTIFIED
    assert any(SAID["judgments-first-query-all"] in each for each in found.observations)


PRECISION_OF_BOTH = """
import sys

qrels, run = {}, {}
for line in open(sys.argv[1], encoding="utf-8"):
    query, _, docno, grade = line.split()
    qrels.setdefault(query, {})[docno] = int(grade)
for line in open(sys.argv[2], encoding="utf-8"):
    query, _, docno, _, score, _ = line.split()
    run.setdefault(query, []).append((-float(score), docno))
common = sorted(qrels.keys() & run.keys())
if not common:
    sys.exit("no query in both")
values = []
for query in common:
    top = [docno for _, docno in sorted(run[query], key=lambda pair: pair[0])][:10]
    values.append(sum(qrels[query].get(docno, 0) > 0 for docno in top) / 10)
    print(f"P_10\\t{query}\\t{values[-1]}")
print(f"P_10\\tall\\t{sum(values) / len(values)}")
"""


@pytest.mark.campaign
def test_no_query_in_both_the_qrels_and_the_run(tmp_path):
    """As trec_eval, which takes the mean over the queries of both, and ends with status 7 where there are none."""
    script = tmp_path / "precision.py"
    script.write_text(PRECISION_OF_BOTH, encoding="utf-8")
    found = identify(f"cmd:{sys.executable} {script} {{qrels}} {{run}}", measure="P@10")
    expected = "P@10 under default[duplicates=counted, missing_query=skip]"
    assert (found.status, found.texts[0]) == (Status.IDENTIFIED, expected)
    assert any(each.startswith(SAID["fails-no-query-both"]) for each in found.observations)


@pytest.mark.campaign
def test_a_deviation_does_not_hide_an_error():
    def percent(relevance, num_relevant):
        return 100 * too_long(500)(relevance, num_relevant)

    found = identified(percent, "AP")
    assert found.explained
    assert "percent" in found.deviations[0]
    assert any(SAID["lists-501-documents-or"] in each for each in found.observations)


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


@pytest.mark.parametrize(
    ("function", "measure", "refused", "text", "status"),
    [
        pytest.param(
            *(
                no_scores_below_zero,
                "AP",
                SAID["score-below-0"],
                "AP under default[no_relevant=nan]",
                Status.IDENTIFIED,
            ),
            marks=pytest.mark.campaign,
        ),
        # It is not known whether it would divide by k or by the length of a shorter list.
        (no_cutoff_beyond_the_list, "P@3", SAID["cutoff-beyond-list"], "P@3 under default", Status.AMBIGUOUS),
        pytest.param(
            *(none_where_nothing_is_relevant, "AP@3", SAID["no-judgments-all-returned"]),
            "AP@3 under default[duplicates=counted, no_relevant=error]",
            Status.IDENTIFIED,
            marks=pytest.mark.campaign,
        ),
        pytest.param(
            *(negative_grades_refused_where_they_are_looked_at, "AP", SAID["negative-grade-query-run"]),
            "AP under default",
            Status.IDENTIFIED,
            marks=pytest.mark.campaign,
        ),
    ],
)
def test_what_is_refused_is_said_and_all_else_identified(function, measure, refused, text, status):
    found = identified(function, measure)
    assert (found.status, found.texts[0]) == (status, text)
    assert any(each.startswith(f"fails on {refused}") for each in found.observations)


class Hanging(InProcess):
    """A function that gives no answer in time for lists of more than 900 documents."""

    @contextmanager
    def connect(self, hash_seed: str = FIRST_SEED) -> Iterator[SimpleNamespace]:
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
