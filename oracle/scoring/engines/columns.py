"""The relational step on columns of a frame whose docnos are one array of bytes: counted as the pages of a file are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.scoring.batch.fixed import Doubles, Integers
from rankspec.oracle.scoring.engines.blocks import PageLists
from rankspec.oracle.scoring.engines.judgments import Judgments
from rankspec.oracle.scoring.engines.pages import Page, Texts
from rankspec.oracle.scoring.engines.product import Product, Ranks, product_of, refuse_convention

# As many rows as a page of a file has lines: what is made of them stays in a processor's cache.
_ROWS = 1 << 15


class Columns(NamedTuple):
    """The rows of a run: one query's stand together."""

    lengths: Mapping[str, int]  # query -> its number of rows, in the order of the rows
    docnos: memoryview  # all docnos in UTF-8, one after the other
    offsets: Integers  # where each begins, and where the last one ends
    scores: Doubles  # the scores, none of them NaN


def product_of_columns(qrels: Qrels, run: Columns, convention: Convention) -> Product:
    """Return what measures look at; `EngineRefusalError` for the convention, or a duplicate document."""
    refuse_convention(convention)
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
    return product_of(qrels, run.lengths, Ranks(*np.concatenate(rows, axis=1)), convention.ties)
