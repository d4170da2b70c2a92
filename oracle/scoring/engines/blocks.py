"""The relational step on the pages of a run whose queries' lines stand together: arrays, and no object a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from rankspec.oracle.conventions.axes import BLOCK_RULES, Reading, ScorePrecision, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.limits import DOCUMENTS, QUERIES
from rankspec.oracle.rankings.ordering import docno_bytes
from rankspec.oracle.scoring.batch.fixed import Doubles, Integers, Mask
from rankspec.oracle.scoring.engines.pages import Page, Texts, Words, has_repeated, salts
from rankspec.oracle.scoring.engines.product import EngineRefusalError, QueryRefusedError, Ranks, graded

# ---- Scores of a page as doubles, correctly rounded: thousands at once where they are plain decimals
#
# 1. Eight digits in a word are one number after three multiplications (each adds neighbours: 2, then 4, then 8 digits).
# 2. A decimal is a whole number below 2^64 over a power of ten up to 10^22, which is a double. If the whole number is a
#    double, too, IEEE division rounds their quotient once. If not, the quotient is enclosed (`_quotients`).
# 3. What is no such decimal (infinity, more digits, a greater power), or is enclosed by two doubles, is read by
#    Python's `float`, which rounds correctly.


_SCORES = re.compile(rb"(?:[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]{1,3})?|inf(?:inity)?) )*", re.IGNORECASE)
_EXPONENT = re.compile(rb"e[+-]?[0-9]{1,3}", re.IGNORECASE)
SMALLEST = 1e-280
"""Below it doubles are sparse, and exponents may be too small for them: scores of few digits may share one."""
# Whole numbers up to here are doubles, and so are powers of ten to 10^22.
_EXACT = 1 << 53
_EIGHT = 8
_MOST_DIGITS = 3 * _EIGHT
_MOST_PLACES = 22
_FULL = (1 << 64) - 1
_MOST_FORMS, _MOST_ODD = 24, 2
"""Forms that are read at once, and how many scores may be of none of them before the rest is read one by one."""


def doubles_of(page: Page, texts: Texts) -> Doubles:
    """Return the scores; `EngineRefusalError` for a text that is none."""
    text = page.text(int(texts.starts[0]), int(texts.ends[0]))
    if text.startswith((b"+", b"-")):
        return _of_many_forms(page, texts)
    doubles, read = _alike(page, texts.starts, texts.ends, _Form.of(text))
    if not read.all():
        rest = np.flatnonzero(~read)
        doubles[rest] = _of_many_forms(page, texts.at(rest))
    return doubles


def _of_many_forms(page: Page, texts: Texts) -> Doubles:
    """Return scores, some with signs: those of one number of decimals at a time, and odd ones one by one."""
    first = page.codes[texts.starts]
    minus: Mask = first == ord("-")
    starts = texts.starts + (minus | (first == ord("+")))
    doubles = np.empty(starts.size)
    rest, alone = np.arange(starts.size), list[int]()
    for _ in range(_MOST_FORMS):
        if not rest.size or len(alone) == _MOST_ODD:
            break
        begins, ends = starts[rest], texts.ends[rest]
        values, read = _alike(page, begins, ends, _Form.of(page.text(int(begins[0]), int(ends[0]))))
        doubles[rest[read]] = values[read]
        if not read[0]:
            alone.append(int(rest[0]))
            read[0] = True
        rest = rest[~read]
    doubles[minus] *= -1
    if alone or rest.size:
        rows = np.array([*alone, *rest.tolist()])
        doubles[rows] = one_by_one(page, texts.at(rows))
    doubles += 0.0  # no negative zero
    return doubles


class _Form(NamedTuple):
    """What scores have in common: characters behind a point (-1: there is none), and what follows the digits."""

    places: int
    exponent: bytes

    @classmethod
    def of(cls, text: bytes) -> Self:
        """Return a score's."""
        exponent = text[len(text.lower().partition(b"e")[0]) :]
        digits = text.removesuffix(exponent)
        return cls(len(digits) - 1 - digits.find(b".") if b"." in digits else -1, exponent)

    @property
    def power(self) -> int:
        """Return the power of ten that the digits are divided by; -1 if that is not known to be a double."""
        if self.exponent and not _EXPONENT.fullmatch(self.exponent):
            return -1
        power = max(self.places, 0) - int(self.exponent[1:] or 0)
        return power if max(self.places, power) <= _MOST_PLACES else -1


def one_by_one(page: Page, texts: Texts) -> list[float]:
    """Return scores that have to be objects; `EngineRefusalError` for a text that is none."""
    alone = [page.text(*span) for span in zip(texts.starts.tolist(), texts.ends.tolist(), strict=True)]
    if not _SCORES.fullmatch(b" ".join((*alone, b""))):
        raise EngineRefusalError("a line that is not plain")
    return [*map(float, alone)]


def _alike(page: Page, starts: Integers, ends: Integers, form: _Form) -> tuple[Doubles, Mask]:
    """Read unsigned decimals of one form, and tell which ones are that."""
    if form.power < 0:
        return np.zeros(ends.size), np.zeros(ends.size, np.bool_)
    if form.exponent:
        total, read = _digits(page, starts, ends - len(form.exponent), form.places)
        read &= page.end_with(ends, form.exponent)
    else:
        total, read = _digits(page, starts, ends, form.places)
    divisor = float(10**form.power)
    if int(total.max()) <= _EXACT:
        return total / divisor, read
    values, certain = _quotients(total, divisor)
    return values, read & certain


def _digits(page: Page, starts: Integers, ends: Integers, places: int) -> tuple[Words, Mask]:
    """Return the numbers that digits are, with a point before so many (-1: without), and tell which ones are that."""
    stops = ends - (places + 1)
    sizes = stops - starts
    longest = int(sizes.max())
    read = sizes >= (1 if places < 1 else 0)
    if places >= 0:
        read &= page.codes[np.maximum(stops, 0)] == ord(".")
    total, good = _number(page, stops, sizes, longest)
    scale = 10 ** max(places, 0)
    read &= good & (total <= max(_FULL // scale - 1, 0))
    if places > 0:
        fraction, good = _number(page, ends, places, places)
        read &= good
        total *= np.uint64(scale & _FULL)
        total += fraction
    return total, read


def _number(page: Page, ends: Integers, sizes: Integers | int, longest: int) -> tuple[Words, Mask]:
    """Return the numbers that up to 24 digits before the ends are, and tell where they are digits and below 2^64."""
    total, good = _eight(page.digits_before(ends, sizes))
    if longest > _EIGHT:
        upper, upper_good = _eight(page.digits_before(ends - _EIGHT, sizes - _EIGHT))
        total += upper * np.uint64(10**_EIGHT)
        good &= upper_good
    if longest > 2 * _EIGHT:
        upper, upper_good = _eight(page.digits_before(ends - 2 * _EIGHT, sizes - 2 * _EIGHT))
        total += upper * np.uint64(10 ** (2 * _EIGHT))
        good &= upper_good & (upper < _FULL // 10 ** (2 * _EIGHT)) & (np.asarray(sizes) <= _MOST_DIGITS)
    return total, good


def _quotients(wholes: Words, divisor: float) -> tuple[Doubles, Mask]:
    """Return the doubles nearest to whole numbers over a double of at most 53 bits, and tell where that is certain."""
    # With w = x + y for the nearest double x, q the double nearest to x / d, and q d = p + e for the nearest double p
    # (Dekker's product), w / d = q + (x - p + y - e) / d. The last quotient is at most 2^-50 q, and its roundings are
    # less than 2^-100 q. Rounding is monotonic: where adding it to q gives one double with 2^-95 q more and less, this
    # is the nearest one to w / d.
    upper = (wholes >> np.uint64(32)) * float(1 << 32)
    lower = (wholes & np.uint64((1 << 32) - 1)).astype(np.float64)
    nearest = upper + lower
    rest = lower - (nearest - upper)
    quotient = nearest / divisor
    product = quotient * divisor
    (first, second), (head, tail) = _halves(quotient), _halves(divisor)
    error = first * head - product + first * tail + second * head + second * tail
    correction = ((nearest - product) + (rest - error)) / divisor
    least = quotient * 2.0**-95
    values: Doubles = quotient + (correction - least)
    return values, values == quotient + (correction + least)


def _halves(value: Any) -> tuple[Any, Any]:
    """Return two doubles of 26 bits whose sum a double is, or an array of them (Veltkamp's splitting)."""
    scaled = value * float((1 << 27) + 1)
    head = scaled - (scaled - value)
    return head, value - head


_HIGHEST, _UP_TO_NINE = np.uint64(0x8080808080808080), np.uint64(0x7676767676767676)
_EACH_FOURTH = np.uint64(0x000000FF000000FF)
_HUNDRED_MILLION, _TEN_ONE = np.uint64(100 + (1000000 << 32)), np.uint64(1 + (10000 << 32))


def _eight(value: Words) -> tuple[Words, Mask]:
    """Return the numbers that eight digits are, the first in the lowest byte, and tell where all are digits."""
    beyond = value + _UP_TO_NINE  # a byte above 9 gets its highest bit here, or had it
    beyond |= value
    beyond &= _HIGHEST
    good: Mask = beyond == 0
    next_digit = value >> np.uint64(8)
    value *= np.uint64(10)
    value += next_digit
    upper = value >> np.uint64(16)
    upper &= _EACH_FOURTH
    upper *= _TEN_ONE
    value &= _EACH_FOURTH
    value *= _HUNDRED_MILLION
    value += upper
    value >>= np.uint64(32)
    return value, good


# ---- The judged documents of all queries, to be found among a page's lines
#
# Hashes only say where to look. A document is judged if the qrels name it: that is seen by comparing texts.

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


_QUERY, _DOCNO, _SCORE = 0, 2, 4
SURE_DIGITS = 15  # Decimals of so many digits that differ, differ as doubles


class ScatteredError(Exception):
    """A query's lines do not stand together."""


class BeyondLimitError(Exception):
    """A line or a query is beyond a limit; who reads line by line says which."""


class BlockCounter:
    """Ranks of judged documents, page by page."""

    def __init__(self, qrels: Qrels, convention: Convention) -> None:
        self._judgments = qrels.once(Judgments)
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
            doubles = doubles_of(page, scores)
            lists = PageLists(page, np.append(starts, end), docnos, doubles, self._convention, scores)
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
        rows, judged = judgments.matches(self._page, self._docnos, hashes, numbers, lists)
        lists = lists[rows]
        above, tied = self._counted(rows, lists)
        before = np.zeros_like(rows)
        for place in np.flatnonzero(tied > 1).tolist():
            before[place] = self._before(int(rows[place]), int(lists[place]))
        doubles = np.stack((numbers[lists], judged, above, tied, before))
        key = lists * self._scores.size + above + before
        return doubles if (key[1:] >= key[:-1]).all() else doubles[:, np.argsort(key, kind="stable")]

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
        block = (np.flatnonzero(self._scores[start:end] == self._scores[row]) + start).tolist()
        convention = self._convention
        if self._texts is not None:
            self._refuse_close(block, self._texts)
        if convention.ties in BLOCK_RULES:
            return 0
        if convention.ties is Ties.INPUT_ORDER:
            return int(block.index(row))
        if convention.ties is Ties.REVERSE_INPUT:
            return int(len(block) - 1 - block.index(row))
        stands_before = _STANDS_BEFORE[convention.ties]
        own = self._docno(row)
        return sum(stands_before(self._docno(other), own) for other in block)

    def _refuse_close(self, block: list[int], decimals: Texts) -> None:
        """Refuse scores that are one double and several decimals."""
        texts = {self._page.text(int(decimals.starts[row]), int(decimals.ends[row])) for row in block}
        size = abs(self._scores[block[0]])
        if max(map(len, texts)) <= SURE_DIGITS and SMALLEST <= size < np.inf:
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
    if precision is not ScorePrecision.FLOAT32:
        return scores
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32).astype(np.float64)
