"""From a query's list to labelled rankings: the eight steps of the semantics, each taken literally.

A list is a list of blocks, a block a list of documents. In an order that is settled every document is a
block of its own, so "the end of a block" and "the rank of a document" are then one thing.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction

Score = Fraction | float  # a float only where the score is infinite
Value = Fraction | str  # a number, or "nan", "skip", "error"
Entry = tuple[str, Score]
AxisValue = str | int | Fraction | None

RELEVANT = "relevant"
NONRELEVANT = "judged non-relevant"
UNJUDGED = "unjudged"

BLOCK_RULES = ("grouped", "expected", "optimistic", "pessimistic")

UNDEFINED = ("zero", "one", "nan", "skip", "error")
ALLOWED: dict[str, tuple[str, ...]] = {
    "unjudged": ("nonrelevant", "removed"),
    "negative_grades": ("nonrelevant", "unjudged"),
    "duplicates": ("error", "counted", "first", "removed"),
    "score_precision": ("exact", "float64", "float32"),
    "ties": ("input-order", "reverse-input", "docno-descending", "docno-ascending", *BLOCK_RULES),
    "denominator": (
        "relevant",
        "min-relevant-cutoff",
        "min-relevant-cutoff-length",
        "min-relevant-length",
        "min-cutoff-length",
        "retrieved-relevant",
        "relevant-in-list",
        "cutoff",
        "length",
    ),
    "interpolation": (
        "step",
        "envelope",
        "11-point",
        "101-point",
        "linear-101",
        "trapezoid",
        "trapezoid-unanchored",
        "all-ranks",
        "all-ranks-padded",
        "sloped-line",
    ),
    "recall_grid": ("exact", "float64", "trec_eval-9", "trec_eval-10"),
    "no_relevant": (*UNDEFINED, "reciprocal"),
    "no_hits": UNDEFINED,
    "missing_query": ("zero", "skip", "error"),
    "unknown_query": ("skip", "zero", "error"),
    "aggregate": ("mean", "geometric", "micro"),
    "tap_quantile": ("lower-median", "upper-median", "midpoint", "mean-count"),
    "tap_insufficient": ("lowest-score", "error", "no-cutoff"),
    "tap_ties": ("kept", "dropped"),
}


@dataclass(frozen=True)
class Options:
    """A convention with every axis filled in; the defaults are the documents' convention."""

    unjudged: str = "nonrelevant"
    negative_grades: str = "nonrelevant"
    duplicates: str = "error"
    score_precision: str = "exact"
    ties: str = "input-order"
    denominator: str = "relevant"
    interpolation: str = "step"
    recall_grid: str = "exact"
    no_relevant: str = "zero"
    no_hits: str = "zero"
    missing_query: str = "zero"
    unknown_query: str = "skip"
    aggregate: str = "mean"
    tap_quantile: str = "lower-median"
    tap_insufficient: str = "lowest-score"
    tap_ties: str = "kept"
    depth: int | None = None
    geometric_floor: Fraction = Fraction(1, 100000)


def options_of(convention: Mapping[str, AxisValue]) -> Options:
    """Fill in the default of every axis that the convention leaves out; refuse what no axis knows."""
    options = Options()
    for axis, value in convention.items():
        if axis == "depth":
            if value is None or value == "none":
                continue
            if not isinstance(value, int) or value < 1:
                message = f"depth must be a whole number >= 1 or None, not {value!r}"
                raise ValueError(message)
            options = replace(options, depth=value)
        elif axis == "geometric_floor":
            if value is None or not 0 < Fraction(value) <= 1:
                message = f"geometric_floor must be a rational in (0, 1], not {value!r}"
                raise ValueError(message)
            options = replace(options, geometric_floor=Fraction(value))
        elif axis not in {field.name for field in fields(Options)}:
            message = f"unknown axis {axis!r}"
            raise ValueError(message)
        elif value not in ALLOWED[axis]:
            message = f"axis {axis} has no value {value!r}"
            raise ValueError(message)
        else:
            options = replace(options, **{axis: str(value)})  # type: ignore[arg-type]
    return options


@dataclass(frozen=True)
class Document:
    """One line of a run: its place in the input (query, then file order), docno, mapped score and label."""

    place: tuple[int, int]
    docno: str
    score: Score
    label: str


Block = list[Document]
Ranking = list[Block]


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
    """Step 4: relevant, judged non-relevant, or unjudged."""
    if docno not in grades:
        return UNJUDGED
    grade = grades[docno]
    if grade < 0:
        return NONRELEVANT if options.negative_grades == "nonrelevant" else UNJUDGED
    return RELEVANT if is_relevant(grade, threshold) else NONRELEVANT


def ordered(documents: list[Document], ties: str) -> Ranking:
    """Step 2: mapped score descending, blocks of equal scores kept or broken up as the tie rule says."""
    in_place = sorted(documents, key=lambda document: document.place)
    levels: list[Score] = []
    for document in in_place:
        if document.score not in levels:
            levels.append(document.score)
    levels.sort(reverse=True)
    ranking: Ranking = []
    for level in levels:
        block = [document for document in in_place if document.score == level]
        if ties == "reverse-input":
            block = block[::-1]
        elif ties in ("docno-descending", "docno-ascending"):
            # Python's sort is stable in both directions, so equal docnos stay in the order of the input.
            block = sorted(
                block,
                key=lambda document: document.docno.encode("utf-8"),
                reverse=ties == "docno-descending",
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
                new_block.append(replace(document, label=NONRELEVANT))
            seen.append(document.docno)
        settled.append(new_block)
    return without_empty_blocks(settled)


def labelled(
    query_place: int,
    entries: list[Entry],
    grades: Mapping[str, int],
    threshold: int,
    options: Options,
) -> Ranking | None:
    """Steps 1 to 4 for one query; None where two copies of a document make the evaluation an error."""
    documents = []
    for line, (docno, score) in enumerate(entries):
        label = label_of(docno, grades, threshold, options)
        documents.append(Document((query_place, line), docno, mapped_score(score, options.score_precision), label))
    ranking = ordered(documents, options.ties)
    if options.duplicates == "error":
        return None if has_duplicate_above(ranking, options.depth) else ranking
    return with_duplicates_settled(ranking, options.duplicates)


def singles(ranking: Ranking) -> Ranking:
    """Every document a block of its own, in the order that stands."""
    return [[document] for block in ranking for document in block]


def all_orders(ranking: Ranking, ties: str) -> Iterator[Ranking]:
    """Step 5: the one order that the tie rule names, or for `expected` every order of every block."""
    if ties == "grouped":
        yield ranking
    elif ties == "expected":
        for choice in itertools.product(*(itertools.permutations(block) for block in ranking)):
            yield [[document] for block in choice for document in block]
    elif ties in ("optimistic", "pessimistic"):
        sorted_blocks = []
        for block in ranking:
            hits = [document for document in block if document.label == RELEVANT]
            misses = [document for document in block if document.label != RELEVANT]
            sorted_blocks.append(hits + misses if ties == "optimistic" else misses + hits)
        yield singles(sorted_blocks)
    else:
        yield singles(ranking)


def cut(ranking: Ranking, limit: int | None) -> Ranking:
    """Steps 6 and 8: the whole blocks that end at or before the limit."""
    if limit is None:
        return ranking
    kept: Ranking = []
    end = 0
    for block in ranking:
        end += len(block)
        if end > limit:
            break
        kept.append(block)
    return kept


def without_unjudged(ranking: Ranking, rule: str) -> Ranking:
    """Step 7: `removed` drops the unjudged documents, and the others move up."""
    if rule == "nonrelevant":
        return ranking
    return without_empty_blocks([[document for document in block if document.label != UNJUDGED] for block in ranking])


def without_empty_blocks(ranking: Ranking) -> Ranking:
    """A block that has lost all its documents is no block, and has no end to measure at."""
    return [block for block in ranking if block]


def uncut_lists(ranking: Ranking, options: Options) -> Iterator[Ranking]:
    """Steps 5 to 7: the uncut list of every order that the tie rule admits."""
    for order in all_orders(ranking, options.ties):
        yield without_unjudged(cut(order, options.depth), options.unjudged)
