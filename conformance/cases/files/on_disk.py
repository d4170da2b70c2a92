"""Files: the shipped ones, found without YAML, which a browser has not, and those written whole.

Who is killed while a file is written whole leaves the old file or the new one.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import uuid
from contextlib import suppress
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path

from rankspec.conformance.cases.exact import Printed, parse_printed
from rankspec.oracle.values import Undefined


def shipped_folder() -> Path:
    """Return the folder of the fixtures that are installed with rankspec."""
    # The folder is no Python package, so importlib knows it by its files alone.
    return Path(str(files("rankspec.fixtures").joinpath("case.schema.json"))).resolve().parent


FOLDERS = ("documents", "edge", "witnesses")  # Folders of the shipped fixtures that hold cases


def shipped_paths() -> list[Path]:
    """Return the files of the shipped cases, in order."""
    root = shipped_folder()
    return [path for folder in FOLDERS for path in sorted((root / folder).glob("*.yaml"))]


def paths_that_print(printed: Printed) -> list[Path]:
    """Return the files of the shipped cases in which a document prints a number, found without reading their cases."""
    return [path for path, numbers in _printed_numbers() if printed.number in numbers]


@cache
def _printed_numbers() -> list[tuple[Path, frozenset[Fraction | Undefined]]]:
    """Return each file with the numbers that documents print there: 60 ms, which several numbers share."""
    return [
        (path, frozenset(parse_printed(text).number for text in _PRINTED.findall(path.read_text("utf-8"))))
        for path in shipped_paths()
    ]


_PRINTED = re.compile(r"^ +printed: \"([0-9.]+)\"$", re.MULTILINE)


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
    temporary = place.with_name(f".{uuid.uuid4().hex}.rankspec")
    try:
        with temporary.open("xb") as file:
            file.write(data)
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(place)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(path), None
        raise
