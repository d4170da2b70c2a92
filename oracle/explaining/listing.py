"""The lists that are evaluated, with their documents: what `rankings.cutting` does to labels, done to documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import assert_never

from rankspec.oracle.conventions.axes import Ties, Unjudged
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.explaining.steps import Document
from rankspec.oracle.measures.areas.curve import operating_points
from rankspec.oracle.measures.evaluated_list import EvaluatedList, counts_as_judged
from rankspec.oracle.measures.working import Listing
from rankspec.oracle.measures.worth import is_mean_to_the_depth, looks_at_grades, mean_worth_does
from rankspec.oracle.rankings.cutting import Blocks, cut
from rankspec.oracle.rankings.ranking import is_judged

DocumentBlocks = tuple[tuple[Document, ...], ...]


@dataclass(frozen=True)
class Documents:
    """One list that is evaluated, with its documents.

    Attributes:
        probability: of this list among the orders of its blocks.
        blocks: the documents evaluated, best first, in blocks of undecided order.
        retrieved: the documents that there were before anything was cut off or removed.
        listing: the same list as the measure shows it.
    """

    probability: Fraction
    blocks: DocumentBlocks
    retrieved: int
    listing: Listing

    @property
    def left_out(self) -> int:
        """Return the documents that are not looked at."""
        return self.retrieved - self.listing.evaluated.length


@dataclass(frozen=True)
class Judgments:
    """What the value of a query depends on besides its documents.

    Attributes:
        grades: of all documents judged for the query.
        relevant: R.
        convention: with what the measure itself says put in.
    """

    grades: Sequence[int]
    relevant: int
    measure: Measure
    convention: EffectiveConvention

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
