"""Mistakes of input: other scores, grades, names and orders than those that were asked."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.infer.mistakes.mistake import Change
from rankspec.conformance.worker.arguments import ActualPredicted, QueryLists
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run, Score, as_float64
from rankspec.oracle.rankings.ranking import is_relevant

Documents = list[tuple[str, Score]]  # The documents of a query with their scores, in file order
Grades = Mapping[str, int]
Judged = Mapping[str, Grades]  # By query
Lists = Mapping[str, Sequence[tuple[str, Any]]]
Files = tuple[Judged, Lists]

# ---- What is changed

Loss = tuple[str, Callable[[Callable[[Score], bool]], Change]]
"""What becomes of documents with some scores: in words, for which scores is put in, and the change."""
_DIGITS = re.compile(r"\d+")
NAMES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("it treats ids that differ only in case as equal", str.casefold),
    ("it sorts ids without regard to case", lambda docno: f"{docno.lower()}\x00{docno}"),
    ("it sorts ids by the numbers in them", lambda docno: _DIGITS.sub(lambda digits: digits[0].rjust(20, "\x00"), docno)),
)  # fmt: skip
"""How names are compared: names whose order by bytes is this one, equal where these are."""


def of_files(change: Callable[[ShapedProbe, Judged, Lists], Files]) -> Change:
    """Change the judgments and lists of all queries; the same question where they are no others."""

    def changed(question: ShapedProbe) -> ShapedProbe:
        judgments, results = question.qrels.judgments, question.run.results
        judged, lists = change(question, dict(judgments), dict(results))
        is_same = lists.keys() == results.keys() and all([*lists[query]] == [*results[query]] for query in lists)
        if is_same and judged == judgments:
            return question
        qrels = question.qrels if judged == judgments else Qrels.of(judged)
        return replace(question, qrels=qrels, run=question.run if is_same else Run.of(lists))

    return changed


def of_lists(change: Callable[[Documents, Grades], Sequence[tuple[str, object]]]) -> Change:
    """Change every query's list, knowing the judgments."""
    return of_files(
        lambda _, judged, lists: (judged, {query: change([*lists[query]], judged.get(query, {})) for query in lists})
    )


def of_judgments(change: Callable[[dict[str, int], Documents], dict[str, int]]) -> Change:
    """Change every query's judgments, knowing the list."""
    return of_files(
        lambda _, judged, lists: ({each: change({**judged[each]}, [*lists.get(each, ())]) for each in judged}, lists)
    )


def of_scores(score: Callable[[float], float]) -> Change:
    """Change every score."""
    return of_lists(lambda documents, _: [(docno, score(float(as_float64(each)))) for docno, each in documents])


def of_grades(grade: Callable[[int], int]) -> Change:
    """Change every grade."""
    return of_judgments(lambda grades, _: {docno: grade(each) for docno, each in grades.items()})


def of_docnos(name: Callable[[str], str]) -> Change:
    """Call every document otherwise; in a dictionary, of two that become one the later replaces the earlier."""

    def changed(question: ShapedProbe, judged: Judged, lists: Lists) -> Files:
        docnos = {docno for each in (*judged.values(), *map(dict, lists.values())) for docno in each}
        if all(name(docno) == docno for docno in docnos):
            return judged, lists
        has_copies = isinstance(question.call.arguments, ActualPredicted | QueryLists)
        named = {query: [(name(docno), score) for docno, score in documents] for query, documents in lists.items()}
        grades = {query: {name(docno): grade for docno, grade in each.items()} for query, each in judged.items()}
        return grades, named if has_copies else {query: [*dict(rows).items()] for query, rows in named.items()}

    return of_files(changed)


# ---- Scores


def unhit(is_lost: Callable[[Score], bool]) -> Change:
    """Make a miss of a document with such a score; it counts in R none the less."""
    return of_lists(lambda rows, _: [(f"\x00{docno}" if is_lost(each) else docno, each) for docno, each in rows])


def dropped(is_lost: Callable[[Score], bool]) -> Change:
    """Drop a document with such a score from the list; it counts in R none the less."""
    return of_lists(lambda documents, _: [(docno, each) for docno, each in documents if not is_lost(each)])


def nonrelevant(is_lost: Callable[[Score], bool]) -> Change:
    """Judge a document with such a score as not relevant."""

    def judged(grades: dict[str, int], documents: Documents) -> dict[str, int]:
        lost = {docno for docno, each in documents if is_lost(each)}
        return {docno: min(grade, 0) if docno in lost else grade for docno, grade in grades.items()}

    return of_judgments(judged)


UNHIT: Loss = ("a relevant document with a score {} does not count", unhit)
DROPPED: Loss = ("a document with a score {} is dropped", dropped)
NONRELEVANT: Loss = ("a document with a score {} is not relevant, and does not count in R", nonrelevant)


def half(score: float) -> float:
    """Round to the nearest half-precision float."""
    try:
        rounded: float = struct.unpack("e", struct.pack("e", score))[0]
    except (OverflowError, struct.error):
        return math.copysign(math.inf, score)
    return rounded


# ---- Orders, written as scores that fall from 1 to 1


def in_order(documents: Documents, places: Iterable[int]) -> Documents:
    """Return the documents of these places, in their order."""
    return [(documents[place][0], len(documents) - rank) for rank, place in enumerate(places)]


def _doubles(documents: Documents) -> list[float]:
    return [float(as_float64(score)) for _, score in documents]


def _ascending(scores: Sequence[float]) -> list[int]:  # of an order, its inverse
    return sorted(range(len(scores)), key=scores.__getitem__)


def _by_difference(whole: Callable[[float], int]) -> Callable[[Documents, Grades], Documents]:
    """Sort as a comparator does that returns a whole number for the difference of two scores: 0 is a tie."""

    def ordered(documents: Documents, _: Grades) -> Documents:
        scores = _doubles(documents)

        def compare(one: int, other: int) -> int:
            difference = scores[other] - scores[one]
            return whole(difference) if math.isfinite(difference) else int(math.copysign(1, difference))

        return in_order(documents, sorted(range(len(scores)), key=cmp_to_key(compare)))

    return ordered


def _by_text(written: Callable[[float], str]) -> Callable[[Documents, Grades], Documents]:
    def ordered(documents: Documents, _: Grades) -> Documents:
        texts = [written(score) for score in _doubles(documents)]
        levels = {text: level for level, text in enumerate(sorted(set(texts)))}
        return [(docno, levels[text]) for (docno, _), text in zip(documents, texts, strict=True)]

    return ordered


def _by_closeness(is_close: Callable[[float, float], bool]) -> Callable[[Documents, Grades], Documents]:
    """Tie what is close to the next higher score, whatever is tied with that; other lists stay as they are."""

    def ordered(documents: Documents, _: Grades) -> Documents:
        tied: dict[float, float] = {}
        for higher, score in pairwise(sorted({*_doubles(documents)}, reverse=True)):
            if is_close(higher, score):
                tied[score] = tied.get(higher, higher)
        return [(docno, tied.get(float(as_float64(score)), score)) for docno, score in documents]

    return ordered


CLOSE: tuple[tuple[str, Callable[[Documents, Grades], Documents]], ...] = (
    *((f"scores that are at most {each:g} apart are tied", _by_closeness(lambda higher, score, each=each: higher - score <= each)) for each in (1e-6, 1e-8, 1e-9, 1e-10, 1e-12)),  # type: ignore[misc]
    ("scores that are close by math.isclose are tied", _by_closeness(math.isclose)),
    ("scores that are close by numpy.isclose are tied", _by_closeness(lambda higher, score: abs(higher - score) <= 1e-8 + 1e-5 * abs(score))),
)  # fmt: skip
"""Scores that are taken for ties."""

ORDERS: tuple[tuple[str, Callable[[Documents, Grades], Documents]], ...] = (
    ("it sorts by id, not by score", lambda documents, _: in_order(documents, sorted(range(len(documents)), key=lambda place: documents[place][0]))),
    ("it uses the ranks of the documents as their order", lambda documents, _: in_order(documents, _ascending(_ascending([-score for score in _doubles(documents)])))),
    ("it uses the reversed ranks by ascending score as the order of the documents", lambda documents, _: in_order(documents, _ascending(_ascending(_doubles(documents))[::-1]))),
    ("it truncates differences of scores to whole numbers: less than 1 is a tie", _by_difference(math.trunc)),
    ("it rounds differences of scores to whole numbers", _by_difference(round)),
    ("scores are compared as text with 6 digits", _by_text(lambda score: f"{score:f}")),
)  # fmt: skip
"""What sorting does, and the list in that order."""

# ---- Documents


def _one_a_score(documents: Documents, *, last: bool) -> Documents:
    by_score = {score: docno for docno, score in (documents if last else documents[::-1])}
    return [(docno, score) for docno, score in documents if by_score[score] == docno]


def _one_a_name(documents: Documents, *, last: bool) -> Documents:
    retained: dict[str, Score] = {}
    for docno, score in documents:
        retained[docno] = score if last else retained.get(docno, score)
    return list(retained.items())


LISTS: tuple[tuple[str, Callable[[Documents, Grades], Documents]], ...] = (
    ("among documents with equal scores only the last is kept", lambda documents, _: _one_a_score(documents, last=True)),
    ("among documents with equal scores only the first is kept", lambda documents, _: _one_a_score(documents, last=False)),
    ("a repeated document has its last score, as in a dictionary", lambda documents, _: _one_a_name(documents, last=True)),
    ("of a repeated document only the first line counts", lambda documents, _: _one_a_name(documents, last=False)),
    ("judged nonrelevant documents are dropped", lambda documents, grades: [each for each in documents if grades.get(each[0], 1) > 0]),
    ("scores are compared as text", _by_text(str)),
)  # fmt: skip
"""What becomes of a list, in file order."""


def _above(least: Callable[[list[float]], float | None]) -> Callable[[Documents, Grades], Documents]:
    """Keep the documents that score higher than what the scores say, or all where they say nothing."""

    def retained(documents: Documents, _: Grades) -> Documents:
        scores = _doubles(documents)
        bound = least(scores)
        return [each for each, score in zip(documents, scores, strict=True) if bound is None or score > bound]

    return retained


def above_percentile(percent: int) -> Callable[[Documents, Grades], Documents]:
    """Keep the documents whose score is above a percentile of the list's, as numpy interpolates it."""

    def percentile(scores: list[float]) -> float | None:
        if not scores or not all(map(math.isfinite, scores)):
            return None
        place, share = divmod((len(scores) - 1) * percent, 100)
        low, high = [*sorted(scores), math.inf][place : place + 2]
        return low + (high - low) * share / 100 if share else low

    return _above(percentile)


def without_cut_ties(question: ShapedProbe) -> ShapedProbe:
    """Keep the documents that score higher than the first one behind the cutoff."""
    k = question.measure.k
    return of_lists(_above(lambda scores: next(iter(sorted(scores, reverse=True)[k or len(scores) :]), None)))(question)


def without(place: int, *, after_cutoff: bool = False) -> Change:
    """Drop the best document (0) or the worst one (-1), of the list or of what the cutoff leaves of it."""

    def changed(question: ShapedProbe) -> ShapedProbe:
        k = question.measure.k if after_cutoff else None

        def shorter(documents: Documents, _: Grades) -> Documents:
            best = sorted(documents, key=lambda document: document[1], reverse=True)[:k]
            retained = {id(each) for each in best if each is not best[place]}
            return [document for document in documents if id(document) in retained]

        return of_lists(shorter)(question)

    return changed


# ---- Grades


def highest_alone(rel: int, *, in_list: bool = False) -> Callable[[dict[str, int], Documents], dict[str, int]]:
    """Judge only documents of a query's highest grade as relevant, or of the highest one in its list."""

    def judged(grades: dict[str, int], documents: Documents) -> dict[str, int]:
        considered = [grades[docno] for docno, _ in documents if docno in grades] if in_list else grades.values()
        best = max(considered, default=0)
        return {docno: grade if grade == best or not is_relevant(grade, rel) else 0 for docno, grade in grades.items()}

    return judged
