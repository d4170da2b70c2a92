"""Kept checks: streams, and the objects of `check --json` and `report --json`, read from files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from rankspec.conformance.checks.records import CheckRecord, RecordError, check_record
from rankspec.conformance.reports.stream import WHAT_HOLDS_A_CHECK, NoHeaderError, StreamError, is_header, read_stream

OBJECTS = ("rankspec/check/1", "rankspec/report/1")
"""The schemas of the objects that hold a check."""


class ReportFileError(Exception):
    """A file holds no check. One line: file, line, what is wrong, what to do."""


def read_check(name: str, content: bytes) -> CheckRecord:
    """Read a kept check.

    Args:
        name: of the file, for messages.
        content: of the file.

    Raises:
        ReportFileError: it is neither a stream nor such an object, or it is damaged.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReportFileError(f"{name}: byte {error.start} is no UTF-8; is this a report of rankspec?") from None
    if not text.strip():
        raise ReportFileError(f"{name}: the file is empty; the run that was to write it never began")
    # Not `splitlines`: it breaks lines where Unicode would, within a text.
    lines = [line for line in re.split(r"(?<=\n)", text.replace("\r\n", "\n")) if line]
    first = next(line for line in lines if line.strip())
    try:
        if is_header(first) or not first.lstrip().startswith("{"):
            return read_stream(lines)
        return check_record(_object(name, text))
    except StreamError as error:
        kind = "" if isinstance(error, NoHeaderError) else f" ({_words(type(error).__name__)})"
        raise ReportFileError(f"{name}:{error.line}: {error}{kind}") from None
    except RecordError as error:
        raise ReportFileError(f"{name}: {error}; write it anew with `rankspec check --json`") from None


def _object(name: str, text: str) -> Mapping[str, Any]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReportFileError(f"{name}:{error.lineno}: no JSON: {error.msg}; the file is damaged or cut off") from None
    except RecursionError:
        raise ReportFileError(f"{name}: nested too deeply to be read") from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema not in OBJECTS:
        what = f"its schema is {schema!r}" if isinstance(schema, str) else "it has no schema"
        raise ReportFileError(f"{name}: {what}; {WHAT_HOLDS_A_CHECK}")
    return dict(data)


def _words(name: str) -> str:
    """Turn `DamagedLineError` into `damaged line`."""
    spaced = "".join(f" {character.lower()}" if character.isupper() else character for character in name)
    return spaced.removesuffix(" error").strip()
