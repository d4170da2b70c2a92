"""The relational step on the pages of a run whose queries' lines stand together: arrays, and no object a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import assert_never

import numpy as np
from numpy.typing import NDArray
from rankspec.oracle.conventions.axes import Reading, ScorePrecision, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.limits import DOCUMENTS, QUERIES
from rankspec.oracle.rankings.ordering import BLOCK_RULES
from rankspec.oracle.scoring.batch.fixed import Doubles, Integers, Mask
from rankspec.oracle.scoring.engines.decimals import SMALLEST, doubles_of
from rankspec.oracle.scoring.engines.judgments import Judgments, judgments_of
from rankspec.oracle.scoring.engines.pages import Page, Texts, has_repeated, salts
from rankspec.oracle.scoring.engines.product import EngineRefusalError, QueryRefusedError, Ranks

_QUERY, _DOCNO, _SCORE = 0, 2, 4
_SURE_DIGITS = 15  # Decimals of so many digits that differ, differ as doubles


class ScatteredError(Exception):
    """A query's lines do not stand together."""


class BeyondLimitError(Exception):
    """A line or a query is beyond a limit; who reads line by line says which."""


class BlockCounter:
    """Ranks of judged documents, page by page."""

    def __init__(self, qrels: Qrels, convention: Convention) -> None:
        """Take the judgments, and the rules for scores and ties."""
        self._judgments = qrels.once(judgments_of)
        self._convention = convention
        self._rows: list[NDArray[np.int64]] = []
        self.lengths: dict[str, int] = {}
        self.aside: dict[str, bytes] = {}  # The lines of queries that can't be counted here
        self._most = (QUERIES.most, DOCUMENTS.most)

    def add(self, page: Page, *, is_last: bool) -> int | None:
        """Count for queries with whole lines, and return the bytes up to the last one's lines, None if not plain."""
        # The last one's lines may go on, unless the file ends here. `EngineRefusalError` for a score that is none,
        # `ScatteredError` for a query that was read already, `BeyondLimitError` for too many queries, or documents of
        # one.
        columns = page.columns(_QUERY, _DOCNO, _SCORE)
        if columns is None:
            return None
        queries, docnos, scores = columns
        starts = np.concatenate(([0], np.flatnonzero(page.changes(queries)) + 1))
        end, read = queries.starts.size, page.end
        most_queries, most_documents = self._most
        if len(self.lengths) + starts.size > most_queries or np.diff(starts, append=end).max() > most_documents:
            raise BeyondLimitError
        if not is_last:
            end, starts = int(starts[-1]), starts[:-1]
            read = int(queries.starts[end])
        if starts.size:
            docnos, scores = (Texts(each.starts[:end], each.ends[:end]) for each in (docnos, scores))
            names = [page.text(*span) for span in zip(queries.starts[starts], queries.ends[starts], strict=True)]
            numbers = self._named(names, np.diff(starts, append=end))
            found = doubles_of(page, scores)
            lists = PageLists(page, np.append(starts, end), docnos, found, self._convention, scores)
            try:
                self._rows.append(lists.ranks(self._judgments, numbers))
            except QueryRefusedError:
                lines = np.append(queries.starts[starts], read)
                for place, query in enumerate(names):
                    try:
                        self._rows.append(lists.alone(place).ranks(self._judgments, numbers[place : place + 1]))
                    except QueryRefusedError:
                        self.aside[query.decode()] = page.text(*lines[place : place + 2].tolist())
        return read

    def _named(self, names: list[bytes], sizes: Integers) -> Integers:
        """Note the queries and their lengths; return numbers for them, those of the qrels where they are in them."""
        numbers = []
        for name, size in zip(names, sizes.tolist(), strict=True):
            query = name.decode()
            if query in self.lengths:
                raise ScatteredError
            if not self.lengths and query.startswith("\ufeff"):
                raise EngineRefusalError("a byte order mark")
            if self._convention.reading is Reading.TREC_EVAL_10 and query.startswith("#"):
                raise EngineRefusalError("a line that is not plain")
            numbers.append(self._judgments.places.get(query, len(self._judgments.places) + len(self.lengths)))
            self.lengths[query] = size
        return np.array(numbers, np.int64)

    def ranks(self) -> Ranks:
        """Return the columns."""
        rows = np.concatenate(self._rows, axis=1) if self._rows else np.zeros((5, 0), np.int64)
        return Ranks(*rows)


class PageLists:
    """The lists of a page: whole queries."""

    def __init__(  # noqa: PLR0913 - what a page was taken apart into
        self,
        page: Page,
        offsets: Integers,
        docnos: Texts,
        scores: Doubles,
        convention: Convention,
        texts: Texts | None = None,
    ) -> None:
        """Take what belongs to the page's queries, each from an offset to the next; scores may have texts in it."""
        self._page, self._offsets, self._docnos, self._convention = page, offsets, docnos, convention
        self._scores = rounded(scores, convention.score_precision)
        is_decimal = convention.score_precision is ScorePrecision.EXACT and convention.reading is Reading.STRICT
        self._texts = texts if is_decimal else None

    def alone(self, place: int) -> PageLists:
        """Return one query's list."""
        rows = slice(*self._offsets[place : place + 2].tolist())
        offsets = np.array([0, rows.stop - rows.start])
        docnos, scores = self._docnos.part(rows), self._scores[rows]
        texts = None if self._texts is None else self._texts.part(rows)
        return PageLists(self._page, offsets, docnos, scores, self._convention, texts)

    def ranks(self, judgments: Judgments, numbers: Integers) -> NDArray[np.int64]:
        """Return the judged documents' rows; `QueryRefusedError` for duplicates, or scores that are one double."""
        sizes = np.diff(self._offsets)
        lists = np.repeat(np.arange(numbers.size), sizes)
        hashes = self._page.hashes(self._docnos, np.repeat(salts(numbers), sizes))
        if has_repeated(self._page, self._docnos, hashes, self._offsets):
            raise QueryRefusedError("a document appears twice in a query")
        rows, judged = judgments.found(self._page, self._docnos, hashes, numbers, lists)
        lists = lists[rows]
        above, tied = self._counted(rows, lists)
        before = np.zeros_like(rows)
        for place in np.flatnonzero(tied > 1).tolist():
            before[place] = self._before(int(rows[place]), int(lists[place]))
        found = np.stack((numbers[lists], judged, above, tied, before))
        key = lists * self._scores.size + above + before
        return found if (key[1:] >= key[:-1]).all() else found[:, np.argsort(key, kind="stable")]

    def _docno(self, row: int) -> bytes:
        return self._page.text(int(self._docnos.starts[row]), int(self._docnos.ends[row]))

    def _counted(self, rows: Integers, lists: Integers) -> tuple[Integers, Integers]:
        """Return how many documents have a greater score than each row's, and how many the same one."""
        scores, offsets = self._scores, self._offsets
        begins: Mask = np.ones(scores.size, np.bool_)
        begins[1:] = scores[1:] != scores[:-1]
        begins[offsets[:-1]] = True
        rises = scores[1:] > scores[:-1]
        rises[offsets[1:-1] - 1] = False  # from one list to the next
        starts = np.append(np.flatnonzero(begins), scores.size)
        run = np.searchsorted(starts, rows, side="right") - 1
        above, tied = starts[run] - offsets[lists], starts[run + 1] - starts[run]
        places = np.flatnonzero(rises)
        for mine in np.unique(np.searchsorted(offsets, places, side="right") - 1).tolist():  # lists out of order
            here = np.flatnonzero(lists == mine)
            ordered = np.sort(scores[offsets[mine] : offsets[mine + 1]])
            upper = np.searchsorted(ordered, scores[rows[here]], side="right")
            above[here] = ordered.size - upper
            tied[here] = upper - np.searchsorted(ordered, scores[rows[here]], side="left")
        return above, tied

    def _before(self, row: int, mine: int) -> int:
        """Return how many documents of the same score stand before a row."""
        start, end = self._offsets[mine : mine + 2].tolist()
        together = (np.flatnonzero(self._scores[start:end] == self._scores[row]) + start).tolist()
        convention = self._convention
        if self._texts is not None:
            self._refuse_close(together, self._texts)
        if convention.ties in BLOCK_RULES:
            return 0
        if convention.ties is Ties.INPUT_ORDER:
            return int(together.index(row))
        if convention.ties is Ties.REVERSE_INPUT:
            return int(len(together) - 1 - together.index(row))
        stands_before = _STANDS_BEFORE[convention.ties]
        own = self._docno(row)
        return sum(stands_before(self._docno(other), own) for other in together)

    def _refuse_close(self, together: list[int], decimals: Texts) -> None:
        """Refuse scores that are one double and several decimals."""
        texts = {self._page.text(int(decimals.starts[row]), int(decimals.ends[row])) for row in together}
        size = abs(self._scores[together[0]])
        if max(map(len, texts)) <= _SURE_DIGITS and SMALLEST <= size < np.inf:
            return
        try:
            differ = len({Fraction(text.decode()) for text in texts}) > 1
        except ValueError:  # infinity
            differ = len({text.lower().lstrip(b"+") for text in texts}) > 1
        if differ:
            raise QueryRefusedError("scores that differ as decimals, and not as doubles")


_STANDS_BEFORE: Mapping[Ties, Callable[[bytes, bytes], bool]] = {
    Ties.DOCNO_ASCENDING: lambda other, own: other < own,
    Ties.DOCNO_DESCENDING: lambda other, own: other > own,
}


def rounded(scores: Doubles, precision: ScorePrecision) -> Doubles:
    """Return scores as an axis holds them."""
    match precision:
        case ScorePrecision.EXACT | ScorePrecision.FLOAT64:
            return scores
        case ScorePrecision.FLOAT32:
            with np.errstate(over="ignore", under="ignore"):
                return scores.astype(np.float32).astype(np.float64)
        case _:
            assert_never(precision)
