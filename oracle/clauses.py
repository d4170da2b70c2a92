"""What marks the functions, classes and tables that implement a clause: `@clause("ap.cutoff")`.

The ids are those of `fixtures/clauses.yaml`. A mark does nothing when a program runs; the check of what is
covered reads it off the code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def clause(*ids: str) -> Callable[[T], T]:  # noqa: ARG001 - they are read off the code
    """Mark a function, a class or a table as what implements clauses; `ap.denominator.*` are all values of an axis.

    >>> HALVES = clause("example.half")({2: 1, 4: 2})
    >>> HALVES[4]
    2
    """
    return lambda marked: marked
