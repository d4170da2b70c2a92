"""Small inputs in order of size: lists without ties, documents that stand twice, two queries, and lists with scores.

A ranked list without ties is written as labels, which have no scores; everything else has scores, written so that a
reader sees at once which of them are equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

from rankspec.conformance.cases.inputs import QUERY
from rankspec.conformance.infer.witness.scope import FEW, FIRST, SECOND, Scope, names
from rankspec.oracle.conventions.measure import decimal_text
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Retrieved, Run, Score
from rankspec.oracle.measures.areas.denominators import Counts
from rankspec.oracle.rankings.ranking import is_relevant

_List = tuple[tuple[int | None, ...], tuple[int, ...]]
"""The grades of a list, best first, and those of judged documents outside of it."""
_RELEVANT, _MISS = "R", "N"
NEAR = {"float32": Fraction(1, 10**8), "float64": Fraction(1, 10**17)}
"""Steps between scores near small whole numbers that are lost in singles, and in doubles."""
MOST_NEAR = 5
"""So many such steps above a whole number are lost; more scores that only rounding makes equal are not tried."""
_Lines = tuple[tuple[str, ...], tuple[int, ...], tuple[int | None, ...], tuple[int, ...]]


class Size(NamedTuple):
    """What makes an input small, in this order."""

    documents: int  # lines of the run
    relevant: int  # relevant documents, retrieved or not
    score_levels: int  # different scores; 0 where labels in rank order say all


def size_of(qrels: Qrels, run: Run, rel: int) -> Size:
    """Return how small an input is that has scores."""
    scores = [score for query in run for _, score in run.documents(query)]
    relevant = sum(is_relevant(grade, rel) for query in qrels for grade in qrels.grades(query).values())
    return Size(len(scores), relevant, len({*scores}))


@dataclass(frozen=True)
class SmallInput:
    """An input that an enumeration yields."""

    size: Size
    form: str  # how it is written: `relevance`, `labels`, `actual`, `queries` or `qrels` (`conformance.cases.inputs`)
    judged: Mapping[str, Mapping[str, int]]  # query -> docno -> grade; a query unknown to the qrels is not there
    results: Mapping[str, tuple[Retrieved, ...]]  # query -> documents in file order; a missing query is not there

    @property
    def qrels(self) -> Qrels:
        """Return the judgments."""
        return Qrels(self.judged)

    @property
    def run(self) -> Run:
        """Return what was retrieved."""
        return Run(self.results)

    @property
    def data(self) -> dict[str, Any]:
        """Return the input as a fixture case has it."""
        if self.form == "qrels":
            return {
                "qrels": {query: dict(grades) for query, grades in self.judged.items()},
                "run": {
                    query: [[docno, score_text(score)] for docno, score in docs] for query, docs in self.results.items()
                },
            }
        if self.form == "queries":
            return {"queries": {query: self._relevance(query) for query in self.judged}}
        (query,) = self.judged
        if self.form == "relevance":
            return self._relevance(query)
        docnos = [docno for docno, _ in self.results[query]]
        if self.form == "actual":
            return {"actual": [docno for docno, grade in self.judged[query].items() if grade > 0], "predicted": docnos}
        return {
            "labels": [self.judged[query][docno] for docno in docnos],
            "scores": [score_text(score) for _, score in self.results[query]],
        }

    def _relevance(self, query: str) -> dict[str, Any]:
        grades = self.judged[query]
        labels = [grades[docno] for docno, _ in self.results[query]]
        return {"relevance": labels, "num_relevant": sum(grade > 0 for grade in grades.values())}


def score_text(score: Score) -> int | str:
    """Write a score as a fixture has it: a whole number, or the text of a decimal."""
    if isinstance(score, float) and math.isinf(score):
        return str(score)
    exact = Fraction(score)
    return int(exact) if exact.denominator == 1 else decimal_text(exact)


def inputs_of(scope: Scope, documents: int) -> Iterator[SmallInput]:
    """Yield every input of so many retrieved documents, in order of size."""
    for relevant in scope.relevants(documents):
        few = relevant <= documents + FEW
        if scope.ranked:
            yield from ranked(scope, documents, relevant)
        if scope.ranked and scope.copies and (scope.relevant, scope.others) == ((1,), (0,)) and few:
            yield from with_copies(scope, documents, relevant)
        two = list(two_ranked(scope, documents, relevant)) if scope.second and not scope.pooled and few else []
        for levels in range(documents + 1):
            yield from (each for each in two if each.size.score_levels == levels)
            if scope.scored and levels and few:
                for outline in outlines(scope, documents, levels):
                    yield from scored(scope, outline, relevant, levels)


def ranked(scope: Scope, documents: int, relevant: int) -> Iterator[SmallInput]:
    """Yield one query's lists without ties."""
    size = Size(documents, relevant, 0)
    for labels in _label_lists(scope, documents, relevant):
        hits = sum(labels)
        for grades in sorted(product(scope.grades, repeat=hits), key=sum):
            remaining = iter(grades)
            graded = tuple(next(remaining) if label else scope.others[0] for label in labels)
            for outside in scope.outside(relevant - hits):
                yield _of_lists(scope, size, {QUERY: (graded, outside)})


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
    for states in (("both", "both"), *scope.absences):
        for length, count in product(range(documents + 1), range(relevant + 1)):
            firsts = _lists_in_state(scope, states[0], length, count)
            for first, second in product(
                firsts, _lists_in_state(scope, states[1], documents - length, relevant - count)
            ):
                # Queries that both have lists may change places.
                hits = [[grade in scope.relevant for grade in grades] for grades, _ in (first, second)]
                if states != ("both", "both") or hits[0] >= hits[1]:
                    yield _of_lists(scope, Size(documents, relevant, 0), {FIRST: first, SECOND: second}, states)


def _lists_in_state(scope: Scope, state: str, length: int, relevant: int) -> list[_List]:
    missed = (scope.relevant[0],) * relevant
    if state == "missing":
        return [((), missed)] if length == 0 and (scope.unretrieved or relevant == 0) else []
    if length == 0:
        return []
    if state == "unknown":
        return [((scope.others[0],) * length, ())] if relevant == 0 else []
    return [
        (tuple(scope.relevant[0] if place in places else scope.others[0] for place in range(length)), missed[hits:])
        for hits in range(min(length, relevant) + 1)
        if hits == relevant or scope.unretrieved
        for places in combinations(range(length), hits)  # the hits first
    ]


def _of_lists(scope: Scope, size: Size, lists: dict[str, _List], kinds: Sequence[str] = ("both", "both")) -> SmallInput:
    """Make an input of grades in rank order; labels say all of them if what is outside has the grade 1."""
    judged: dict[str, Mapping[str, int]] = {}
    results: dict[str, tuple[Retrieved, ...]] = {}
    for (query, (graded, outside)), state in zip(lists.items(), kinds, strict=False):
        # Documents have names in rank order, then those not retrieved; a query has a judgment at least.
        docnos = names(len(graded) + len(outside))
        entries = zip(docnos, [*graded, *outside], strict=True)
        grades = {docno: grade for docno, grade in entries if grade is not None}
        if state != "unknown":
            judged[query] = grades or {names(len(docnos) + 1)[-1]: scope.judged_miss}
        if state != "missing":
            results[query] = tuple(map(Retrieved, docnos, range(len(graded), 0, -1)))
    if {*kinds} != {"both"}:
        return SmallInput(size._replace(score_levels=max(map(len, results.values()))), "qrels", judged, results)
    labelled = "relevance" if len(lists) == 1 else "queries"
    plain = (scope.relevant[0], scope.others[0]) == (1, 0) and all({*outside} <= {1} for _, outside in lists.values())
    return SmallInput(size, labelled if plain else "qrels", judged, results)


def with_copies(scope: Scope, documents: int, relevant: int) -> Iterator[SmallInput]:
    """Yield one query's lists without ties in which a document appears twice, as ids; only relevant ones are judged."""
    for tokens in product(*((_RELEVANT, _MISS, *range(place)) for place in range(documents))):
        # Each is of a kind, or a copy of an earlier one that is none.
        copied = [token for token in tokens if isinstance(token, int)]
        if not copied or any(isinstance(tokens[each], int) for each in copied):
            continue
        originals = [token if isinstance(token, int) else place for place, token in enumerate(tokens)]
        named = dict(zip(dict.fromkeys(originals), names(documents), strict=False))
        hits = sum(tokens[each] == _RELEVANT for each in named)
        if hits == relevant or (hits < relevant and scope.unretrieved):
            actual = [docno for each, docno in named.items() if tokens[each] == _RELEVANT]
            actual += names(len(named) + relevant - hits)[len(named) :]
            retrieved = tuple(Retrieved(named[each], documents - place) for place, each in enumerate(originals))
            judged = {QUERY: dict.fromkeys(actual, 1)}
            yield SmallInput(Size(documents, relevant, 0), "actual", judged, {QUERY: retrieved})


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
    candidates = [
        Outline(states, queries, grades, docnos, scores)
        for states, queries, grades, originals in _lines(scope, documents)
        for blocks, scores in _scorings(scope, documents, levels)
        # The first query's lines come first in each block: files say nothing else.
        if [*zip(blocks, queries, strict=True)] == sorted(zip(blocks, queries, strict=True))
        and not _is_ranked(scope, states, grades, originals, levels)
        for docnos in _namings(scope, blocks, originals)
    ]
    plain = {*scope.relevant[:1], *scope.others[:1]}

    def special(each: Outline) -> tuple[int, int, int]:
        copies = len(each.docnos) - len({*each.docnos})
        return len(each.states), copies, sum(grade not in plain for grade in each.grades)

    return tuple(sorted(candidates, key=special))


def _is_ranked(
    scope: Scope, states: tuple[str, ...], grades: tuple[int | None, ...], originals: tuple[int, ...], levels: int
) -> bool:
    """Tell whether this is one of the lists without ties, which labels have already said."""
    plain = {*grades} <= {*scope.grades, scope.others[0]} and originals == tuple(range(len(grades)))
    return scope.ranked and len(states) == 1 and plain and levels == len(grades) and not scope.near


def _lines(scope: Scope, documents: int) -> Iterator[_Lines]:
    """Yield states, queries, grades and originals (the first line of the same document) of the lines."""
    several = (("both", "both"), *scope.absences) if scope.second and scope.pooled else ()
    for states in (("both",), *several):
        listing = [number for number, state in enumerate(states) if state != "missing"]
        for queries in product(listing, repeat=documents):
            if {*queries} != {*listing}:
                continue
            letters = [(None,) if states[query] == "unknown" else (*scope.relevant, *scope.others) for query in queries]
            for grades in product(*letters):
                kinds = [*zip(queries, grades, strict=True)]
                earlier = [
                    [each for each in range(place) if scope.copies and kinds[each] == kinds[place]]
                    for place in range(documents)
                ]
                for originals in product(*([place, *each] for place, each in enumerate(earlier))):
                    if all(originals[each] == each for each in originals):
                        yield states, queries, grades, originals


def _scorings(scope: Scope, documents: int, levels: int) -> Iterator[tuple[tuple[int, ...], tuple[Score, ...]]]:
    """Yield the block of each line, and scores of so many levels: equal within a block, at least once rounded."""
    for cuts in product((0, 1), repeat=max(documents - 1, 0)):
        blocks = tuple(sum(cuts[:place]) for place in range(documents))
        count = blocks[-1] + 1
        orders = (_weak_orders(blocks.count(block), is_near=bool(scope.near)) for block in range(count))
        for chosen in product(*orders):
            if sum(max(order) + 1 for order in chosen) == levels:
                steps = [max(order) - step for order in chosen for step in order]
                near = [step and step * NEAR[scope.near] for step in steps]
                yield blocks, tuple(count - block + each for block, each in zip(blocks, near, strict=True))


@cache
def _weak_orders(documents: int, *, is_near: bool) -> tuple[tuple[int, ...], ...]:
    """Return every way to put documents on levels 0, 1, ..., none of them empty; on one level if none is near."""
    levels = range(min(documents, MOST_NEAR) if is_near else 1)
    return tuple(order for order in product(levels, repeat=documents) if {*order} == {*range(max(order) + 1)})


def _namings(scope: Scope, blocks: tuple[int, ...], originals: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the names of the lines: they rise from block to block, and take any order in one."""
    firsts = [
        [place for place, original in enumerate(originals) if original == place and blocks[place] == block]
        for block in dict.fromkeys(blocks)
    ]
    for orders in product(*(permutations(places) if scope.names else [places] for places in firsts)):
        ranked = [place for order in orders for place in order]
        yield tuple(ranked.index(original) for original in originals)


def scored(scope: Scope, outline: Outline, relevant: int, levels: int) -> Iterator[SmallInput]:
    """Yield the inputs of a outline with so many relevant documents: those not retrieved are given to either query."""
    hits = len({docno for docno, grade in zip(outline.docnos, outline.grades, strict=True) if grade in scope.relevant})
    missed = relevant - hits
    if missed < 0 or (missed and not scope.unretrieved):
        return
    size = Size(len(outline.grades), relevant, levels)
    for outside in scope.outside(missed):
        most = len(outside)
        for first in range(0 if outline.states[1:] and outline.states[1] != "unknown" else most, most + 1):
            yield _built(scope, outline, size, (outside[:first], outside[first:]))


def _built(scope: Scope, outline: Outline, size: Size, outside: tuple[Sequence[int], Sequence[int]]) -> SmallInput:
    docnos = names(len(outline.docnos) + sum(map(len, outside)) + len(outline.states))
    judged: dict[str, dict[str, int]] = {}
    results: dict[str, tuple[Retrieved, ...]] = {}
    free = iter(docnos[max(outline.docnos) + 1 :])
    for number, state in enumerate(outline.states):
        query = (FIRST, SECOND)[number] if len(outline.states) > 1 else QUERY
        rows = zip(outline.queries, outline.docnos, outline.grades, outline.scores, strict=True)
        lines = [(docnos[docno], grade, score) for of, docno, grade, score in rows if of == number]
        if state != "missing":
            results[query] = tuple(Retrieved(docno, score) for docno, _, score in lines)
        if state != "unknown":
            judged[query] = {docno: grade for docno, grade, _ in lines if grade is not None}
            judged[query] |= {next(free): grade for grade in outside[number]}
            if not judged[query]:
                judged[query][next(free)] = scope.judged_miss
    is_in_order = outline.docnos == tuple(range(len(outline.docnos)))
    is_expressible = {*outline.grades} <= {0, 1, *scope.grades}
    labelled = len(outline.states) == 1 and not any(outside) and is_in_order and is_expressible
    return SmallInput(size, "labels" if labelled else "qrels", judged, results)
