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

_GRADE = re.compile(rb"[+-]?[0-9]{1,9}")
_LARGE_BYTES = 1 << 22
"""From here on objects take longer than loading numpy."""
_BYTE_ORDER_MARK = "\ufeff"


class _Grades(dict[bytes, int]):
    """Small grades by their texts, each read once."""

    def __missing__(self, text: bytes) -> int:
        if not _GRADE.fullmatch(text):
            raise ValueError(text)
        return self.setdefault(text, int(text))


def plain_judgments(source: Path | str, *, in_arrays: bool = False) -> Mapping[str, Mapping[str, int]] | None:
    """Return query -> docno -> grade; None if the file is not plain, or standard input, which can be read once.

    Args:
        source: the file.
        in_arrays: hold small files as arrays, too, which needs numpy; no object a line.

    Raises:
        InputError: there is no such file, or it can't be read or unpacked, or is beyond a limit.
    """
    if str(source) == STANDARD_INPUT:
        return None
    name, content = content_of(source)
    require_short_lines(name, content)
    if b"\0" in content:
        return None
    if in_arrays or len(content) >= _LARGE_BYTES:
        from rankspec.oracle.scoring.engines.judgment_arrays import judgment_arrays
        from rankspec.oracle.scoring.engines.pages import Page

        page = Page(content)
        del content  # memory for one of both
        if (held := judgment_arrays(page)) is not None:
            require_few(source, held)
            return held
        content = page.text(0, page.end)
    lines = content.removesuffix(b"\n").split(b"\n")
    grades = _Grades()
    judgments: dict[str, dict[str, int]] = {}
    current, graded = b"", dict[str, int]()
    try:
        if not content.isascii():
            content.decode()  # also the column that nobody looks at
        for line in lines:
            query, _, docno, text = line.split()  # held for all lines at once, columns take twice the time
            if query != current:
                current, graded = query, judgments.setdefault(query.decode(), {})
            graded[docno.decode()] = grades[text]
    except ValueError:  # not UTF-8, not four columns, or no small grade
        return None
    is_odd = any(query.startswith(("#", _BYTE_ORDER_MARK)) for query in judgments)
    if is_odd or sum(map(len, judgments.values())) != len(lines):
        return None
    require_few(source, judgments)
    return MappingProxyType({query: MappingProxyType(graded) for query, graded in judgments.items()})
