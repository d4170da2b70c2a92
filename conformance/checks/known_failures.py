"""Known failures: which cases an implementation is known not to conform to, and why. The list is the caller's.

The file is strict: a listed case that conforms fails the run, and so does an entry for a case that was not asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankspec.conformance.cases.yaml_source import SourceError, read_source
from rankspec.conformance.checks.check import Checked

KnownFailures = Mapping[tuple[str, str], str]
"""(implementation, case id) -> reason."""


@dataclass(frozen=True)
class Gate:
    """Findings of checks, held against what was known.

    Attributes:
        known: (implementation, case id) -> reason, of the nonconforming cases that were known.
        unexpected: (implementation, case id) of nonconforming cases that were not.
        passed: entries whose case conforms after all.
        stale: entries whose case was not asked of an implementation that was checked.
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
    source = read_source(path)
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


def gate(checks: Sequence[Checked], known: KnownFailures, *, all_cases: bool = True) -> Gate:
    """Hold the findings against the known failures.

    Args:
        checks: what was found.
        known: what was known.
        all_cases: whether every case was asked; where only some were, an entry without an answer is not stale.
    """
    failing = {(checked.name, answer.question.id) for checked in checks for answer in checked.nonconforming}
    # A question that several cases share is asked under the id of the first; the others name it just as well.
    asked = {
        (checked.name, case): (checked.name, answer.question.id)
        for checked in checks
        for answer in checked.asked
        for case in (answer.question.id, *answer.question.cases)
    }
    names = {checked.name for checked in checks}
    relevant = [entry for entry in known if entry[0] in names]
    excused = {asked[entry]: known[entry] for entry in relevant if asked.get(entry) in failing}
    return Gate(
        excused,
        tuple(sorted(failing - excused.keys())),
        tuple(entry for entry in relevant if entry in asked and asked[entry] not in failing),
        tuple(entry for entry in relevant if all_cases and entry not in asked),
    )
