"""`rankspec drift`: between which versions a library's behaviour changes."""

from __future__ import annotations

from pathlib import Path

import click
from rankspec.conformance.atlas.versions import VersionAnswers, chosen_versions, drift_of
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.reports.libraries.atlas import versions_data, versions_report
from rankspec.conformance.run.limits import Limits
from rankspec.oracle.language.trec_eval_names import named_measure


@click.command()
@click.argument("name", metavar="NAME")
@click.option("-m", "--measure", "measure_text", default="AP", show_default=True, metavar="M", help="What it computes.")
@click.option("--bisect", is_flag=True, help="Also find the versions between which the values change.")
@click.option("--from", "first", metavar="VERSION", help="The oldest version (the first that was published).")
@click.option("--to", "last", metavar="VERSION", help="The newest version (the last that was published).")
@click.option("--versions", metavar="V,V,...", help="The versions, oldest first, instead of those that pip lists.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Keep each version's answers in this folder, and reuse those that it has.",
)
@options.limits_options
@options.output_options("json")
def drift(
    name: str,
    measure_text: str,
    first: str | None,
    last: str | None,
    versions: str | None,
    out: Path | None,
    *,
    limits: Limits,
    bisect: bool,
    output: Output,
) -> None:
    """Say whether all versions of a library return the same values; with --bisect, which versions change them.

    \b
    rankspec drift ranx --measure AP
    rankspec drift rectools --measure AP@3 --bisect --out answers/

    NAME is an adapter. Each version is called in its own environment, with the small inputs of all cases of
    the measure. A version that can't be installed is skipped and named. With --out, a search that
    was interrupted resumes; the files there are checks, which `rankspec diff` compares.

    Exit status: 0 if nothing changed, 1 if something did, 2 if the call is wrong or no two versions could be asked.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    stated_versions = None if versions is None else [each.strip() for each in versions.split(",")]
    chosen = chosen_versions(name, stated_versions, first, last)
    measure = named_measure(measure_text)
    answers = VersionAnswers(name, measure, out, limits, lambda version: click.echo(version, err=True))
    history = drift_of(answers, chosen, bisect=bisect)
    output.show(
        json=lambda: versions_data(name, str(measure), history, bisected=bisect),
        text=lambda: versions_report(name, str(measure), history, bisected=bisect),
    )
    click.get_current_context().exit(1 if history.changes else 0)
