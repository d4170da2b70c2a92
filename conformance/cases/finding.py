"""A finding: what is wrong with a fixture file, and where, in one line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        path: the file.
        message: what is wrong, and what to do about it.
        line: the line, None where the file as a whole is meant.
        case: the id of the case or clause, empty outside of any.
        unreadable: nothing else can be said about the file.
    """

    path: Path
    message: str
    line: int | None = None
    case: str = ""
    unreadable: bool = False

    def __str__(self) -> str:
        """Return `file:line: case: message`."""
        where = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        return f"{where}: {self.case}: {self.message}" if self.case else f"{where}: {self.message}"
