"""Where in a run's file a document stands a second time: the oracle knows runs, and no files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from rankspec.oracle.errors import InputError, OracleError
from rankspec.oracle.readers.lines import STANDARD_INPUT, read_lines

_TWICE = re.compile(r"query (\S+): document (\S+) stands twice in the run")
_QUERY, _DOCNO = 0, 2
"""The columns of a run."""


def located(reason: str, run: str) -> str:
    """Say file and line before a reason that is a document's second place in a run."""
    found = _TWICE.search(reason)
    if found is None:
        return reason
    if run == STANDARD_INPUT:
        return f"standard input: {reason}"
    wanted, lines = found.groups(), list[int]()
    for line in read_lines(run):
        if len(line.columns) > _DOCNO and (line.columns[_QUERY], line.columns[_DOCNO]) == wanted:
            lines.append(line.number)
    return f"{run}, line {lines[1]}: {reason} (first in line {lines[0]})" if len(lines) > 1 else f"{run}: {reason}"


@contextmanager
def locating(run: str) -> Iterator[None]:
    """Say where, if what is raised says that a document stands twice.

    Raises:
        InputError: instead of what was raised.
    """
    try:
        yield
    except OracleError as error:
        if (reason := located(str(error), run)) != str(error):
            raise InputError(reason) from error
        raise
