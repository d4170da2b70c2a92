"""The drift between versions of one library: which cases it answers otherwise than it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import pairwise

from rankspec.conformance.checks.check import Answer, Checked, outcome_text
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery, Raised
from rankspec.conformance.worker.messages import ANY_MEASURE

_LAST_DIGITS = Fraction(1, 2**48)
"""Values that lie nearer, relative to the larger, differ in the last digits of a double: another order of sums."""


class Kind(Enum):
    """How two answers differ."""

    VALUE = "value"
    """Another number."""
    ROUNDING = "rounding"
    """The same number, but for its last digits."""
    OUTCOME = "outcome"
    """A number where there was an exception or the like, or the reverse, or another exception."""
    ASKED = "asked"
    """The question can be put to one version alone: its functions take other arguments, or there are others."""


@dataclass(frozen=True)
class Change:
    """A case that is answered otherwise.

    Attributes:
        kind: how the answers differ.
        old: the answer of the older version, in the order in which they were named.
        new: that of the newer one.
        query: the first query on which they differ, where they return a value a query.
    """

    kind: Kind
    old: Answer
    new: Answer
    query: str | None = None

    @property
    def id(self) -> str:
        """The id of the case."""
        return self.new.question.id

    @property
    def texts(self) -> tuple[str, str]:
        """What each answered, on the query that differs if there is one."""
        return self._text(self.old), self._text(self.new)

    @property
    def exact(self) -> str | None:
        """The exact value that the newer version is held to, else the older."""
        return next((each.put.expectation.text for each in (self.new, self.old) if isinstance(each.put, Asked)), None)

    def _text(self, answer: Answer) -> str:
        if not isinstance(answer.put, Asked):
            return answer.verdict.value
        if self.query is None or not isinstance(answer.outcome, PerQuery):
            return outcome_text(answer.outcome)
        number = answer.outcome.values.get(self.query)
        return f"{self.query}: {'nothing' if number is None else outcome_text(number)}"


@dataclass(frozen=True)
class Drift:
    """From one version to another.

    Attributes:
        old: the check of the version that was named first.
        new: the check of the one that was named after it.
        compared: how many cases were put to one of them or both.
        changes: the cases that are answered otherwise, in the order of the cases.
    """

    old: Checked
    new: Checked
    compared: int
    changes: tuple[Change, ...]

    @property
    def library(self) -> str:
        """What the versions are of."""
        return self.new.hello.name

    @property
    def real(self) -> tuple[Change, ...]:
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


def drifts(checks: Sequence[Checked]) -> list[Drift]:
    """Compare each version of a library with the one that was named before it.

    Two checks are of versions of one library if they say the same name and different versions of themselves.
    Functions of one's own have no versions.
    """
    named: dict[str, list[Checked]] = {}
    for checked in checks:
        if ANY_MEASURE not in checked.hello.functions and checked.hello.version is not None:
            named.setdefault(checked.hello.name, []).append(checked)
    pairs = [pair for versions in named.values() for pair in pairwise(versions)]
    return [_drift(old, new) for old, new in pairs if old.hello.version != new.hello.version]


def _drift(old: Checked, new: Checked) -> Drift:
    before = {answer.question.id: answer for answer in old.answers}
    both = [(before[answer.question.id], answer) for answer in new.answers if answer.question.id in before]
    compared = [pair for pair in both if any(isinstance(answer.put, Asked) for answer in pair)]
    return Drift(old, new, len(compared), tuple(_changes(compared)))


def _changes(pairs: Sequence[tuple[Answer, Answer]]) -> Iterator[Change]:
    for old, new in pairs:
        if isinstance(old.put, Asked) is not isinstance(new.put, Asked):
            yield Change(Kind.ASKED, old, new)
        elif isinstance(old.outcome, PerQuery) and isinstance(new.outcome, PerQuery):
            yield from _change_of_queries(old, new, old.outcome, new.outcome)
        elif (kind := _kind(old.outcome, new.outcome)) is not None:
            yield Change(kind, old, new)


def _change_of_queries(old: Answer, new: Answer, before: PerQuery, after: PerQuery) -> Iterator[Change]:
    kinds = {
        query: kind
        for query in dict.fromkeys((*before.values, *after.values))
        if (kind := _kind(before.values.get(query), after.values.get(query))) is not None
    }
    for kind in (Kind.OUTCOME, Kind.VALUE, Kind.ROUNDING):
        if query := next((query for query, found in kinds.items() if found is kind), None):
            yield Change(kind, old, new, query)
            return


def _kind(before: Outcome | None, after: Outcome | None) -> Kind | None:
    """Say how two outcomes differ; None if they are the same. The words of an exception don't count."""
    if isinstance(before, Number) and isinstance(after, Number):
        if before.value == after.value:
            return None
        return Kind.ROUNDING if _near(before, after) else Kind.VALUE
    if isinstance(before, Raised) and isinstance(after, Raised):
        return None if before.type == after.type else Kind.OUTCOME
    return None if type(before) is type(after) else Kind.OUTCOME


def _near(before: Number, after: Number) -> bool:
    if not isinstance(before.value, Fraction) or not isinstance(after.value, Fraction):
        return False
    return abs(before.value - after.value) <= _LAST_DIGITS * max(abs(before.value), abs(after.value))
