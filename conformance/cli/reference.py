"""`rankspec conventions`, `measures`, `axes`, `verdicts`: what there is, what it means and where it comes from."""

from __future__ import annotations

from collections.abc import Callable

import click
from rankspec.conformance.cli import options
from rankspec.conformance.reports.console import say
from rankspec.conformance.reports.reference import (
    REFERENCES,
    Reference,
    details_lines,
    page,
)
from rankspec.oracle.conventions.families import ALIASES
from rankspec.oracle.suggestions import suggestion

_HELP = {
    "conventions": "Say which named conventions there are, or all that is known of the one called NAME.",
    "measures": "Say which measures there are, or what NAME (AP, nDCG@10) is, what it takes and what it depends on.",
    "axes": "Say on what conventions differ, or which values the axis NAME has and what each means.",
    "verdicts": "Say which verdicts an answer can get, or what the one called NAME means.",
}


def _verb(made: Callable[[], Reference]) -> click.Command:
    kind = made.__name__

    @click.command(kind, help=_HELP[kind])
    @click.argument("name", required=False)
    @click.option("--page", "as_page", is_flag=True, help="Print the page of the documentation (Markdown).")
    @options.csv_option
    @options.json_option
    def verb(name: str | None, *, as_page: bool, as_csv: bool, as_json_: bool) -> None:
        reference = made()
        if as_page + as_csv + as_json_ > 1:
            raise click.UsageError("--page, --csv and --json exclude each other; give one")
        if name is None:
            _print_all(reference, as_page=as_page, as_csv=as_csv, as_json_=as_json_)
            return
        if as_page or as_csv:
            raise click.UsageError("--page and --csv are about the whole list; leave NAME out")
        details = reference.details_of(_known(reference, name))
        if as_json_:
            options.print_json({"schema": f"rankspec/{kind}/1", **details})
            return
        console = options.console()
        for number, line in enumerate(details_lines(details)):
            say(console, line, style="" if number else "bold")

    return verb


def _print_all(reference: Reference, *, as_page: bool, as_csv: bool, as_json_: bool) -> None:
    if as_json_:
        options.print_json(reference.data())
    elif as_page:
        click.echo(page(reference), nl=False)
    elif as_csv:
        click.echo(reference.listing().csv(), nl=False)
    else:
        options.console().print(reference.listing(), crop=False)


def _known(reference: Reference, name: str) -> str:
    """Return the name of an entry; of a measure, what stands before its parameters and its cutoff.

    Raises:
        click.UsageError: there is none of that name; the nearest are named.
    """
    if reference.kind == "measures" and name not in reference.entries:
        bare = name.partition("@")[0].partition("(")[0].strip()
        name = ALIASES.get(bare, bare)
    if name in reference.entries:
        return name
    singular = {"axes": "axis"}.get(reference.kind, reference.kind.removesuffix("s"))
    near = suggestion(name, reference.entries) or f"; `rankspec {reference.kind}` lists them"
    raise click.UsageError(f"there is no {singular} {name!r}{near}")


conventions, measures, axes, verdicts = map(_verb, REFERENCES)
