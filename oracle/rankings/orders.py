"""The orders that blocks of undecided order can have, one by one: for what has no closed form of a block."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, product

from rankspec.oracle.limits import ORDERS
from rankspec.oracle.rankings.cutting import Blocks
from rankspec.oracle.rankings.ranking import Label


def all_orders(blocks: Blocks) -> Iterator[tuple[Label, ...]]:
    """Yield every order of the blocks' labels, all equally probable; documents with the same label are interchangeable.

    Raises:
        InputError: there are too many.
    """
    _require_few(number_of_orders(blocks), sum(map(len, blocks)))
    # Most blocks have one document: what they can be is looked up, not worked out.
    for arranged in product(*([block] if len(block) == 1 else list(_arrangements(Counter(block))) for block in blocks)):
        yield tuple(chain.from_iterable(arranged))


def _require_few(orders: int, documents: int) -> None:
    """Refuse orders that have too many documents in all: most measures take a step for each.

    Raises:
        InputError: they have.
    """
    ORDERS.require(orders * documents, "documents in their orders")


def orders_of_lists(
    lists: Iterable[tuple[Fraction, Blocks]],
) -> Iterator[tuple[Fraction, tuple[Label, ...]]]:
    """Yield every order that some lists can have, with its probability.

    Raises:
        InputError: there are too many, in all lists together.
    """
    counted, orders = [], 0
    for probability, blocks in lists:
        orders += (number := number_of_orders(blocks))
        _require_few(orders, sum(map(len, blocks)))
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
