"""A ranking: what every measure is a pure function of.

Labels in blocks of documents whose order is not decided, best block first, with the grades of all judged documents.
A ranking without ties has one document a block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple, TypeGuard

from rankspec.oracle.clauses import clause
from rankspec.oracle.data.run import Score
from rankspec.oracle.errors import InputError


class Unassessed(Enum):
    """A document that the qrels name without judging it."""

    POOLED = "pooled"
    """Its grade is negative, and negative grades count as unjudged. Only infAP tells it from other unjudged ones."""


Label = int | None | Unassessed
"""The grade of a retrieved document; None for one that the qrels do not name. A negative grade is judged, and never
relevant."""

Block = tuple[Label, ...]
"""Documents of equal score, in no order."""

MISS = -1
"""The label of a document that is judged and not relevant under any threshold (a repeated document, say)."""


class Ranking(NamedTuple):
    """One query's labelled list.

    Attributes:
        blocks: labels in blocks of undecided order, best first.
        judged: the grades of all documents judged for the query, retrieved or not, in any order.
        scores: the score of each block, where the list had scores (TAP-k needs them).
    """

    blocks: tuple[Block, ...]
    judged: tuple[int, ...]
    scores: tuple[Score, ...] | None = None

    @classmethod
    def from_labels(cls, labels: Iterable[int], num_relevant: int | None = None) -> Ranking:
        """Make a ranking from 0/1 labels in rank order and R (by default the hits).

        Raises:
            InputError: R is below the hits.
        """
        listed = tuple(labels)
        hits = sum(1 for label in listed if label >= 1)
        relevant = hits if num_relevant is None else num_relevant
        if relevant < hits:
            raise InputError(
                f"num_relevant={relevant} is below the {hits} relevant documents in the list",
                code="num-relevant-too-low",
            )
        return cls(tuple((label,) for label in listed), (*listed, *(1,) * (relevant - hits)))

    def relevant(self, rel: int) -> int:
        """Return R, the judged documents of at least that grade."""
        return sum(1 for grade in self.judged if is_relevant(grade, rel))

    def binary(self, rel: int) -> tuple[Block, ...]:
        """Return the blocks with 1 for relevant, 0 for not relevant, None for unjudged."""
        return tuple(
            tuple(int(is_relevant(label, rel)) if is_judged(label) else None for label in block)
            for block in self.blocks
        )


def is_judged(label: Label) -> TypeGuard[int]:
    """Tell whether a document was judged."""
    return isinstance(label, int)


@clause("ranking.relevance-threshold")
def is_relevant(label: Label, rel: int) -> bool:
    """Tell whether a label is relevant. Unjudged and negative ones never are: a threshold is 0 or more."""
    return is_judged(label) and label >= rel


def length(blocks: Sequence[Block]) -> int:
    """Return the number of documents."""
    return sum(len(block) for block in blocks)


def hits(blocks: Sequence[Block]) -> int:
    """Return the number of relevant documents of binary blocks."""
    return sum(block.count(1) for block in blocks)
