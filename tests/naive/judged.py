"""Measures that look at who was judged: bpref and infAP."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from .lists import NONRELEVANT, POOLED, RELEVANT, Ranking, is_relevant


def number_nonrelevant(grades: Mapping[str, int], threshold: int, negative_grades: str) -> int:
    """N: the judged nonrelevant documents of the qrels, retrieved or not."""
    count = 0
    for grade in grades.values():
        if grade < 0 and negative_grades == "unjudged":
            continue
        if not is_relevant(grade, threshold):
            count += 1
    return count


def labels_of(ranking: Ranking) -> list[str]:
    """The labels of a list, best first."""
    return [document.label for block in ranking for document in block]


def loss(above: int, relevant: int, nonrelevant: int, variant: str) -> Fraction:
    """What a relevant document loses by the judged nonrelevant documents above it."""
    if variant == "sigir-2004":
        return Fraction(min(above, relevant), relevant)
    if variant == "bpref-10":
        return Fraction(min(above, 10 + relevant), 10 + relevant)
    # Later copies of a document are misses, so they can stand above although the qrels hold no nonrelevant document:
    # then there is nothing to lose.
    if above == 0 or nonrelevant == 0:
        return Fraction(0)
    if variant == "all-nonrelevant":
        return Fraction(above, nonrelevant)
    return Fraction(min(above, relevant), min(nonrelevant, relevant))


def bpref(ranking: Ranking, relevant: int, nonrelevant: int, variant: str) -> Fraction:
    """(1/R) sum over retrieved relevant documents of what the nonrelevant ones above leave of 1."""
    labels = labels_of(ranking)
    value = Fraction(0)
    for rank in range(1, len(labels) + 1):
        if labels[rank - 1] == RELEVANT:
            above = labels[: rank - 1].count(NONRELEVANT)
            value += 1 - loss(above, relevant, nonrelevant, variant)
    return value / relevant


def inferred(ranking: Ranking, relevant: int, epsilon: Fraction) -> Fraction:
    """infAP: (1/R) sum of the precision that the judged documents above let expect."""
    labels = labels_of(ranking)
    value = Fraction(0)
    for rank in range(1, len(labels) + 1):
        if labels[rank - 1] != RELEVANT:
            continue
        if rank == 1:
            value += 1
            continue
        above = labels[: rank - 1]
        hits = above.count(RELEVANT)
        misses = above.count(NONRELEVANT)
        pool = above.count(POOLED)
        judged_part = Fraction(hits + misses + pool, rank - 1)
        expected = (hits + epsilon) / (hits + misses + 2 * epsilon)
        value += Fraction(1, rank) + Fraction(rank - 1, rank) * judged_part * expected
    return value / relevant
