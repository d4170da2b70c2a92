"""Precision and recall at a rank as document 004 speaks of them: for a list without ties, by the default convention."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rankspec.oracle.clauses import clause


@clause("ap.precision-at-rank")
def precision_at(labels: Sequence[int], k: int) -> Fraction:
    """Return the fraction of relevant documents among the first k."""
    return Fraction(sum(labels[:k]), k)


@clause("ap.recall-at-rank")
def recall_at(labels: Sequence[int], relevant: int, k: int) -> Fraction:
    """Return the fraction of the R relevant documents that is among the first k."""
    return Fraction(sum(labels[:k]), relevant)


@clause("ap.interpolated-precision")
def interpolated_precision(labels: Sequence[int], relevant: int, recall: Fraction) -> Fraction:
    """Return the highest precision at that recall or a higher one, 0 if none."""
    ranks = range(1, len(labels) + 1)
    reached = [precision_at(labels, k) for k in ranks if recall_at(labels, relevant, k) >= recall]
    return max(reached, default=Fraction(0))
