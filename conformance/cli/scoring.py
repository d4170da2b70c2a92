"""What `rankspec score` does with large runs and with several: engines read them, and values are certified."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rankspec.conformance.reports.run_scores import RunScores
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.engines.choosing import Chosen, Engine, refuse_as_the_program
from rankspec.oracle.engines.product import EngineRefusalError, Product
from rankspec.oracle.engines.scoring import score_many
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run


def runs_of(given: Sequence[str]) -> list[str]:
    """Return the runs: each file that is named, and each file of a folder that is, but for a folder of Parquet parts.

    Raises:
        InputError: a folder is empty.
    """
    runs: list[str] = []
    for each in given:
        path = Path(each)
        if path.is_dir() and not any(path.rglob("*.parquet")):
            inside = sorted(str(file) for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
            if not inside:
                raise InputError(f"{each}: no run in the folder")
            runs += inside
        else:
            runs.append(each)
    return runs


def scored_run(
    measures: Sequence[Measure], qrels: str, run: str, convention: Convention, chosen: Chosen, master: str | None = None
) -> RunScores:
    """Return a run's certified values. What an engine refuses the stream reads, and what that refuses the reader.

    Raises:
        InputError: the files can't be read, or the profile's program would have refused them.
    """
    product, engine, note = _product(qrels, run, convention, chosen, master)
    refuse_as_the_program(product.qrels, product.lengths, convention)
    return RunScores(run, engine.value, note, convention, score_many(measures, product, convention))


def _product(
    qrels: str, run: str, convention: Convention, chosen: Chosen, master: str | None
) -> tuple[Product, Engine, str | None]:
    note = chosen.note
    if not Path(run).exists():
        raise InputError(f"{run}: there is no such file")
    for engine in _ATTEMPTS[chosen.engine]:
        try:
            judged = read_qrels(qrels, convention.reading)
            with _shown(run) as listener:
                return _by(engine, judged, run, convention, listener, master), engine, note
        except EngineRefusalError as refusal:
            note = f"{engine.value}: {refusal}"
        except InputError:
            if convention.reading is not Reading.TREC_EVAL_9:
                raise  # trec_eval 9 does not look into the judgments of queries that the run lacks
            note = "judgments that count for evaluated queries only"
    return _by_reader(qrels, run, convention), Engine.ORACLE, note


_ATTEMPTS = {
    Engine.ORACLE: (),
    Engine.STREAM: (Engine.STREAM,),
    Engine.DUCKDB: (Engine.DUCKDB, Engine.STREAM),
    Engine.SPARK: (Engine.SPARK, Engine.STREAM),
}


def _by(
    engine: Engine,
    qrels: Qrels,
    run: str,
    convention: Convention,
    listener: Callable[[int], None],
    master: str | None,
) -> Product:
    if engine is Engine.DUCKDB:
        from rankspec.oracle.engines.embedded import product_of_files

        return product_of_files(qrels, run, convention)
    if engine is Engine.SPARK:
        from rankspec.oracle.engines.cluster import product_of_files as on_a_cluster

        return on_a_cluster(qrels, run, convention, master)
    if Path(run).is_dir() or run.endswith(".parquet"):
        raise EngineRefusalError("Parquet")
    from rankspec.oracle.engines.streaming import product_of_stream

    return product_of_stream(qrels, run, convention, listener)


def _by_reader(qrels: str, run: str, convention: Convention) -> Product:
    """Read with the reader that explains; its scores are exact.

    Raises:
        InputError: what is wrong, with file and line; or a document stands twice, which the oracle alone evaluates.
        EngineRefusalError: the oracle has to evaluate this run.
    """
    ranked = read_run(run, Repeated.KEPT, convention.reading)
    evaluated = ranked if convention.reading is Reading.TREC_EVAL_9 else None
    read_qrels(qrels, convention.reading, evaluated=evaluated)
    raise EngineRefusalError("the oracle evaluates this run")


@contextmanager
def _shown(run: str) -> Iterator[Callable[[int], None]]:
    """Show how much of a file was read, at a terminal."""
    import sys

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
