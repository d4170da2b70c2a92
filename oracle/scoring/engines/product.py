"""What an engine hands over: ranks and grades of the judged documents, and the lengths of the lists."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rankspec.oracle.conventions.axes import Reading, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.preferences import PreferenceGrade
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.subtopics import SubtopicGrade
from rankspec.oracle.rankings.ordering import BLOCK_RULES
from rankspec.oracle.scoring.batch.fixed import Integers, Segments
from rankspec.oracle.scoring.batch.lists import Judged, Lists, Places
from rankspec.oracle.scoring.engines import statement

if TYPE_CHECKING:
    import pyarrow as pa

_GRADE_BITS = 61


class EngineRefusalError(Exception):
    """An engine can't answer for this input or this convention; the streaming reader can, or explains."""


_READINGS = frozenset({Reading.STRICT, Reading.TREC_EVAL_9, Reading.TREC_EVAL_10})


def refuse_convention(convention: Convention) -> None:
    """Refuse a convention under which no engine counts ranks: what is new, the oracle evaluates.

    Raises:
        EngineRefusalError: with the reason.
    """
    if convention.ties in {Ties.OPTIMISTIC, Ties.PESSIMISTIC}:
        raise EngineRefusalError(f"ties={convention.ties}: labels decide the order, measure by measure")
    known = {"ties": statement.TIES, "score_precision": statement.ROUNDED, "reading": _READINGS}
    for axis, values in known.items():
        if getattr(convention, axis) not in values:
            raise EngineRefusalError(f"{axis}={getattr(convention, axis)}: no engine counts ranks under it")


class Ranks(NamedTuple):
    """Columns of the relational step, a row for each judged document that was retrieved; see `statement.py`."""

    place: Integers
    grade: Integers
    above: Integers
    tied: Integers
    before: Integers


class Product(NamedTuple):
    """A run against qrels, as far as measures look at it.

    Attributes:
        qrels: the judgments.
        lengths: query -> documents, for every query of the run, in the run's order.
        lists: the ranked lists of the queries of the qrels, in their order, and then of the others in the run's.
    """

    qrels: Qrels
    lengths: Mapping[str, int]
    lists: Lists

    @property
    def queries(self) -> list[str]:
        """Return the queries, in the order of the lists."""
        return [*self.qrels, *(query for query in self.lengths if query not in self.qrels)]


def product_of(qrels: Qrels, lengths: Mapping[str, int], ranks: Ranks, ties: Ties) -> Product:
    """Put an engine's rows in order."""
    known = qrels.judgments
    queries = [*known, *(query for query in lengths if query not in known)]
    in_blocks = ties in BLOCK_RULES
    rank = ranks.above + (ranks.tied if in_blocks else ranks.before + 1)
    # Queries times documents are far below 2^63. Rows come nearly in order, which a stable sort makes use of.
    order = np.argsort(ranks.place * (int(rank.max(initial=0)) + 1) + rank, kind="stable")
    segments = Segments(np.searchsorted(ranks.place[order], np.arange(len(queries) + 1)))
    places = Places(segments, rank[order], ranks.above[order] if in_blocks else None, ranks.grade[order])
    tied = segments.sums((ranks.tied[order] > 1).astype(np.int64)) > 0 if in_blocks else None
    documents = np.array([lengths.get(query, 0) for query in queries], np.int64)
    return Product(qrels, lengths, Lists(places, documents, judged_of(qrels, len(queries)), tied))


def judged_of(qrels: Qrels, queries: int) -> Judged:
    """Return the grades of the qrels, query after query, and none for the queries beyond them."""
    sizes, grades = qrels.once(graded)
    starts = np.concatenate(([0], np.cumsum(sizes), np.full(queries - sizes.size, grades.size))).astype(np.int64)
    return Judged(Segments(starts), grades)


def graded(qrels: Qrels) -> tuple[Integers, Integers]:
    """Return how many judgments each query has, and all grades, one query after the other.

    Raises:
        EngineRefusalError: a grade is beyond 61 bits, or says more than a whole number does.
    """
    listed = list(qrels.judgments.values())
    sizes = np.fromiter(map(len, listed), np.int64, len(listed))
    count = int(sizes.sum())
    kinds = set(map(type, chain.from_iterable(each.values() for each in listed)))
    if any(issubclass(kind, SubtopicGrade | PreferenceGrade) for kind in kinds):
        raise EngineRefusalError("grades for subtopics, or preferences: an engine counts with plain grades")
    try:
        grades = np.fromiter(chain.from_iterable(each.values() for each in listed), np.int64, count)
    except OverflowError:
        raise EngineRefusalError(f"a grade beyond {_GRADE_BITS} bits") from None
    if count and not -(1 << _GRADE_BITS) < int(grades.min()) <= int(grades.max()) < 1 << _GRADE_BITS:
        raise EngineRefusalError(f"a grade beyond {_GRADE_BITS} bits")
    return sizes, grades


def table_of(qrels: Qrels) -> pa.Table:
    """Return judgments as the table that the statement reads: some tens of bytes each, no Python object.

    Raises:
        EngineRefusalError: a grade is beyond 61 bits, or says more than a whole number does.
    """
    import pyarrow as pa

    sizes, grades = qrels.once(graded)
    places = np.repeat(np.arange(sizes.size), sizes)
    docnos = list(chain.from_iterable(qrels.judgments.values()))
    queries = pa.array(list(qrels.judgments), pa.string()).take(pa.array(places))
    return pa.table({"place": places, "query": queries, "docno": pa.array(docnos, pa.string()), "grade": grades})
