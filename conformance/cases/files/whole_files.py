"""Files that are written whole: whoever is killed at any moment leaves the old file or the new one."""

from __future__ import annotations

import errno
import os
import stat
import uuid
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file beside its place, and put it there in one step; `OSError` leaves what was there before."""
    # What a link names is replaced, not the link; the mode stays. What is no file (a pipe, a terminal), and a file in a
    # folder that takes no other, is written as it is.
    data = content.encode("utf-8") if isinstance(content, str) else content
    place = Path(os.path.realpath(path))
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:  # other errors are told: a link to itself would be replaced
        mode = None
    if mode is not None and not (stat.S_ISREG(mode) and os.access(place.parent, os.W_OK)):
        path.write_bytes(data)
        return
    if mode is not None and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    beside = place.with_name(f".{uuid.uuid4().hex}.rankspec")
    try:
        with beside.open("xb") as file:
            file.write(data)
        if mode is not None:
            beside.chmod(stat.S_IMODE(mode))
        beside.replace(place)
    except BaseException as error:
        with suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(path), None
        raise
