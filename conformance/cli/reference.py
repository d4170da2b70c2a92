"""`rankspec conventions`, `measures`, `axes`, `verdicts`, `limits`: what there is, and what it means."""

from __future__ import annotations

from collections.abc import Callable

import click
from rankspec.conformance.cli.main import VERBS
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import CallError, Output
from rankspec.conformance.reports.blocks import Report
from rankspec.conformance.reports.reference import REFERENCES, Details, Reference, details_report, page


def _verb(factory: Callable[[], Reference]) -> click.Command:
    kind = factory.__name__

    @click.command(kind, help=VERBS[kind])
    @click.argument("name", required=False)
    @options.output_options("page", "csv", "json")
    def verb(name: str | None, *, output: Output) -> None:
        reference = factory()
        if name is None:
            output.show(
                json=reference.data,
                page=lambda: page(reference),
                csv=lambda: [reference.table()],
                text=reference.report,
            )
            return
        if output.format in {"page", "csv"}:
            raise CallError("--page and --csv are about the whole list; leave NAME out", code="options-conflict")
        details = reference.details_of(reference.known(name))
        output.show(json=lambda: {"schema": f"rankspec/{kind}/1", **details}, text=lambda: _report(kind, details))

    return verb


def _report(kind: str, details: Details) -> Report:
    """Return what a terminal shows; --json has all of it."""
    if kind != "measures":
        return details_report(details)
    from rankspec.conformance.reports.measure import measure_report

    return measure_report(details)


conventions, measures, axes, verdicts, limits = map(_verb, REFERENCES)
