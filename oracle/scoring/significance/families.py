"""Several comparisons at once: p-values corrected so that the whole family keeps its level, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction

from rankspec.oracle.clauses import clause


class Correction(StrEnum):
    """How p-values of a family are corrected."""

    HOLM = "holm"  # Step down: the smallest times all, the next times one fewer, and so on, never falling

    BONFERRONI = "bonferroni"  # Each times the size of the family

    NONE = "none"  # Not at all


@clause("significance.holm", "significance.bonferroni")
def corrected(p_values: Sequence[Fraction | None], correction: Correction) -> list[Fraction | None]:
    """Return corrected p-values, in the order given, none above 1."""
    # A comparison whose p-value is undefined belongs to the family all the same, as one that shows nothing.
    size = len(p_values)
    if correction is Correction.NONE:
        return list(p_values)
    if correction is Correction.BONFERRONI:
        return [None if p is None else min(Fraction(1), p * size) for p in p_values]
    answer: list[Fraction | None] = [None] * size
    largest = Fraction(0)
    ascending = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    for before, (p, place) in enumerate(ascending):
        largest = max(largest, min(Fraction(1), p * (size - before)))
        answer[place] = largest
    return answer
