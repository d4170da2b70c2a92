"""Telling how far something is: what a listener is, and progress on standard error, where somebody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankspec.conformance.worker.messages import Preparing
    from rich.console import RenderableType
    from rich.progress import Progress, TaskID
from typing import Protocol


class OnProgress(Protocol):
    """A listener: it hears what is being done, how much of it is done, and of how much, if that is known."""

    def __call__(self, step: str, done: int, of: int | None = None) -> None:
        """Hear it."""


def silent(step: str, done: int, of: int | None = None) -> None:
    """Tell nobody."""


_PATIENCE_SECONDS = 1.0  # What is done within it needs no progress
_BAR_WIDTH = 20  # What stands beside the bar needs the rest of 80 columns


def _bars(*, counts: bool) -> Progress:
    """Return bars that show nothing at first, with counts (3/10) or percentages."""
    from rich import progress
    from rich.console import Console

    class LateProgress(progress.Progress):
        _from = float("inf")

        def start(self) -> None:
            self._from = time.monotonic() + _PATIENCE_SECONDS
            super().start()

        def get_renderables(self) -> Iterable[RenderableType]:
            return super().get_renderables() if time.monotonic() >= self._from else ()

    return LateProgress(
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(bar_width=_BAR_WIDTH),
        progress.MofNCompleteColumn() if counts else progress.TaskProgressColumn(),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


class ProgressLine:
    """The line of one implementation or file; without bars nothing is shown."""

    def __init__(self, name: str, bars: Progress | None = None, task: TaskID | None = None) -> None:
        """Keep it, and say that it has begun."""
        self._bars, self._task, self._name = bars, task, name
        if bars is not None and task is not None:
            bars.start_task(task)
            bars.update(task, description=f"{name}: starting")

    def prepare(self, preparing: Preparing) -> None:
        """Say what is done before there is anything to be counted; the time beside it runs."""
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, description=f"{self._name}: {preparing.step}")

    def show_step(self, step: str, done: int, of: int | None = None) -> None:
        """Say what is being done beside the cases, and how far it is."""
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, completed=done, total=of, description=f"{self._name}: {step}")

    def count(self, known: int, total: int) -> None:
        """Say how many answers are known, of how many."""
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, completed=known, total=total, description=self._name)


@contextmanager
def lines(names: Iterable[str]) -> Iterator[Callable[[str], ProgressLine]]:
    """Show a line each while the work is done; it goes away with it. Gives a function from a name to its line."""
    if not sys.stderr.isatty():
        yield ProgressLine
        return
    with _bars(counts=True) as bars:
        tasks = {name: bars.add_task(f"{name}: not started", start=False, total=None) for name in names}
        yield lambda name: ProgressLine(name, bars, tasks[name])


@contextmanager
def bar(name: str) -> Iterator[OnProgress]:
    """Show one line for one piece of work: what is being done, how much of it is done, and how long the rest will take.

    Gives what moves it. Where it is not known how much there is, the bar moves to and fro.
    """
    if not sys.stderr.isatty():
        yield silent
        return
    with _bars(counts=False) as bars:
        task = bars.add_task(name, total=None)

        def progress(step: str, done: int, of: int | None = None) -> None:
            bars.tasks[0].total = of  # `update` leaves it as it is where there is none
            bars.update(task, description=f"{name}: {step}", completed=done)

        yield progress
