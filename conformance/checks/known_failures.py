"""Known failures: which cases an implementation is known not to conform to, and why. The list is the caller's.

The file is strict: a listed case that conforms fails the run, and so does an entry for a case that was not asked. An
entry may be a pattern (`edge.ties.*`); then some of the cases that it matches may conform, but not all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from rankspec.conformance.cases.yaml_source import Source, SourceError, parse_source, read_source
from rankspec.conformance.checks.records import CaseRecord, CheckRecord, Entry, ImplementationRecord

KnownFailures = Mapping[tuple[str, str], str]
"""(implementation, case id) -> reason."""


def read_known_failures(path: Path) -> KnownFailures:
    """Read a file of the form `implementation: {case id: reason}`.

    Raises:
        SourceError: it can't be read, or has another form.
    """
    return _known_failures(read_source(path), path)


def parse_known_failures(text: str, path: Path) -> KnownFailures:
    """Read the text of such a file; the path is for messages.

    Raises:
        SourceError: it has another form.
    """
    return _known_failures(parse_source(text, path), path)


def _known_failures(source: Source, path: Path) -> KnownFailures:
    known: dict[tuple[str, str], str] = {}
    listed = source.data if isinstance(source.data, dict) else None
    if listed is None:
        raise SourceError(f"{path}:1: known failures are written as `implementation:`, and below it `case id: reason`")
    for implementation, cases in listed.items():
        if not isinstance(cases, dict):
            line = source.line((implementation,))
            raise SourceError(f"{path}:{line}: {implementation}: below it, write `case id: reason`, a line each")
        for case, reason in cases.items():
            if not isinstance(reason, str) or not reason.strip():
                line = source.line((implementation, case))
                raise SourceError(f"{path}:{line}: {implementation}: {case}: say the reason in words")
            known[implementation, case] = reason
    return known


def is_pattern(entry: str) -> bool:
    """Tell whether an entry stands for several cases. No id has these characters."""
    return any(character in entry for character in "*?[")


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


def reason_for(known: KnownFailures, implementation: str, cases: Iterable[str]) -> str | None:
    """Return why an answer is known not to conform, if it is; ids come before patterns.

    Args:
        known: what is known.
        implementation: whose answer it is.
        cases: the ids under which the case is known.
    """
    ids, own = list(cases), entries_of(known, implementation)
    by_id = reason_by_id(own, ids)
    return by_id if by_id is not None else reason_by_pattern(own, ids)


def gate(record: CheckRecord, known: KnownFailures, *, all_cases: bool = True) -> CheckRecord:
    """Hold findings against the known failures: which cases are known, and which entries are out of date.

    Args:
        record: what was found.
        known: what was known.
        all_cases: whether every case was asked; where only some were, an entry without an answer is not stale.
    """
    passed: list[Entry] = []
    stale: list[Entry] = []
    for each in record.implementations:
        # A question that several cases share is asked under the id of the first; the others name it just as well.
        asked = {case: answer for answer in each.asked for case in answer.ids}
        for entry in entries_of(known, each.name):
            if is_pattern(entry):
                if all_cases and not any(matches(entry, answer.ids) for answer in each.failing):
                    (passed if matches(entry, asked) else stale).append((each.name, entry))
            elif entry in asked and not asked[entry].fails:
                passed.append((each.name, entry))
            elif entry not in asked and all_cases:
                stale.append((each.name, entry))
    marked = tuple(replace(each, cases=tuple(_marked(each, known))) for each in record.implementations)
    return replace(record, implementations=marked, passed=tuple(passed), stale=tuple(stale))


def _marked(implementation: ImplementationRecord, known: KnownFailures) -> Iterator[CaseRecord]:
    for case in implementation.cases:
        reason = reason_for(known, implementation.name, case.ids) if case.fails else None
        data = {key: value for key, value in case.data.items() if key != "known"}
        yield replace(case, known=reason, data=data if reason is None else {**data, "known": reason})
