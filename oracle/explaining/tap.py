"""The derivation of one query under TAP-k, at the cutoff of the set: the documents that it keeps, and the rule."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import NoRelevant
from rankspec.oracle.data.scores import Score
from rankspec.oracle.explaining.listing import DocumentBlocks, Documents, Judgments, condensed_documents
from rankspec.oracle.explaining.lists import by_rule, closed, rows_of
from rankspec.oracle.explaining.steps import ListDerivation
from rankspec.oracle.measures.functions.tap import is_kept, tap_closing, tap_parts
from rankspec.oracle.measures.rules import RULES, rule_text


@clause("tap.apc", "tap.apcp")
def tap_list(blocks: DocumentBlocks, judgments: Judgments, x: Score | None) -> ListDerivation:
    """Derive what a query is worth at the cutoff of the set."""
    convention, relevant = judgments.convention, judgments.relevant
    existing = condensed_documents(tuple(islice(blocks, convention.depth)), convention.unjudged)
    kept = tuple(
        block for block in existing if (score := block[0].score) is not None and is_kept(score, x, convention.tap_ties)
    )
    listing = judgments.listing(kept, kept, None)
    documents = Documents(Fraction(1), kept, sum(map(len, blocks)), listing)
    rows = rows_of(kept, tap_parts(listing), listing, is_of_curve=True)
    if relevant == 0 and convention.no_relevant is NoRelevant.RECIPROCAL:
        rule = f"{rule_text(convention.no_relevant)}, 1/({listing.evaluated.length} evaluated + 1)"
        return by_rule(documents, rows, Fraction(1, listing.evaluated.length + 1), rule)
    if relevant == 0:
        return by_rule(documents, rows, RULES[convention.no_relevant], rule_text(convention.no_relevant))
    if listing.hits == 0:
        return by_rule(documents, rows, RULES[convention.no_hits], rule_text(convention.no_hits))
    return closed(documents, rows, tap_closing(listing, x))
