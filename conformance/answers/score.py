"""What has to be known beside a score: queries that count in a special way, and what trec_eval would print."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from rankspec.conformance.infer.resolve.known import library_convention
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import ConventionError, OracleError
from rankspec.oracle.evaluation import evaluate_many
from rankspec.oracle.language.sentence import joined
from rankspec.oracle.language.trec_eval_names import row_name
from rankspec.oracle.values import Undefined, to_double

_PROGRAM = "trec_eval-9.0.8"


def score_notes(  # noqa: PLR0913 - what was scored, and how
    values: Mapping[Measure, str],
    qrels: Qrels,
    run: Run,
    convention: Convention,
    digits: int,
    *,
    is_weighted: bool = False,
) -> Iterator[str]:
    """Yield a sentence each of what has to be known beside a run's values; no program takes weights of queries."""
    retrieved = {(query, docno) for query in run if query in qrels for docno, _ in run.documents(query)}
    if retrieved and not any(docno in qrels.grades(query) for query, docno in retrieved):
        yield f"None of the {len(retrieved):,} retrieved documents is judged: do the document ids of both files match?"
    if is_weighted:
        return
    if convention == DEFAULT and all(row_name(measure) for measure in values):
        yield from _program(values, qrels, run, digits)
    yield from _library(values, qrels, run, convention, digits)


def _library(
    measures: Collection[Measure], qrels: Qrels, run: Run, convention: Convention, digits: int
) -> Iterator[str]:
    """Say what a library itself returns that takes labels and scores: it never sees documents outside the lists."""
    for name, profile in PROFILES.items():
        for measure in measures if profile.is_library and profile.convention == convention else ():
            library = None
            with suppress(ConventionError):  # no rule says what the measure is of what the library sees
                library = library_convention(name, measure, Data(qrels, run)) if profile.knows(measure) else None
            if library is None or not library.from_lists:
                continue
            for value in (_printed([measure], qrels, run, library.convention, digits) or {}).values():
                yield (
                    f"{name} itself sees the retrieved documents of each query alone: its {measure} is {value} "
                    f"(rankspec why {name} with these files)."
                )


def _program(values: Mapping[Measure, str], qrels: Qrels, run: Run, digits: int) -> Iterator[str]:
    """Say what trec_eval prints, and the rules that make the difference."""
    program = PROFILES[_PROGRAM].convention
    there = _printed(values, qrels, run, program, digits)
    if there is None:
        return
    if there == values:
        yield f"{_PROGRAM} prints the same."
        return
    changed = (
        (axis, _printed(values, qrels, run, DEFAULT.with_setting(axis, setting), digits))
        for axis, setting in program.differences().items()
    )
    reasons = [AXES[axis].phrase(getattr(program, axis)) for axis, each in changed if each not in (None, values)]
    why = f": it {joined(reasons)}" if reasons else ""
    yield f"{_PROGRAM} prints {joined([*there.values()])}{why} (--under {_PROGRAM})."


def _printed(
    measures: Collection[Measure], qrels: Qrels, run: Run, convention: Convention, digits: int
) -> dict[Measure, str] | None:
    """Return the values as they are printed; None where the convention has none, or means nothing for a measure."""
    if any(meaningless(measure, convention) is not None for measure in measures):
        return None
    try:
        evaluations = evaluate_many(list(measures), qrels, run, convention)
    except OracleError:
        return None
    exact = {measure: evaluation.exact for measure, evaluation in evaluations.items()}
    if any(isinstance(value, Undefined) for value in exact.values()):
        return None
    places = {measure: 0 if measure.family.is_count else digits for measure in exact}
    return {measure: f"{to_double(value):.{places[measure]}f}" for measure, value in exact.items()}
