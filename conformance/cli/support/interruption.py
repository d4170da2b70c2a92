"""Signals that ask the command to end: they end it in order, and say so in the exit status."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ASKING = ("SIGINT", "SIGTERM", "SIGHUP")
_PATIENCE_SECONDS = 5.0
"""For so long after a signal further ones change nothing: the work that the first one makes is under way."""


class Interruption:
    """Which signal asked the command to end, if one did."""

    def __init__(self) -> None:
        """Nothing has been asked yet."""
        self._number = int(signal.SIGINT)
        self._at = float("-inf")

    def hear(self, number: int, _: FrameType | None) -> None:
        """Handle a signal by a KeyboardInterrupt, unless one has just been raised."""
        now = time.monotonic()
        if now - self._at > _PATIENCE_SECONDS:
            self._number, self._at = number, now
            raise KeyboardInterrupt

    @property
    def heard(self) -> bool:
        """Whether there was a signal."""
        return self._at > float("-inf")

    @property
    def status(self) -> int:
        """The exit status, as shells have it: 130 after Ctrl-C, 143 after SIGTERM."""
        return 128 + self._number

    @property
    def text(self) -> str:
        """What to say of it."""
        return "interrupted" if self._number == signal.SIGINT else f"ended by {signal.Signals(self._number).name}"


@contextmanager
def signals_interrupt() -> Iterator[Interruption]:
    """Turn signals into KeyboardInterrupt, unless they are ignored (nohup) or somebody else handles them.

    After one of them they stay ignored: the process is about to end, and should do so with its own exit status.
    """
    interruption = Interruption()
    before = {number: signal.getsignal(number) for number in _numbers()}
    ours = [number for number in before if before[number] in {signal.SIG_DFL, signal.default_int_handler}]
    for number in ours:
        signal.signal(number, interruption.hear)
    try:
        yield interruption
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_IGN if interruption.heard else before[number])


def _numbers() -> list[signal.Signals]:
    if threading.current_thread() is not threading.main_thread():
        return []  # only the main thread may handle signals
    return [getattr(signal, name) for name in _ASKING if hasattr(signal, name)]
