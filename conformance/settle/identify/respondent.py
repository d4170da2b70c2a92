"""Who is interviewed: an implementation over two connections, all that it has answered, and what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Self

from rankspec.conformance.checks.minimal_pair import Made
from rankspec.conformance.checks.repeatability import Conditions, Repetition, repeatability
from rankspec.conformance.judge.agreement import agrees, bound_of, differ_in_last_digits
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED, Connectable, Connection
from rankspec.conformance.run.outcomes import Outcome, Report, TimedOut
from rankspec.conformance.run.telling import Tell, silent
from rankspec.conformance.settle.identify.probe import ShapedProbe
from rankspec.conformance.worker.messages import Call, Hello

_ELSEWHERE = "in another process, asked in another order"
_LATER = "when asked again, after other inputs"
SAME_ARGUMENTS = "from the same arguments, which it had changed"


History = list[tuple[ShapedProbe, Outcome]]
"""What one process was asked, in order, and what it answered."""


@dataclass(frozen=True)
class ChangedAnswer:
    """Two answers to one probe, and how it was asked the second time."""

    asked: ShapedProbe
    first: Outcome
    second: Outcome
    how: str


@dataclass
class Respondent:
    """An implementation that is interviewed. A context manager.

    What it is asked over the first connection is asked over the second one too, the last call first. Where that is a
    process of its own it is asked in the background, since its start takes its time; else when all has been asked.

    Attributes:
        answers: all that it has answered.
        changes: the probes to which it gave another answer.
        histories: what was asked over each connection, in order, and what was answered; None once a process was lost,
            since the next one remembers nothing.
        mutated: the probes whose arguments it changed.
        last_digits: one whose answer changed in the last digits alone, which is no other answer.
        late: one that was answered in time only once, which says nothing of the answer.
        calls: how many calls were made over the first connection.
        tell: is told how many answers are known, of `expected`.
    """

    connectable: Connectable
    tell: Tell = silent
    answers: dict[ShapedProbe, Outcome] = field(default_factory=dict)
    mutated: list[ShapedProbe] = field(default_factory=list)
    changes: list[ChangedAnswer] = field(default_factory=list)
    histories: list[History | None] = field(default_factory=lambda: [[], []])
    last_digits: ChangedAnswer | None = None
    late: ChangedAnswer | None = None
    calls: int = 0
    expected: int | None = None

    def __enter__(self) -> Self:
        """Open both connections. Raises ``ImportFailure``."""
        self._first_opened = self.connectable.connect(FIRST_SEED)
        self._second_opened = self.connectable.connect(SECOND_SEED)
        self._background = ThreadPoolExecutor(max_workers=1)
        self._waiting: list[tuple[list[ShapedProbe], Callable[[], Repetition]]] = []
        started = self._background.submit(self._second_opened.__enter__)
        with ExitStack() as stack:
            stack.callback(self._abandon, started)
            self._first = stack.enter_context(self._first_opened)
            self._second: Connection = started.result()
            stack.pop_all()
        return self

    def _abandon(self, started: Future[Connection]) -> None:
        """End the second process where the first one can't be asked, or somebody interrupts."""
        self.connectable.halt.stop("given up")
        self._background.shutdown()
        if started.exception() is None:
            self._second_opened.__exit__(None, None, None)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close both connections; after an interruption nothing is waited for."""
        if kind is not None:
            self.connectable.halt.stop("interrupted")
        self._background.shutdown(wait=True, cancel_futures=True)
        try:
            self._first_opened.__exit__(kind, error, traceback)
        finally:
            self._second_opened.__exit__(kind, error, traceback)

    @property
    def hello(self) -> Hello:
        """What the implementation says of itself."""
        return self._first.hello

    def ask(self, puts: Sequence[ShapedProbe]) -> list[Outcome]:
        """Ask what was not asked yet, and return the answers to all."""
        new = list(dict.fromkeys(each for each in puts if each not in self.answers))
        if new:
            repeat = partial(self._repeat, new)
            waiting = self._background.submit(repeat).result if self.connectable.is_fresh else repeat
            self._waiting.append((new, waiting))
            report = self._first.ask([each.call for each in new], self._heard)
            self.calls += len(new)
            self._take(new, report)
            self._remember(0, zip(new, report.outcomes, strict=True), lost=bool(report.incidents))
        return [self.answers[each] for each in puts]

    def _heard(self, index: int, _: Outcome) -> None:
        self.tell("asking", self.calls + index, self.expected)

    def _repeat(self, puts: Sequence[ShapedProbe]) -> Repetition:
        found = Repetition()
        made = [Made(each.probe.name, each.call) for each in puts]
        conditions = Conditions(self.connectable.limits.timeouts_in_a_row)
        repeatability(self._second, made, range(len(made)), found, conditions)
        return found

    def settle(self, again: Sequence[ShapedProbe]) -> None:
        """Wait for the second connection, and ask the first one some probes again, now that it has seen others."""
        for puts, repeated in self._waiting:
            found = repeated()
            for index, outcomes in found.outcomes.items():
                self._compare(puts[index], outcomes[0], _ELSEWHERE if self.connectable.is_fresh else _LATER)
            last_first = sorted(found.outcomes, reverse=True)
            heard = ((puts[index], found.outcomes[index][0]) for index in last_first)
            self._remember(1, heard, lost=bool(found.lost))
        self._waiting.clear()
        if not self.changes and again:
            report = self._first.ask([each.call for each in again])
            self._remember(0, zip(again, report.outcomes, strict=True), lost=bool(report.incidents))
            for each, outcome in zip(again, report.outcomes, strict=True):
                self._compare(each, outcome, _LATER)

    @property
    def change(self) -> ChangedAnswer | None:
        """The smallest probe to which it gave another answer, None if it gave none."""
        return min(self.changes, key=lambda seen: seen.asked.probe.size, default=None)

    def leave_out(self, puts: Iterable[ShapedProbe]) -> None:
        """Forget what was answered to some probes, as if they had not been asked."""
        for each in puts:
            self.answers.pop(each, None)

    def raw(self, calls: Sequence[Call]) -> tuple[Outcome, ...]:
        """Ask calls whose answers are not kept."""
        self.calls += len(calls)
        return self._first.ask(calls).outcomes

    def both(self, calls: Sequence[Call]) -> tuple[Sequence[Outcome], Sequence[Outcome]]:
        """Ask calls over both connections; the answers are not kept."""
        return self._first.ask(calls).outcomes, self._second.ask(calls).outcomes

    def twice(self, puts: Sequence[ShapedProbe]) -> list[tuple[Outcome, Outcome | None]]:
        """Ask calls whose answers are not kept; with what came of the same arguments again where it changed them."""
        report = self._first.ask([each.call for each in puts])
        return [(outcome, report.again.get(index)) for index, outcome in enumerate(report.outcomes)]

    def _take(self, puts: Sequence[ShapedProbe], report: Report) -> None:
        for index, (each, outcome) in enumerate(zip(puts, report.outcomes, strict=True)):
            self.answers[each] = outcome
            if index in report.mutated:
                self.mutated.append(each)
            if index in report.again:
                self._compare(each, report.again[index], SAME_ARGUMENTS)

    def _remember(self, place: int, heard: Iterable[tuple[ShapedProbe, Outcome]], *, lost: bool) -> None:
        known = self.histories[place]
        self.histories[place] = None if lost or known is None else [*known, *heard]

    def _compare(self, each: ShapedProbe, second: Outcome, how: str) -> None:
        first, bound = self.answers[each], bound_of(each.call)
        seen = ChangedAnswer(each, first, second, how)
        if isinstance(first, TimedOut) is not isinstance(second, TimedOut):
            self.late = _smaller(self.late, seen)
        elif not agrees(first, second, bound):
            self.changes.append(seen)
        elif differ_in_last_digits(first, second, bound):
            self.last_digits = _smaller(self.last_digits, seen)


def _smaller(known: ChangedAnswer | None, seen: ChangedAnswer) -> ChangedAnswer:
    return seen if known is None or seen.asked.probe.size < known.asked.probe.size else known
