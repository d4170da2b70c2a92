"""Qrels that have nothing odd about them, read quickly: the usual readers read or explain all others.

What every reading takes alike is plain: four columns in each line, small grades in ASCII digits, UTF-8, no document
twice, no comment, no byte order mark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from rankspec.oracle.readers.lines import STANDARD_INPUT, content_of, require_few, require_short_lines

# query, iteration, docno, grade
_COLUMNS = 4
_GRADE = re.compile(rb"[+-]?[0-9]{1,9}")
_BYTE_ORDER_MARK = "\ufeff"


def plain_judgments(source: Path | str) -> Mapping[str, Mapping[str, int]] | None:
    """Return query -> docno -> grade; None if the file is not plain, or standard input, which can be read once.

    Raises:
        InputError: there is no such file, or it can't be read or unpacked, or is beyond a limit.
    """
    if str(source) == STANDARD_INPUT:
        return None
    name, content = content_of(source)
    require_short_lines(name, content)
    rows = [line.split() for line in content.removesuffix(b"\n").split(b"\n")]
    if set(map(len, rows)) != {_COLUMNS} or b"\0" in content:
        return None
    texts = {row[3] for row in rows}
    if not all(map(_GRADE.fullmatch, texts)):
        return None
    grades = {text: int(text) for text in texts}
    judgments: dict[str, dict[str, int]] = {}
    current, graded = b"", dict[str, int]()
    try:
        if not content.isascii():
            content.decode()  # also the column that nobody looks at
        for query, _, docno, text in rows:
            if query != current:
                current, graded = query, judgments.setdefault(query.decode(), {})
            graded[docno.decode()] = grades[text]
    except UnicodeDecodeError:
        return None
    is_odd = any(query.startswith(("#", _BYTE_ORDER_MARK)) for query in judgments)
    if is_odd or sum(map(len, judgments.values())) != len(rows):
        return None
    require_few(source, judgments)
    return MappingProxyType({query: MappingProxyType(graded) for query, graded in judgments.items()})
