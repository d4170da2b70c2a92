"""A cluster: the relational step on Spark (the extra `rankspec[spark]`), the same statement as the embedded engine's.

What is merged are whole numbers, so every partition gives the same bits. Lines have no order on a cluster: ties by
input order are refused where documents of the qrels are tied.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rankspec.oracle.conventions.axes import Reading, ScorePrecision
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import ID_BYTES
from rankspec.oracle.readers.lines import require_few
from rankspec.oracle.scoring.engines import statement
from rankspec.oracle.scoring.engines.product import EngineRefusalError, Product, Ranks, product_of, refuse_convention

_SURE_DIGITS = 15
_SCORE = r"^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,2})?$"
_SMALLEST = 1e-280
_LOCAL_PARTITIONS = 4
"""Spark's own 200 cost more than they share out on one machine."""
_TRIMMED = "trim(BOTH ' \\t\\r' FROM value)"


@contextmanager
def session(master: str | None) -> Iterator[Any]:
    """Open a session, or take the one that runs; one that was opened here ends here.

    Raises:
        InputError: pyspark is not installed, or there is no Java.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError("the engine spark is not installed; `pip install 'rankspec[spark]'`") from None
    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    where = master or "local[*]"
    builder = SparkSession.builder.appName("rankspec").master(where)
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if where.startswith("local"):
        builder = builder.config("spark.sql.shuffle.partitions", str(_LOCAL_PARTITIONS))
    try:
        own = builder.config("spark.ui.enabled", "false").getOrCreate()
    except Exception as fault:  # noqa: BLE001 - py4j raises what it likes where Java is missing
        raise InputError(f"the engine spark does not start: {str(fault).splitlines()[0]}; it needs Java 17") from None
    try:
        yield own
    finally:
        own.stop()


def product_of_files(qrels: Qrels, run: Path | str, convention: Convention, master: str | None = None) -> Product:
    """Return what measures look at, of qrels and a run: TREC's six columns, plain or gzip, or a folder of Parquet.

    Raises:
        EngineRefusalError: the files or the convention are none for this engine.
        InputError: Spark can't be started.
    """
    refuse_convention(convention)
    with session(master) as spark:
        _register_run(spark, str(run), convention)
        _register_qrels(spark, qrels)
        if spark.sql(statement.REPEATED).take(1):
            raise EngineRefusalError("a document appears twice in a query")
        lengths = {row.query: row.documents for row in spark.sql(statement.LENGTHS).orderBy("query").collect()}
        rows = spark.sql(statement.ranks_by_pairs(convention.ties)).collect()
    require_few(run, lengths)
    columns = np.array([tuple(row) for row in rows], np.int64).reshape(-1, 5).T
    ranks = Ranks(*columns)
    if convention.ties in statement.BY_LINE and (ranks.tied > 1).any():
        raise EngineRefusalError(f"ties={convention.ties}: on a cluster lines have no order; say ties=docno-descending")
    return product_of(qrels, lengths, ranks, convention.ties)


def _register_run(spark: Any, run: str, convention: Convention) -> None:
    path = Path(run)
    rounded = statement.ROUNDED[convention.score_precision]
    if (path.is_dir() and any(path.rglob("*.parquet"))) or path.suffix == ".parquet":
        spark.read.parquet(run).createOrReplaceTempView("given")
        source = "SELECT CAST(query AS STRING) AS query, CAST(docno AS STRING) AS docno, CAST(score AS DOUBLE) AS score"
        spark.sql(f"{source}, false AS doubtful FROM given").createOrReplaceTempView("read")
    else:
        spark.read.text(run).createOrReplaceTempView("given")
        is_decimal = convention.score_precision is ScorePrecision.EXACT and convention.reading is Reading.STRICT
        doubts = [
            "columns <> 6",
            f"NOT text RLIKE '{_SCORE}'",
            f"abs(TRY_CAST(text AS DOUBLE)) < {_SMALLEST} AND text RLIKE '^[^eE]*[1-9]'",
            f"octet_length(value) > {ID_BYTES.most}",
            "query LIKE '#%'",
            "query LIKE '\ufeff%'",
            *([f"length(text) > {_SURE_DIGITS}"] if is_decimal else []),
        ]
        spark.sql(
            "SELECT query, docno, TRY_CAST(text AS DOUBLE) AS score,"
            f" coalesce({' OR '.join(f'({doubt})' for doubt in doubts)}, true) AS doubtful FROM ("
            "SELECT get(part, 0) AS query, get(part, 2) AS docno, get(part, 4) AS text, size(part) AS columns, value"
            f" FROM (SELECT split({_TRIMMED}, '[ \\\\t\\\\r]+') AS part, value FROM given WHERE {_TRIMMED} <> ''))"
        ).createOrReplaceTempView("read")
    lines = spark.sql(f"SELECT query, docno, {rounded} + 0.0D AS score, 0L AS line, doubtful FROM read").persist()
    lines.createOrReplaceTempView("run")
    missing = "query IS NULL OR docno IS NULL OR score IS NULL OR isnan(score)"
    faults = f"SELECT count(*), count_if(doubtful OR {missing}) FROM run"
    count, doubtful = spark.sql(faults).collect()[0]
    if not count or doubtful:
        raise EngineRefusalError("no line, or lines that need a closer look")


def _register_qrels(spark: Any, qrels: Qrels) -> None:
    rows = [
        (place, query, docno, grade)
        for place, query in enumerate(qrels)
        for docno, grade in qrels.grades(query).items()
    ]
    schema = "place BIGINT, query STRING, docno STRING, grade BIGINT"
    spark.createDataFrame(rows, schema).createOrReplaceTempView("qrels")
