"""Bytes of a gzip file as they are unpacked, up to the limits."""

from __future__ import annotations

import gzip
import zlib
from io import RawIOBase
from typing import BinaryIO

from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import GROWTH, UNPACKED_BYTES

_ANY_GROWTH = 1 << 26  # Bytes up to which a compressed file may grow by any factor: they harm nobody


class Unpacked(RawIOBase):
    """What a compressed file unpacks to.

    Raises:
        InputError: while it is read: the file is damaged, or unpacks to more than the limits allow.
    """

    def __init__(self, name: str, file: BinaryIO, packed_bytes: int) -> None:
        """Begin at the beginning of a file of so many bytes, or of an unknown number (0)."""
        self._name, self._file = name, gzip.GzipFile(fileobj=file)
        self._read = 0
        self._bounds = ((UNPACKED_BYTES.most, UNPACKED_BYTES), (max(_ANY_GROWTH, packed_bytes * GROWTH.most), GROWTH))

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        """Fill a buffer with what comes next, and return how many bytes that is."""
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
