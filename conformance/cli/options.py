"""Options that several verbs share, and what is made of them."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rankspec.conformance.cases.case import Case
    from rankspec.conformance.run.limits import Limits
    from rich.console import Console

_UNBROKEN = 1_000_000
"""Columns: lines that go to a file or a program are not broken."""

json_option = click.option("--json", "as_json_", is_flag=True, help="Print one JSON object instead of text.")
csv_option = click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values instead of text.")
all_option = click.option(
    "--all", "every_case", is_flag=True, help="List every case that does not conform, not only the smallest ten."
)
cases_option = click.option(
    "--cases", "pattern", metavar="GLOB", help="Only cases whose id matches, e.g. 'edge.ties.*'."
)
fixtures_option = click.option(
    "--fixtures",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Case files of your own instead of the shipped ones.",
)
shape_option = click.option(
    "--shape", metavar="SHAPE", help="How the function is called, where its parameters don't tell."
)
run_seconds_option = click.option(
    "--run-seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="Time for the whole run; what was not asked by then is a timeout (no limit).",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many implementations are checked at a time (as many as there are processors).",
)
plot_option = click.option(
    "--plot",
    "drawing",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw it, too (out.svg, .pdf, .png); needs matplotlib.",
)


def console() -> Console:
    """Return the console that findings go to. What is piped is not cut to the width of a terminal that isn't there."""
    from rich.console import Console

    out = Console(markup=False, highlight=False, emoji=False)
    return out if out.is_terminal else Console(width=_UNBROKEN, markup=False, highlight=False, emoji=False)


def require_plotting(drawing: Path | None) -> None:
    """Refuse a picture that could not be drawn, before anything is computed.

    Raises:
        InputError: matplotlib is not installed, or the file is of no kind that is drawn.
    """
    if drawing is not None:
        from rankspec.conformance.reports.plot_style import require_plotting

        require_plotting(drawing)


def print_json(finding: dict[str, Any]) -> None:
    """Print one JSON object."""
    click.echo(json.dumps(finding, indent=2, ensure_ascii=False, allow_nan=False))


def chosen_cases(paths: tuple[Path, ...], pattern: str | None) -> list[Case]:
    """Return the cases that the options choose.

    Raises:
        CatalogueError: a file is faulty.
        click.UsageError: the pattern matches no case.
    """
    from rankspec.conformance.cases.catalogue import load_cases, matching, shipped_cases

    cases = matching(load_cases(paths) if paths else shipped_cases(), pattern)
    if not cases:
        if pattern is None:
            raise click.UsageError(f"{', '.join(map(str, paths))}: no case in there")
        raise click.UsageError(f"--cases {pattern}: no case has such an id; `rankspec fixtures list` shows them")
    return cases


def limits_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of what an implementation may take, and their values as one argument, `limits`."""

    @click.option("--case-seconds", type=click.FloatRange(min=0, min_open=True), help="Time for one call (10).")
    @click.option(
        "--startup-seconds",
        type=click.FloatRange(min=0, min_open=True),
        help="Time for import, compilation and the first call (30; more where an adapter says so).",
    )
    @click.option("--memory-mib", type=click.IntRange(min=16), help="Resident memory of a worker (2048).")
    @functools.wraps(command)
    def with_limits(
        *arguments: Any,
        case_seconds: float | None,
        startup_seconds: float | None,
        memory_mib: int | None,
        **named: Any,
    ) -> Any:
        return command(*arguments, limits=_limits(case_seconds, memory_mib, startup_seconds), **named)

    return with_limits


def _limits(case_seconds: float | None, memory_mib: int | None, startup_seconds: float | None) -> Limits:
    from rankspec.conformance.run.limits import Limits

    default = Limits()
    return Limits(
        case_seconds=default.case_seconds if case_seconds is None else case_seconds,
        startup_seconds=startup_seconds,
        memory_bytes=default.memory_bytes if memory_mib is None else memory_mib * 2**20,
    )
