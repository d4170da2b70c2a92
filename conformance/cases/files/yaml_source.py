"""YAML for fixtures: safe, with the line of every entry, and without YAML's guesses.

Only whole numbers, true and false are taken for what they look like; everything else is text. A bare decimal is an
error, since a binary float would stand where an exact number belongs; so is a key that appears twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml
from rankspec.conformance.cases.files.on_disk import shipped_folder
from rankspec.oracle.errors import InputError, OracleError, UserError
from rankspec.oracle.limits import ALIASED_ENTRIES, NESTING
from rankspec.oracle.readers.lines import held

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong."""

    path: Path  # the file
    message: str  # what is wrong, and what to do about it
    line: int | None = None  # the line, None where the file as a whole is meant
    case: str = ""  # the id of the case or clause, empty outside of any
    unreadable: bool = False  # nothing else can be said about the file
    code: str = field(kw_only=True)  # what is wrong, as errors have it

    def __str__(self) -> str:
        """Return `file:line: case: message`."""
        where = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        return f"{where}: {self.case}: {self.message}" if self.case else f"{where}: {self.message}"


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Resolves no tags: `_scalar` goes by the text."""

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: object) -> str:  # noqa: ARG002 - of no value
        return ""


_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?|\d+/\d+")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
Path_ = tuple[str | int, ...]


class SourceError(UserError):
    """A file that can't be read as a fixture. One line: file, line, what is wrong, what to do."""


class FindingError(SourceError):
    """The same, with what is wrong and where kept apart."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding), code=finding.code)
        self.finding = finding


@dataclass(frozen=True)
class Source:
    """A parsed file: plain data, and the line on which each entry stands."""

    path: Path
    data: Any
    lines: dict[Path_, int]

    def line(self, place: Path_) -> int:
        """Return the line of an entry, or of the nearest one around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def read_source(path: Path) -> Source:
    """Read a fixture file; `FindingError` as `parse_source` raises it, or if it can't be read."""
    try:
        with path.open("rb") as file:
            content = held(str(path), file, path.stat().st_size if path.is_file() else None)
        text = content.decode().replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise _unreadable(path, f"can't be read: {error.strerror or error}", code="file-unreadable") from None
    except InputError as refused:
        raise _unreadable(path, str(refused).removeprefix(f"{path}: "), code=refused.code) from None
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8; save the file as UTF-8 text"
        raise _unreadable(path, reason, code="file-not-utf-8") from None
    return parse_source(text, path)


def parse_source(text: str, path: Path) -> Source:
    """Read a fixture file's text; `FindingError` at its path for no YAML, a repeated key or a bare decimal."""
    try:
        _limit(text, path)
        node = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        if "nesting depth" in problem:  # libyaml's own limit, from PyYAML 6.0.4 on, met where it reads ahead
            raise _unreadable(path, NESTING.reason(_TOO_DEEP), line, code="beyond-limit") from None
        raise _unreadable(path, f"not YAML: {problem}", line, code="not-yaml") from None
    except RecursionError:
        raise _unreadable(path, "nested too deeply to be read", code="nested-too-deeply") from None
    if node is None:
        raise _unreadable(path, "the file is empty; it needs `document:` and `cases:`", code="file-empty")
    lines: dict[Path_, int] = {}
    try:
        return Source(path, _build(node, (), lines), lines)
    except RecursionError:
        reason = "an entry contains itself, or is nested too deeply to be read"
        raise _unreadable(path, reason, code="nested-too-deeply") from None
    except _RefusedError as refused:
        raise FindingError(
            Finding(path, str(refused), refused.line, _id_around(node, refused.line), code=refused.code)
        ) from None


def _limit(text: str, path: Path) -> None:
    """Refuse (`FindingError`) a nesting that overflows the parser's stack, and aliases of more entries than may be."""
    # Such a nesting ends the process, and nested aliases fill any memory. Few texts can have either.
    if not (_may_be_deep(text) or _ALIAS.search(text)):
        return
    sizes, total = dict[str | None, int](), 0
    around: list[tuple[str | None, int]] = []  # the anchor of each entry around, and where the count stood
    for event in yaml.parse(text, Loader=_Loader):
        anchor, reason = getattr(event, "anchor", None), ""
        if isinstance(event, yaml.AliasEvent):
            total += sizes.get(event.anchor, 1)  # who contains itself is refused later
            if total > ALIASED_ENTRIES.most:
                reason = ALIASED_ENTRIES.reason(f"*{event.anchor}: with its aliases expanded there are")
        elif isinstance(event, yaml.CollectionStartEvent):
            around.append((anchor, total))
            total += 1
            reason = NESTING.reason(_TOO_DEEP) if len(around) > NESTING.most else ""
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = around.pop()
            sizes |= {} if anchor is None else {anchor: total - before}
        elif isinstance(event, yaml.ScalarEvent):
            total += 1
        if reason:
            mark = event.start_mark
            raise _unreadable(path, reason, None if mark is None else mark.line + 1, code="beyond-limit")


def _may_be_deep(text: str) -> bool:
    """Tell whether a text may be nested deeply: a level takes a bracket, or a character before a line's first word."""
    deepest = NESTING.most
    if any(len(indent) > deepest for indent in _INDENT.findall(text)):
        return True
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "[{" else -1
        if depth > deepest:
            return True
    return False


_TOO_DEEP = "nested too deeply to be read: YAML has"
_INDENT = re.compile(r"^[ \t?:-]+", re.MULTILINE)
_BRACKET = re.compile(r"[\[\]{}]")
_ALIAS = re.compile(r"(?:^|[\s,:\[{])\*[^\s*]")
"""What every alias looks like, and little else: `2 * x` and `2**x` are none."""


class _RefusedError(UserError):
    """An entry that YAML allows and fixtures do not."""

    def __init__(self, node: yaml.Node, message: str, *, code: str) -> None:
        super().__init__(message, code=code)
        self.line: int = node.start_mark.line + 1


def _unreadable(path: Path, message: str, line: int | None = None, *, code: str) -> FindingError:
    return FindingError(Finding(path, message, line, unreadable=True, code=code))


def _id_around(node: yaml.Node, line: int) -> str:
    """Return the id of the innermost entry around a line, empty if there is none."""
    children: list[yaml.Node] = []
    found = ""
    if isinstance(node, yaml.SequenceNode):
        children = node.value
    elif isinstance(node, yaml.MappingNode):
        children = [value for _, value in node.value]
        found = next((str(value.value) for key, value in node.value if key.value == "id"), "")
    for child in children:
        if child.start_mark.line < line <= child.end_mark.line + 1:
            found = _id_around(child, line) or found
    return found


def _build(node: yaml.Node, place: Path_, lines: dict[Path_, int]) -> Any:
    lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [_build(child, (*place, index), lines) for index, child in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        built: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _RefusedError(key_node, "a key is not text; write `key: value`", code="key-not-text")
            key = str(key_node.value)
            if key in built:
                raise _RefusedError(key_node, f"the key {key!r} appears twice; keep one", code="key-repeated")
            lines[*place, key] = key_node.start_mark.line + 1
            built[key] = _build(value_node, (*place, key), lines)
        return built
    text = str(node.value)
    if getattr(node, "style", None):  # plain scalars have none, or an empty one
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        reason = f'{text} is unquoted, so it would become a float; write "{text}"'
        raise _RefusedError(node, reason, code="decimal-unquoted")
    return text


_LONGEST_MESSAGE = 160


def checked_entries(source: Source, schema: str, key: str) -> tuple[list[int], list[Finding]]:
    """Return the indices of the entries under a key that the schema accepts, and what is wrong with the others."""
    # A fault of the file as a whole (no such key, an unknown one) accepts none.
    faults = list(_validator(schema).iter_errors(source.data))
    faults.sort(key=lambda fault: source.line(tuple(fault.absolute_path)))
    findings = [_described(source, fault, key) for fault in faults]
    if any(len(fault.absolute_path) <= 1 for fault in faults):
        return [], findings
    faulty = {fault.absolute_path[1] for fault in faults}
    return [index for index in range(len(source.data[key])) if index not in faulty], findings


@cache
def _validator(schema: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads((shipped_folder() / schema).read_text(encoding="utf-8")))


def _described(source: Source, fault: ValidationError, key: str) -> Finding:
    from jsonschema.exceptions import best_match

    deepest = best_match([fault]) or fault
    place = tuple(deepest.absolute_path)
    entry = ""
    if len(place) > 1 and isinstance(source.data[key][place[1]], dict):
        entry = str(source.data[key][place[1]].get("id", f"entry {int(place[1]) + 1}, which has no id"))
    field = ".".join(str(step) for step in place[2:])
    message = deepest.message.replace("\n", " ")
    if len(message) > _LONGEST_MESSAGE:
        message = message[: _LONGEST_MESSAGE - 3] + "..."
    return Finding(
        source.path, f"{field}: {message}" if field else message, source.line(place), entry, code="schema-violated"
    )


Record = TypeVar("Record")


def collected(
    paths: Iterable[Path], schema: str, key: str, record_of: Callable[[Source, int], Record]
) -> tuple[dict[str, Record], tuple[Finding, ...]]:
    """Read files of entries as far as they can be read, by id, and return what is wrong with the rest."""
    records: dict[str, Record] = {}
    findings: list[Finding] = []
    for path in paths:
        try:
            source = read_source(path)
        except FindingError as error:
            findings.append(error.finding)
            continue
        sound, faults = checked_entries(source, schema, key)
        findings += faults
        for index in sound:
            line, id_ = source.line((key, index)), source.data[key][index]["id"]
            try:
                record = record_of(source, index)
            except OracleError as error:
                findings.append(Finding(path, str(error), line, id_, code=error.code))
                continue
            if id_ in records:
                first: Any = records[id_]
                place = f"{first.path.name}:{first.source_line}"
                findings.append(Finding(path, f"the id is already at {place}", line, id_, code="id-repeated"))
            else:
                records[id_] = record
    return records, tuple(findings)
