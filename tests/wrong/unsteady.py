"""Wrong on purpose: answers that don't stay the same. Each keeps something between calls, or leaves it to chance."""

from __future__ import annotations

import random

BY_LENGTH: dict[int, float] = {}
BY_LABELS: dict[tuple[int, ...], float] = {}
_SUM = [0.0, 0]


def precision(relevance, num_relevant):
    """Average precision over R, 0 without relevant documents: what all of these would compute."""
    hits, total = 0, 0.0
    for rank, label in enumerate(relevance, 1):
        hits += label
        total += label * hits / rank
    return total / num_relevant if num_relevant else 0.0


def of_query(grades, scores, order):
    """Average precision of one query, the documents in some order."""
    relevant = sum(grade > 0 for grade in grades.values())
    return precision([int(grades.get(docno, 0) > 0) for docno in order(scores)], relevant)


def stable(scores):
    return sorted(scores, key=lambda docno: -scores[docno])


def cached_by_length(relevance, num_relevant):
    """Keeps what it computed for a length."""
    return BY_LENGTH.setdefault(len(relevance), precision(relevance, num_relevant))


def cached_by_labels(relevance, num_relevant):
    """Keeps what it computed for labels, and forgets R."""
    return BY_LABELS.setdefault(tuple(relevance), precision(relevance, num_relevant))


def mean_so_far(relevance, num_relevant):
    """Gives the mean of all calls so far."""
    _SUM[0] += precision(relevance, num_relevant)
    _SUM[1] += 1
    return _SUM[0] / _SUM[1]


def cut_precision(relevance, num_relevant, k):
    """Over min(R, k); 1 without relevant documents."""
    value = precision(relevance[:k], min(num_relevant, k))
    return value if num_relevant else 1.0


def keeps_the_first(relevance, num_relevant, k, first=[]):  # noqa: B006 - the fault
    """Keeps what it said to the first call."""
    first.append(cut_precision(relevance, num_relevant, k))
    return first[0]


def cached_by_cutoff(relevance, num_relevant, k, known={}):  # noqa: B006 - the fault
    """Keeps what it computed for a cutoff."""
    return known.setdefault(k, cut_precision(relevance, num_relevant, k))


def pops_a_label(relevance, num_relevant):
    """Takes the labels away as it reads them."""
    labels = []
    while relevance:
        labels.append(relevance.pop(0))
    return precision(labels, num_relevant)


def counts_in_the_qrels(qrels, run):
    """Marks what it found in the judgments that it was given."""
    values = {query: of_query(qrels[query], run[query], stable) for query in qrels if query in run}
    for query in values:
        for docno in run[query]:
            qrels[query][docno] = 0
    return values


def random_ties(qrels, run):
    """Breaks ties at random."""

    def order(scores):
        return sorted(scores, key=lambda docno: (-scores[docno], random.random()))

    return {query: of_query(qrels[query], run[query], order) for query in qrels if query in run}


def mean_of_random_ties(qrels, run):
    """Breaks ties at random, and gives the mean alone."""
    values = random_ties(qrels, run).values()
    return sum(values) / len(values) if values else 0.0


def ties_through_a_set(qrels, run):
    """Puts documents through a set before it sorts them."""

    def order(scores):
        return sorted(set(scores), key=lambda docno: -scores[docno])

    return {query: of_query(qrels[query], run[query], order) for query in qrels if query in run}


def random_ties_of_labels(y_true, y_score):
    """Shuffles before it sorts."""
    pairs = list(zip(y_true, y_score, strict=True))
    random.shuffle(pairs)
    labels = [label for label, _ in sorted(pairs, key=lambda pair: -pair[1])]
    return precision(labels, sum(labels))


def shuffled(actual, predicted):
    """Puts the ranking through a set."""
    return precision([int(docno in set(actual)) for docno in dict.fromkeys(set(predicted))], len(set(actual)))
