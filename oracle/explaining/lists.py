"""The derivation of each list that is evaluated: what the measure shows of it, with its documents; or the rule.

What is shown stands in the measure's module, beside the function that computes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import GeometricZero, NoRelevant
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.data.scores import Score
from rankspec.oracle.explaining.listing import DocumentBlocks, Documents, Judgments, condensed_documents, listings
from rankspec.oracle.explaining.steps import ListDerivation, Row
from rankspec.oracle.measures.functions.tap import is_kept, tap_closing, tap_parts
from rankspec.oracle.measures.rules import RULES, rule_text
from rankspec.oracle.measures.working import Closing, Listing, Part
from rankspec.oracle.measures.workings import working_of
from rankspec.oracle.reals.deciding import greater
from rankspec.oracle.reals.real import Number, quotient, weighted_sum
from rankspec.oracle.values import Exact, Undefined


def lists_of(blocks: DocumentBlocks, judgments: Judgments) -> tuple[ListDerivation, ...]:
    """Derive each list that is evaluated, under the convention that holds for the measure (see `Measure.under`)."""
    return tuple(_derived(documents) for documents in listings(blocks, judgments))


def _derived(documents: Documents) -> ListDerivation:
    listing = documents.listing
    no_hits = listing.convention.no_hits
    working = working_of(listing.measure)
    rows = rows_of(documents.blocks, working.parts(listing), listing, is_of_curve=working.is_of_curve)
    if listing.hits == 0 and listing.measure.family.has("no_hits"):
        return by_rule(documents, rows, RULES[no_hits], rule_text(no_hits))
    closing = working.closing(listing)
    if closing.rule:
        return by_rule(documents, rows, Fraction(0), closing.rule)
    return closed(documents, rows, closing)


def rows_of(blocks: DocumentBlocks, parts: Sequence[Part], listing: Listing, *, is_of_curve: bool) -> tuple[Row, ...]:
    """Put the documents to what a measure shows of them; a measure that shows nothing has no rows."""
    return tuple(
        Row(
            **vars(part),
            rank=point.retrieved,
            documents=block,
            hits=point.hits,
            recall=Fraction(point.hits, listing.relevant or 1) if is_of_curve else None,
        )
        for point, block, part in zip(listing.points, blocks, parts, strict=bool(parts))
    )


def by_rule(documents: Documents, rows: tuple[Row, ...], value: Exact, rule: str) -> ListDerivation:
    """Derive a list to which a rule gives the value."""
    return ListDerivation(
        probability=documents.probability,
        rows=rows,
        value=value,
        divisor=None,
        rule=rule,
        left_out=documents.left_out,
    )


def closed(documents: Documents, rows: tuple[Row, ...], closing: Closing) -> ListDerivation:
    """Derive a list whose value is what its rows add up to, and what stands beside them, over a divisor."""
    one = Fraction(1)
    added = [(one, row.added) for row in rows] + ([(one, closing.beside.value)] if closing.beside else [])
    total = weighted_sum(added)
    return ListDerivation(
        **vars(closing),
        probability=documents.probability,
        rows=rows,
        value=quotient(total, closing.divisor or one),
        total=total,
        left_out=documents.left_out,
    )


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


@clause("map.geometric-zero.*")
def factors_of(values: Sequence[Exact], convention: EffectiveConvention) -> tuple[Number, ...]:
    """Return the factors of the geometric mean; none where a value is not a number."""
    numbers = [value for value in values if not isinstance(value, Undefined)]
    if len(numbers) < len(values):
        return ()
    floor = convention.geometric_floor
    match convention.geometric_zero:
        case GeometricZero.FLOOR:
            return tuple(greater(number, floor) for number in numbers)
        case GeometricZero.ADDED | GeometricZero.ADDED_SUBTRACTED:
            one = Fraction(1)
            return tuple(weighted_sum([(one, number), (one, floor)]) for number in numbers)
        case _:
            assert_never(convention.geometric_zero)


def taken_off(convention: EffectiveConvention) -> Fraction:
    """Return what is taken off the root again."""
    subtracted = convention.geometric_zero is GeometricZero.ADDED_SUBTRACTED
    return convention.geometric_floor if subtracted else Fraction(0)
