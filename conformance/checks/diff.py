"""What changed between two checks, and from version to version of one library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter

from rankspec.conformance.checks.records import CaseRecord, CheckRecord, ImplementationRecord
from rankspec.conformance.judge.agreement import Bound, near
from rankspec.conformance.run.outcomes import Number
from rankspec.conformance.worker.values import DOUBLE

_BOUND = Bound(1_400)  # A record does not hold the input: more roundings than a program makes for almost any case


class DifferenceKind(Enum):
    """How two answers part."""

    VALUE = "value"  # Another number
    ROUNDING = "rounding"  # The same number, but for its last digits
    OUTCOME = "outcome"  # A number where there was an exception or the like, or the reverse, or another exception
    ASKED = "asked"  # The question can be put to one alone: its functions take other arguments, or there are others


@dataclass(frozen=True)
class AnswerChange:
    """A case whose answers part: two answers that are not the same."""

    kind: DifferenceKind  # how they part
    old: CaseRecord  # the older answer, or that of the version which was named first
    new: CaseRecord  # the other
    query: str | None = None  # the first query on which they part, where both are a number a query

    @property
    def id(self) -> str:
        """The id of the case."""
        return self.new.id

    @property
    def texts(self) -> tuple[str, str]:
        """What each answered, on the query on which they part if there is one."""
        return self._text(self.old), self._text(self.new)

    def _text(self, case: CaseRecord) -> str:
        if not case.verdict.is_applicable:
            return str(case.verdict.value)
        if self.query is None or case.per_query is None:
            return case.got
        return f"{self.query}: {case.per_query.get(self.query, 'nothing')}"


def answer_change(old: CaseRecord, new: CaseRecord) -> AnswerChange | None:
    """Say how two answers to one case part; None if they are the same."""
    if not (old.verdict.is_applicable or new.verdict.is_applicable):
        return None
    if old.verdict.is_applicable is not new.verdict.is_applicable:
        return AnswerChange(DifferenceKind.ASKED, old, new)
    before, after = old.per_query, new.per_query
    if (before is None) is not (after is None):
        return AnswerChange(DifferenceKind.OUTCOME, old, new)
    if before is not None and after is not None and (found := _first_query(before, after)) is not None:
        return AnswerChange(found[0], old, new, found[1])
    kind = _kind(old.value, new.value)
    if (
        kind is None and old.value is None and old.got != new.got
    ):  # the words of an exception don't count, its type does
        kind = DifferenceKind.OUTCOME
    return None if kind is None else AnswerChange(kind, old, new)


def _first_query(
    before: Mapping[str, float | str | None], after: Mapping[str, float | str | None]
) -> tuple[DifferenceKind, str] | None:
    kinds = {
        query: kind
        for query in dict.fromkeys((*before, *after))
        if (kind := _kind(before.get(query), after.get(query))) is not None
    }
    gravest_first = (DifferenceKind.OUTCOME, DifferenceKind.VALUE, DifferenceKind.ROUNDING)
    return next(((kind, query) for kind in gravest_first for query in kinds if kinds[query] is kind), None)


def _kind(before: float | str | None, after: float | str | None) -> DifferenceKind | None:
    if before == after:
        return None
    if before is None or after is None:
        return DifferenceKind.OUTCOME
    try:
        first, second = (Number(Fraction(value), DOUBLE) for value in (before, after))
    except (ValueError, OverflowError):  # nan, an infinity
        return DifferenceKind.VALUE
    return DifferenceKind.ROUNDING if near(first, second, _BOUND) else DifferenceKind.VALUE


@dataclass(frozen=True)
class Drift:
    """From one version to another."""

    old: ImplementationRecord  # the version that was named first
    new: ImplementationRecord  # the one that was named after it
    compared: int  # how many cases were put to one of them or both
    changes: tuple[AnswerChange, ...]  # the cases that are answered otherwise, in the order of the cases

    @property
    def real(self) -> tuple[AnswerChange, ...]:
        """The changes that are more than rounding."""
        return tuple(change for change in self.changes if change.kind is not DifferenceKind.ROUNDING)

    @property
    def begun_to_fail(self) -> int:
        """How many cases conformed and don't any more."""
        return sum(change.old.verdict.conforms and not change.new.verdict.conforms for change in self.changes)

    @property
    def mended(self) -> int:
        """How many cases didn't conform and do now."""
        return sum(change.new.verdict.conforms and not change.old.verdict.conforms for change in self.changes)


def drifts(implementations: Sequence[ImplementationRecord]) -> list[Drift]:
    """Compare each version of a library with the one that was named before it."""
    # Two are versions of one library if they say the same name and different versions; one's own functions say none.
    named: dict[str, list[ImplementationRecord]] = {}
    for each in implementations:
        if each.library is not None and each.version is not None:
            named.setdefault(each.library, []).append(each)
    pairs = [pair for versions in named.values() for pair in pairwise(versions)]
    return [_drift(old, new) for old, new in pairs if old.version != new.version]


def _drift(old: ImplementationRecord, new: ImplementationRecord) -> Drift:
    before = {case.id: case for case in old.cases}
    both = [(before[case.id], case) for case in new.cases if case.id in before]
    compared = [(one, other) for one, other in both if one.verdict.is_applicable or other.verdict.is_applicable]
    found = (answer_change(old, new) for old, new in compared)
    changes = (each for each in found if each is not None)
    return Drift(old, new, len(compared), tuple(changes))


class Change(Enum):
    """What became of a case."""

    BEGAN_TO_FAIL = "began to fail"  # It does not conform, and before it did, or was not asked
    NO_LONGER_ASKED = "no longer asked"  # It conformed, and now it can't be put: the implementation lost something
    MENDED = "mended"  # It did not conform, and does now
    CHANGED = "changed"  # Another answer, or another exact value, that is as good or as bad as before
    NOW_ASKED = "now asked"  # It could not be put before
    NEW = "new"  # The old check has no such case
    GONE = "gone"  # The new check has no such case

    @property
    def is_worse(self) -> bool:
        """Whether something got worse."""
        return self in {Change.BEGAN_TO_FAIL, Change.NO_LONGER_ASKED}


@dataclass(frozen=True)
class CaseChange:
    """A case that is not as it was; one side is None where it is new or gone."""

    id: str
    change: Change
    old: CaseRecord | None
    new: CaseRecord | None


@dataclass(frozen=True)
class ImplementationChange:
    """An implementation in both checks."""

    old: ImplementationRecord
    new: ImplementationRecord
    declared: Mapping[str, tuple[str, str]]  # what it says of itself (version, ...) -> before, after, if it changed
    cases: tuple[CaseChange, ...]  # what changed, worst first
    same: int  # how many cases are as they were

    def of(self, change: Change) -> tuple[CaseChange, ...]:
        """Return the cases with this change."""
        return tuple(each for each in self.cases if each.change is change)


@dataclass(frozen=True)
class Diff:
    """What changed between two checks."""

    implementations: tuple[ImplementationChange, ...]  # those in both
    came: tuple[str, ...] = ()  # the names of those in the new one alone
    went: tuple[str, ...] = ()  # the names of those in the old one alone
    incomplete: bool = field(default=False)  # the new check is cut off, so what it lacks may be worse

    @property
    def is_worse(self) -> bool:
        """Whether something got worse, or may have."""
        return self.incomplete or any(case.change.is_worse for each in self.implementations for case in each.cases)

    @property
    def is_empty(self) -> bool:
        """Whether everything is as it was."""
        changed = any(each.cases or each.declared for each in self.implementations)
        return not (changed or self.came or self.went or self.incomplete)


def diff(old: CheckRecord, new: CheckRecord) -> Diff:
    """Compare two checks, implementation by implementation."""
    # Implementations belong together by their names, those of one name by version, then in their order; where each
    # check has one alone, these two belong together, whatever they are called (`ranx==0.3.16` and `ranx==0.3.20`).
    went, came = dict(enumerate(old.implementations)), list(new.implementations)
    pairs: dict[int, ImplementationChange] = {}
    whole, name = attrgetter("name", "version", "convention"), attrgetter("name")
    for identity in (whole, name, type) if len(went) == len(came) == 1 else (whole, name):
        for place, before in [*went.items()]:
            after = next((each for each in came if identity(before) == identity(each)), None)
            if after is not None:
                pairs[place] = _implementation(went.pop(place), after)
                came.remove(after)
    changes, gone = tuple(pairs[place] for place in sorted(pairs)), went.values()
    return Diff(changes, tuple(each.label for each in came), tuple(each.label for each in gone), not new.complete)


def _implementation(old: ImplementationRecord, new: ImplementationRecord) -> ImplementationChange:
    before, after = ({case.id: case for case in each.cases} for each in (old, new))
    sides = {case: (before.get(case), after.get(case)) for case in {**before, **after}}
    kinds = {case: _change_kind(*both) for case, both in sides.items()}
    changed = [CaseChange(case, kind, *sides[case]) for case, kind in kinds.items() if kind is not None]
    order = list(Change)
    changed.sort(key=lambda each: order.index(each.change))  # stable: the order of the cases stays
    names = ("name", "version", "python", "shape", "convention")
    stated = {name: (getattr(old, name) or "-", getattr(new, name) or "-") for name in names}
    told = {name: both for name, both in stated.items() if both[0] != both[1]}
    return ImplementationChange(old, new, told, tuple(changed), len(kinds) - len(changed))


def _change_kind(old: CaseRecord | None, new: CaseRecord | None) -> Change | None:
    if old is None:
        return Change.NEW
    if new is None:
        return Change.GONE
    if not old.verdict.is_applicable or not new.verdict.is_applicable:
        if old.verdict.is_applicable:
            # What failed and is not asked any more is as bad as before: nothing that worked is lost.
            return Change.CHANGED if old.fails else Change.NO_LONGER_ASKED
        if new.verdict.is_applicable:
            return Change.BEGAN_TO_FAIL if new.fails else Change.NOW_ASKED
        return Change.CHANGED if old.verdict is not new.verdict else None
    if old.fails is not new.fails:
        return Change.BEGAN_TO_FAIL if new.fails else Change.MENDED
    held_otherwise = (old.verdict, old.exact) != (new.verdict, new.exact)
    return Change.CHANGED if held_otherwise or answer_change(old, new) is not None else None
