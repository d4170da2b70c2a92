"""What is not understood has no nearest convention, and errors are no deviation."""

from __future__ import annotations

import math
import statistics

import pytest
from golden_words import SAID
from identified_in_process import identified, precisions_over
from rankspec.conformance.infer.identify.identification import Status


def minus_one_and_a_half(relevance, num_relevant):
    return -1.5 if any(relevance) else 0.0


@pytest.mark.campaign
def test_what_is_not_understood_has_no_nearest_convention():
    found = identified(minus_one_and_a_half, "AP")
    assert not found.is_good
    assert found.nearest is None
    assert found.deviations == ()


def fails_beyond_the_list(relevance, num_relevant, k):
    return precisions_over([relevance[place] for place in range(k)], num_relevant)


def test_errors_alone_are_no_deviation():
    found = identified(fails_beyond_the_list, "AP@3")
    assert found.texts == ("AP@3 under default",)
    assert found.deviations == ()
    assert SAID["fails-cutoff-beyond-list"] in found.observations[0]


def divides_by_r(qrels, run):
    """Fails for R = 0, but for a query that the run lacks."""
    values = []
    for query, grades in qrels.items():
        listed = sorted(run.get(query, {}), key=run.get(query, {}).get, reverse=True)
        hits = [rank for rank, docno in enumerate(listed, 1) if grades.get(docno, 0) > 0]
        total = sum(count / rank for count, rank in enumerate(hits, 1))
        values.append(total / sum(grade > 0 for grade in grades.values()) if query in run else 0.0)
    return statistics.mean(values) if values else math.nan


@pytest.mark.campaign
def test_an_error_that_a_missing_query_escapes_is_no_rule_for_r_of_zero():
    # A machine wrote it: it was said to follow no_relevant=error, under which a shipped case demands an error here.
    found = identified(divides_by_r, "AP")
    assert found.status is Status.OUTSIDE
    assert "ZeroDivisionError" in found.witness.got
    assert found.witness.exact == "0"
