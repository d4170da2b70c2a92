"""Lists of verdicts, as evaluators of retrieval-augmented generation keep them: of contexts, or of statements.

A verdict is yes or no: `true`, `1` or `"yes"`, or an object with `verdict` or `attributed` (ragas, DeepEval), whose
other fields (`reason`, `statement`) are left alone. A file is

* an object of lists: `{"q1": [1, 0, 1], "q2": [{"verdict": "yes"}]}`
* a list of objects, or an object a line: `{"id": "q1", "verdicts": [1, 0, 1]}`, without `id` numbered from 1
* one list of verdicts, or a list of lists, numbered from 1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import compress, count
from pathlib import Path
from typing import Any

from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.json_source import parse_json
from rankspec.oracle.readers.lines import content_of, require_short_id

_WORDS = dict.fromkeys(("yes", "true", "1"), True) | dict.fromkeys(("no", "false", "0", "idk", "borderline"), False)
"""DeepEval counts `borderline`, and `idk` of older versions, as no."""
_FIELDS = ("verdict", "attributed")
_FORMS = "a list of verdicts, an object of lists by query, or objects with `verdicts`"
Verdicts = Mapping[str, tuple[bool, ...]]  # Query -> verdicts, in the order of its contexts or of its statements


def verdicts_of(source: object) -> Verdicts:
    """Return verdicts of the name of a JSON file, plain or gzip, of `-`, or of its data; `InputError` with place."""
    where, lists = "verdicts", dict[str, tuple[bool, ...]]()
    if isinstance(source, str | Path):
        where, content = content_of(source)
        source = parse_json(where, content)
    for query, verdicts in _lists(source, where):
        require_short_id(where, "query", query)
        if query in lists:
            raise InputError(f"{where}: query {query} appears twice; give every query one list", code="query-repeated")
        if not isinstance(verdicts, list | tuple):
            reason = f"{where}, query {query}: {_excerpt(verdicts)} is not a list of verdicts"
            raise InputError(reason, code="verdicts-malformed")
        lists[query] = tuple(
            _verdict(each, f"{where}, query {query}, verdict {place}") for place, each in enumerate(verdicts, start=1)
        )
    if not lists:
        raise InputError(f"{where}: no list of verdicts; give {_FORMS}", code="verdicts-missing")
    return lists


def contexts_from(source: Any) -> tuple[Qrels, Run]:
    """Return contexts of a file's name, or plain data: documents in rank order, relevant where the verdict is yes."""
    verdicts = verdicts_of(source)
    qrels = {query: {str(rank): int(yes) for rank, yes in enumerate(listed, 1)} for query, listed in verdicts.items()}
    return Qrels.of(qrels), Run.of({query: _ranked(list(graded)) for query, graded in qrels.items()})


def statements_from(source: Any) -> tuple[Qrels, Run]:
    """Return statements of a reference as relevant documents, retrieved where the verdict is yes (attributed)."""
    qrels, run = {}, {}
    for query, verdicts in verdicts_of(source).items():
        names = [str(place) for place in range(1, len(verdicts) + 1)]
        qrels[query], run[query] = dict.fromkeys(names, 1), _ranked(list(compress(names, verdicts)))
    return Qrels.of(qrels), Run.of(run)


def _ranked(docnos: list[str]) -> list[tuple[str, int]]:
    return list(zip(docnos, range(len(docnos), 0, -1), strict=True))


def _lists(source: object, where: str) -> Iterator[tuple[str, object]]:
    """Yield queries with what should be their lists."""
    if isinstance(source, Mapping):
        if "verdicts" in source:
            yield _identified(source, 1, where)
        else:
            yield from ((str(query), verdicts) for query, verdicts in source.items())
    elif isinstance(source, list | tuple) and any(isinstance(each, list | tuple) for each in source):
        yield from zip(map(str, count(1)), source, strict=False)
    elif isinstance(source, list | tuple) and any(isinstance(each, Mapping) and "verdicts" in each for each in source):
        yield from (_identified(each, place, where) for place, each in enumerate(source, start=1))
    elif isinstance(source, list | tuple):
        yield "1", source
    else:
        raise InputError(f"{where}: {_excerpt(source)} is none of {_FORMS}", code="verdicts-malformed")


def _identified(entry: object, place: int, where: str) -> tuple[str, object]:
    if not isinstance(entry, Mapping) or "verdicts" not in entry:
        raise InputError(f"{where}, entry {place}: {_excerpt(entry)} has no `verdicts`", code="verdicts-missing")
    return str(entry.get("id", entry.get("query", place))), entry["verdicts"]


def _verdict(source: object, where: str) -> bool:
    if isinstance(source, Mapping):
        fields = [name for name in _FIELDS if name in source]
        if len(fields) != 1:
            what = "two verdicts" if fields else f"{_excerpt(source)} has no `verdict`"
            raise InputError(f"{where}: {what}", code="verdict-unclear")
        source = source[fields[0]]
    word = str(source).strip().casefold() if isinstance(source, bool | int | str) else ""
    if word not in _WORDS:
        reason = f"{where}: {_excerpt(source)} is not a verdict; give 1 or 0, true or false, yes or no"
        raise InputError(reason, code="verdict-unclear")
    return _WORDS[word]


def _excerpt(source: object) -> str:
    text = repr(source)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


_LONGEST = 40  # Characters of a value that a message shows
