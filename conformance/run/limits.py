"""How long and how much an implementation may take, and when nothing more is to be asked of anybody."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from rankspec.conformance.worker.adapter import LONGEST_STARTUP_SECONDS
from rankspec.conformance.worker.messages import Preparing

STARTUP_SECONDS = 30.0
LONGER_STARTUP = "--startup-seconds gives it longer (pytest: --rankspec-startup-seconds)"
LONGER_CALL = "--case-seconds gives a call longer (pytest: --rankspec-case-seconds)"
MORE_MEMORY = "--memory-mib gives a call more"
LONGER_IN_ALL = "--startup-seconds, if it is more, is what all of them have (pytest: --rankspec-startup-seconds)"


@dataclass(frozen=True)
class Limits:
    """The limits of one implementation; all can be set."""

    case_seconds: float = 10
    """For one call. The first one of a process is not held to it: libraries import and compile in there."""
    startup_seconds: float | None = None
    """For the import, the preparation and the first call of a process; None is what is declared, or else 30 s."""
    lost_seconds: float | None = None
    """In all, for calls without an answer, or with one after more than half of their time, and for new processes.

    None is 30 s, or what a start may take if more. So whoever never answers has cost no more than this in the end.
    """
    memory_bytes: int = 2 * 1024**3
    """Resident, of the worker and its children. Watched: to limit the address space would break compilers."""
    timeouts_in_a_row: int = 3
    """After so many the implementation is asked no more; too much memory counts likewise: it takes as long."""
    crashes_in_a_row: int = 20
    """The same for calls that end the worker in another way: each costs a new process. An answer starts anew."""

    def lost(self, startup_seconds: float) -> float:
        """Return the seconds that may be lost in all, where a start may take so many."""
        return max(STARTUP_SECONDS, startup_seconds) if self.lost_seconds is None else self.lost_seconds

    def startup(self, declared: float | None = None) -> float:
        """Return the seconds that a start may take, where the implementation declares so many."""
        if self.startup_seconds is not None:
            return self.startup_seconds
        return STARTUP_SECONDS if declared is None else min(declared, LONGEST_STARTUP_SECONDS)


@dataclass
class Patience:
    """What is known of one implementation's time, by all sessions with it."""

    first_seconds: float | None = None  # what its first call took, in the first process that answered; None before
    # what was spent on calls without an answer, or nearly so, and on starting processes again
    lost_seconds: float = 0.0
    # what is asked was asked before, and had no answer in time: a call may take longer, and no more is lost than one
    # may take
    is_last: bool = False
    breaches: int = 0  # how often a program broke the protocol, in all its processes


class Halt:
    """A reason to stop, once there is one: a run's time is up, or somebody interrupts it. Sessions may share one.

    Sessions look at it several times a second. What they have not asked by then, they ask no more; what is being
    asked is given up, with its process.
    """

    def __init__(self, seconds: float | None = None, spent: float = 0.0) -> None:
        """Let the time run, of which some may be spent; without a number of seconds only ``stop`` ends it."""
        self._reason = ""
        self.interrupted = False  # Whether ``stop`` gave the reason, not the time
        self.patience = Patience()
        self.on_preparing: Callable[[Preparing], None] | None = None
        """Is told what is done before a session is ready, if that takes long."""
        self._seconds = seconds
        self._deadline = None if seconds is None else time.monotonic() + seconds - spent

    def stop(self, reason: str) -> None:
        """Give the reason; the first one stays."""
        if not self.reason:
            self.interrupted = True
            self._reason = reason

    @property
    def reason(self) -> str:
        """The reason in a few words; empty as long as there is none."""
        if not self._reason and self._deadline is not None and time.monotonic() > self._deadline:
            self._reason = f"the time of the run, {self._seconds:g} s, was over"
        return self._reason


class Halted(Exception):  # noqa: N818 - not a fault: what was asked for
    """A session was stopped before its implementation had said what it is; the message is the reason."""
