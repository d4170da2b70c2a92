"""What a limit leaves of a ranking: a depth, removal of unjudged documents, a cutoff.

A limit inside a block of undecided order leaves one of several lists, each with its probability; blocks of the lists
returned are whole, so that whoever evaluates them need not think of limits.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, product
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Ties, Unjudged
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.limits import ORDERS
from rankspec.oracle.rankings.ranking import Block, is_judged

Blocks = tuple[Block, ...]


@clause("ranking.depth", "ap.cutoff")
def cut(blocks: Blocks, limit: int | None, ties: Ties) -> Iterator[tuple[Fraction, Blocks]]:
    """Yield each list that the first `limit` documents can be, with its probability over all orders of the blocks.

    Under `grouped` a block that the limit cuts is no operating point and is dropped.
    """
    if limit is None:
        yield Fraction(1), blocks
        return
    whole: list[Block] = []
    room = limit
    for block in blocks:
        if len(block) > room:
            break
        whole.append(block)
        room -= len(block)
    else:
        yield Fraction(1), blocks
        return
    divided = blocks[len(whole)]
    if room == 0 or ties is Ties.GROUPED:
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


def up_to(blocks: Blocks, limit: int | None) -> Blocks:
    """Return the blocks that begin within the limit."""
    starts = accumulate(map(len, blocks), initial=0)
    return tuple(block for block, start in zip(blocks, starts, strict=False) if limit is None or start < limit)


@clause("ranking.unjudged.removed", "ranking.unjudged.nonrelevant")
def condensed(blocks: Blocks, rule: Unjudged) -> Blocks:
    """Drop unjudged documents, or leave them as misses."""
    return tuple(tuple(label if is_judged(label) else 0 for label in block) for block in listed(blocks, rule))


def listed(blocks: Blocks, rule: Unjudged) -> Blocks:
    """Drop unjudged documents, or leave them as what they are, for a measure that tells them from misses."""
    match rule:
        case Unjudged.NONRELEVANT:
            return blocks
        case Unjudged.REMOVED:
            judged = (tuple(label for label in block if is_judged(label)) for block in blocks)
            return tuple(block for block in judged if block)
        case _:
            assert_never(rule)


def uncut_lists(blocks: Blocks, convention: Convention) -> Iterator[tuple[Fraction, Blocks]]:
    """Yield the lists that exist at all, after the depth and after removal, with their probabilities."""
    if convention.unjudged is Unjudged.NONRELEVANT:  # before the depth, so that fewer lists are different
        blocks = condensed(blocks, convention.unjudged)
    for probability, deep in cut(blocks, convention.depth, convention.ties):
        yield probability, condensed(deep, convention.unjudged)


def tops(blocks: Blocks, limit: int | None, convention: Convention) -> Iterator[tuple[Fraction, Blocks]]:
    """Yield what a depth, removal and a cutoff leave, with their probabilities: one limit where nothing is removed."""
    if convention.unjudged is Unjudged.NONRELEVANT:
        ends = [each for each in (convention.depth, limit) if each is not None]
        yield from cut(blocks, min(ends, default=None), convention.ties)
        return
    for whole, deep in cut(blocks, convention.depth, convention.ties):
        for part, top in cut(listed(deep, convention.unjudged), limit, convention.ties):
            yield whole * part, top
