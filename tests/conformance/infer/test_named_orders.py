"""Wrong ways to sort, and scores that are lost from some score on, are named; the functions stand in no other set."""

from __future__ import annotations

import math
from functools import cmp_to_key

import pytest
from campaign import in_campaign
from golden_words import SAID
from identified_in_process import identified, precisions_over
from rankspec.conformance.infer.deviations.inputs import ORDERS as SORTINGS
from rankspec.conformance.infer.identify.identification import Status


def _by(y_true, key, *, reverse=False):
    order = sorted(range(len(y_true)), key=key, reverse=reverse)
    return precisions_over([y_true[place] for place in order], sum(y_true))


def above_seven_tenths(y_true, y_score):
    order = [place for place in sorted(range(len(y_true)), key=lambda p: -y_score[p]) if y_score[place] > 0.7]
    return precisions_over([y_true[place] for place in order], sum(y_true))


def predicted_from_one_and_a_half(y_true, y_score):
    return _by(y_true, lambda place: y_score[place] < 1.5)


def at_least_a_quarter(y_true, y_score):
    return _by(y_true, lambda place: -max(y_score[place], 0.25))


def rounded_down(y_true, y_score):
    return _by(y_true, lambda p: -math.floor(y_score[p]) if math.isfinite(y_score[p]) else -y_score[p])


def places_of_reversed_argsort(y_true, y_score):
    order = sorted(range(len(y_score)), key=lambda place: y_score[place])[::-1]
    return precisions_over([y_true[order.index(place)] for place in range(len(order))], sum(y_true))


def differences_rounded(y_true, y_score):
    def compare(one, other):
        apart = y_score[other] - y_score[one]
        return round(apart) if math.isfinite(apart) else int(math.copysign(1, apart))

    return precisions_over(
        [y_true[place] for place in sorted(range(len(y_true)), key=cmp_to_key(compare))], sum(y_true)
    )


def text_of_six_digits(y_true, y_score):
    return _by(y_true, lambda place: f"{y_score[place]:f}", reverse=True)


def by_name(qrels, run):
    relevant = {query: {docno for docno, grade in grades.items() if grade >= 1} for query, grades in qrels.items()}
    values = [
        precisions_over([docno in found for docno in sorted(run.get(query, {}))], len(found))
        for query, found in relevant.items()
    ]
    return sum(values) / len(values) if values else math.nan


NAMED = [
    (above_seven_tenths, SAID["document-score-0-7"]),
    (predicted_from_one_and_a_half, SAID["scores-below-1-5"]),
    (at_least_a_quarter, SAID["scores-0-25-or"]),
    (rounded_down, SAID["rounded-down-whole-numbers"]),
    (places_of_reversed_argsort, SAID["uses-reversed-ranks-ascending"]),
    (differences_rounded, SAID["rounds-differences-scores-whole"]),
    (text_of_six_digits, SAID["text-6-digits"]),
    (by_name, SAID["sorts-docno-not-score"]),
]


@pytest.mark.parametrize(("function", "words"), in_campaign(NAMED))
def test_a_wrong_order_is_named(function, words):
    found = identified(function, "AP")
    assert found.status is Status.OUTSIDE
    assert any(words in line for line in found.deviations)


LISTED = [("a", 2.5), ("c", -0.75), ("b", 10.5), ("d", 0.25)]
ORDERS = {
    SAID["sorts-docno-not-score"]: "abcd",
    SAID["uses-ranks-documents-their"]: "cdab",
    SAID["scores-compared-text-6"]: "abdc",
    SAID["rounds-differences-scores-whole"]: "badc",
}


@pytest.mark.parametrize("words", ORDERS)
def test_orders_of_four_documents(words):
    ordered = dict(SORTINGS)[words](LISTED, {})
    assert "".join(docno for docno, _ in sorted(ordered, key=lambda pair: -pair[1])) == ORDERS[words]


def test_every_order_keeps_all_documents():
    for _, sorting in SORTINGS:
        assert {docno for docno, _ in sorting(LISTED, {})} == set("abcd")
