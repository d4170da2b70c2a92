"""Every list that some data's queries can be, under each way to order and label them: documents are put in order once.

What two ways share is computed once. The lists are those of `rankings/ordering.py` and `rankings/cutting.py`, and the
tests compare them; where documents stand twice or a depth is set, these make them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from types import MappingProxyType
from typing import assert_never

from rankspec.oracle.conventions.axes import NegativeGrades, ScorePrecision, Ties, Unjudged
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.worth import worth_of
from rankspec.oracle.rankings.cutting import Blocks, uncut_lists
from rankspec.oracle.rankings.ordering import BLOCK_RULES, docno_bytes, label_of, ranking_of
from rankspec.oracle.rankings.ranking import Block, is_judged, is_relevant
from rankspec.oracle.sweeps.space import Data

_ALONE: MappingProxyType[int, Block] = MappingProxyType({0: (0,), 1: (1,)})


@dataclass(frozen=True)
class QueryLists:
    """One query of the data, whose documents a measure sees as relevant or not."""

    data: Data
    query: str
    measure: Measure

    @cached_property
    def relevant(self) -> int:
        """R, the judged documents that are relevant."""
        return sum(is_relevant(grade, self.measure.rel) for grade in self.data.qrels.grades(self.query).values())

    def uncut(self, convention: EffectiveConvention) -> Iterator[tuple[Fraction, Blocks]]:
        """Yield the lists before the cutoff, with their probabilities.

        Raises:
            UndefinedValueError: a document appears twice and the convention says `error`.
        """
        if convention.depth is None and not self._repeats:
            yield Fraction(1), self._arranged(convention)
            return
        run = self.data.compared[convention.score_precision]
        exactly = convention.with_setting("score_precision", ScorePrecision.EXACT)
        grades = self.data.qrels.grades(self.query)
        worth = worth_of(self.measure, convention)
        ranking = ranking_of(self.query, run.documents(self.query), grades, exactly, worth)
        yield from uncut_lists(ranking.binary(self.measure.rel), convention)

    def _arranged(self, convention: EffectiveConvention) -> Blocks:
        labels = self._labels[convention.negative_grades]
        kept = _kept(labels, convention.unjudged)
        bits = [label or 0 for label in labels]
        blocks = self._in_order(convention.score_precision, convention.ties)
        if convention.ties not in BLOCK_RULES:
            places: Sequence[int] = [place for block in blocks for place in block]
            if kept is not None:
                places = [place for place in places if kept[place]]
            return tuple([_ALONE[bits[place]] for place in places])
        if kept is None:
            return tuple(tuple([bits[place] for place in block]) for block in blocks)
        judged = (tuple([bits[place] for place in block if kept[place]]) for block in blocks)
        return tuple(block for block in judged if block)

    def _in_order(self, precision: ScorePrecision, ties: Ties) -> Sequence[Sequence[int]]:
        """Return the documents' places in the run in blocks of equal score, each in the order that a rule gives it."""
        return [block if len(block) == 1 else self._settled(block, ties) for block in self._blocks[precision]]

    def _settled(self, block: Sequence[int], ties: Ties) -> Sequence[int]:
        match ties:
            case Ties.GROUPED | Ties.EXPECTED | Ties.INPUT_ORDER:
                return block
            case Ties.REVERSE_INPUT:
                return block[::-1]
            case Ties.DOCNO_ASCENDING | Ties.DOCNO_DESCENDING:
                documents = self.data.run.documents(self.query)
                descending = ties is Ties.DOCNO_DESCENDING
                return sorted(block, key=lambda place: docno_bytes(documents[place].docno), reverse=descending)
            case Ties.OPTIMISTIC | Ties.PESSIMISTIC:
                # A negative grade is no hit by either rule, and hits are all that these two rules look at.
                hits = self._labels[NegativeGrades.NONRELEVANT]
                return sorted(block, key=lambda place: hits[place] or 0, reverse=ties is Ties.OPTIMISTIC)
            case _:
                assert_never(ties)

    @cached_property
    def _repeats(self) -> bool:
        documents = self.data.run.documents(self.query)
        return len({document.docno for document in documents}) < len(documents)

    @cached_property
    def _blocks(self) -> dict[ScorePrecision, list[list[int]]]:
        found = {}
        for precision, run in self.data.compared.items():
            scores = [document.score for document in run.documents(self.query)]
            order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
            found[precision] = [list(block) for _, block in groupby(order, key=scores.__getitem__)]
        return found

    @cached_property
    def _labels(self) -> dict[NegativeGrades, list[int | None]]:
        """1 for relevant, 0 for not relevant, None for unjudged, by place in the run."""
        grades, rel = self.data.qrels.grades(self.query), self.measure.rel
        given = [grades.get(document.docno) for document in self.data.run.documents(self.query)]
        found: dict[NegativeGrades, list[int | None]] = {}
        for rule in NegativeGrades:
            labels = [grade if grade is None else label_of(grade, rule) for grade in given]
            found[rule] = [int(is_relevant(label, rel)) if is_judged(label) else None for label in labels]
        return found


def _kept(labels: Sequence[int | None], rule: Unjudged) -> Sequence[bool] | None:
    """Return which documents stay, None if all do."""
    match rule:
        case Unjudged.NONRELEVANT:
            return None
        case Unjudged.REMOVED:
            return [label is not None for label in labels]
        case _:
            assert_never(rule)
