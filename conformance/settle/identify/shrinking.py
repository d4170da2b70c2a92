"""Making a counterexample smaller, step by step, as long as the implementation and the convention still part on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from rankspec.conformance.settle.identify.probe import Probe
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run

_ROUNDS = 60
_AT_ONCE = 40


def shrunk(start: Probe, part: Callable[[Sequence[Probe]], Probe | None], rounds: int = _ROUNDS) -> Probe:
    """Return a probe none of whose simplifications parts them (or the best within so many rounds).

    Args:
        start: a probe on which they part.
        part: returns the first of some probes on which they part, if there is one.
        rounds: how often a batch is asked.
    """
    best = start
    candidates = _simpler(best)
    for _ in range(rounds):
        batch = list(islice(candidates, _AT_ONCE))
        if not batch:
            break
        found = part(batch)
        if found is not None:
            best = found
            candidates = _simpler(best)
    return best


def _simpler(given: Probe) -> Iterator[Probe]:
    """Yield simplifications: queries, halves of lists and single documents left out, scores and grades made plain."""
    queries = sorted({*given.qrels, *given.run})
    if len(queries) > 1:
        for query in queries:
            yield _changed(given, grades={query: None}, lists={query: None})
    for shorter in (_halves, _without_a_document, _with_plainer_judgments):
        for query in queries:
            yield from shorter(given, query)
    yield from _with_plain_scores(given)
    for query in queries:
        listed = given.run.documents(query)
        best_first = sorted(listed, key=lambda document: document.score, reverse=True)
        if list(listed) != best_first:
            yield _changed(given, lists={query: best_first})


def _halves(given: Probe, query: str) -> Iterator[Probe]:
    listed, grades = given.run.documents(query), given.qrels.grades(query)
    if len(listed) > 2:  # noqa: PLR2004 - two documents have no halves worth the name
        for half in (listed[: len(listed) // 2], listed[len(listed) // 2 :]):
            names = {docno for docno, _ in half}
            kept = {docno: grade for docno, grade in grades.items() if docno in names}
            yield _changed(given, grades={query: kept} if query in given.qrels else {}, lists={query: half})


def _without_a_document(given: Probe, query: str) -> Iterator[Probe]:
    listed, grades = given.run.documents(query), given.qrels.grades(query)
    for place, (docno, _) in enumerate(listed):
        rest = [*listed[:place], *listed[place + 1 :]]
        if docno in grades:
            yield _changed(given, grades={query: _without(grades, docno)}, lists={query: rest})
        yield _changed(given, lists={query: rest})
    for docno in grades:
        yield _changed(given, grades={query: _without(grades, docno)})


def _without(grades: Mapping[str, int], docno: str) -> dict[str, int]:
    return {name: grade for name, grade in grades.items() if name != docno}


def _with_plainer_judgments(given: Probe, query: str) -> Iterator[Probe]:
    grades = given.qrels.grades(query)
    for docno, grade in grades.items():
        if grade not in {0, 1}:
            for plain in (0, 1):
                yield _changed(given, grades={query: {**grades, docno: plain}})
    for docno, _ in given.run.documents(query):
        if query in given.qrels and docno not in grades:
            yield _changed(given, grades={query: {**grades, docno: 0}})


def _with_plain_scores(given: Probe) -> Iterator[Probe]:
    """Number the levels of score from 1."""
    scores = {score for query in given.run for _, score in given.run.documents(query)}
    levels = {score: level for level, score in enumerate(sorted(scores), 1)}
    if any(score != level for score, level in levels.items()):
        run = {query: [(docno, levels[score]) for docno, score in given.run.documents(query)] for query in given.run}
        yield replace(given, run=Run.of(run))


def _changed(given: Probe, *, grades: dict[str, object] | None = None, lists: dict[str, object] | None = None) -> Probe:
    """Return the probe with the judgments and lists of some queries changed; None leaves the query out."""
    judged = {query: given.qrels.grades(query) for query in given.qrels} | (grades or {})
    listed = {query: given.run.documents(query) for query in given.run} | (lists or {})
    return replace(
        given,
        qrels=Qrels.of({query: each for query, each in judged.items() if each is not None}),  # type: ignore[misc]
        run=Run.of({query: each for query, each in listed.items() if each is not None}),  # type: ignore[misc]
    )
