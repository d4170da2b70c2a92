"""What `compare` decides: what reads each run, and the values that pairs of runs are compared by."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from rankspec.conformance.data.runs import locating, require_accepted
from rankspec.conformance.verbs.score import EngineValues, Scoring
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.query_set import unmatched
from rankspec.oracle.readers.lines import STANDARD_INPUT
from rankspec.oracle.readers.trec import Repeated, read_run
from rankspec.oracle.scoring.evaluator import are_small
from rankspec.oracle.scoring.significance.comparing import (
    EvaluatedRun,
    evaluate_runs,
    naming,
    require_values_of_queries,
)

_LEVEL = re.compile(r"0?\.[0-9]{1,12}|[0-9]{1,12}/[0-9]{1,12}")


def evaluate_files(
    measures: Sequence[Measure], qrels: str, runs: Mapping[str, str], convention: Convention
) -> tuple[Collection[str], dict[str, EvaluatedRun]]:
    """Return the queries of the qrels, and each run's values: engines read what is large. Raises as `compare_runs`."""
    require_values_of_queries(convention)
    scoring = Scoring(measures, qrels, list(runs.values()), convention)
    if (by_engines := _by_engines(scoring, runs)) is not None:
        return by_engines
    convention = scoring.convention
    read = {name: read_run(file, Repeated.KEPT, convention.reading) for name, file in runs.items()}
    judged = scoring.read_judgements({query for run in read.values() for query in run})
    for name, run in read.items():
        unmatched(list(judged), list(run), name)
        require_accepted(judged, run, runs[name], convention)
    return judged.judgments.keys(), evaluate_runs(measures, judged, read, convention)


def _by_engines(scoring: Scoring, runs: Mapping[str, str]) -> tuple[Collection[str], dict[str, EvaluatedRun]] | None:
    """Return what engines make of the runs, None where all are small, or one of them is for the oracle."""
    if STANDARD_INPUT in {scoring.qrels, *scoring.runs} or are_small(runs.values()):
        return None
    judged: Collection[str] = ()
    evaluated = {}
    for name, file in runs.items():
        with naming(name), locating(scoring.qrels, file):
            found = scoring.by_engine(file, scoring.reader(file), name)
        if not isinstance(found, EngineValues):
            return None
        judged = found.product.qrels.judgments.keys()
        evaluated[name] = EvaluatedRun(
            found.product.lengths.keys(), {measure: values.evaluation for measure, values in found.values.items()}
        )
    return judged, evaluated


def level(text: str) -> Fraction:
    """Read a level of significance, exactly; `InputError` if it is not between 0 and 1."""
    try:
        level = Fraction(text) if _LEVEL.fullmatch(text.strip()) else Fraction(0)
    except ZeroDivisionError:
        level = Fraction(0)
    if not 0 < level < 1:
        raise InputError(
            f"--alpha {text}: a level is a number between 0 and 1, such as 0.05", code="level-out-of-range"
        )
    return level
