"""From a query's list to labelled rankings: the eight steps of the semantics, each taken literally.

A list is a list of blocks, a block a list of documents. In an order that is settled every document is a
block of its own, so "the end of a block" and "the rank of a document" are then one thing.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from .conventions import BLOCK_RULES, Options

Score = Fraction | float  # a float only where the score is infinite
Entry = tuple[str, Score]

RELEVANT = "relevant"
NONRELEVANT = "judged non-relevant"
UNJUDGED = "unjudged"
POOLED = "in the pool, but unjudged"  # unjudged for every measure but infAP


@dataclass(frozen=True)
class Document:
    """One line of a run: its place in the input (query, then file order), docno, mapped score, label, grade.

    A grade is there where a grade can be worth something: not for a miss, nor for what is unjudged.
    """

    place: tuple[int, int]
    docno: str
    score: Score
    label: str
    grade: int | None = None


Block = list[Document]
Ranking = list[Block]
Merit = Callable[[Document], Fraction]


def hit_or_miss(document: Document) -> Fraction:
    """What a document is worth to a binary measure."""
    return Fraction(1 if document.label == RELEVANT else 0)


def mapped_score(score: Score, precision: str) -> Score:
    """Step 1: the score in the named precision; an overflow is infinite."""
    infinity = float("inf")
    if score in (infinity, -infinity):
        return score
    if precision == "exact":
        return Fraction(score)
    try:
        double = float(score)
    except OverflowError:
        return infinity if score > 0 else -infinity
    if double in (infinity, -infinity):
        return double
    if precision == "float64":
        return Fraction(double)
    try:
        single: float = struct.unpack("<f", struct.pack("<f", double))[0]
    except OverflowError:
        return infinity if double > 0 else -infinity
    return Fraction(single)


def is_relevant(grade: int, threshold: int) -> bool:
    """Step 4: a negative grade is never relevant, whatever the threshold."""
    return grade >= max(threshold, 0) and grade >= 0


def number_relevant(grades: Mapping[str, int], threshold: int) -> int:
    """R: the relevant documents of the qrels, retrieved or not."""
    count = 0
    for grade in grades.values():
        if is_relevant(grade, threshold):
            count += 1
    return count


def label_of(docno: str, grades: Mapping[str, int], threshold: int, options: Options) -> str:
    """Step 4: relevant, judged non-relevant, pooled, or unjudged."""
    if docno not in grades:
        return UNJUDGED
    grade = grades[docno]
    if grade < 0:
        return NONRELEVANT if options.negative_grades == "nonrelevant" else POOLED
    return RELEVANT if is_relevant(grade, threshold) else NONRELEVANT


def ordered(documents: list[Document], ties: str) -> Ranking:
    """Step 2: mapped score descending, blocks of equal scores kept or broken up as the tie rule says."""
    levels: dict[Score, Block] = {}
    for document in sorted(documents, key=lambda document: document.place):
        levels.setdefault(document.score, []).append(document)
    ranking: Ranking = []
    for level in sorted(levels, reverse=True):
        block = levels[level]
        if ties == "reverse-input":
            block = block[::-1]
        elif ties in ("docno-descending", "docno-ascending"):
            # Python's sort is stable in both directions, so equal docnos stay in the order of the input.
            block = sorted(
                block, key=lambda document: document.docno.encode("utf-8"), reverse=ties == "docno-descending"
            )
        if ties in BLOCK_RULES:
            ranking.append(block)
        else:
            ranking.extend([document] for document in block)
    return ranking


def has_duplicate_above(ranking: Ranking, depth: int | None) -> bool:
    """Step 3, `error`: do two copies of a docno both stand in blocks that start above the depth?"""
    seen: list[str] = []
    position = 0
    for block in ranking:
        if depth is not None and position >= depth:
            return False
        for document in block:
            if document.docno in seen:
                return True
            seen.append(document.docno)
        position += len(block)
    return False


def with_duplicates_settled(ranking: Ranking, rule: str) -> Ranking:
    """Step 3, `counted`, `first`, `removed`: what becomes of the copies after a docno's first."""
    seen: list[str] = []
    settled: Ranking = []
    for block in ranking:
        new_block: Block = []
        for document in block:
            if document.docno not in seen or rule == "counted":
                new_block.append(document)
            elif rule == "first":
                new_block.append(replace(document, label=NONRELEVANT, grade=None))
            seen.append(document.docno)
        settled.append(new_block)
    return without_empty_blocks(settled)


def labelled(
    query_place: int, entries: list[Entry], grades: Mapping[str, int], threshold: int, options: Options
) -> Ranking | None:
    """Steps 1 to 4 for one query; None where two copies of a document make the evaluation an error."""
    documents = []
    for line, (docno, score) in enumerate(entries):
        label = label_of(docno, grades, threshold, options)
        grade = grades[docno] if label in (RELEVANT, NONRELEVANT) and grades[docno] >= 0 else None
        mapped = mapped_score(score, options.score_precision)
        documents.append(Document((query_place, line), docno, mapped, label, grade))
    ranking = ordered(documents, options.ties)
    if options.duplicates == "error":
        return None if has_duplicate_above(ranking, options.depth) else ranking
    return with_duplicates_settled(ranking, options.duplicates)


def singles(ranking: Ranking) -> Ranking:
    """Every document a block of its own, in the order that stands."""
    return [[document] for block in ranking for document in block]


def all_orders(ranking: Ranking, ties: str, merit: Merit = hit_or_miss) -> Iterator[Ranking]:
    """Step 5: the one order that the tie rule names, or for `expected` every order of every block."""
    if ties in ("grouped", "mid-rank"):
        yield ranking
    elif ties == "expected":
        for choice in itertools.product(*(itertools.permutations(block) for block in ranking)):
            yield [[document] for block in choice for document in block]
    elif ties in ("optimistic", "pessimistic"):
        sorted_blocks = []
        for block in ranking:
            # Python's sort is stable in both directions: equal ones stay in the order of the file.
            sorted_blocks += [sorted(block, key=merit, reverse=ties == "optimistic")]
        yield singles(sorted_blocks)
    else:
        yield singles(ranking)


def cut(ranking: Ranking, limit: int | None, ties: str = "") -> Ranking:
    """Steps 6 and 8: the whole blocks that end at or before the limit, or whose first and last rank average to it."""
    if limit is None:
        return ranking
    kept: Ranking = []
    end = 0
    for block in ranking:
        start, end = end + 1, end + len(block)
        if ((start + end) / 2 if ties == "mid-rank" else end) > limit:
            break
        kept.append(block)
    return kept


def without_unjudged(ranking: Ranking, rule: str) -> Ranking:
    """Step 7: `removed` drops the unjudged documents, and the others move up."""
    if rule == "nonrelevant":
        return ranking
    return without_empty_blocks(
        [[document for document in block if document.label not in (UNJUDGED, POOLED)] for block in ranking]
    )


def without_empty_blocks(ranking: Ranking) -> Ranking:
    """A block that has lost all its documents is no block, and has no end to measure at."""
    return [block for block in ranking if block]


def uncut_lists(ranking: Ranking, options: Options, merit: Merit = hit_or_miss) -> Iterator[Ranking]:
    """Steps 5 to 7: the uncut list of every order that the tie rule admits."""
    for order in all_orders(ranking, options.ties, merit):
        yield without_unjudged(cut(order, options.depth, options.ties), options.unjudged)
