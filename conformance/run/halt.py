"""Why nothing more is to be asked: a run's time is up, or somebody interrupts it. Several sessions may share one."""

from __future__ import annotations

import time


class Halt:
    """A reason to stop, once there is one.

    Sessions look at it several times a second. What they have not asked by then, they ask no more; what is being
    asked is given up, with its process.
    """

    def __init__(self, seconds: float | None = None) -> None:
        """Let the time run, from now on; without a number of seconds only ``stop`` ends it."""
        self._reason = ""
        self.interrupted = False
        """Whether ``stop`` gave the reason, not the time."""
        self._seconds = seconds
        self._deadline = None if seconds is None else time.monotonic() + seconds

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
