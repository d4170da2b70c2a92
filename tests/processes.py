"""What still runs of a test: the processes that carry its mark in their environment or among their arguments."""

from contextlib import suppress

import psutil

MARK = "RANKSPEC_TEST"
"""The variable whose value is the mark."""


def marked(mark):
    """Yield the processes that carry the mark and have not ended."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            carries = process.environ().get(MARK) == mark or mark in process.cmdline()
            if carries and process.status() != psutil.STATUS_ZOMBIE:
                yield process
