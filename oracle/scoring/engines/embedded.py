"""The embedded engine, DuckDB (the extra `rankspec[score]`): TREC files and Parquet, spilling what memory can't hold.

It reads what is plain: six columns with one blank or tab between them. Whatever else a file has is refused here, and
left to the streaming reader, which reads it or says what is wrong and where.
"""

from __future__ import annotations

import mmap
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rankspec.oracle.conventions.axes import Reading, ScorePrecision
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import ID_BYTES, LINE_BYTES
from rankspec.oracle.readers.lines import long_lines, open_source, require_few
from rankspec.oracle.scoring.engines import statement
from rankspec.oracle.scoring.engines.product import (
    EngineRefusalError,
    Product,
    Ranks,
    columns_of,
    product_of,
    refuse_convention,
    table_of,
)

if TYPE_CHECKING:
    import duckdb

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANKS = (b"\t", b" ")
_OTHER_BLANKS = (b"\x0b", b"\x0c")
_SURE_DIGITS = 15  # Decimals of so many digits that differ, differ as doubles
_SMALLEST = 1e-280  # Below it doubles are sparse, and exponents may be too small for them
_SCORE = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?|[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?"
_CHUNK = 1 << 20
_LONGEST_LINE = 1 << 20  # Bytes. A line that is longer than twice that DuckDB passes over without a word.
_COLUMNS = ("query", "iteration", "docno", "place", "text", "tag")
_BLANK_TEXT = "' ' || chr(9) || chr(11) || chr(12) || chr(13)"
_SORTED_AT_ONCE = 100_000_000


@contextmanager
def connection(memory_bytes: int | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open an engine of one's own, which spills into a folder of its own; `InputError` without DuckDB."""
    try:
        import duckdb
    except ImportError:
        raise InputError(
            "the engine duckdb is not installed; `pip install 'rankspec[score]'`", code="package-missing"
        ) from None
    with tempfile.TemporaryDirectory(prefix="rankspec-") as folder, duckdb.connect() as engine:
        engine.execute("SET temp_directory = ?", [folder])
        engine.execute("SET enable_progress_bar = false")
        if memory_bytes is not None:
            engine.execute("SET memory_limit = ?", [f"{memory_bytes}B"])
        yield engine


def product_of_files(qrels: Qrels, run: Path | str, convention: Convention, memory_bytes: int | None = None) -> Product:
    """Return what measures look at, of a run's six columns, plain or gzip, or Parquet; `InputError` beyond a limit."""
    # `EngineRefusalError` for a file or a convention that is none for this engine; `InputError`, too, without DuckDB.
    refuse_convention(convention)
    with connection(memory_bytes) as engine:
        try:
            _load(engine, Path(run), convention)
            return _product(engine, qrels, convention, str(run))
        except _engine_errors() as fault:
            raise EngineRefusalError(str(fault).splitlines()[0]) from fault


def _engine_errors() -> type[Exception]:
    import duckdb

    errors: type[Exception] = duckdb.Error
    return errors


def _load(engine: duckdb.DuckDBPyConnection, run: Path, convention: Convention) -> None:
    if run.is_dir() or run.suffix == ".parquet":
        files = str(run / "**" / "*.parquet") if run.is_dir() else str(run)
        engine.read_parquet(files).create_view("given")
        _load_columns(engine, "given", convention)
        return
    with _unpacked(run) as plain:
        delimiter = _delimiter(plain)
        if delimiter is not None:
            try:
                _load_lines(engine, plain, delimiter, convention)
            except _engine_errors():
                delimiter = None  # a line with two blanks somewhere, say
        if delimiter is None:
            _load_lines(engine, plain, None, convention)
    found = engine.execute("SELECT count(*), bool_or(doubtful) FROM lines").fetchall()[0]
    if not found[0] or found[1]:
        raise EngineRefusalError("lines that need a closer look")


def _load_lines(engine: duckdb.DuckDBPyConnection, run: Path, delimiter: str | None, convention: Convention) -> None:
    """Fill the table, with a mark on each line that the streaming reader reads otherwise, or refuses with a reason."""
    strict = "false" if delimiter is None else "true"
    options = "header = false, auto_detect = false, quote = '', escape = '', comment = '', compression = 'none'"
    source = f"read_csv(?, delim = ?, {options}, strict_mode = {strict}, columns = {{columns}})"
    if delimiter is None:
        lines = source.format(columns="{'line': 'VARCHAR'}")
        split = f"string_split_regex(trim(line, {_BLANK_TEXT}), '[ \\t\\r\\x0b\\x0c]+')"
        table = (
            "(SELECT part[1] AS query, part[3] AS docno, part[5] AS text, len(part) = 6 AS whole"
            f" FROM (SELECT {split} AS part FROM {lines}"
            f" WHERE trim(line, {_BLANK_TEXT}) <> ''))"
        )
        given = [str(run), "\x1e"]
    else:
        whole = " AND ".join(f"{name} IS NOT NULL" for name in _COLUMNS)
        lines = source.format(columns="{" + ", ".join(f"'{name}': 'VARCHAR'" for name in _COLUMNS) + "}")
        table = f"(SELECT query, docno, text, {whole} AS whole FROM {lines})"
        given = [str(run), delimiter]
    doubts = [
        "NOT whole",
        f"NOT regexp_full_match(text, '{_SCORE}')",
        f"abs(CAST(text AS DOUBLE)) < {_SMALLEST} AND regexp_matches(text, '^[^eE]*[1-9]')",
    ]
    if _spelled(convention):
        doubts.append("isinf(CAST(text AS DOUBLE)) AND regexp_matches(text, '[0-9]')")  # 1e999 is below infinity
    if convention.reading is Reading.TREC_EVAL_10:
        doubts.append("starts_with(query, '#')")
    spelled = f", CASE WHEN strlen(text) > {_SURE_DIGITS} THEN hash(text) ELSE 0 END AS spelled"
    rounded = statement.ROUNDED[convention.score_precision]
    engine.execute("DROP TABLE IF EXISTS lines")
    engine.execute(
        f"CREATE TEMP TABLE lines AS SELECT query, docno, {rounded} + 0.0 AS score, doubtful{_spelled(convention)}"
        " FROM (SELECT query, docno, CAST(text AS DOUBLE) AS score,"
        f" coalesce({' OR '.join(f'({doubt})' for doubt in doubts)}, true) AS doubtful"
        f"{spelled if _spelled(convention) else ''} FROM {table})",
        given,
    )


def _spelled(convention: Convention) -> str:
    """Return a column more where decimals decide: two that differ can be one double if they are long."""
    is_decimal = convention.score_precision is ScorePrecision.EXACT and convention.reading is Reading.STRICT
    return ", spelled" if is_decimal else ""


@contextmanager
def _unpacked(run: Path) -> Iterator[Path]:
    """Give a plain file: the run, or what it unpacks to."""
    with open_source(run) as opened:
        if opened.known_bytes is not None:
            yield run
            return
        with tempfile.TemporaryDirectory(prefix="rankspec-") as folder:
            plain = Path(folder) / "run"
            try:
                with plain.open("wb") as file:
                    shutil.copyfileobj(opened.file, file, _CHUNK)
            except OSError:
                raise EngineRefusalError("damaged gzip data, or no room to unpack it") from None
            yield plain


def _delimiter(run: Path) -> str | None:
    """Return the one blank or tab between all columns, None if several; `EngineRefusalError` for no plain text."""
    if not run.stat().st_size:
        raise EngineRefusalError("no line")
    with run.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content[: len(_BYTE_ORDER_MARK)] == _BYTE_ORDER_MARK or content.find(b"\0") >= 0:
            raise EngineRefusalError("a byte order mark, or a NUL byte")
        if next(long_lines(content, 0, len(content), min(_LONGEST_LINE, LINE_BYTES.most, ID_BYTES.most)), None):
            raise EngineRefusalError("a long line")
        if content.find(b"\r") >= 0 and not _returns_end_lines(content):
            raise EngineRefusalError("a carriage return inside a line")
        first = content[: content.find(b"\n") + 1 or len(content)].rstrip(b"\r\n")
        inside = [blank for blank in _BLANKS if blank in first]
        if len(inside) != 1 or len(first.split(inside[0])) != len(_COLUMNS):
            return None
        others = (blank for blank in (*_BLANKS, *_OTHER_BLANKS) if blank != inside[0])
        return None if any(content.find(blank) >= 0 for blank in others) else inside[0].decode()


def _returns_end_lines(content: mmap.mmap) -> bool:
    values = np.frombuffer(content, np.uint8)
    before = np.flatnonzero(values == ord("\r")) + 1
    alike = bool((before < values.size).all() and (values[before] == ord("\n")).all())
    del values  # the mapping can't be closed while it is evaluated
    return alike


def _load_columns(engine: duckdb.DuckDBPyConnection, name: str, convention: Convention) -> None:
    there = [str(column[0]) for column in engine.execute(f"DESCRIBE {name}").fetchall()]
    chosen = {name: '"' + column.replace('"', '""') + '"' for name, column in columns_of(there).items()}
    rounded = statement.ROUNDED[convention.score_precision]
    engine.execute(
        f"CREATE TEMP TABLE lines AS SELECT query, docno, {rounded} + 0.0 AS score"
        f" FROM (SELECT CAST({chosen['query']} AS VARCHAR) AS query, CAST({chosen['docno']} AS VARCHAR) AS docno,"
        f" CAST({chosen['score']} AS DOUBLE) AS score FROM {name})"
    )
    faults = engine.execute(
        "SELECT count(*), count(*) - count(query), count(*) - count(docno), count(*) - count(score),"
        " count(*) FILTER (isnan(score)), max(greatest(strlen(query), strlen(docno))) FROM lines"
    ).fetchall()[0]
    if (faults[-1] or 0) > ID_BYTES.most:
        raise ID_BYTES.exceeded("run", "an id has")
    if not faults[0] or any(faults[1:-1]):
        raise EngineRefusalError("a table without rows, or with null or NaN in it")


def _product(engine: duckdb.DuckDBPyConnection, qrels: Qrels, convention: Convention, name: str) -> Product:
    judgments = table_of(qrels)
    engine.register("qrels", judgments)
    engine.execute("CREATE TEMP VIEW run AS SELECT query, docno, score, rowid AS line FROM lines")
    _refuse_repeated(engine)
    counted = engine.execute(statement.LENGTHS + " ORDER BY first_line").fetchall()
    lengths = {query: documents for query, documents, _ in counted}
    require_few(name, lengths)
    few = judgments.num_rows <= statement.MOST_PAIRS_A_LINE * max(len(lengths), 1)
    if _spelled(convention):
        _refuse_long_scores(engine, few=few)
    found = engine.execute(
        (statement.ranks_by_pairs if few else statement.ranks_by_sorting)(convention.ties)
    ).fetchnumpy()
    ranks = Ranks(*(np.asarray(found[name]).astype(np.int64) for name in Ranks._fields))
    return product_of(qrels, lengths, ranks, convention.ties)


def _refuse_long_scores(engine: duckdb.DuckDBPyConnection, *, few: bool) -> None:
    """Refuse scores that are equal as doubles and written differently, where that could move a judged document."""
    if "spelled" not in {row[0] for row in engine.execute("DESCRIBE lines").fetchall()}:
        return  # a table's scores are doubles
    if not engine.execute("SELECT bool_or(spelled <> 0) FROM lines").fetchall()[0][0]:
        return
    among_judged = (
        "SELECT 1 FROM qrels q JOIN lines j ON q.query = j.query AND q.docno = j.docno"
        " JOIN lines r ON r.query = j.query AND r.score = j.score AND r.spelled <> j.spelled LIMIT 1"
    )
    anywhere = "SELECT 1 FROM lines GROUP BY query, score HAVING min(spelled) <> max(spelled) LIMIT 1"
    if engine.execute(among_judged if few else anywhere).fetchall():
        raise EngineRefusalError("scores that differ as decimals, and not as doubles")


def _refuse_repeated(engine: duckdb.DuckDBPyConnection) -> None:
    """Refuse a document that appears twice in a query: the reader names both lines, or a convention decides."""
    # Equal pairs have equal hashes; that these all differ is seen by sorting them, which is cheaper than grouping.
    lines = engine.execute("SELECT count(*) FROM run").fetchall()[0][0]
    if lines <= _SORTED_AT_ONCE:
        hashes = np.sort(np.asarray(engine.execute("SELECT hash(query, docno) AS h FROM run").fetchnumpy()["h"]))
        if not (hashes[1:] == hashes[:-1]).any():
            return
    if engine.execute(statement.REPEATED).fetchall():
        raise EngineRefusalError("a document appears twice in a query")
