"""Lists with scores: blocks of equal ones, names against file order, unjudged documents, two queries in one pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product

from rankspec.conformance.cases.inputs import QUERY
from rankspec.conformance.infer.witness.scope import FIRST, SECOND, Scope, names
from rankspec.conformance.infer.witness.small_inputs import Size, SmallInput
from rankspec.oracle.data.run import Retrieved
from rankspec.oracle.data.scores import Score

NEAR = {"float32": Fraction(1, 10**8), "float64": Fraction(1, 10**17)}
"""Steps between scores near small whole numbers that are lost in singles, and in doubles."""

MOST_NEAR = 5
"""So many such steps above a whole number are lost; more scores that only rounding makes equal are not tried."""


@dataclass(frozen=True)
class Outline:
    """Retrieved documents, best block first, without the relevant ones that were not retrieved.

    Attributes:
        states: of each query, `both`, `missing` or `unknown`.
        queries: the query of each line.
        grades: the grade of each line.
        docnos: the name of each line, 0 the smallest.
        scores: the score of each line.
    """

    states: tuple[str, ...]
    queries: tuple[int, ...]
    grades: tuple[int | None, ...]
    docnos: tuple[int, ...]
    scores: tuple[Score, ...]


@cache
def outlines(scope: Scope, documents: int, levels: int) -> tuple[Outline, ...]:
    """Return the lists of so many documents and score levels, those with the fewest special documents first."""
    if levels > 1 and not (scope.tied or scope.near):
        return ()
    found = [
        Outline(states, queries, grades, _docnos_of(originals, order), scores)
        for states, queries, grades, originals in _lines(scope, documents)
        for blocks, scores in _scorings(scope, documents, levels)
        if _in_order_of_queries(queries, blocks) and not _is_ranked(scope, states, grades, originals, levels)
        for order in _name_orders(scope, blocks, originals)
    ]
    plain = {*scope.relevant[:1], *scope.others[:1]}
    return tuple(
        sorted(
            found,
            key=lambda each: (
                len(each.states),
                len(each.docnos) - len({*each.docnos}),
                sum(grade not in plain for grade in each.grades),
            ),
        )
    )


def _is_ranked(
    scope: Scope, states: tuple[str, ...], grades: tuple[int | None, ...], originals: tuple[int, ...], levels: int
) -> bool:
    """Tell whether this is one of the lists without ties, which labels have already said."""
    plain = {*grades} <= {*scope.grades, scope.others[0]} and originals == tuple(range(len(grades)))
    return scope.ranked and len(states) == 1 and plain and levels == len(grades) and not scope.near


_Lines = tuple[tuple[str, ...], tuple[int, ...], tuple[int | None, ...], tuple[int, ...]]


def _lines(scope: Scope, documents: int) -> Iterator[_Lines]:
    """Yield states, queries, grades and originals (the first line of the same document) of the lines."""
    two = scope.second and scope.pooled
    absent = scope.absences if two else ()
    for states in (("both",), *((("both", "both"),) if two else ()), *absent):
        listing = [number for number, state in enumerate(states) if state != "missing"]
        for queries in product(listing, repeat=documents):
            if {*queries} != {*listing}:
                continue
            letters = [(None,) if states[query] == "unknown" else (*scope.relevant, *scope.others) for query in queries]
            for grades in product(*letters):
                for originals in _copyings(scope, queries, grades):
                    yield states, queries, grades, originals


def _copyings(scope: Scope, queries: tuple[int, ...], grades: tuple[int | None, ...]) -> Iterator[tuple[int, ...]]:
    """Yield for each line the first line of its document."""
    documents = len(grades)
    if not scope.copies:
        yield tuple(range(documents))
        return
    choices = [
        [
            place,
            *(
                earlier
                for earlier in range(place)
                if (queries[earlier], grades[earlier]) == (queries[place], grades[place])
            ),
        ]
        for place in range(documents)
    ]
    yield from (
        originals for originals in product(*choices) if all(originals[original] == original for original in originals)
    )


def _scorings(scope: Scope, documents: int, levels: int) -> Iterator[tuple[tuple[int, ...], tuple[Score, ...]]]:
    """Yield the block of each line, and scores of so many levels: equal within a block, at least once rounded."""
    for cuts in product((0, 1), repeat=max(documents - 1, 0)):
        blocks = tuple(sum(cuts[:place]) for place in range(documents))
        count = blocks[-1] + 1
        if not scope.near and count == levels:
            yield blocks, tuple(count - block for block in blocks)
        elif scope.near and count <= levels:
            yield from ((blocks, scores) for scores in _near_scores(scope.near, blocks, levels))


def _near_scores(near: str, blocks: tuple[int, ...], levels: int) -> Iterator[tuple[Score, ...]]:
    """Yield scores of so many levels that rounding makes equal inside each block."""
    count = blocks[-1] + 1
    orders = [_weak_orders(blocks.count(block)) for block in range(count)]
    for chosen in product(*orders):
        if sum(max(order) + 1 for order in chosen) == levels:
            steps = [step for order in chosen for step in order]
            highest = [max(order) for order in chosen for _ in order]
            yield tuple(
                count - block + (top - step) * NEAR[near] if top > step else count - block
                for block, step, top in zip(blocks, steps, highest, strict=True)
            )


@cache
def _weak_orders(documents: int) -> tuple[tuple[int, ...], ...]:
    """Return every way to put documents on levels 0, 1, ..., none of them empty."""
    return tuple(
        order
        for order in product(range(min(documents, MOST_NEAR)), repeat=documents)
        if {*order} == {*range(max(order) + 1)}
    )


def _in_order_of_queries(queries: tuple[int, ...], blocks: tuple[int, ...]) -> bool:
    """Tell whether the first query's lines come first in each block: files say nothing else."""
    pairs = list(zip(blocks, queries, strict=True))
    return pairs == sorted(pairs)


def _name_orders(scope: Scope, blocks: tuple[int, ...], originals: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the name of each first line: names rise from block to block, and take any order in one."""
    if not scope.names:
        yield tuple(range(len(blocks)))
        return
    firsts = [
        [place for place in range(len(blocks)) if blocks[place] == block and originals[place] == place]
        for block in range(blocks[-1] + 1)
    ]
    for orders in product(*(permutations(places) for places in firsts)):
        ranked = [place for order in orders for place in order]
        yield tuple(ranked.index(place) if place in ranked else 0 for place in range(len(blocks)))


def _docnos_of(originals: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    used = sorted({order[original] for original in originals})
    return tuple(used.index(order[original]) for original in originals)


def scored(scope: Scope, outline: Outline, relevant: int, levels: int) -> Iterator[SmallInput]:
    """Yield the inputs of a outline with so many relevant documents: those not retrieved are given to either query."""
    hits = len({docno for docno, grade in zip(outline.docnos, outline.grades, strict=True) if grade in scope.relevant})
    missed = relevant - hits
    if missed < 0 or (missed and not scope.unretrieved):
        return
    documents = max(outline.docnos) + 1
    queries = (QUERY,) if len(outline.states) == 1 else (FIRST, SECOND)
    docnos = names(documents + missed + scope.misses_outside + len(queries))
    size = Size(len(outline.grades), relevant, levels)
    for outside in scope.outside(missed):
        most = len(outside)
        for first in range(most if len(queries) == 1 or outline.states[1] == "unknown" else 0, most + 1):
            yield _built(scope, outline, size, docnos, (outside[:first], outside[first:]))


def _built(
    scope: Scope,
    outline: Outline,
    size: Size,
    docnos: Sequence[str],
    outside: tuple[Sequence[int], Sequence[int]],
) -> SmallInput:
    queries = (QUERY,) if len(outline.states) == 1 else (FIRST, SECOND)
    judged: dict[str, dict[str, int]] = {}
    listed: dict[str, list[Retrieved]] = {}
    free = iter(docnos[max(outline.docnos) + 1 :])
    for number, (query, state) in enumerate(zip(queries, outline.states, strict=True)):
        lines = [place for place, of in enumerate(outline.queries) if of == number]
        if state != "missing":
            listed[query] = [Retrieved(docnos[outline.docnos[place]], outline.scores[place]) for place in lines]
        if state != "unknown":
            judged[query] = {
                docnos[outline.docnos[place]]: grade for place in lines if (grade := outline.grades[place]) is not None
            }
            judged[query] |= {next(free): grade for grade in outside[number]}
            if not judged[query]:
                judged[query][next(free)] = scope.judged_miss
    in_order = outline.docnos == tuple(range(len(outline.docnos)))
    sayable = {0, 1, *scope.grades}
    labelled = len(queries) == 1 and not any(outside) and in_order and {*outline.grades} <= sayable
    frozen = {query: tuple(documents) for query, documents in listed.items()}
    return SmallInput(size, "labels" if labelled else "qrels", judged, frozen)
