"""The relational step on a file that streams through: page by page where a query's lines stand together.

Where they don't, lines are read one by one, and everything is held. Plain lines are read here as `readers.trec` reads
them. Whatever else there is, that reader reads or explains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
from rankspec.oracle.conventions.axes import Reading, ScorePrecision
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.limits import ID_BYTES, LINE_BYTES, LINES
from rankspec.oracle.query_set import QuerySet
from rankspec.oracle.readers.lines import Opened, open_source, refuse_lines, require_few
from rankspec.oracle.readers.trec import Repeated, read_run
from rankspec.oracle.scoring.engines.blocks import BeyondLimitError, BlockCounter, ScatteredError
from rankspec.oracle.scoring.engines.counting import Counter
from rankspec.oracle.scoring.engines.decimals import SMALLEST
from rankspec.oracle.scoring.engines.pages import COLUMNS, Page
from rankspec.oracle.scoring.engines.product import EngineRefusalError, Product, product_of, refuse_convention

_PAGE = 1 << 20
"""Bytes that are evaluated together: a processor's cache holds what is made of them."""
_LONG = 16 * _PAGE
"""A file from which so much was read has pages of twice the bytes: 5% faster, for 12 MiB more memory."""
_HELD = 31 << 20
"""Bytes of a block that is freed once, untouched, before the first page.

glibc maps larger blocks than any that was freed anew from the kernel (up to 32 MiB; mallopt(3), M_MMAP_THRESHOLD), and
a page makes a hundred of up to 2 MB: filling their memory with zeros took a third of the time.
"""
_SCORE = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,3})?|[+-]?inf(inity)?", re.IGNORECASE)
_SURE_DIGITS = 15
"""Decimals of so many digits that differ, differ as doubles."""
_REPORTED = 1 << 16
"""Lines between two reports of progress."""

Listener = Callable[[int], None]
"""Told how many bytes of the file were read."""


class _Query:
    """One query's lines: document -> score, and the texts of scores that doubles may not tell apart."""

    def __init__(self) -> None:
        """Begin with none."""
        self.scores: dict[str, float] = {}
        self.long: dict[str, bytes] = {}

    def add(self, docno: str, score: float, text: bytes) -> None:
        """Take a line.

        Raises:
            EngineRefusalError: the document is there already.
        """
        if docno in self.scores:
            raise EngineRefusalError("a document appears twice in a query")
        self.scores[docno] = score
        if len(text) > _SURE_DIGITS or (abs(score) < SMALLEST and text.lower().partition(b"e")[0].strip(b"+-0.")):
            self.long[docno] = text


def product_of_stream(
    qrels: Qrels,
    run: Path | str,
    convention: Convention,
    listener: Listener = lambda _: None,
    *,
    may_be_scattered: bool = True,
) -> Product:
    """Return what measures look at, of qrels and a run's file.

    Args:
        qrels: the judgments.
        run: the file, plain or gzip.
        convention: the rules for lines, scores and ties.
        listener: told how far the file has been read.
        may_be_scattered: hold everything in memory where a query's lines are not together, instead of refusing.

    Raises:
        EngineRefusalError: a line that is not plain, or a convention under which labels decide ties: the reader and the
            oracle read it, or say what is wrong. Where a query's lines are not together: a document appears twice.
        InputError: a line, a query or the file is beyond a limit.
    """
    refuse_convention(convention)
    try:
        return _product_of_pages(qrels, Path(run), convention, listener)
    except BeyondLimitError:
        refuse_lines(run)
        raise EngineRefusalError("a line beyond a limit, which is not there any more") from None
    except ScatteredError:
        if not may_be_scattered:
            raise EngineRefusalError("a query's lines are not together") from None
        return _product_of_lines(qrels, Path(run), convention, listener)
    except UnicodeDecodeError:
        raise EngineRefusalError("bytes that are not UTF-8") from None
    except OSError as fault:
        raise EngineRefusalError(f"the file can't be read: {fault}") from None


def _product_of_pages(qrels: Qrels, run: Path, convention: Convention, listener: Listener) -> Product:
    np.empty(_HELD, np.uint8)
    counter = BlockCounter(qrels, convention)
    rest, most_bytes = b"", LINE_BYTES.most
    with open_source(run) as opened:
        size = _PAGE
        while piece := opened.file.read(max(size, len(rest))):
            position = opened.position()
            listener(position)
            if position > _LONG:
                size = 2 * _PAGE
            page = Page(rest, piece)
            begun = page.up_to_newline()
            if len(begun) > most_bytes or page.is_beyond_limits:
                raise BeyondLimitError
            rest = (_counted(counter, page, convention, is_last=False) if page.end else b"") + begun
    if rest:
        _counted(counter, Page(rest, b"" if rest.endswith(b"\n") else b"\n"), convention, is_last=True)
    if not counter.lengths:
        raise EngineRefusalError("no line")
    product = product_of(qrels, counter.lengths, counter.ranks(), convention.ties)
    if counter.aside:
        product.aside = _read_aside(qrels, counter.aside, convention)
    return product


def _read_aside(qrels: Qrels, lines: Mapping[str, bytes], convention: Convention) -> QuerySet:
    """Return the queries that have these lines, read as the oracle reads a run."""
    import tempfile  # few runs need it

    with tempfile.TemporaryDirectory(prefix="rankspec-") as folder:
        path = Path(folder) / "run"
        path.write_bytes(b"".join(lines.values()))
        return QuerySet(qrels, read_run(path, Repeated.KEPT, convention.reading))


def _counted(counter: BlockCounter, page: Page, convention: Convention, *, is_last: bool) -> bytes:
    """Count for the queries in a page's lines; return those of the last query, which may go on."""
    if page.is_odd:
        lines = page.text(0, page.end)
        lines.decode()  # also the columns that nobody looks at
        page = Page(lines.replace(b"\r\n", b"\n"))
    read = counter.add(page, is_last=is_last)
    if read is None:
        lines = _with_single_blanks(page.text(0, page.end), convention)
        page = Page(lines)
        read = counter.add(page, is_last=is_last) if lines else 0
    if read is None:
        raise EngineRefusalError("a line that is not plain")
    return page.text(read, page.end)


def _with_single_blanks(lines: bytes, convention: Convention) -> bytes:
    """Return lines of six columns with one blank between them.

    Raises:
        EngineRefusalError: a line is not plain.
    """
    if convention.reading is Reading.STRICT:
        while b"\n\n" in lines:  # a million empty lines are gone after twenty turns
            lines = lines.replace(b"\n\n", b"\n")
    rows = [line.split() for line in lines.removesuffix(b"\n").split(b"\n")]
    if convention.reading is Reading.STRICT:
        rows = [row for row in rows if row]
    if b"\0" in lines or any(len(row) != COLUMNS for row in rows):
        raise EngineRefusalError("a line that is not plain")
    return b"".join(b" ".join(row) + b"\n" for row in rows)


def _product_of_lines(qrels: Qrels, run: Path, convention: Convention, listener: Listener) -> Product:
    counter = Counter(qrels, convention)
    places = {query: place for place, query in enumerate(qrels)}
    lengths: dict[str, int] = {}
    is_decimal = convention.score_precision is ScorePrecision.EXACT and convention.reading is Reading.STRICT
    with open_source(run) as opened:
        for name, query in _gathered(_rows(opened, convention, listener)):
            lengths[name] = len(query.scores)
            if name in places:
                counter.add(places[name], name, query.scores)
                if is_decimal and query.long:
                    _refuse_close(query, qrels, name)
    require_few(run, lengths)
    if next(iter(lengths)).startswith("\ufeff"):
        raise EngineRefusalError("a byte order mark")
    return product_of(qrels, lengths, counter.ranks(), convention.ties)


def _refuse_close(query: _Query, qrels: Qrels, name: str) -> None:
    """Refuse scores that are one double and several decimals, where that could move a judged document."""
    judged = {query.scores[docno] for docno in qrels.grades(name) if docno in query.scores}
    blocks: dict[float, set[Fraction]] = {}
    for docno, text in query.long.items():
        score = query.scores[docno]
        if score in judged:
            blocks.setdefault(score, set()).add(Fraction(text.decode()))
    for docno, score in query.scores.items():
        if score in blocks and docno not in query.long:
            raise EngineRefusalError("scores that may differ as decimals, and not as doubles")
    if any(len(decimals) > 1 for decimals in blocks.values()):
        raise EngineRefusalError("scores that differ as decimals, and not as doubles")


_Row = tuple[bytes, str, float, bytes]


def _gathered(rows: Iterator[_Row]) -> Iterator[tuple[str, _Query]]:
    """Yield all queries when everything is read."""
    kept: dict[bytes, _Query] = {}
    for name, docno, score, text in rows:
        kept.setdefault(name, _Query()).add(docno, score, text)
    yield from ((name.decode(), query) for name, query in kept.items())


def _rows(opened: Opened, convention: Convention, listener: Listener) -> Iterator[_Row]:
    """Yield the columns that count of each line.

    Raises:
        EngineRefusalError: a line is not plain.
    """
    may_be_blank = convention.reading is Reading.STRICT
    has_comments = convention.reading is Reading.TREC_EVAL_10
    most_lines, most_bytes = LINES.most, min(LINE_BYTES.most, ID_BYTES.most)
    for number, raw in enumerate(iter(partial(opened.file.readline, most_bytes + 2), b"")):
        if number >= most_lines or len(raw) > most_bytes + 1:
            raise EngineRefusalError("a line beyond a limit")
        columns = raw.split()
        if not columns and may_be_blank:
            continue
        if len(columns) != COLUMNS or b"\0" in raw:
            raise EngineRefusalError("a line that is not plain")
        name, _, docno, _, text, _ = columns
        if not _SCORE.fullmatch(text) or (has_comments and name.startswith(b"#")):
            raise EngineRefusalError("a line that is not plain")
        if not raw.isascii():
            raw.decode()  # also the columns that nobody looks at
        if number % _REPORTED == 0:
            listener(opened.position())
        yield name, docno.decode(), float(text), text
