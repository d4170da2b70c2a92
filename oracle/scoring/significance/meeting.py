"""Counting subsets by their sums where the sums are long integers: the weights are halved, and the halves' sums meet.

Subsets of a few weights are listed with their exact sums, equal sums once with their number. Two groups of such lists
make two long sorted arrays of all their sums (Horowitz and Sahni 1974); what is left over is gone through one by one,
so that memory stays bounded. The arrays hold the leading 61 bits of the sums. These decide nearly every pair with
certainty, because what was dropped is bounded; pairs that it could decide either way, among them all exact ties, are
decided by their exact sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

LARGEST_ARRAY = 2**23
"""The most sums in one array (64 MiB)."""

_LIST = 2**8
"""The most subsets of a list whose sums are all different."""
_MERGED = 2**17
"""The most different sums of a list where many are equal."""
_LEADING_BITS = 61
_FITS_INT64 = 62

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Sums:
    """Different subset sums in ascending order, and how many subsets have each."""

    sums: tuple[int, ...]
    ways: tuple[int, ...]


@dataclass(frozen=True)
class Meeting:
    """Lists of sums, divided into two arrays that meet and what is gone through one by one."""

    table: tuple[Sums, ...]
    inner: tuple[Sums, ...]
    outer: tuple[Sums, ...]

    @property
    def work(self) -> int:
        """About how many sums are gone through."""
        rounds = math.prod(len(part.sums) for part in self.outer)
        return _length(self.table) + rounds * _length(self.inner)


def prepared(weights: Sequence[int], limit: int) -> Meeting:
    """List the sums of positive weights; neighbours among them should have many sums in common."""
    table: list[Sums] = []
    inner: list[Sums] = []
    outer: list[Sums] = []
    for part in sorted(_lists(weights, limit), key=lambda part: len(part.sums), reverse=True):
        smaller = min(table, inner, key=_length)
        (smaller if _length([*smaller, part]) <= LARGEST_ARRAY else outer).append(part)
    return Meeting(tuple(table), tuple(inner), tuple(outer))


def count_at_most(meeting: Meeting, limit: int) -> int:
    """Return how many subsets have a sum of at most the limit."""
    parts = (*meeting.table, *meeting.inner, *meeting.outer)
    most = sum(part.sums[-1] for part in parts)
    dropped = max(0, max(most, limit).bit_length() - _LEADING_BITS)
    # A sum of leading bits falls short of the leading bits of the sum by less than the number of terms.
    margin = len(parts) if dropped else 0
    subsets = math.prod(sum(part.ways) for part in parts).bit_length()
    dtype = np.int64 if subsets <= _FITS_INT64 else object
    table, table_ways, table_order = _array(meeting.table, dropped, dtype)
    inner, inner_ways, inner_order = _array(meeting.inner, dropped, dtype)
    # Where many pairs are doubtful, many of them are the same sums.
    table_exact, inner_exact = _exact_sums(meeting.table), _exact_sums(meeting.inner)

    @cache
    def fitting(start: int, end: int, left: int) -> int:
        within = (at for at in range(start, end) if table_exact(int(table_order[at])) <= left)
        return sum(int(table_ways[at]) for at in within)

    up_to = np.concatenate([np.zeros(1, dtype), np.cumsum(table_ways)])
    counted = 0
    for terms in product(*(zip(part.sums, part.ways, strict=True) for part in meeting.outer)):
        outer = sum(total for total, _ in terms)
        room = (limit >> dropped) - sum(total >> dropped for total, _ in terms) - inner
        certain = np.searchsorted(table, room - margin, side="right")
        pairs = int(np.dot(inner_ways, up_to[certain]))
        if margin:
            doubtful = np.flatnonzero(table[np.minimum(certain, len(table) - 1)] <= room)
            for place in doubtful[certain[doubtful] < len(table)].tolist():
                start, end = int(certain[place]), int(np.searchsorted(table, room[place], side="right"))
                left = limit - outer - inner_exact(int(inner_order[place]))
                pairs += int(inner_ways[place]) * fitting(start, end, left)
        counted += math.prod(ways for _, ways in terms) * pairs
    return counted


def _lists(weights: Sequence[int], limit: int) -> Iterator[Sums]:
    """List the subset sums, up to the limit, of neighbouring weights that have many of them in common; else of each."""
    ways = {0: 1}
    taken: list[int] = []
    for weight in weights:
        longer = _with(ways, weight, limit)
        if len(longer) <= _LIST or _stays_short([*taken, weight]):
            ways = longer
            taken.append(weight)
        else:
            yield from _divided(ways, taken, limit)
            ways, taken = _with({0: 1}, weight, limit), [weight]
    yield from _divided(ways, taken, limit)


def _stays_short(weights: Sequence[int]) -> bool:
    """Tell whether sums of these weights are so few because all are multiples of one number."""
    return sum(weights) // math.gcd(*weights) < _MERGED


def _with(ways: dict[int, int], weight: int, limit: int) -> dict[int, int]:
    """Return the sums with one weight more."""
    longer = dict(ways)
    for total, number in ways.items():
        if total + weight <= limit:
            longer[total + weight] = longer.get(total + weight, 0) + number
    return longer


def _divided(ways: dict[int, int], weights: Sequence[int], limit: int) -> Iterator[Sums]:
    """Return a list as it is, or weight by weight if that leaves no fewer sums: short lists are halved more evenly."""
    if max(ways.values()) > 1:
        yield _sorted(ways)
    else:
        yield from (_sorted(_with({0: 1}, weight, limit)) for weight in weights)


def _sorted(ways: dict[int, int]) -> Sums:
    sums = sorted(ways)
    return Sums(tuple(sums), tuple(ways[total] for total in sums))


def _length(parts: Sequence[Sums]) -> int:
    return math.prod(len(part.sums) for part in parts)


def _array(parts: Sequence[Sums], dropped: int, dtype: Any) -> tuple[Array, Array, Array]:
    """Return the leading bits of all sums of one term a list, ascending; their ways; and where each was before."""
    leading = np.zeros(1, np.int64)
    ways = np.ones(1, dtype)
    for part in parts:
        leading = np.add.outer(leading, np.array([total >> dropped for total in part.sums], np.int64)).ravel()
        ways = np.multiply.outer(ways, np.array(part.ways, dtype)).ravel()
    order = np.argsort(leading)
    return leading[order], ways[order], order


def _exact_sums(parts: Sequence[Sums]) -> Callable[[int], int]:
    """Return the function that gives the exact sum at a place of the array before it was sorted."""
    lengths = [len(part.sums) for part in parts]
    last_first = list(zip(reversed(lengths), (part.sums for part in reversed(parts)), strict=True))

    @cache
    def exact(place: int) -> int:
        total = 0
        for length, sums in last_first:
            place, index = divmod(place, length)
            total += sums[index]
        return total

    return exact
