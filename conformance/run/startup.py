"""Starting a worker, here or in the environment of a stated version, and all that can go wrong before it is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from rankspec.conformance.implementations.specs import Implementation, ImportFailure, import_failure
from rankspec.conformance.run.environments import environment_of
from rankspec.conformance.run.exit_reasons import BROKE, INTERFERED, why_silent
from rankspec.conformance.run.limits import LONGER_STARTUP, Halt, Halted, Limits
from rankspec.conformance.run.worker_process import WORKER, BrokenLineError, WorkerProcess
from rankspec.conformance.worker.launcher import __file__ as launcher
from rankspec.conformance.worker.loading import ADAPTERS
from rankspec.conformance.worker.messages import Failed, Hello, Preparing
from rankspec.conformance.worker.protocol import parse_greeting
from rankspec.conformance.worker.sources import ProgramSource
from rankspec.conformance.worker.wire import NoiseError, ProtocolError


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
    """Say how to start the worker; the environment of a stated version is made if it isn't there.

    Raises ``ImportFailure``.
    """
    if isinstance(implementation.source, ProgramSource):
        return Starting(implementation.source.words, {}, is_program=True)
    if implementation.pinned is None:
        return Starting(WORKER, {})
    environment = environment_of(implementation.pinned)
    command = (str(environment.executable), launcher, str(Path(launcher).parent), _adapters_folder())
    return Starting(command, _ISOLATED)


def _adapters_folder() -> str:
    found = find_spec(ADAPTERS)
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("the package of the adapters is not installed")
    return str(next(iter(found.submodule_search_locations)))


class Greeted(NamedTuple):
    """The greeting of a worker.

    Attributes:
        seconds: what this start may take, the first call included.
        starts_slowly: whether the implementation declares that its start takes long.
    """

    hello: Hello
    seconds: float
    starts_slowly: bool


class StartUnderWay(NamedTuple):
    """A start under way: of what, and under which conditions."""

    implementation: Implementation
    limits: Limits
    halt: Halt


def hear_greeting(worker: WorkerProcess, start: StartUnderWay, how_it_ended: Callable[[], str]) -> Greeted:
    """Wait for the greeting of a worker that was just started.

    `how_it_ended` ends a worker that has closed its side, and says how it came to that.

    Raises ``ImportFailure``, ``Halted``.
    """
    began, seconds, doing = time.monotonic(), start.limits.startup(), ""
    while True:
        if start.halt.reason:
            raise Halted(start.halt.reason)
        lines = _heard(worker, start, began + seconds - time.monotonic())
        for message in lines:
            if isinstance(message, Hello):
                return Greeted(message, seconds, starts_slowly=bool(doing))
            if isinstance(message, Failed):
                raise import_failure(start.implementation, message)
            seconds, doing = start.limits.startup(message.seconds), message.doing
            if start.halt.on_preparing is not None:
                start.halt.on_preparing(message)
        if not lines:
            _require_life(worker, start, how_it_ended)
        if time.monotonic() > began + seconds:
            raise _not_ready(worker, start.implementation, seconds, doing)


def _heard(worker: WorkerProcess, start: StartUnderWay, seconds: float) -> list[Hello | Failed | Preparing]:
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
            else:
                if not isinstance(heard[-1], Preparing):
                    break
    except (BrokenLineError, ProtocolError) as error:
        what = f"{BROKE}: {error}" if worker.is_program else INTERFERED
        raise failure(start.implementation, what) from error
    return heard


def _require_life(worker: WorkerProcess, start: StartUnderWay, how_it_ended: Callable[[], str]) -> None:
    if (held := worker.excess) is not None:
        what = f"it took {held:,} bytes of memory (the limit is {start.limits.memory_bytes:,})"
        raise failure(start.implementation, what)
    if worker.closed:
        raise failure(start.implementation, f"the process ended ({how_it_ended()})")


def _not_ready(worker: WorkerProcess, implementation: Implementation, seconds: float, doing: str) -> NotReady:
    hint = f" ({why_silent(worker.output, has_answered=False)})" if worker.is_program else ""
    when = f"while it was {doing}" if doing else _when(implementation)
    return NotReady(f"{implementation.text}: it was not ready after {seconds:g} s{hint}, {when}; {LONGER_STARTUP}")


def failure(implementation: Implementation, what: str) -> ImportFailure:
    """Say what went wrong before it was ready."""
    return ImportFailure(f"{implementation.text}: {what}, {_when(implementation)}")


def _when(implementation: Implementation) -> str:
    is_program = isinstance(implementation.source, ProgramSource)
    return "before it greeted with a hello" if is_program else "while it was imported"
