"""A census: every record measured anew, each by a process of its own, several at a time; it can be broken off.

A library that hangs, crashes or cannot be installed costs its process and its time, and becomes a record that says so.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from rankspec.conformance.atlas.measuring import asked_in
from rankspec.conformance.atlas.record import Record
from rankspec.conformance.atlas.records import AtlasError, read_record, write_record
from rankspec.conformance.atlas.versions import carried_over

_GRACE_SECONDS = 10
_LONGEST_REASON = 300


@dataclass(frozen=True)
class Counted:
    """A record that is there now.

    Attributes:
        old: the one that was asked again.
        new: what was found; it says why if nothing was.
        before: it was there already, from a census that was broken off.
    """

    old: Record
    new: Record
    before: bool = False


@dataclass
class Census:
    """A census under way.

    Attributes:
        folder: where each record is kept as soon as it is there.
        command: gives the command that measures a record anew and keeps it in the folder; it may fail in any way.
        jobs: how many are measured at a time.
        seconds: for one record.
    """

    folder: Path
    command: Callable[[Record], Sequence[str]]
    jobs: int = 1
    seconds: float = 1800
    running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    stopped: threading.Event = field(default_factory=threading.Event)

    def run(self, records: Iterable[Record]) -> Iterator[Counted]:
        """Yield each record as it comes; those that are there first. Whatever ends the loop ends the processes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        left = []
        for record in records:
            there = self._there(record)
            if there is not None:
                yield Counted(record, there, before=True)
            elif asked_in(record):
                left.append(record)
        with ThreadPoolExecutor(self.jobs) as pool:
            asked = [pool.submit(self._measured, record) for record in left]
            try:
                for each in as_completed(asked):
                    yield each.result()
            finally:
                self.stopped.set()
                for future in asked:
                    future.cancel()
                for process in list(self.running):
                    _end(process)

    def _there(self, record: Record) -> Record | None:
        path = self.folder / f"{record.id}.json"
        try:
            return read_record(path) if path.exists() else None
        except AtlasError:
            return None  # it was broken off while it was written

    def _measured(self, record: Record) -> Counted:
        why = "it was stopped" if self.stopped.is_set() else self._failure(record)
        new = self._there(record)
        if new is None:
            new = Record(record.library, record.version, record.licence, record.home, why=why or "nothing was written")
        new = carried_over(record, new)
        if not self.stopped.is_set():
            write_record(new, self.folder)
        return Counted(record, new)

    def _failure(self, record: Record) -> str:
        """Run the command, and say why it failed if it did."""
        with subprocess.Popen(  # noqa: S603 - rankspec itself
            self.command(record),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            self.running.add(process)
            if self.stopped.is_set():  # since it was looked at last
                _end(process)
            try:
                _, said = process.communicate(timeout=self.seconds)
            except subprocess.TimeoutExpired:
                return f"it was not measured within {self.seconds:g} s"
            finally:
                self.running.discard(process)
                _end(process)
        lines = [line for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
        last = lines[-1].removeprefix("rankspec: ") if lines else "nothing was said"
        status = process.returncode
        how = f"ended by signal {-status}" if status < 0 else f"status {status}"
        return f"{how}: {last}"[:_LONGEST_REASON]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with all that it started: politely, then surely."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(OSError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_GRACE_SECONDS)
            return
