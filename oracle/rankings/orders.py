"""The orders that blocks of undecided order can have, one by one: for what has no closed form of a block."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import chain, product

from rankspec.oracle.limits import ORDERS
from rankspec.oracle.rankings.cutting import Blocks
from rankspec.oracle.rankings.ranking import Label


def all_orders(blocks: Blocks) -> Iterator[tuple[Label, ...]]:
    """Yield every order of the blocks' labels, all equally probable; documents with the same label are interchangeable.

    Raises:
        InputError: there are too many.
    """
    number = number_of_orders(blocks)
    if number > ORDERS.most:
        raise ORDERS.exceeded("a query", f"its ties have {number} orders,")
    for arranged in product(*(list(_arrangements(Counter(block))) for block in blocks)):
        yield tuple(chain.from_iterable(arranged))


def number_of_orders(blocks: Blocks) -> int:
    """Return how many there are."""
    return math.prod(
        math.factorial(len(block)) // math.prod(map(math.factorial, Counter(block).values())) for block in blocks
    )


def _arrangements(counts: Counter[Label]) -> Iterator[tuple[Label, ...]]:
    if not +counts:
        yield ()
    for label in list(+counts):
        for rest in _arrangements(counts - Counter([label])):
            yield (label, *rest)
