"""The derivation of each list that is looked at: its rows, and what they end in; or the rule that decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.explaining import counting, gains, judged_above, precisions, rank_biased, stopping
from rankspec.oracle.explaining.closing import Closing
from rankspec.oracle.explaining.curves import average_precision_list
from rankspec.oracle.explaining.listing import DocumentBlocks, Listing, listings
from rankspec.oracle.explaining.steps import ListDerivation, Row
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.reals.real import quotient, weighted_sum

_HITS = counting.counting_rows("hits", counting.is_hit)

FORMS: Mapping[str, tuple[Callable[[Listing], tuple[Row, ...]], Callable[[Listing], Closing]]] = {
    "P": (_HITS, counting.precision_closing),
    "R": (_HITS, counting.recall_closing),
    "F": (_HITS, counting.f_closing),
    "Success": (counting.success_rows, counting.success_closing),
    "RR": (precisions.first_hit_rows, precisions.first_hit_closing),
    "Rprec": (_HITS, counting.relevant_closing),
    "SetP": (_HITS, counting.set_precision_closing),
    "SetR": (_HITS, counting.relevant_closing),
    "SetF": (_HITS, counting.set_f_closing),
    "SetAP": (_HITS, counting.set_average_precision_closing),
    "IPrec": (precisions.level_rows, precisions.level_closing),
    "Bpref": (judged_above.preference_rows, judged_above.preference_closing),
    "infAP": (judged_above.inferred_rows, judged_above.inferred_closing),
    "DCG": (gains.gain_rows, gains.gain_closing),
    "nDCG": (gains.gain_rows, gains.ideal_closing),
    "ERR": (stopping.stopping_rows, stopping.stopping_closing),
    "RBP": (rank_biased.weighted_rows, rank_biased.weighted_closing),
    "RBPResidual": (rank_biased.open_rows, rank_biased.open_closing),
    "Judged": (counting.counting_rows("judged", counting.is_assessed), counting.judged_closing),
    "NumQ": (counting.no_rows, counting.query_closing),
    "NumRet": (counting.counting_rows("retrieved", counting.is_anything), counting.retrieved_closing),
    "NumRel": (counting.no_rows, counting.qrels_closing),
    "NumRelRet": (_HITS, counting.hits_closing),
    "NumNonrelJudgedRet": (
        counting.counting_rows("nonrelevant", counting.is_nonrelevant),
        counting.nonrelevant_closing,
    ),
}
"""Measure -> what makes the rows of a list, and what they end in. Averages of precision have a curve instead."""


def lists_of(
    blocks: DocumentBlocks, judged: Sequence[int], relevant: int, measure: Measure, convention: EffectiveConvention
) -> tuple[ListDerivation, ...]:
    """Derive each list that is looked at, under the convention that holds for the measure (see `Measure.under`)."""
    derive = average_precision_list if measure.family.is_area else _derived
    return tuple(derive(listing) for listing in listings(blocks, judged, relevant, measure, convention))


def _derived(listing: Listing) -> ListDerivation:
    make_rows, close = FORMS[listing.measure.name]
    rows = make_rows(listing)
    no_hits = listing.convention.no_hits
    if listing.hits == 0 and "no_hits" in listing.measure.family.axes:
        return ListDerivation(
            listing.probability, rows, RULES[no_hits], rule=f"no_hits={no_hits}", left_out=listing.left_out
        )
    closing = close(listing)
    if closing.rule:
        return ListDerivation(listing.probability, rows, Fraction(0), rule=closing.rule, left_out=listing.left_out)
    one = Fraction(1)
    added = [(one, row.added) for row in rows] + ([(one, closing.beside.value)] if closing.beside else [])
    total = weighted_sum(added)
    return ListDerivation(
        listing.probability,
        rows,
        quotient(total, closing.divisor),
        closing.denominator,
        closing.denominator_text,
        closing.divisor,
        closing.divisor_text,
        total,
        beside=closing.beside,
        ideal=closing.ideal,
        factors=closing.factors,
        formula=closing.formula,
        needed=closing.needed,
        adds=closing.adds,
        left_out=listing.left_out,
    )
