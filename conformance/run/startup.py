"""Hearing the greeting of a worker that was just started: all that can go wrong before anything is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rankspec.conformance.implementations.specs import Implementation, ImportFailure, import_failure
from rankspec.conformance.run.exit_reasons import BROKE, INTERFERED, why_silent
from rankspec.conformance.run.halt import Halt, Halted
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.worker_process import BrokenLineError, WorkerProcess
from rankspec.conformance.worker.messages import Failed, Hello
from rankspec.conformance.worker.protocol import parse_greeting
from rankspec.conformance.worker.sources import (
    AdapterSource,
    EntryPointSource,
    FileSource,
    ModuleSource,
    ProgramSource,
    Source,
)
from rankspec.conformance.worker.wire import NoiseError, ProtocolError


def hear_greeting(
    worker: WorkerProcess, implementation: Implementation, limits: Limits, halt: Halt, how_it_ended: Callable[[], str]
) -> Hello:
    """Wait for the greeting; `how_it_ended` ends a worker that has closed its side, and says how it came to that.

    Raises ``ImportFailure``, ``Halted``.
    """
    seconds = limits.prepare_seconds if _is_adapter(implementation.source) else limits.import_seconds
    deadline = time.monotonic() + seconds
    while True:
        if halt.reason:
            raise Halted(halt.reason)
        try:
            lines = worker.lines(deadline - time.monotonic())
            greeting = _greeting(worker, lines)
        except (BrokenLineError, ProtocolError) as error:
            what = f"{BROKE}: {error}" if worker.is_program else INTERFERED
            raise failure(implementation, what) from error
        if isinstance(greeting, Failed):
            raise import_failure(implementation, greeting)
        if greeting is not None:
            return greeting
        if worker.closed and not lines:
            raise failure(implementation, f"the process ended ({how_it_ended()})")
        if (held := worker.excess(limits.memory_bytes)) is not None:
            what = f"it took {held:,} bytes of memory (the limit is {limits.memory_bytes:,})"
            raise failure(implementation, what)
        if time.monotonic() > deadline:
            hint = f" ({why_silent(worker.output, has_answered=False)})" if worker.is_program else ""
            raise failure(implementation, f"it was not ready after {seconds:g} s{hint}")


def failure(implementation: Implementation, what: str) -> ImportFailure:
    """Say what went wrong before it was ready."""
    is_program = isinstance(implementation.source, ProgramSource)
    when = "before it greeted with a hello" if is_program else "while it was imported"
    return ImportFailure(f"{implementation.text}: {what}, {when}")


def _greeting(worker: WorkerProcess, lines: Sequence[bytes]) -> Hello | Failed | None:
    """Read the greeting, if it has come; a program may print other lines before."""
    for line in lines:
        try:
            return parse_greeting(line)
        except NoiseError:
            if not worker.is_program:
                raise
            worker.keep(line)
    return None


def _is_adapter(source: Source) -> bool:
    """Tell whether a source is an adapter, whose library may take long to prepare itself, by its customary name."""
    match source:
        case AdapterSource() | EntryPointSource():
            return True
        case FileSource(_, name) | ModuleSource(_, name):
            return name == "ADAPTER"
        case _:
            return False
