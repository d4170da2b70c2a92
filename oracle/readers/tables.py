"""Tables with named columns (CSV, TSV, JSON, JSON lines, Parquet) and JSON dictionaries, written as TREC's columns.

What is written is read like any file of TREC's: by every reading, every engine, with its limits and its messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.lines import STANDARD_INPUT, Source, Text, content_of, first_line, require_short_lines

QUERY = ("query", "query_id", "qid", "q_id", "topic", "topic_id", "user", "user_id", "uid")
DOCNO = (
    *("docno", "doc_no", "doc_id", "docid", "did", "doc", "document", "document_id", "corpus_id", "pid", "passage_id"),
    *("item", "item_id", "iid"),
)
GRADE = ("grade", "relevance", "rel", "label", "qrel", "rating")
SCORE = ("score", "sim", "similarity", "prediction", "rating")
"""What columns are called, in any case and with or without signs (`userID`); the first that is there counts.

What was predicted goes before a rating: tables of recommendations have both.
"""
_OF_BEIR = ("corpus_id",)
SUBTOPIC = ("subtopic", "subtopic_id", "iteration", "iter")
RANK = ("rank",)
_NUMBER = "number"  # The column of what a dictionary has, which may be grades or scores
_JSON = re.compile(r'[\[{]$|\{\s*["}]|\[\s*[\[{\]]')  # How JSON begins; ids may begin with a bracket, too
_SIGNS = dict.fromkeys(map(ord, "_- ."))
_SEPARATORS = ("\t", ",", ";")


class Content(Enum):
    """What a file holds."""

    QRELS = "qrels"
    RUN = "a run"


def column_named(names: Iterable[str], role: Sequence[str]) -> str | None:
    """Return which of some columns has a role, if one has."""
    bare = {_bare(name): name for name in reversed(list(names))}
    return next((bare[_bare(name)] for name in role if _bare(name) in bare), None)


def _bare(name: str) -> str:
    return name.casefold().translate(_SIGNS)


def as_trec(source: Path | str, content: Content) -> Source:
    """Return a table's text in TREC's columns, any other source as it is; `InputError` if it lacks a column."""
    if str(source) == STANDARD_INPUT or not is_table(source):
        return source
    name, rows = _rows_of(source)
    lines = "".join(_trec_lines(name, rows, content))
    return Text(f"{name} (rows as lines)", lines.encode())


def is_table(source: Path | str) -> bool:
    """Tell a table, or JSON, from a file of TREC's columns: by its first line, which names columns."""
    path = Path(source)
    if path.suffix == ".parquet":
        return path.is_file()
    first = first_line(path)
    return _JSON.match(first) is not None or _separator(first) is not None


def contents_of(source: Path | str) -> set[Content]:
    """Return what a table may be: columns or numbers can leave it open; `InputError` if it is of something else."""
    name, rows = _rows_of(source)
    contents = set()
    for content in Content:
        try:
            lines = _trec_lines(name, rows, content)
            is_whole = (line.rsplit(maxsplit=1)[-1].lstrip("+-").isdecimal() for line in lines)  # as grades are
            contents |= {content} if content is Content.RUN or all(is_whole) else set()
        except InputError as error:
            refusal = error
    if not contents:
        raise refusal
    return contents


def holds_both(source: Path | str) -> bool:
    """Tell whether a file is a table with a column of grades and another one of scores: qrels and run at once."""
    if not Path(source).is_file() or not is_table(source):
        return False
    _, rows = _rows_of(source)
    grade, score = (column_named(map(str, rows[0] if rows else ()), role) for role in (GRADE, SCORE))
    return None not in {grade, score} and grade != score


def _separator(first: str) -> str | None:
    """Return what separates the names of columns in a first line, None if it names no columns."""
    for separator in _SEPARATORS:
        names = [name.strip(' "') for name in first.strip().split(separator)]
        if column_named(names, QUERY) is not None and column_named(names, DOCNO) is not None:
            return separator
    return None


def _rows_of(source: Path | str) -> tuple[str, list[Mapping[str, Any]]]:
    """Return a table's name and its rows, column -> value, of a dictionary a row a pair; `InputError` if unreadable."""
    if Path(source).suffix == ".parquet":
        return str(source), _parquet_rows(str(source))
    name, content = content_of(source)
    if _JSON.match(first_line(Path(source))):
        from rankspec.oracle.readers.json_source import parse_json

        read = parse_json(name, content)
        rows = list(_pairs(name, read)) if isinstance(read, dict) and column_named(read, QUERY) is None else read
        rows = [rows] if isinstance(rows, dict) else rows
        if not all(isinstance(row, Mapping) for row in rows):
            raise InputError(f"{name}: JSON, but no query -> docno -> number, and no list of rows", code="not-a-table")
        return name, rows
    require_short_lines(name, content)
    import csv
    import io

    try:
        text = content.decode("utf-8-sig").lstrip()
    except UnicodeDecodeError:
        raise InputError(f"{name}: not UTF-8 text; save the table as UTF-8", code="file-not-utf-8") from None
    separator = _separator(text.partition("\n")[0]) or ","
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
    for place, row in enumerate(rows, start=1):
        if None in row:
            raise InputError(f"{name}, row {place}: more columns than the first line names", code="columns-miscounted")
    return name, rows


def _pairs(name: str, of_queries: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a row a pair of query -> docno -> number."""
    for query, documents in of_queries.items():
        pairs = documents.items() if isinstance(documents, Mapping) else documents
        if not isinstance(pairs, Iterable) or isinstance(pairs, str):
            raise InputError(f"{name}, query {query}: no dictionary of docno -> number", code="not-a-table")
        for pair in pairs:
            if not isinstance(pair, list | tuple) or len(pair) != len(("docno", "number")):
                raise InputError(f"{name}, query {query}: {pair!r} is no pair of docno and number", code="not-a-table")
            yield {"query": query, "docno": pair[0], _NUMBER: pair[1]}


def _parquet_rows(path: str) -> list[Mapping[str, Any]]:
    """Read a file of Parquet; `InputError` if pyarrow is not installed, or can't read it."""
    try:
        from pyarrow import ArrowException, parquet  # an extra: few tables are Parquet
    except ImportError:
        reason = f"{path}: Parquet needs pyarrow; pip install 'rankspec[score]'"
        raise InputError(reason, code="extra-missing") from None
    try:
        rows: list[Mapping[str, Any]] = parquet.read_table(path).to_pylist()
    except (ArrowException, OSError) as fault:
        raise InputError(f"{path}: can't be read as Parquet: {fault}", code="file-unreadable") from None
    return rows


def _trec_lines(name: str, rows: Sequence[Mapping[str, Any]], content: Content) -> Iterator[str]:
    """Yield a line a row; `InputError` for no such column, or an id that is empty or has TREC's separator, a blank."""
    if not rows:
        raise InputError(f"{name}: no rows", code="file-empty")
    names = [str(each) for each in rows[0] if each is not None]
    query, docno = _column(name, names, QUERY), _column(name, names, DOCNO)
    number, sign = _number_column(name, names, content), ""
    if content is Content.RUN and number == column_named(names, RANK):
        sign = "-"
    subtopic = column_named(names, SUBTOPIC)
    for place, row in enumerate(rows, start=1):
        ids = [_text(row.get(column)) for column in (query, docno)]
        for what, each in zip(("query", "document"), ids, strict=True):
            if not each or len(each.split()) > 1:
                reason = f"{what} {each!r}: an id is a text without blanks"
                raise InputError(f"{name}, row {place}: {reason}", code="id-not-plain")
        value = _text(row.get(number)) or "nothing"
        if content is Content.QRELS:
            between = _text(row.get(subtopic)) if subtopic is not None else ""
            whole, _, rest = value.partition(".")  # a table with a gap has 1.0 for 1
            yield f"{ids[0]} {between or 0} {ids[1]} {value if rest.strip('0') else whole}\n"
        else:
            yield f"{ids[0]} Q0 {ids[1]} 0 {sign}{value} table\n"


def _number_column(name: str, names: Sequence[str], content: Content) -> str:
    """Return the column of grades or scores. BEIR calls its grades scores; where a run has ranks alone, they order."""
    if _NUMBER in names:
        return _NUMBER
    if content is Content.RUN:
        return column_named(names, SCORE) or _column(name, names, RANK, SCORE)
    if column_named(names, _OF_BEIR) is not None:
        return _column(name, names, (*GRADE, *SCORE))
    return _column(name, names, GRADE)


def _column(name: str, names: Sequence[str], role: Sequence[str], called: Sequence[str] = ()) -> str:
    column = column_named(names, role)
    if column is None:
        accepted = called or role
        reason = f"{name}: no column {accepted[0]!r} among {', '.join(names)}; its names are {', '.join(accepted)}"
        raise InputError(reason, code="column-missing")
    return column


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()
