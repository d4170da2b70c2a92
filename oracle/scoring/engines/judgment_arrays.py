"""Judgments held as arrays: the text of a file, where its docnos stand in it, and their grades; no object a line.

A query's judgments become a dictionary when someone asks for its docnos.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from rankspec.oracle.scoring.batch.fixed import Integers
from rankspec.oracle.scoring.engines.pages import Page, Texts, Words, has_repeated, salts

_COLUMNS = 4
_QUERY, _DOCNO, _GRADE = 0, 2, 3
_PIECE = 1 << 20  # Bytes that are looked at together: a processor's cache holds what is made of them
_ROWS = 1 << 15
_LONGEST = 8  # Characters of a grade: a word
_WHOLE = re.compile(rb"[+-]?[0-9]{1,8}")
_ODD_QUERIES = (b"#", b"\xef\xbb\xbf")


class JudgmentArrays(Mapping[str, Mapping[str, int]]):
    """query -> docno -> grade: 24 bytes a judgment (32 where there is no file), and the text.

    Attributes:
        page: the text.
        places: query -> its place.
        offsets: where each query's judgments begin, and where the last one's end.
        docnos: where the docnos stand in the text, query after query.
        grades: the grades.
        hashes: of docnos and places of queries.
    """

    def __init__(self, page: Page, places: dict[str, int], offsets: Integers, docnos: Texts, grades: Integers) -> None:
        """Take arrays, and hash the docnos."""
        self.page, self.places, self.offsets, self.docnos, self.grades = page, places, offsets, docnos, grades
        hashes = [np.zeros(0, np.uint64)]
        for first, last in self.pieces():
            owners = np.repeat(np.arange(first, last), np.diff(offsets[first : last + 1]))
            hashes.append(page.hashes(self._part(first, last), salts(owners)))
        self.hashes: Words = np.concatenate(hashes)

    def __getitem__(self, query: str) -> Mapping[str, int]:
        """Return docno -> grade of a query."""
        place = self.places[query]
        return _Graded(self, *self.offsets[place : place + 2].tolist())

    def __contains__(self, query: object) -> bool:
        """Tell whether a query is judged."""
        return query in self.places

    def __iter__(self) -> Iterator[str]:
        """Iterate over the queries."""
        return iter(self.places)

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.places)

    def has_repeated(self) -> bool:
        """Tell whether a document appears twice in a query."""
        return any(
            has_repeated(
                self.page,
                self._part(first, last),
                self.hashes[self.offsets[first] : self.offsets[last]],
                self.offsets[first : last + 1] - self.offsets[first],
            )
            for first, last in self.pieces()
        )

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Yield from which query to which as many judgments stand as are looked at together, at least one query's."""
        first, count = 0, len(self.places)
        while first < count:
            fits = int(np.searchsorted(self.offsets, self.offsets[first] + _ROWS, side="right")) - 1
            last = max(first + 1, fits)
            yield first, last
            first = last

    def _part(self, first: int, last: int) -> Texts:
        return self.docnos.part(slice(int(self.offsets[first]), int(self.offsets[last])))


class _Graded(Mapping[str, int]):
    """docno -> grade of one query; its docnos are read when they are asked for."""

    __slots__ = ("_arrays", "_end", "_read", "_start")

    def __init__(self, arrays: JudgmentArrays, start: int, end: int) -> None:
        self._arrays, self._start, self._end = arrays, start, end
        self._read: dict[str, int] | None = None

    def __getitem__(self, docno: str) -> int:
        return self._by_docno()[docno]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_docno())

    def __len__(self) -> int:
        return self._end - self._start

    def values(self) -> Any:
        """Return the grades, in the order of the docnos."""
        return self._arrays.grades[self._start : self._end].tolist()

    def _by_docno(self) -> dict[str, int]:
        if self._read is None:
            docnos, text = self._arrays.docnos, self._arrays.page.text
            rows = slice(self._start, self._end)
            spans = zip(docnos.starts[rows].tolist(), docnos.ends[rows].tolist(), strict=True)
            self._read = dict(zip([text(*span).decode() for span in spans], self.values(), strict=True))
        return self._read


def judgment_arrays(whole: Page) -> JudgmentArrays | None:
    """Return the judgments of a file; None if one is not plain, or a query's lines do not stand together."""
    # Lines have four columns with one blank or tab between; grades have up to eight characters.
    places: dict[str, int] = {}
    sizes: list[int] = []
    starts, ends, grades = (list[Integers]() for _ in range(3))
    known: dict[int, int] = {}
    begin, previous = 0, b""
    while begin < whole.end:
        page = Page(*whole.lines(begin, _PIECE))
        columns = page.columns(_QUERY, _DOCNO, _GRADE, of=_COLUMNS)
        if columns is None or not _is_text(page):
            return None
        queries, docnos, texts = columns
        first = np.concatenate(([0], np.flatnonzero(page.changes(queries)) + 1))
        counts = np.diff(first, append=queries.starts.size)
        spans = queries.at(first)
        for start, end, count in zip(spans.starts.tolist(), spans.ends.tolist(), counts.tolist(), strict=True):
            name = page.text(start, end)
            if name == previous:  # it goes on from the piece before
                sizes[-1] += count
                continue
            if (query := name.decode()) in places or name.startswith(_ODD_QUERIES):
                return None
            previous, places[query] = name, len(places)
            sizes.append(count)
        read = _grades(page, texts, known)
        if read is None:
            return None
        grades.append(read)
        starts.append(_narrow(docnos.starts + begin))
        ends.append(_narrow(docnos.ends + begin))
        begin += page.end
    offsets = np.concatenate(([0], np.cumsum(np.array(sizes, np.int64))))
    held = JudgmentArrays(whole, places, offsets, Texts(_joined(starts), _joined(ends)), _joined(grades))
    return None if held.has_repeated() else held


def _is_text(page: Page) -> bool:
    """Tell whether it is UTF-8, the column that nobody looks at, too."""
    if page.is_odd:
        try:
            page.text(0, page.end).decode()
        except UnicodeDecodeError:
            return False
    return True


def _grades(page: Page, texts: Texts, known: dict[int, int]) -> Integers | None:
    """Return the numbers that texts of a page say, by those `known` from before; None if one says none."""
    if int(texts.sizes.max()) > _LONGEST:
        return None
    grades = page.codes[texts.starts].astype(np.int64) - ord("0")
    others = np.flatnonzero((texts.sizes > 1) | (grades < 0) | (grades > 9))  # noqa: PLR2004 - digits
    words, own = np.unique(page.words(texts.at(others)), return_inverse=True)
    for word in words.tolist():
        if word not in known:
            text = word.to_bytes(_LONGEST, "little").rstrip(b"\0")
            if not _WHOLE.fullmatch(text):
                return None
            known[word] = int(text)
    grades[others] = np.array([known[word] for word in words.tolist()], np.int64)[own]
    return grades


def _narrow(places: Integers) -> Integers:
    """Return places in half the memory, where they fit with what is added to them."""
    if int(places[-1]) >= np.iinfo(np.int32).max - _PIECE:
        return places
    return cast("Integers", places.astype(np.int32))


def _joined(pieces: list[Integers]) -> Integers:
    """Return one array of pieces, which are let go."""
    joined = np.concatenate(pieces)
    pieces.clear()
    return joined
