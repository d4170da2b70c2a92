"""Rows of the atlas as pages have them: their links, what a search looks in, their cells, and what changed since."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rankspec.conformance.answers.library import words
from rankspec.conformance.atlas.entries import Entry, Row
from rankspec.conformance.atlas.record import State
from rankspec.conformance.atlas.records import history
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.other_names import other_names_of

_FIRST = ("denominator", "ties", "no_relevant", "missing_query", "depth", "no_hits", "score_precision", "duplicates")
"""Axes in which libraries differ most, and by which numbers change most; the others follow in their order."""


@dataclass(frozen=True)
class Cell:
    """What is known of an axis, and how it is written."""

    state: State
    text: str


@dataclass(frozen=True)
class Changed:
    """A measure that answers otherwise since a version.

    Attributes:
        row: of the version that answers the new way, or the last one that was measured.
        before: the version that answers the old way; `since` the one that answers the new way.
        what: each difference in words.
    """

    row: Row
    before: str
    since: str
    what: tuple[str, ...]


def slug(row: Row) -> str:
    """Return the name of the library's page."""
    return re.sub(r"[^a-z0-9.]+", "-", row.library.lower()).strip("-")


def anchor(row: Row) -> str:
    """Return where on that page a row stands."""
    return re.sub(r"[^A-Za-z0-9_.@-]+", "-", f"{row.found.spec}-{row.version}-{row.found.measure}")


def witness_question(row: Row) -> dict[str, str] | None:
    """Return what to ask the resolver for the smallest input that parts a row from `default`; None if it is that."""
    under = (row.found.expression or "").partition(" under ")[2]
    if not row.found.is_whole or under == "default":
        return None
    return {"ask": "witness", "measure": row.found.measure, "a": "default", "b": under}


def searched(entry: Entry) -> str:
    """Return the words that a search looks in besides a row's own text, each once: names, options, rules."""
    texts = [*other_names_of(entry.family, entry.family)]
    for row in entry.rows:
        texts += [row.found.spec, row.found.how, words(row.found), row.found.status, row.found.expression or ""]
    text = " ".join(texts).replace("`", " ").lower()
    spelled = f"{text} {text.replace(', ', ',').replace('_', ' ')}".split()
    return " ".join(dict.fromkeys(each for each in spelled if len(each) > 1))


def named(entry: Entry) -> str:
    """Return the names of an entry that its row does not show: adapters, other names of the measure."""
    adapters = (row.found.implementation for row in entry.rows if ":" not in row.found.implementation)
    return " ".join(dict.fromkeys((*other_names_of(entry.family, entry.family), *adapters)))


def cells(row: Row) -> dict[str, Cell]:
    """Return axis -> what is known of it."""
    return {axis: Cell(row.found.state(axis), row.found.cell(axis)) for axis in AXES}


def axes_of(rows: Iterable[Row]) -> list[str]:
    """Return the axes of which some row says something, those first in which libraries differ most."""
    known = [axis for axis in AXES if any(row.found.state(axis) in {State.SEEN, State.ONE_OF} for row in rows)]
    return sorted(known, key=lambda axis: _FIRST.index(axis) if axis in _FIRST else len(_FIRST))


def changed(rows: Sequence[Row]) -> list[Changed]:
    """Return what answers otherwise since a version: as bisected, or between versions that were measured."""
    bisected = [
        Changed(row, each.before, each.since, (f"{each.old} -> {each.new} on an input",))
        for row in rows
        if row.found.versions is not None
        for each in row.found.versions.changes
    ]
    known = {(row.library, row.found.measure) for row in rows if row.found.versions is not None}
    between = [each for each in _between_records(rows) if (each.row.library, each.row.found.measure) not in known]
    return sorted(bisected + between, key=lambda each: (each.row.library.lower(), each.row.found.measure))


def _between_records(rows: Sequence[Row]) -> Iterator[Changed]:
    records = {row.record.id: row.record for row in rows}
    by_what = {(row.found.implementation, row.found.measure, row.version): row for row in rows}
    for change in history(records.values()):
        if change.what:
            before, since = change.versions
            row = by_what[change.implementation, change.measure, since]
            yield Changed(row, before, since, change.what)
