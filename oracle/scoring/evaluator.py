"""Who evaluates a run: the oracle, or what counts ranks: numpy in memory, an engine on files. Decided here alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from rankspec.oracle.conventions.axes import LABEL_RULES, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure, effective
from rankspec.oracle.readers.lines import STANDARD_INPUT


class Engine(Enum):
    """What reads a run."""

    AUTO = "auto"  # The oracle for small files, the stream for others, the embedded engine for Parquet
    ORACLE = "oracle"  # The whole run in memory, every value exact
    STREAM = "stream"  # numpy, page by page
    DUCKDB = "duckdb"  # The embedded engine, which reads Parquet
    SPARK = "spark"  # A cluster


SMALL_BYTES = 256 * 1024  # Up to it a run is read by the oracle itself: loading numpy would take longer
# The oracle takes 7 microseconds a document; numpy a millisecond more for all of them, and 0.1 s to be loaded once.
FEWEST_DOCUMENTS = 512


class EngineChoice(NamedTuple):
    """An engine, and why it is another one than was asked for, if it is."""

    engine: Engine
    note: str | None = None


def reader_of(  # noqa: PLR0913 - all that decides it
    engine: Engine,
    run: str,
    measures: Collection[Measure],
    convention: Convention,
    *,
    is_alone: bool = True,
    why_oracle: str | None = None,
) -> EngineChoice:
    """Return what reads a run file: the oracle for a reason that is stated, or where all documents' scores decide.

    Of several runs the oracle reads none: that would have each of them evaluated in memory.
    """
    if why_oracle is not None:
        return EngineChoice(Engine.ORACLE, why_oracle)
    chosen = _by_size(run) if engine is Engine.AUTO or run == STANDARD_INPUT else EngineChoice(engine)
    if chosen.engine is Engine.ORACLE and is_alone:
        return chosen
    if why := needs_scores(measures, convention):
        return EngineChoice(Engine.ORACLE, why)
    return EngineChoice(Engine.STREAM) if chosen.engine is Engine.ORACLE else chosen


def _by_size(run: str) -> EngineChoice:
    if run == STANDARD_INPUT:
        return EngineChoice(Engine.ORACLE, "standard input can be read once")
    path = Path(run)
    if path.is_dir() or path.suffix == ".parquet":
        return EngineChoice(Engine.DUCKDB)
    return EngineChoice(Engine.STREAM if path.exists() and path.stat().st_size > SMALL_BYTES else Engine.ORACLE)


def are_small(runs: Iterable[str]) -> bool:
    """Tell whether the oracle reads each of some runs."""
    return all(_by_size(run).engine is Engine.ORACLE for run in runs)


def is_counted(documents: int) -> bool:
    """Tell whether numpy counts a run of so many documents that is in memory; else the oracle evaluates it."""
    return documents >= FEWEST_DOCUMENTS


def in_order(measures: Iterable[Measure], convention: Convention) -> Convention:
    """Return the convention by which an engine puts documents in order: with the rule for ties that the measures have.

    Measures of preferences can have a rule of their own (`prefs_ties`).
    """
    rules = _rules_for_ties(measures, convention)
    return convention.with_setting("ties", rules.pop()) if len(rules) == 1 else convention


def _rules_for_ties(measures: Iterable[Measure], convention: Convention) -> set[Ties]:
    return {effective(measure, convention).ties for measure in measures if measure.family.has("ties")}


def needs_scores(measures: Collection[Measure], convention: Convention) -> str | None:
    """Say why one product of ranks of judged documents does not decide all of the measures, None if it does."""
    if convention.ties in LABEL_RULES:
        return f"ties={convention.ties}: labels decide the order, measure by measure"
    if len(rules := _rules_for_ties(measures, convention)) > 1:
        return f"the measures put ties in several orders: {', '.join(sorted(map(str, rules)))}"
    from rankspec.oracle.scoring.batch.routes import exactly

    for measure in measures:
        holding = effective(measure, convention)
        case = exactly(measure, holding, blocks=holding.ties is Ties.GROUPED)
        if case is not None and case.needs_scores:
            return f"{measure}: {case.why}"
    return None
