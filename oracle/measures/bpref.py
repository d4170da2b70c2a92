"""Binary preference: how often judged nonrelevant documents stand above relevant ones (Buckley, Voorhees 2004)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import BprefVariant
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.looked_at import HIT, NONRELEVANT, Looked


@clause("bpref.variant.trec_eval")
def lost_trec_eval(above: int, looked: Looked) -> Fraction:
    """Return min(nb, R) / min(N, R), 0 where N = 0 (copies alone stand above)."""
    if not looked.nonrelevant:
        return Fraction(0)
    return Fraction(min(above, looked.relevant), min(looked.nonrelevant, looked.relevant))


@clause("bpref.variant.sigir-2004")
def lost_sigir_2004(above: int, looked: Looked) -> Fraction:
    """Return min(nb, R) / R."""
    return Fraction(min(above, looked.relevant), looked.relevant)


@clause("bpref.variant.bpref-10")
def lost_bpref_10(above: int, looked: Looked) -> Fraction:
    """Return min(nb, 10 + R) / (10 + R)."""
    return Fraction(min(above, 10 + looked.relevant), 10 + looked.relevant)


@clause("bpref.variant.all-nonrelevant")
def lost_all_nonrelevant(above: int, looked: Looked) -> Fraction:
    """Return nb / N, 0 where N = 0 (copies alone stand above)."""
    return Fraction(above, looked.nonrelevant) if looked.nonrelevant else Fraction(0)


LOST: Mapping[BprefVariant, Callable[[int, Looked], Fraction]] = clause("bpref.variant.*")(
    {
        BprefVariant.TREC_EVAL: lost_trec_eval,
        BprefVariant.SIGIR_2004: lost_sigir_2004,
        BprefVariant.BPREF_10: lost_bpref_10,
        BprefVariant.ALL_NONRELEVANT: lost_all_nonrelevant,
    }
)
"""Variant -> what a relevant document loses by nb judged nonrelevant ones above it, nb > 0."""


@clause("bpref.at", "ranking.ties.expected")
def bpref(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001 - one signature
    """Return (1/R) * the sum of 1 - lost(nb) over the relevant documents retrieved.

    In a block in random order, a relevant document has any number from 0 to m of the block's m judged nonrelevant ones
    above it with equal probability.
    """
    lost = LOST[convention.bpref_variant]
    total, above = Fraction(0), 0
    for block in looked.blocks:
        inside = block.count(NONRELEVANT)
        if found := block.count(HIT):
            worths = [
                1 - lost(number, looked) if number else Fraction(1) for number in range(above, above + inside + 1)
            ]
            total += found * sum(worths, Fraction(0)) / (inside + 1)
        above += inside
    return total / looked.relevant
