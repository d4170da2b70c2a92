"""Pages of a file: some thousand plain lines looked at as one array of bytes.

A text is compared eight bytes at a time: the bytes from any place on are a word of the page, and a mask cuts off what
belongs to the next column.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from rankspec.oracle.readers.lines import has_too_long
from rankspec.oracle.scoring.batch.fixed import Integers, Mask

Words = NDArray[np.uint64]

# A line of a run has six columns: query, Q0, docno, rank, score, tag.
COLUMNS = 6
# Bytes are read eight at a time, as one 64-bit word.
_WORD = 8
_MARGIN = 8 * _WORD  # Blanks on both sides: words that begin before a text or end behind it are read, too
_EMPTY = b" " * _MARGIN
_BLANK, _TAB, _NEWLINE = ord(" "), ord("\t"), ord("\n")
_FULL = (1 << 64) - 1
_FIRST = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
_LAST = np.array([_FULL >> 8 * size << 8 * size & _FULL for size in range(_WORD, -1, -1)], np.uint64)
_ZEROS = np.uint64(0x3030303030303030)
# 2^64 over the golden ratio, odd: multiplying by it spreads words that differ little (Knuth's multiplicative hash).
_ODD = 0x9E3779B97F4A7C15
_MIXED = np.uint64(0xD6E8FEB86659FD93)


@dataclass(eq=False, repr=False, match_args=False)
class Texts:
    """One column: where its texts begin, and where they end, in the page."""

    starts: Integers
    ends: Integers

    @cached_property
    def sizes(self) -> Integers:
        """Return the number of bytes of each."""
        return self.ends - self.starts

    @cached_property
    def longest(self) -> int:
        """Return the number of bytes of the longest."""
        return int(self.sizes.max(initial=0))

    @cached_property
    def size(self) -> int | None:
        """Return the number of bytes of each, if it is the same."""
        return self.longest if self.sizes.size and int(self.sizes.min()) == self.longest else None

    def at(self, places: Integers) -> Texts:
        """Return some of them."""
        return Texts(self.starts[places], self.ends[places])

    def part(self, rows: slice) -> Texts:
        """Return those of some rows."""
        return Texts(self.starts[rows], self.ends[rows])


class Page:
    """Bytes, with a margin on either side so that words can be taken anywhere."""

    def __init__(self, *pieces: bytes | memoryview) -> None:
        self._whole = b"".join((_EMPTY, *pieces, _EMPTY))
        self._words: Words = np.ndarray((len(self._whole) - _WORD + 1,), "<u8", self._whole, strides=(1,))
        self.end = len(self._whole) - 2 * _MARGIN  # Where it ends

    def up_to_newline(self) -> bytes:
        """Look no farther than to the last end of a line; return what is behind it."""
        last = self._whole.rfind(b"\n", _MARGIN, _MARGIN + self.end) + 1
        rest = self.text(last - _MARGIN if last else 0, self.end)
        self.end -= len(rest)
        return rest

    @property
    def codes(self) -> NDArray[np.uint8]:
        """Return the bytes that are evaluated."""
        return np.frombuffer(self._whole, np.uint8, self.end, _MARGIN)

    @property
    def is_odd(self) -> bool:
        """Tell whether there is anything but ASCII, or a carriage return."""
        return not self._whole.isascii() or b"\r" in self._whole

    @property
    def is_beyond_limits(self) -> bool:
        """Tell whether a line, or a column of one, is longer than any may be."""
        return has_too_long(self._whole, _MARGIN, _MARGIN + self.end)

    def text(self, start: int, end: int) -> bytes:
        """Return one text."""
        return self._whole[start + _MARGIN : end + _MARGIN]

    def columns(self, *chosen: int) -> list[Texts] | None:
        """Return some columns; None if a line has not so many with one blank or tab between, or no end."""
        content = self.codes
        is_blank = content <= _BLANK
        separators = np.flatnonzero(is_blank)
        lines, rest = divmod(separators.size, COLUMNS)
        if not lines or rest or is_blank[0] or (is_blank[1:] & is_blank[:-1]).any():
            return None
        newlines = separators[COLUMNS - 1 :: COLUMNS]
        blanks = np.count_nonzero(content == _BLANK)
        if blanks != lines * (COLUMNS - 1):
            blanks += np.count_nonzero(content == _TAB)
        if blanks != lines * (COLUMNS - 1) or not (content[newlines] == _NEWLINE).all():
            return None
        if newlines[-1] != content.size - 1:
            return None
        return [Texts(_after(separators, place, COLUMNS), separators[place::COLUMNS].copy()) for place in chosen]

    def changes(self, texts: Texts) -> Mask:
        """Tell for each text but the first whether it is another one than that before it."""
        sizes = texts.sizes
        changed: Mask = sizes[1:] != sizes[:-1]
        for offset in range(0, texts.longest, _WORD):
            words = self.words(texts, offset)
            changed |= words[1:] != words[:-1]
        return changed

    def equal(self, texts: Texts, other: Page, others: Texts) -> Mask:
        """Tell for each text whether it is that of another page in the same place."""
        same: Mask = texts.sizes == others.sizes
        for offset in range(0, texts.longest, _WORD):
            same &= self.words(texts, offset) == other.words(others, offset)
        return same

    def hashes(self, texts: Texts, salts: Words) -> Words:
        """Return numbers that are equal where texts and salts are, and hardly ever otherwise."""
        total = salts
        for offset in range(0, texts.longest, _WORD):
            words = self.words(texts, offset)
            words *= np.uint64((_ODD * (offset + 1)) & _FULL)
            words += total
            total = words
        total = total ^ (total >> np.uint64(32))
        total *= _MIXED
        total ^= total >> np.uint64(29)
        return total

    def words(self, texts: Texts, offset: int = 0) -> Words:
        """Return eight bytes of each text from an offset on, zeros behind its end."""
        starts = texts.starts
        sizes = texts.sizes if texts.size is None else texts.size  # one number costs no look at a table
        if offset:
            starts = np.minimum(starts + offset, texts.ends)
            sizes = np.maximum(sizes - offset, 0)
        if texts.longest - offset > _WORD:
            sizes = np.minimum(sizes, _WORD)
        words: Words = self._words[_MARGIN:][starts]
        words &= _FIRST[sizes]
        return words

    def end_with(self, ends: Integers, text: bytes) -> Mask:
        """Tell before which ends a text of at most eight bytes stands."""
        words: Words = self._words[ends + (_MARGIN - _WORD)]
        words &= _LAST[len(text)]
        same: Mask = words == np.uint64(int.from_bytes(text.rjust(_WORD, b"\0"), "little"))
        return same

    def digits_before(self, ends: Integers, sizes: Integers | int) -> Words:
        """Return the last eight digits before each end as bytes from 0 to 9, those beyond its size as 0."""
        # Ends may lie up to seven words before the page. A character that is no digit is a byte above 9.
        digits: Words = self._words[ends + (_MARGIN - _WORD)]
        digits ^= _ZEROS
        digits &= _LAST[np.minimum(np.maximum(sizes, 0), _WORD)]
        return digits


def salts(numbers: Integers) -> Words:
    """Return what sets apart the hashes of different queries' documents."""
    return (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(_ODD ^ 0x5555555555555555)


def has_repeated(page: Page, docnos: Texts, hashes: Words, offsets: Integers) -> bool:
    """Tell whether a document appears twice in a query of a page; `offsets` divide documents by query."""
    # Hashes (of documents and their queries) only say where to look: a document appears twice if its bytes do.
    ordered = np.sort(hashes)
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    rows = np.flatnonzero(np.isin(hashes, again)) if again.size else again
    queries = np.searchsorted(offsets, rows, side="right").tolist()
    spans = zip(docnos.starts[rows].tolist(), docnos.ends[rows].tolist(), strict=True) if again.size else ()
    documents = {(query, page.text(*span)) for query, span in zip(queries, spans, strict=True)}
    return len(documents) < rows.size


def _after(separators: Integers, place: int, of: int) -> Integers:
    """Return where the texts of a column begin."""
    starts = np.zeros(separators.size // of, np.int64)
    if place:
        np.add(separators[place - 1 :: of], 1, out=starts)
    else:
        np.add(separators[of - 1 : -1 : of], 1, out=starts[1:])
    return starts
