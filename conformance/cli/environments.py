"""`rankspec environments`: the environments of stated versions; and what verbs do with a version before they start."""

from __future__ import annotations

from collections.abc import Iterable

import click
from rankspec.conformance.cli import options
from rankspec.conformance.implementations.pinned import PinError, normalised, split_version
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, parse, states_a_version
from rankspec.conformance.reports.console import print_csv
from rankspec.conformance.reports.environments import (
    environments_json,
    environments_listing,
    print_environments,
)
from rankspec.conformance.run.environments import Environment, clear, environment_of, find, listed, root
from rich.console import Console

python_option = click.option(
    "--python", metavar="PYTHON", help="The Python for a stated version (ranx==0.3.16): 3.10, or the path of one."
)


def named(texts: tuple[str, ...], shape: str | None, python: str | None) -> list[Implementation]:
    """Read specifications; `--python` is for those among them that state a version.

    Raises:
        SpecificationError: one names nothing, or `--python` is for none of them.
    """
    if python is not None and not any(map(states_a_version, texts)):
        raise SpecificationError(f"--python {python}: it is for an implementation with a version, such as ranx==0.3.16")
    return [parse(text, shape, python) for text in texts]


def make(implementations: Iterable[Implementation]) -> None:
    """Make the environments of stated versions that are not there yet, with a word about it on a terminal.

    Raises:
        SpecificationError: one can't be made.
    """
    for each in implementations:
        if each.pinned is not None and find(each.pinned) is None:
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


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option("--clear", "clears", is_flag=True, help="Delete them.")
@options.csv_option
@options.json_option
def environments(names: tuple[str, ...], *, clears: bool, as_csv: bool, as_json_: bool) -> None:
    """List the environments that were made for stated versions, or delete them.

    NAME is a distribution (ranx) or a version of it (ranx==0.3.16); by default all.
    """
    found = [each for each in listed() if not names or any(_is_meant(each, name) for name in names)]
    for name in names:
        if not any(_is_meant(each, name) for each in found):
            raise click.UsageError(f"{name}: there is no such environment in {root()}")
    if clears:
        clear(found)
    if as_json_:
        options.print_json(environments_json(root(), found, cleared=clears))
    elif as_csv:
        print_csv(environments_listing([] if clears else found))
    else:
        print_environments(options.console(), root(), found, cleared=clears)


def _is_meant(environment: Environment, name: str) -> bool:
    try:
        distribution, version = split_version(name) or (name, None)
    except PinError as error:
        raise click.UsageError(f"{name}: {error}") from error
    return normalised(distribution) == normalised(environment.distribution) and version in (
        None,
        environment.version,
        environment.asked[0],
    )
