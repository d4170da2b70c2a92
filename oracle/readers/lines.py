"""Lines of text files, plain or gzip, by name or from standard input: bytes become columns here and nowhere else."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rankspec.oracle.errors import InputError

STANDARD_INPUT = "-"
"""The name by which standard input is read."""

_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line's columns, and where it is."""

    file: str
    number: int
    columns: tuple[str, ...]

    def refused(self, reason: str) -> InputError:
        """Return the error that says where the line is and what is wrong with it."""
        return InputError(f"{self.file}, line {self.number}: {reason}")


def miscounted(line: Line, names: str) -> str:
    """Return the reason why a line is refused that has not these columns."""
    return f"expected {len(names.split())} columns ({names}), found {len(line.columns)}"


def twice(line: Line, query: str, docno: str, first: int) -> str:
    """Return the reason why a line is refused whose document is in an earlier one, too."""
    return f"query {query}, document {docno} appears twice (lines {first} and {line.number}); keep one"


def read_lines(source: Path | str) -> Iterator[Line]:
    """Yield the lines that hold something; columns are separated by blanks and tabs.

    Carriage returns at line ends and a byte order mark at the start are passed over.

    Raises:
        InputError: there is no such file, it can't be read, is binary, is not UTF-8, or holds no line.
    """
    name, content = content_of(source)
    found = False
    for number, raw in enumerate(content.removeprefix(_BYTE_ORDER_MARK).split(b"\n"), start=1):
        refuse_binary(name, number, raw)
        try:
            # Only ASCII's blanks separate columns: bytes know no others, and none is part of a UTF-8 character.
            columns = tuple([column.decode() for column in raw.split()])
        except UnicodeDecodeError:
            reason = "not UTF-8 text; the file is binary or has another encoding"
            raise InputError(f"{name}, line {number}: {reason}") from None
        if columns:
            found = True
            yield Line(name, number, columns)
    if not found:
        raise InputError(f"{name}: the file is empty")


def refuse_binary(name: str, number: int, raw: bytes) -> None:
    """Refuse a line that no text file holds.

    Raises:
        InputError: it has a NUL byte.
    """
    if b"\0" in raw:
        raise InputError(f"{name}, line {number}: a NUL byte; the file is binary (or UTF-16), and text is needed")


def content_of(source: Path | str) -> tuple[str, bytes]:
    """Return a file's name for messages, and its bytes, unpacked.

    Raises:
        InputError: there is no such file, or it can't be read or unpacked.
    """
    name = "standard input" if str(source) == STANDARD_INPUT else str(source)
    try:
        packed = sys.stdin.buffer.read() if str(source) == STANDARD_INPUT else Path(source).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: can't be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        return name, gzip.decompress(packed) if packed.startswith(_GZIP) else packed
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{name}: damaged gzip data; the file was cut off or is not a gzip file") from None
