"""What a check found, as plain data: the contract of `check --json`, read back into frozen values.

Reports for CI are made of this and of nothing else, so that they say the same of a check that has just run and of one
that was kept in a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from rankspec.conformance.cases.plain import ABSENT, READ_ONLY, RecordError, fields_from, record_from
from rankspec.conformance.judge.verdicts import Verdict

_Each = TypeVar("_Each")


class FailureEntry(NamedTuple):
    """A case of an implementation, as a list of known failures has it."""

    implementation: str
    id: str


@dataclass(frozen=True, kw_only=True)
class CaseRecord:
    """What came of one question."""

    id: str
    measure: str = ""
    verdict: Verdict
    value: float | str | None = None  # the number as data; None if there is none
    answer_text: str | None = field(default=None, metadata={"name": "got"})  # None if nothing came
    exact: str | None = None  # the exact value; None if the question could not be put
    detail: str = ""
    conventions: tuple[str, ...] = ()  # what demands the answer instead: axis values and names of conventions
    cases: tuple[str, ...] = ()  # the ids of the cases that ask the same
    # How small its input is: queries, documents, judged documents; a case that doesn't say is the largest.
    size: tuple[float, ...] = field(default=(float("inf"),), metadata=ABSENT)
    input: tuple[str, ...] | None = field(default=None, metadata=ABSENT)  # as a table, of one that does not conform
    pair: Mapping[str, Any] | None = field(default=None, metadata=ABSENT)  # two calls that show that it is unstable
    per_query: Mapping[str, float | str | None] | None = field(default=None, metadata=ABSENT)  # where one came for each
    exact_per_query: Mapping[str, str] | None = field(default=None, metadata=ABSENT)
    known: str | None = field(default=None, metadata=ABSENT)  # why it is known not to conform; None if it is not
    unknown_fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def got(self) -> str:
        """What was answered, in a few words: a number, or what happened instead."""
        return self.answer_text or ("no number" if self.value is None else str(self.value))

    @property
    def fails(self) -> bool:
        """Whether it was asked and does not conform."""
        return self.verdict.is_applicable and not self.verdict.conforms

    @property
    def ids(self) -> tuple[str, ...]:
        """Its id and those of the other cases that ask the same."""
        return tuple(dict.fromkeys((self.id, *self.cases)))

    @property
    def answer(self) -> tuple[object, ...]:
        """What two answers are compared by. The words about a verdict don't belong to it."""
        return self.verdict, self.value, self.exact, self.per_query


@dataclass(frozen=True)
class Diagnosis:
    """What the failures of a check come from, as far as it was found."""

    status: str  # how the search for it ended, as `identify` says it
    words: str | None = None  # what it is, in one line; None where nothing is claimed
    convention: str | None = None  # what the answers follow, or follow but for that: `AP@10 under kaggle`
    under: str | None = None  # the convention that every answer of the check conforms to, as `--under` takes it


@dataclass(frozen=True, kw_only=True)
class ImplementationRecord:
    """One implementation and its answers."""

    name: str
    version: str | None = None
    python: str | None = None
    shape: str | None = None
    convention: str
    library: str | None = None  # what it is a version of; None for a user's function, or where nothing is said of it
    numpy_features: tuple[str, ...] = ()  # what its answers depend on in NumPy
    verdicts: Mapping[str, int] = field(init=False)  # how many answers have which, in the order of the verdicts
    conforming: int = field(init=False)  # how many answers are the convention's
    applicable_count: int = field(init=False, metadata={"name": "asked"})
    complete: bool = True  # whether all that was to be asked was asked, and twice
    questions: int | None = None  # how many answers were to come; None if that is not known
    not_called: int = field(default=0, metadata={"name": "not_asked"})  # for want of time, or of a process
    diagnosis: Diagnosis | None = None  # None where that was not looked for, or not found
    remarks: tuple[str, ...] = ()  # further findings, a line each
    changed_its_arguments: tuple[str, ...] = ()  # the ids of the questions whose arguments it changed
    cases: tuple[CaseRecord, ...]
    unknown_fields: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Count the answers; `RecordError` for two to one question."""
        repeated = [case for case, count in Counter(each.id for each in self.cases).items() if count > 1]
        if repeated:
            raise RecordError(f"{self.name}: {repeated[0]} appears twice", code="implementation-repeated")
        counted = Counter(case.verdict for case in self.cases)
        object.__setattr__(self, "verdicts", {each.value: counted[each] for each in Verdict if counted[each]})
        object.__setattr__(self, "applicable_count", len(self.applicable))
        object.__setattr__(self, "conforming", len(self.applicable) - len(self.failing))

    @property
    def label(self) -> str:
        """Name and version, as a heading has them."""
        return labelled(self.name, self.version)

    @property
    def diagnosis_text(self) -> str | None:
        """What its failures come from, in one line; None where that was not looked for, or not found."""
        return None if self.diagnosis is None else self.diagnosis.words

    @property
    def followed(self) -> str | None:
        """The convention that every answer conforms to, if one is known."""
        return None if self.diagnosis is None else self.diagnosis.under

    @property
    def applicable(self) -> tuple[CaseRecord, ...]:
        """The answers to questions that could be put."""
        return tuple(case for case in self.cases if case.verdict.is_applicable)

    @property
    def failing(self) -> tuple[CaseRecord, ...]:
        """The answers that are not the convention's."""
        return tuple(case for case in self.cases if case.fails)

    @property
    def unexpected(self) -> tuple[CaseRecord, ...]:
        """The answers that are not the convention's, and were not known to be."""
        return tuple(case for case in self.failing if case.known is None)

    @property
    def missing(self) -> int:
        """How many answers did not come."""
        return 0 if self.questions is None else max(0, self.questions - len(self.cases))


@dataclass(frozen=True)
class Difference:
    """One axis, as the answers of several implementations show it."""

    axis: str
    values: Mapping[str, str | None]  # implementation -> value; None where its answers can't tell
    contradicted: Mapping[str, str] = field(default_factory=dict)  # implementation -> a case its value does not explain
    case: str | None = None  # id of a small case that shows the difference; None where there is none to show
    numbers: Mapping[str, str] | None = None  # implementation -> what it answered to that case
    differs: bool | None = None  # whether two implementations have different values; None is seen from these

    def __post_init__(self) -> None:
        """See whether they differ, if nobody says so."""
        if self.differs is None:
            object.__setattr__(self, "differs", len({*self.values.values()} - {None}) > 1)


@dataclass(frozen=True, kw_only=True)
class CheckRecord:
    """A check of one implementation or of several."""

    rankspec: str | None = None  # the version of rankspec that made it, if it says so
    measure: str | None = None  # the measure that the user stated, if any
    complete: bool = True  # whether everything was asked that was to be asked
    stopped: str | None = None  # why not, if it says so
    not_started: tuple[str, ...] = ()  # the names of implementations that nothing was asked of, for want of time
    implementations: tuple[ImplementationRecord, ...]
    differences: tuple[Difference, ...] = ()
    drift: tuple[Mapping[str, Any], ...] = ()  # what changed from version to version of one library, as it was written
    unexpected: tuple[FailureEntry, ...] = field(init=False)  # answers not the convention's, and not known to be so
    # Entries of known failures that conform after all, and those whose case was not asked.
    passed: tuple[FailureEntry, ...] = field(default=(), metadata={"name": "unexpected_passes"})
    stale: tuple[FailureEntry, ...] = field(default=(), metadata={"name": "stale_known_failures"})
    to_come: int | None = field(default=None, metadata=READ_ONLY)  # how many answers in all; None if not known

    def __post_init__(self) -> None:
        """List the failures of all implementations."""
        entries = (FailureEntry(each.name, case.id) for each in self.implementations for case in each.unexpected)
        object.__setattr__(self, "unexpected", tuple(entries))

    @property
    def answers(self) -> int:
        """How many answers there are."""
        return sum(len(each.cases) for each in self.implementations)

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
    record = record_from(CheckRecord, data)
    to_come = [each.questions for each in record.implementations if each.questions is not None]
    if record.to_come is None and len(to_come) == len(record.implementations):
        return replace(record, to_come=sum(to_come))
    return record


def totals(record: CheckRecord, data: Mapping[str, Any]) -> CheckRecord:
    """Add what is said of all implementations; `RecordError` for another form."""
    stated = {name: value for name, value in data.items() if name != "implementations"}
    return replace(record, **fields_from(CheckRecord, stated))


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
    parts = [_merged_parts(each) for each in grouped.values()]
    conflicts = tuple(each for _, contradicting, _ in parts for each in contradicting)
    repeated = sum(count for *_, count in parts)
    whole = tuple(implementation for implementation, *_ in parts)
    answered = {(each.name, case) for each in whole for answer in each.applicable for case in answer.ids}
    measures, every = {record.measure for record in records.values()}, [*records.values()]
    versions = dict.fromkeys(record.rankspec for record in every if record.rankspec)
    to_come = [record.to_come for record in every if record.to_come is not None]
    record = CheckRecord(
        implementations=whole,
        rankspec=" and ".join(versions) or None,
        measure=measures.pop() if len(measures) == 1 else None,
        complete=all(record.complete for record in every),
        passed=_union(record.passed for record in every),
        # What one shard did not ask another may have.
        stale=tuple(entry for entry in _union(record.stale for record in every) if entry not in answered),
        # A table of conventions is about the answers that it was made from; of several there is none to choose.
        differences=every[0].differences if len(every) == 1 else (),
        drift=tuple(each for record in every for each in record.drift),
        to_come=sum(to_come) - repeated - len(conflicts) if len(to_come) == len(every) else None,
    )
    return Merged(record, conflicts, repeated)


def _merged_parts(parts: Mapping[str, ImplementationRecord]) -> tuple[ImplementationRecord, list[Conflict], int]:
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
    merged = tuple(min(answers.values(), key=lambda each: not each.fails) for answers in cases.values())
    missing = sum(part.missing for part in parts.values())
    whole = replace(
        first,
        cases=merged,
        questions=len(merged) + missing,
        # One part's answers may contradict what is said of another's.
        diagnosis=first.diagnosis if all(part.diagnosis == first.diagnosis for part in parts.values()) else None,
        changed_its_arguments=_union(part.changed_its_arguments for part in parts.values()),
        remarks=_union(part.remarks for part in parts.values()),
    )
    return whole, conflicts, repeated


def _union(entries: Iterable[tuple[_Each, ...]]) -> tuple[_Each, ...]:
    return tuple(dict.fromkeys(each for every in entries for each in every))
