"""What a slip makes of a definition is named, in the words of its formula. The programs are written by hand."""

from __future__ import annotations

from itertools import accumulate
from math import log2

import pytest
from golden_words import SAID
from identified_in_process import identified


def bpref_over_one_more(qrels, run):
    """Wrong: divides by R + 1."""
    values = {}
    for query, judged in qrels.items():
        relevant = sum(grade > 0 for grade in judged.values())
        nonrelevant = len(judged) - relevant
        above = total = 0
        ranked = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])
        for docno, _ in ranked:
            if judged.get(docno, 0) > 0:
                total += 1 - (min(above, relevant) / min(nonrelevant, relevant) if above else 0)
            elif docno in judged:
                above += 1
        values[query] = total / (relevant + 1) if relevant else 0.0
    return values


def q_blended(hits, gained, gain, rank, ideal):
    return (hits + gained) / (rank + ideal)


def q_measure(blended=q_blended, divisor=lambda relevant, k, length, hits: relevant):
    """Return Q(beta=1) of labels and scores, with what a document adds and what the sum is divided by."""

    def q(y_true, y_score, k=None):
        gains = [max(y_true[place], 0) for place in sorted(range(len(y_true)), key=lambda place: -y_score[place])]
        ideal = list(accumulate(sorted(gains, reverse=True)))
        hits = gained = 0
        total = 0.0
        for rank, gain in enumerate(gains[:k], 1):
            if gain:
                hits, gained = hits + 1, gained + gain
                total += blended(hits, gained, gain, rank, ideal[rank - 1])
        by = divisor(sum(gain > 0 for gain in gains), k, len(gains[:k]), hits)
        return total / by if hits else 0.0

    return q


def rr_of_places(relevance):
    """Wrong: the first rank counts as the second one."""
    return next((1 / (rank + 1) for rank, label in enumerate(relevance, 1) if label), 0.0)


def ndcg_over(ideal_of):
    """Return nDCG of ids, over the value of an ideal list of so many relevant documents."""

    def ndcg(actual, predicted, k=10):
        hits = [docno in actual for docno in predicted[:k]]
        best = discounted([1] * ideal_of(len(actual), len(predicted), k))
        return discounted(hits) / best if best else 0.0

    return ndcg


def discounted(gains):
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


def trapezoids_from_zero(relevance, num_relevant):
    """Wrong: the curve begins at recall 0 with precision 0."""
    hits = before = total = 0
    for rank, label in enumerate(relevance, 1):
        hits += label > 0
        total += (label > 0) * (hits / rank + before) / 2
        before = hits / rank
    return total / num_relevant if num_relevant else 0.0


CASES = {
    "RR of places": (rr_of_places, "RR", SAID["rank-1-instead-rank-2"]),
}
CAMPAIGN = {
    "nDCG: ideal as retrieved": (
        ndcg_over(lambda relevant, retrieved, k: min(retrieved, k)),
        "nDCG@10",
        SAID["ideal-list-as-many"],
    ),
    "nDCG: ideal one short": (
        ndcg_over(lambda relevant, retrieved, k: min(relevant, k) - 1),
        "nDCG@10",
        SAID["ideal-list-lacks-last"],
    ),
    "AP: trapezoids from zero": (trapezoids_from_zero, "AP", SAID["area-trapezoids-curve-begins"]),
    "Q over min(R, k)": (
        q_measure(divisor=lambda relevant, k, length, hits: min(relevant, k)),
        "Q@3",
        SAID["divides-min-r-k"],
    ),
    "bpref": (bpref_over_one_more, "Bpref", SAID["divides-r-1-instead"]),
    "Q: ranks": (
        q_measure(lambda c, g, gain, i, cg: (c + g) / (i + 1 + cg)),
        "Q@3",
        SAID["rank-1-instead-rank-2"],
    ),
    "Q: no gains above": (
        q_measure(lambda c, g, gain, i, cg: (c + gain) / (i + cg)),
        "Q@3",
        SAID["gain-instead-gained"],
    ),
    "Q: gains before": (q_measure(lambda c, g, gain, i, cg: (c + g - gain) / (i + cg)), "Q@3", "gained - gain instead"),
}


@pytest.mark.parametrize(
    ("function", "measure", "words"),
    [
        *(pytest.param(*case, id=name) for name, case in CASES.items()),
        *(pytest.param(*case, id=name, marks=pytest.mark.campaign) for name, case in CAMPAIGN.items()),
    ],
)
def test_a_slip_is_named(function, measure, words):
    identification = identified(function, measure)
    assert identification.status.value == "outside"
    assert identification.explained
    assert any(words in each for each in identification.deviations), identification.deviations
