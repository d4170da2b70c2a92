"""The derivations of bpref and infAP: what stands above a relevant document, and what it is worth for it."""

from __future__ import annotations

from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import BprefVariant
from rankspec.oracle.explaining.closing import Closing
from rankspec.oracle.explaining.counting import is_nonrelevant
from rankspec.oracle.explaining.listing import Listing
from rankspec.oracle.explaining.steps import Detail, Row
from rankspec.oracle.measures.bpref import LOST
from rankspec.oracle.measures.inferred import Above, block_terms
from rankspec.oracle.measures.looked_at import HIT, NONRELEVANT, Looked, counts_as_judged
from rankspec.oracle.rankings.ranking import Unassessed, is_judged
from rankspec.oracle.sums import sum_of_fractions

_LOST = {
    BprefVariant.TREC_EVAL: "min(nb, R) / min(N, R)",
    BprefVariant.SIGIR_2004: "min(nb, R) / R",
    BprefVariant.BPREF_10: "min(nb, 10 + R) / (10 + R)",
    BprefVariant.ALL_NONRELEVANT: "nb / N",
}


@clause("bpref.at", "bpref.variant.*")
def preference_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows that add 1 less what is lost for each hit."""
    looked, lost = _looked(listing), LOST[listing.convention.bpref_variant]
    above = 0
    added, terms, details = [], [], []
    for block in listing.blocks:
        inside, found = sum(map(is_nonrelevant, block)), sum(document.relevant for document in block)
        numbers = range(above, above + inside + 1) if found else range(above, above + 1)
        worths = [1 - lost(number, looked) if number else Fraction(1) for number in numbers] if found else []
        mean = tuple(found * worth / len(numbers) for worth in worths)
        added.append(sum_of_fractions(mean))
        terms.append(mean if len(mean) > 1 else ())
        nb = Fraction(above) if len(numbers) == 1 else f"{above} to {above + inside}"
        details.append((("nonrelevant above", nb), ("lost", 1 - added[-1] / found if found else "")))
        above += inside
    return listing.rows(added, terms=terms, details=details)


def preference_closing(listing: Listing) -> Closing:
    """Divide by R."""
    looked = _looked(listing)
    lost = _LOST[listing.convention.bpref_variant]
    known = f", N = {looked.nonrelevant} judged nonrelevant in the qrels" if "N" in lost else ""
    return Closing(
        Fraction(listing.relevant),
        "D",
        listing.relevant,
        f"R = {listing.relevant}",
        adds=f"a hit adds 1 - lost, lost = {lost}, nb nonrelevant above{known}",
    )


@clause("infap.at", "infap.expected-precision")
def inferred_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows that add the precision to be expected at a hit."""
    above = Above()
    pooled = any(document.label is Unassessed.POOLED for block in listing.blocks for document in block)
    added, terms, details = [], [], []
    for block in _looked(listing).blocks:
        of_block = tuple(block_terms(block, above, listing.convention.infap_epsilon))
        added.append(sum_of_fractions(of_block))
        terms.append(of_block if len(of_block) > 1 else ())
        details.append(_above(above, pooled=pooled))
        above = Above(
            above.documents + len(block),
            above.relevant + block.count(HIT),
            above.nonrelevant + block.count(NONRELEVANT),
            above.pooled + block.count(Unassessed.POOLED),
        )
    return listing.rows(added, terms=terms, details=details)


def _above(above: Above, *, pooled: bool) -> tuple[Detail, ...]:
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


def _looked(listing: Listing) -> Looked:
    """Return the list as the measures see it."""
    blocks = tuple(
        tuple(int(document.relevant) if is_judged(document.label) else document.label for document in block)
        for block in listing.blocks
    )
    nonrelevant = sum(counts_as_judged(grade, listing.convention) for grade in listing.judged) - listing.relevant
    return Looked(blocks, listing.relevant, nonrelevant, None)
