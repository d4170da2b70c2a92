"""Inferred average precision: AP estimated from incomplete judgments (Yilmaz and Aslam 2006; trec_eval's m_infap.c)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.looked_at import HIT, NONRELEVANT, EvaluatedList
from rankspec.oracle.measures.working import Closing, Detail, Listing, Part
from rankspec.oracle.rankings.ranking import Block, Unassessed
from rankspec.oracle.sums import sum_of_fractions


@dataclass(frozen=True)
class Above:
    """What stands above a rank: documents, and how many of them are relevant, judged nonrelevant, pooled."""

    documents: int = 0
    relevant: int = 0
    nonrelevant: int = 0
    pooled: Fraction = Fraction(0)


@clause("infap.expected-precision", "infap.epsilon")
def expected_precision(above: Above, epsilon: Fraction) -> Fraction:
    """Return the precision to be expected at a relevant document.

    1/j for the document itself, and for the j - 1 ones above it the share that is in the pool times the share of the
    judged ones that is relevant, smoothed by epsilon.
    """
    rank = above.documents + 1
    if above.documents == 0:
        return Fraction(1)
    judged = above.relevant + above.nonrelevant
    in_pool = (judged + above.pooled) / above.documents
    relevant = (above.relevant + epsilon) / (judged + 2 * epsilon)
    return Fraction(1, rank) + Fraction(above.documents, rank) * in_pool * relevant


@clause("infap.at")
def inferred_average_precision(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return (1/R) * the sum of expected precisions over the relevant documents retrieved."""
    epsilon = convention.infap_epsilon
    terms = (term for block, above in with_above(looked) for term in block_terms(block, above, epsilon))
    return sum_of_fractions(terms) / looked.relevant


def with_above(looked: EvaluatedList) -> Iterator[tuple[Block, Above]]:
    """Yield the blocks, each with what stands above it."""
    above = Above()
    for block in looked.blocks:
        yield block, above
        above = Above(
            above.documents + len(block),
            above.relevant + block.count(HIT),
            above.nonrelevant + block.count(NONRELEVANT),
            above.pooled + block.count(Unassessed.POOLED),
        )


def block_terms(block: Block, above: Above, epsilon: Fraction) -> Iterator[Fraction]:
    """Yield what a block's places add, on average over its orders; a block of one adds what its document does.

    Above a relevant document at place j stand j - 1 of the others, in any choice with equal probability. The value is
    linear in the number of pooled ones, so their mean does.
    """
    found, nonrelevant, pooled = block.count(HIT), block.count(NONRELEVANT), block.count(Unassessed.POOLED)
    if not found:
        return
    rest = len(block) - found - nonrelevant
    for place in range(len(block)):
        choices = comb(len(block) - 1, place)
        for hits in range(min(found - 1, place) + 1):
            for misses in range(min(nonrelevant, place - hits) + 1):
                others = place - hits - misses
                if others > rest:
                    continue
                ways = comb(found - 1, hits) * comb(nonrelevant, misses) * comb(rest, others)
                in_pool = Fraction(others * pooled, rest) if rest else Fraction(0)
                there = Above(
                    above.documents + place,
                    above.relevant + hits,
                    above.nonrelevant + misses,
                    above.pooled + in_pool,
                )
                yield Fraction(found, len(block)) * Fraction(ways, choices) * expected_precision(there, epsilon)


def inferred_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add the precision to be expected at a hit."""
    pooled = listing.looked.count(Unassessed.POOLED) > 0
    added, shown, details = [], [], []
    for block, above in with_above(listing.looked):
        terms = tuple(block_terms(block, above, listing.convention.infap_epsilon))
        added.append(sum_of_fractions(terms))
        shown.append(terms if len(terms) > 1 else ())
        details.append(_above_text(above, pooled=pooled))
    return listing.parts(added, terms=shown, details=details)


def _above_text(above: Above, *, pooled: bool) -> tuple[Detail, ...]:
    """Return what stands above a row, the pooled ones where there are any."""
    counts = (("hits above", Fraction(above.relevant)), ("nonrelevant above", Fraction(above.nonrelevant)))
    return (*counts, ("pooled above", above.pooled)) if pooled else counts


def inferred_closing(listing: Listing) -> Closing:
    """Divide by R."""
    return Closing(
        Fraction(listing.relevant),
        "D",
        listing.relevant,
        f"R = {listing.relevant}",
        adds="a hit at rank j adds 1/j + (h+n+pooled)/j * (h+e)/(h+n+2e), "
        f"h hits and n nonrelevant above it, e = {listing.convention.infap_epsilon}",
    )
