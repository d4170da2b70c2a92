"""The derivation of each list that is evaluated: what the measure shows of it, with its documents; or the rule.

What is shown stands in the measure's module, beside the function that computes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import GeometricZero, NoRelevant, Ties, Unjudged
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.run import Score
from rankspec.oracle.explaining.steps import Document, ListDerivation, Row
from rankspec.oracle.measures.areas.estimators import operating_points
from rankspec.oracle.measures.evaluated_list import EvaluatedList, counts_as_judged
from rankspec.oracle.measures.functions.tap import is_kept, tap_closing, tap_parts
from rankspec.oracle.measures.rules import RULES, rule_text
from rankspec.oracle.measures.working import Closing, Listing, Part
from rankspec.oracle.measures.workings import working_of
from rankspec.oracle.measures.worth import is_mean_to_the_depth, looks_at_grades, mean_worth_does
from rankspec.oracle.rankings.ranking import Blocks, cut, is_judged
from rankspec.oracle.reals.deciding import greater
from rankspec.oracle.reals.real import Number, quotient, weighted_sum
from rankspec.oracle.values import Exact, Undefined

# ---- The lists that are evaluated, with their documents

DocumentBlocks = tuple[tuple[Document, ...], ...]


@dataclass(frozen=True)
class Documents:
    """One list that is evaluated, with its documents."""

    probability: Fraction  # of this list among the orders of its blocks
    blocks: DocumentBlocks  # the documents evaluated, best first, in blocks of undecided order
    retrieved: int  # the documents that there were before anything was cut off or removed
    listing: Listing  # the same list as the measure shows it

    @property
    def left_out(self) -> int:
        """Return the documents that are not looked at."""
        return self.retrieved - self.listing.evaluated.length


@dataclass(frozen=True)
class Judgments:
    """What the value of a query depends on besides its documents."""

    grades: Sequence[int]  # of all documents judged for the query
    relevant: int  # R
    measure: Measure
    convention: EffectiveConvention  # with what the measure itself says put in

    def listing(
        self, top: DocumentBlocks, whole: DocumentBlocks, limit: int | None, depth: int | None = None
    ) -> Listing:
        """Return a list as the measure shows it: the documents that are evaluated, of those before the cutoff."""
        nonrelevant = sum(counts_as_judged(grade, self.convention) for grade in self.grades) - self.relevant
        hits = sum(document.relevant for block in whole for document in block)
        labels = (_labels(top), _labels(whole))
        evaluated = EvaluatedList(_classes(top), self.relevant, nonrelevant, limit, *labels, hits, self.grades, depth)
        return Listing(evaluated, self.measure, self.convention)


def _classes(blocks: DocumentBlocks) -> Blocks:
    """Return the blocks with relevant or not for judged documents."""
    return tuple(
        tuple(int(document.relevant) if is_judged(document.label) else document.label for document in block)
        for block in blocks
    )


def _labels(blocks: DocumentBlocks) -> Blocks:
    return tuple(tuple(document.label for document in block) for block in blocks)


def listings(blocks: DocumentBlocks, judgments: Judgments) -> Iterator[Documents]:
    """Yield each list that is evaluated; there are several where a limit falls into a block of undecided order."""
    measure, convention = judgments.measure, judgments.convention
    limit = measure.limit(judgments.relevant, convention.multiple_rounding)
    by_grade = looks_at_grades(measure, convention)
    retrieved = sum(map(len, blocks))
    whole_blocks = mean_worth_does(measure, convention)
    depth = convention.depth if whole_blocks and is_mean_to_the_depth(measure, convention, limit) else None
    begun, to_depth = _up_to(blocks, depth), None if depth else convention.depth
    for whole, existing in cut_documents(begun, to_depth, convention.ties, by_grade=by_grade):
        listed = condensed_documents(existing, convention.unjudged)
        parts = (
            [(Fraction(1), _up_to(listed, limit))]
            if whole_blocks
            else cut_documents(listed, limit, convention.ties, by_grade=by_grade)
        )
        for part, evaluated in parts:
            listing = judgments.listing(evaluated, listed, limit, depth)
            yield Documents(whole * part, evaluated, retrieved, listing)


def _up_to(blocks: DocumentBlocks, limit: int | None) -> DocumentBlocks:
    """Return the blocks that start within the limit."""
    starts = [0, *(point.retrieved for point in operating_points(_labels(blocks)))]
    return tuple(block for block, start in zip(blocks, starts, strict=False) if limit is None or start < limit)


def cut_documents(
    blocks: DocumentBlocks, limit: int | None, ties: Ties, *, by_grade: bool
) -> Iterator[tuple[Fraction, DocumentBlocks]]:
    """Yield what `cutting.cut` yields, with the documents; those of a block that is cut have no names."""
    nameless = [[_nameless(document, by_grade=by_grade) for document in block] for block in blocks]
    kinds = sorted({each for block in nameless for each in block}, key=lambda each: str(each.label))
    labels = tuple(tuple(kinds.index(each) for each in block) for block in nameless)
    for probability, parts in cut(labels, limit, ties):
        yield (
            probability,
            tuple(
                block
                if len(part) == len(block)
                else tuple(replace(kinds[label], score=block[0].score) for label in part if is_judged(label))
                for part, block in zip(parts, blocks, strict=False)
            ),
        )


def _nameless(document: Document, *, by_grade: bool) -> Document:
    """Return what a measure sees of a document: its grade, or whether it is relevant."""
    label = int(document.relevant) if is_judged(document.label) and not by_grade else document.label
    return Document("", label, document.relevant)


def condensed_documents(blocks: DocumentBlocks, rule: Unjudged) -> DocumentBlocks:
    """Drop unjudged documents, or leave them as misses."""
    match rule:
        case Unjudged.NONRELEVANT:
            return blocks
        case Unjudged.REMOVED:
            judged = (tuple(document for document in block if is_judged(document.label)) for block in blocks)
            return tuple(block for block in judged if block)
        case _:
            assert_never(rule)


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
        probability=documents.probability, rows=rows, value=value, divisor=None, rule=rule, left_out=documents.left_out
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
    """Derive the value of a query at the cutoff of the set."""
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
