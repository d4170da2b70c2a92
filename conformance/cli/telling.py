"""Whether somebody looks: progress is shown at a terminal, and a pipe loads nothing that draws."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext

from rankspec.conformance.run.progress import Tell, silent


def telling(name: str) -> AbstractContextManager[Tell]:
    """Return what shows the progress of one piece of work while it is done, and gives what is told of it."""
    if not sys.stderr.isatty():
        return nullcontext(silent)
    from rankspec.conformance.cli.progress import bar

    return bar(name)
