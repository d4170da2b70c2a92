"""A second set of wrong implementations, written after the deviations that `identify` knows had been frozen.

The first set (`blind.py`) was known while the list of deviations grew; this one was not, and was written without a look
at that list: mistakes of published kernels, translated and vectorised code, and queries in SQL.
"""

from __future__ import annotations

import math
from itertools import accumulate, pairwise
from statistics import fmean

from wrong.blind import BLIND, Blind, caught_by, over, precisions_at_hits

# ---- Labels in rank order


@caught_by("edge.depth.2.tie-input-order")
def envelope_from_the_left(relevance, num_relevant):
    """Takes the highest precision so far, not from here on."""
    precision = [hits / rank for rank, hits in enumerate(accumulate(relevance), 1)]
    best = accumulate(precision, max)
    return over(sum(value for label, value in zip(relevance, best, strict=True) if label), num_relevant)


@caught_by("edge.range.judgements.trapezoid.low")
def steps_with_the_precision_before(relevance, num_relevant):
    """Multiplies each step of recall by the precision before it: `sum(diff(recall) * precision[:-1])`."""
    hits = [0, *accumulate(relevance)]
    precision = [1.0, *(found / rank for rank, found in enumerate(hits[1:], 1))]
    steps = (after - before for before, after in pairwise(hits))
    return over(sum(step * value for step, value in zip(steps, precision, strict=False)), num_relevant)


@caught_by("edge.compat.ideal.lacking", "AP11")
def ten_recall_levels(relevance, num_relevant):
    """Its eleven levels are `arange(0, 1, 0.1)`: the last one is missing."""
    points = [(hits, hits / rank) for rank, hits in enumerate(accumulate(relevance), 1)]
    best = [max((p for hits, p in points if 10 * hits >= level * num_relevant), default=0.0) for level in range(10)]
    return fmean(best) if any(relevance) else 0.0


@caught_by("edge.dcg.at.old-discount-log-of-one", "nDCG")
def ndcg_in_nats(relevance, num_relevant):
    """Leaves the first gain undiscounted and takes the natural logarithm of the other ranks."""

    def gained(grades):
        return sum(grade / (math.log(rank) if rank > 1 else 1) for rank, grade in enumerate(grades, 1))

    return over(gained(relevance), gained([1] * num_relevant))


@caught_by("edge.basics.single-document", "RBP(p=0.8)")
def rbp_weights_sum_to_one(relevance):
    """Is a weighted mean of the labels there are: its weights sum to 1 however short the list is."""
    weights = [0.8**place for place in range(len(relevance))]
    return over(sum(weight * label for weight, label in zip(weights, relevance, strict=True)), sum(weights))


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


@caught_by("edge.range.ties.trapezoid.low")
def counts_half_of_a_block(y_true, y_score):
    """Counts all documents that score no less, but of the hits only those that score more, and itself."""
    total = 0.0
    for label, score in zip(y_true, y_score, strict=True):
        if label:
            hits = 1 + sum(each for each, other in zip(y_true, y_score, strict=True) if other > score)
            total += hits / sum(other >= score for other in y_score)
    return over(total, sum(y_true))


@caught_by("edge.score-precision.exact.minus-zero")
def cut_at_one_half(y_true, y_score):
    """Takes a score below 0.5 for a prediction of nonrelevance, and drops the document."""
    order = sorted(range(len(y_score)), key=lambda place: -y_score[place])
    return ap_in_order(y_true, [place for place in order if y_score[place] >= 0.5])


@caught_by("edge.no-relevant.one.no-judgements", "nDCG")
def labels_and_scores_swapped(y_true, y_score):
    """Takes scores for gains and sorts by the labels."""

    def gained(keys):
        order = sorted(range(len(keys)), key=lambda place: -keys[place])
        return sum(y_score[place] / math.log2(rank + 1) for rank, place in enumerate(order, 1))

    return over(gained(y_true), gained(y_score))


@caught_by("edge.basics.single-document")
def area_under_roc(y_true, y_score):
    """Is the area under the other curve."""
    hits, misses = (
        [score for label, score in zip(y_true, y_score, strict=True) if bool(label) is wanted]
        for wanted in (True, False)
    )
    won = sum((hit > miss) + (hit == miss) / 2 for hit in hits for miss in misses)
    return over(won, len(hits) * len(misses))


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
def hits_summed_across_queries(qrels, run):
    """Is cumsum without groupby: hits of the queries before count on."""
    values, hits = [], 0
    for query, grades in qrels.items():
        relevant, total = relevant_of(grades), 0.0
        for rank, document in enumerate(ranked(run.get(query, {})), 1):
            if document in relevant:
                hits += 1
                total += hits / rank
        values.append(over(total, len(relevant)))
    return mean(values)


@caught_by("edge.significance.difference.missing-zero")
def passes_over_what_it_has_seen(qrels, run):
    """Skips copies of a document, and forgets to begin anew with each query."""
    seen, values = set(), []
    for query, grades in qrels.items():
        new = [document for document in ranked(run.get(query, {})) if document not in seen]
        seen.update(new)
        values.append(ap_of(grades, new))
    return mean(values)


@caught_by("edge.basics.first-hit-at-two")
def judged_are_relevant_in_r(qrels, run):
    """Takes the number of judgments for R."""
    values = []
    for query, grades in qrels.items():
        labels = [int(grades.get(document, 0) >= 1) for document in ranked(run.get(query, {}))]
        values.append(over(sum(precisions_at_hits(labels)), len(grades)))
    return mean(values)


@caught_by("edge.basics.cutoff-after-sorting", "AP@3")
def cut_before_sorting(qrels, run, k=None):
    """Takes the first k documents of the file, then sorts."""
    values = []
    for query, grades in qrels.items():
        scores = dict(list(run.get(query, {}).items())[:k])
        values.append(ap_of(grades, ranked(scores)))
    return mean(values)


@caught_by("edge.aggregate.geometric.gmap-complete", "RR")
def reciprocal_of_the_mean_rank(qrels, run):
    """Takes the mean of the first hits' ranks, then its reciprocal."""
    ranks = []
    for query, grades in qrels.items():
        relevant = relevant_of(grades)
        ranks.extend([rank for rank, document in enumerate(ranked(run.get(query, {})), 1) if document in relevant][:1])
    return 1 / fmean(ranks) if ranks else 0.0


@caught_by("edge.f.at.mean-of-queries", "F@5")
def f_of_the_means(qrels, run):
    """Takes F of mean precision and mean recall, not the mean of F."""
    precision, recall = [], []
    for query, grades in qrels.items():
        relevant = relevant_of(grades)
        hits = len(relevant.intersection(ranked(run.get(query, {}))[:5]))
        precision.append(hits / 5)
        recall.append(over(hits, len(relevant)))
    return over(2 * mean(precision) * mean(recall), mean(precision) + mean(recall)) if qrels else math.nan


@caught_by("edge.err.at.mean", "nDCG")
def ndcg_over_the_best_query(qrels, run):
    """Divides by the highest ideal gain of any query."""

    def gained(grades):
        return sum(max(grade, 0) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))

    best = max((gained(sorted(grades.values(), reverse=True)) for grades in qrels.values()), default=0.0)
    return mean(
        [
            over(gained([grades.get(document, 0) for document in ranked(run.get(query, {}))]), best)
            for query, grades in qrels.items()
        ]
    )


@caught_by("edge.bpref.at.negative-nonrelevant", "Bpref")
def bpref_counts_unjudged(qrels, run):
    """Counts all above a hit that is not relevant, judged or not."""
    values = []
    for query, grades in qrels.items():
        relevant, misses, total = relevant_of(grades), 0, 0.0
        bound = min(len(relevant), sum(grade == 0 for grade in grades.values()))
        for document in ranked(run.get(query, {})):
            if document not in relevant:
                misses += 1
            else:
                total += 1 - over(min(misses, bound), bound)
        values.append(over(total, len(relevant)))
    return mean(values)


@caught_by("edge.basics.single-document", "ERR")
def err_of_linear_grades(qrels, run):
    """A reader stops with probability g/4, not (2^g - 1)/2^4."""
    values = []
    for query, grades in qrels.items():
        going, total = 1.0, 0.0
        for rank, document in enumerate(ranked(run.get(query, {})), 1):
            stops = max(grades.get(document, 0), 0) / 4
            total += going * stops / rank
            going *= 1 - stops
        values.append(total)
    return mean(values)


@caught_by("edge.basics.single-document", "P@5")
def precision_of_the_judged(qrels, run):
    """Divides the hits of the first five by the judged ones among them."""
    values = []
    for query, grades in qrels.items():
        found = [grades[document] for document in ranked(run.get(query, {}))[:5] if document in grades]
        values.append(over(sum(grade >= 1 for grade in found), len(found)))
    return mean(values)


def blind_second() -> list[Blind]:
    """Return those of this module."""
    return [each for each in BLIND if each.function.__module__ == __name__]
