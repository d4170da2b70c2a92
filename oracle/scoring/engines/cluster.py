"""A cluster: the relational step on Spark (the extra `rankspec[spark]`), the same statement as the embedded engine's.

What is merged are whole numbers, so every partition gives the same bits. Lines have no order on a cluster: ties by
input order are refused where documents of the qrels are tied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from rankspec.oracle.conventions.axes import Reading, ScorePrecision
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import GROWTH, ID_BYTES, LINE_BYTES, UNPACKED_BYTES
from rankspec.oracle.readers.lines import require_few
from rankspec.oracle.scoring.engines import statement
from rankspec.oracle.scoring.engines.blocks import SMALLEST, SURE_DIGITS
from rankspec.oracle.scoring.engines.product import (
    EngineRefusalError,
    Product,
    Ranks,
    columns_of,
    product_of,
    refuse_convention,
    table_of,
)

_SCORE = r"^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,2})?$"
_LOCAL_PARTITIONS = 4  # Spark's own 200 cost more than they share out on one machine
_ROWS_A_PARTITION = 1 << 20
"""What a task sorts or groups at once: 25 million rows ran out of Spark's default heap of 1 GiB."""
_MOST_PARTITIONS = 10_000
"""Every task of a shuffle writes a piece for each partition: runs of more than 1e10 rows need larger heaps instead."""
_BROADCAST_BYTES = 8 << 20
"""Judgments that every executor is sent as they are; the run's rows then need not move to meet them.

About 250,000 judgments. In an executor they take some five times as much: 34 MB ran out of Spark's default heap.
"""
_PAIRS = "SELECT *, xxhash64(query, docno) AS pair FROM run"
_REPEATED_PAIRS = (
    "SELECT pair FROM (SELECT /*+ REPARTITION({partitions}, pair) */ pair FROM pairs) GROUP BY pair HAVING COUNT(*) > 1"
)
"""Hashes of equal pairs are equal: 8 bytes a row move instead of both ids.

Nearly all differ, so that rows are moved before they are grouped: grouped where they lie, they would only fill memory.
"""
_TRIMMED = "trim(BOTH ' \\t\\r' FROM value)"
_UNREADABLE = "[\\u0000\\u000b\\u000c\\ufffd]"
"""NUL, blanks that Spark's pattern does not split at, and what stands for bytes that are not UTF-8."""
_PACKED = frozenset({".gz", ".bz2", ".deflate", ".lz4", ".snappy", ".zst"})
"""Suffixes by which Spark knows compressed text."""
_INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})
_WHOLE_FILES = {"ignoreCorruptFiles": "false", "ignoreMissingFiles": "false"}
"""A session may be set to pass over files that can't be read; values would be of what is left."""
_ANY_GROWTH = 1 << 26  # Bytes up to which a compressed file may grow by any factor, as in `readers/lines.py`
_GLOB = re.compile(r"[\\*?\[\]{}]")


@contextmanager
def session(master: str | None) -> Iterator[Any]:
    """Use the running session, or open one that ends here; `InputError` without pyspark or Java."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        reason = "the engine spark is not installed; `pip install 'rankspec[spark]'`"
        raise InputError(reason, code="package-missing") from None
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
        refusal = f"the engine spark does not start: {str(fault).splitlines()[0]}; it needs Java 17"
        raise InputError(refusal, code="engine-not-started") from None
    try:
        yield own
    finally:
        with suppress(ConnectionError):  # out of memory: the engine is gone already
            own.stop()


def product_of_files(qrels: Qrels, run: Path | str, convention: Convention, master: str | None = None) -> Product:
    """Return what measures look at, of qrels and six columns or Parquet, one file or a folder of parts."""
    # `EngineRefusalError` for other files or conventions, or where Spark failed; `InputError` without Spark, or beyond
    # a limit. `master` is for where no session runs.
    refuse_convention(convention)
    with session(master) as outer:
        spark = outer.newSession()  # a running session's views and settings stay as they are
        try:
            lengths, ranks = _counted(spark, qrels, str(run), convention)
        except (EngineRefusalError, InputError):
            raise
        except Exception as fault:  # py4j raises what it likes: a file that is cut off, no memory
            raise EngineRefusalError(f"Spark: {(str(fault).splitlines() or [type(fault).__name__])[0]}") from fault
    if convention.ties in statement.BY_LINE and (ranks.tied > 1).any():
        raise EngineRefusalError(f"ties={convention.ties}: on a cluster lines have no order; say ties=docno-descending")
    return product_of(qrels, lengths, ranks, convention.ties)


def _counted(spark: Any, qrels: Qrels, run: str, convention: Convention) -> tuple[dict[str, int], Ranks]:
    from pyspark.sql.functions import broadcast

    lines = _lines(spark, run, convention).persist()
    try:
        lines.createOrReplaceTempView("run")
        partitions = set_partitions(spark, require_readable(spark, run))
        table = table_of(qrels)
        judged = spark.createDataFrame(table)
        judged = broadcast(judged) if table.nbytes <= _BROADCAST_BYTES else judged
        judged.createOrReplaceTempView("qrels")
        refuse_repeated(spark, partitions)
        counted = spark.sql(statement.LENGTHS).orderBy("query").toArrow()
        lengths = dict(zip(counted["query"].to_pylist(), counted["documents"].to_pylist(), strict=True))
        require_few(run, lengths)
        rows = spark.sql(statement.ranks(convention.ties)).toArrow()
    finally:
        lines.unpersist()
    return lengths, Ranks(*(rows[name].to_numpy().astype(np.int64) for name in Ranks._fields))


def set_partitions(spark: Any, rows: int) -> int:
    """Share out shuffled rows so that a partition fits a task's memory; return how many partitions there are."""
    name = "spark.sql.shuffle.partitions"
    partitions = max(int(spark.conf.get(name)), min(-(-rows // _ROWS_A_PARTITION), _MOST_PARTITIONS))
    spark.conf.set(name, str(partitions))
    return partitions


def refuse_repeated(spark: Any, partitions: int) -> None:
    """Refuse (`EngineRefusalError`) a document that appears twice in a query."""
    spark.sql(_PAIRS).createOrReplaceTempView("pairs")
    repeated = spark.sql(_REPEATED_PAIRS.format(partitions=partitions))
    if not repeated.take(1):
        return
    repeated.createOrReplaceTempView("repeated")  # two pairs of one hash are likely from some 1e9 rows on
    suspects = "(SELECT * FROM pairs LEFT SEMI JOIN repeated USING (pair))"
    if spark.sql(statement.REPEATED.replace("FROM run", f"FROM {suspects}")).take(1):
        raise EngineRefusalError("a document appears twice in a query")


def _lines(spark: Any, run: str, convention: Convention) -> Any:
    """Return the lines, with a mark on each that the streaming reader reads otherwise, or refuses with a reason."""
    path = Path(run)
    reader = spark.read.options(**_WHOLE_FILES)
    place = _GLOB.sub(r"\\\g<0>", run) if path.exists() else run  # a file's name is no pattern
    if path.suffix == ".parquet" or (path.is_dir() and any(path.rglob("*.parquet"))):
        parquet_columns(spark, reader, place, convention).createOrReplaceTempView("given")
        source = (
            "SELECT *, 0 AS octets, greatest(octet_length(query), octet_length(docno)) AS longest, false AS doubtful"
            " FROM given"
        )
    else:
        # Without a line's end of its own Spark ends lines at a lone carriage return, too; without the search it
        # passes over folders in folders.
        reader.text(place, lineSep="\n", recursiveFileLookup=True).createOrReplaceTempView("given")
        is_decimal = convention.score_precision is ScorePrecision.EXACT and convention.reading is Reading.STRICT
        doubts = [
            "columns <> 6",
            f"NOT text RLIKE '{_SCORE}'",
            f"abs(TRY_CAST(text AS DOUBLE)) < {SMALLEST} AND text RLIKE '^[^eE]*[1-9]'",
            f"octet_length(value) > {min(ID_BYTES.most, LINE_BYTES.most)}",
            f"value RLIKE '{_UNREADABLE}'",
            "query LIKE '#%'",
            "query LIKE '\ufeff%'",
            *([f"length(text) > {SURE_DIGITS}"] if is_decimal else []),
        ]
        source = (
            "SELECT query, docno, TRY_CAST(text AS DOUBLE) AS score, octet_length(value) + 1 AS octets, 0 AS longest,"
            f" coalesce({' OR '.join(f'({doubt})' for doubt in doubts)}, true) AS doubtful FROM ("
            "SELECT get(part, 0) AS query, get(part, 2) AS docno, get(part, 4) AS text, size(part) AS columns, value"
            f" FROM (SELECT split({_TRIMMED}, '[ \\\\t\\\\r]+') AS part, value FROM given WHERE {_TRIMMED} <> ''))"
        )
    rounded = statement.ROUNDED[convention.score_precision]
    return spark.sql(
        f"SELECT query, docno, {rounded} + 0.0D AS score, 0L AS line, octets, longest, doubtful FROM ({source})"
    )


def parquet_columns(spark: Any, reader: Any, place: str, convention: Convention) -> Any:
    """Return the three columns of Parquet files; `EngineRefusalError` for one missing, or not of texts or doubles."""
    # Folders such as `query=301` are a column, whose values are texts.
    spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")  # 001 is not 1
    table = reader.parquet(place)
    everything = spark.read.options(**_WHOLE_FILES, recursiveFileLookup="true").parquet(place)
    if len(everything.inputFiles()) != len(table.inputFiles()):
        table = everything  # folders that are no partitions
    types = dict(table.dtypes)
    chosen = columns_of(types)
    for wanted in ("query", "docno"):
        if types[chosen[wanted]] not in {"string", *_INTEGERS}:
            raise EngineRefusalError(f"{wanted} is a column of type {types[chosen[wanted]]}, not of texts")
    score = types[chosen["score"]]
    digits = re.fullmatch(r"decimal\(([0-9]+),.*", score)
    if digits is None and score not in {"double", "float", *_INTEGERS}:
        raise EngineRefusalError(f"score is a column of type {score}, not of numbers")
    if convention.score_precision is ScorePrecision.EXACT and (
        score == "bigint" or int(digits[1] if digits else 0) > SURE_DIGITS
    ):
        raise EngineRefusalError(f"score is a column of type {score}; doubles can't tell its numbers apart")
    casts = {"query": "STRING", "docno": "STRING", "score": "DOUBLE"}
    quoted = {name: "`" + column.replace("`", "``") + "`" for name, column in chosen.items()}
    return table.selectExpr(*(f"CAST({quoted[name]} AS {type_}) AS {name}" for name, type_ in casts.items()))


def require_readable(spark: Any, run: str) -> int:
    """Return how many lines a run has; `EngineRefusalError` for none, or unclear ones, `InputError` beyond a limit."""
    missing = "query IS NULL OR docno IS NULL OR score IS NULL OR isnan(score)"
    faults = f"SELECT count(*), count_if(doubtful OR {missing}), max(longest), sum(octets) FROM run"
    count, doubtful, longest, octets = spark.sql(faults).collect()[0]
    if (longest or 0) > ID_BYTES.most:
        raise ID_BYTES.exceeded(run, "an id has")
    require_growth(run, octets or 0)
    if not count or doubtful:
        raise EngineRefusalError("no line, or lines that need a closer look")
    return int(count)


def require_growth(run: str, unpacked_bytes: int) -> None:
    """Refuse (`InputError`) compressed files beyond the limits, a folder's taken together."""
    path = Path(run)
    files = [each for each in (path.rglob("*") if path.is_dir() else [path]) if each.is_file()]
    if not any(each.suffix in _PACKED for each in files):
        return
    packed_bytes = sum(each.stat().st_size for each in files)
    if unpacked_bytes > UNPACKED_BYTES.most * len(files):
        raise UNPACKED_BYTES.exceeded(run, "unpacked, it has")
    if unpacked_bytes > max(_ANY_GROWTH * len(files), packed_bytes * GROWTH.most):
        raise GROWTH.exceeded(run, "unpacked, it has")
