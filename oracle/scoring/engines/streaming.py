"""The relational step on a file that streams through: page by page where a query's lines stand together.

Where they don't, all lines are held, and put together first. Plain lines are read here as `readers.trec` reads them.
Whatever else there is, that reader reads or explains.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.limits import LINE_BYTES, LINES
from rankspec.oracle.query_set import QuerySet
from rankspec.oracle.readers.lines import Opened, Source, open_source, refuse_lines
from rankspec.oracle.readers.tables import Content, as_trec
from rankspec.oracle.readers.trec import Repeated, read_run
from rankspec.oracle.scoring.engines.blocks import BeyondLimitError, BlockCounter, ScatteredError
from rankspec.oracle.scoring.engines.pages import COLUMNS, Page
from rankspec.oracle.scoring.engines.product import EngineRefusalError, Product, product_of, refuse_convention

_PAGE = 1 << 20  # Bytes that are evaluated together: a processor's cache holds what is made of them
_LONG = 16 * _PAGE  # A file from which so much was read has pages of twice the bytes: 5% faster, for 12 MiB more memory
_HELD = 31 << 20
"""Bytes of a block that is freed once, untouched, before the first page.

glibc maps larger blocks than any that was freed anew from the kernel (up to 32 MiB; mallopt(3), M_MMAP_THRESHOLD), and
a page makes a hundred of up to 2 MB: filling their memory with zeros took a third of the time.
"""
_REPORTED = 1 << 16  # Lines between two reports of progress
Listener = Callable[[int], None]  # Told how many bytes of the file were read


def product_of_stream(
    qrels: Qrels, run: Path | str, convention: Convention, listener: Listener = lambda _: None
) -> Product:
    """Return what measures look at, of qrels and a run's file; `listener` hears how far the file has been read."""
    # `EngineRefusalError` for a line that is not plain, or a convention under which labels decide ties: the reader and
    # the oracle read it, or say what is wrong. `InputError` beyond a limit. Where a query's lines are not together,
    # everything is held in memory.
    refuse_convention(convention)
    source = as_trec(run, Content.RUN)
    try:
        try:
            with open_source(source) as opened:
                return _product_of_pages(qrels, opened, convention, listener)
        except ScatteredError:
            import tempfile  # few runs need it

            with tempfile.TemporaryFile() as file:  # memory has room for the lines once
                file.writelines(_grouped_by_query(source, listener))
                file.seek(0)
                return _product_of_pages(qrels, Opened(file, file.tell, None), convention)
    except BeyondLimitError:
        refuse_lines(source)
        raise EngineRefusalError("a line beyond a limit, which is not there any more") from None
    except UnicodeDecodeError:
        raise EngineRefusalError("bytes that are not UTF-8") from None
    except OSError as fault:
        raise EngineRefusalError(f"the file can't be read: {fault}") from None


def _product_of_pages(
    qrels: Qrels, opened: Opened, convention: Convention, listener: Listener = lambda _: None
) -> Product:
    np.empty(_HELD, np.uint8)
    counter = BlockCounter(qrels, convention)
    rest, most_bytes, size = b"", LINE_BYTES.most, _PAGE
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
        import tempfile

        with tempfile.TemporaryDirectory(prefix="rankspec-") as folder:  # read as the oracle reads a run
            path = Path(folder) / "run"
            path.write_bytes(b"".join(counter.aside.values()))
            product.aside = QuerySet(qrels, read_run(path, Repeated.KEPT, convention.reading))
    return product


def _grouped_by_query(source: Source, listener: Listener) -> Iterable[bytearray]:
    """Return a run's lines query by query; `BeyondLimitError` or `EngineRefusalError` for too long or too many."""
    lines = defaultdict[bytes, bytearray](bytearray)
    most_lines, most_bytes = LINES.most, LINE_BYTES.most
    with open_source(source) as opened:
        for number, line in enumerate(iter(partial(opened.file.readline, most_bytes + 2), b"")):
            if number >= most_lines:
                raise EngineRefusalError("a query's lines are not together, and are more than may be held")
            if len(line) > most_bytes + 1:
                raise BeyondLimitError
            columns = line.split(None, 1)
            lines[columns[0] if columns else b""] += line if line.endswith(b"\n") else line + b"\n"
            if number % _REPORTED == 0:
                listener(opened.position())
    return lines.values()


def _counted(counter: BlockCounter, page: Page, convention: Convention, *, is_last: bool) -> bytes:
    """Count for the queries in a page's lines; return those of the last query, which may go on."""
    if page.is_odd:
        lines = page.text(0, page.end)
        lines.decode()  # also the columns that nobody looks at
        page = Page(lines.replace(b"\r\n", b"\n"))
    read = counter.add(page, is_last=is_last)
    for mended in (_squeezed, _with_single_blanks):
        if read is None:
            page = Page(mended(page.text(0, page.end), convention))
            read = counter.add(page, is_last=is_last) if page.end else 0
    if read is None:
        raise EngineRefusalError("a line that is not plain")
    return page.text(read, page.end)


def _squeezed(lines: bytes, convention: Convention) -> bytes:
    """Return lines without blanks that repeat or end a line; empty ones are left out where reading is strict."""
    pairs = [(b"  ", b" "), (b" \n", b"\n")]
    if convention.reading is Reading.STRICT:
        pairs.append((b"\n\n", b"\n"))
    for twice, once in pairs:
        while twice in lines:  # a million of them are one after twenty turns
            lines = lines.replace(twice, once)
    return lines


def _with_single_blanks(lines: bytes, convention: Convention) -> bytes:
    """Return lines of six columns with one blank between; `EngineRefusalError` for one that is not plain."""
    rows = [line.split() for line in lines.removesuffix(b"\n").split(b"\n")]
    if convention.reading is Reading.STRICT:
        rows = [row for row in rows if row]
    if b"\0" in lines or any(len(row) != COLUMNS for row in rows):
        raise EngineRefusalError("a line that is not plain")
    return b"".join(b" ".join(row) + b"\n" for row in rows)
