"""Which implementations a verb asks, in which environments, and what a call of them may take."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import click
from rankspec.conformance.cli.support.options import Command
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, parse, states_a_version
from rankspec.conformance.run.environments import environment_of, find
from rankspec.conformance.run.limits import Limits
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.trec_eval_names import named_measure

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


def named(texts: tuple[str, ...], shape: str | None, python: str | None) -> list[Implementation]:
    """Read specifications; `--python` is for those among them that state a version.

    Raises:
        SpecificationError: one names nothing, or `--python` is for none of them.
    """
    if python is not None and not any(map(states_a_version, texts)):
        raise SpecificationError(
            f"--python {python}: it is for an implementation with a version, such as ranx==0.3.16",
            code="version-missing",
        )
    return [parse(text, shape, python) for text in texts]


def make(implementations: Iterable[Implementation]) -> None:
    """Make the environments of stated versions that are not there yet, with a word about it on a terminal.

    Raises:
        SpecificationError: one can't be made.
    """
    for each in implementations:
        if each.pinned is not None and find(each.pinned) is None:
            from rich.console import Console

            console = Console(stderr=True, markup=False, highlight=False)
            with console.status(f"{each.text}: making its environment (once)") as status:
                environment_of(each.pinned, status.update)


def versioned(texts: tuple[str, ...], shape: str | None, python: str | None) -> list[str | Implementation]:
    """Return the implementations of the texts that state a version, their environments made; the others as they are.

    Raises:
        SpecificationError: one names nothing, `--python` is for none of them, or an environment can't be made.
    """
    pinned = {text: parse(text, shape, python) for text in texts if states_a_version(text)}
    if python is not None and not pinned:
        named(texts, shape, python)
    make(pinned.values())
    return [pinned.get(text, text) for text in texts]


def sides(texts: Sequence[str], measure: str | None, python: str | None) -> list[str | Implementation | Convention]:
    """Return what is compared: `versioned`, and a library that no adapter asks as the convention recorded of it.

    Of a library with several adapters (`sklearn`, `sklearn_ndcg`) the one is taken that has a stated measure.

    Raises:
        SpecificationError: as `versioned`.
        ConventionError: such a library follows no convention, or was not measured on the measure.
    """
    from rankspec.conformance.atlas.followed import side_named
    from rankspec.conformance.implementations.catalogue import adapter_for

    named = texts if measure is None else [adapter_for(text, named_measure(measure).name) for text in texts]
    found: dict[str, str | Convention] = {text: side_named(text, measure) for text in named}
    asked = tuple(text for text in named if isinstance(found[text], str))
    pinned = dict(zip(asked, versioned(asked, None, python), strict=True))
    return [pinned.get(text, found[text]) for text in named]
