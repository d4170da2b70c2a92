"""A worker's process: how it is started, and what goes through its descriptors."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from rankspec.conformance.implementations.specs import Implementation, ImportFailure, import_failure
from rankspec.conformance.run import processes
from rankspec.conformance.run.environments import environment_of
from rankspec.conformance.run.limits import LONGER_STARTUP, Halt, Halted, Limits
from rankspec.conformance.worker.launcher import __file__ as launcher
from rankspec.conformance.worker.loading import ADAPTERS
from rankspec.conformance.worker.messages import Failed, Hello, Preparing, ProgramSource
from rankspec.conformance.worker.protocol import NoiseError, ProtocolError, parse_greeting

WORKER = (sys.executable, "-P", "-m", "rankspec.conformance.worker.main")
LONGEST_LINE = 16 * 1024**2
_CHUNK = 1 << 16
_TICK_SECONDS = 0.05
_OUTPUT_TAIL = 4096
_READS_A_TURN = 64
_NOISE_A_LINE = 1024
"""Bytes that a line counts for, beside its own, which is no message: a program that prints 16,000 of them, or 16 MiB,
between two messages prints without end."""
_LINES_A_TURN = LONGEST_LINE // _NOISE_A_LINE
"""After more lines the rest waits: 4 MiB of blank lines take half a second to split, and 16,000 of them are a flood."""


class BrokenLineError(Exception):
    """What came is longer than any message."""

    def __init__(self) -> None:
        """Say how long a line may be."""
        super().__init__(f"a line of more than {LONGEST_LINE // 1024**2} MiB")


class FloodError(Exception):
    """It prints without end what is no message."""


class WorkerProcess:
    """A process that speaks the protocol on two descriptors of its own, or on its standard input and output.

    It leads a session, so that a Ctrl-C reaches the harness alone, and a process group, so that its children
    end with it. What it prints besides is drained, and the tail kept.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        command: Sequence[str] = WORKER,
        *,
        memory_bytes: int,
        is_program: bool = False,
    ) -> None:
        """Start ``command READ_FD WRITE_FD`` with additions to the environment.  Raises ``OSError`` if it can't be."""
        # It is killed when it holds more memory than that. A program is started as it is, and speaks on its standard
        # input and output.
        mark = uuid.uuid4().hex
        self.is_program = is_program
        theirs_read, self._to_worker = os.pipe()
        self._from_worker, theirs_write = os.pipe()
        self._printed, their_output = os.pipe()
        try:
            self.process = subprocess.Popen(  # noqa: S603 - running it is the point
                command if is_program else [*command, str(theirs_read), str(theirs_write)],
                stdin=theirs_read if is_program else subprocess.DEVNULL,
                stdout=theirs_write if is_program else their_output,
                stderr=their_output,
                pass_fds=() if is_program else (theirs_read, theirs_write),
                start_new_session=True,
                env={**os.environ, **environment, processes.MARK: mark},
            )
        except BaseException:
            for descriptor in (self._to_worker, self._from_worker, self._printed):
                os.close(descriptor)
            raise
        finally:
            for descriptor in (theirs_read, theirs_write, their_output):
                os.close(descriptor)
        self.tree = processes.Tree(self.process, mark)
        self.closed = False  # Whether nothing more can come from it
        self._waited_seconds = 0.0
        self.unsent: deque[memoryview] = deque()  # of the lines that it was sent
        self._complete: list[bytes] = []
        self._partial = bytearray()
        self._noise = 0  # bytes that were no message since the last one, standard error included
        self._output = bytearray()
        self._watch = processes.MemoryWatch(self.tree, memory_bytes)
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._from_worker, self._printed):
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_READ)
        os.set_blocking(self._to_worker, False)

    def send(self, line: bytes) -> None:
        """Queue a line; ``lines`` writes it while it waits."""
        if not self.unsent and not self.closed:
            with suppress(KeyError):
                self._selector.register(self._to_worker, selectors.EVENT_WRITE)
        self.unsent.append(memoryview(line))

    def lines(self, seconds: float) -> list[bytes]:
        """Give the lines that come within so long (and a tick); `BrokenLineError` for one longer than any message."""
        waiting = 0.0 if self.closed else max(0.0, min(seconds, _TICK_SECONDS))
        for key, _ in self._selector.select(waiting):
            if key.fd == self._to_worker:
                self._write()
            elif key.fd == self._printed:
                self._drain()
            else:
                self._read()
        if not self.closed and processes.has_ended(self.process):
            self._read()
            self.closed = True  # a child of the worker may keep the descriptor open for ever
        complete, self._complete = self._complete, []
        if any(len(line) > LONGEST_LINE for line in (self._partial, *complete)):
            raise BrokenLineError
        return complete

    def clock(self) -> float:
        """Return the time, which stands still while the worker waits for a core: others' work is no time of a call."""
        if self.process.returncode is None:
            self._waited_seconds = max(self._waited_seconds, self.tree.waited_seconds())
        return time.monotonic() - self._waited_seconds

    @property
    def excess(self) -> int | None:
        """The resident memory for which it was killed, if it was."""
        return self._watch.excess

    def wait(self, seconds: float) -> bool:
        """Give it that long to end by itself, and say whether it did."""
        return processes.wait_until_ended(self.process, seconds)

    def end(self, politely_for: float = 0.0) -> int:
        """End it and everything that it started, and give its exit status (negative: the signal)."""
        # Given time, a worker that is idle ends by itself, with the handlers that libraries register for that.
        try:
            if politely_for > 0:
                self.tree.remember_descendants()
            if self._to_worker >= 0:
                with suppress(KeyError):
                    self._selector.unregister(self._to_worker)
                os.close(self._to_worker)
                self._to_worker = -1
            if politely_for > 0:
                self.wait(politely_for)
        finally:
            self._watch.end()
            status = self.tree.end()
            if self._printed >= 0:  # else it was ended before: a signal may come while it is
                self._drain()
            if self.is_program and self._partial:
                self.keep(bytes(self._partial))
                self._partial.clear()
            self._close()
        return status

    @property
    def output(self) -> str:
        """The tail of what it has printed so far."""
        if self._printed >= 0:
            self._drain()
        return self._output.decode("utf-8", "backslashreplace")

    def keep(self, line: bytes) -> None:
        """Keep a line that is no message with what it printed."""
        self._noise += len(line) + _NOISE_A_LINE
        self._output = (self._output + line[-_OUTPUT_TAIL:] + b"\n")[-_OUTPUT_TAIL:]

    def hear_message(self) -> None:
        """Take note of a message: what was printed before it was not without end."""
        self._noise = 0

    def require_silence(self) -> None:
        """Refuse what prints without end between two messages.  Raises ``FloodError``."""
        if self._noise > LONGEST_LINE:
            raise FloodError("lines without end that are no messages")

    def _write(self) -> None:
        try:
            while self.unsent:
                written = os.write(self._to_worker, self.unsent[0])
                if written < len(self.unsent[0]):
                    self.unsent[0] = self.unsent[0][written:]
                    return
                self.unsent.popleft()
        except BlockingIOError:
            return
        except OSError:  # it closed its end: it will answer no more, which shows soon enough
            self.unsent.clear()
        self._selector.unregister(self._to_worker)

    def _read(self) -> None:
        for _ in range(_READS_A_TURN):
            chunk = _available(self._from_worker)
            if chunk is None:
                return
            if not chunk:
                self.closed = True
                self._selector.unregister(self._from_worker)
                return
            first, *others = chunk.split(b"\n")
            self._partial += first
            for other in others:
                self._complete.append(bytes(self._partial))
                self._partial = bytearray(other)
            if len(self._complete) > _LINES_A_TURN or len(self._partial) > LONGEST_LINE:
                return

    def _drain(self) -> None:
        for _ in range(_READS_A_TURN):
            chunk = _available(self._printed)
            if not chunk:
                if chunk is not None:
                    with suppress(KeyError):
                        self._selector.unregister(self._printed)
                return
            self._noise += len(chunk)
            self._output = (self._output + chunk)[-_OUTPUT_TAIL:]

    def _close(self) -> None:
        self._selector.close()
        for descriptor in (self._from_worker, self._printed):
            if descriptor >= 0:
                os.close(descriptor)
        self._from_worker = self._printed = -1


def _available(descriptor: int) -> bytes | None:
    """Read what is there: nothing at the end of the file, ``None`` if there is nothing yet."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


class NotReady(ImportFailure):
    """It was not ready in time: nothing is wrong with how it was named, and the others' answers are of use."""


class Starting(NamedTuple):
    """The command of a worker, without its descriptors, and what is added to its environment variables."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    is_program: bool = False
    """Whether the command is the implementation itself, which speaks on its standard input and output."""


_ISOLATED = {"PYTHONPATH": "", "PYTHONHOME": "", "PYTHONNOUSERSITE": "1", "VIRTUAL_ENV": ""}
"""An empty value is none to Python. What is installed here, or lies about, must not reach another environment."""


def starting(implementation: Implementation) -> Starting:
    """Say how to start the worker, the environment of a stated version made if need be.  Raises ``ImportFailure``."""
    if isinstance(implementation.source, ProgramSource):
        return Starting(implementation.source.words, {}, is_program=True)
    if implementation.pinned is None:
        return Starting(WORKER, {})
    environment = environment_of(implementation.pinned)
    found = find_spec(ADAPTERS)
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("the package of the adapters is not installed")
    adapters_folder = str(next(iter(found.submodule_search_locations)))
    command = (str(environment.executable), launcher, str(Path(launcher).parent), adapters_folder)
    return Starting(command, _ISOLATED)


class Greeted(NamedTuple):
    """The greeting of a worker."""

    hello: Hello
    seconds: float  # what this start may take, the first call included
    starts_slowly: bool  # whether the implementation declares that its start takes long


class StartUnderWay(NamedTuple):
    """A start under way: of what, and under which conditions."""

    implementation: Implementation
    limits: Limits
    halt: Halt


def hear_greeting(worker: WorkerProcess, start: StartUnderWay, how_it_ended: Callable[[], str]) -> Greeted:
    """Wait for the greeting of a worker that was just started.  Raises ``ImportFailure``, ``Halted``."""
    # `how_it_ended` ends a worker that has closed its side, and says how it came to that.
    began, seconds, doing = worker.clock(), start.limits.startup(), ""
    while True:
        if start.halt.reason:
            raise Halted(start.halt.reason)
        lines = _messages(worker, start, began + seconds - worker.clock())
        for message in lines:
            if isinstance(message, Hello):
                return Greeted(message, seconds, starts_slowly=bool(doing))
            if isinstance(message, Failed):
                raise import_failure(start.implementation, message)
            seconds, doing = start.limits.startup(message.seconds), message.step
            if start.halt.on_preparing is not None:
                start.halt.on_preparing(message)
        if not lines:
            _require_life(worker, start, how_it_ended)
        if worker.clock() > began + seconds:
            raise _not_ready(worker, start.implementation, seconds, doing)


def _messages(worker: WorkerProcess, start: StartUnderWay, seconds: float) -> list[Hello | Failed | Preparing]:
    """Return what it says within a moment, up to its greeting; a program may print other lines before that."""
    heard: list[Hello | Failed | Preparing] = []
    try:
        for line in worker.lines(seconds):
            try:
                heard.append(parse_greeting(line))
            except NoiseError:
                if not worker.is_program:
                    raise
                worker.keep(line)
                worker.require_silence()
            else:
                worker.hear_message()
                if not isinstance(heard[-1], Preparing):
                    break
        worker.require_silence()
    except (BrokenLineError, FloodError, ProtocolError) as error:
        raise failure(start.implementation, how_it_broke(worker, error)) from error
    return heard


def how_it_broke(worker: WorkerProcess, breach: Exception) -> str:
    """Say what came that is no message: only a program speaks the protocol itself."""
    if worker.is_program:
        return f"{processes.BROKE}: {breach}"
    return processes.FLOODED if isinstance(breach, FloodError) else processes.INTERFERED


def _require_life(worker: WorkerProcess, start: StartUnderWay, how_it_ended: Callable[[], str]) -> None:
    if (held := worker.excess) is not None:
        what = f"it took {held:,} bytes of memory (the limit is {start.limits.memory_bytes:,})"
        raise failure(start.implementation, what)
    if worker.closed:
        raise failure(start.implementation, f"the process ended ({how_it_ended()})")


def _not_ready(worker: WorkerProcess, implementation: Implementation, seconds: float, task: str) -> NotReady:
    hint = f" ({processes.why_silent(worker.output, has_answered=False)})" if worker.is_program else ""
    when = f"while it was {task}" if task else _when(implementation)
    return NotReady(
        f"{implementation.text}: it was not ready after {seconds:g} s{hint}, {when}; {LONGER_STARTUP}", code="not-ready"
    )


def failure(implementation: Implementation, what: str) -> ImportFailure:
    """Say what went wrong before it was ready."""
    return ImportFailure(f"{implementation.text}: {what}, {_when(implementation)}", code="implementation-not-loaded")


def _when(implementation: Implementation) -> str:
    is_program = isinstance(implementation.source, ProgramSource)
    return "before it greeted with a hello" if is_program else "while it was imported"
