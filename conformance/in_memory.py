"""Dictionaries and frames of many documents, counted by numpy as files are: every value is certified.

What no engine can count, and what is at fault, is left to the oracle, which evaluates or explains it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rankspec.conformance.call_data import is_file, is_list
from rankspec.conformance.cases.inputs import as_list, as_qrels, run_columns
from rankspec.conformance.reports.scores import Scores, scores_of_engine
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import OracleError
from rankspec.oracle.query_matching import unmatched
from rankspec.oracle.scoring.engines.choosing import needs_scores

# Below it the oracle takes 8 microseconds a document, and loading numpy takes as long as all of them.
_FEWEST = 8192
ENGINE = "numpy"
"""What `to_dict()` says of such values."""


def certified_scores(measures: Sequence[Measure], qrels: Any, run: Any, convention: Convention) -> Scores | None:
    """Return the certified values of a run in memory, None where the oracle has to evaluate or to explain it."""
    if any(measure.family.by_subtopic or measure.family.by_preference for measure in measures):
        return None
    scores = _scores_by_query(run)
    if scores is None or needs_scores(measures, convention) is not None:
        return None
    from rankspec.oracle.scoring.engines.counting import product_of_dicts
    from rankspec.oracle.scoring.engines.product import EngineRefusalError
    from rankspec.oracle.scoring.engines.scoring import score_many

    try:
        judged = as_qrels(qrels, convention.reading)
        matching = unmatched(list(judged), list(scores))
        values = score_many(measures, product_of_dicts(judged, scores, convention), convention)
    except (EngineRefusalError, OracleError):
        return None
    return scores_of_engine(None, ENGINE, None, convention, matching, values)


def _scores_by_query(run: Any) -> Mapping[str, Mapping[str, Any]] | None:
    """Return query -> docno -> score of many documents with plain names, None if the run is something else."""
    if isinstance(run, Run) or is_file(run) or is_list(run):
        return None
    if not isinstance(run, Mapping):
        return _of_frame(run)
    if not all(isinstance(each, dict) for each in run.values()) or sum(map(len, run.values())) < _FEWEST:
        return None
    return run if all(set(map(type, names)) <= {str} for names in (run, *run.values())) else None


def _of_frame(frame: Any) -> Mapping[str, Mapping[str, Any]] | None:
    """Return query -> docno -> score of a frame's rows, None if they are few or a document appears twice."""
    try:
        queries, docnos, scores = run_columns(frame)
        if len(docnos) < _FEWEST:
            return None
        blocks, names, values = list(_blocks(queries)), as_list(docnos), as_list(scores)
    except OracleError:
        return None
    if set(map(type, names)) != {str}:
        names = list(map(str, names))
    results: dict[str, dict[str, Any]] = {}
    start = 0
    for query, end in blocks:
        results.setdefault(str(query), {}).update(zip(names[start:end], values[start:end], strict=True))
        start = end
    return results if sum(map(len, results.values())) == len(names) else None


def _blocks(queries: Any) -> Iterator[tuple[object, int]]:
    """Yield query and end of rows that stand together. Arrow finds the ends without making a text of each row."""
    if hasattr(queries, "__arrow_c_stream__") and "pyarrow" in sys.modules:
        import pyarrow as pa
        import pyarrow.compute as pc

        column = pa.chunked_array(queries).combine_chunks()
        if str(column.type) in {"string", "large_string"} and not column.null_count:
            runs = pc.run_end_encode(column, pa.int64())
            yield from zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True)
            return
    end = 0
    for query, rows in groupby(as_list(queries)):
        end += len(list(rows))
        yield query, end
