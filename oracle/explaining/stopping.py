"""The derivation of expected reciprocal rank: where a reader stops, and what that adds."""

from __future__ import annotations

from fractions import Fraction

from rankspec.oracle.explaining.closing import Closing
from rankspec.oracle.explaining.listing import Listing
from rankspec.oracle.explaining.steps import Row
from rankspec.oracle.measures.expected_reciprocal_rank import require_grades, stopping, stops
from rankspec.oracle.rankings.cutting import Blocks
from rankspec.oracle.sums import sum_of_fractions


def stopping_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows that add the probability of stopping over the rank; a block in random order adds its means.

    Raises:
        UndefinedValueError: a document's grade is above `err_max_grade`.
    """
    highest = listing.convention.err_max_grade
    require_grades(listing.judged, highest)
    labels: Blocks = tuple(tuple(document.label for document in block) for block in listing.blocks)
    terms = [tuple(each) for each in stops(labels, highest)]
    details, reached = [], Fraction(1)
    for block in labels:
        chances = [stopping(label, highest) for label in block]
        details.append((("reached", reached), ("stops", " ".join(map(str, chances)))))
        for chance in chances:
            reached *= 1 - chance
    added = [sum_of_fractions(each) for each in terms]
    return listing.rows(added, terms=[each if len(each) > 1 else () for each in terms], details=details)


def stopping_closing(listing: Listing) -> Closing:
    """Leave the sum as it is."""
    scale = f"stops = (2^grade - 1) / 2^{listing.convention.err_max_grade}"
    return Closing(adds=f"a row adds reached * stops / rank, {scale}")
