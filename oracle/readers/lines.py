"""Lines of text files, plain or gzip, by name or from standard input: bytes become columns here and nowhere else.

What is beyond a limit (`oracle/limits.py`) is refused before it fills the memory.
"""

from __future__ import annotations

import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias, cast

from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import DOCUMENTS, FILE_BYTES, GROWTH, ID_BYTES, LINE_BYTES, LINES, QUERIES, UNPACKED_BYTES

STANDARD_INPUT = "-"  # The name by which standard input is read
_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK = 1 << 20  # Bytes that are read at a time, and so held beyond a limit at most
_FIRST_BYTES = 1 << 16  # Of a file: the names of columns, or the bracket that JSON begins with, stand in it


class Line(NamedTuple):
    """A line's columns, and where it is."""

    file: str
    number: int
    columns: tuple[str, ...]

    def refused(self, reason: str, *, code: str) -> InputError:
        """Return the error that says where the line is and what is wrong with it."""
        return InputError(f"{self.file}, line {self.number}: {reason}", code=code)


def miscounted(line: Line, names: str) -> str:
    """Return the reason why a line is refused that has not these columns."""
    return f"expected {len(names.split())} columns ({names}), found {len(line.columns)}"


class Text(NamedTuple):
    """A text that is held in memory: a file's, or in TREC's columns what was made of a table."""

    name: str  # as messages have it
    content: bytes  # unpacked


Source: TypeAlias = Path | str | Text


def text_of(source: Source) -> Text:
    """Return a text file; `InputError` for none, with the line for a binary one, or one beyond a limit."""
    name, content = content_of(source)
    require_short_lines(name, content)
    if (place := content.find(b"\0")) >= 0:
        refuse_binary(name, content.count(b"\n", 0, place) + 1, content)
    return Text(name, content)


def read_lines(text: Text) -> Iterator[Line]:
    """Yield the lines that hold something; `InputError` for an empty file, or one that is not UTF-8."""
    # Columns are separated by blanks and tabs; carriage returns at line ends and a byte order mark are passed over.
    name, has_lines = text.name, False
    for number, raw in enumerate(text.content.removeprefix(_BYTE_ORDER_MARK).split(b"\n"), start=1):
        try:
            # Only ASCII's blanks separate columns: bytes know no others, and none is part of a UTF-8 character.
            columns = tuple(map(bytes.decode, raw.split()))
        except UnicodeDecodeError:
            reason = "not UTF-8 text; the file is binary or has another encoding"
            raise InputError(f"{name}, line {number}: {reason}", code="file-not-utf-8") from None
        if columns:
            has_lines = True
            yield Line(name, number, columns)
    if not has_lines:
        raise InputError(f"{name}: the file is empty", code="file-empty")


def decoded(name: str, content: bytes) -> str:
    """Return a file's text; `InputError` where it is none."""
    refuse_binary(name, 1, content)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        reason = f"{name}: not UTF-8 text; the file is binary or has another encoding"
        raise InputError(reason, code="file-not-utf-8") from None


def refuse_binary(name: str, number: int, raw: bytes) -> None:
    """Refuse (`InputError`) a line with a NUL byte, which no text file holds."""
    if b"\0" in raw:
        reason = f"{name}, line {number}: a NUL byte; the file is binary (or UTF-16), and text is needed"
        raise InputError(reason, code="file-binary")


def content_of(source: Source) -> tuple[str, bytes]:
    """Return a file's name and its bytes, unpacked; `InputError` if it can't be, or is beyond a limit."""
    name = _name_of(source)
    try:
        with open_source(source) as opened:
            return name, held(name, opened.file, opened.known_bytes)
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file", code="file-missing") from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = f"{name}: can't be read: {getattr(error, 'strerror', None) or error}"
        raise InputError(reason, code="file-unreadable") from None


def first_line(path: Path) -> str:
    """Return the first line that holds something, as far as it is read; nothing of what can't be read."""
    try:
        with open_source(path) as opened:
            first = opened.file.read(_FIRST_BYTES).lstrip()
    except (OSError, InputError):
        return ""  # whoever reads it says what is wrong
    return first.partition(b"\n")[0].decode("utf-8-sig", "replace").strip()


def _name_of(source: Source) -> str:
    if isinstance(source, Text):
        return source.name
    return "standard input" if str(source) == STANDARD_INPUT else str(source)


class Opened(NamedTuple):
    """A file that is read."""

    file: BinaryIO  # what is in it, unpacked
    position: Callable[[], int]  # how far it was read, in bytes of the file as it is
    known_bytes: int | None  # the size of what is in it, where that is known


@contextmanager
def open_source(source: Source) -> Iterator[Opened]:
    """Open a file, plain or gzip, or standard input; `InputError` while read if unpacking it breaks a limit."""
    if isinstance(source, Text):
        with BytesIO(source.content) as file:
            yield Opened(file, file.tell, len(source.content))
        return
    if str(source) == STANDARD_INPUT:
        packed = held(_name_of(source), sys.stdin.buffer)
        with BytesIO(packed) as file:
            yield _unpacked(source, file, packed[: len(_GZIP)], len(packed))
        return
    with Path(source).open("rb") as opened:
        size = Path(source).stat()
        known_bytes = size.st_size if stat.S_ISREG(size.st_mode) else None
        yield _unpacked(source, opened, opened.peek(len(_GZIP))[: len(_GZIP)], known_bytes)


def _unpacked(source: Path | str, file: BinaryIO, beginning: bytes, known_bytes: int | None) -> Opened:
    if beginning != _GZIP:
        return Opened(file, file.tell, known_bytes)
    unpacked = Unpacked(_name_of(source), file, known_bytes or 0)
    return Opened(cast("BinaryIO", BufferedReader(unpacked, _CHUNK)), file.tell, None)


_ANY_GROWTH = 1 << 26  # Bytes up to which a compressed file may grow by any factor: they harm nobody


class Unpacked(RawIOBase):
    """What a compressed file unpacks to.

    Raises:
        InputError: while it is read: the file is damaged, or unpacks to more than the limits allow.
    """

    def __init__(self, name: str, file: BinaryIO, packed_bytes: int) -> None:
        import gzip  # most files are plain

        self._name, self._file = name, gzip.GzipFile(fileobj=file)
        self._read = 0
        self._bounds = ((UNPACKED_BYTES.most, UNPACKED_BYTES), (max(_ANY_GROWTH, packed_bytes * GROWTH.most), GROWTH))

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        """Fill a buffer with what comes next, and return how many bytes that is."""
        import gzip
        import zlib

        try:
            read = self._file.readinto(buffer)
        except (gzip.BadGzipFile, EOFError, zlib.error):
            reason = "damaged gzip data; the file was cut off or is not a gzip file"
            raise InputError(f"{self._name}: {reason}", code="file-damaged") from None
        self._read += read
        for most, limit in self._bounds:
            if self._read > most:
                raise limit.exceeded(self._name, "unpacked, it has")
        return read


def held(name: str, file: BinaryIO, known_bytes: int | None = None) -> bytes:
    """Return all that is in a file; `InputError` for more bytes than are held, or a binary beginning."""
    most = FILE_BYTES.most
    if known_bytes is not None and known_bytes <= most:
        return file.read()
    pieces = list[bytes]()
    size = known_bytes or 0
    while size <= most and (piece := file.read(_CHUNK)):
        if not pieces and not piece.startswith(_GZIP):
            refuse_binary(name, 1, piece)  # a device may have no end
        pieces.append(piece)
        size += len(piece)
    if size > most:
        raise FILE_BYTES.exceeded(name, "a file that is held in memory has")
    return b"".join(pieces)


def require_short_lines(name: str, content: bytes) -> None:
    """Refuse (`InputError` with the line) too many lines, too long a line, or too long a column."""
    if (most := LINES.most) <= content.count(b"\n") and content.removesuffix(b"\n").count(b"\n") >= most:
        raise LINES.exceeded(f"{name}, line {most + 1}", "a file that is held in memory has")
    for start, end in long_lines(content, 0, len(content), min(LINE_BYTES.most, ID_BYTES.most)):
        _require_short(name, content.count(b"\n", 0, start) + 1, content[start:end])


def has_too_long(content: bytes, start: int, end: int) -> bool:
    """Tell whether a line of a text is too long, or has too long a column."""
    try:
        for begins, ends in long_lines(content, start, end, min(LINE_BYTES.most, ID_BYTES.most)):
            _require_short("", 0, content[begins:ends])
    except InputError:
        return True
    return False


def long_lines(content: bytes, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield where the lines begin and end that have more than so many bytes."""
    # What is looked at is the last end of a line in each stretch that a line may fill, not every line.
    while start + most < end:
        stop = content.rfind(b"\n", start, start + most + 1)
        if stop < 0:
            stop = content.find(b"\n", start, end)
            stop = end if stop < 0 else stop
            yield start, stop
        start = stop + 1


def _require_short(name: str, number: int, line: bytes) -> None:
    if len(line) > LINE_BYTES.most:
        raise LINE_BYTES.exceeded(f"{name}, line {number}", "a line has")
    if max(map(len, line.split()), default=0) > ID_BYTES.most:
        raise ID_BYTES.exceeded(f"{name}, line {number}", "a column has")


def require_short_id(where: str, what: str, name: str) -> None:
    """Refuse (`InputError` with the place) the id of a query or class that is too long."""
    if len(name.encode(errors="surrogatepass")) > ID_BYTES.most:
        raise ID_BYTES.exceeded(where, f"the id of a {what} has")


def require_few(source: Text | str, by_query: Mapping[str, Sized] | Mapping[str, int]) -> None:
    """Refuse (`InputError`, with the line) too many queries, or documents of one, of a text or a file's name."""
    # `by_query` is query -> documents, or how many.
    sizes = {query: each if isinstance(each, int) else len(each) for query, each in by_query.items()}
    longest = max(sizes, key=sizes.__getitem__, default="")
    if len(sizes) <= QUERIES.most and sizes.get(longest, 0) <= DOCUMENTS.most:
        return
    if isinstance(source, Text):
        _refuse_line(source.name, source.content.split(b"\n"))
    elif Path(source).is_file() and not source.endswith(".parquet"):
        refuse_lines(source)
    name = source.name if isinstance(source, Text) else source
    if len(sizes) > QUERIES.most:
        raise QUERIES.exceeded(name, "it has")
    raise DOCUMENTS.exceeded(name, f"query {longest} has")


def refuse_lines(source: Source) -> None:
    """Read a file line by line, and refuse the first line beyond a limit by an `InputError`."""
    with open_source(source) as opened:
        _refuse_line(_name_of(source), iter(partial(opened.file.readline, LINE_BYTES.most + 2), b""))


def _refuse_line(name: str, lines: Iterable[bytes]) -> None:
    documents = Counter[bytes]()
    for number, line in enumerate(lines, start=1):
        _require_short(name, number, line.removesuffix(b"\n"))
        query = b"".join(line.split(maxsplit=1)[:1])
        documents[query] += bool(query)
        if len(documents) > QUERIES.most:
            raise QUERIES.exceeded(f"{name}, line {number}", "the file has")
        if documents[query] > DOCUMENTS.most:
            raise DOCUMENTS.exceeded(f"{name}, line {number}", f"query {query.decode(errors='replace')} has")
