"""Telling how far something is: what a listener is, and the one that tells nobody. It loads nothing else."""

from __future__ import annotations

from typing import Protocol


class OnProgress(Protocol):
    """A listener: it hears what is being done, how much of it is done, and of how much, if that is known."""

    def __call__(self, doing: str, done: int, of: int | None = None) -> None:
        """Hear it."""


def silent(doing: str, done: int, of: int | None = None) -> None:
    """Tell nobody."""
