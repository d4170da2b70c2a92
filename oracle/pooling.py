"""All queries' documents in one ranking: `aggregate=micro`, as object detection has it. Clause map.aggregate.micro."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from rankspec.oracle.conventions.axes import MissingQuery, NoRelevant, UnknownQuery
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.rankings.ordering import Entry, entries, in_order, labelled, ranked, relevance, settled
from rankspec.oracle.rankings.ranking import Ranking, is_relevant


def pooled_ranking(qrels: Qrels, run: Run, convention: Convention, rel: int) -> Ranking:
    """Return one ranking of all queries' documents by score, with all judgments.

    Raises:
        UndefinedValueError: a query is undefined by itself, and the convention says `error`.
    """
    return labelled(*pooled_entries(qrels, run, convention, rel))


def pooled_entries(
    qrels: Qrels, run: Run, convention: Convention, rel: int
) -> tuple[Sequence[Sequence[Entry]], Sequence[int]]:
    """Return the documents of all queries in one order, in blocks, and all judgments.

    Depth and repeated documents are dealt with query by query. Missing queries bring their judgments alone, unknown
    ones their documents alone, in so far as the convention lets them in.

    Raises:
        UndefinedValueError: a query is undefined by itself, and the convention says `error`.
    """
    judged: list[int] = []
    listed: list[Entry] = []
    for query in qrels:
        grades = qrels.grades(query)
        if _joins(query, qrels, run, convention, rel):
            judged += grades.values()
            listed += _looked_at(query, run, grades, convention, rel)
    for query in _joining_unknown(qrels, run, convention):
        listed += _looked_at(query, run, {}, convention, rel)
    return settled(in_order(listed, convention.ties), convention.ties, relevance(rel)), judged


def _looked_at(query: str, run: Run, grades: Mapping[str, int], convention: Convention, rel: int) -> list[Entry]:
    """Return what one query brings, in file order, which breaks ties between the documents of several queries too."""
    blocks = ranked(entries(query, run.documents(query), grades, convention), convention, relevance(rel))
    return sorted(list(chain.from_iterable(blocks))[: convention.depth], key=lambda entry: entry.place)


def _joins(query: str, qrels: Qrels, run: Run, convention: Convention, rel: int) -> bool:
    """Tell whether a query of the qrels takes part."""
    has_relevant = any(is_relevant(grade, rel) for grade in qrels.grades(query).values())
    if query not in run and convention.missing_query is MissingQuery.ERROR:
        raise UndefinedValueError(f"query {query} is not in the run, and missing_query=error")
    if not has_relevant and convention.no_relevant is NoRelevant.ERROR:
        raise UndefinedValueError(f"query {query} has no relevant documents, and no_relevant=error")
    absent = query not in run and convention.missing_query is MissingQuery.SKIP
    return not absent and not (not has_relevant and convention.no_relevant is NoRelevant.SKIP)


def _joining_unknown(qrels: Qrels, run: Run, convention: Convention) -> list[str]:
    """Return the queries that the qrels do not name, if they count."""
    unknown = [query for query in run if query not in qrels]
    if unknown and convention.unknown_query is UnknownQuery.ERROR:
        raise UndefinedValueError(f"query {unknown[0]} is not in the qrels, and unknown_query=error")
    return unknown if convention.unknown_query is UnknownQuery.ZERO else []
