"""What `rankspec score` does with large runs and with several: engines read them, and values are certified."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rankspec.conformance.cli import options
from rankspec.conformance.cli.runs import Wanted
from rankspec.conformance.reports.run_scores import RunScores, leaderboard_data, print_leaderboard, print_run, run_data
from rankspec.conformance.reports.score import Shown
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.engines.choosing import Engine, refuse_as_the_program
from rankspec.oracle.engines.product import EngineRefusalError, Product
from rankspec.oracle.engines.scoring import score_many
from rankspec.oracle.errors import InputError
from rankspec.oracle.query_matching import unmatched
from rankspec.oracle.readers.trec import read_qrels


def score_by_engines(wanted: Wanted, shown: Shown) -> str | None:
    """Print the certified values of one run, or of several as a leaderboard.

    Returns:
        Why the oracle has to evaluate the one run; None if the values are printed.

    Raises:
        InputError: files can't be read, or one of several runs is one for the oracle alone.
    """
    runs = list(wanted.chosen)
    if len(runs) > 1:
        scores = [_one_of_several(wanted, run) for run in runs]
        if shown.as_json:
            options.print_json(leaderboard_data(scores, per_query=shown.per_query, exact=shown.exact))
        else:
            print_leaderboard(scores, shown)
        return None
    try:
        one = scored_run(wanted, runs[0])
    except EngineRefusalError as refusal:
        return str(refusal)
    if shown.as_json:
        options.print_json(run_data(one, per_query=shown.per_query, exact=shown.exact))
    else:
        print_run(one, shown)
    return None


def _one_of_several(wanted: Wanted, run: str) -> RunScores:
    chosen = wanted.chosen[run]
    if chosen.engine is Engine.ORACLE:
        raise InputError(f"{run}: {chosen.note}; score it alone")
    try:
        return scored_run(wanted, run)
    except EngineRefusalError as refusal:
        raise InputError(f"{run}: {refusal}; score it alone") from None


def scored_run(wanted: Wanted, run: str) -> RunScores:
    """Return a run's certified values. What an engine refuses the stream reads, and what that refuses the reader.

    Raises:
        EngineRefusalError: the oracle has to evaluate the run.
        InputError: the files can't be read, or the profile's program would have refused them.
    """
    product, engine, note = _product(wanted, run)
    refuse_as_the_program(product.qrels, product.lengths, wanted.convention)
    matching = unmatched(list(product.qrels), product.lengths, run if len(wanted.chosen) > 1 else "")
    found = score_many(wanted.measures, product, wanted.convention)
    return RunScores(run, engine.value, note, wanted.convention, matching, found)


def _product(wanted: Wanted, run: str) -> tuple[Product, Engine, str | None]:
    convention, note = wanted.convention, wanted.chosen[run].note
    if not Path(run).exists():
        raise InputError(f"{run}: there is no such file")
    try:
        judged = read_qrels(wanted.qrels, convention.reading)
    except InputError:
        if convention.reading is not Reading.TREC_EVAL_9:
            raise
        # trec_eval 9 does not look into the judgments of queries that the run lacks, so the oracle reads the run first.
        raise EngineRefusalError("judgments that may not count") from None
    for engine in _ATTEMPTS[wanted.chosen[run].engine]:
        try:
            with _shown(run) as listener:
                product = _by(engine, judged, run, wanted, listener)
        except EngineRefusalError as refusal:
            note = f"{_NAMED.get(engine, engine).value}: {refusal}"
        else:
            return product, _NAMED.get(engine, engine), note
    raise EngineRefusalError(note or "the oracle evaluates this run")


_ATTEMPTS = {
    Engine.AUTO: (Engine.AUTO, Engine.DUCKDB, Engine.STREAM),
    Engine.STREAM: (Engine.STREAM,),
    Engine.DUCKDB: (Engine.DUCKDB, Engine.STREAM),
    Engine.SPARK: (Engine.SPARK, Engine.STREAM),
}
"""What is tried in turn; `AUTO` stands for the stream as far as a query's lines stand together."""

_NAMED = {Engine.AUTO: Engine.STREAM}


def _by(engine: Engine, qrels: Qrels, run: str, wanted: Wanted, listener: Callable[[int], None]) -> Product:
    if engine is Engine.DUCKDB:
        from rankspec.oracle.engines.embedded import product_of_files

        return product_of_files(qrels, run, wanted.convention)
    if engine is Engine.SPARK:
        from rankspec.oracle.engines.cluster import product_of_files as on_a_cluster

        return on_a_cluster(qrels, run, wanted.convention, wanted.master)
    if Path(run).is_dir() or run.endswith(".parquet"):
        raise EngineRefusalError("Parquet")
    from rankspec.oracle.engines.streaming import product_of_stream

    return product_of_stream(qrels, run, wanted.convention, listener, may_be_scattered=engine is not Engine.AUTO)


@contextmanager
def _shown(run: str) -> Iterator[Callable[[int], None]]:
    """Show how much of a file was read, at a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rankspec.conformance.cli.progress import progress

    path = Path(run)
    size = path.stat().st_size if path.is_file() else 0
    with progress([run]) as begin:
        line = begin(run)
        line.count(0, size)
        yield lambda read: line.count(read, size)
