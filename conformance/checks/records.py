"""What a check found, as plain data: the contract of `check --json`, read back into frozen values.

Reports for CI are made of this and of nothing else, so that they say the same of a check that has just run and of one
that was kept in a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankspec.conformance.judge.verdicts import Verdict
from rankspec.oracle.errors import UserError

Entry = tuple[str, str]  # (implementation, case id)


class RecordError(UserError):
    """Something is missing, or has another form; the message says what and in which entry."""


@dataclass(frozen=True)
class CaseRecord:
    """What came of one question."""

    id: str
    measure: str
    verdict: Verdict
    got: str  # what was answered, in a few words: a number, or what happened instead
    value: float | str | None  # the number as data; None if there is none
    exact: str | None  # the exact value; None if the question could not be put
    detail: str
    known: str | None  # why it is known not to conform; None if it is not
    data: Mapping[str, Any]  # every field as it was written

    @property
    def fails(self) -> bool:
        """Whether it was asked and does not conform."""
        return self.verdict.asked and not self.verdict.conforms

    @property
    def ids(self) -> tuple[str, ...]:
        """Its id and those of the other cases that ask the same."""
        return tuple(dict.fromkeys((self.id, *self.data.get("cases", ()))))

    @property
    def conventions(self) -> tuple[str, ...]:
        """What demands the answer instead: axis values and names of conventions."""
        return tuple(map(str, self.data.get("conventions") or ()))

    @property
    def size(self) -> tuple[float, ...]:
        """How small its input is: queries, documents, judged documents; a case that doesn't say is the largest."""
        size = self.data.get("size")
        whole = isinstance(size, list) and all(isinstance(number, int) for number in size)
        return tuple(size) if whole and isinstance(size, list) else (float("inf"),)

    @property
    def per_query(self) -> Mapping[str, float | str] | None:
        """The number of each query, where one came for each."""
        values = self.data.get("per_query")
        return values if isinstance(values, dict) else None

    @property
    def answer(self) -> tuple[object, ...]:
        """What two answers are compared by. The words about a verdict don't belong to it."""
        return self.verdict, self.value, self.exact, self.data.get("per_query")


@dataclass(frozen=True)
class Diagnosis:
    """What the failures of a check come from, as far as it was found."""

    status: str  # how the search for it ended, as `identify` says it
    words: str | None  # what it is, in one line; None where nothing is claimed
    convention: str | None  # what the answers follow, or follow but for that: `AP@10 under kaggle`
    under: str | None  # the convention that every answer of the check conforms to, as `--under` takes it


@dataclass(frozen=True)
class ImplementationRecord:
    """One implementation and its answers."""

    name: str
    version: str | None
    convention: str
    cases: tuple[CaseRecord, ...]
    questions: int | None  # how many answers were to come; None if that is not known
    data: Mapping[str, Any]  # every field but the cases, as it was written

    @property
    def label(self) -> str:
        """Name and version, as a heading has them."""
        return labelled(self.name, self.version)

    @property
    def library(self) -> str | None:
        """What it is a version of; None for a user's function, or where nothing is said of it."""
        library = self.data.get("library")
        return library if isinstance(library, str) else None

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else is worth saying, a line each."""
        return tuple(map(str, self.data.get("remarks") or ()))

    @property
    def diagnosis(self) -> str | None:
        """What its failures come from, in one line; None where that was not looked for, or not found."""
        diagnosis = self.data.get("diagnosis")
        words = diagnosis.get("words") if isinstance(diagnosis, dict) else None
        return words if isinstance(words, str) else None

    @property
    def asked(self) -> tuple[CaseRecord, ...]:
        """The answers to questions that could be put."""
        return tuple(case for case in self.cases if case.verdict.asked)

    @property
    def failing(self) -> tuple[CaseRecord, ...]:
        """The answers that are not the convention's."""
        return tuple(case for case in self.cases if case.fails)

    @property
    def conforming(self) -> int:
        """How many answers are the convention's."""
        return len(self.asked) - len(self.failing)

    @property
    def unexpected(self) -> tuple[CaseRecord, ...]:
        """The answers that are not the convention's, and were not known to be."""
        return tuple(case for case in self.failing if case.known is None)

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many answers have which verdict, in the order of the verdicts."""
        counted = Counter(case.verdict for case in self.cases)
        return {verdict: counted[verdict] for verdict in Verdict if counted[verdict]}

    @property
    def missing(self) -> int:
        """How many answers did not come."""
        return 0 if self.questions is None else max(0, self.questions - len(self.cases))


@dataclass(frozen=True)
class CheckRecord:
    """A check of one implementation or of several."""

    implementations: tuple[ImplementationRecord, ...]
    rankspec: str | None = None  # the version of rankspec that made it, if it says so
    measure: str | None = None  # the measure that the user stated, if any
    complete: bool = True  # whether everything was asked that was to be asked
    stopped: str | None = None  # why not, if it says so
    not_started: tuple[str, ...] = ()  # the names of implementations that nothing was asked of, for want of time
    passed: tuple[Entry, ...] = ()  # entries of known failures that conform after all
    stale: tuple[Entry, ...] = ()  # entries of known failures whose case was not asked
    differences: tuple[Mapping[str, Any], ...] = ()  # the table of conventions, as it was written
    drift: tuple[Mapping[str, Any], ...] = ()  # what changed from version to version of one library, as it was written
    to_come: int | None = None  # how many answers were to come in all; None if that is not known

    @property
    def answers(self) -> int:
        """How many answers there are."""
        return sum(len(each.cases) for each in self.implementations)

    @property
    def unexpected(self) -> tuple[Entry, ...]:
        """The answers that are not the convention's, and were not known to be."""
        return tuple((each.name, case.id) for each in self.implementations for case in each.unexpected)

    @property
    def holds(self) -> bool:
        """Whether everything is there and as known."""
        return self.complete and not (self.unexpected or self.passed or self.stale)


def labelled(name: str, version: str | None) -> str:
    """Write a name and the version; one that the name states is not said twice.

    >>> labelled("ranx==0.3.16", "0.3.16"), labelled("scikit-learn==1.2", "1.2.0"), labelled("ranx", "0.3.21")
    ('ranx==0.3.16', 'scikit-learn==1.2 (1.2.0)', 'ranx 0.3.21')
    """
    if not version or name.endswith(f"=={version}"):
        return name
    return f"{name} ({version})" if "==" in name and ":" not in name else f"{name} {version}"


def check_record(data: Mapping[str, Any]) -> CheckRecord:
    """Read the object of `check --json`; `RecordError` for what is missing, or has another form."""
    listed = tuple(implementation_record(each) for each in _objects(data, "implementations"))
    to_come = [each.questions for each in listed if each.questions is not None]
    return totals(CheckRecord(listed, to_come=sum(to_come) if len(to_come) == len(listed) else None), data)


def totals(record: CheckRecord, data: Mapping[str, Any]) -> CheckRecord:
    """Add what is said of all implementations; `RecordError` for another form."""
    complete = data.get("complete", True)
    if not isinstance(complete, bool):
        raise RecordError("`complete` is neither true nor false", code="check-malformed")
    return replace(
        record,
        rankspec=_text(data, "rankspec", record.rankspec),
        measure=_text(data, "measure", record.measure),
        complete=complete,
        stopped=_text(data, "stopped", record.stopped),
        not_started=tuple(map(str, data.get("not_started") or ())),
        passed=_entries(data, "unexpected_passes"),
        stale=_entries(data, "stale_known_failures"),
        differences=tuple(_objects(data, "differences")) if "differences" in data else (),
        drift=tuple(_objects(data, "drift")) if "drift" in data else (),
        to_come=_count(data, "to_come", record.to_come),
    )


def implementation_record(data: Mapping[str, Any], cases: Sequence[CaseRecord] | None = None) -> ImplementationRecord:
    """Read one implementation, with its cases unless these were read apart; `RecordError` for another form."""
    name = _required(data, "name")
    read = tuple(case_record(each) for each in _objects(data, "cases")) if cases is None else tuple(cases)
    if repeated := [case for case, count in Counter(each.id for each in read).items() if count > 1]:
        raise RecordError(f"{name}: {repeated[0]} appears twice", code="implementation-repeated")
    convention = _required(data, "convention")
    plain = {key: value for key, value in data.items() if key != "cases"}
    return ImplementationRecord(name, _text(data, "version"), convention, read, _count(data, "questions", None), plain)


def case_record(data: Mapping[str, Any]) -> CaseRecord:
    """Read one case; `RecordError` for what is missing, or has another form."""
    case = _required(data, "id")
    try:
        verdict = Verdict(_required(data, "verdict"))
    except ValueError:
        raise RecordError(
            f"{case}: there is no verdict {data['verdict']!r}; a newer rankspec may know it", code="unknown-verdict"
        ) from None
    value = data.get("value")
    if isinstance(value, bool) or not isinstance(value, float | int | str | None):
        raise RecordError(f"{case}: `value` is neither a number nor a text", code="check-malformed")
    got = _text(data, "got") or ("no number" if value is None else str(value))
    detail, measure = _text(data, "detail", "") or "", _text(data, "measure", "") or ""
    return CaseRecord(case, measure, verdict, got, value, _text(data, "exact"), detail, _text(data, "known"), data)


def _required(data: Mapping[str, Any], name: str) -> str:
    text = _text(data, name)
    if text is None:
        raise RecordError(f"`{name}` is missing", code="field-missing")
    return text


def _text(data: Mapping[str, Any], name: str, default: str | None = None) -> str | None:
    value = data.get(name)
    if value is None:
        return default
    if not isinstance(value, str):
        raise RecordError(f"`{name}` is not text", code="check-malformed")
    return value


def _count(data: Mapping[str, Any], name: str, default: int | None) -> int | None:
    value = data.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RecordError(f"`{name}` is not a count", code="check-malformed")
    return value


def _objects(data: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = data.get(name)
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise RecordError(f"`{name}` is not a list of objects", code="check-malformed")
    return value


def _entries(data: Mapping[str, Any], name: str) -> tuple[Entry, ...]:
    listed = _objects(data, name) if name in data else []
    return tuple((_required(each, "implementation"), _required(each, "id")) for each in listed)


# ---- Merged checks


@dataclass(frozen=True)
class Conflict:
    """A case that one implementation answered differently in two files."""

    implementation: str  # name and version
    id: str
    answers: Mapping[str, CaseRecord]  # file -> what was answered there


@dataclass(frozen=True)
class Merged:
    """Several checks as one."""

    record: CheckRecord  # everything there is; of a case with two answers, the one that does not conform
    conflicts: tuple[Conflict, ...]  # the cases with two answers
    repeated: int  # how many answers stand in two files and are the same

    @property
    def holds(self) -> bool:
        """Whether everything is there, as known, and free of contradiction."""
        return self.record.holds and not self.conflicts


def merged(records: Mapping[str, CheckRecord]) -> Merged:
    """Put checks (file -> record) together; answers of one name, version and convention are one implementation's."""
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
