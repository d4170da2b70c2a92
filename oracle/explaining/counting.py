"""The derivations of the measures that count: precision, recall, F, success, R-precision, sets, judged, counts.

Rows add what is counted; the closing says what it is divided by, in words. See `measures.counting`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import FWeight
from rankspec.oracle.explaining.closing import Closing, least_text
from rankspec.oracle.explaining.listing import Listing
from rankspec.oracle.explaining.steps import Beside, Document, Factor, Row
from rankspec.oracle.measures.denominators import LEAST_OF, least
from rankspec.oracle.rankings.ranking import is_judged

Counts = Callable[[Document], bool]
"""Tells whether a document is counted."""


def counting_rows(name: str, counts: Counts) -> Callable[[Listing], tuple[Row, ...]]:
    """Return the function that makes rows which add the documents that are counted."""

    def rows(listing: Listing) -> tuple[Row, ...]:
        counted = [sum(map(counts, block)) for block in listing.blocks]
        details = [((name, Fraction(number)),) for number in accumulate(counted)]
        return listing.rows([Fraction(number) for number in counted], details=details)

    return rows


def is_anything(document: Document) -> bool:  # noqa: ARG001 - one signature
    """Count every document."""
    return True


def is_hit(document: Document) -> bool:
    """Count relevant documents."""
    return document.relevant


def is_assessed(document: Document) -> bool:
    """Count judged documents."""
    return is_judged(document.label)


def is_nonrelevant(document: Document) -> bool:
    """Count documents that are judged, and not relevant."""
    return is_judged(document.label) and not document.relevant


@clause("success.at")
def success_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows of which the first with a hit adds 1."""
    first = next((place for place, point in enumerate(listing.points) if point.hits), None)
    details = [(("hits", Fraction(point.hits)),) for point in listing.points]
    return listing.rows([Fraction(place == first) for place in range(len(listing.blocks))], details=details)


def no_rows(listing: Listing) -> tuple[Row, ...]:  # noqa: ARG001 - one signature
    """Return no rows, for a number that the list has no say in."""
    return ()


@clause("precision.at")
def precision_closing(listing: Listing) -> Closing:
    """Divide hits as P@k does."""
    return _over(LEAST_OF[listing.convention.precision_denominator], listing)


@clause("recall.at")
def recall_closing(listing: Listing) -> Closing:
    """Divide hits as R@k does."""
    return _over(LEAST_OF[listing.convention.recall_denominator], listing)


@clause("judged.at")
def judged_closing(listing: Listing) -> Closing:
    """Divide judged documents; those of an empty list over its length of 0 are 0."""
    names = LEAST_OF[listing.convention.precision_denominator]
    if least(names, listing.counts) == 0:
        return Closing(rule="an empty list")
    return _over(names, listing, "judged documents")


@clause("rprec.at", "set.recall")
def relevant_closing(listing: Listing) -> Closing:
    """Divide hits by R: R-precision, recall of the whole list."""
    return _over(("relevant",), listing)


@clause("set.precision", "set.relative-precision")
def set_precision_closing(listing: Listing) -> Closing:
    """Divide hits by n, or by min(n, R)."""
    return _over(("length", "relevant") if listing.measure.relative else ("length",), listing)


@clause("set.average-precision")
def set_average_precision_closing(listing: Listing) -> Closing:
    """Multiply precision and recall of the whole list."""
    factors = _factors(listing, ("length",), ("relevant",))
    return Closing(
        Fraction(listing.length * listing.relevant, listing.hits),
        "n * R / hits",
        factors=factors,
        formula="p r",
    )


@clause("f.at")
def f_closing(listing: Listing) -> Closing:
    """Weigh precision and recall at the cutoff."""
    convention = listing.convention
    return _f(listing, LEAST_OF[convention.precision_denominator], LEAST_OF[convention.recall_denominator])


@clause("set.f")
def set_f_closing(listing: Listing) -> Closing:
    """Weigh precision and recall of the whole list."""
    return _f(listing, ("length",), ("relevant",))


@clause("success.at")
def success_closing(listing: Listing) -> Closing:  # noqa: ARG001 - one signature
    """Leave the 1 of the first hit as it is."""
    return Closing(adds="the first hit adds 1")


@clause("count.relevant-retrieved")
def hits_closing(listing: Listing) -> Closing:  # noqa: ARG001
    """Leave the hits as they are."""
    return Closing(formula="hits")


@clause("count.retrieved")
def retrieved_closing(listing: Listing) -> Closing:  # noqa: ARG001
    """Leave the documents as they are."""
    return Closing(formula="documents retrieved")


@clause("count.nonrelevant-judged-retrieved")
def nonrelevant_closing(listing: Listing) -> Closing:  # noqa: ARG001
    """Leave the documents as they are."""
    return Closing(formula="judged nonrelevant documents retrieved")


@clause("count.queries")
def query_closing(listing: Listing) -> Closing:  # noqa: ARG001
    """Count the query."""
    return Closing(beside=Beside("the query", "", Fraction(1)))


@clause("count.relevant")
def qrels_closing(listing: Listing) -> Closing:
    """Count the relevant documents of the qrels."""
    return Closing(beside=Beside("relevant documents in the qrels", "R", Fraction(listing.relevant)))


def _over(names: tuple[str, ...], listing: Listing, what: str = "hits") -> Closing:
    denominator, text = least_text(names, listing.counts)
    return Closing(Fraction(denominator), "D", denominator, text, formula=f"{what} / D")


def _factors(listing: Listing, above: tuple[str, ...], below: tuple[str, ...]) -> tuple[Factor, Factor]:
    """Return precision and recall, each with its denominator in words."""
    shares = []
    for name, what, names in (("p", "precision", above), ("r", "recall", below)):
        denominator, text = least_text(names, listing.counts)
        formula = f"{listing.hits} / {denominator}, {what} over {text}"
        shares.append(Factor(name, formula, Fraction(listing.hits, denominator)))
    return shares[0], shares[1]


def _f(listing: Listing, above: tuple[str, ...], below: tuple[str, ...]) -> Closing:
    """Close with (1 + w) p r / (w p + r): hits over the mean of both denominators, recall's weighed by w."""
    beta = Fraction(1) if listing.measure.beta is None else listing.measure.beta
    squared = listing.convention.f_weight is FWeight.BETA_SQUARED
    weight = beta**2 if squared else beta
    precision, recall = _factors(listing, above, below)
    counts = listing.counts
    divisor = (weight * least(below, counts) + least(above, counts)) / (1 + weight)
    return Closing(
        divisor,
        "the mean of both denominators, recall's weighed by w",
        factors=(precision, recall, Factor("w", f"beta^2 = {beta**2}" if squared else f"beta = {beta}", weight)),
        formula="(1 + w) p r / (w p + r)",
    )
