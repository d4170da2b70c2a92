"""Options that several verbs share, the cases that they choose, and the format of what is printed."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from rankspec.conformance.cases.plain_text import printable_json
from rankspec.conformance.run.limits import Limits
from rankspec.oracle.conventions.families import FAMILIES, UNSTATED
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError, UserError, suggestion
from rankspec.oracle.language.trec_eval_names import named_measure

if TYPE_CHECKING:
    from rankspec.conformance.cases.case import Case


Command = Callable[..., Any]

all_option = click.option(
    "--all", "every_case", is_flag=True, help="List every case that does not conform, not only the smallest ten."
)
fixtures_option = click.option(
    "--fixtures",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Case files of your own instead of the shipped ones.",
)
plot_option = click.option(
    "--plot",
    "drawing",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also draw it (out.svg, .pdf, .png); needs matplotlib.",
)


def _weights(context: click.Context, option: click.Parameter, file: str | None) -> Mapping[str, Fraction] | None:  # noqa: ARG001 - click's
    from rankspec.oracle.data.document_weights import read_weights

    return None if file is None else read_weights(file)


weights_option = click.option(
    "--weights",
    metavar="FILE",
    callback=_weights,
    help='What queries weigh in the mean: lines "query weight" (all the same).',
)

LISTS = (
    click.option("--verdicts", metavar="FILE", help="Verdicts on contexts in rank order, by query (JSON)."),
    click.option(
        "--statements", metavar="FILE", help="Verdicts on a reference's statements: attributed or not (JSON)."
    ),
    click.option("--detections", metavar="FILE", help="Scored detections, matched or not: a table or JSON."),
    click.option("--ground-truths", metavar="N", help="Their number, where --detections lacks it: 5, or cat=5,dog=2."),
)
"""Options of what is not qrels and a run, and has queries."""

_FORMATS = {
    "page": "Print the page of the documentation (Markdown).",
    "latex": "Print a fragment of LaTeX (formulas need amsmath, tables booktabs).",
    "markdown": "Print Markdown.",
    "csv": "Print comma-separated values instead of text.",
    "json": "Print one JSON object instead of text.",
}
"""The formats that options ask for, and what each option says."""


class CallError(UserError):
    """Arguments of a verb that can't be meant: two that exclude each other, a file that can't be written."""


class Output(NamedTuple):
    """What is printed: text for people, or the format that an option asks for."""

    format: str = "text"

    def show(self, **writers: Callable[[], Any]) -> None:
        """Print what the writer of the format returns: an object, a table, a report, or a finished text.

        A format without a writer is that of the text's report: its tables alone are its comma-separated values.
        """
        written = (writers.get(self.format) or writers["text"])()
        if self.format == "json":
            import json

            click.echo(printable_json(json.dumps(written, indent=2, ensure_ascii=False, allow_nan=False)))
        elif isinstance(written, str):
            click.echo(written, nl=not written.endswith("\n"))
        else:
            from rankspec.conformance.reports.blocks import csv_text, show

            if self.format == "csv":
                click.echo(csv_text(written), nl=False)
            else:
                show(written)


def output_options(*formats: str) -> Callable[[Command], Command]:
    """Give a command an option for each format, and what is chosen as one argument, `output`."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_output(*arguments: Any, **named: Any) -> Any:
            chosen = [name for name in formats if named.pop(f"as_{name}")]
            if len(chosen) > 1:
                listed = [f"--{name}" for name in formats]
                raise CallError(
                    f"{', '.join(listed[:-1])} and {listed[-1]} exclude each other; give one", code="options-conflict"
                )
            return command(*arguments, output=Output(*chosen), **named)

        for name in reversed(formats):
            with_output = click.option(f"--{name}", f"as_{name}", is_flag=True, help=_FORMATS[name])(with_output)
        return with_output

    return decorate


def list_options(command: Command) -> Command:
    """Give a command the options that lists of verdicts and detections are given by."""
    for option in reversed(LISTS):
        command = option(command)
    return command


def require_plotting(drawing: Path | None) -> None:
    """Refuse (`InputError`) a picture that could not be drawn, before anything is computed."""
    if drawing is not None:
        from rankspec.conformance.reports.plots import require_plotting

        require_plotting(drawing)


def chosen_cases(paths: tuple[Path, ...], pattern: str | None = None) -> list[Case]:
    """Return the cases that the options choose; `CatalogueError` for a faulty file, `CallError` if none matches."""
    from rankspec.conformance.cases.catalogue import load_cases, matching, shipped_cases

    cases = matching(load_cases(paths) if paths else shipped_cases(), pattern)
    if not cases:
        if pattern is None:
            raise CallError(f"{', '.join(map(str, paths))}: no case in there", code="no-cases")
        raise CallError(
            f"--cases {pattern}: no case has such an id; `rankspec fixtures list` shows them", code="unknown-case"
        )
    return cases


class Verbs(click.Group):
    """A group of verbs."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; `click.UsageError` for none of that name, or an option of one value given twice."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            known = self.list_commands(ctx)
            near = suggestion(args[0], known) or f"; there are {', '.join(known)}"
            raise click.UsageError(f"there is no verb {args[0]!r}{near}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            context = click.Context(command, parent=ctx, info_name=name, **command.context_settings)
            # Of a repetition click would keep the last, and drop the others without a word.
            _, _, order = command.make_parser(context).parse_args(list(rest))
            for parameter, count in Counter(order).items():
                once = isinstance(parameter, click.Option) and not (parameter.multiple or parameter.count)
                if count > 1 and once and isinstance(parameter, click.Option) and not parameter.is_flag:
                    raise click.UsageError(
                        f"{max(parameter.opts, key=len)} is given {count} times; give it once", context
                    )
        return name, command, rest


def files_by_position(
    files: tuple[str, ...], qrels: str | None, runs: tuple[str, ...]
) -> tuple[str | None, tuple[str, ...]]:
    """Return the first file as qrels, the others as runs (a table as both); `CallError` if also named, or alone."""
    if not files:
        return qrels, runs
    if qrels is not None or runs:
        raise CallError("files stand by position and after --qrels or --run; give them once", code="argument-repeated")
    require_no_measure(files)
    from rankspec.oracle.readers.tables import holds_both  # most calls have no file, or two

    if len(files) == 1 and holds_both(files[0]):
        return files[0], files
    if len(files) == 1:
        raise CallError(f"{files[0]}: one file; give the qrels, then the run", code="run-missing")
    return files[0], files[1:]


def require_no_measure(files: Iterable[str]) -> None:
    """Refuse (`CallError`) a measure among files, unless a file has that name."""
    for word in files:
        with suppress(ConventionError):
            if not Path(word).exists() and named_measure(word):
                raise CallError(f"{word} is a measure, and no file; write -m {word}", code="measure-misplaced")


# ---- Specifications

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
        *arguments: Any, case_seconds: float | None, startup_seconds: float | None, memory_mib: int | None, **named: Any
    ) -> Any:
        default = Limits()
        limits = Limits(
            case_seconds=default.case_seconds if case_seconds is None else case_seconds,
            startup_seconds=startup_seconds,
            memory_bytes=default.memory_bytes if memory_mib is None else memory_mib * 2**20,
        )
        return command(*arguments, limits=limits, **named)

    return with_limits


# ---- Inputs

_OPTIONS = (
    click.argument("files", nargs=-1, metavar="[QRELS RUN | 1,0,1]"),
    click.option("--relevance", metavar="1,0,1", help="Labels in rank order."),
    click.option("--num-relevant", metavar="R", help="Relevant documents, retrieved or not (by default the hits)."),
    click.option("--labels", metavar="1,0,1", help="Labels, one per document; needs --scores."),
    click.option("--scores", metavar="0.9,0.5,0.5", help="Scores, one per document, read as exact decimals."),
    click.option("--sample-weight", metavar="2,1,0.5", help="What each document of --labels weighs."),
    click.option("--actual", metavar="a,b", help="Relevant ids; needs --predicted."),
    click.option("--predicted", metavar="a,c,b", help="Ids in rank order."),
    click.option("--qrels", metavar="FILE", help="Qrels: TREC, CSV, TSV, JSON, Parquet; - is standard input."),
    click.option("--run", metavar="FILE", help="A run: TREC, CSV, TSV, JSON, Parquet; - is standard input."),
    *LISTS,
    click.option("--query", metavar="Q", help="One query of the files (a class) instead of their mean."),
    click.option(
        "-m",
        "--measure",
        "measure_text",
        metavar="M",
        help="The measure that the number is reported as, e.g. AP@10 (AP).",
    ),
    click.option("--k", "k_text", metavar="K", help="A cutoff: --k 10 is AP@10."),
)


def input_options(command: Command) -> Command:
    """Give a command the options that data is given by."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def with_files(files: tuple[str, ...], options: dict[str, str | None]) -> dict[str, str | None]:
    """Return the options with files, or labels (`explain 1,0,1`), by position; `CallError` if also named or odd."""
    if len(files) == 1 and options["relevance"] is None and re.fullmatch(r"\d+(,\d+)+", files[0]):
        return {**options, "relevance": files[0]}
    stated = () if options["run"] is None else (options["run"],)
    qrels, runs = files_by_position(files, options["qrels"], stated)
    if len(runs) > 1:
        raise CallError(f"{runs[1]}: a second run; give the qrels and one run", code="too-many-runs")
    return {**options, "qrels": qrels, "run": runs[0] if runs else None}


def read_measure(measure_text: str | None, k_text: str | None) -> Measure:
    """Return the measure of the options, AP by default; `ConventionError` if there is none such, or two cutoffs."""
    k = None
    if k_text is not None:
        from rankspec.conformance.data.arguments import whole_number  # `score` does without what reads other data

        k = whole_number(k_text, "--k")
    if measure_text is None:
        return Measure(UNSTATED, k)
    if k is not None and (name := measure_text.strip()) in FAMILIES and FAMILIES[name].cuts_by_score:
        return Measure(name, k)
    measure = named_measure(measure_text)
    if k is None or measure.k == k:
        return measure
    if measure.k is not None:
        raise ConventionError(f"--k {k} and --measure {measure} name two cutoffs; give one", code="argument-repeated")
    return replace(measure, k=k)
