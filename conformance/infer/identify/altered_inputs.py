"""What an implementation that deviates makes of an input: other scores, other grades, other lists."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.data.scores import Score, as_float64
from rankspec.oracle.rankings.ranking import is_relevant

Listed = list[tuple[str, Score]]
Change = Callable[[ShapedProbe], ShapedProbe]


def of_scores(score: Callable[[float], float]) -> Change:
    """Change every score."""
    return of_lists(lambda listed, _: [(docno, score(float(as_float64(each)))) for docno, each in listed])


def of_grades(grade: Callable[[int], int]) -> Change:
    """Change every grade."""
    return of_judgments(lambda grades, _: {docno: grade(each) for docno, each in grades.items()})


def of_lists(change: Callable[[Listed, Mapping[str, int]], Listed]) -> Change:
    """Change every query's list, in file order, knowing the judgments."""

    def changed(asked: ShapedProbe) -> ShapedProbe:
        before = {query: [(docno, score) for docno, score in asked.run.documents(query)] for query in asked.run}
        after = {query: change(listed, _grades(asked, query)) for query, listed in before.items()}
        return asked if after == before else replace(asked, run=Run.of(after))

    return changed


def of_judgments(change: Callable[[dict[str, int], Listed], dict[str, int]]) -> Change:
    """Change every query's judgments, knowing the list."""

    def changed(asked: ShapedProbe) -> ShapedProbe:
        before = {query: dict(asked.qrels.grades(query)) for query in asked.qrels}
        after = {
            query: change(grades, [(docno, score) for docno, score in asked.run.documents(query)])
            if query in asked.run
            else change(grades, [])
            for query, grades in before.items()
        }
        return asked if after == before else replace(asked, qrels=Qrels.of(after))

    return changed


def of_docnos(name: Callable[[str], str]) -> Change:
    """Call every document otherwise; of two that become one the later replaces the earlier, as in a dictionary."""

    def changed(asked: ShapedProbe) -> ShapedProbe:
        docnos = {docno for query in asked.run for docno, _ in asked.run.documents(query)}
        docnos |= {docno for query in asked.qrels for docno in asked.qrels.grades(query)}
        if all(name(docno) == docno for docno in docnos):
            return asked
        qrels = {
            query: {name(docno): grade for docno, grade in asked.qrels.grades(query).items()} for query in asked.qrels
        }
        run = {
            query: list({name(docno): score for docno, score in asked.run.documents(query)}.items())
            for query in asked.run
        }
        return replace(asked, qrels=Qrels.of(qrels), run=Run.of(run))

    return changed


def of_queries(run: Callable[[list[str]], list[str]], qrels: Callable[[list[str]], list[str]]) -> Change:
    """Leave out some queries of the run, or of the qrels."""

    def changed(asked: ShapedProbe) -> ShapedProbe:
        in_run, in_qrels = run(list(asked.run)), qrels(list(asked.qrels))
        if in_run == list(asked.run) and in_qrels == list(asked.qrels):
            return asked
        return replace(
            asked,
            run=Run.of({query: list(asked.run.documents(query)) for query in in_run}),
            qrels=Qrels.of({query: asked.qrels.grades(query) for query in in_qrels}),
        )

    return changed


def _grades(asked: ShapedProbe, query: str) -> Mapping[str, int]:
    return asked.qrels.grades(query) if query in asked.qrels else {}


def in_input_order(listed: Listed, _: Mapping[str, int]) -> Listed:
    """Give scores that fall from line to line."""
    return [(docno, len(listed) - place) for place, (docno, _) in enumerate(listed)]


def unhit(is_lost: Callable[[Score], bool]) -> Change:
    """Make a miss of a document with such a score; it counts in R none the less."""
    return of_lists(lambda listed, _: [(f"\x00{docno}" if is_lost(each) else docno, each) for docno, each in listed])


def dropped(is_lost: Callable[[Score], bool]) -> Change:
    """Drop a document with such a score from the list; it counts in R none the less."""
    return of_lists(lambda listed, _: [(docno, each) for docno, each in listed if not is_lost(each)])


def nonrelevant(is_lost: Callable[[Score], bool]) -> Change:
    """Judge a document with such a score as not relevant."""

    def judged(grades: dict[str, int], listed: Listed) -> dict[str, int]:
        lost = {docno for docno, each in listed if is_lost(each)}
        return {docno: min(grade, 0) if docno in lost else grade for docno, grade in grades.items()}

    return of_judgments(judged)


def without(place: int) -> Change:
    """Drop the best document (0) or the worst one (-1)."""

    def shorter(listed: Listed, _: Mapping[str, int]) -> Listed:
        if not listed:
            return listed
        last = sorted(listed, key=lambda document: document[1], reverse=True)[place]
        return [document for document in listed if document is not last]

    return of_lists(shorter)


def with_a_miss_on_top(listed: Listed, _: Mapping[str, int]) -> Listed:
    """Put a document on top that nobody judged."""
    return [("\x00top", math.inf), *listed] if listed else listed


def repeats_in_r(grades: dict[str, int], listed: Listed) -> dict[str, int]:
    """Count a document that stands twice in R as often as it stands in the list."""
    more: dict[str, int] = {}
    seen: set[str] = set()
    for place, (docno, _) in enumerate(listed):
        if docno in seen and docno in grades:
            more[f"\x00{place} {docno}"] = grades[docno]
        seen.add(docno)
    return grades | more


def highest_alone(rel: int) -> Callable[[dict[str, int], Listed], dict[str, int]]:
    """Judge only documents of a query's highest grade as relevant."""

    def judged(grades: dict[str, int], _: Listed) -> dict[str, int]:
        best = max(grades.values(), default=0)
        return {docno: grade if grade == best or not is_relevant(grade, rel) else 0 for docno, grade in grades.items()}

    return judged


def unjudged_relevant(rel: int) -> Callable[[dict[str, int], Listed], dict[str, int]]:
    """Judge documents as relevant that nobody judged."""
    return lambda grades, listed: {docno: max(rel, 1) for docno, _ in listed} | grades


def equal_alone(asked: ShapedProbe) -> ShapedProbe:
    """Judge only documents of exactly the threshold as relevant."""
    rel = asked.measure.rel
    exact = of_grades(lambda grade: grade if not is_relevant(grade, rel) or grade == max(rel, 1) else 0)
    return exact(asked)


def sigmoid(score: float) -> float:
    """Return 1 / (1 + exp(-score)) in doubles."""
    try:
        return 1 / (1 + math.exp(-score))
    except OverflowError:
        return 0.0


def half(score: float) -> float:
    """Round to the nearest half-precision float."""
    try:
        rounded: float = struct.unpack("e", struct.pack("e", score))[0]
    except (OverflowError, struct.error):
        return math.copysign(math.inf, score)
    return rounded


def whole(score: float) -> float:
    """Cut off the decimals."""
    return math.trunc(score) if math.isfinite(score) else score


def to_digits(digits: int) -> Callable[[float], float]:
    """Return the rounding to so many digits after the point."""
    return lambda score: round(score, digits)


def wrapped(bits: int, *, signed: bool) -> Callable[[int], int]:
    """Return what is left of a grade in an integer of so many bits."""
    half_of_them = 1 << bits - 1 if signed else 0
    return lambda grade: (grade + half_of_them) % (1 << bits) - half_of_them


def cut_to(length: int) -> Callable[[str], str]:
    """Return the cutting of a name to so many characters."""
    return lambda docno: docno[:length]


def cut_at(separator: str) -> Callable[[str], str]:
    """Return the cutting of a name at the first of some signs."""
    return lambda docno: docno.partition(separator)[0]


def padded(docno: str) -> str:
    """Write a number so that its order as text is that of numbers."""
    return docno.rjust(20, "\x00") if docno.isdecimal() else docno


def first_of(count: int) -> Callable[[list[str]], list[str]]:
    """Return the choice of the first queries."""
    return lambda queries: queries[:count]


def every(queries: Iterable[str]) -> list[str]:
    """Leave out none."""
    return list(queries)
