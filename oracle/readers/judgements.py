"""The formats of judgements, by trec_eval's names, and the reader of each."""

from __future__ import annotations

from collections.abc import Container
from enum import Enum
from pathlib import Path

from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.readers.preferences import read_preferences
from rankspec.oracle.readers.subtopics import read_subtopic_qrels
from rankspec.oracle.readers.trec import read_qrels


class Judgements(Enum):
    """A format of judgements, trec_eval's -R."""

    QRELS = "qrels"
    """`query iteration docno grade`."""

    QRELS_JG = "qrels_jg"
    """`query group docno grade`; a group can be a subtopic."""

    PREFS = "prefs"
    """`query group subgroup docno level`."""

    QRELS_PREFS = "qrels_prefs"
    """`query group docno level`."""

    @property
    def has_preferences(self) -> bool:
        """Whether documents are judged by preferences."""
        return self in {Judgements.PREFS, Judgements.QRELS_PREFS}


def read_judgements(
    source: Path | str,
    judgements: Judgements,
    reading: Reading = Reading.STRICT,
    *,
    evaluated: Container[str] | None = None,
    in_arrays: bool = False,
) -> Qrels:
    """Read judgements from a file, plain or gzip, or from standard input (`-`).

    Args:
        source: the file.
        judgements: its format.
        reading: strict, or a program's.
        evaluated: the queries of plain qrels that will be evaluated, by default all; see `read_qrels`.
        in_arrays: whether small files of plain qrels are held as arrays, too, which engines count with.

    Raises:
        InputError: with file, line and reason.
    """
    if judgements is Judgements.QRELS:
        return read_qrels(source, reading, evaluated=evaluated, in_arrays=in_arrays)
    if judgements is Judgements.QRELS_JG:
        return read_subtopic_qrels(source, reading)
    return read_preferences(source, reading, has_subgroups=judgements is Judgements.PREFS)
