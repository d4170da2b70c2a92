"""Lists without ties, as labels in rank order or ids: of one query, with documents that stand twice, of two queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from rankspec.conformance.cases.inputs import QUERY
from rankspec.conformance.infer.witness.scope import FIRST, SECOND, Scope, names
from rankspec.conformance.infer.witness.small_inputs import Size, SmallInput
from rankspec.oracle.data.run import Retrieved
from rankspec.oracle.measures.denominators import Counts


def ranked(scope: Scope, documents: int, relevant: int) -> Iterator[SmallInput]:
    """Yield one query's lists without ties."""
    size = Size(documents, relevant, 0)
    for labels in _label_lists(scope, documents, relevant):
        hits = sum(labels)
        for grades in sorted(product(scope.grades, repeat=hits), key=sum):
            graded = iter(grades)
            listed = tuple(next(graded) if label else scope.others[0] for label in labels)
            for outside in scope.outside(relevant - hits):
                yield _of_lists(scope, size, {QUERY: (listed, outside)})


def _label_lists(scope: Scope, documents: int, relevant: int) -> Iterator[tuple[int, ...]]:
    """Yield 0/1 labels for R, the hits first, without those on which nobody can differ."""
    top = documents if scope.limit is None else min(scope.limit, documents)
    for hits in range(min(documents, relevant), -1, -1):
        if hits < relevant and not scope.unretrieved:
            continue
        for rest in range(min(hits, documents - top) + 1):
            # Who is compared cuts the list as it does, so the counts here are those of the whole list, and its top.
            counts = Counts(relevant, top, documents, hits - rest, hits)
            if hits - rest <= top and (scope.can_part is None or scope.can_part(counts)):
                for first in combinations(range(top), hits - rest):
                    for last in combinations(range(top, documents), rest):
                        places = {*first, *last}
                        yield tuple(int(place in places) for place in range(documents))


def two_ranked(scope: Scope, documents: int, relevant: int) -> Iterator[SmallInput]:
    """Yield two queries' lists without ties, or one with a query that is missing or unknown."""
    for states_of_two in (("both", "both"), *scope.absences):
        for lengths in _splits(documents, [state != "missing" for state in states_of_two]):
            for relevants in _splits(relevant, [state != "unknown" for state in states_of_two], least=0):
                listed = [
                    _lists_in_state(scope, state, length, query_relevant)
                    for state, length, query_relevant in zip(states_of_two, lengths, relevants, strict=True)
                ]
                for first, second in product(*listed):
                    # Queries that both have lists may change places.
                    if states_of_two != ("both", "both") or first >= second:
                        yield _two(scope, Size(documents, relevant, 0), states_of_two, (first, second), relevants)


def _splits(total: int, takes_part: Sequence[bool], least: int = 1) -> Iterator[tuple[int, int]]:
    """Yield every way to give a number to two, at least so many to each that takes part, and none to the other."""
    for first in range(total + 1):
        parts = (first, total - first)
        if all((part >= least) if takes else part == 0 for part, takes in zip(parts, takes_part, strict=True)):
            yield parts


def _lists_in_state(scope: Scope, state: str, length: int, relevant: int) -> list[tuple[int, ...]]:
    if state == "missing":
        return [()] if scope.unretrieved or relevant == 0 else []
    if state == "unknown":
        return [(0,) * length]
    return [
        labels
        for hits in range(min(length, relevant) + 1)
        if hits == relevant or scope.unretrieved
        for labels in sorted({*_patterns(length, hits)}, reverse=True)
    ]


def _patterns(length: int, hits: int) -> Iterator[tuple[int, ...]]:
    for places in combinations(range(length), hits):
        yield tuple(int(place in places) for place in range(length))


def _two(
    scope: Scope,
    size: Size,
    states: tuple[str, str],
    lists: tuple[tuple[int, ...], tuple[int, ...]],
    relevants: tuple[int, int],
) -> SmallInput:
    plain = [_plain(scope, labels, relevant) for labels, relevant in zip(lists, relevants, strict=True)]
    if states == ("both", "both"):
        return _of_lists(scope, size, dict(zip((FIRST, SECOND), plain, strict=True)))
    judged: dict[str, Mapping[str, int]] = {}
    listed: dict[str, tuple[Retrieved, ...]] = {}
    for query, state, (graded, outside) in zip((FIRST, SECOND), states, plain, strict=True):
        grades, documents = _named(scope, graded, outside)
        if state != "unknown":
            judged[query] = grades
        if state != "missing":
            listed[query] = documents
    levels = max(len(documents) for documents in listed.values())
    return SmallInput(Size(size.documents, size.relevant, levels), "qrels", judged, listed)


_List = tuple[Sequence[int | None], Sequence[int]]
"""The grades of a list, best first, and those of judged documents outside of it."""


def _plain(scope: Scope, labels: Sequence[int], relevant: int) -> _List:
    """Return a list of labels with R as grades."""
    listed = [scope.relevant[0] if label else scope.others[0] for label in labels]
    return listed, [scope.relevant[0]] * (relevant - sum(labels))


def _of_lists(scope: Scope, size: Size, lists: Mapping[str, _List]) -> SmallInput:
    """Make an input of grades in rank order; labels say all of them if what is outside has the grade 1."""
    judged: dict[str, Mapping[str, int]] = {}
    listed: dict[str, tuple[Retrieved, ...]] = {}
    for query, (grades, outside) in lists.items():
        judged[query], listed[query] = _named(scope, grades, outside)
    labelled = "relevance" if len(lists) == 1 else "queries"
    plain = (scope.relevant[0], scope.others[0]) == (1, 0) and all({*outside} <= {1} for _, outside in lists.values())
    return SmallInput(size, labelled if plain else "qrels", judged, listed)


def _named(
    scope: Scope, listed: Sequence[int | None], outside: Sequence[int]
) -> tuple[dict[str, int], tuple[Retrieved, ...]]:
    """Name documents in rank order, then those not retrieved; a query has a judgment at least."""
    docnos = names(len(listed) + len(outside))
    grades = {docno: grade for docno, grade in zip(docnos, [*listed, *outside], strict=True) if grade is not None}
    documents = tuple(map(Retrieved, docnos, range(len(listed), 0, -1)))
    if not grades:
        grades[names(len(docnos) + 1)[-1]] = scope.judged_miss
    return grades, documents


def with_copies(scope: Scope, documents: int, relevant: int) -> Iterator[SmallInput]:
    """Yield one query's lists without ties in which a document stands twice, as ids; only relevant ones are judged."""
    for tokens in _copying_lists(documents):
        docnos, labels = _copied(tokens)
        hits = sum(labels.values())
        if hits == relevant or (hits < relevant and scope.unretrieved):
            actual = [docno for docno, label in labels.items() if label]
            actual += names(len(labels) + relevant - hits)[len(labels) :]
            listed = tuple(map(Retrieved, docnos, range(documents, 0, -1)))
            judged = {QUERY: dict.fromkeys(actual, 1)}
            yield SmallInput(Size(documents, relevant, 0), "actual", judged, {QUERY: listed})


def _copying_lists(documents: int, before: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield lists of `R`, `N` and the numbers of earlier lines that are copied, of which there is at least one."""
    if len(before) == documents:
        if any(isinstance(token, int) for token in before):
            yield before
        return
    originals = [place for place, token in enumerate(before) if isinstance(token, str)]
    tokens: tuple[str | int, ...] = (_RELEVANT, _MISS, *originals)
    for token in tokens:
        yield from _copying_lists(documents, (*before, token))


_RELEVANT, _MISS = "R", "N"


def _copied(tokens: Sequence[str | int]) -> tuple[list[str], dict[str, int]]:
    docnos: list[str] = []
    labels: dict[str, int] = {}
    for token in tokens:
        if isinstance(token, int):
            docnos.append(docnos[token])
        else:
            docnos.append(names(len(labels) + 1)[-1])
            labels[docnos[-1]] = int(token == _RELEVANT)
    return docnos, labels
