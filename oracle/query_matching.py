"""Which queries only the qrels or only the run have. Files that share none were not made for each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import NamedTuple

from rankspec.oracle.errors import InputError

_NAMED = 2  # Ids that are named: enough to see that one side writes them otherwise


class Unmatched(NamedTuple):
    """How many queries only one side has."""

    missing: int  # in the qrels, not in the run
    unknown: int  # in the run, not in the qrels


def unmatched(qrels: Collection[str], run: Collection[str], name: str = "") -> Unmatched:
    """Count the queries that only one side has; `InputError`, with the run's name, if none is common."""
    known = set(qrels)
    common = sum(query in known for query in run)
    if known and len(run) and not common:
        where = f"{name}: " if name else ""
        raise InputError(
            f"{where}no query of the run is in the qrels ({_some(run)} against {_some(qrels)})",
            code="no-query-in-common",
        )
    return Unmatched(len(known) - common, len(run) - common)


def _some(queries: Collection[str]) -> str:
    named: Iterable[str] = islice(queries, _NAMED)
    return ", ".join(named) + (", ..." if len(queries) > _NAMED else "")
