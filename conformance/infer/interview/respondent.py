"""Who is interviewed: an implementation over two connections, all that it has answered, and what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Self

from rankspec.conformance.checks.stability import NamedCall, Repetition
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.judge.agreement import agrees, bound_of, differ_in_last_digits
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED, Connectable, last_connection
from rankspec.conformance.run.limits import Halted, Patience
from rankspec.conformance.run.outcomes import Connection, Outcome, Report, TimedOut, is_unanswered
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.conformance.worker.messages import ANY_MEASURE, Call, Hello

_OF_FRAMES = 4  # Of so many questions about data frames one is asked twice: half of the time went into the repetition
_ELSEWHERE = "in another process, in another order"
_LATER = "when called again after other inputs"
SAME_ARGUMENTS = "from the same arguments, which the first call changed"


History = list[tuple[ShapedProbe, Outcome]]  # What one process was asked, in order, and what it answered


@dataclass(frozen=True)
class ChangedAnswer:
    """Two answers to one probe, and how it was asked the second time."""

    question: ShapedProbe
    first: Outcome
    second: Outcome
    how: str


@dataclass
class Respondent:
    """An implementation that is interviewed. A context manager.

    What it is asked over the first connection is asked over the second one too, the last call first. Where that is a
    process of its own it is asked in the background, since its start takes its time; else when all has been asked.
    """

    connectable: Connectable
    progress: OnProgress = silent  # hears how many answers are known, of `expected`
    answers: dict[ShapedProbe, Outcome] = field(default_factory=dict)  # all that it has answered
    mutated: list[ShapedProbe] = field(default_factory=list)  # the probes whose arguments it changed
    changes: list[ChangedAnswer] = field(default_factory=list)  # the probes to which it gave another answer
    # what each connection was asked, in order, and answered; None once a process was lost: the next one knows nothing
    histories: list[History | None] = field(default_factory=lambda: [[], []])
    last_digits: ChangedAnswer | None = None  # one that changed in the last digits alone, which is no other answer
    late: ChangedAnswer | None = None  # one that was answered in time only once, which says nothing of the answer
    calls: int = 0  # how many calls were made over the first connection
    expected: int | None = None
    _has_retried: bool = False

    def __enter__(self) -> Self:
        """Open both connections. Raises ``ImportFailure``."""
        self.connectable.halt.patience = Patience()  # what an earlier identification lost is its own
        self._later = ExitStack()
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

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        """Close both connections; after an interruption nothing is waited for."""
        if kind is not None:
            self.connectable.halt.stop("interrupted")
        self._background.shutdown(wait=True, cancel_futures=True)
        with ExitStack() as stack:
            stack.push(self._second_opened.__exit__)
            stack.push(self._first_opened.__exit__)
            stack.push(self._later.__exit__)
            stack.pop_all().__exit__(kind, *raised)  # type: ignore[arg-type]

    @property
    def hello(self) -> Hello:
        """What the implementation says of itself."""
        return self._first.hello

    @property
    def is_slow(self) -> bool:
        """Whether it is a user's function of data frames: it is asked less, and a part of that twice."""
        own = self.hello.functions.get(ANY_MEASURE)
        return own is not None and "frame" in own.form.value

    def ask(self, puts: Sequence[ShapedProbe]) -> list[Outcome]:
        """Ask what was not asked yet, and return the answers to all."""
        new = list(dict.fromkeys(each for each in puts if each not in self.answers))
        if new:
            repeat = partial(self._repeat, new)
            waiting = self._background.submit(repeat).result if self.connectable.is_fresh else repeat
            self._waiting.append((new, waiting))
            report = self._first.ask([each.call for each in new], self._report_progress)
            self.calls += len(new)
            for index, each in enumerate(new):
                self._take_one(each, index, report)
            self._remember(0, zip(new, report.outcomes, strict=True), lost=bool(report.incidents))
        return [self.answers[each] for each in puts]

    def _report_progress(self, index: int, _: Outcome) -> None:
        self.progress("asking", self.calls + index, self.expected)

    def _repeat(self, puts: Sequence[ShapedProbe]) -> Repetition:
        calls = [NamedCall(each.probe.name, each.call) for each in puts]
        repetition = Repetition(calls)
        repetition.ask(self._second, range(0, len(calls), _OF_FRAMES if self.is_slow else 1))
        return repetition

    @property
    def unanswered(self) -> list[ShapedProbe]:
        """The probes that had no answer in time."""
        return [each for each, outcome in self.answers.items() if is_unanswered(outcome)]

    def _ask_unanswered(self) -> None:
        late = sorted(self.unanswered, key=lambda each: isinstance(self.answers[each], TimedOut))
        if report := self._retry([each.call for each in late]):
            for index, each in enumerate(late):
                if not is_unanswered(report.outcomes[index]):
                    self._take_one(each, index, report)

    def _retry(self, calls: Sequence[Call]) -> Report | None:
        """Ask once more what had no answer in time, alone, with more time and over a new connection."""
        # It takes the first one's place, once. Who has answered nothing at all is not asked again. The probe that comes
        # first was answered before: imports are behind it when time counts.
        answered = next((each for each, outcome in self.answers.items() if not is_unanswered(outcome)), None)
        is_fresh = self.connectable.is_fresh and not self.connectable.halt.reason
        if not calls or answered is None or not is_fresh or self._has_retried:
            return None
        self.progress("asking again what had no answer in time", self.calls, self.expected)
        self._has_retried = True
        try:
            self._first = self._later.enter_context(last_connection(self.connectable))
        except (ImportFailure, Halted):
            return None
        self.histories[0] = None
        self._first.ask([answered.call])
        self.calls += len(calls)
        return self._first.ask(calls, self._report_progress)

    def settle(self, again: Sequence[ShapedProbe]) -> None:
        """Wait for the second connection, and ask the first one some probes again, now that it has seen others."""
        repetitions = [(puts, repeated()) for puts, repeated in self._waiting]
        for puts, repetition in repetitions:
            for index, outcome in repetition.outcomes.items():
                if is_unanswered(self.answers[puts[index]]):
                    self.answers[puts[index]] = outcome
        self._ask_unanswered()
        for puts, repetition in repetitions:
            for index, outcome in repetition.outcomes.items():
                self._compare(puts[index], outcome, _ELSEWHERE if self.connectable.is_fresh else _LATER)
            last_first = sorted(repetition.outcomes, reverse=True)
            replies = ((puts[index], repetition.outcomes[index]) for index in last_first)
            self._remember(1, replies, lost=bool(repetition.lost))
        self._waiting.clear()
        again = [each for each in again if not is_unanswered(self.answers[each])]
        if not self.changes and again:
            report = self._first.ask([each.call for each in again])
            self._remember(0, zip(again, report.outcomes, strict=True), lost=bool(report.incidents))
            for each, outcome in zip(again, report.outcomes, strict=True):
                self._compare(each, outcome, _LATER)

    @property
    def change(self) -> ChangedAnswer | None:
        """The smallest probe to which it gave another answer, None if it gave none."""
        return min(self.changes, key=lambda change: change.question.probe.size, default=None)

    def leave_out(self, puts: Iterable[ShapedProbe]) -> None:
        """Forget what was answered to some probes, as if they had not been asked."""
        for each in puts:
            self.answers.pop(each, None)

    def raw(self, calls: Sequence[Call]) -> tuple[Outcome, ...]:
        """Ask calls whose answers are not kept."""
        self.calls += len(calls)
        outcomes = list(self._first.ask(calls).outcomes)
        late = [index for index, outcome in enumerate(outcomes) if is_unanswered(outcome)]
        if report := self._retry([calls[index] for index in late]):
            for index, outcome in zip(late, report.outcomes, strict=True):
                outcomes[index] = outcome
        return tuple(outcomes)

    def both(self, calls: Sequence[Call]) -> tuple[Sequence[Outcome], Sequence[Outcome]]:
        """Ask calls over both connections; the answers are not kept."""
        return self._first.ask(calls).outcomes, self._second.ask(calls).outcomes

    def twice(self, puts: Sequence[ShapedProbe]) -> list[tuple[Outcome, Outcome | None]]:
        """Ask calls whose answers are not kept; with what came of the same arguments again where it changed them."""
        report = self._first.ask([each.call for each in puts])
        return [(outcome, report.again.get(index)) for index, outcome in enumerate(report.outcomes)]

    def _take_one(self, each: ShapedProbe, index: int, report: Report) -> None:
        self.answers[each] = report.outcomes[index]
        if index in report.mutated:
            self.mutated.append(each)
        if index in report.again:
            self._compare(each, report.again[index], SAME_ARGUMENTS)

    def _remember(self, place: int, replies: Iterable[tuple[ShapedProbe, Outcome]], *, lost: bool) -> None:
        known = self.histories[place]
        self.histories[place] = None if lost or known is None else [*known, *replies]

    def _compare(self, each: ShapedProbe, second: Outcome, how: str) -> None:
        first = self.answers[each]
        if first == second:
            return
        bound, change = bound_of(each.call), ChangedAnswer(each, first, second, how)
        if isinstance(first, TimedOut) is not isinstance(second, TimedOut):
            self.late = _smaller(self.late, change)
        elif not agrees(first, second, bound):
            self.changes.append(change)
        elif differ_in_last_digits(first, second, bound):
            self.last_digits = _smaller(self.last_digits, change)


def _smaller(known: ChangedAnswer | None, change: ChangedAnswer) -> ChangedAnswer:
    return change if known is None or change.question.probe.size < known.question.probe.size else known
