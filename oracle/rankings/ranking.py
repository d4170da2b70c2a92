"""A ranking: what every measure is a pure function of.

Labels in blocks of documents whose order is not decided, best block first, with the grades of all judged documents.
A ranking without ties has one document a block.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from enum import Enum
from fractions import Fraction
from itertools import accumulate, chain, product
from typing import NamedTuple, TypeGuard, TypeVar

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import NegativeGrades, Ties, Unjudged
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.run import Score
from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import ORDERS


class Unassessed(Enum):
    """A document that the qrels name without judging it."""

    POOLED = "pooled"
    """Its grade is negative, and negative grades count as unjudged. Only infAP tells it from other unjudged ones."""


Label = int | None | Unassessed
"""The grade of a retrieved document; None for one that the qrels do not name. A negative grade is judged, and never
relevant."""

Block = tuple[Label, ...]  # Documents of equal score, in no order
MISS = -1  # The label of a document that is judged and not relevant under any threshold (a repeated document, say)


IS_NEGATIVE_JUDGED: Mapping[NegativeGrades, bool] = clause("ranking.negative-grades.*")(
    {NegativeGrades.NONRELEVANT: True, NegativeGrades.UNJUDGED: False}
)
"""Whether a document with a negative grade is judged."""

IS_UNJUDGED_REMOVED: Mapping[Unjudged, bool] = clause("ranking.unjudged.*")(
    {Unjudged.NONRELEVANT: False, Unjudged.REMOVED: True}
)
"""Whether unjudged documents leave the list; else they keep their ranks, as misses."""


class Ranking(NamedTuple):
    """One query's labelled list."""

    blocks: tuple[Block, ...]  # labels in blocks of undecided order, best first
    judged: tuple[int, ...]  # the grades of all documents judged for the query, retrieved or not, in any order
    scores: tuple[Score, ...] | None = None  # the score of each block, where the list had scores (TAP-k needs them)

    @classmethod
    def from_labels(cls, labels: Iterable[int], num_relevant: int | None = None) -> Ranking:
        """Make a ranking of 0/1 labels in rank order and R (by default the hits); `InputError` if R is below these."""
        after_removal = tuple(labels)
        hits = sum(1 for label in after_removal if label >= 1)
        relevant = hits if num_relevant is None else num_relevant
        if relevant < hits:
            reason = f"num_relevant={relevant} is below the {hits} relevant documents in the list"
            raise InputError(reason, code="num-relevant-too-low")
        return cls(tuple((label,) for label in after_removal), (*after_removal, *(1,) * (relevant - hits)))

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


Blocks = tuple[Block, ...]
Documents = TypeVar("Documents", bound=Sized)  # A block, in whatever form


@clause("ranking.depth", "ap.cutoff")
def cut(blocks: Blocks, limit: int | None, ties: Ties) -> Iterator[tuple[Fraction, Blocks]]:
    """Yield each list that the first `limit` documents can be, with its probability over all orders of the blocks."""
    # Under `grouped` a block that the limit cuts is no operating point and is dropped. Under `mid-rank` its documents
    # have one rank, and it is kept or dropped whole.
    if limit is None:
        yield Fraction(1), blocks
        return
    whole: list[Block] = []
    room = limit
    for block in blocks:
        if (len(block) + 1 > 2 * room) if ties is Ties.MID_RANK else (len(block) > room):
            break
        whole.append(block)
        room -= len(block)
    else:
        yield Fraction(1), blocks
        return
    divided = blocks[len(whole)]
    if room <= 0 or ties in {Ties.GROUPED, Ties.MID_RANK}:
        yield Fraction(1), tuple(whole)
        return
    lists = number_of_parts([*Counter(divided).values()], room)
    ORDERS.require(lists * limit, "documents in the lists that a limit leaves of them")
    for probability, part in _parts(divided, room):
        yield probability, (*whole, part)


def _parts(block: Block, size: int) -> Iterator[tuple[Fraction, Block]]:
    """Yield what the first `size` documents of a block in random order can be (multivariate hypergeometric)."""
    counts = sorted(Counter(block).items(), key=str)
    orders = math.comb(len(block), size)
    for taken in product(*(range(min(count, size) + 1) for _, count in counts)):
        if sum(taken) == size:
            ways = math.prod(math.comb(count, number) for (_, count), number in zip(counts, taken, strict=True))
            labels = (label for (label, _), number in zip(counts, taken, strict=True) for _ in range(number))
            yield Fraction(ways, orders), tuple(labels)


def number_of_parts(counts: Sequence[int], size: int) -> int:
    """Return how many parts of a size there are of so many documents of each label."""
    ways = [1] + [0] * size
    for count in counts:
        running = list(accumulate(ways, initial=0))
        ways = [running[taken + 1] - running[max(taken - count, 0)] for taken in range(size + 1)]
    return ways[size]


def up_to(blocks: Sequence[Documents], limit: int | None) -> tuple[Documents, ...]:
    """Return the blocks that begin within the limit."""
    starts = accumulate(map(len, blocks), initial=0)
    return tuple(block for block, start in zip(blocks, starts, strict=False) if limit is None or start < limit)


@clause("ranking.unjudged.removed", "ranking.unjudged.nonrelevant")
def condensed(blocks: Blocks, rule: Unjudged) -> Blocks:
    """Drop unjudged documents, or leave them as misses."""
    return tuple(tuple(label if is_judged(label) else 0 for label in block) for block in after_removal(blocks, rule))


def after_removal(blocks: Blocks, rule: Unjudged) -> Blocks:
    """Drop unjudged documents, or leave them as what they are, for a measure that tells them from misses."""
    if not IS_UNJUDGED_REMOVED[rule]:
        return blocks
    judged = (tuple(label for label in block if is_judged(label)) for block in blocks)
    return tuple(block for block in judged if block)


def tops(blocks: Blocks, limit: int | None, convention: Convention) -> Iterator[tuple[Fraction, Blocks]]:
    """Yield what a depth, removal and a cutoff leave, with their probabilities: one limit where nothing is removed."""
    if not IS_UNJUDGED_REMOVED[convention.unjudged]:
        ends = [each for each in (convention.depth, limit) if each is not None]
        yield from cut(blocks, min(ends, default=None), convention.ties)
        return
    for whole, deep in cut(blocks, convention.depth, convention.ties):
        for part, top in cut(after_removal(deep, convention.unjudged), limit, convention.ties):
            yield whole * part, top


def all_orders(blocks: Blocks) -> Iterator[tuple[Label, ...]]:
    """Yield every equally probable order of the blocks' labels, equal ones once; `InputError` if there are too many."""
    ORDERS.require(number_of_orders(blocks) * length(blocks), "documents in their orders")
    # Most blocks have one document: what they can be is looked up, not worked out.
    for arranged in product(*([block] if len(block) == 1 else list(_arrangements(Counter(block))) for block in blocks)):
        yield tuple(chain.from_iterable(arranged))


def orders_of_lists(lists: Iterable[tuple[Fraction, Blocks]]) -> Iterator[tuple[Fraction, tuple[Label, ...]]]:
    """Yield every order that some lists can have, with its probability; `InputError` for too many in all."""
    counted, orders = [], 0
    for probability, blocks in lists:
        orders += (number := number_of_orders(blocks))
        ORDERS.require(orders * length(blocks), "documents in their orders")  # most measures take a step for each
        counted.append((probability / number, blocks))
    for share, blocks in counted:
        for order in all_orders(blocks):
            yield share, order


def number_of_orders(blocks: Blocks) -> int:
    """Return how many there are."""
    return math.prod(
        math.factorial(len(block)) // math.prod(map(math.factorial, Counter(block).values()))
        for block in blocks
        if len(block) > 1
    )


def _arrangements(counts: Counter[Label]) -> Iterator[tuple[Label, ...]]:
    if not +counts:
        yield ()
    for label in list(+counts):
        for rest in _arrangements(counts - Counter([label])):
            yield (label, *rest)
