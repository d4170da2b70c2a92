"""Pages of a run: some thousand plain lines looked at as one array of bytes, six columns a line.

A text is compared eight bytes at a time: the bytes from any place on are a word of the page, and a mask cuts off what
belongs to the next column.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from rankspec.oracle.batch.fixed import Integers, Mask

Words = NDArray[np.uint64]

COLUMNS = 6
_WORD = 8
_MARGIN = 2 * _WORD
_BLANK, _TAB, _NEWLINE = ord(" "), ord("\t"), ord("\n")
_FULL = (1 << 64) - 1
_FIRST = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
_LAST = np.array([_FULL >> 8 * size << 8 * size & _FULL for size in range(_WORD, -1, -1)], np.uint64)
_ZEROS = np.uint64(0x3030303030303030) & ~_LAST
_ODD = 0x9E3779B97F4A7C15
_MIXED = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True)
class Texts:
    """One column: where its texts begin, and where they end, in the page."""

    starts: Integers
    ends: Integers

    @cached_property
    def sizes(self) -> Integers:
        """Return the number of bytes of each."""
        return self.ends - self.starts


class Page:
    """Bytes, with a margin on either side so that words can be taken anywhere."""

    def __init__(self, content: bytes) -> None:
        """Take the lines."""
        self._whole = b"\n" * _MARGIN + content + b" " * _MARGIN
        self._words: Words = np.ndarray((len(self._whole) - _WORD + 1,), "<u8", self._whole, strides=(1,))
        self.bytes: NDArray[np.uint8] = np.frombuffer(self._whole, np.uint8)[_MARGIN:-_MARGIN]

    def text(self, start: int, end: int) -> bytes:
        """Return one text."""
        return self._whole[start + _MARGIN : end + _MARGIN]

    def columns(self) -> list[Texts] | None:
        """Return the columns; None if a line has not six with one blank or tab between, or no end."""
        separators = np.flatnonzero(self.bytes <= _BLANK)
        if not separators.size or separators.size % COLUMNS or separators[0] == 0:
            return None
        starts = np.empty_like(separators)
        starts[0] = 0
        starts[1:] = separators[:-1] + 1
        kinds = self.bytes[separators].reshape(-1, COLUMNS)
        between = kinds[:, :-1]
        if not ((kinds[:, -1] == _NEWLINE).all() and ((between == _BLANK) | (between == _TAB)).all()):
            return None
        if (starts == separators).any() or separators[-1] != self.bytes.size - 1:
            return None
        ends, begins = separators.reshape(-1, COLUMNS), starts.reshape(-1, COLUMNS)
        return [Texts(begins[:, place].copy(), ends[:, place].copy()) for place in range(COLUMNS)]

    def changes(self, texts: Texts) -> Mask:
        """Tell for each text but the first whether it is another one than that before it."""
        sizes = texts.sizes
        changed: Mask = sizes[1:] != sizes[:-1]
        for offset in range(0, int(sizes.max(initial=0)), _WORD):
            words = self._first(texts, offset)
            changed |= words[1:] != words[:-1]
        return changed

    def hashes(self, texts: Texts, salts: Words) -> Words:
        """Return numbers that are equal where texts and salts are, and hardly ever otherwise."""
        total = salts.copy()
        for offset in range(0, int(texts.sizes.max(initial=0)), _WORD):
            total += self._first(texts, offset) * np.uint64((_ODD * (offset + 1)) & _FULL)
        total ^= total >> np.uint64(32)
        total *= _MIXED
        total ^= total >> np.uint64(29)
        return total

    def _first(self, texts: Texts, offset: int) -> Words:
        """Return eight bytes of each text from an offset on, zeros behind its end."""
        starts = texts.starts + (offset + _MARGIN)
        if offset:
            np.minimum(starts, texts.ends + _MARGIN, out=starts)
        words: Words = self._words[starts] & _FIRST[np.clip(texts.sizes - offset, 0, _WORD)]
        return words

    def digits_before(self, ends: Integers, sizes: Integers | int) -> Words:
        """Return the last eight characters before each end, those beyond its size put to the digit 0."""
        kept = np.clip(sizes, 0, _WORD)
        words: Words = (self._words[np.maximum(ends + (_MARGIN - _WORD), 0)] & _LAST[kept]) | _ZEROS[kept]
        return words


def salts(numbers: Integers) -> Words:
    """Return what sets apart the hashes of different queries' documents."""
    return (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(_ODD ^ 0x5555555555555555)
