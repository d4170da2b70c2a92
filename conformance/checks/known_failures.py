"""Known failures: which cases an implementation is known not to conform to, and why. The list is the caller's.

The file is strict: a listed case that conforms fails the run, and so does an entry for a case that was not asked. An
entry may be a pattern (`edge.ties.*`); then some of the cases that it matches may conform, but not all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from rankspec.conformance.cases.yaml_source import Source, SourceError, parse_source, read_source
from rankspec.conformance.checks.check import Answer, Checked

KnownFailures = Mapping[tuple[str, str], str]
"""(implementation, case id) -> reason."""


@dataclass(frozen=True)
class Gate:
    """Findings of checks, held against what was known.

    Attributes:
        known: (implementation, case id) -> reason, of the nonconforming cases that were known.
        unexpected: (implementation, case id) of nonconforming cases that were not.
        passed: entries whose case conforms after all.
        stale: entries whose case was not asked of an implementation that was checked; patterns that match none.
    """

    known: KnownFailures
    unexpected: tuple[tuple[str, str], ...]
    passed: tuple[tuple[str, str], ...]
    stale: tuple[tuple[str, str], ...]

    @property
    def holds(self) -> bool:
        """Whether everything is as known."""
        return not (self.unexpected or self.passed or self.stale)


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


def reason_for(known: KnownFailures, implementation: str, cases: Iterable[str]) -> str | None:
    """Return why an answer is known not to conform, if it is; ids come before patterns.

    Args:
        known: what is known.
        implementation: whose answer it is.
        cases: the ids under which the case is known.
    """
    ids = list(cases)
    own = {entry: reason for (name, entry), reason in known.items() if name == implementation}
    by_id = next((own[case] for case in ids if case in own), None)
    patterns = (reason for entry, reason in own.items() if is_pattern(entry) and _matches(entry, ids))
    return by_id if by_id is not None else next(patterns, None)


def gate(checks: Sequence[Checked], known: KnownFailures, *, all_cases: bool = True) -> Gate:
    """Hold the findings against the known failures.

    Args:
        checks: what was found.
        known: what was known.
        all_cases: whether every case was asked; where only some were, an entry without an answer is not stale.
    """
    excused: dict[tuple[str, str], str] = {}
    unexpected: list[tuple[str, str]] = []
    passed: list[tuple[str, str]] = []
    stale: list[tuple[str, str]] = []
    for checked in checks:
        failing = {answer.question.id: _ids(answer) for answer in checked.nonconforming}
        # A question that several cases share is asked under the id of the first; the others name it just as well.
        asked = {case: answer.question.id for answer in checked.asked for case in _ids(answer)}
        for case, ids in failing.items():
            reason = reason_for(known, checked.name, ids)
            if reason is None:
                unexpected.append((checked.name, case))
            else:
                excused[checked.name, case] = reason
        for entry in [entry for name, entry in known if name == checked.name]:
            if is_pattern(entry):
                matched = [case for case in asked if fnmatchcase(case, entry)]
                failed = any(_matches(entry, ids) for ids in failing.values())
                if not failed and all_cases:
                    (passed if matched else stale).append((checked.name, entry))
            elif entry in asked and asked[entry] not in failing:
                passed.append((checked.name, entry))
            elif entry not in asked and all_cases:
                stale.append((checked.name, entry))
    return Gate(excused, tuple(sorted(unexpected)), tuple(passed), tuple(stale))


def _ids(answer: Answer) -> tuple[str, ...]:
    return (answer.question.id, *answer.question.cases)


def _matches(pattern: str, ids: Iterable[str]) -> bool:
    return any(fnmatchcase(case, pattern) for case in ids)
