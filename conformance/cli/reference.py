"""`rankspec conventions`, `measures`, `axes`, `verdicts`, `limits`: what there is, and what it means."""

from __future__ import annotations

from collections.abc import Callable

import click
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.reports.reference import REFERENCES, Reference, details_report, page

_HELP = {
    "conventions": "Say which named conventions there are, or all that is known of the one called NAME.",
    "measures": "Say which measures there are, or what NAME (AP, nDCG@10) is, what it takes and what it depends on.",
    "axes": "Say on what conventions differ, or which values the axis NAME has and what each means.",
    "verdicts": "Say which verdicts an answer can get, or what the one called NAME means.",
    "limits": "Say what the limits of files and computations are, or what the one called NAME is for; how to set them.",
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
        details = reference.details_of(reference.known(name))
        output.show(json=lambda: {"schema": f"rankspec/{kind}/1", **details}, text=lambda: details_report(details))

    return verb


conventions, measures, axes, verdicts, limits = map(_verb, REFERENCES)
