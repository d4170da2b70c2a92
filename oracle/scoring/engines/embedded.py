"""The embedded engine, DuckDB (the extra `rankspec[score]`): Parquet, spilling what memory can't hold."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import ID_BYTES
from rankspec.oracle.readers.lines import require_few
from rankspec.oracle.scoring.engines import product, statement

if TYPE_CHECKING:
    import duckdb

_SORTED_AT_ONCE = 100_000_000  # Lines whose hashes are sorted in memory, 800 MB; of more the engine groups, on disk


@contextmanager
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open an engine of one's own, which spills into a folder of its own; `InputError` without DuckDB."""
    try:
        import duckdb
    except ImportError:
        reason = "the engine duckdb is not installed; `pip install 'rankspec[score]'`"
        raise InputError(reason, code="package-missing") from None
    with tempfile.TemporaryDirectory(prefix="rankspec-") as folder, duckdb.connect() as engine:
        engine.execute("SET temp_directory = ?", [folder])
        engine.execute("SET enable_progress_bar = false")
        yield engine


def product_of_files(qrels: Qrels, run: Path | str, convention: Convention) -> product.Product:
    """Return what measures look at, of Parquet, one file or a folder of parts; `InputError` beyond a limit."""
    # `EngineRefusalError` for a file or a convention that is none for this engine; `InputError`, too, without DuckDB.
    product.refuse_convention(convention)
    run = Path(run)
    if not run.is_dir() and run.suffix != ".parquet":
        raise product.EngineRefusalError("it reads Parquet, and this is a text")
    with connection() as engine:
        import duckdb

        try:
            files = str(run / "**" / "*.parquet") if run.is_dir() else str(run)
            _load(engine, files, convention)
            engine.register("qrels", product.table_of(qrels))
            engine.execute("CREATE TEMP VIEW run AS SELECT query, docno, score, rowid AS line FROM lines")
            _refuse_repeated(engine)
            counted = engine.execute(statement.LENGTHS + " ORDER BY first_line").fetchall()
            lengths = {query: documents for query, documents, _ in counted}
            require_few(str(run), lengths)
            found = engine.execute(statement.ranks(convention.ties)).fetchnumpy()
            ranks = product.Ranks(*(np.asarray(found[name]).astype(np.int64) for name in product.Ranks._fields))
            return product.product_of(qrels, lengths, ranks, convention.ties)
        except duckdb.Error as fault:
            raise product.EngineRefusalError(str(fault).splitlines()[0]) from fault


def _load(engine: duckdb.DuckDBPyConnection, files: str, convention: Convention) -> None:
    engine.read_parquet(files).create_view("given")
    there = [str(column[0]) for column in engine.execute("DESCRIBE given").fetchall()]
    chosen = {name: '"' + column.replace('"', '""') + '"' for name, column in product.columns_of(there).items()}
    rounded = statement.ROUNDED[convention.score_precision]
    engine.execute(
        f"CREATE TEMP TABLE lines AS SELECT query, docno, {rounded} + 0.0 AS score"
        f" FROM (SELECT CAST({chosen['query']} AS VARCHAR) AS query, CAST({chosen['docno']} AS VARCHAR) AS docno,"
        f" CAST({chosen['score']} AS DOUBLE) AS score FROM given)"
    )
    faults = engine.execute(
        "SELECT count(*), count(*) - count(query), count(*) - count(docno), count(*) - count(score),"
        " count(*) FILTER (isnan(score)), max(greatest(strlen(query), strlen(docno))) FROM lines"
    ).fetchall()[0]
    if (faults[-1] or 0) > ID_BYTES.most:
        raise ID_BYTES.exceeded("run", "an id has")
    if not faults[0] or any(faults[1:-1]):
        raise product.EngineRefusalError("a table without rows, or with null or NaN in it")


def _refuse_repeated(engine: duckdb.DuckDBPyConnection) -> None:
    """Refuse a document that appears twice in a query: the reader names both lines, or a convention decides."""
    # Equal pairs have equal hashes; that these all differ is seen by sorting them, which is cheaper than grouping.
    lines = engine.execute("SELECT count(*) FROM run").fetchall()[0][0]
    if lines <= _SORTED_AT_ONCE:
        hashes = np.sort(np.asarray(engine.execute("SELECT hash(query, docno) AS h FROM run").fetchnumpy()["h"]))
        if not (hashes[1:] == hashes[:-1]).any():
            return
    if engine.execute(statement.REPEATED).fetchall():
        raise product.EngineRefusalError("a document appears twice in a query")
