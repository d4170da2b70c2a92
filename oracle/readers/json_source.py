"""JSON as it was written: numbers with a point stay texts of decimals, a name that appears twice is refused.

A file is one JSON value, or one value a line (JSON lines).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import NESTING
from rankspec.oracle.readers.lines import decoded


def parse_json(name: str, content: bytes) -> Any:
    """Return what is in a file's content, of several JSON lines a list; `InputError` with file, line and reason."""
    text = decoded(name, content)
    if not text.strip():
        raise InputError(f"{name}: the file is empty", code="file-empty")
    try:
        return _loaded(name, text)
    except json.JSONDecodeError as error:
        values = list(_of_lines(name, text))
        if values:
            return values
        raise InputError(f"{name}, line {error.lineno}: not JSON: {error.msg.lower()}", code="not-json") from None


def _of_lines(name: str, text: str) -> Iterator[Any]:
    """Yield a value a line; nothing where the first of them is none."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    for place, (number, line) in enumerate(lines):
        try:
            yield _loaded(f"{name}, line {number}", line)
        except json.JSONDecodeError as error:
            if place == 0:
                return
            raise InputError(f"{name}, line {number}: not JSON: {error.msg.lower()}", code="not-json") from None


def _loaded(where: str, text: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in pairs:
            if key in made:
                raise InputError(f"{where}: {key!r} appears twice in one object; keep one", code="key-repeated")
            made[key] = value
        return made

    def whole(digits: str) -> int | str:  # too many of them stay a text, which whoever needs a number refuses
        return int(digits) if len(digits) <= _DIGITS else digits

    _require_flat(where, text)
    try:
        return json.loads(text, parse_int=whole, parse_float=str, parse_constant=str, object_pairs_hook=once)
    except RecursionError:
        raise InputError(f"{where}: JSON nested too deeply for this Python", code="nested-too-deeply") from None


_DIGITS = 4000  # Python reads no more digits than 4,300, unless it is told to


def _require_flat(where: str, text: str) -> None:
    """Refuse (`InputError`) too deep a nesting: the parser recurses, and so may whoever reads what it makes."""
    if text.count("[") + text.count("{") <= NESTING.most:
        return
    steps = map(_STEPS.__getitem__, _NO_BRACKET.sub("", _TEXT.sub("", text)))
    if max(accumulate(steps), default=0) > NESTING.most:
        raise NESTING.exceeded(where, "nested too deeply: JSON has")


_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_NO_BRACKET = re.compile(r"[^][{}]+")
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}
