"""The judged documents of all queries, to be found among a page's lines.

Hashes only say where to look. A document is judged if the qrels name it: that is seen by comparing texts.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.rankings.ordering import docno_bytes
from rankspec.oracle.scoring.batch.fixed import Integers, Mask
from rankspec.oracle.scoring.engines.pages import Page, Texts, Words, salts
from rankspec.oracle.scoring.engines.product import graded

_LEAST_BITS = 14  # A table of 16 KiB: any processor's first cache holds it, and a smaller one is not faster
_SPARSE = 3  # Bits of a table's index beyond those of the number of judgments


class Judgments:
    """The judged documents, query after query."""

    def __init__(self, qrels: Qrels) -> None:
        """Take them as arrays; `EngineRefusalError` for a grade beyond 61 bits."""
        names = list(chain.from_iterable(qrels.judgments.values()))
        content = "".join(names)
        encoded = names if content.isascii() else [*map(docno_bytes, names)]
        lengths = np.fromiter(map(len, encoded), np.int64, len(names))
        ends = np.cumsum(lengths)
        segments = qrels.once(graded).segments
        self.places = {query: place for place, query in enumerate(qrels)}
        self._page, self._texts = Page(docno_bytes(content)), Texts(ends - lengths, ends)
        self._starts, self._sizes = segments.starts[:-1], segments.sizes
        self._hashes = self._page.hashes(self._texts, salts(segments.of(np.arange(len(self.places)))))

    def matches(self, page: Page, docnos: Texts, hashes: Words, numbers: Integers, lists: Integers) -> Integers:
        """Return the places of judged documents among a page's (by docnos and hashes), and of their judgments."""
        # `numbers` are the places of the page's queries; `lists` has for each document the place of its query among
        # these.
        mine, listed = self._of(numbers)
        if not mine.size:
            return np.zeros((2, 0), np.int64)
        known = self._hashes[mine]
        shift = np.uint64(64 - max(known.size.bit_length() + _SPARSE, _LEAST_BITS))
        # A table small enough for a processor's cache says of nearly all documents that they are not judged.
        is_taken = np.zeros(1 << (64 - int(shift)), np.bool_)
        is_taken[(known >> shift).view(np.int64)] = True
        rows = np.flatnonzero(is_taken[(hashes >> shift).view(np.int64)])
        order = np.argsort(known)
        judged = order[np.searchsorted(known, hashes[rows], sorter=order) % order.size]
        alike: Mask = known[judged] == hashes[rows]
        rows, judged = rows[alike], judged[alike]
        own = docnos.at(rows)
        same = (listed[judged] == lists[rows]) & page.equal(own, self._page, self._texts.at(mine[judged]))
        for place in np.flatnonzero(~same).tolist():  # other documents of the same hash
            row, text = rows[place], page.text(int(own.starts[place]), int(own.ends[place]))
            for other in np.flatnonzero((known == hashes[row]) & (listed == lists[row])).tolist():
                span = int(self._texts.starts[mine[other]]), int(self._texts.ends[mine[other]])
                if self._page.text(*span) == text:
                    judged[place], same[place] = other, True
        return np.stack((rows[same], mine[judged[same]]))

    def _of(self, numbers: Integers) -> tuple[Integers, Integers]:
        """Return the places of the judgments of some queries, and of each the place of its query among these."""
        # Numbers beyond the qrels have none.
        known = np.flatnonzero(numbers < self._sizes.size)
        chosen = numbers[known]
        sizes = self._sizes[chosen]
        skipped = self._starts[chosen] - (np.cumsum(sizes) - sizes)
        return np.repeat(skipped, sizes) + np.arange(int(sizes.sum())), np.repeat(known, sizes)
