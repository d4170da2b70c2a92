"""Running a snippet in a fresh Python, to see that it shows what is claimed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.run.environments import environment_of
from rankspec.conformance.worker.sources import CommandSource, FileSource, ModuleSource, ProgramSource

_SECONDS = 300
"""A library may compile for a minute."""
_MOST_LINES = 3
_LONGEST_LINE = 300


@dataclass(frozen=True)
class Printed:
    """What came of a snippet.

    Attributes:
        status: the exit status; below 0 the signal that ended it, None where it did not end in time.
        lines: the last lines that it printed.
    """

    status: int | None
    lines: tuple[str, ...]


def run_snippet(implementation: Implementation, lines: Sequence[str]) -> Printed | None:
    """Run a snippet where the implementation's library is; None for one of the shell.

    Raises:
        ImportFailure: the environment of a stated version can't be made.
    """
    if isinstance(implementation.source, CommandSource | ProgramSource):
        return None
    own = isinstance(implementation.source, FileSource | ModuleSource)
    pinned = implementation.pinned
    python = sys.executable if pinned is None else str(environment_of(pinned).executable)
    with TemporaryDirectory() as folder:
        script = Path(folder) / "snippet.py"
        script.write_text("\n".join(lines) + "\n", encoding="utf-8")
        # A function of one's own is found from where one stands; the snippets of libraries may write files.
        where = Path.cwd() if own else folder
        settings = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
        if own:
            settings["PYTHONPATH"] = str(where)
        try:
            done = subprocess.run(  # noqa: S603 - the call that the implementation was asked already
                [python, str(script)],
                cwd=where,
                env=settings,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Printed(None, ())
    said = [line.rstrip() for line in done.stdout.decode("utf-8", "replace").splitlines() if line.strip()]
    return Printed(done.returncode, tuple(line[:_LONGEST_LINE] for line in said[-_MOST_LINES:]))
