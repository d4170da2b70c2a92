"""Which runs `rankspec score` is asked for, and how its answer is to be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.engines.choosing import Chosen
from rankspec.oracle.errors import InputError


@dataclass(frozen=True)
class Wanted:
    """What is asked: measures of runs against qrels, under a convention; run -> what reads it; Spark's master."""

    measures: Sequence[Measure]
    qrels: str
    convention: Convention
    chosen: Mapping[str, Chosen]
    master: str | None


def runs_of(given: Sequence[str]) -> list[str]:
    """Return the runs: each file that is named, and each file of a folder that is, but for a folder of Parquet parts.

    Raises:
        InputError: a folder is empty.
    """
    runs: list[str] = []
    for each in given:
        path = Path(each)
        if path.is_dir() and not any(path.rglob("*.parquet")):
            inside = sorted(str(file) for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
            if not inside:
                raise InputError(f"{each}: no run in the folder")
            runs += inside
        else:
            runs.append(each)
    return runs
