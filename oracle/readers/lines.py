"""Lines of text files, plain or gzip, by name or from standard input: bytes become columns here and nowhere else."""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rankspec.oracle.errors import InputError

STANDARD_INPUT = "-"
"""The name by which standard input is read."""

_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANKS = re.compile(r"[ \t\r\f\v]+")


@dataclass(frozen=True)
class Line:
    """A line's columns and where it stands."""

    file: str
    number: int
    columns: tuple[str, ...]

    def refused(self, reason: str) -> InputError:
        """Return the error that says where the line stands and what is wrong with it."""
        return InputError(f"{self.file}, line {self.number}: {reason}")


def read_lines(source: Path | str) -> Iterator[Line]:
    """Yield the lines that hold something; columns are separated by blanks and tabs.

    Carriage returns at line ends and a byte order mark at the start are passed over.

    Raises:
        InputError: there is no such file, it can't be read, is binary, is no UTF-8, or holds no line.
    """
    name, content = _content(source)
    found = False
    for number, raw in enumerate(content.removeprefix(_BYTE_ORDER_MARK).split(b"\n"), start=1):
        if b"\0" in raw:
            raise InputError(f"{name}, line {number}: a NUL byte; the file is binary (or UTF-16), and text is needed")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            reason = "not UTF-8 text; the file is binary or has another encoding"
            raise InputError(f"{name}, line {number}: {reason}") from None
        if columns := tuple(column for column in _BLANKS.split(text) if column):
            found = True
            yield Line(name, number, columns)
    if not found:
        raise InputError(f"{name}: the file is empty")


def _content(source: Path | str) -> tuple[str, bytes]:
    """Return a file's name for messages, and its bytes, unpacked."""
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
        raise InputError(f"{name}: damaged gzip data; the file was cut off or is no gzip file") from None
