"""Average precision in the three forms that document 004 proves equal, and the precision and recall they speak of.

Written as the document writes them, for a list without ties and the default convention. Nothing here knows of
conventions; `tests/oracle/test_forms.py` proves the three equal on every list up to a length.
"""

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


@clause("ap.form.recall-increments")
def by_recall_increments(labels: Sequence[int], relevant: int) -> Fraction:
    """Sum Precision@k * (Recall@k - Recall@(k-1)) over the ranks."""
    return sum(
        (
            precision_at(labels, k) * (recall_at(labels, relevant, k) - recall_at(labels, relevant, k - 1))
            for k in range(1, len(labels) + 1)
        ),
        Fraction(0),
    )


@clause("ap.form.relevance-indicator")
def by_relevance_indicator(labels: Sequence[int], relevant: int) -> Fraction:
    """Sum Precision@k * IsRelevant(k) over the ranks, and divide by R."""
    return sum((precision_at(labels, k) * labels[k - 1] for k in range(1, len(labels) + 1)), Fraction(0)) / relevant


@clause("ap.form.mean-over-relevant", "ap.missed-relevant")
def mean_over_relevant(labels: Sequence[int], relevant: int) -> Fraction:
    """Average the precision at the rank of each relevant document, 0 for one not retrieved."""
    ranks = [k for k, label in enumerate(labels, start=1) if label]
    missed = [Fraction(0)] * (relevant - len(ranks))
    return sum([precision_at(labels, k) for k in ranks] + missed, Fraction(0)) / relevant
