"""A second set of wrong implementations, written after the deviations that `identify` knows had been frozen.

The first set (`blind.py`) was known while the list of deviations grew; this one was not, and was written without a look
at that list: mistakes of published kernels, translated and vectorised code, and queries in SQL.
"""

from __future__ import annotations

import math
from itertools import accumulate
from statistics import fmean

from wrong.blind import BLIND, Blind, caught_by, over, precisions_at_hits

# ---- Labels in rank order


@caught_by("edge.depth.2.tie-input-order")
def envelope_from_the_left(relevance, num_relevant):
    """Takes the highest precision so far, not from here on."""
    precision = [hits / rank for rank, hits in enumerate(accumulate(relevance), 1)]
    best = accumulate(precision, max)
    return over(sum(value for label, value in zip(relevance, best, strict=True) if label), num_relevant)


# ---- Labels and scores


def ap_in_order(y_true, order):
    return over(sum(precisions_at_hits([y_true[place] for place in order])), sum(y_true))


@caught_by("edge.score-precision.exact.close")
def takes_ranks_for_an_order(y_true, y_score):
    """Indexes the labels by the ranks of the documents, not by the documents in rank order."""
    order = sorted(range(len(y_score)), key=lambda place: -y_score[place])
    return ap_in_order(y_true, [order.index(place) for place in range(len(order))])


@caught_by("edge.interpolation.11-point.expected")
def dense_ranks(y_true, y_score):
    """Divides by DENSE_RANK: equal scores take one rank together."""
    ranks = {score: rank for rank, score in enumerate(sorted(set(y_score), reverse=True), 1)}
    order = sorted(range(len(y_score)), key=lambda place: -y_score[place])
    hits = accumulate(y_true[place] for place in order)
    pairs = zip(order, hits, strict=True)
    return over(sum(found / ranks[y_score[place]] for place, found in pairs if y_true[place]), sum(y_true))


@caught_by("edge.score-precision.exact.minus-zero")
def cut_at_one_half(y_true, y_score):
    """Takes a score below 0.5 for a prediction of nonrelevance, and drops the document."""
    order = sorted(range(len(y_score)), key=lambda place: -y_score[place])
    return ap_in_order(y_true, [place for place in order if y_score[place] >= 0.5])


# ---- Sets of queries


def ranked(scores):
    return sorted(scores, key=lambda document: -scores[document])


def relevant_of(grades):
    return {document for document, grade in grades.items() if grade >= 1}


def ap_of(grades, documents):
    relevant = relevant_of(grades)
    return over(sum(precisions_at_hits([int(each in relevant) for each in documents])), len(relevant))


def mean(values):
    return fmean(values) if values else math.nan


@caught_by("edge.aggregate.micro.no-relevant-zero")
def numbers_rows_across_queries(qrels, run):
    """Is ROW_NUMBER without PARTITION BY: documents of all queries are ranked together, hits counted by query."""
    rows = [(query, document) for query in qrels for document in run.get(query, {})]
    totals, hits = dict.fromkeys(qrels, 0.0), dict.fromkeys(qrels, 0)
    for rank, (query, document) in enumerate(sorted(rows, key=lambda row: -run[row[0]][row[1]]), 1):
        if qrels[query].get(document, 0) >= 1:
            hits[query] += 1
            totals[query] += hits[query] / rank
    return mean([over(totals[query], len(relevant_of(grades))) for query, grades in qrels.items()])


@caught_by("edge.significance.difference.missing-zero")
def passes_over_what_it_has_seen(qrels, run):
    """Skips copies of a document, and forgets to begin anew with each query."""
    seen, values = set(), []
    for query, grades in qrels.items():
        new = [document for document in ranked(run.get(query, {})) if document not in seen]
        seen.update(new)
        values.append(ap_of(grades, new))
    return mean(values)


def blind_second() -> list[Blind]:
    """Return those of this module."""
    return [each for each in BLIND if each.function.__module__ == __name__]
