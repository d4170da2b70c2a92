"""Progress on standard error, a line an implementation, where somebody looks and it takes longer than a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

_PATIENCE_SECONDS = 1.0


class _LateProgress(Progress):
    """Progress that shows nothing at first: what is done at once needs none."""

    _from = float("inf")

    def start(self) -> None:
        self._from = time.monotonic() + _PATIENCE_SECONDS
        super().start()

    def get_renderables(self) -> Iterable[RenderableType]:
        return super().get_renderables() if time.monotonic() >= self._from else ()


@contextmanager
def progress(names: Iterable[str]) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Show a line each while the work is done; it goes away with it.

    Gives a function from a name to what is told how many answers are known, of how many.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with _LateProgress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks = {name: bars.add_task(f"{name}: not started", start=False, total=None) for name in names}

        def listener(name: str) -> Callable[[int, int], None]:
            task = tasks[name]
            bars.start_task(task)
            bars.update(task, description=f"{name}: starting")
            return lambda known, total: bars.update(task, completed=known, total=total, description=name)

        yield listener
