"""Dictionaries and frames of many documents, counted by numpy as files are: every value is certified.

What no engine can count, and what is at fault, is left to the oracle, which evaluates or explains it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankspec.conformance.data.objects import as_list, as_qrels, names_of, run_columns
from rankspec.conformance.reports.scores import Scores, scores_of_engine
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import OracleError
from rankspec.oracle.scoring.evaluator import in_order, is_counted

if TYPE_CHECKING:
    from rankspec.oracle.scoring.engines.counting import Columns

ENGINE = "numpy"  # What `to_dict()` says of such values


def certified_scores(measures: Sequence[Measure], qrels: Any, run: Any, convention: Convention) -> Scores | None:
    """Return the certified values of a run in memory, None where the oracle has to evaluate or to explain it."""
    held = arrow_columns(run) or _scores_by_query(run)
    if held is None:
        return None
    from rankspec.oracle.scoring.engines.counting import product_of_columns, product_of_dicts
    from rankspec.oracle.scoring.engines.product import EngineRefusalError
    from rankspec.oracle.scoring.engines.scoring import score_many

    try:
        judged = as_qrels(qrels, convention.reading)
        under = in_order(measures, convention)
        if isinstance(held, Mapping):
            product = product_of_dicts(judged, held, under)
        else:
            product = product_of_columns(judged, held, under)
        values = score_many(measures, product, convention)
        return scores_of_engine(None, ENGINE, None, convention, product, values)
    except (EngineRefusalError, OracleError):
        return None


def _scores_by_query(run: Any) -> Mapping[str, Mapping[str, Any]] | None:
    """Return query -> docno -> score of many documents with plain names, None if the run is something else."""
    if not isinstance(run, Mapping):
        return _of_frame(run)
    if not all(isinstance(each, dict) for each in run.values()) or not is_counted(sum(map(len, run.values()))):
        return None
    try:
        for names in (run, *run.values()):
            "".join(names)  # half the time of asking each name for its type
    except TypeError:
        return None
    return run


def _of_frame(frame: Any) -> Mapping[str, Mapping[str, Any]] | None:
    """Return query -> docno -> score of a frame's rows, None if they are few or a document appears twice."""
    try:
        queries, docnos, scores = run_columns(frame)
        if not is_counted(len(docnos)):
            return None
        names, values = names_of(docnos), as_list(scores)
        by_row = zip(names_of(queries), names, values, strict=True)
    except OracleError:
        return None
    results: dict[str, dict[str, Any]] = {}
    for query, docno, score in by_row:
        results.setdefault(query, {})[docno] = score
    return results if sum(map(len, results.values())) == len(names) else None


def arrow_columns(frame: Any) -> Columns | None:
    """Return the columns of a frame of many rows whose texts Arrow holds, None if it is anything else."""
    # No row becomes an object. What is missing, no text, no double, or not together is left to the dictionaries.
    if "pyarrow" not in sys.modules:
        return None
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        found = run_columns(frame)
    except OracleError:
        return None
    if not all(hasattr(each, "__arrow_c_stream__") for each in found) or not is_counted(len(found[0])):
        return None
    if getattr(getattr(found[-1], "dtype", None), "kind", "") == "O":  # of True beside numbers Arrow makes 1.0
        return None
    try:
        queries, docnos, scores = (pa.chunked_array(each).combine_chunks() for each in found)
    except (pa.ArrowException, UnicodeError):  # a column of several kinds, or of what is no text
        return None
    are_texts = all(pa.types.is_string(each.type) or pa.types.is_large_string(each.type) for each in (queries, docnos))
    if not are_texts or scores.type != pa.float64() or any(each.null_count for each in (queries, docnos, scores)):
        return None
    import numpy as np
    from rankspec.oracle.scoring.engines.counting import Columns

    runs = pc.run_end_encode(queries, pa.int64())
    ends = runs.run_ends.to_numpy()
    lengths = dict(zip(runs.values.to_pylist(), np.diff(ends, prepend=0).tolist(), strict=True))
    values = scores.to_numpy()
    if len(lengths) < ends.size or np.isnan(values).any():
        return None
    texts = docnos.cast(pa.large_string())
    _, offsets, content = texts.buffers()
    starts = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
    return Columns(lengths, memoryview(content or b""), starts, values)
