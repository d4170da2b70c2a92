"""What changed between two checks: cases that began to fail, were mended, have another answer, came or went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from rankspec.conformance.checks.drift import answer_change
from rankspec.conformance.checks.records import CaseRecord, CheckRecord, ImplementationRecord


class Change(Enum):
    """What became of a case."""

    BEGAN_TO_FAIL = "began to fail"
    """It does not conform, and before it did, or was not asked."""
    NO_LONGER_ASKED = "no longer asked"
    """It conformed, and now it can't be put: the implementation lost something."""
    MENDED = "mended"
    """It did not conform, and does now."""
    CHANGED = "changed"
    """Another answer, or another exact value, that is as good or as bad as before."""
    NOW_ASKED = "now asked"
    """It could not be put before."""
    NEW = "new"
    """The old check has no such case."""
    GONE = "gone"
    """The new check has no such case."""

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
    """An implementation in both checks.

    Attributes:
        told: what it says of itself that changed (version, convention, ...) -> before, after.
        cases: what changed, worst first.
        same: how many cases are as they were.
    """

    old: ImplementationRecord
    new: ImplementationRecord
    told: Mapping[str, tuple[str, str]]
    cases: tuple[CaseChange, ...]
    same: int

    def of(self, change: Change) -> tuple[CaseChange, ...]:
        """Return the cases with this change."""
        return tuple(each for each in self.cases if each.change is change)


@dataclass(frozen=True)
class Diff:
    """What changed between two checks.

    Attributes:
        implementations: those in both.
        came: the names of those in the new one alone.
        went: the names of those in the old one alone.
        incomplete: the new check is cut off, so what it lacks may be worse.
    """

    implementations: tuple[ImplementationChange, ...]
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()
    incomplete: bool = field(default=False)

    @property
    def is_worse(self) -> bool:
        """Whether something got worse, or may have."""
        return self.incomplete or any(case.change.is_worse for each in self.implementations for case in each.cases)

    @property
    def is_empty(self) -> bool:
        """Whether everything is as it was."""
        changed = any(each.cases or each.told for each in self.implementations)
        return not (changed or self.came or self.went or self.incomplete)


def diff(old: CheckRecord, new: CheckRecord) -> Diff:
    """Compare two checks, implementation by implementation.

    Implementations belong together by their names, those of one name by version, then in their order; where each check
    has one alone, these two belong together, whatever they are called (`ranx==0.3.16` and `ranx==0.3.20`).
    """
    pairs, came, went = _paired(list(old.implementations), list(new.implementations))
    return Diff(
        tuple(_implementation(before, after) for before, after in pairs),
        tuple(each.label for each in came),
        tuple(each.label for each in went),
        not new.complete,
    )


_Listed = list[ImplementationRecord]


def _paired(
    old: _Listed, new: _Listed
) -> tuple[list[tuple[ImplementationRecord, ImplementationRecord]], _Listed, _Listed]:
    if len(old) == len(new) == 1:
        return [(old[0], new[0])], [], []
    pairs = []
    rest = list(new)
    went = list(old)
    for same in (_same_version, _same_name):
        for before in list(went):
            after = next((each for each in rest if same(before, each)), None)
            if after is not None:
                pairs.append((before, after))
                went.remove(before)
                rest.remove(after)
    places = {id(before): place for place, before in enumerate(old)}
    return sorted(pairs, key=lambda pair: places[id(pair[0])]), rest, went


def _same_version(before: ImplementationRecord, after: ImplementationRecord) -> bool:
    return (before.name, before.version, before.convention) == (after.name, after.version, after.convention)


def _same_name(before: ImplementationRecord, after: ImplementationRecord) -> bool:
    return before.name == after.name


def _implementation(old: ImplementationRecord, new: ImplementationRecord) -> ImplementationChange:
    before, after = ({case.id: case for case in each.cases} for each in (old, new))
    changes = [_change(case, before.get(case), after.get(case)) for case in {**before, **after}]
    changed = [each for each in changes if each is not None]
    order = list(Change)
    changed.sort(key=lambda each: order.index(each.change))  # stable: the order of the cases stays
    return ImplementationChange(old, new, _told(old, new), tuple(changed), len(changes) - len(changed))


def _told(old: ImplementationRecord, new: ImplementationRecord) -> dict[str, tuple[str, str]]:
    told = {}
    for name in ("name", "version", "python", "shape", "convention"):
        before, after = (str(each.data.get(name) or "-") for each in (old, new))
        if before != after:
            told[name] = (before, after)
    return told


def _change(case: str, old: CaseRecord | None, new: CaseRecord | None) -> CaseChange | None:
    kind = _kind(old, new)
    return None if kind is None else CaseChange(case, kind, old, new)


def _kind(old: CaseRecord | None, new: CaseRecord | None) -> Change | None:
    if old is None:
        return Change.NEW
    if new is None:
        return Change.GONE
    if not old.verdict.asked or not new.verdict.asked:
        return _kind_by_asking(old, new)
    if old.fails is not new.fails:
        return Change.BEGAN_TO_FAIL if new.fails else Change.MENDED
    held_otherwise = (old.verdict, old.exact) != (new.verdict, new.exact)
    return Change.CHANGED if held_otherwise or answer_change(old, new) is not None else None


def _kind_by_asking(old: CaseRecord, new: CaseRecord) -> Change | None:
    if old.verdict.asked and not new.verdict.asked:
        # What failed and is not asked any more is as bad as before: nothing that worked is lost.
        return Change.CHANGED if old.fails else Change.NO_LONGER_ASKED
    if new.verdict.asked:
        return Change.BEGAN_TO_FAIL if new.fails else Change.NOW_ASKED
    return Change.CHANGED if old.verdict is not new.verdict else None
