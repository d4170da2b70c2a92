"""`rankspec compare`: which of several runs differ, and whether significantly."""

from __future__ import annotations

from pathlib import Path

import click
from rankspec.conformance.atlas.convention_names import convention_named
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import CallError, Output
from rankspec.conformance.reports.compare import (
    comparison_data,
    comparison_report,
    pairs_report,
    pairs_table,
    runs_table,
    table_caption,
)
from rankspec.conformance.run import progress_bars
from rankspec.conformance.verbs.compare import evaluate_files, level
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.readers.lines import STANDARD_INPUT
from rankspec.oracle.scoring.significance.comparing import Plan, SignificanceTest, compare_evaluated
from rankspec.oracle.scoring.significance.results import Correction, Side

_FEWEST = 2


@click.command()
@click.argument("files", nargs=-1, metavar="QRELS RUN1 RUN2 [RUN3 ...]")
@click.option("--qrels", metavar="FILE", help="TREC qrels, if the first of the files is a run; - is standard input.")
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="M", help="A measure, e.g. P@10; again for more (AP)."
)
@click.option("--under", default="default", metavar="CONVENTION", help="The convention (default).")
@click.option(
    "--test", type=click.Choice([str(test) for test in SignificanceTest]), default="randomization", show_default=True
)
@click.option(
    "--alternative",
    type=click.Choice([str(side) for side in Side]),
    default="two-sided",
    show_default=True,
    help="greater: is the first run of a pair the better one? less: is it the worse one?",
)
@click.option(
    "--correction",
    type=click.Choice([str(correction) for correction in Correction]),
    default="holm",
    show_default=True,
    help="For several pairs; each measure's pairs are a family.",
)
@click.option("--alpha", default="0.05", show_default=True, metavar="LEVEL", help="Significant is p <= LEVEL.")
@click.option(
    "--permutations",
    type=click.IntRange(1, 10**8),
    metavar="N",
    help="Draw N sign vectors, even where all could be counted (100000 where they can't).",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="S", help="The program that draws."
)
@click.option("--baseline", metavar="RUN", help="Compare every run with this one, instead of all pairs.")
@click.option("--pairs", is_flag=True, help="Print every pair: p-values, wins and losses, the largest differences.")
@click.option("--per-query", is_flag=True, help="Print every pair and every query.")
@options.plot_option
@options.output_options("csv", "json", "latex", "markdown")
def compare(
    files: tuple[str, ...],
    qrels: str | None,
    measures: tuple[str, ...],
    under: str,
    test: str,
    alternative: str,
    correction: str,
    alpha: str,
    permutations: int | None,
    seed: int,
    baseline: str | None,
    drawing: Path | None,
    *,
    pairs: bool,
    per_query: bool,
    output: Output,
) -> None:
    """Compare runs query by query, and say which differences are significant.

    \b
    rankspec compare qrels.txt run1.txt run2.txt
    rankspec compare qrels.txt base.run a.run b.run --baseline base.run -m AP -m P@10 --under trec_eval-9.0.8
    rankspec compare qrels.txt run1.txt run2.txt -m nDCG@10 --permutations 1000000 --seed 7

    Prints a row a run, the best first, and the letters of the runs that it is significantly better than. --pairs prints
    each pair with its p-value, --latex and --markdown the table for a paper.

    The p-value of the randomization test is exact, over all 2^n sign vectors, for up to 20 queries that differ, for
    hundreds with P@10, and for more where one run nearly always wins. Otherwise 100,000 sign vectors are drawn, as for
    AP of 50 queries: the p-value is then an estimate, (b+1)/(m+1), the same for the same seed on every machine, with an
    interval that holds the exact one with 99 % confidence (--pairs). The t test's p-value is undefined where all
    differences are the same.

    Queries that count in both runs are compared; the convention says what a missing query scores.

    Exit status: 0, whatever is found; 2 if the call or an input is wrong.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    options.require_no_measure(files)
    named = files if qrels is None else (qrels, *files)
    _require_sense(named, test, permutations)
    qrels, runs = named[0], named[1:]
    options.require_plotting(drawing)
    parsed = list(dict.fromkeys(named_measure(text) for text in measures or ("AP",)))
    convention = convention_named(under, *parsed)
    plan = Plan(
        test=SignificanceTest(test),
        side=Side(alternative),
        correction=Correction(correction),
        alpha=level(alpha),
        baseline=None if baseline is None else _named(baseline, runs),
        permutations=permutations,
        seed=seed,
    )
    evaluated = evaluate_files(parsed, qrels, dict(zip(runs, runs, strict=True)), convention)
    with progress_bars.lines(map(str, parsed)) as told:
        listeners = {measure: told(str(measure)) for measure in parsed}
        comparisons = compare_evaluated(
            *evaluated, plan, progress=lambda measure, done, of: listeners[measure].count(done, of)
        )
    if drawing is not None:
        from rankspec.conformance.reports.plots import plot_comparison

        plot_comparison(comparisons, drawing)
    caption = table_caption(comparisons, convention, plan, pairs=pairs)
    table = pairs_table(comparisons) if pairs else runs_table(comparisons, convention, plan)
    output.show(
        json=lambda: comparison_data(comparisons, convention, plan),
        csv=lambda: pairs_table(comparisons),
        latex=lambda: f"% {caption}\n{table.latex()}",
        markdown=lambda: f"{caption}\n\n{table.markdown()}",
        text=lambda: (
            pairs_report(comparisons, convention, plan, per_query=per_query)
            if pairs or per_query
            else comparison_report(comparisons, convention, plan)
        ),
    )


def _require_sense(files: tuple[str, ...], test: str, permutations: int | None) -> None:
    """Refuse (`CallError`) fewer than two runs, a run named twice, or permutations of a test that draws none."""
    runs = files[1:]
    if len(runs) < _FEWEST:
        reason = f"{runs[0]} as the only run" if runs else "no run is named"
        what = f"{files[0]} is read as qrels, {reason}" if files else "no file is named"
        raise CallError(f"{what}; a comparison needs qrels and two runs or more", code="run-missing")
    if files.count(STANDARD_INPUT) > 1:
        raise CallError("only one file can be standard input", code="standard-input-twice")
    for place, run in enumerate(runs):
        earlier = next((other for other in runs[:place] if _place(other) == _place(run)), None)
        if earlier is not None:
            also = "" if earlier == run else f", once as {earlier}"
            raise CallError(f"{run} is given twice{also}; a run does not differ from itself", code="run-repeated")
    if permutations is not None and test != SignificanceTest.RANDOMIZATION:
        raise CallError(
            f"--permutations belongs to --test {SignificanceTest.RANDOMIZATION}, and has no meaning for --test {test}",
            code="options-conflict",
        )


def _place(run: str) -> str:
    return run if run == STANDARD_INPUT else str(Path(run).resolve())


def _named(baseline: str, runs: tuple[str, ...]) -> str:
    """Return the run of `--baseline`: its name, place or file's name; `CallError` if none or several are meant."""
    for means in (
        lambda run: run == baseline,
        lambda run: _place(run) == _place(baseline),
        lambda run: Path(run).name == baseline,
        lambda run: Path(run).stem == baseline,
    ):
        meant = [run for run in runs if means(run)]
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise CallError(
                f"--baseline {baseline} is the name of {' and of '.join(meant)}; give its whole path",
                code="run-ambiguous",
            )
    raise CallError(f"--baseline {baseline} is none of the runs, which are {', '.join(runs)}", code="unknown-run")
