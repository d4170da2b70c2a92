"""Blocks of tied documents in undecided order: what each adds in the mean over its orders.

Kernels that need it are those whose lists the exact path takes more than 20 s for, 1,000 of 1,000 documents each, if
there are but a few different scores: 34 s for AP, 26 s for RBP.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from rankspec.oracle.scoring.batch.fixed import LIMBS, Fixed, Integers, Mask, Segments, Table
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

    def precisions(self) -> Fixed:
        """Return each query's sum of the precisions at relevant documents, gains being 1 each; one limb wider."""
        harmonic = Table.reciprocals(self.last, LIMBS + 1).harmonic()
        sums = self._sums(harmonic, self.tops, self.counted)
        others = sums.times(self.tops + 1).taken_from(self.counted)
        shares = others.over(np.maximum(self.sizes - 1, 1)).times(self.gains - 1)
        return self._mean(sums.times(self.gains_above() + 1).plus(shares))

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
