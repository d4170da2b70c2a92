"""The relational step in plain Python and numpy: dictionaries, thousands of documents together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, ValuesView
from itertools import chain, compress, repeat
from operator import countOf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rankspec.oracle.conventions.axes import BLOCK_RULES, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.errors import InputError
from rankspec.oracle.rankings.ordering import TIED_ORDERS
from rankspec.oracle.scoring.batch.fixed import Doubles, Integers
from rankspec.oracle.scoring.engines import product
from rankspec.oracle.scoring.engines.blocks import Judgments, PageLists, rounded
from rankspec.oracle.scoring.engines.pages import Page, Texts

# Up to here whole numbers are doubles; a greater score would be another one in a column of doubles.
_EXACT_WHOLE = 1 << 53
_NO_ORDER = "run: NaN is not a score: it can't be ordered"
_AT_ONCE = 1 << 13  # Documents that are counted together: a processor's cache holds what is made of them


class _List(NamedTuple):
    """A query's place in the qrels, its documents' scores, and its judgments."""

    place: int
    scores: Mapping[str, float]
    grades: Mapping[str, int]


def product_of_dicts(qrels: Qrels, run: Mapping[str, Mapping[str, Any]], convention: Convention) -> product.Product:
    """Return what measures look at, of qrels and query -> docno -> score; `InputError` for NaN."""
    # `EngineRefusalError` for a convention that is none for this path, or a score that is no double.
    product.refuse_convention(convention)
    starts = qrels.once(product.graded).segments.starts
    rows, lists, documents = [np.zeros((5, 0), np.int64)], list[_List](), 0
    for place, query in enumerate(qrels):
        scores = run.get(query)
        if scores:
            _refuse_other_numbers(query, scores.values())
            lists.append(_List(place, scores, qrels.grades(query)))
            documents += len(scores)
        if documents >= _AT_ONCE:
            rows.append(_counted(lists, starts, convention))
            lists, documents = [], 0
    if lists:
        rows.append(_counted(lists, starts, convention))
    for query in run.keys() - qrels.judgments.keys():  # what does not count is refused as the oracle refuses it
        _refuse_other_numbers(query, run[query].values())
        if any(map(math.isnan, run[query].values())):
            raise InputError(_NO_ORDER, code="score-nan")
    lengths = {query: len(scores) for query, scores in run.items()}
    return product.product_of(qrels, lengths, product.Ranks(*np.concatenate(rows, axis=1)), convention.ties)


def _counted(lists: Sequence[_List], starts: Integers, convention: Convention) -> NDArray[np.int64]:
    """Return the columns of the judged documents that are in lists; `InputError` for a score that is NaN."""
    sizes, judged_sizes = np.array([(len(each.scores), len(each.grades)) for each in lists]).T
    scores = chain.from_iterable(each.scores.values() for each in lists)
    values = rounded(np.fromiter(scores, np.float64, int(sizes.sum())), convention.score_precision)
    if np.isnan(values).any():
        raise InputError(_NO_ORDER, code="score-nan")
    known = chain.from_iterable(map(each.scores.get, each.grades, repeat(math.nan)) for each in lists)
    own = rounded(np.fromiter(known, np.float64, int(judged_sizes.sum())), convention.score_precision)
    found = np.flatnonzero(~np.isnan(own))
    mine = np.repeat(np.arange(len(lists)), judged_sizes)[found]
    places = np.array([each.place for each in lists])
    judgments = found + (starts[places] - (np.cumsum(judged_sizes) - judged_sizes))[mine]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    # Complex numbers are ordered by their real part, the list, and then by the other one: greater scores come first.
    keys = _pairs(np.repeat(np.arange(len(lists)), sizes), _descending(values, offsets))
    wanted = _pairs(mine, own[found])
    first, last = (np.searchsorted(keys, wanted, side=side) for side in ("left", "right"))
    before = np.zeros_like(first)
    if convention.ties not in BLOCK_RULES:
        for number in np.unique(mine[last - first > 1]).tolist():
            rows, documents = np.flatnonzero(mine == number), slice(*offsets[number : number + 2].tolist())
            docnos = [*compress(lists[number].grades, map(lists[number].scores.__contains__, lists[number].grades))]
            pairs = zip(lists[number].scores, values[documents].tolist(), strict=True)
            before[rows] = _before(pairs, docnos, own[found[rows]].tolist(), convention.ties)
    return np.stack((places[mine], judgments, first - offsets[mine], last - first, before))


def _pairs(lists: Integers, scores: Doubles) -> NDArray[np.complex128]:
    pairs = np.empty(lists.size, np.complex128)
    pairs.real, pairs.imag = lists, -scores
    return pairs


def _descending(values: Doubles, offsets: Integers) -> Doubles:
    rises = values[1:] > values[:-1]
    rises[offsets[1:-1] - 1] = False  # from one list to the next
    if rises.any():
        values = values.copy()
        for number in np.unique(np.searchsorted(offsets, np.flatnonzero(rises), side="right") - 1).tolist():
            part = slice(*offsets[number : number + 2].tolist())
            values[part] = np.sort(values[part])[::-1]
    return values


def _before(pairs: Iterable[tuple[str, float]], judged: Sequence[str], own: Sequence[float], ties: Ties) -> list[int]:
    """Return how many documents of the same score stand before each judged one."""
    together: dict[float, list[str]] = {value: [] for value in own}
    for docno, value in pairs:
        if value in together:
            together[value].append(docno)
    places = {
        docno: place
        for block in together.values()
        for place, docno in enumerate(TIED_ORDERS[ties](block, str) if len(block) > 1 else block)
    }
    return [places[docno] for docno in judged]


def _refuse_other_numbers(query: str, scores: ValuesView[object]) -> None:
    """Refuse scores that a double does not hold exactly: the oracle compares them as what they are."""
    if countOf(map(type, scores), float) == len(scores):
        return
    kinds = set(map(type, scores))
    if kinds - {float, int, np.float64, np.float32}:
        raise product.EngineRefusalError(f"query {query}: a score that is not a double")
    if any(isinstance(each, int) and abs(each) > _EXACT_WHOLE for each in scores):
        raise product.EngineRefusalError(f"query {query}: a whole number that no double holds")


# As many rows as a page of a file has lines: what is made of them stays in a processor's cache.
_ROWS = 1 << 15


class Columns(NamedTuple):
    """The rows of a run: one query's stand together."""

    lengths: Mapping[str, int]  # query -> its number of rows, in the order of the rows
    docnos: memoryview  # all docnos in UTF-8, one after the other
    offsets: Integers  # where each begins, and where the last one ends
    scores: Doubles  # the scores, none of them NaN


def product_of_columns(qrels: Qrels, run: Columns, convention: Convention) -> product.Product:
    """Return what measures look at; `EngineRefusalError` for the convention, or a duplicate document."""
    product.refuse_convention(convention)
    judgments = qrels.once(Judgments)
    beyond = len(judgments.places)
    numbers = np.array([judgments.places.get(each, beyond + place) for place, each in enumerate(run.lengths)], np.int64)
    bounds = np.concatenate(([0], np.cumsum(np.fromiter(run.lengths.values(), np.int64, len(run.lengths)))))
    rows, first = [np.zeros((5, 0), np.int64)], 0
    while first < numbers.size:
        # Whole queries: as many as fit, at least one.
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + _ROWS, side="right")) - 1)
        start, end = int(bounds[first]), int(bounds[last])
        offsets = run.offsets[start : end + 1] - run.offsets[start]
        page = Page(run.docnos[int(run.offsets[start]) : int(run.offsets[end])])
        docnos = Texts(offsets[:-1], offsets[1:])
        lists = PageLists(page, bounds[first : last + 1] - start, docnos, run.scores[start:end], convention)
        rows.append(lists.ranks(judgments, numbers[first:last]))
        first = last
    return product.product_of(qrels, run.lengths, product.Ranks(*np.concatenate(rows, axis=1)), convention.ties)
