"""The processes of a worker: its descendants, their memory, and why one ended."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
from rankspec.conformance.worker.messages import CHANNEL_LOST
from rankspec.conformance.worker.values import one_line

MARK = "RANKSPEC_WORKER"
_SWEEPS = 5
_REAP_SECONDS = 10.0
_DIE_SECONDS = 1.0
_POLL_SECONDS = 0.002
_WATCH_SECONDS = 0.02
_CHILDREN_SECONDS = 0.25
_GUARD = """
worker=
while read -r line; do worker=$line; done
[ "$worker" = done ] && exit
[ -z "$worker" ] || kill -s KILL -- "-$worker"
rm -rf -- "$1"
"""


class Tree:
    """A worker that leads its own process group, and everything that descends from it."""

    def __init__(self, worker: subprocess.Popen[bytes], mark: str) -> None:
        """Watch the tree of ``worker``, in whose environment ``MARK`` is ``mark``."""
        self._worker = worker
        self._mark = mark
        self._seen: set[psutil.Process] = set()
        self._leader: psutil.Process | None = None
        with suppress(psutil.Error):
            self._leader = psutil.Process(worker.pid)

    def own_bytes(self) -> int:
        """Give the resident memory of the worker alone (cheap)."""
        return 0 if self._leader is None else _resident(self._leader)

    def waited_seconds(self) -> float:
        """Give how long the worker was ready to run and had no core; 0 where the system doesn't tell (Linux does)."""
        with suppress(OSError, IndexError, ValueError):
            return int(Path(f"/proc/{self._worker.pid}/schedstat").read_text().split()[1]) / 1e9
        return 0.0

    def known_bytes(self) -> int:
        """Give the resident memory of the worker and of the descendants that are remembered (cheap)."""
        return self.own_bytes() + sum(map(_resident, list(self._seen)))

    def all_bytes_counted_once(self) -> int:
        """Give the same, a page that several share counted once where the system tells; slow."""
        self.remember_descendants()
        leader = {self._leader} if self._leader is not None else set()
        return sum(map(_proportional, leader | set(self._seen)))

    def kill_known(self) -> None:
        """Kill the worker, what stayed in its process group, and the descendants that are remembered."""
        self._kill_group()
        for process in list(self._seen):
            with suppress(psutil.Error):
                process.kill()

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
            if self._worker.returncode is None:  # until it is waited for, nobody else can get its number
                os.killpg(self._worker.pid, signal.SIGKILL)

    def end(self) -> int:
        """Kill every process of the tree, wait for the worker, and give its exit status."""
        # Whoever is interrupted in here calls it again: it can be repeated.
        self.remember_descendants()
        self._kill_group()
        for _ in range(_SWEEPS):
            left = {process for process in self._seen if _runs(process)}
            for process in left:
                with suppress(psutil.Error):
                    process.kill()
            found = _marked(self._mark) - {self._leader}
            if not found and not left:
                break
            self._seen |= found
        with suppress(subprocess.TimeoutExpired):
            self._worker.wait(_REAP_SECONDS)
        deadline = time.monotonic() + _DIE_SECONDS
        while any(map(_runs, self._seen)) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        return self._worker.returncode if self._worker.returncode is not None else -signal.SIGKILL

    def remember_descendants(self) -> None:
        """Remember what descends from the worker now: once it has ended, nobody can tell."""
        leader = [] if self._leader is None else [self._leader]
        for process in [*leader, *self._seen]:  # those whose parent has died are no descendants any more
            with suppress(psutil.Error):
                if _may_have_children(process.pid):
                    self._seen.update(process.children(recursive=True))


class MemoryWatch:
    """A thread that kills a worker which holds more memory than it may, whatever this process is doing meanwhile.

    A program fills 2 GiB in less than a second, so it is looked at fifty times a second.
    """

    def __init__(self, tree: Tree, limit: int) -> None:
        self.excess: int | None = None  # The bytes that it held when it was killed for them
        self._tree = tree
        self._limit = limit
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Watch no more."""
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        looked_for_children = time.monotonic()
        while self.excess is None and not self._over.wait(_WATCH_SECONDS):
            with suppress(OSError):  # this process may have no descriptor left for a moment
                if time.monotonic() - looked_for_children > _CHILDREN_SECONDS:  # slow: it looks at every process
                    self._tree.remember_descendants()
                    looked_for_children = time.monotonic()
                held = self._tree.own_bytes()
                if held <= self._limit and self._tree.known_bytes() > self._limit:
                    held = self._tree.all_bytes_counted_once()  # forked children share most of their pages
                if held > self._limit:
                    self.excess = held
                    self._tree.kill_known()


class Guard:
    """A shell that ends the worker's group and removes its folder when this process dies before it could."""

    def __init__(self, folder: str) -> None:
        """Start the shell; it waits, in a session of its own, for lines on its standard input."""
        self._shell = subprocess.Popen(  # noqa: S603 - a fixed script
            ["/bin/sh", "-c", _GUARD, "sh", folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def watch(self, process_id: int | None) -> None:
        """Say which worker there is now."""
        self._say("" if process_id is None else str(process_id))

    def _say(self, line: str) -> None:
        if self._shell.stdin is not None:
            with suppress(OSError):
                os.write(self._shell.stdin.fileno(), f"{line}\n".encode())

    def close(self) -> None:
        """End the shell; no worker may be left by now."""
        self._say("done")
        if self._shell.stdin is not None:
            self._shell.stdin.close()
        try:
            self._shell.wait(1)
        except subprocess.TimeoutExpired:
            self._shell.kill()
            self._shell.wait()


def has_ended(worker: subprocess.Popen[bytes]) -> bool:
    """Say whether a process has ended, without reaping it where the system allows."""
    if worker.returncode is not None:
        return True
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return worker.poll() is not None
    try:
        return os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def wait_until_ended(worker: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait that long at most for a process to end by itself, and say whether it did."""
    deadline = time.monotonic() + seconds
    while not (ended := has_ended(worker)) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    return ended


def _may_have_children(process_id: int) -> bool:
    """Tell whether a process has children, where Linux says so at once: psutil looks at every process."""
    try:
        listed = [path.read_text() for path in Path(f"/proc/{process_id}/task").glob("*/children")]
    except OSError:  # it ended meanwhile
        return True
    return not listed or any(listed)


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _proportional(process: psutil.Process) -> int:
    try:
        memory = process.memory_full_info()
    except (psutil.Error, OSError):
        return _resident(process)
    return int(getattr(memory, "pss", 0) or memory.uss)


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE and process.is_running())
    except psutil.Error:
        return False


def _marked(mark: str) -> set[psutil.Process]:
    found = set()
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == mark and _runs(process):
                found.add(process)
    return found


CLOSED = "it closed the harness's channel"
CLOSED_OUTPUT = "it closed its standard output"
INTERFERED = "it wrote into the harness's channel"
FLOODED = "it printed more than 16 MiB without an answer"
BROKE = "it broke the protocol"
"""What a program does where the Python worker would be interfered with: nobody else writes there."""

_LONGEST_LINE = 200
_ERROR = re.compile(r"(Uncaught )?[\w.]*(Error|Exception)\b.*:|panic: |thread '.*' panicked", re.ASCII)


def how_it_ended(status: int) -> str:
    """Name an exit status: `exit code 3`, `SIGSEGV`."""
    if status == CHANNEL_LOST:
        return CLOSED
    if status >= 0:
        return f"exit code {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def last_line(output: str) -> str:
    """Give the last line with something on it of what was printed, cut to a readable length."""
    lines = [line for line in output.splitlines() if line.strip()]
    return one_line(lines[-1], _LONGEST_LINE) if lines else ""


def with_last_words(what: str, output: str) -> str:
    r"""Add the line that names an error (some languages print a stack and their version after it), or the last one.

    >>> with_last_words("exit code 1", "Error: Cannot find module\n    at resolve (loader:1)\nNode.js v20")
    'exit code 1: Error: Cannot find module'
    """
    naming = [line for line in output.splitlines() if _ERROR.match(line)]
    printed = last_line(naming[-1] if naming else output)
    return f"{what}: {printed}" if printed else what


def why_silent(output: str, *, has_answered: bool) -> str:
    """Guess why a program gives no answer: it wrote JSON that is none, or keeps its lines in a buffer."""
    printed = last_line(output)
    if printed.startswith("{"):
        return f"its last line is not JSON: {printed}"
    return "" if has_answered else "no answer at all so far; does it flush its output after each line?"
