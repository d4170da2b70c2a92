"""What an engine hands over: ranks of the judged documents, and the lengths of the lists."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rankspec.oracle.conventions.axes import BLOCK_RULES, LABEL_RULES, Reading, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.preferences import PreferenceGrade
from rankspec.oracle.data.qrels import DecimalGrade, Qrels, SubtopicGrade
from rankspec.oracle.query_set import QuerySet
from rankspec.oracle.scoring.batch.fixed import Integers, Segments
from rankspec.oracle.scoring.batch.lists import Judged, Lists, Places
from rankspec.oracle.scoring.engines import statement

if TYPE_CHECKING:
    import pyarrow as pa

_GRADE_BITS = 61  # `UNJUDGED` is -2^62, and stays below every grade
_QUERIES_AT_ONCE = 256  # Whose docnos are Python's objects together


class EngineRefusalError(Exception):
    """An engine can't answer for this input or this convention; the streaming reader can, or explains."""


class QueryRefusedError(EngineRefusalError):
    """An engine can't answer for one query."""


_READINGS = frozenset({Reading.STRICT, Reading.TREC_EVAL_9, Reading.TREC_EVAL_10})


def refuse_convention(convention: Convention) -> None:
    """Refuse (`EngineRefusalError`) a convention under which no engine counts ranks, as any new one."""
    if convention.ties in LABEL_RULES:
        raise EngineRefusalError(f"ties={convention.ties}: labels decide the order, measure by measure")
    known = {"ties": statement.TIES, "score_precision": statement.ROUNDED, "reading": _READINGS}
    for axis, values in known.items():
        if getattr(convention, axis) not in values:
            raise EngineRefusalError(f"{axis}={getattr(convention, axis)}: no engine counts ranks under it")


class Ranks(NamedTuple):
    """Columns of the relational step, a row for each judged document that was retrieved; see `statement.py`."""

    place: Integers
    judgment: Integers
    above: Integers
    tied: Integers
    before: Integers


@dataclass(eq=False, repr=False, match_args=False)
class Product:
    """A run against qrels, as far as measures look at it."""

    qrels: Qrels  # the judgments
    lengths: Mapping[str, int]  # query -> documents, for every query of the run, in the run's order
    lists: Lists  # the ranked lists of the queries of the qrels, in their order, and then of the others in the run's
    ties: Ties  # the rule by which documents of equal score were put in order
    # queries that the engine can't count, which the oracle evaluates; their lists are empty here
    aside: QuerySet | None = None

    @cached_property
    def queries(self) -> list[str]:
        """Return the queries, in the order of the lists."""
        return [*self.qrels, *(query for query in self.lengths if query not in self.qrels)]


def product_of(qrels: Qrels, lengths: Mapping[str, int], ranks: Ranks, ties: Ties) -> Product:
    """Put an engine's rows in order."""
    known = qrels.judgments
    queries = [*known, *(query for query in lengths if query not in known)]
    in_blocks = ties in BLOCK_RULES
    rank = ranks.above + (ranks.tied if in_blocks else ranks.before + 1)
    # Queries times documents are far below 2^63, and ranks are 1 at least.
    key = ranks.place * int(rank.max(initial=0)) + rank
    if (key[1:] < key[:-1]).any():  # pages come in order; to sort many rows leaves a processor's cache
        order = np.argsort(key, kind="stable")
        rank, ranks = rank[order], Ranks(*(column[order] for column in ranks))
    segments = Segments(np.searchsorted(ranks.place, np.arange(len(queries) + 1)))
    judged, mine = qrels.once(graded), ranks.judgment
    beyond = np.full(len(queries) + 1 - judged.segments.starts.size, judged.grades.size)  # who is not judged has none
    judged = judged._replace(segments=Segments(np.concatenate((judged.segments.starts, beyond))))
    objects = None if judged.objects is None else judged.objects[mine]
    places = Places(segments, rank, ranks.above if in_blocks else None, judged.grades[mine], objects)
    tied = segments.sums((ranks.tied > 1).astype(np.int64)) > 0 if in_blocks else None
    documents = np.array([lengths.get(query, 0) for query in queries], np.int64)
    return Product(qrels, lengths, Lists(places, documents, judged, tied), ties)


def graded(qrels: Qrels) -> Judged:
    """Return all grades, query after query; `EngineRefusalError` for one beyond 61 bits."""
    grades_by_query = list(qrels.judgments.values())
    offsets = np.cumsum([0, *map(len, grades_by_query)], dtype=np.int64)
    count = int(offsets[-1])
    kinds = set(map(type, chain.from_iterable(each.values() for each in grades_by_query)))
    if DecimalGrade in kinds:
        raise EngineRefusalError("grades that are not whole")
    says_more = any(issubclass(kind, SubtopicGrade | PreferenceGrade) for kind in kinds)
    try:
        grades = np.fromiter(chain.from_iterable(each.values() for each in grades_by_query), np.int64, count)
    except OverflowError:
        raise EngineRefusalError(f"a grade beyond {_GRADE_BITS} bits") from None
    if count and not -(1 << _GRADE_BITS) < int(grades.min()) <= int(grades.max()) < 1 << _GRADE_BITS:
        raise EngineRefusalError(f"a grade beyond {_GRADE_BITS} bits")
    every = chain.from_iterable(each.values() for each in grades_by_query)
    return Judged(Segments(offsets), grades, np.fromiter(every, np.object_, count) if says_more else None)


def table_of(qrels: Qrels) -> pa.Table:
    """Return judgments as the table that the statement reads; `EngineRefusalError` for a grade beyond 61 bits."""
    # docnos are Python's objects for some queries at a time.
    import pyarrow as pa

    judged = qrels.once(graded)
    places = judged.segments.of(np.arange(judged.segments.sizes.size))
    rest = iter(qrels)
    parts = iter(lambda: [*islice(rest, _QUERIES_AT_ONCE)], [])
    docnos = [pa.array([docno for query in part for docno in qrels.grades(query)], pa.string()) for part in parts]
    queries = pa.array(list(qrels), pa.string()).take(pa.array(places))
    docno_column = pa.chunked_array(docnos, pa.string())
    judgments = np.arange(judged.grades.size)
    return pa.table({"place": places, "query": queries, "docno": docno_column, "judgment": judgments})


def columns_of(table: Collection[str]) -> dict[str, str]:
    """Return query, docno and score -> the column of a table that is it; `EngineRefusalError` for none or several."""
    chosen = {}
    for role, spellings in statement.COLUMNS.items():
        matching = [column for column in table if column.lower() in spellings]
        if len(matching) != 1:
            raise EngineRefusalError(f"columns {', '.join(table)}: one of them has to be called {role}")
        chosen[role] = matching[0]
    return chosen
