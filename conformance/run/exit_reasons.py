"""How a worker came to its end, or why it says nothing, in words that help whoever wrote it."""

from __future__ import annotations

import re
import signal

from rankspec.conformance.worker.messages import CHANNEL_LOST
from rankspec.conformance.worker.values import one_line

CLOSED = "it closed the harness's channel"
CLOSED_OUTPUT = "it closed its standard output"
INTERFERED = "it wrote into the harness's channel"
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
