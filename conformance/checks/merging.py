"""Several checks as one: shards of the cases, and several implementations, each checked apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankspec.conformance.checks.records import CaseRecord, CheckRecord, Entry, ImplementationRecord


@dataclass(frozen=True)
class Conflict:
    """A case that one implementation answered differently in two files.

    Attributes:
        implementation: name and version.
        answers: file -> what was answered there.
    """

    implementation: str
    id: str
    answers: Mapping[str, CaseRecord]


@dataclass(frozen=True)
class Merged:
    """Several checks as one.

    Attributes:
        record: everything there is; of a case with two answers, the one that does not conform.
        conflicts: the cases with two answers.
        repeated: how many answers stand in two files and are the same.
    """

    record: CheckRecord
    conflicts: tuple[Conflict, ...]
    repeated: int

    @property
    def holds(self) -> bool:
        """Whether everything is there, as known, and free of contradiction."""
        return self.record.holds and not self.conflicts


def merged(records: Mapping[str, CheckRecord]) -> Merged:
    """Put checks together.

    Answers belong to one implementation if its name, version and convention are the same.

    Args:
        records: file -> what it holds.
    """
    grouped: dict[tuple[str, str | None, str], dict[str, ImplementationRecord]] = {}
    for file, record in records.items():
        for each in record.implementations:
            grouped.setdefault((each.name, each.version, each.convention), {})[file] = each
    conflicts: list[Conflict] = []
    repeated = 0
    listed = []
    for parts in grouped.values():
        together, contradicting, count = _together(parts)
        listed.append(together)
        conflicts += contradicting
        repeated += count
    record = _with_totals(tuple(listed), list(records.values()), repeated + len(conflicts))
    return Merged(record, tuple(conflicts), repeated)


def _together(parts: Mapping[str, ImplementationRecord]) -> tuple[ImplementationRecord, list[Conflict], int]:
    """Return one implementation with the answers of all files, the contradictions, and how many stand twice."""
    cases: dict[str, dict[str, CaseRecord]] = {}
    for file, part in parts.items():
        for case in part.cases:
            cases.setdefault(case.id, {})[file] = case
    first = next(iter(parts.values()))
    conflicts = [
        Conflict(first.label, case, answers)
        for case, answers in cases.items()
        if len({repr(answer.answer) for answer in answers.values()}) > 1
    ]
    repeated = sum(len(answers) - 1 for answers in cases.values()) - len(conflicts)
    kept = tuple(_worst(list(answers.values())) for answers in cases.values())
    missing = sum(part.missing for part in parts.values())
    data = {**first.data, **{key: _joined(parts, key) for key in ("changed_its_arguments", "remarks")}}
    if "diagnosis" in data:
        data["diagnosis"] = _shared_diagnosis([part.data.get("diagnosis") for part in parts.values()])
    return replace(first, cases=kept, questions=len(kept) + missing, data=data), conflicts, repeated


def _shared_diagnosis(diagnoses: Sequence[Any]) -> Any:
    """Return the one that every part has: another part's answers may contradict what is said of one's."""
    return diagnoses[0] if all(each == diagnoses[0] for each in diagnoses) else None


def _worst(answers: Sequence[CaseRecord]) -> CaseRecord:
    return next((each for each in answers if each.fails), answers[0])


def _joined(parts: Mapping[str, ImplementationRecord], key: str) -> list[object]:
    listed = [each for part in parts.values() for each in part.data.get(key) or ()]
    return list(dict.fromkeys(listed))


def _with_totals(
    listed: tuple[ImplementationRecord, ...], records: Sequence[CheckRecord], repeated: int
) -> CheckRecord:
    asked = {
        (each.name, case)
        for each in listed
        for answer in each.asked
        for case in (answer.id, *answer.data.get("cases", ()))
    }
    measures = {record.measure for record in records}
    versions = dict.fromkeys(record.rankspec for record in records if record.rankspec)
    to_come = [record.to_come for record in records if record.to_come is not None]
    return CheckRecord(
        listed,
        rankspec=" and ".join(versions) or None,
        measure=measures.pop() if len(measures) == 1 else None,
        complete=all(record.complete for record in records),
        passed=_all(record.passed for record in records),
        # What one shard did not ask another may have.
        stale=tuple(entry for entry in _all(record.stale for record in records) if entry not in asked),
        # A table of conventions is about the answers that it was made from; of several there is none to choose.
        differences=records[0].differences if len(records) == 1 else (),
        drift=tuple(each for record in records for each in record.drift),
        to_come=sum(to_come) - repeated if len(to_come) == len(records) else None,
    )


def _all(listed: Iterable[tuple[Entry, ...]]) -> tuple[Entry, ...]:
    return tuple(dict.fromkeys(entry for entries in listed for entry in entries))
