"""`rankspec impact`: what conventions do to a user's runs."""

from __future__ import annotations

from functools import partial

import click
from rankspec.conformance.atlas.convention_names import convention_named
from rankspec.conformance.atlas.impact import MOST_CONVENTIONS
from rankspec.conformance.atlas.impact import impact as impact_of
from rankspec.conformance.atlas.records import AtlasError, following, not_following, shipped_records
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import CallError, Output, files_by_position
from rankspec.conformance.data.runs import runs_of
from rankspec.conformance.reports.blocks import markdown
from rankspec.conformance.reports.impact import impact_data, impact_report
from rankspec.conformance.run import progress_bars
from rankspec.oracle.data.run import Run, as_float32
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.query_set import unmatched
from rankspec.oracle.readers.lines import STANDARD_INPUT
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run

_FEWEST = 2


@click.command()
@click.argument("files", nargs=-1, metavar="QRELS RUN1 RUN2...")
@click.option("--qrels", metavar="FILE", help="Qrels: TREC, CSV, TSV, JSON, Parquet.")
@click.option("--run", "runs", multiple=True, metavar="FILE", help="A TREC run; again for more, or a folder.")
@click.option("-m", "--measure", "measure_text", default="AP", show_default=True, metavar="M", help="The measure.")
@click.option("--under", default="default", metavar="CONVENTION", help="What the others are compared with (default).")
@click.option("--libraries", "of_libraries", is_flag=True, help="Only the conventions of the libraries in the atlas.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=MOST_CONVENTIONS,
    show_default=True,
    metavar="N",
    help="How many conventions to try, those with the fewest differences first.",
)
@options.output_options("markdown", "json")
def impact(
    files: tuple[str, ...],
    qrels: str | None,
    runs: tuple[str, ...],
    measure_text: str,
    under: str,
    most: int,
    *,
    of_libraries: bool,
    output: Output,
) -> None:
    """Show how much the convention matters for these runs: each run's range of values, and which runs swap ranks.

    \b
    rankspec impact qrels.txt a.run b.run -m AP@10
    rankspec impact qrels.txt runs/ -m nDCG@10 --libraries

    Every convention that makes a difference on these runs is tried, up to --most; values are exact. Two runs swap ranks
    if the better one under --under is the worse one under another convention. Kendall's tau is tau-a.

    Exit status: 0, whatever is found; 2 if the call or an input is wrong.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    qrels, runs = files_by_position(files, qrels, runs)
    listed = runs_of(runs)
    if qrels is None or len(listed) < _FEWEST or len(set(listed)) < len(listed):
        named = ", ".join(listed) or "no run"
        raise CallError(f"{named}: give the qrels and two or more different runs", code="run-missing")
    if STANDARD_INPUT in {qrels, *listed}:
        raise CallError("files are read by their names here, not from standard input", code="standard-input-twice")
    measure = named_measure(measure_text)
    base = convention_named(under, measure)
    read = {name: read_run(name, Repeated.KEPT, base.reading) for name in listed}
    has_ties = any(map(_has_ties, read.values()))
    libraries = following(shipped_records(), measure, has_ties=has_ties)
    if of_libraries and not libraries:
        raise AtlasError(
            f"--libraries: the atlas has no library whose convention for {measure} is known",
            code="convention-not-recorded",
        )
    judged = read_qrels(qrels, base.reading)
    for name, run in read.items():
        unmatched(list(judged), list(run), name)
    only = tuple(libraries) if of_libraries else None
    with progress_bars.bar("impact") as progress:
        effects = impact_of(measure, judged, read, base, only=only, most=most, progress=progress)
    left_out = not_following(shipped_records(), measure, has_ties=has_ties)
    report = partial(impact_report, effects, libraries, of_libraries=of_libraries, left_out=left_out)
    output.show(json=lambda: impact_data(effects, libraries), markdown=lambda: markdown(report()), text=report)


def _has_ties(run: Run) -> bool:
    """Tell whether a query has documents of equal scores, if only in singles."""
    lists = (run.documents(query) for query in run)
    return any(len({as_float32(each.score) for each in listed}) < len(listed) for listed in lists)
