"""The lists that are looked at, with their documents: what `rankings.cutting` does to labels, done to documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from rankspec.oracle.conventions.axes import RbpGain, Ties, Unjudged
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.explaining.steps import Detail, Document, Row, Term
from rankspec.oracle.measures.curve import Point, operating_points
from rankspec.oracle.measures.denominators import Counts
from rankspec.oracle.measures.worth import mean_worth_does
from rankspec.oracle.rankings.cutting import Blocks, cut
from rankspec.oracle.rankings.ranking import hits, is_judged
from rankspec.oracle.reals.real import Number

DocumentBlocks = tuple[tuple[Document, ...], ...]


@dataclass(frozen=True)
class Listing:
    """One list that is looked at, and what its value depends on.

    Attributes:
        probability: of this list among the orders of its blocks.
        blocks: the documents looked at, best first, in blocks of undecided order.
        whole: the list before the cutoff.
        retrieved: the documents that there were before anything was cut off or removed.
        judged: the grades of all documents judged for the query.
        relevant: R.
        limit: the cutoff, None if there is none.
        convention: with what the measure itself says put in.
    """

    probability: Fraction
    blocks: DocumentBlocks
    whole: DocumentBlocks
    retrieved: int
    judged: Sequence[int]
    relevant: int
    limit: int | None
    measure: Measure
    convention: EffectiveConvention

    @cached_property
    def labels(self) -> Blocks:
        """Return the blocks looked at with 1 for relevant and 0 for not relevant."""
        return binary(self.blocks)

    @cached_property
    def points(self) -> list[Point]:
        """Return the operating points."""
        return operating_points(self.labels)

    @property
    def hits(self) -> int:
        """Return the relevant documents looked at."""
        return self.points[-1].hits if self.points else 0

    @property
    def length(self) -> int:
        """Return n, the documents looked at; a block that the cutoff falls into counts up to the cutoff."""
        documents = sum(map(len, self.blocks))
        return documents if self.limit is None else min(documents, self.limit)

    @cached_property
    def counts(self) -> Counts:
        """Return what denominators are made of."""
        return Counts(self.relevant, self.limit or self.length, self.length, self.hits, hits(binary(self.whole)))

    @property
    def left_out(self) -> int:
        """Return the documents that are not looked at."""
        return self.retrieved - self.length

    def rows(
        self,
        added: Sequence[Number],
        *,
        terms: Sequence[tuple[Term, ...]] = (),
        details: Sequence[tuple[Detail, ...]] = (),
    ) -> tuple[Row, ...]:
        """Return the rows of a measure that does not look at the curve."""
        nothing = [()] * len(self.blocks)
        return tuple(
            Row(point.retrieved, block, point.hits, None, None, addition, of_block, shown)
            for point, block, addition, of_block, shown in zip(
                self.points, self.blocks, added, terms or nothing, details or nothing, strict=True
            )
        )


def listings(
    blocks: DocumentBlocks, judged: Sequence[int], relevant: int, measure: Measure, convention: EffectiveConvention
) -> Iterator[Listing]:
    """Yield each list that is looked at; there are several where a limit falls into a block of undecided order."""
    limit = measure.limit(relevant)
    by_grade = measure.is_graded or (measure.family.has("rbp_gain") and convention.rbp_gain is RbpGain.SCALED_BY_TOPIC)
    for whole, existing in cut_documents(blocks, convention.depth, convention.ties, by_grade=by_grade):
        listed = condensed_documents(existing, convention.unjudged)
        parts = (
            [(Fraction(1), _up_to(listed, limit))]
            if mean_worth_does(measure, convention)
            else cut_documents(listed, limit, convention.ties, by_grade=by_grade)
        )
        for part, looked_at in parts:
            documents = sum(map(len, blocks))
            yield Listing(whole * part, looked_at, listed, documents, judged, relevant, limit, measure, convention)


def _up_to(blocks: DocumentBlocks, limit: int | None) -> DocumentBlocks:
    """Return the blocks that start within the limit."""
    starts = [0, *(point.retrieved for point in operating_points(binary(blocks)))]
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
    if rule is not Unjudged.REMOVED:
        return blocks
    judged = (tuple(document for document in block if is_judged(document.label)) for block in blocks)
    return tuple(block for block in judged if block)


def binary(blocks: DocumentBlocks) -> Blocks:
    """Return the blocks with 1 for relevant and 0 for not relevant."""
    return tuple(tuple(int(document.relevant) for document in block) for block in blocks)
