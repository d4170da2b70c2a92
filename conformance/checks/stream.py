"""A check as newline-delimited JSON, written line by line while answers come in, and read back.

    {"kind": "header", "schema": "rankspec/stream/1", "implementations": [{"name": ...}], "to_come": 314, ...}
    {"kind": "implementation", "name": ..., "version": ..., "convention": ..., "questions": 157, ...}
    {"kind": "answer", "implementation": ..., "index": 0, "id": ..., "verdict": ..., ...}
    {"kind": "footer", "complete": true, "answers": 314, "verdicts": {...}, "differences": [...], ...}

An `implementation` stands before its first answer; an answer has the fields of a case of `check --json`. A file without
a footer is cut off, and says how many answers are there of how many. Whatever else is not as it should be has a
code of its own.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, TextIO

from rankspec.conformance.cases.plain import RecordError, record_from
from rankspec.conformance.checks import records
from rankspec.oracle.errors import UserError

SCHEMA = "rankspec/stream/1"
WHAT_HOLDS_A_CHECK = (
    "a check is what `rankspec check --json` prints or `--stream FILE` writes (runs: `rankspec compare QRELS RUN RUN`)"
)
_COUNTED_APART = ("schema", "implementations")
_OF_THE_LINE = ("kind", "implementation", "index")
OBJECTS = ("rankspec/check/1", "rankspec/report/1")  # The schemas of the objects that hold a check


class StreamError(UserError):
    """A line of a stream can't be what it says; `line` is its number, `code` says what is wrong."""

    def __init__(self, line: int, message: str, *, code: str) -> None:
        super().__init__(message, code=code)
        self.line = line


class StreamWriter:
    """Writes a stream, a line at a time; several threads may write into one."""

    def __init__(self, file: TextIO, header: Mapping[str, Any]) -> None:
        """Write the header, what is said of the whole run, to a file that is the caller's to close."""
        self._file = file
        self._lock = Lock()
        self._verdicts: dict[str, Counter[str]] = {}
        self._write({"kind": "header", "schema": SCHEMA, **header})

    def implementation(self, data: Mapping[str, Any]) -> None:
        """Write what an implementation says of itself, once it is known and before its answers."""
        with self._lock:
            self._verdicts[data["name"]] = Counter()
            self._write({"kind": "implementation", **data})

    def answer(self, implementation: str, index: int, data: Mapping[str, Any]) -> None:
        """Write an answer; the index is the place of its question among the questions."""
        with self._lock:
            self._verdicts[implementation][data["verdict"]] += 1
            self._write({"kind": "answer", "implementation": implementation, "index": index, **data})

    def footer(self, findings: Mapping[str, Any]) -> None:
        """Write what is said at the end: the object of `check --json` without its cases."""
        rest = {key: value for key, value in findings.items() if key not in _COUNTED_APART}
        headings = [{key: each[key] for key in each if key != "cases"} for each in findings["implementations"]]
        counts = {name: dict(counted) for name, counted in self._verdicts.items()}
        known = {
            each["name"]: {case["id"]: case["known"] for case in each["cases"] if "known" in case}
            for each in findings["implementations"]
        }
        answers = sum(sum(counted.values()) for counted in counts.values())
        footer = {"kind": "footer", "complete": True, **rest, "answers": answers, "verdicts": counts, "known": known}
        with self._lock:
            self._write({**footer, "implementations": headings})

    def _write(self, data: Mapping[str, Any]) -> None:
        # One write a line: a reader that follows the file sees whole lines.
        self._file.write(json.dumps(data, ensure_ascii=True, allow_nan=False) + "\n")
        self._file.flush()


def read_stream(lines: Sequence[str]) -> records.CheckRecord:
    """Read the lines of a stream, each with its line break; a `StreamError` says what is wrong with which line."""
    # A last line without a line break was being written when the run was ended: it is left out.
    state = _Reading()
    for number, line in enumerate(lines, start=1):
        if number == len(lines) and not line.endswith("\n") and _parsed(line) is None:
            break
        if line.strip():
            state.hear(number, line)
    if state.header is None:
        why = f"this is not a report of rankspec, or its header is missing; {WHAT_HOLDS_A_CHECK}"
        raise StreamError(1, why, code="header-missing")
    return state.record()


@dataclass
class _Reading:
    """What is known of a stream so far: a state machine whose states are its header and its footer."""

    header: Mapping[str, Any] | None = None
    footer: Mapping[str, Any] | None = None
    begun: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    answers: dict[str, dict[str, tuple[int, records.CaseRecord]]] = field(default_factory=dict)

    def hear(self, number: int, line: str) -> None:
        data = _parsed(line)
        if data is None and self.header is None:
            raise StreamError(number, f"this is not a report of rankspec; {WHAT_HOLDS_A_CHECK}", code="header-missing")
        if data is None:
            raise StreamError(number, "this is not a JSON object", code="line-damaged")
        kind = data.get("kind")
        if self.header is None and kind != "header":
            raise StreamError(number, f"expected a header here, found {_named(kind)}", code="header-missing")
        if self.footer is not None:
            raise StreamError(number, f"after the footer comes {_named(kind)}", code="line-misplaced")
        try:
            self._take(number, kind, data)
        except RecordError as error:
            raise StreamError(number, str(error), code="line-damaged") from None

    def _take(self, number: int, kind: object, data: Mapping[str, Any]) -> None:
        match kind:
            case "header" if self.header is None:
                if (schema := data.get("schema")) != SCHEMA:
                    why = f"the schema is {schema!r}, not {SCHEMA!r}: another rankspec's"
                    raise StreamError(number, why, code="unknown-schema")
                records.totals(records.CheckRecord(implementations=()), data)  # says what is wrong with it
                self.header = data
            case "implementation":
                name = record_from(records.ImplementationRecord, data, cases=()).name
                if name in self.begun:
                    raise StreamError(number, f"the implementation {name} begins a second time", code="line-misplaced")
                self.begun[name] = data
                self.answers[name] = {}
            case "answer":
                self._take_answer(number, data)
            case "footer":
                self._take_footer(number, data)
            case "header":
                joined = "a second header: two files were joined; name them one by one"
                raise StreamError(number, joined, code="line-misplaced")
            case _:
                raise StreamError(number, f"{_named(kind)} is not a kind of line", code="line-damaged")

    def _take_answer(self, number: int, data: Mapping[str, Any]) -> None:
        name = data.get("implementation")
        if not isinstance(name, str) or name not in self.begun:
            raise StreamError(number, f"an answer of {name!r}, of which no line says what it is", code="line-misplaced")
        index = data.get("index", len(self.answers[name]))
        if isinstance(index, bool) or not isinstance(index, int):
            raise StreamError(number, "`index` is not a whole number", code="line-damaged")
        own = {key: value for key, value in data.items() if key not in _OF_THE_LINE}
        case = record_from(records.CaseRecord, own)
        if case.id in self.answers[name]:
            raise StreamError(number, f"{name} answers {case.id} a second time", code="answer-repeated")
        self.answers[name][case.id] = (index, case)

    def _take_footer(self, number: int, data: Mapping[str, Any]) -> None:
        records.totals(records.CheckRecord(implementations=()), data)
        there = sum(map(len, self.answers.values()))
        if data.get("answers") != there:
            why = f"the footer counts {data.get('answers')} answers, and there are {there}"
            raise StreamError(number, why, code="answers-miscounted")
        verdicts = {name: (each.verdict.value for _, each in cases.values()) for name, cases in self.answers.items()}
        counted = {name: dict(Counter(each)) for name, each in verdicts.items()}
        if data.get("verdicts", counted) != counted:
            raise StreamError(number, "the footer counts other verdicts than there are", code="answers-miscounted")
        self.footer = data

    def record(self) -> records.CheckRecord:
        """Return what the stream says."""
        header = self.header or {}
        ended = _by_name((self.footer or {}).get("implementations"))
        # Named in the order of the header, they may begin in another.
        named = list(_by_name(header.get("implementations")))
        implementations = []
        for name in sorted(self.begun, key=lambda name: named.index(name) if name in named else len(named)):
            data = {key: value for key, value in {**self.begun[name], **ended.get(name, {})}.items() if key != "kind"}
            implementations.append(record_from(records.ImplementationRecord, data, cases=tuple(self._answers(name))))
        stated = records.totals(records.CheckRecord(implementations=tuple(implementations)), header)
        return records.totals(stated, self.footer if self.footer is not None else {"complete": False})

    def _answers(self, name: str) -> list[records.CaseRecord]:
        """Return answers in the order of the questions. What is known of them is what the end of the run knew."""
        in_order = [case for _, case in sorted(self.answers[name].values(), key=lambda answer: answer[0])]
        listed = (self.footer or {}).get("known")
        own = listed.get(name) if isinstance(listed, dict) else None
        if not isinstance(own, dict):
            return in_order
        return [replace(case, known=own[case.id]) if case.id in own else case for case in in_order]


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _named(kind: object) -> str:
    return f"a line of the kind {kind!r}" if isinstance(kind, str) else "a line without a kind"


def _by_name(data: object) -> dict[str, Mapping[str, Any]]:
    entries = data if isinstance(data, list) else []
    return {each["name"]: each for each in entries if isinstance(each, dict) and isinstance(each.get("name"), str)}


class ReportFileError(UserError):
    """A file holds no check. One line: file, line, what is wrong, what to do."""


def read_check(name: str, content: bytes) -> records.CheckRecord:
    """Read a kept check's content; `ReportFileError`, with the file's name, if it is damaged or something else."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        why = f"{name}: byte {error.start} is not UTF-8; is this a report of rankspec?"
        raise ReportFileError(why, code="file-not-utf-8") from None
    if not text.strip():
        raise ReportFileError(f"{name}: the file is empty; the run that was to write it never began", code="file-empty")
    # Not `splitlines`: it breaks lines where Unicode would, within a text.
    lines = [line for line in re.split(r"(?<=\n)", text.replace("\r\n", "\n")) if line]
    first = next(line for line in lines if line.strip())
    try:
        if (_parsed(first) or {}).get("kind") == "header" or not first.lstrip().startswith("{"):
            return read_stream(lines)
        return records.check_record(_object(name, text))
    except StreamError as error:
        raise ReportFileError(f"{name}:{error.line}: {error}", code=error.code) from None
    except RecordError as error:
        raise ReportFileError(f"{name}: {error}; write it anew with `rankspec check --json`", code=error.code) from None


def _object(name: str, text: str) -> Mapping[str, Any]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        why = f"{name}:{error.lineno}: not JSON: {error.msg}; the file is damaged or cut off"
        raise ReportFileError(why, code="not-json") from None
    except RecursionError:
        raise ReportFileError(f"{name}: nested too deeply to be read", code="nested-too-deeply") from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema not in OBJECTS:
        what = f"its schema is {schema!r}" if isinstance(schema, str) else "it has no schema"
        raise ReportFileError(f"{name}: {what}; {WHAT_HOLDS_A_CHECK}", code="not-a-check")
    return dict(data)
