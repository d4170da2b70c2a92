"""Known failures: which cases an implementation is known not to conform to, and why. The list is the caller's.

The file is strict: a listed case that conforms fails the run, and so does an entry for a case that was not asked. An
entry may be a pattern (`edge.ties.*`); then some of the cases that it matches may conform, but not all of them. Or it
is a rule (`denominator=cutoff`): all failures whose answers that rule demands; one of them has to be left.

Where a file is brought up to date, reasons that somebody wrote are never touched, nor are comments: entries are taken
out and put in line by line. Only where it is written in another way (`{case: reason}` in one line) is it written anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import yaml
from rankspec.conformance.cases.files.yaml_source import Source, SourceError, parse_source, read_source
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.checks.causes import causes_of, rule_phrase
from rankspec.conformance.checks.records import CaseRecord, CheckRecord, FailureEntry, ImplementationRecord
from rankspec.conformance.judge.verdicts import Verdict

KnownFailures = Mapping[tuple[str, str], str]  # (implementation, case id) -> reason
HEADING = """\
# Cases that are known not to conform, and why. A listed case that conforms fails the check: remove it from the list.
# `rankspec check ... --write-known-failures` keeps the reasons in this file, and drops cases that now conform.
"""
_PLAIN = re.compile(r"[a-z][a-z0-9]*([.-][a-z0-9]+)+")  # Ids that YAML reads as the texts that they are


def read_known_failures(path: Path) -> KnownFailures:
    """Read a file of the form `implementation: {case id: reason}`; `SourceError` if it can't be, or is none."""
    return _known_failures(read_source(path), path)


def parse_known_failures(text: str, path: Path) -> KnownFailures:
    """Read the text of such a file; `SourceError` at its path if it has another form."""
    return _known_failures(parse_source(text, path), path)


def _known_failures(source: Source, path: Path) -> KnownFailures:
    known: dict[tuple[str, str], str] = {}
    listed = source.data if isinstance(source.data, dict) else None
    if listed is None:
        form = f"{path}:1: known failures are written as `implementation:`, and below it `case id: reason`"
        raise SourceError(form, code="known-failures-malformed")
    for implementation, cases in listed.items():
        if not isinstance(cases, dict):
            line = source.line((implementation,))
            form = f"{path}:{line}: {implementation}: below it, write `case id: reason`, a line each"
            raise SourceError(form, code="known-failures-malformed")
        for case, reason in cases.items():
            if not isinstance(reason, str) or not reason.strip():
                line = source.line((implementation, case))
                why = f"{path}:{line}: {implementation}: {case}: say the reason in words"
                raise SourceError(why, code="reason-missing")
            known[implementation, case] = reason
    return known


def is_pattern(entry: str) -> bool:
    """Tell whether an entry stands for several cases. No id has these characters."""
    return any(character in entry for character in "*?[")


def is_rule(entry: str) -> bool:
    """Tell whether an entry stands for all failures that follow a rule (`denominator=cutoff`). No id has its `=`."""
    return "=" in entry


def matches(pattern: str, ids: Iterable[str]) -> bool:
    """Tell whether a pattern stands for a case that is known under these ids."""
    return any(fnmatchcase(case, pattern) for case in ids)


def reason_by_id(own: Mapping[str, str], ids: Sequence[str]) -> str | None:
    """Return why a case is known to fail by one of its very ids, from the entries of one implementation."""
    return next((own[case] for case in ids if case in own), None)


def reason_by_pattern(own: Mapping[str, str], ids: Sequence[str]) -> str | None:
    """Return why a case is known to fail by a pattern, from the entries of one implementation."""
    return next((reason for entry, reason in own.items() if is_pattern(entry) and matches(entry, ids)), None)


def entries_of(known: KnownFailures, implementation: str) -> dict[str, str]:
    """Return the entries of one implementation: case id or pattern -> reason."""
    return {entry: reason for (name, entry), reason in known.items() if name == implementation}


def reason_for(known: KnownFailures, name: str, cases: Iterable[str], rules: Iterable[str] = ()) -> str | None:
    """Return why an answer may fail, if it may: by the case's ids, then the demanding rules, then patterns."""
    ids, own = list(cases), entries_of(known, name)
    by_id = reason_by_id(own, [*ids, *rules])
    return by_id if by_id is not None else reason_by_pattern(own, ids)


def gate(record: CheckRecord, known: KnownFailures, *, all_cases: bool = True) -> CheckRecord:
    """Hold findings against the known failures; entries without an answer are stale only if all cases were asked."""
    passed: list[FailureEntry] = []
    stale: list[FailureEntry] = []
    for each in record.implementations:
        # A question that several cases share is asked under the id of the first; the others name it just as well.
        applicable = {case: answer for answer in each.applicable for case in answer.ids}
        for entry in entries_of(known, each.name):
            if is_pattern(entry):
                if all_cases and not any(matches(entry, answer.ids) for answer in each.failing):
                    (passed if matches(entry, applicable) else stale).append(FailureEntry(each.name, entry))
            elif is_rule(entry):
                if all_cases and not any(entry in answer.conventions for answer in each.failing):
                    passed.append(FailureEntry(each.name, entry))
            elif entry in applicable and not applicable[entry].fails:
                passed.append(FailureEntry(each.name, entry))
            elif entry not in applicable and all_cases:
                stale.append(FailureEntry(each.name, entry))
    marked = tuple(replace(each, cases=tuple(_marked(each, known))) for each in record.implementations)
    return replace(record, implementations=marked, passed=tuple(passed), stale=tuple(stale))


def _marked(implementation: ImplementationRecord, known: KnownFailures) -> Iterator[CaseRecord]:
    for case in implementation.cases:
        reason = reason_for(known, implementation.name, case.ids, case.conventions) if case.fails else None
        yield replace(case, known=reason)


@dataclass(frozen=True)
class Update:
    """What a file of known failures is to hold."""

    known: KnownFailures  # every entry
    unchanged: int  # how many entries stay as they are
    added: tuple[tuple[str, str], ...]  # the new ones
    dropped: tuple[tuple[str, str], ...]  # those that conform by now, or are about nothing


def updated(known: KnownFailures, record: CheckRecord) -> Update:
    """Return an entry for every rule, and every other failure, of a check; entries that passed or are stale go."""
    dropped = (*record.passed, *record.stale)
    left_out = set(dropped)
    kept = {entry: reason for entry, reason in known.items() if entry not in left_out}
    added: dict[tuple[str, str], str] = {}
    for each in record.implementations:
        for cause in causes_of(each):
            by_rule = [case for case in cause.cases if is_rule(cause.rule) and cause.rule in case.conventions]
            if len(by_rule) > 1:
                phrase = f"it {rule_phrase(cause.rule) or f'follows {cause.rule}'}"
                cases = f"({len(by_rule)} cases, first {by_rule[0].id})"
                version = f" (version {each.version})" if each.version else ""
                added[each.name, cause.rule] = in_one_line(f"{phrase} {cases}{version}")
            else:
                by_rule = []
            rest = (case for case in cause.cases if case not in by_rule)
            added |= {(each.name, case.id): reason_of(case, each.version) for case in rest}
    return Update({**kept, **added}, len(kept), tuple(added), dropped)


def reason_of(case: CaseRecord, version: str | None) -> str:
    """Say what a case is and what it should be: `wrong: 0.5, expected 7/12 (version 1.9.1)`."""
    where = "" if case.exact is None else f", expected {case.exact}"
    follows = "; it is the value under" if case.verdict is Verdict.OTHER_CONVENTION else ":"
    detail = f"{follows} {case.detail}" if case.detail and case.detail != case.got else ""
    version_text = f" (version {version})" if version else ""
    return in_one_line(f"{case.verdict.value}: {case.got}{where}{detail}") + version_text


def written(before: str | None, known: KnownFailures, path: Path) -> str:
    """Return the text of the file in place of the one before, if any; `SourceError` at its path if that is none."""
    if before is None or not before.strip():
        return HEADING + _whole(known)
    edited = _edited(before, parse_known_failures(before, path), known)
    try:
        if parse_known_failures(edited, path) == known:
            return edited
    except SourceError:
        pass  # it was written in a way that can't be edited line by line
    lines = takewhile(lambda line: not line.strip() or line.lstrip().startswith("#"), before.splitlines())
    return "".join(f"{line}\n" for line in lines) + _whole(known)


def _whole(known: KnownFailures) -> str:
    lines: list[str] = []
    for name in dict.fromkeys(name for name, _ in known):
        lines.append(f"{_quoted(name)}:")
        lines += [_line(case, reason) for (each, case), reason in known.items() if each == name]
    return "".join(f"{line}\n" for line in lines) or "{}\n"


def _line(case: str, reason: str, indent: int = 2) -> str:
    return f"{' ' * indent}{case if _PLAIN.fullmatch(case) else _quoted(case)}: {_quoted(reason)}"


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
    new_lines: list[str] = []
    for number, line in enumerate(lines):
        new_lines += inserted.get(number, [])
        if number not in removed:
            new_lines.append(line)
    return "".join(f"{line}\n" for line in [*new_lines, *inserted.get(len(lines), [])])


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
            entries = {
                str(case.value): (case.start_mark.line, reason.end_mark.line + bool(reason.end_mark.column))
                for case, reason in value.value
            }
            end = max(after for _, after in entries.values())
            indent = value.value[0][0].start_mark.column
            sections[str(key.value)] = _Section(key.start_mark.line, end, indent, entries)
    return sections
