"""The derivations of rank-biased precision and its residual: each rank's weight, and what is at that rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import RbpGain, RbpResidual
from rankspec.oracle.explaining.closing import Closing
from rankspec.oracle.explaining.counting import is_assessed
from rankspec.oracle.explaining.listing import Listing
from rankspec.oracle.explaining.steps import Beside, Document, Row
from rankspec.oracle.rankings.ranking import is_judged


@clause("rbp.at", "rbp.gain.*")
def weighted_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows that add weight times gain, in a block the mean gain."""
    return _rows(listing, "gain", _worth(listing))


def weighted_closing(listing: Listing) -> Closing:
    """Leave the sum as it is."""
    highest = max(1, *listing.judged)
    scaled = listing.convention.rbp_gain is RbpGain.SCALED_BY_TOPIC
    gain = f"gain = grade / {highest}, the highest grade or 1; " if scaled else ""
    return Closing(adds=f"{gain}a row adds gain * weight, {_weight(listing)}")


@clause("rbp.residual.with-tail")
def open_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows that add their weight where nobody judged."""
    return _rows(listing, "open", lambda document: Fraction(not is_assessed(document)))


@clause("rbp.residual.*")
def open_closing(listing: Listing) -> Closing:
    """Add the weight of the ranks after the list."""
    all_judged = all(is_assessed(document) for block in listing.blocks for document in block)
    if all_judged and listing.convention.rbp_residual is RbpResidual.ZERO_IF_ALL_JUDGED:
        return Closing(rule=f"rbp_residual={listing.convention.rbp_residual}")
    p, n = listing.convention.rbp_persistence, listing.length
    return Closing(
        adds=f"an open row adds its weight, {_weight(listing)}",
        beside=Beside("the ranks after the list", f"p^n = ({p})^{n}", p**n),
    )


def _weight(listing: Listing) -> str:
    p = listing.convention.rbp_persistence
    return f"weight = (1 - p) p^(rank - 1), p = {p}"


def _worth(listing: Listing) -> Callable[[Document], Fraction]:
    if listing.convention.rbp_gain is not RbpGain.SCALED_BY_TOPIC:
        return lambda document: Fraction(document.relevant)
    highest = max(1, *listing.judged)
    return lambda document: Fraction(max(document.label, 0), highest) if is_judged(document.label) else Fraction(0)


def _rows(listing: Listing, name: str, worth: Callable[[Document], Fraction]) -> tuple[Row, ...]:
    p = listing.convention.rbp_persistence
    rank = 0
    added, details = [], []
    for block in listing.blocks:
        worths: Sequence[Fraction] = [worth(document) for document in block]
        end = rank + len(block) if listing.limit is None else min(rank + len(block), listing.limit)
        weight = p**rank - p**end
        added.append(sum(worths, Fraction(0)) / len(block) * weight)
        details.append(((name, " ".join(map(str, worths))), ("weight", weight)))
        rank += len(block)
    return listing.rows(added, details=details)
