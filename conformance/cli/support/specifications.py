"""Which implementations a verb asks, in which environments, and what a call of them may take."""

from __future__ import annotations

import functools
from typing import Any

import click
from rankspec.conformance.cli.support.options import Command
from rankspec.conformance.run.limits import Limits

shape_option = click.option(
    "--shape", metavar="SHAPE", help="How the function is called, if its parameter names don't show it."
)
python_option = click.option(
    "--python", metavar="PYTHON", help="The Python for a stated version (ranx==0.3.16): 3.10, or the path of one."
)


def limits_options(command: Command) -> Command:
    """Give a command the options of what an implementation may take, and their values as one argument, `limits`."""

    @click.option("--case-seconds", type=click.FloatRange(min=0, min_open=True), help="Time for one call (10).")
    @click.option(
        "--startup-seconds",
        type=click.FloatRange(min=0, min_open=True),
        help="Time for import, compilation and the first call (30; more where an adapter says so).",
    )
    @click.option("--memory-mib", type=click.IntRange(min=16), help="Resident memory of a worker, in MiB (2048).")
    @functools.wraps(command)
    def with_limits(
        *arguments: Any,
        case_seconds: float | None,
        startup_seconds: float | None,
        memory_mib: int | None,
        **named: Any,
    ) -> Any:
        default = Limits()
        limits = Limits(
            case_seconds=default.case_seconds if case_seconds is None else case_seconds,
            startup_seconds=startup_seconds,
            memory_bytes=default.memory_bytes if memory_mib is None else memory_mib * 2**20,
        )
        return command(*arguments, limits=limits, **named)

    return with_limits
