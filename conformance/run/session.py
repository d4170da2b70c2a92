"""Asking one implementation a list of calls, whatever it does meanwhile.

A worker that crashes, hangs or takes too much memory is ended with all its children, and another one goes on
with the rest. A call is blamed for the end of a worker if it was the first that this worker was asked;
otherwise it is asked once more, first in a new worker, since an earlier call may have done the harm. (Not
after a hang: that would cost the time limit twice.)

The first call of a worker belongs to its start: libraries import and compile in there. Who has answered nothing by then
is asked no more, and so is who has cost as much time as a start may take without an answer to show for it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from rankspec.conformance.implementations.specs import Implementation, ImportFailure
from rankspec.conformance.run import worker_process
from rankspec.conformance.run.limits import (
    LONGER_CALL,
    LONGER_IN_ALL,
    LONGER_STARTUP,
    MORE_MEMORY,
    Halt,
    Halted,
    Limits,
)
from rankspec.conformance.run.outcomes import (
    Crashed,
    Incident,
    Lost,
    NotCalled,
    Outcome,
    OutOfMemory,
    Report,
    TimedOut,
    outcome_of,
)
from rankspec.conformance.run.processes import CLOSED, CLOSED_OUTPUT, Guard, how_it_ended, why_silent, with_last_words
from rankspec.conformance.worker.messages import Call, Hello, ProgramSource, Result, Start, Started
from rankspec.conformance.worker.packing import packages_of
from rankspec.conformance.worker.protocol import NoiseError, ProtocolError, batch_line, parse_answer, start_line
from rankspec.conformance.worker.shapes import parse_form

_BATCH_CALLS = 200
_BATCH_DOCUMENTS = 20_000


OnOutcome = Callable[[int, Outcome], None]


class AnsweredTwiceError(ProtocolError):
    """A second answer to a call; ``index`` is the call's."""

    def __init__(self, index: int, seq: int) -> None:
        super().__init__(f"a second result for call {seq}")
        self.index = index


@dataclass
class Progress:
    """What is known of the calls, in order; the next one is number ``len(outcomes)``.

    ``first`` is the sequence number of the first call: numbers are not used twice. ``is_program`` says that the
    worker need not say that it starts a call: it is taken to be at the one that is due.
    """

    calls: Sequence[Call]
    first: int
    is_program: bool = False
    listener: OnOutcome | None = None  # is given the index of each call and its outcome, once it is known
    outcomes: list[Outcome] = field(default_factory=list)
    mutated: set[int] = field(default_factory=set)
    again: dict[int, Outcome] = field(default_factory=dict)
    incidents: list[Incident] = field(default_factory=list)
    numpy_features: tuple[str, ...] = ()
    started: bool = False  # Whether the present worker has said that it makes the next call
    _doubted: tuple[int, Lost] | None = None
    _first_open: int = 0
    _reported: int = 0

    @property
    def under_way(self) -> bool:
        """Whether the present worker is at the next call, as far as is known."""
        return self.started or self.is_program

    @property
    def complete(self) -> bool:
        """Whether every call has its outcome."""
        return len(self.outcomes) == len(self.calls)

    def batches(self) -> Iterator[bytes]:
        """Give what a new worker is to be asked: the calls that are left, in batches of limited size."""
        self.started = False
        self._first_open = start = len(self.outcomes)
        while start < len(self.calls):
            end, documents = start, 0
            while end < len(self.calls) and end - start < _BATCH_CALLS and documents < _BATCH_DOCUMENTS:
                documents += self.calls[end].arguments.size
                end += 1
            yield batch_line(self.first + start, self.calls[start:end])
            start = end

    def hear(self, line: bytes) -> bool:
        """Take in a worker's line and say whether it is an answer.  Raises ``ProtocolError``."""
        # Only ``started`` is expected, and then ``result`` with the number that is due.
        message = parse_answer(line)
        due = self.first + len(self.outcomes)
        if self.is_program and self._first_open <= message.seq - self.first < len(self.outcomes):
            raise AnsweredTwiceError(message.seq - self.first, message.seq)
        if self.complete:
            raise ProtocolError(f"seq {message.seq} where no result was expected")
        if message.seq != due:
            raise ProtocolError(f"seq {message.seq} where {due} was expected")
        if isinstance(message, Started) is self.started and (self.started or not self.is_program):
            raise ProtocolError(f"call {due} has {'' if self.started else 'not '}been started already")
        self.started = isinstance(message, Started)
        if not isinstance(message, Result):
            return False
        self.settle()
        if message.mutated:
            self.mutated.add(len(self.outcomes))
        if message.again is not None:
            self.again[len(self.outcomes)] = outcome_of(message.again)
        self.numpy_features = message.numpy_features or self.numpy_features
        self.outcomes.append(outcome_of(message.answer))
        return True

    def report(self) -> None:
        """Tell the listener what has come to be known since the last time, in order."""
        while self.listener is not None and self._reported < len(self.outcomes):
            self._reported += 1
            self.listener(self._reported - 1, self.outcomes[self._reported - 1])

    def blame(self, lost: Lost) -> None:
        """Give the next call the loss of the worker as its outcome."""
        self._doubted = None
        self.outcomes.append(lost)

    def excuse(self, lost: Lost) -> None:
        """Note the loss; the next call is to be asked again."""
        self.incidents.append(Incident(len(self.outcomes) if self.under_way else None, lost))

    def doubt(self, index: int, lost: Lost) -> None:
        """Hold the loss of the worker against a call that was answered, unless the next one turns out to be at fault.

        What looks like a second answer to one call may be that of the next under a wrong number.
        """
        self._doubted = (index, lost)

    @property
    def is_in_doubt(self) -> bool:
        """Whether it depends on the next call whose fault the loss of the worker is."""
        return self._doubted is not None

    def settle(self) -> None:
        """Give a call that is in doubt the loss of the worker as its outcome: the next one was not at fault."""
        if self._doubted is not None:
            index, lost = self._doubted
            self.outcomes[index] = lost
            self._doubted = None


_LAST_WORDS_SECONDS = 0.5
_POLITE_SECONDS = 0.5
_AGAIN = 3  # Times as long may a call take that is asked again, alone: no hang is told from a slow answer otherwise

Calls = Sequence[Call] | Callable[[Hello], Sequence[Call]]


def ask(  # noqa: PLR0913 - one call for what a session is made of
    implementation: Implementation,
    calls: Calls,
    limits: Limits | None = None,
    environment: Mapping[str, str] | None = None,
    on_outcome: OnOutcome | None = None,
    halt: Halt | None = None,
) -> Report:
    """Ask an implementation all calls, in order, in a process of its own, and report what came of each."""
    # ``calls`` may be a function of the greeting, which says the shape that the calls have to have. ``environment`` is
    # added to this process's (``PYTHONHASHSEED``). ``on_outcome`` is given the index of each call and its outcome, once
    # it is known. Raises ``ImportFailure`` if the implementation can't be loaded, and nothing else that the
    # implementation could bring about; ``Halted`` if it was stopped before it was loaded.
    with Session(implementation, limits, environment, halt) as session:
        return session.ask(calls(session.hello) if callable(calls) else calls, on_outcome)


class Session:
    """A worker that is kept between lists of calls, and replaced when it is lost. A context manager."""

    hello: Hello

    def __init__(
        self,
        implementation: Implementation,
        limits: Limits | None = None,
        environment: Mapping[str, str] | None = None,
        halt: Halt | None = None,
    ) -> None:
        """Say what is to be asked; the worker is started on entering, and nothing is asked after the halt."""
        self._implementation = implementation
        self._limits = limits or Limits()
        self._environment = dict(environment or {})
        self._halt = halt or Halt()
        self._patience = self._halt.patience
        self._scratch = tempfile.TemporaryDirectory(prefix="rankspec-", ignore_cleanup_errors=True)
        self._worker: worker_process.WorkerProcess | None = None
        self._answered = 0  # by the present worker
        self._imported: set[str] = set()  # packages that its calls took so far
        self._clock = time.monotonic  # of the present worker, or of the last one
        self._since = self._clock()  # the last answer was heard, or the worker was first asked
        self._startup_seconds = self._limits.startup()  # of the present worker, with its first call
        self._starts_slowly = self._is_restarted = False
        self._first_call_seconds = self._limits.case_seconds  # for the first call of the present worker
        self._allowed = self._first_call_seconds  # for the call that is due
        self._sequence = 0  # the number of the first call of the present list
        self._timeouts = self._filled = self._crashes = 0  # in a row
        self._ended = ""  # why nothing is asked any more
        self._output = ""

    def __enter__(self) -> Self:
        """Start the worker and hear its greeting.  Raises ``ImportFailure``, ``Halted``."""
        self._guard = Guard(self._scratch.name)
        try:
            self.hello = self._start()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """End the worker and everything that it started."""
        self._close(_POLITE_SECONDS if kind is None else 0.0)

    def _close(self, politely_for: float = 0.0) -> None:
        try:
            self._end_worker(politely_for)
        finally:
            if self._worker is not None:  # the end itself was interrupted
                self._end_worker()
            self._guard.close()
            self._scratch.cleanup()

    def _start(self) -> Hello:
        command, environment, is_program = worker_process.starting(self._implementation)
        start = time.monotonic()
        try:
            worker = worker_process.WorkerProcess(
                {**self._environment, **environment},
                command,
                memory_bytes=self._limits.memory_bytes,
                is_program=is_program,
            )
        except OSError as error:
            raise worker_process.failure(
                self._implementation, f"{command[0]} can't be started: {error.strerror}"
            ) from error
        self._worker, self._clock = worker, worker.clock
        self._guard.watch(worker.process.pid)
        self._answered, self._imported = 0, set()
        worker.send(start_line(Start(self._implementation.source, self._implementation.shape, self._scratch.name)))
        under_way = worker_process.StartUnderWay(self._implementation, self._limits, self._halt)
        greeted = worker_process.hear_greeting(worker, under_way, lambda: self._last_words(worker).how)
        self._startup_seconds, self._starts_slowly = greeted.seconds, greeted.starts_slowly
        left = greeted.seconds - (worker.clock() - start)
        first = self._patience.first_seconds
        if first is not None and (self._is_restarted or self._patience.is_last):  # what hung before may hang again
            left = 2 * first
        self._first_call_seconds = max(self._limits.case_seconds, left)
        return greeted.hello

    def _end_worker(self, politely_for: float = 0.0) -> int:
        """End the present worker, if there is one, and give its exit status."""
        if self._worker is None:
            return 0
        status = self._worker.end(politely_for)
        self._output = self._worker.output or self._output
        self._worker = None
        self._guard.watch(None)
        return status

    def ask(self, calls: Sequence[Call], on_outcome: OnOutcome | None = None) -> Report:
        """Ask these calls in order.  What is said of ``ask``, the function, holds here too."""
        is_program = isinstance(self._implementation.source, ProgramSource)
        progress = Progress(calls, self._sequence, is_program, on_outcome)
        self._sequence += len(calls)
        if not self._ended:
            self._end_if_spent()
        while not progress.complete and not self._ended:
            if self._worker is None and not self._restart():
                break
            if (lost := self._converse(progress)) is None:
                break
            self._count(lost)
            if progress.is_in_doubt and self._answered:
                continue
            if self._answered == 0 or (progress.under_way and isinstance(lost, TimedOut)):
                progress.blame(lost)
            else:  # the call comes first in the next worker, where it will be its own fault
                progress.excuse(lost)
            progress.report()
        progress.settle()
        if progress.numpy_features:
            self.hello = replace(self.hello, numpy_features=progress.numpy_features)
        unasked = len(calls) - len(progress.outcomes)
        return Report(
            self.hello,
            (*progress.outcomes, *[NotCalled(self._ended)] * unasked),
            frozenset(progress.mutated),
            tuple(progress.incidents),
            (self._worker.output if self._worker is not None else "") or self._output,
            progress.again,
            self._ended if unasked else "",
        )

    def _restart(self) -> bool:
        start, self._is_restarted = time.monotonic(), True
        try:
            self._start()
            self._patience.lost_seconds += self._clock() - start
        except Halted as halted:
            self._end_worker()
            self._ended = str(halted)
        except ImportFailure as error:
            self._end_worker()
            self._ended = f"a new process could not be started: {error}"
        return not self._ended

    def _count(self, lost: Lost) -> None:
        """Count the losses in a row and the time they took, and stop asking when it is too much."""
        self._crashes += 1
        self._timeouts = self._timeouts + 1 if isinstance(lost, TimedOut) else 0
        self._filled = self._filled + (self._answered == 0) if isinstance(lost, OutOfMemory) else 0  # blamed for it
        self._patience.lost_seconds += self._clock() - self._since
        most = self._limits.crashes_in_a_row
        if isinstance(lost, TimedOut) and self._patience.first_seconds is None:
            self._ended = f"ended without an answer to its first call; {LONGER_STARTUP}"
        elif self._timeouts >= self._limits.timeouts_in_a_row:
            self._ended = f"ended after {self._timeouts} timeouts in a row; {LONGER_CALL}"
        elif self._filled >= self._limits.timeouts_in_a_row:
            self._ended = f"ended after {self._filled} calls in a row that took too much memory; {MORE_MEMORY}"
        elif self._crashes >= most:
            self._ended = f"ended after {self._crashes} crashes in a row"
        else:
            self._end_if_spent()

    def _end_if_spent(self) -> None:
        """Stop asking when an implementation has cost as much as it may (time, breaches), in all its processes."""
        if self._patience.breaches >= self._limits.crashes_in_a_row:
            self._ended = f"ended after it broke the protocol {self._patience.breaches} times"
        elif self._patience.lost_seconds >= (allowed := self._most_lost()):
            self._ended = (
                f"ended after {allowed:g} s in all for calls without an answer, or nearly so, and for new processes; "
                f"{LONGER_IN_ALL}"
            )

    def _seconds(self, progress: Progress) -> float:
        """Return how long the call may take that is due: no longer than the implementation has left."""
        if self._is_starting:
            return self._first_call_seconds
        left = max(0.0, self._most_lost() - self._patience.lost_seconds)
        is_like_first = not self._answered or self._imports(progress)
        return min(self._first_call_seconds if is_like_first else self._for_a_call(), left)

    def _imports(self, progress: Progress) -> bool:
        """Whether the next call is this worker's first whose arguments take some package, which it loads then."""
        # That takes seconds on a busy machine, and is not the implementation's doing.
        return not (progress.complete or self._imported.issuperset(_packages(progress.calls[len(progress.outcomes)])))

    def _for_a_call(self) -> float:
        """Return the time limit of calls after the first."""
        # Libraries that declare a slow start get its limit for every call: ranx compiles anew for a list of more
        # documents, and on a busy machine that took over 60 s. What had no answer in time gets more when it is asked
        # again: a second round with the same limit would find what the first one found.
        slowest = self._startup_seconds if self._starts_slowly else 0.0
        return max(self._limits.case_seconds, slowest) * (_AGAIN if self._patience.is_last else 1)

    def _most_lost(self) -> float:
        """Return the seconds that may be lost in all."""
        return self._for_a_call() if self._patience.is_last else self._limits.lost(self._startup_seconds)

    @property
    def _is_starting(self) -> bool:
        """Whether the first process of this session is at its first call: its start has the time that is promised."""
        return self._answered == 0 and not self._is_restarted

    def _count_slow(self, seconds: float) -> bool:
        """Count an answer that took most of its time like none; say whether nothing more is asked."""
        if seconds > max(self._for_a_call(), self._allowed) / 2:
            self._patience.lost_seconds += seconds
            self._end_if_spent()
        return bool(self._ended)

    def _converse(self, progress: Progress) -> Lost | None:
        """Ask what is left until all is answered, or the worker is lost: then say how, with it ended."""
        # After a halt nothing more is asked, and what is being asked is given up.
        if self._worker is None:
            raise RuntimeError("a session is asked within its with statement")
        worker = self._worker
        batches = progress.batches()
        start = self._since = self._clock()
        is_first = self._is_starting
        self._allowed = self._seconds(progress)
        deadline = start + self._allowed
        while not progress.complete:
            if self._halt.reason:
                self._ended = self._halt.reason
                self._end_worker()
                return None
            if not worker.unsent and (batch := next(batches, None)) is not None:
                worker.send(batch)
            heard = self._listen(worker, deadline, progress)
            if isinstance(heard, Lost):
                return heard
            if heard and self._answered:
                if is_first:
                    first = self._clock() - start
                    self._patience.first_seconds = max(first, self._patience.first_seconds or 0.0)
                    is_first = False
                elif self._count_slow(self._clock() - self._since):
                    self._end_worker()
                    return None
                progress.report()
                self._since = self._clock()  # what the listener takes is not the call's
                self._allowed = self._seconds(progress)
                deadline = self._since + self._allowed
        return None

    def _listen(self, worker: worker_process.WorkerProcess, deadline: float, progress: Progress) -> bool | Lost:
        """Take in what the worker says within a moment; say whether it said anything, or how it was lost."""
        heard = False
        try:
            lines = worker.lines(deadline - self._clock())
            for line in lines:
                try:
                    answered = progress.hear(line)
                except NoiseError:
                    if not worker.is_program:
                        raise
                    worker.keep(line)
                    worker.require_silence()
                    continue
                heard = True
                worker.hear_message()
                if answered:
                    self._answered += 1
                    self._imported.update(_packages(progress.calls[len(progress.outcomes) - 1]))
                    self._timeouts = self._filled = self._crashes = 0
            worker.require_silence()
        except (worker_process.BrokenLineError, worker_process.FloodError, ProtocolError) as breach:
            self._end_worker()
            lost = Crashed(worker_process.how_it_broke(worker, breach), worker.output)
            self._patience.breaches += worker.is_program
            if isinstance(breach, AnsweredTwiceError):
                progress.doubt(breach.index, lost)
            return lost
        if not lines and (held := worker.excess) is not None:
            self._end_worker()
            return OutOfMemory(held)
        if not lines and worker.closed:
            return self._last_words(worker)
        if not heard and self._clock() > deadline:
            self._end_worker()
            remark = why_silent(worker.output, has_answered=self._answered > 0) if worker.is_program else ""
            return TimedOut(self._waited(), remark)
        return heard

    def _waited(self) -> float:
        """Return what a call had that was not answered in time, as a reader knows it: a limit of theirs."""
        if self._is_starting and not self._patience.is_last:
            return self._startup_seconds
        return self._limits.case_seconds if self._allowed == self._limits.case_seconds else round(self._allowed, 1)

    def _last_words(self, worker: worker_process.WorkerProcess) -> Crashed:
        """End a worker that has closed its side, and say how it ended."""
        by_itself = worker.wait(_LAST_WORDS_SECONDS)
        status = self._end_worker()
        how = how_it_ended(status) if by_itself else CLOSED_OUTPUT if worker.is_program else CLOSED
        return Crashed(with_last_words(how, worker.output) if worker.is_program else how, worker.output)


def _packages(call: Call) -> list[str]:
    return packages_of(parse_form(call.form)) if call.form else []
