"""What a lint looks at: a whole set of fixtures with its clauses and its ledger, or files beside the shipped set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankspec.conformance.cases.clauses import CLAUSES_FILE
from rankspec.conformance.cases.files.ledger import LEDGER_FILE
from rankspec.conformance.cases.files.shipped_files import FOLDERS, shipped_folder


@dataclass(frozen=True)
class FixtureSet:
    """Case files, and the clauses and the ledger that they are held against.

    Attributes:
        whole: these are all the cases there are: a pinned id that is missing has vanished, and each must be pinned.
    """

    files: tuple[Path, ...]
    clauses: Path
    ledger: Path
    whole: bool

    @classmethod
    def of_folder(cls, folder: Path) -> FixtureSet:
        """Return the set that a folder laid out like the shipped one holds."""
        files = tuple(path for name in FOLDERS for path in sorted((folder / name).glob("*.yaml")))
        return cls(files, folder / CLAUSES_FILE, folder / LEDGER_FILE, whole=True)


def shipped_set() -> FixtureSet:
    """Return the set that is installed with rankspec."""
    return FixtureSet.of_folder(shipped_folder())


def sets_of(paths: Sequence[Path]) -> list[FixtureSet]:
    """Return what paths name: a folder with clauses is a set of its own, all else goes with the shipped clauses."""
    if not paths:
        return [shipped_set()]
    wholes = [path for path in paths if (path / CLAUSES_FILE).is_file()]
    rest = [path for path in paths if path not in wholes]
    sets = [FixtureSet.of_folder(path) for path in wholes]
    shipped = shipped_set()
    return [*sets, FixtureSet(tuple(_files(rest)), shipped.clauses, shipped.ledger, whole=False)] if rest else sets


def _files(paths: Iterable[Path]) -> list[Path]:
    listed: list[Path] = []
    for path in paths:
        # An empty folder stays as it is, so that reading it says what is wrong.
        listed += (sorted(path.rglob("*.yaml")) or [path]) if path.is_dir() else [path]
    return list(dict.fromkeys(listed))
