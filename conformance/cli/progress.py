"""Progress on standard error, with an estimate, where somebody looks and it takes longer than a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rankspec.conformance.run.progress import Tell
from rankspec.conformance.worker.messages import Preparing
from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

_PATIENCE_SECONDS = 1.0


class _LateProgress(Progress):
    """Progress that shows nothing at first: what is done at once needs none."""

    _from = float("inf")

    def start(self) -> None:
        self._from = time.monotonic() + _PATIENCE_SECONDS
        super().start()

    def get_renderables(self) -> Iterable[RenderableType]:
        return super().get_renderables() if time.monotonic() >= self._from else ()


class Line:
    """The line of one implementation or file."""

    def __init__(self, bars: Progress, task: TaskID, name: str) -> None:
        """Keep it, and say that it has begun."""
        self._bars, self._task, self._name = bars, task, name
        bars.start_task(task)
        bars.update(task, description=f"{name}: starting")

    def prepare(self, preparing: Preparing) -> None:
        """Say what is done before there is anything to be counted; the time beside it runs."""
        self._bars.update(self._task, description=f"{self._name}: {preparing.doing}")

    def count(self, known: int, total: int) -> None:
        """Say how many answers are known, of how many."""
        self._bars.update(self._task, completed=known, total=total, description=self._name)


@contextmanager
def progress(names: Iterable[str]) -> Iterator[Callable[[str], Line]]:
    """Show a line each while the work is done; it goes away with it.

    Gives a function from a name to its line.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),  # what stands beside it needs the rest of 80 columns
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with _LateProgress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks = {name: bars.add_task(f"{name}: not started", start=False, total=None) for name in names}
        yield lambda name: Line(bars, tasks[name], name)


@contextmanager
def bar(name: str) -> Iterator[Tell]:
    """Show one line for one piece of work: what is being done, how much of it is done, and how long the rest will take.

    Gives what is told of it. Where it is not known how much there is, the bar moves to and fro.
    """
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with _LateProgress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(name, total=None)

        def told(doing: str, done: int, of: int | None = None) -> None:
            bars.tasks[0].total = of  # `update` leaves it as it is where there is none
            bars.update(task, description=f"{name}: {doing}", completed=done)

        yield told


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int, str], None]]:
    """Show how many of some long tasks are done and how long the rest will take; where nobody looks, a line each.

    Gives a function that is told how many are done, and what was done last.
    """
    console = Console(stderr=True, markup=False, highlight=False)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, speed_estimate_period=86_400) as bar:
        task = bar.add_task(what, total=total)

        def told(done: int, text: str) -> None:
            bar.update(task, completed=done)
            console.print(text, soft_wrap=True)

        yield told
