"""Small inputs in order of size: lists without ties, documents that stand twice, two queries, and lists with scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product

from rankspec.conformance.cases.inputs import QUERY
from rankspec.conformance.infer.witness.scope import FIRST, SECOND, Scope, names
from rankspec.conformance.infer.witness.small_inputs import Size, SmallInput
from rankspec.oracle.data.run import Retrieved, Score
from rankspec.oracle.measures.areas.denominators import Counts


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
        # More below the top than there are places give nothing, after a walk through each choice above it.
        for rest in range(min(hits, documents - top) + 1):
            # Who is compared cuts the list as it does, so the counts here are those of the whole list, and its top.
            counts = Counts(relevant, top, documents, hits - rest, hits)
            if scope.can_part is None or scope.can_part(counts):
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
                    hits = [[grade in scope.relevant for grade in grades] for grades, _ in (first, second)]
                    if states_of_two != ("both", "both") or hits[0] >= hits[1]:
                        lists = {FIRST: first, SECOND: second}
                        yield _of_lists(scope, Size(documents, relevant, 0), lists, states_of_two)


def _splits(total: int, takes_part: Sequence[bool], least: int = 1) -> Iterator[tuple[int, int]]:
    """Yield every way to give a number to two, at least so many to each that takes part, and none to the other."""
    for first in range(total + 1):
        parts = (first, total - first)
        if all((part >= least) if takes else part == 0 for part, takes in zip(parts, takes_part, strict=True)):
            yield parts


def _lists_in_state(scope: Scope, state: str, length: int, relevant: int) -> list[_List]:
    if state == "missing":
        return [((), (scope.relevant[0],) * relevant)] if scope.unretrieved or relevant == 0 else []
    if state == "unknown":
        return [((scope.others[0],) * length, (scope.relevant[0],) * relevant)]
    return [
        (
            tuple(scope.relevant[0] if place in places else scope.others[0] for place in range(length)),
            (scope.relevant[0],) * (relevant - hits),
        )
        for hits in range(min(length, relevant) + 1)
        if hits == relevant or scope.unretrieved
        for places in combinations(range(length), hits)  # the hits first
    ]


_List = tuple[tuple[int | None, ...], tuple[int, ...]]
"""The grades of a list, best first, and those of judged documents outside of it."""


def _of_lists(
    scope: Scope, size: Size, lists: Mapping[str, _List], states: Sequence[str] = ("both", "both")
) -> SmallInput:
    """Make an input of grades in rank order; labels say all of them if what is outside has the grade 1."""
    judged: dict[str, Mapping[str, int]] = {}
    listed: dict[str, tuple[Retrieved, ...]] = {}
    for (query, (graded, outside)), state in zip(lists.items(), states, strict=False):
        grades, documents = _named(scope, graded, outside)
        judged |= {} if state == "unknown" else {query: grades}
        listed |= {} if state == "missing" else {query: documents}
    if {*states} != {"both"}:
        return SmallInput(size._replace(score_levels=max(map(len, listed.values()))), "qrels", judged, listed)
    labelled = "relevance" if len(lists) == 1 else "queries"
    plain = (scope.relevant[0], scope.others[0]) == (1, 0) and all({*outside} <= {1} for _, outside in lists.values())
    return SmallInput(size, labelled if plain else "qrels", judged, listed)


def _named(
    scope: Scope, entries: Sequence[int | None], outside: Sequence[int]
) -> tuple[dict[str, int], tuple[Retrieved, ...]]:
    """Name documents in rank order, then those not retrieved; a query has a judgment at least."""
    docnos = names(len(entries) + len(outside))
    grades = {docno: grade for docno, grade in zip(docnos, [*entries, *outside], strict=True) if grade is not None}
    documents = tuple(map(Retrieved, docnos, range(len(entries), 0, -1)))
    if not grades:
        grades[names(len(docnos) + 1)[-1]] = scope.judged_miss
    return grades, documents


def with_copies(scope: Scope, documents: int, relevant: int) -> Iterator[SmallInput]:
    """Yield one query's lists without ties in which a document appears twice, as ids; only relevant ones are judged."""
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


NEAR = {"float32": Fraction(1, 10**8), "float64": Fraction(1, 10**17)}
"""Steps between scores near small whole numbers that are lost in singles, and in doubles."""

MOST_NEAR = 5
"""So many such steps above a whole number are lost; more scores that only rounding makes equal are not tried."""


@dataclass(frozen=True)
class Outline:
    """Retrieved documents, best block first, without the relevant ones that were not retrieved."""

    states: tuple[str, ...]  # of each query, `both`, `missing` or `unknown`
    queries: tuple[int, ...]  # the query of each line
    grades: tuple[int | None, ...]  # the grade of each line
    docnos: tuple[int, ...]  # the name of each line, 0 the smallest
    scores: tuple[Score, ...]  # the score of each line


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
        for block in dict.fromkeys(blocks)
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
    queries = (QUERY,) if len(outline.states) == 1 else (FIRST, SECOND)
    docnos = names(len(outline.docnos) + missed + scope.misses_outside + len(queries))
    size = Size(len(outline.grades), relevant, levels)
    for outside in scope.outside(missed):
        most = len(outside)
        for first in range(most if len(queries) == 1 or outline.states[1] == "unknown" else 0, most + 1):
            yield _built(scope, outline, size, docnos, (outside[:first], outside[first:]))


def _built(
    scope: Scope, outline: Outline, size: Size, docnos: Sequence[str], outside: tuple[Sequence[int], Sequence[int]]
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
