"""The derivations of DCG and nDCG: each rank's gain over its discount, and the ideal ranking."""

from __future__ import annotations

from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Discount
from rankspec.oracle.explaining.closing import Closing
from rankspec.oracle.explaining.listing import DocumentBlocks, Listing
from rankspec.oracle.explaining.steps import Discounted, Ideal, Row
from rankspec.oracle.measures.cumulated_gain import DISCOUNT_ARGUMENT, IDEAL, Listed
from rankspec.oracle.measures.worth import gain_of
from rankspec.oracle.reals.real import Number, weighted_sum

_DISCOUNTS = {
    Discount.LOG2_RANK_PLUS_ONE: "log2(rank + 1)",
    Discount.LOG2_RANK: "log2(rank), log2(2) at rank 1",
}


@clause("dcg.at")
def gain_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows that add gain/discount; every place of a block has its mean gain."""
    added: list[Number] = []
    terms, details = [], []
    rank = 0
    for block, gains in zip(listing.blocks, _gains(listing, listing.blocks), strict=True):
        mean = sum(gains, Fraction(0)) / len(block)
        end = rank + len(block) if listing.limit is None else min(rank + len(block), listing.limit)
        places = [Discounted(mean, _argument(listing, place)) for place in range(rank + 1, end + 1)]
        terms.append(tuple(places) if mean else ())
        added.append(_sum([place.value for place in terms[-1]]))
        discounts = [f"log2({place.argument})" for place in places]
        shown = discounts[0] if len(discounts) == 1 else f"{discounts[0]} to {discounts[-1]}"
        details.append((("gain", " ".join(map(str, gains))), ("discount", shown)))
        rank += len(block)
    return listing.rows(added, terms=terms, details=details)


@clause("dcg.at")
def gain_closing(listing: Listing) -> Closing:
    """Leave the sum as it is."""
    return Closing(adds=_adds(listing))


@clause("ndcg.at", "ndcg.ideal.*")
def ideal_closing(listing: Listing) -> Closing:
    """Divide by the sum of the ideal ranking."""
    gained = gain_of(listing.measure, listing.convention.gain)
    judged = [gained(grade) for grade in listing.judged]
    given = Listed(_gains(listing, listing.blocks), _gains(listing, listing.whole), judged, listing.limit)
    gains, limit = IDEAL[listing.convention.ideal](given)
    best_first = sorted((gain for gain in gains if gain > 0), reverse=True)[:limit]
    ideal = tuple(
        Ideal(rank, Discounted(Fraction(gain), _argument(listing, rank)))
        for rank, gain in enumerate(best_first, start=1)
    )
    text = f"the ideal ranking's sum, ideal={listing.convention.ideal}"
    return Closing(_sum([each.term.value for each in ideal]), text, adds=_adds(listing), ideal=ideal)


def _adds(listing: Listing) -> str:
    return f"a row adds gain/discount, discount = {_DISCOUNTS[listing.convention.discount]}"


def _argument(listing: Listing, rank: int) -> int:
    return DISCOUNT_ARGUMENT[listing.convention.discount](rank)


def _gains(listing: Listing, blocks: DocumentBlocks) -> list[list[Fraction]]:
    gained = gain_of(listing.measure, listing.convention.gain)
    return [[Fraction(gained(document.label)) for document in block] for block in blocks]


def _sum(numbers: list[Number]) -> Number:
    return weighted_sum((Fraction(1), number) for number in numbers)
