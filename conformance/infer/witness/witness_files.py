"""The files of computed witnesses: written, and compared with what is computed anew."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rankspec.conformance.cases.catalogue import load_cases
from rankspec.conformance.cases.finding import Finding
from rankspec.conformance.cases.folders import FixtureSet
from rankspec.conformance.cases.schema import shipped_folder
from rankspec.conformance.cases.yaml_source import FindingError
from rankspec.conformance.infer.witness import completion, worst_cases

ALL = (worst_cases.FILE, completion.FILE)
"""The files, in the order in which they are computed: the second one needs the first."""


def computed(folder: Path | None = None) -> Mapping[Path, str]:
    """Compute the files of a folder of fixtures, by default the shipped one."""
    root = shipped_folder() if folder is None else folder
    table = worst_cases.file_text(worst_cases.rows(worst_cases.pairs()))
    return {root / worst_cases.FILE: table, root / completion.FILE: _completion(root)}


def _completion(root: Path) -> str:
    """Compute the second file from all other cases, the table of worst cases as it stands on disk included."""
    paths = [path for path in FixtureSet.of_folder(root).files if path != root / completion.FILE]
    return completion.file_text(completion.completing(load_cases(paths)))


def write(folder: Path | None = None) -> list[Path]:
    """Compute the files and write them; return those that changed.

    Raises:
        FindingError: a file can't be written.
        CatalogueError: another case file is faulty.
    """
    root = shipped_folder() if folder is None else folder
    table, rest = (root / path for path in ALL)
    # The second file is made from the first as it is on disk, so they are written one by one.
    changed = [table] if _write(table, worst_cases.file_text(worst_cases.rows(worst_cases.pairs()))) else []
    return [*changed, rest] if _write(rest, _completion(root)) else changed


def _write(path: Path, text: str) -> bool:
    try:
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return False
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FindingError(Finding(path, f"can't be written: {error.strerror or error}", unreadable=True)) from None
    return True


def stale(folder: Path | None = None) -> list[Finding]:
    """Return a finding for each file that is not what is computed, at the first line that differs."""
    remedy = "write it anew with `rankspec fixtures witnesses --write`"
    return [
        Finding(path, f"not what is computed; {remedy}", line)
        for path, text in computed(folder).items()
        if (line := _first_difference(path, text)) is not None
    ]


def _first_difference(path: Path, text: str) -> int | None:
    there = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    wanted = text.splitlines()
    if there == wanted:
        return None
    lines = enumerate(zip(there, wanted, strict=False), start=1)
    return next((number for number, (one, other) in lines if one != other), min(len(there), len(wanted)) + 1)
