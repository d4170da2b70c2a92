"""`rankspec check`: hold implementations to a convention, and say where theirs differ."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

import click
from rankspec.conformance.atlas.convention_names import convention_named
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.files import CheckFiles, check_files_options
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.implementations.specs import functions_of, metric_classes
from rankspec.conformance.reports.checks.check import cases_table, check_data, check_report
from rankspec.conformance.run import progress_bars
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.worker_process import NotReady
from rankspec.conformance.verbs.check import Checking, CheckQuestion
from rankspec.conformance.verbs.implementations import make_environments, named_implementations
from rankspec.oracle.language.trec_eval_names import named_measure


@click.command()
@click.argument("implementations", nargs=-1, required=True, metavar="IMPL...")
@click.option(
    "--under", metavar="CONVENTION", help="The convention to hold them to; by default, each its declared one."
)
@click.option(
    "--choices",
    metavar="CONVENTION",
    help="What functions do where textbooks leave the choice, e.g. 'default[ties=grouped]', or where you accept "
    "another rule; by default, what their answers show. What textbooks don't define is not counted.",
)
@click.option(
    "-m", "--measure", metavar="M", help="What a function computes, e.g. AP@10; every input is asked under it."
)
@click.option("--cases", "pattern", metavar="GLOB", help="Only cases whose id matches, e.g. 'edge.ties.*'.")
@options.fixtures_option
@options.shape_option
@options.python_option
@check_files_options
@options.limits_options
@click.option(
    "--run-seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="Time limit of the whole run, identifying included; questions left then are timeouts (no limit).",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many implementations are checked at a time (as many as there are processors).",
)
@click.option(
    "--identify/--no-identify",
    "search",
    default=None,
    help="Identify the implementation to name the fault; your own functions are identified by default.",
)
@options.all_option
@options.output_options("csv", "json")
def check(
    implementations: tuple[str, ...],
    under: str | None,
    choices: str | None,
    measure: str | None,
    pattern: str | None,
    paths: tuple[Path, ...],
    shape: str | None,
    python: str | None,
    run_seconds: float | None,
    jobs: int | None,
    *,
    search: bool | None,
    limits: Limits,
    files: CheckFiles,
    every_case: bool,
    output: Output,
) -> None:
    """Check IMPLEMENTATIONS against the convention that each declares, or against one that you state.

    IMPL is an adapter (sklearn, ranx, pytrec_eval), also at a version, which gets an environment of its own
    (ranx==0.3.16), path/to/file.py:function or package.module:function, or a program: "jsonl:COMMAND" speaks the line
    protocol, "cmd:COMMAND {qrels} {run}" prints trec_eval's three columns. Two versions of one library end with the
    table of the cases that changed. Of a file with one public function the name is enough (path/to/file.py); of one
    with several, and of a class with several methods (path/to/file.py:Class), every ranking metric is checked.

    Your own function is identified first. Without --measure it is held to the measure that it computes; without --under
    to the textbook, with its own choices where textbooks leave one (ties, repeated documents, queries without relevant
    documents), or with --choices. --no-identify holds it to the measure in its name (ndcg_at_k), else to AP, under
    default.

    A run that --stream keeps can be rendered and merged with `rankspec report`, and compared with `rankspec diff`.

    Ctrl-C ends the run and prints what is known so far.

    Exit status: 0 if every case conforms, 1 if a case does not or was not asked in time, 2 if the call or
    an input is wrong, 130 after Ctrl-C.
    """
    files.require_writable()
    texts = tuple(chain.from_iterable(map(functions_of, implementations)))
    of_file = len(implementations) == 1 < len(texts)
    named = named_implementations(texts, shape, python)
    stated = None if measure is None else named_measure(measure)
    question = CheckQuestion(
        options.chosen_cases(paths, pattern),
        stated,
        None if under is None else convention_named(under, stated),
        None if choices is None else convention_named(choices, stated),
        search,
        files.known(),
        is_every_case=pattern is None and not paths,
    )
    make_environments(named)
    with progress_bars.lines(each.text for each in named) as begin, ExitStack() as closing:
        checking = Checking(question, named, limits, begin, run_seconds, of_file=of_file)
        stream = None if files.stream is None else closing.enter_context(checking.stream_to(files.stream))
        batch = checking.run(jobs, stream)
        record = checking.record(batch)
        update = files.write_known_failures(question.known_failures, record)
        if update is not None:
            record = checking.gated(record, update.known)
        if stream is not None:
            stream.footer(check_data(record))
    try:  # first the files: whoever reads what is printed may stop reading (`| head`)
        files.outputs.write(record)
    finally:
        output.show(
            json=lambda: check_data(record),
            csv=lambda: cases_table(record),
            text=lambda: check_report(record, every_case=every_case, in_short=checking.is_page),
        )
        if checking.left_out and output.format == "text":
            click.echo(
                f"Not checked, as no known way to call it gives a ranking metric: {', '.join(checking.left_out)}."
            )
        modules = [each for each in implementations if each.endswith(".py")]
        by_name = [f"{each}:{name}" for each in modules for name in metric_classes(each)]
        beside = [each for each in by_name if not any(text.startswith(each) for text in texts)]
        if beside and output.format == "text":
            click.echo("Classes are checked by name:")
            click.echo("\n".join(f"  rankspec check {shlex.quote(each)}" for each in beside))
        for line in files.written_lines(update):
            click.echo(line, err=output.format != "text")
    if batch.interruption is not None:
        raise click.Abort
    if batch.not_ready:
        raise NotReady("; ".join(batch.not_ready), code="not-ready")
    sys.exit(0 if record.holds else 1)
