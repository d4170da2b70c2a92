"""Tied documents spread over the places that they can have: the mean of a definition's term over the orders of a block.

A term is summed over what can stand above a document, each possibility with its chance. Three laws are enough for all
definitions that have a form here; `law` says which one a term needs.

1. The first hit. Of a block of n documents, r of them relevant, behind N others without a hit, it is the j-th with
   chance P(1) = r/n, P(j+1) = P(j) (n - j - r + 1)/(n - j). With 20 bits more than asked for a step loses less than one
   unit of theirs and multiplies what was lost by at most 1: fewer than 2^19 steps lose less than half a unit, and
   rounding down to it less than one, so that a chance is too low by less than 2.
2. Judged nonrelevant documents above. A hit and the b nonrelevant ones of its block come in any order, so that 0, 1,
   ..., b of them stand above it with the same chance 1/(b + 1). The r hits of a block add r times that.
3. Hits above, where the term is linear in them. At the j-th place of a block stands a hit with chance r/n, and above it
   (j - 1)(r - 1)/(n - 1) other hits of the block on average, beside B above the block. The hits of a block gain G
   together, G/r each on average, and so does each of the others: down to the place (1 + (j - 1)(r - 1)/(n - 1)) G/r.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from rankspec.oracle.definitions.expression import SIGNS, Expression, Scope, degree, has_factor, names
from rankspec.oracle.scoring.batch.arithmetic import Ratio, Read, TooWideError, Whole
from rankspec.oracle.scoring.batch.evaluated import EvaluatedLists, GainsOfLists, gains_of
from rankspec.oracle.scoring.batch.fixed import LIMB, Fixed, Integers, Mask, Segments, Table
from rankspec.oracle.scoring.batch.lists import Places

# ---- Blocks of undecided order


class Blocks(NamedTuple):
    """The blocks of many lists that have a gain and begin within the cutoff."""

    segments: Segments  # which of them are whose
    tops: Integers  # the documents above each (N)
    sizes: Integers  # its documents (n)
    counted: Integers  # those of its places within the cutoff (m)
    gains: Integers  # what its documents gain together

    @classmethod
    def of(cls, places: Places, gains: Integers, limit: Integers | int | None) -> Blocks:
        """Return the blocks of some documents, which gain so much each."""
        chosen = gains > 0
        if limit is not None:
            chosen &= places.ranks_above() < (limit if isinstance(limit, int) else places.segments.of(limit))
        inside, gains = places.chosen(chosen), gains[chosen]
        firsts = np.flatnonzero(inside.begins_block())
        segments, ends = inside.segments.kept(firsts), inside.ranks[firsts]
        tops = inside.ranks_above()[firsts]
        last = ends if limit is None else np.minimum(ends, limit if isinstance(limit, int) else segments.of(limit))
        together = Segments(np.append(firsts, inside.ranks.size))
        return cls(segments, tops, ends - tops, last - tops, together.sums(gains))

    @property
    def last(self) -> int:
        """Return the last rank that counts."""
        return int((self.tops + self.counted).max(initial=0))

    def ranks(self) -> Integers:
        """Return the ranks that count, each once."""
        steps = np.zeros(self.last + 2, np.int64)
        np.add.at(steps, self.tops + 1, 1)
        np.add.at(steps, self.tops + self.counted + 1, -1)
        return np.flatnonzero(np.cumsum(steps))

    def weighed(self, running: Table) -> Fixed:
        """Return each query's sum of what the blocks add; `running` has the running sums of the weights of ranks."""
        return self._mean(self._sums(running, self.tops, self.counted))

    def gains_above(self) -> Integers:
        """Return what the blocks above each one gain."""
        above = np.concatenate(([0], np.cumsum(self.gains)))
        gains: Integers = above[:-1] - self.segments.of(above[self.segments.starts[:-1]])
        return gains

    def precisions(self, limbs: int, above: int = 0, *, but_first: bool = False) -> Fixed:
        """Return each query's sum of the precisions so many ranks above relevant documents, gains being 1 each.

        `but_first`: but for documents at the first rank. One limb wider.
        """
        harmonic = Table.reciprocals(self.last, limbs + 1).harmonic()
        left_out = (self.tops == 0).astype(np.int64) if but_first else np.zeros_like(self.tops)
        places = self.counted - left_out
        sums = self._sums(harmonic, self.tops + left_out - above, places)
        others = sums.times(self.tops + 1 - above).taken_from(places)
        shares = others.over(np.maximum(self.sizes - 1, 1)).times(self.gains - 1)
        return self._mean(sums.times(self.gains_above() + 1 - above).plus(shares))

    def first_hits(self, limbs: int) -> Fixed:
        """Return each query's chance of a hit at the first rank, gains being 1 each; one limb wider."""
        return self._mean(Fixed.whole((self.tops == 0).astype(np.int64), limbs + 1))

    def precisions_to(self, last: Integers, limbs: int) -> Fixed:
        """Return each query's sum of the precisions at ranks 1 to last, gains being 1 each; one limb wider."""
        ends, to = self.tops + self.counted, self.segments.of(last)
        harmonic = Table.reciprocals(int(last.max(initial=0)), limbs + 1).harmonic()
        below = self._sums(harmonic, ends, to - ends)
        whole = Fixed.whole(self.counted, limbs + 1).plus(below.times(self.counted))
        return self._mean(whole.minus(self._sums(harmonic, self.tops, self.counted).times(self.tops)))

    def _mean(self, of_places: Fixed) -> Fixed:
        """Return each query's sum of what places add, that of the documents that gain."""
        return of_places.over(self.sizes).times(self.gains).summed(self.segments)

    @staticmethod
    def _sums(running: Table, tops: Integers, places: Integers) -> Fixed:
        """Return the sums over so many places."""
        limbs = [limb[tops + places] - limb[tops] for limb in running.limbs]
        return Fixed.carried(limbs, places * running.error)


def running_sums(ranks: Integers, table: Table, index: Integers, last: int) -> Table:
    """Return the running sums of a table down to each rank; ranks that it lacks add nothing."""
    limbs = []
    for limb in table.limbs:
        weights = np.zeros(last + 1, np.int64)
        weights[ranks] = limb[index]
        limbs.append(weights)
    return Table(tuple(limbs), table.error).harmonic()


def divided(places: Places, limit: Integers | int | None) -> Mask:
    """Tell in which lists a limit falls into a block."""
    if places.tops is None or limit is None:
        return np.zeros(places.segments.sizes.size, np.bool_)
    limits = limit if isinstance(limit, int) else places.segments.of(limit)
    is_inside = (places.tops < limits) & (limits < places.ranks)
    mask: Mask = places.segments.sums(is_inside.astype(np.int64)) > 0
    return mask


_GUARD_BITS = 20  # Fewer than 2^19 steps lose less than half of what is kept (see 1 above)
_CHANCE_ERROR = 2
_LARGEST = 1 << 61  # Products stay below it, so that sums of two fit 64 bits with a sign


class Spread(NamedTuple):
    """Documents at each of the places that they can have."""

    segments: Segments  # which places are whose
    of_ranks: Mapping[str, Callable[[], Integers | Ratio]]  # their quantities, by name
    chance: Read  # that there stands one, or how many do on average


Law = Callable[[EvaluatedLists, int], Spread]
"""Lists, and the limbs of chances -> their documents at the places that they can have."""


def law(term: Expression) -> Law | None:
    """Return what spreads the documents of a term over their places; None if nothing does."""
    used = frozenset(name for name in names(term) if SIGNS[name].scope is not Scope.LIST)
    if has_factor(term, "first") and used <= {"first", "rank", "count", "missed", "hit"}:
        return first_hits
    if not has_factor(term, "hit"):
        return None
    if used == {"hit", "nonrelevant_above"}:
        return behind_nonrelevant
    counted = frozenset({"count", "missed", "gained"})
    placed = {"hit", "rank", "ideal_gained"}
    return behind_hits if used <= counted | placed and degree(term, counted) <= 1 else None


def first_hits(evaluated: EvaluatedLists, limbs: int) -> Spread:
    """Return the places of each list's first hit."""
    hits = evaluated.in_list
    blocks = Blocks.of(hits, np.ones_like(hits.ranks), evaluated.limit)
    there = blocks.segments.sizes > 0
    chosen = blocks.segments.starts[:-1][there]
    tops, sizes, relevant = blocks.tops[chosen], blocks.sizes[chosen], blocks.gains[chosen]
    possible = np.minimum(blocks.counted[chosen], sizes - relevant + 1)
    numbers = np.zeros(there.size, np.int64)
    numbers[there] = possible
    places = Segments(np.concatenate(([0], np.cumsum(possible))))
    ranks = places.of(tops) + places.counting()
    bits = limbs * LIMB + _GUARD_BITS
    laws = zip(sizes.tolist(), relevant.tolist(), possible.tolist(), strict=True)
    chances = Table.of_integers(
        [chance >> _GUARD_BITS for each in laws for chance in _first(*each, bits)], _CHANCE_ERROR, limbs
    )
    ones = np.ones_like(ranks)
    return Spread(
        Segments(np.concatenate(([0], np.cumsum(numbers)))),
        dict.fromkeys(("first", "hit", "count"), lambda: ones) | {"rank": lambda: ranks, "missed": lambda: ranks - 1},
        Fixed(chances.limbs, ones * chances.error),
    )


def _first(size: int, relevant: int, possible: int, bits: int) -> Iterator[int]:
    """Yield the chances of so many places to have the first hit of a block, times 2^bits, too low by their number."""
    chance = (relevant << bits) // size
    for above in range(1, possible + 1):
        yield chance
        chance = chance * (size - above - relevant + 1) // max(size - above, 1)


def behind_nonrelevant(evaluated: EvaluatedLists, _: int) -> Spread:
    """Return hits behind each number of judged nonrelevant documents of their block."""
    judged = evaluated.judged
    is_hit = (judged.grades >= evaluated.measure.rel).astype(np.int64)
    begins = np.flatnonzero(judged.begins_block())
    together = Segments(np.append(begins, judged.ranks.size))
    hits, blocks = together.sums(is_hit), judged.segments.kept(begins)
    others = together.sizes - hits
    above = np.concatenate(([0], np.cumsum(others)))
    before = above[:-1] - blocks.of(above[blocks.starts[:-1]])
    places = Segments(np.concatenate(([0], np.cumsum(others + 1))))
    ranks = places.of(before) + places.counting() - 1
    return Spread(
        Segments(places.starts[blocks.starts]),
        {"hit": lambda: np.ones_like(ranks), "nonrelevant_above": lambda: ranks},
        _ratio(places.of(hits), places.of(others + 1)),
    )


def behind_hits(evaluated: EvaluatedLists, _: int) -> Spread:
    """Return hits at each place of their block, behind the mean number of hits and what these gain."""
    hits = evaluated.in_list
    gains = whole_gains(evaluated) if evaluated.measure.is_graded else None
    if gains is not None:
        hits = gains.there.chosen(gains.there.grades > 0)
    blocks = Blocks.of(hits, np.ones_like(hits.ranks), evaluated.limit)
    places = Segments(np.concatenate(([0], np.cumsum(blocks.counted))))
    segments = Segments(places.starts[blocks.segments.starts])
    above, others = places.counting() - 1, places.of(np.maximum(blocks.sizes - 1, 1))
    ranks = places.of(blocks.tops) + above + 1
    # Hits down to each place, n - 1 as much: those of the block, and with those of the blocks above.
    here = others + above * places.of(blocks.gains - 1)
    count = places.of(blocks.gains_above()) * others + here

    def gained() -> Ratio:
        """Return what the documents down to each place gain."""
        together = Blocks.of(hits, hits.grades, evaluated.limit)
        over = places.of(blocks.gains) * others
        of_blocks = Whole(places.of(together.gains_above()), is_of_list=False)
        of_block = Whole(places.of(together.gains), is_of_list=False)
        if max(of_blocks.largest, of_block.largest) * int(over.max(initial=1)) >= _LARGEST:
            raise TooWideError
        return _ratio(of_blocks.numbers * over + of_block.numbers * here, over)

    return Spread(
        segments,
        {
            "hit": lambda: np.ones_like(ranks),
            "rank": lambda: ranks,
            "count": lambda: _ratio(count, others),
            "missed": lambda: _ratio(ranks * others - count, others),
            "gained": gained,
            "ideal_gained": lambda: whole_gains(evaluated).ideal_at(Places(segments, ranks, None, ranks)),
        },
        _ratio(places.of(blocks.gains), places.of(blocks.sizes)),
    )


def whole_gains(evaluated: EvaluatedLists) -> GainsOfLists:
    """Return the gains of lists; `TooWideError` if they are no whole numbers, or too large."""
    gains = gains_of(evaluated)
    if gains is None or gains.scale != 1:
        raise TooWideError
    return gains


def _ratio(above: Integers, below: Integers) -> Ratio:
    return Ratio(Whole(above, is_of_list=False), Whole(below, is_of_list=False))
