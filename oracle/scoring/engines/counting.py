"""The relational step in plain Python and numpy, a query at a time: from dictionaries, and from streamed files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, ValuesView
from itertools import compress
from operator import countOf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rankspec.oracle.conventions.axes import ScorePrecision, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.errors import InputError
from rankspec.oracle.rankings.ordering import BLOCK_RULES, docno_bytes
from rankspec.oracle.scoring.engines.product import (
    EngineRefusalError,
    Product,
    Ranks,
    graded,
    product_of,
    refuse_convention,
)

# Up to here whole numbers are doubles; a greater score would be another one in a column of doubles.
_EXACT_WHOLE = 1 << 53


class Counter:
    """Ranks of judged documents, query by query, in columns that grow."""

    def __init__(self, qrels: Qrels, convention: Convention) -> None:
        """Take the judgments, and the rules for scores and ties.

        Raises:
            EngineRefusalError: the convention is none for engines.
        """
        refuse_convention(convention)
        self._qrels, self._convention = qrels, convention
        self._starts = qrels.once(graded).segments.starts
        self._columns: list[NDArray[np.int64]] = []

    def add(self, place: int, query: str, scores: Mapping[str, float]) -> None:
        """Count for one query: its place in the qrels, its documents' scores as doubles."""
        values = np.fromiter(scores.values(), np.float64, len(scores))
        if np.isnan(values).any():
            raise InputError("run: NaN is not a score: it can't be ordered")
        if self._convention.score_precision is ScorePrecision.FLOAT32:
            with np.errstate(over="ignore", under="ignore"):
                values = values.astype(np.float32).astype(np.float64)
        grades = self._qrels.grades(query)
        is_retrieved = np.fromiter(map(scores.__contains__, grades), np.bool_, len(grades))
        judged = list(compress(grades, is_retrieved))
        if not judged:
            return
        own = np.array([scores[docno] for docno in judged], np.float64)
        if self._convention.score_precision is ScorePrecision.FLOAT32:
            with np.errstate(over="ignore", under="ignore"):
                own = own.astype(np.float32).astype(np.float64)
        ordered = values[::-1] if bool((values[1:] <= values[:-1]).all()) else np.sort(values)
        upper = np.searchsorted(ordered, own, side="right")
        tied = upper - np.searchsorted(ordered, own, side="left")
        rows = np.zeros((5, len(judged)), np.int64)
        rows[0] = place
        rows[1] = self._starts[place] + np.flatnonzero(is_retrieved)
        rows[2] = values.size - upper
        rows[3] = tied
        if self._convention.ties not in BLOCK_RULES and (tied > 1).any():
            rows[4] = self._before(scores, values.tolist(), judged, own.tolist())
        self._columns.append(rows)

    def _before(
        self, scores: Mapping[str, float], values: Sequence[float], judged: Sequence[str], own: Sequence[float]
    ) -> list[int]:
        """Return how many documents of the same score stand before each judged one."""
        together: dict[float, list[str]] = {value: [] for value in own}
        for docno, value in zip(scores, values, strict=True):
            if value in together:
                together[value].append(docno)
        in_order = _ORDERS[self._convention.ties]
        places = {
            docno: place
            for block in together.values()
            for place, docno in enumerate(in_order(block) if len(block) > 1 else block)
        }
        return [places[docno] for docno in judged]

    def ranks(self) -> Ranks:
        """Return the columns."""
        rows = np.concatenate(self._columns, axis=1) if self._columns else np.zeros((5, 0), np.int64)
        return Ranks(*rows)


_ORDERS: Mapping[Ties, Callable[[list[str]], list[str]]] = {
    Ties.INPUT_ORDER: lambda block: block,
    Ties.REVERSE_INPUT: lambda block: block[::-1],
    Ties.DOCNO_ASCENDING: lambda block: sorted(block, key=docno_bytes),
    Ties.DOCNO_DESCENDING: lambda block: sorted(block, key=docno_bytes, reverse=True),
}


def product_of_dicts(qrels: Qrels, run: Mapping[str, Mapping[str, Any]], convention: Convention) -> Product:
    """Return what measures look at, of qrels and a run: query -> docno -> score.

    Raises:
        EngineRefusalError: the convention is none for this path, or a score is not a double.
        InputError: a score is NaN.
    """
    counter = Counter(qrels, convention)
    for place, query in enumerate(qrels):
        scores = run.get(query)
        if scores:
            _refuse_other_numbers(query, scores.values())
            counter.add(place, query, scores)
    lengths = {query: len(scores) for query, scores in run.items()}
    return product_of(qrels, lengths, counter.ranks(), convention.ties)


def _refuse_other_numbers(query: str, scores: ValuesView[object]) -> None:
    """Refuse scores that a double does not hold exactly: the oracle compares them as what they are."""
    if countOf(map(type, scores), float) == len(scores):
        return
    kinds = set(map(type, scores))
    if kinds - {float, int, np.float64, np.float32}:
        raise EngineRefusalError(f"query {query}: a score that is not a double")
    if int in kinds and any(isinstance(each, int) and abs(each) > _EXACT_WHOLE for each in scores):
        raise EngineRefusalError(f"query {query}: a whole number that no double holds")
