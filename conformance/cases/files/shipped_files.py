"""The files of the shipped cases, and which of them print a number: found without YAML, which a browser has not."""

from __future__ import annotations

import re
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
