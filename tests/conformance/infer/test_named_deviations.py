"""Deviations are named, with the convention that all else follows; written without a look at how they are predicted."""

from __future__ import annotations

import math
import statistics
import struct

import pytest
from campaign import in_campaign
from golden_words import SAID
from identified_in_process import identified, precisions_over
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.reports.identify import identification_data


def _by(y_true, key):
    order = sorted(range(len(y_true)), key=key)
    return precisions_over([y_true[place] for place in order], sum(y_true))


def unsorted(y_true, y_score):
    return precisions_over(list(y_true), sum(y_true))


def upwards(y_true, y_score):
    return _by(y_true, lambda place: y_score[place])


def positive_scores(y_true, y_score):
    order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
    return precisions_over([y_true[place] if y_score[place] > 0 else 0 for place in order], sum(y_true))


def halves(y_true, y_score):
    return _by(y_true, lambda place: -struct.unpack("e", struct.pack("e", y_score[place]))[0])


def with_an_epsilon_for_ties(y_true, y_score):
    return _by(y_true, lambda place: -round(y_score[place], 3))


def without_the_last(y_true, y_score):
    order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
    return precisions_over([y_true[place] for place in order[:-1]], sum(y_true))


def cut_off_digits(y_true, y_score):
    return math.floor(_by(y_true, lambda place: -y_score[place]) * 1000) / 1000


def rounded_positive_scores(y_true, y_score):
    return round(positive_scores(y_true, y_score), 4)


def _means(qrels, run, relevant):
    values = {}
    for query, grades in qrels.items():
        listed = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])
        judged = {docno for docno, grade in grades.items() if relevant(grade)}
        values[query] = precisions_over([docno in judged for docno, _ in listed], len(judged))
    return values


def any_judged(qrels, run):
    values = _means(qrels, run, lambda _: True)
    return sum(values.values()) / len(values) if values else math.nan


def any_but_zero(qrels, run):
    values = _means(qrels, run, lambda grade: grade != 0)
    return sum(values.values()) / len(values) if values else math.nan


def middle_of_them(qrels, run):
    values = _means(qrels, run, lambda grade: grade > 0)
    return statistics.median(values.values()) if values else math.nan


def nothing(relevance, num_relevant):
    return 0.0


NAMED = [
    (nothing, SAID["ap-under-default-except-returns"]),
    (unsorted, SAID["except-does-not-sort"]),
    (upwards, SAID["sorts-ascending-score"]),
    (positive_scores, SAID["relevant-document-score-0"]),
    (halves, "float16"),
    (with_an_epsilon_for_ties, SAID["rounded-3-digits"]),
    (without_the_last, SAID["leaves-out-last-document"]),
    (cut_off_digits, SAID["truncates-3-digits"]),
    (rounded_positive_scores, SAID["ap-under-default-except"]),
    (any_judged, SAID["any-judged-document-relevant"]),
    (any_but_zero, SAID["any-grade-other-than"]),
    (middle_of_them, SAID["returns-median-values"]),
]


@pytest.mark.parametrize(("function", "words"), in_campaign(NAMED))
def test_a_deviation_is_named(function, words):
    found = identified(function, "AP")
    assert found.status is Status.OUTSIDE
    assert words in found.observations[0]
    assert identification_data(found)["explained"] is True
    assert found.deviations
    assert found.axes
    assert found.is_good


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
