"""Writing a file of known failures: the first one, or an old one brought up to date.

Reasons that somebody wrote are never touched, nor are comments: entries are taken out and put in line by line. Only
where a file is written in another way (`{case: reason}` in one line) is it written anew.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import yaml
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.cases.yaml_source import SourceError
from rankspec.conformance.checks.known_failures import KnownFailures, parse_known_failures
from rankspec.conformance.checks.records import CaseRecord, CheckRecord
from rankspec.conformance.judge.verdicts import Verdict

HEADING = """\
# Cases that are known not to conform, and why. A listed case that conforms fails the check: take it off the list.
# `rankspec check ... --write-known-failures` keeps the reasons that stand here, and drops what has come to pass.
"""


@dataclass(frozen=True)
class Update:
    """What a file of known failures is to hold.

    Attributes:
        known: every entry.
        kept: how many entries stay as they are.
        added: the new ones.
        dropped: those that conform by now, or are about nothing.
    """

    known: KnownFailures
    kept: int
    added: tuple[tuple[str, str], ...]
    dropped: tuple[tuple[str, str], ...]


def updated(known: KnownFailures, record: CheckRecord) -> Update:
    """Return what is to be known after a check: an entry for every case that does not conform.

    Args:
        known: what was known before.
        record: what was found, held against it; entries that passed or are stale go.
    """
    dropped = (*record.passed, *record.stale)
    left_out = set(dropped)
    kept = {entry: reason for entry, reason in known.items() if entry not in left_out}
    added = {
        (each.name, case.id): reason_of(case, each.version)
        for each in record.implementations
        for case in each.unexpected
    }
    return Update({**kept, **added}, len(kept), tuple(added), dropped)


def reason_of(case: CaseRecord, version: str | None) -> str:
    """Say what a case is and what it should be: `wrong: 0.5 where 7/12 is exact (version 1.9.1)`."""
    where = "" if case.exact is None else f" where {case.exact} is exact"
    follows = f", as {case.detail} demands" if case.verdict is Verdict.OTHER_CONVENTION else f": {case.detail}"
    said = case.detail and case.detail != case.got
    version_text = f" (version {version})" if version else ""
    return in_one_line(f"{case.verdict.value}: {case.got}{where}{follows if said else ''}") + version_text


def written(before: str | None, known: KnownFailures, path: Path) -> str:
    """Return the text of the file.

    Args:
        before: the text that is there; None if there is no file.
        known: what it is to hold.
        path: of the file, for messages.

    Raises:
        SourceError: what is there is no file of known failures.
    """
    if before is None or not before.strip():
        return HEADING + _whole(known)
    edited = _edited(before, parse_known_failures(before, path), known)
    try:
        if parse_known_failures(edited, path) == known:
            return edited
    except SourceError:
        pass  # it was written in a way that can't be edited line by line
    return _heading_comments(before) + _whole(known)


def _whole(known: KnownFailures) -> str:
    lines: list[str] = []
    for name in dict.fromkeys(name for name, _ in known):
        lines.append(f"{_quoted(name)}:")
        lines += [_line(case, reason) for (each, case), reason in known.items() if each == name]
    return "".join(f"{line}\n" for line in lines) or "{}\n"


def _line(case: str, reason: str, indent: int = 2) -> str:
    return f"{' ' * indent}{case if _PLAIN.fullmatch(case) else _quoted(case)}: {_quoted(reason)}"


_PLAIN = re.compile(r"[a-z][a-z0-9]*([.-][a-z0-9]+)+")
"""Ids that YAML reads as the texts that they are."""


def _quoted(text: str) -> str:
    """Write a text as YAML reads it back: JSON's strings are YAML's, as long as they are printable."""
    return json.dumps(text, ensure_ascii=False)


def _edited(before: str, there: KnownFailures, known: KnownFailures) -> str:
    """Take out what is not to be there, and put what is new after the last entry of its implementation."""
    lines = before.splitlines()
    sections = _sections(before)
    left = {name for name, _ in known}
    removed: set[int] = set()
    for name, section in sections.items():
        if name not in left:  # a heading over nothing would be a mistake
            removed.update(range(section.start, section.end))
    for name, case in there.keys() - known.keys():
        if name in sections and case in sections[name].entries:
            removed.update(range(*sections[name].entries[case]))
    inserted: dict[int, list[str]] = {}
    added = [entry for entry in known if entry not in there]
    for name in dict.fromkeys(name for name, _ in added):
        section = sections.get(name, _Section(len(lines), len(lines), 2, {}))
        new = [_line(case, known[name, case], section.indent) for each, case in added if each == name]
        heading = [] if name in sections else [f"{_quoted(name)}:"]
        inserted[section.end] = inserted.get(section.end, []) + heading + new
    kept: list[str] = []
    for number, line in enumerate(lines):
        kept += inserted.get(number, [])
        if number not in removed:
            kept.append(line)
    return "".join(f"{line}\n" for line in [*kept, *inserted.get(len(lines), [])])


class _Section(NamedTuple):
    """Where an implementation stands: first line and the one after the last, and the same of each entry."""

    start: int
    end: int
    indent: int
    entries: dict[str, tuple[int, int]]


def _sections(text: str) -> dict[str, _Section]:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    sections: dict[str, _Section] = {}
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if isinstance(value, yaml.MappingNode) and value.value:
            entries = {str(case.value): (case.start_mark.line, _line_after(reason)) for case, reason in value.value}
            end = max(after for _, after in entries.values())
            indent = value.value[0][0].start_mark.column
            sections[str(key.value)] = _Section(key.start_mark.line, end, indent, entries)
    return sections


def _line_after(node: yaml.Node) -> int:
    mark = node.end_mark
    return int(mark.line + (1 if mark.column else 0))


def _heading_comments(before: str) -> str:
    """Return the comments at the top of a file."""
    lines = takewhile(lambda line: not line.strip() or line.lstrip().startswith("#"), before.splitlines())
    return "".join(f"{line}\n" for line in lines)
