"""Wrong on purpose, of the shape `qrels-run`: one fault each, said in the docstring. Loaded by workers alone."""

from __future__ import annotations

import random
from statistics import fmean, median


def ap(grades, documents, relevant=lambda grade: grade is not None and grade >= 1, k=None):
    hits, total = 0, 0.0
    for rank, document in enumerate(documents[:k], 1):
        if relevant(grades.get(document)):
            hits += 1
            total += hits / rank
    total_relevant = sum(map(relevant, grades.values()))
    return total / total_relevant if total_relevant else 0.0


def by_score(scores):
    return sorted(scores, key=lambda document: -scores[document])


def by(scores, key):
    return sorted(sorted(scores, key=key), key=lambda document: -scores[document])


def values(qrels, run, **options):
    return [ap(grades, by_score(run.get(query, {})), **options) for query, grades in qrels.items()]


def trec(qrels, run, order):
    return {query: ap(qrels[query], order(scores)) for query, scores in run.items() if query in qrels}


# Which queries count, and what they are worth together.


def middle_of_them(qrels, run):
    """The median of the queries."""
    return median(values(qrels, run) or [float("nan")])


def last_query_lost(qrels, run):
    """Returns a query too few."""
    each = {query: ap(grades, by_score(run.get(query, {}))) for query, grades in qrels.items()}
    return {query: each[query] for query in list(each)[:-1]}


def one_query_too_many(qrels, run):
    """Returns the mean as one more query."""
    each = {query: ap(grades, by_score(run.get(query, {}))) for query, grades in qrels.items()}
    return {**each, "all": fmean(each.values())}


# Grades and judgements.


def threshold_ignored(qrels, run, rel=1):
    """Takes a threshold and ignores it."""
    return fmean(values(qrels, run))


# Order.


def ties_without_case(qrels, run):
    """Compares docnos without regard to case."""
    return trec(qrels, run, lambda scores: sorted(scores, key=lambda d: (scores[d], d.lower()))[::-1])


def ties_by_identity(qrels, run):
    """Breaks ties by the address of an object."""
    return trec(qrels, run, lambda scores: by(scores, lambda _: id(object()) ^ random.getrandbits(8)))


# State.


def judges_what_is_not(qrels, run):
    """Writes unjudged documents into the qrels that it is given: harmless to itself, not to whoever comes next."""
    for query, scores in run.items():
        for document in scores:
            qrels.get(query, {}).setdefault(document, 0)
    return fmean(values(qrels, run))
