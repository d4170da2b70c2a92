"""Identify knows every measure: what functions by hand follow is found, and wrong ones are outside."""

from __future__ import annotations

import math

import pytest
from golden_words import SAID
from identified_in_process import identified
from rankspec.conformance.infer.identify.identification import Status


def dcg_of(gains, log=lambda rank: math.log2(rank + 1)):
    return sum(gain / log(rank) for rank, gain in enumerate(gains, start=1))


@pytest.mark.campaign
def test_a_threshold_that_the_measure_has_not_is_left_alone():
    def ndcg(qrels, run, k, rel=1):
        values = []
        for query, scores in run.items():
            grades = {docno: max(grade, 0) for docno, grade in qrels.get(query, {}).items()}
            listed = sorted(scores, key=lambda docno: -scores[docno])
            ideal = dcg_of(sorted(grades.values(), reverse=True)[:k])
            values.append(dcg_of([grades.get(docno, 0) for docno in listed][:k]) / ideal if ideal else 0.0)
        return sum(values) / len(values) if values else 0.0

    found = identified(ndcg, "nDCG@3")
    assert (found.status, found.axes["gain"], found.axes["missing_query"]) == (
        Status.IDENTIFIED,
        ("linear",),
        ("skip",),
    )


def err_on_a_scale_to(highest, *, is_satisfied=True):
    def err(relevance, k):
        value, reached = 0.0, 1.0
        for rank, grade in enumerate(relevance[:k], start=1):
            stops = (2**grade - 1) / 2**highest
            value += reached * stops / rank
            reached *= 1 - stops if is_satisfied else 1
        return value

    return err


@pytest.mark.parametrize(("highest", "convention"), [(4, "default"), (2, "default[err_max_grade=2]")])
@pytest.mark.campaign
def test_a_grade_beyond_the_scale_is_held_against_nobody(highest, convention):
    """The oracle demands an error there; most programs do not look."""
    found = identified(err_on_a_scale_to(highest), "ERR@10")
    assert (found.status, found.texts) == (Status.IDENTIFIED, (f"ERR@10 under {convention}",))
    assert any(each.startswith(f"given a grade above {highest}, it returns ") for each in found.observations)


@pytest.mark.campaign
def test_a_reader_whom_no_document_satisfies_is_named():
    found = identified(err_on_a_scale_to(4, is_satisfied=False), "ERR@10")
    assert (found.status, found.explained, found.texts) == (Status.OUTSIDE, True, ("ERR@10 under default",))
    assert found.deviations == (SAID["formula-each-document-adds-2"],)


def ndcg_of_grades_as_they_are(qrels, results, k=10):
    """Take every grade for its gain, those below 0 too, as most who write nDCG for dicts do."""
    values = {}
    for query, grades in qrels.items():
        ranked = sorted(results.get(query, {}).items(), key=lambda pair: pair[1], reverse=True)[:k]
        gained = sum(grades.get(docno, 0) / math.log2(rank + 1) for rank, (docno, _) in enumerate(ranked, 1))
        best = sorted(grades.values(), reverse=True)[:k]
        ideal = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(best, 1))
        values[query] = gained / ideal if ideal > 0 else 0.0
    return values


@pytest.mark.campaign
def test_grades_below_0_that_are_gains_bury_nothing():
    found = identified(ndcg_of_grades_as_they_are, "nDCG@10")
    assert found.status is Status.IDENTIFIED
    assert found.texts[0] == "nDCG@10 under default"
    assert found.axes["negative_grades"] == ()
    assert found.axes["ideal"] == ("judged",)
