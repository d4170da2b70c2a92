"""`rankspec conventions`, `measures`, `axes`, `verdicts`: what there is, what it means and where it comes from."""

from __future__ import annotations

from collections.abc import Callable

import click
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.reports.reference import REFERENCES, Reference, details_report, page
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
    @options.output_options("page", "csv", "json")
    def verb(name: str | None, *, output: Output) -> None:
        reference = made()
        if name is None:
            output.show(json=reference.data, page=lambda: page(reference), text=lambda: [reference.table()])
            return
        if output.format in {"page", "csv"}:
            raise click.UsageError("--page and --csv are about the whole list; leave NAME out")
        details = reference.details_of(_known(reference, name))
        output.show(json=lambda: {"schema": f"rankspec/{kind}/1", **details}, text=lambda: details_report(details))

    return verb


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
