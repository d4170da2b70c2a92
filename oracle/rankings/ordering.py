"""Order and label: from one query's documents and judgments to a `Ranking`.

Each function is one clause of the section `ranking` (see fixtures/clauses.yaml): scores are rounded, documents are
put in order, repeated documents are dealt with, labels are read off the qrels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import BLOCK_RULES, LABEL_RULES, Duplicates, NegativeGrades, ScorePrecision, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.run import Retrieved, Score, as_float32, as_float64
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.rankings.ranking import IS_NEGATIVE_JUDGED, MISS, Label, Ranking, Unassessed, is_relevant

_ROUND: Mapping[ScorePrecision, Callable[[Score], Score]] = {
    ScorePrecision.EXACT: lambda score: score,
    ScorePrecision.FLOAT64: as_float64,
    ScorePrecision.FLOAT32: as_float32,
}

_SCORE = attrgetter("score")
LabelGain = Callable[[Label], Fraction | int]
"""What a document is worth to a measure: 0 or 1 where relevance counts, its gain where grades do."""


def relevance(rel: int) -> LabelGain:
    """Return the worth of documents where relevance counts."""
    return lambda label: int(is_relevant(label, rel))


class Entry(NamedTuple):
    """A document on its way into a ranking: its query and place in the run, its rounded score, its label."""

    query: str
    place: int
    docno: str
    score: Score
    label: Label


@clause("ranking.score-precision.*", "ranking.negative-grades.*")
def entries(
    query: str, documents: Iterable[Retrieved], grades: Mapping[str, int], convention: Convention
) -> list[Entry]:
    """Round the scores and read off the labels."""
    rounded = _ROUND[convention.score_precision]
    return [
        Entry(query, place, docno, rounded(score), label_of(grades.get(docno), convention.negative_grades))
        for place, (docno, score) in enumerate(documents)
    ]


@clause("ranking.negative-grades.*")
def label_of(grade: int | None, rule: NegativeGrades) -> Label:
    """Return the label of a document with a grade; None of one that was not judged."""
    if grade is None or grade >= 0:
        return grade
    return MISS if IS_NEGATIVE_JUDGED[rule] else Unassessed.POOLED


@clause("ranking.order", "ranking.ties.*")
def in_order(documents: Sequence[Entry], ties: Ties) -> list[list[Entry]]:
    """Put documents in descending order of score, in blocks of undecided order."""
    # Under `optimistic` and `pessimistic` blocks stay together here: labels decide inside them, see `settled`.
    if ties in BLOCK_RULES or ties in LABEL_RULES:
        best_first = sorted(documents, key=_SCORE, reverse=True)
        return [list(block) for _, block in groupby(best_first, key=_SCORE)]
    in_blocks = TIED_ORDERS[ties](documents, attrgetter("docno"))  # sorting is stable
    return [[entry] for entry in sorted(in_blocks, key=_SCORE, reverse=True)]


def docno_bytes(docno: str) -> bytes:
    """Return the bytes by which documents are put in order by name."""
    try:
        return docno.encode("utf-8", "surrogateescape")  # a file's own bytes, where they are no UTF-8
    except UnicodeEncodeError:
        return docno.encode("utf-8", "surrogatepass")


TIED_ORDERS: Mapping[Ties, Callable[[Sequence[Any], Callable[[Any], str]], Sequence[Any]]] = clause("ranking.ties.*")(
    {
        Ties.INPUT_ORDER: lambda block, _: block,
        Ties.REVERSE_INPUT: lambda block, _: block[::-1],
        Ties.DOCNO_ASCENDING: lambda block, name: sorted(block, key=lambda each: docno_bytes(name(each))),
        Ties.DOCNO_DESCENDING: lambda block, name: sorted(
            block, key=lambda each: docno_bytes(name(each)), reverse=True
        ),
    }
)
"""Tie rule -> (documents of equal score in input order, their names) -> the documents in order."""


@clause("ranking.duplicates.*")
def without_repeats(blocks: list[list[Entry]], rule: Duplicates, depth: int | None) -> list[list[Entry]]:
    """Deal with later copies of documents of a query; `UndefinedValueError` under `error` if two may be evaluated."""
    if rule is Duplicates.ERROR and (repeat := first_repeat(blocks, depth)) is not None:
        raise UndefinedValueError(f"{repeat_text(repeat)}, and duplicates=error", code="document-repeated")
    docnos: set[str] = set()
    kept: list[list[Entry]] = []
    for block in blocks:
        kept.append([])
        for entry in block:
            repeated = entry.docno in docnos
            docnos.add(entry.docno)
            if not repeated:
                kept[-1].append(entry)
                continue
            match rule:
                case Duplicates.COUNTED | Duplicates.ERROR:  # an error was raised, if the copy lies within the depth
                    kept[-1].append(entry)
                case Duplicates.FIRST:
                    kept[-1].append(entry._replace(label=MISS))
                case Duplicates.REMOVED:
                    pass
                case _:
                    assert_never(rule)
    return [block for block in kept if block]


def first_repeat(blocks: list[list[Entry]], depth: int | None) -> Entry | None:
    """Return the first copy of a document of one query that may be evaluated, None if there is none."""
    docnos: set[str] = set()
    position = 0
    for block in blocks:
        if depth is not None and position >= depth:
            return None
        position += len(block)
        for entry in block:
            if entry.docno in docnos:
                return entry
            docnos.add(entry.docno)
    return None


def repeat_text(repeat: Entry) -> str:
    """Say which document appears twice."""
    return f"query {repeat.query}: document {repeat.docno} appears twice in the run"


@clause("ranking.ties.optimistic", "ranking.ties.pessimistic")
def settled(blocks: list[list[Entry]], ties: Ties, gained: LabelGain) -> list[list[Entry]]:
    """Let labels decide inside blocks, where the tie rule says so."""
    if ties not in LABEL_RULES:
        return blocks
    best_first = ties is Ties.OPTIMISTIC
    return [
        [entry]
        for block in blocks
        for entry in sorted(block, key=lambda entry: gained(entry.label), reverse=best_first)
    ]


def ranked(documents: Sequence[Entry], convention: Convention, gained: LabelGain) -> list[list[Entry]]:
    """Return documents in final order, in undecided blocks; `UndefinedValueError` for a duplicate under `error`."""
    blocks = without_repeats(in_order(documents, convention.ties), convention.duplicates, convention.depth)
    return settled(blocks, convention.ties, gained)


def ranking_of(
    query: str, documents: Iterable[Retrieved], grades: Mapping[str, int], convention: Convention, gained: LabelGain
) -> Ranking:
    """Return a query's labelled ranking before any cutoff; `UndefinedValueError` for a duplicate under `error`."""
    return labelled(ranked(entries(query, documents, grades, convention), convention, gained), grades.values())


def labelled(blocks: Sequence[Sequence[Entry]], judged: Iterable[int]) -> Ranking:
    """Keep of the documents what a measure may see: labels, and the score of each block."""
    return Ranking(
        tuple(tuple(entry.label for entry in block) for block in blocks),
        tuple(judged),
        tuple(block[0].score for block in blocks),
    )
