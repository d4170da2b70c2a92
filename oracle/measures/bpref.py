"""Binary preference: how often judged nonrelevant documents stand above relevant ones (Buckley, Voorhees 2004)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import BprefVariant
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.looked_at import HIT, NONRELEVANT, EvaluatedList
from rankspec.oracle.measures.working import Closing, Listing, Part
from rankspec.oracle.sums import sum_of_fractions


@clause("bpref.variant.trec_eval")
def lost_trec_eval(above: int, looked: EvaluatedList) -> Fraction:
    """Return min(nb, R) / min(N, R), 0 where N = 0 (copies alone stand above)."""
    if not looked.nonrelevant:
        return Fraction(0)
    return Fraction(min(above, looked.relevant), min(looked.nonrelevant, looked.relevant))


@clause("bpref.variant.sigir-2004")
def lost_sigir_2004(above: int, looked: EvaluatedList) -> Fraction:
    """Return min(nb, R) / R."""
    return Fraction(min(above, looked.relevant), looked.relevant)


@clause("bpref.variant.bpref-10")
def lost_bpref_10(above: int, looked: EvaluatedList) -> Fraction:
    """Return min(nb, 10 + R) / (10 + R)."""
    return Fraction(min(above, 10 + looked.relevant), 10 + looked.relevant)


@clause("bpref.variant.all-nonrelevant")
def lost_all_nonrelevant(above: int, looked: EvaluatedList) -> Fraction:
    """Return nb / N, 0 where N = 0 (copies alone stand above)."""
    return Fraction(above, looked.nonrelevant) if looked.nonrelevant else Fraction(0)


class Loss(NamedTuple):
    """What a relevant document loses by nb judged nonrelevant ones above it, nb > 0, and the same in words."""

    of: Callable[[int, EvaluatedList], Fraction]
    formula: str


LOST: Mapping[BprefVariant, Loss] = clause("bpref.variant.*")(
    {
        BprefVariant.TREC_EVAL: Loss(lost_trec_eval, "min(nb, R) / min(N, R)"),
        BprefVariant.SIGIR_2004: Loss(lost_sigir_2004, "min(nb, R) / R"),
        BprefVariant.BPREF_10: Loss(lost_bpref_10, "min(nb, 10 + R) / (10 + R)"),
        BprefVariant.ALL_NONRELEVANT: Loss(lost_all_nonrelevant, "nb / N"),
    }
)
"""Variant -> what a relevant document loses."""


@clause("bpref.at", "ranking.ties.expected")
def bpref(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001 - one signature
    """Return (1/R) * the sum of 1 - lost(nb) over the relevant documents retrieved."""
    return sum_of_fractions(term for _, terms in preferences(looked, convention) for term in terms) / looked.relevant


@clause("bpref.at", "ranking.ties.expected")
def preferences(looked: EvaluatedList, convention: EffectiveConvention) -> Iterator[tuple[range, tuple[Fraction, ...]]]:
    """Yield, for each block, the numbers nb that can stand above its hits, and what the hits are worth with each.

    In a block in random order, a relevant document has any number from 0 to m of the block's m judged nonrelevant ones
    above it with equal probability. A block without hits has what stands above the block, and no worth.
    """
    lost = LOST[convention.bpref_variant].of
    above = 0
    for block in looked.blocks:
        inside, found = block.count(NONRELEVANT), block.count(HIT)
        numbers = range(above, above + (inside if found else 0) + 1)
        worths = [1 - lost(number, looked) if number else Fraction(1) for number in numbers] if found else []
        yield numbers, tuple(found * worth / len(numbers) for worth in worths)
        above += inside


def preference_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add 1 less what is lost for each hit."""
    added, shown, details = [], [], []
    for block, (numbers, terms) in zip(
        listing.looked.blocks, preferences(listing.looked, listing.convention), strict=True
    ):
        added.append(sum_of_fractions(terms))
        shown.append(terms if len(terms) > 1 else ())
        nb = Fraction(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        details.append((("nonrelevant above", nb), ("lost", 1 - added[-1] / block.count(HIT) if terms else "")))
    return listing.parts(added, terms=shown, details=details)


def preference_closing(listing: Listing) -> Closing:
    """Divide by R."""
    lost = LOST[listing.convention.bpref_variant].formula
    known = f", N = {listing.looked.nonrelevant} judged nonrelevant in the qrels" if "N" in lost else ""
    return Closing(
        Fraction(listing.relevant),
        "D",
        listing.relevant,
        f"R = {listing.relevant}",
        adds=f"a hit adds 1 - lost, lost = {lost}, nb nonrelevant above{known}",
    )
