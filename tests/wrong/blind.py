"""Wrong implementations written without a look at the deviations that `identify` knows: what else people get wrong.

Each is one plausible mistake, said in its docstring, with the smallest hand-derived case that catches it, as
`benchmarks/blind_deviations.py` finds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean, harmonic_mean, median


@dataclass(frozen=True)
class Blind:
    """A wrong function, a case that catches it, and what it claims."""

    function: Callable[..., float]
    case: str
    measure: str
    under: str

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__


BLIND: list[Blind] = []
"""Those of the modules that are loaded."""


def caught_by(case, measure="AP", under="default"):
    """Put a function among the blind ones."""

    def noted(function):
        BLIND.append(Blind(function, case, measure, under))
        return function

    return noted


def precisions_at_hits(relevance):
    pairs = zip(relevance, accumulate(relevance), strict=True)
    return [hits / rank for rank, (label, hits) in enumerate(pairs, 1) if label]


def over(total, count):
    return total / count if count else 0.0


# ---- Average precision of labels in rank order


@caught_by("edge.interpolation.linear-101.missed-relevant")
def weighted_by_recall(relevance, num_relevant):
    """Adds precision times recall at each hit."""
    values = precisions_at_hits(relevance)
    return over(sum(value * place / num_relevant for place, value in enumerate(values, 1)), num_relevant)


@caught_by("edge.interpolation.linear-101.missed-relevant")
def mean_of_f(relevance, num_relevant):
    """Adds F at each hit, not precision."""
    ranks = [rank for rank, label in enumerate(relevance, 1) if label]
    return over(sum(2 * hits / (rank + num_relevant) for hits, rank in enumerate(ranks, 1)), num_relevant)


@caught_by("edge.interpolation.envelope.rising")
def median_of_precisions(relevance, num_relevant):
    """Takes the median of the precisions at the hits."""
    values = precisions_at_hits(relevance)
    return median(values) * len(values) / num_relevant if values else 0.0


@caught_by("edge.depth.2.tie-input-order")
def harmonic_of_precisions(relevance, num_relevant):
    """Takes their harmonic mean."""
    values = precisions_at_hits(relevance)
    return harmonic_mean(values) * len(values) / num_relevant if values else 0.0


@caught_by("edge.interpolation.envelope.perfect")
def neighbours_merged(relevance, num_relevant):
    """Counts hits that stand next to each other once."""
    total, hits, before = 0.0, 0, 0
    for rank, label in enumerate(relevance, 1):
        if label and not before:
            hits += 1
            total += hits / rank
        before = label
    return over(total, num_relevant)


@caught_by("edge.denominator.length.removed-first")
def forgets_after_three_misses(relevance, num_relevant):
    """Starts to count hits anew after three misses in a row."""
    total, hits, misses = 0.0, 0, 0
    for rank, label in enumerate(relevance, 1):
        misses = 0 if label else misses + 1
        hits = 0 if misses == 3 else hits + label
        total += label * hits / rank
    return over(total, num_relevant)


@caught_by("edge.interpolation.linear-101.missed-relevant")
def single_hit_is_all(relevance, num_relevant):
    """Where there is one hit, its precision is the value, whatever R."""
    values = precisions_at_hits(relevance)
    return values[0] if len(values) == 1 else over(sum(values), num_relevant)


@caught_by("edge.basics.single-document")
def smoothed(relevance, num_relevant):
    """Adds half a hit to every precision."""
    pairs = zip(relevance, accumulate(relevance), strict=True)
    return over(sum((hits + 0.5) / (rank + 1) for rank, (label, hits) in enumerate(pairs, 1) if label), num_relevant)


@caught_by("edge.stress.length.ap.21")
def gives_up_after_a_gap(relevance, num_relevant):
    """Looks no further once ten misses stand in a row."""
    text = "".join(map(str, relevance)).split("0" * 10)[0]
    return over(sum(precisions_at_hits([int(label) for label in text])), num_relevant)


@caught_by("edge.depth.2.tie-input-order")
def last_hit_decides(relevance, num_relevant):
    """Is precision at the last hit times recall."""
    values = precisions_at_hits(relevance)
    return values[-1] * len(values) / num_relevant if values else 0.0


@caught_by("edge.depth.2.tie-input-order")
def even_ranks_late(relevance, num_relevant):
    """Divides by a rank that was halved and doubled as a whole number."""
    total, hits = 0.0, 0
    for rank, label in enumerate(relevance, 1):
        hits += label
        total += label * hits / max(rank // 2 * 2, 1)
    return over(total, num_relevant)


# ---- With a cutoff


@caught_by("edge.independence.alone.q1.ap-2")
def cutoff_counts_hits(relevance, num_relevant, k=None):
    """Stops after k hits, not after k documents."""
    return over(sum(precisions_at_hits(relevance)[:k]), num_relevant)


# ---- Other measures of labels in rank order


def ndcg_of(relevance, num_relevant, discount, gain=lambda grade: grade):
    ideal = sorted([*relevance, *[1] * (num_relevant - sum(label > 0 for label in relevance))], reverse=True)
    found, best = (
        sum(gain(grade) / discount(rank) for rank, grade in enumerate(grades, 1)) for grades in (relevance, ideal)
    )
    return over(found, best)


@caught_by("edge.err.at.not-normalised", "nDCG")
def ndcg_of_squared_grades(relevance, num_relevant):
    """Gains are squares of grades."""
    return ndcg_of(relevance, num_relevant, lambda rank: math.log2(rank + 1), lambda grade: grade**2)


@caught_by("edge.ties.reverse-input.p-1.single", "P@5")
def precision_of_odd_k(relevance, k):
    """Looks at an even number of documents, and divides by k."""
    return sum(relevance[: k // 2 * 2]) / k


# ---- Labels and scores


@caught_by("edge.interpolation.11-point.expected")
def ties_have_the_mean_rank(y_true, y_score):
    """Equal scores have the mean of their ranks, among the hits as well."""
    total = 0.0
    for label, score in zip(y_true, y_score, strict=True):
        if label:
            rank, hits = (
                sum(
                    weight * ((other > score) + (other == score) / 2) for weight, other in zip(of, y_score, strict=True)
                )
                + 0.5
                for of in ([1] * len(y_true), y_true)
            )
            total += hits / rank
    return over(total, sum(y_true))


# ---- Lists of ids


@caught_by("edge.independence.alone.q2.ap-2", under="kaggle")
def sets_at_k(actual, predicted, k=10):
    """Forgets the order: precision times recall of the first k."""
    found = len({*actual} & {*predicted[:k]})
    return over(found, len(predicted[:k])) * over(found, len(actual))


@caught_by("edge.duplicates.first.predicted-twice", under="kaggle")
def stops_at_the_second_miss(actual, predicted, k=10):
    """Breaks off at the second miss."""
    labels = [int(document in actual) for document in predicted[:k]]
    misses = [rank for rank, label in enumerate(labels) if not label]
    return over(sum(precisions_at_hits(labels[: misses[1] if len(misses) > 1 else k])), min(len(actual), k))


# ---- Sets of queries


def by_query(qrels, run, relevant=lambda grade, _: grade >= 1):
    values, sizes = [], []
    for query, grades in qrels.items():
        listed = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])
        labels = [int(document in grades and relevant(grades[document], grades)) for document, _ in listed]
        sizes.append(sum(relevant(grade, grades) for grade in grades.values()))
        values.append(over(sum(precisions_at_hits(labels)), sizes[-1]))
    return values, sizes


@caught_by("edge.aggregate.micro.no-relevant-zero")
def weighted_by_relevant(qrels, run):
    """Weighs queries by R."""
    values, sizes = by_query(qrels, run)
    return over(sum(value * size for value, size in zip(values, sizes, strict=True)), sum(sizes))


@caught_by("edge.aggregate.micro.missing-zero")
def last_query_lost(qrels, run):
    """Writes a query out when the next one begins, and so loses the last of several."""
    values, _ = by_query(qrels, run)
    return fmean(values[: max(1, len(values) - 1)]) if values else math.nan


def blind() -> list[Blind]:
    """Return those of this module."""
    return [each for each in BLIND if each.function.__module__ == __name__]
