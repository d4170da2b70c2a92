"""The drift between versions of one library that were checked side by side: the cases whose answers part.

How two answers to one case part is said here once; `diff` asks it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import pairwise

from rankspec.conformance.checks.records import CaseRecord, ImplementationRecord
from rankspec.conformance.judge.agreement import Bound, near
from rankspec.conformance.run.outcomes import Number
from rankspec.conformance.worker.values import DOUBLE

_BOUND = Bound(1_400)
"""A record does not hold the input: more roundings than a program makes for almost any case."""


class Kind(Enum):
    """How two answers part."""

    VALUE = "value"
    """Another number."""
    ROUNDING = "rounding"
    """The same number, but for its last digits."""
    OUTCOME = "outcome"
    """A number where there was an exception or the like, or the reverse, or another exception."""
    ASKED = "asked"
    """The question can be put to one alone: its functions take other arguments, or there are others."""


@dataclass(frozen=True)
class AnswerChange:
    """A case whose answers part: two answers that are not the same.

    Attributes:
        kind: how they part.
        old: the older answer, or that of the version which was named first.
        new: the other.
        query: the first query on which they part, where both are a number a query.
    """

    kind: Kind
    old: CaseRecord
    new: CaseRecord
    query: str | None = None

    @property
    def id(self) -> str:
        """The id of the case."""
        return self.new.id

    @property
    def texts(self) -> tuple[str, str]:
        """What each answered, on the query on which they part if there is one."""
        return self._text(self.old), self._text(self.new)

    def _text(self, case: CaseRecord) -> str:
        if not case.verdict.asked:
            return str(case.verdict.value)
        if self.query is None or case.per_query is None:
            return case.got
        return f"{self.query}: {case.per_query.get(self.query, 'nothing')}"


def answer_change(old: CaseRecord, new: CaseRecord) -> AnswerChange | None:
    """Say how two answers to one case part; None if they are the same."""
    if not (old.verdict.asked or new.verdict.asked):
        return None
    if old.verdict.asked is not new.verdict.asked:
        return AnswerChange(Kind.ASKED, old, new)
    before, after = old.per_query, new.per_query
    if (before is None) is not (after is None):
        return AnswerChange(Kind.OUTCOME, old, new)
    if before is not None and after is not None and (found := _first_query(before, after)) is not None:
        return AnswerChange(found[0], old, new, found[1])
    kind = _kind(old.value, new.value)
    if (
        kind is None and old.value is None and old.got != new.got
    ):  # the words of an exception don't count, its type does
        kind = Kind.OUTCOME
    return None if kind is None else AnswerChange(kind, old, new)


def _first_query(before: Mapping[str, float | str], after: Mapping[str, float | str]) -> tuple[Kind, str] | None:
    kinds = {
        query: kind
        for query in dict.fromkeys((*before, *after))
        if (kind := _kind(before.get(query), after.get(query))) is not None
    }
    gravest_first = (Kind.OUTCOME, Kind.VALUE, Kind.ROUNDING)
    return next(((kind, query) for kind in gravest_first for query in kinds if kinds[query] is kind), None)


def _kind(before: float | str | None, after: float | str | None) -> Kind | None:
    if before == after:
        return None
    if before is None or after is None:
        return Kind.OUTCOME
    return Kind.ROUNDING if _near(before, after) else Kind.VALUE


def _near(before: float | str, after: float | str) -> bool:
    try:
        first, second = (Number(Fraction(value), DOUBLE) for value in (before, after))
    except (ValueError, OverflowError):  # nan, an infinity
        return False
    return near(first, second, _BOUND)


@dataclass(frozen=True)
class Drift:
    """From one version to another.

    Attributes:
        old: the version that was named first.
        new: the one that was named after it.
        compared: how many cases were put to one of them or both.
        changes: the cases that are answered otherwise, in the order of the cases.
    """

    old: ImplementationRecord
    new: ImplementationRecord
    compared: int
    changes: tuple[AnswerChange, ...]

    @property
    def real(self) -> tuple[AnswerChange, ...]:
        """The changes that are more than rounding."""
        return tuple(change for change in self.changes if change.kind is not Kind.ROUNDING)

    @property
    def begun_to_fail(self) -> int:
        """How many cases conformed and don't any more."""
        return sum(change.old.verdict.conforms and not change.new.verdict.conforms for change in self.changes)

    @property
    def mended(self) -> int:
        """How many cases didn't conform and do now."""
        return sum(change.new.verdict.conforms and not change.old.verdict.conforms for change in self.changes)


def drifts(implementations: Sequence[ImplementationRecord]) -> list[Drift]:
    """Compare each version of a library with the one that was named before it.

    Two are versions of one library if they say the same name and different versions of themselves. Functions of one's
    own have no versions.
    """
    named: dict[str, list[ImplementationRecord]] = {}
    for each in implementations:
        if each.library is not None and each.version is not None:
            named.setdefault(each.library, []).append(each)
    pairs = [pair for versions in named.values() for pair in pairwise(versions)]
    return [_drift(old, new) for old, new in pairs if old.version != new.version]


def _drift(old: ImplementationRecord, new: ImplementationRecord) -> Drift:
    before = {case.id: case for case in old.cases}
    both = [(before[case.id], case) for case in new.cases if case.id in before]
    compared = [(one, other) for one, other in both if one.verdict.asked or other.verdict.asked]
    return Drift(old, new, len(compared), tuple(_changes(compared)))


def _changes(pairs: Sequence[tuple[CaseRecord, CaseRecord]]) -> Iterator[AnswerChange]:
    found = (answer_change(old, new) for old, new in pairs)
    return (each for each in found if each is not None)
