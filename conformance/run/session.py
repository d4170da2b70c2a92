"""Asking one implementation a list of calls, whatever it does meanwhile.

A worker that crashes, hangs or takes too much memory is ended with all its children, and another one goes on
with the rest. A call is blamed for the end of a worker if it was the first that this worker was asked;
otherwise it is asked once more, first in a new worker, since an earlier call may have done the harm. (Not
after a hang: that would cost the time limit twice.)
"""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

from rankspec.conformance.implementations.messages import (
    CHANNEL_LOST,
    Call,
    Failed,
    Hello,
    Start,
)
from rankspec.conformance.implementations.protocol import (
    ProtocolError,
    parse_greeting,
    start_line,
)
from rankspec.conformance.implementations.sources import AdapterSource
from rankspec.conformance.implementations.specs import (
    Implementation,
    ImportFailure,
    import_failure,
)
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import (
    Crashed,
    Lost,
    NotAsked,
    OutOfMemory,
    Report,
    TimedOut,
)
from rankspec.conformance.run.processes import Guard
from rankspec.conformance.run.progress import Progress
from rankspec.conformance.run.worker_process import BrokenLineError, WorkerProcess

_LAST_WORDS_SECONDS = 0.5
_POLITE_SECONDS = 0.5
_INTERFERED = "it wrote into the harness's channel"
_CLOSED = "it closed the harness's channel"

Calls = Sequence[Call] | Callable[[Hello], Sequence[Call]]


def ask(
    implementation: Implementation,
    calls: Calls,
    limits: Limits | None = None,
    environment: Mapping[str, str] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Report:
    """Ask an implementation all calls, in order, in a process of its own, and report what came of each.

    ``calls`` may be a function of the greeting, which says the shape that the calls have to have.
    ``environment`` is added to this process's (``PYTHONHASHSEED``). ``on_progress`` is told how many outcomes
    are known. Raises ``ImportFailure`` if the implementation can't be loaded, and nothing else that the
    implementation could bring about.
    """
    with Session(implementation, limits, environment) as session:
        return session.ask(calls(session.hello) if callable(calls) else calls, on_progress)


class Session:
    """A worker that is kept between lists of calls, and replaced when it is lost. A context manager."""

    hello: Hello

    def __init__(
        self,
        implementation: Implementation,
        limits: Limits | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Say what is to be asked; the worker is started on entering."""
        self._implementation = implementation
        self._limits = limits or Limits()
        self._environment = dict(environment or {})
        self._scratch = tempfile.TemporaryDirectory(prefix="rankspec-", ignore_cleanup_errors=True)
        self._worker: WorkerProcess | None = None
        self._answered = 0  # by the present worker
        self._sequence = 0  # the number of the first call of the present list
        self._timeouts = self._crashes = 0  # in a row
        self._ended = ""  # why nothing is asked any more
        self._output = ""

    def __enter__(self) -> Self:
        """Start the worker and hear its greeting.  Raises ``ImportFailure``."""
        self._guard = Guard(self._scratch.name)
        try:
            self.hello = self._start()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
        is_adapter = isinstance(self._implementation.source, AdapterSource)
        seconds = self._limits.prepare_seconds if is_adapter else self._limits.import_seconds
        deadline = time.monotonic() + seconds
        self._worker = worker = WorkerProcess(self._environment)
        self._guard.watch(worker.process.pid)
        self._answered = 0
        source, shape = self._implementation.source, self._implementation.shape
        worker.send(start_line(Start(source, shape, self._scratch.name)))
        while True:
            try:
                lines = worker.lines(deadline - time.monotonic())
                greeting = parse_greeting(b"\n".join(lines)) if lines else None
            except (BrokenLineError, ProtocolError) as error:
                raise self._import_failure(_INTERFERED) from error
            if isinstance(greeting, Failed):
                raise import_failure(self._implementation, greeting)
            if greeting is not None:
                return greeting
            if worker.closed:
                raise self._import_failure(f"the process ended ({self._last_words(worker).how})")
            if (held := worker.excess(self._limits.memory_bytes)) is not None:
                raise self._import_failure(
                    f"it took {held:,} bytes of memory (the limit is {self._limits.memory_bytes:,})"
                )
            if time.monotonic() > deadline:
                raise self._import_failure(f"it was not ready after {seconds:g} s")

    def _import_failure(self, what: str) -> ImportFailure:
        return ImportFailure(f"{self._implementation.text}: {what}, while it was imported")

    def _end_worker(self, politely_for: float = 0.0) -> int:
        """End the present worker, if there is one, and give its exit status."""
        if self._worker is None:
            return 0
        status = self._worker.end(politely_for)
        self._output = self._worker.output or self._output
        self._worker = None
        self._guard.watch(None)
        return status

    def ask(self, calls: Sequence[Call], on_progress: Callable[[int], None] | None = None) -> Report:
        """Ask these calls in order.  What is said of ``ask``, the function, holds here too."""
        progress = Progress(calls, self._sequence)
        self._sequence += len(calls)
        while not progress.complete and not self._ended:
            if self._worker is None and not self._restart():
                break
            if (lost := self._converse(progress, on_progress)) is None:
                break
            self._count(lost)
            if self._answered == 0 or (progress.started and isinstance(lost, TimedOut)):
                progress.blame(lost)
            else:  # the call comes first in the next worker, where it will be its own fault
                progress.excuse(lost)
            if on_progress is not None:
                on_progress(len(progress.outcomes))
        unasked = len(calls) - len(progress.outcomes)
        return Report(
            self.hello,
            (*progress.outcomes, *[NotAsked(self._ended)] * unasked),
            frozenset(progress.mutated),
            tuple(progress.incidents),
            (self._worker.output if self._worker is not None else "") or self._output,
            progress.again,
        )

    def _restart(self) -> bool:
        try:
            self._start()
        except ImportFailure as error:
            self._end_worker()
            self._ended = f"a new process could not be started: {error}"
        return not self._ended

    def _count(self, lost: Lost) -> None:
        """Count the losses in a row, and stop asking when there are too many."""
        if isinstance(lost, TimedOut):
            self._timeouts += 1
        else:
            self._timeouts = 0
        self._crashes += 1
        if self._timeouts >= self._limits.timeouts_in_a_row:
            self._ended = f"ended after {self._timeouts} timeouts in a row"
        elif self._crashes >= self._limits.crashes_in_a_row:
            self._ended = f"ended after {self._crashes} crashes in a row"

    def _converse(self, progress: Progress, on_progress: Callable[[int], None] | None) -> Lost | None:
        """Ask what is left until all is answered, or the worker is lost: then say how, with it ended."""
        worker = self._present()
        batches = progress.batches()
        deadline = time.monotonic() + self._limits.case_seconds
        while not progress.complete:
            if not worker.has_unsent and (batch := next(batches, None)) is not None:
                worker.send(batch)
            heard = self._listen(worker, deadline, progress)
            if isinstance(heard, Lost):
                return heard
            if heard:
                deadline = time.monotonic() + self._limits.case_seconds
                if on_progress is not None:
                    on_progress(len(progress.outcomes))
        return None

    def _listen(self, worker: WorkerProcess, deadline: float, progress: Progress) -> bool | Lost:
        """Take in what the worker says within a moment; say whether it said anything, or how it was lost."""
        try:
            lines = worker.lines(deadline - time.monotonic())
            for line in lines:
                if progress.hear(line):
                    self._answered += 1
                    self._timeouts = self._crashes = 0
        except (BrokenLineError, ProtocolError):
            self._end_worker()
            return Crashed(_INTERFERED, worker.output)
        if not lines and worker.closed:
            return self._last_words(worker)
        if not lines and time.monotonic() > deadline:
            self._end_worker()
            return TimedOut(self._limits.case_seconds)
        if (held := worker.excess(self._limits.memory_bytes)) is not None:
            self._end_worker()
            return OutOfMemory(held)
        return bool(lines)

    def _present(self) -> WorkerProcess:
        if self._worker is None:
            raise RuntimeError("a session is asked within its with statement")
        return self._worker

    def _last_words(self, worker: WorkerProcess) -> Crashed:
        """End a worker that has closed its side, and say how it ended."""
        by_itself = worker.wait(_LAST_WORDS_SECONDS)
        status = self._end_worker()
        return Crashed(_how(status) if by_itself else _CLOSED, worker.output)


def _how(status: int) -> str:
    if status == CHANNEL_LOST:
        return _CLOSED
    if status >= 0:
        return f"exit code {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
