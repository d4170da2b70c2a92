"""`rankspec check`: hold implementations to a convention, and say where theirs differ."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path

import click
from rankspec.conformance.atlas.convention_names import convention_named
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.checks.answer import Answer, Checked
from rankspec.conformance.checks.check import Listener, Plan
from rankspec.conformance.checks.known_failures import KnownFailures, gate, reason_for
from rankspec.conformance.checks.parallel import INTERRUPTED, CheckBatch, check_all
from rankspec.conformance.checks.recording import (
    GREETING,
    answer_record,
    differences,
    greeting_record,
    own_version,
    record_of,
)
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.files import CheckFiles, check_files_options
from rankspec.conformance.cli.support.options import CallError, Output
from rankspec.conformance.implementations.specs import Implementation, functions_of
from rankspec.conformance.infer.identify.diagnosis import diagnosed
from rankspec.conformance.infer.identify.textbook_plan import OwnPlan, own_plan
from rankspec.conformance.reports.checks.check import cases_table, check_data, check_report
from rankspec.conformance.reports.checks.stream import StreamWriter
from rankspec.conformance.run import progress_bars
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.conformance.run.worker_process import NotReady
from rankspec.conformance.verbs.implementations import is_metric, make_environments, named_implementations
from rankspec.conformance.worker.messages import Hello
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.language.trec_eval_names import named_measure


@click.command()
@click.argument("implementations", nargs=-1, required=True, metavar="IMPL...")
@click.option(
    "--under", metavar="CONVENTION", help="The convention to hold them to; by default, each its declared one."
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
    documents). --no-identify holds it to the measure in its name (ndcg_at_k), else to AP, under default.

    A run that --stream keeps can be rendered and merged with `rankspec report`, and compared with `rankspec diff`.

    Ctrl-C ends the run and prints what is known so far.

    Exit status: 0 if every case conforms, 1 if a case does not or was not asked in time, 2 if the call or
    an input is wrong, 130 after Ctrl-C.
    """
    files.require_writable()
    texts = tuple(chain.from_iterable(map(functions_of, implementations)))
    one_page = len(implementations) == 1 < len(texts)
    named = _distinct(named_implementations(texts, shape, python))
    stated, cases = None if measure is None else named_measure(measure), options.chosen_cases(paths, pattern)
    convention = None if under is None else convention_named(under, stated)
    known = files.known()
    make_environments(named)
    with progress_bars.lines(each.text for each in named) as begin, ExitStack() as closing:
        halt, start = Halt(run_seconds), time.monotonic()
        connectable = ((each.text, Workers(each, limits, halt)) for each in named)
        by_name = {text: workers for text, workers in connectable if not one_page or is_metric(workers)}
        plans, interruption = _plans(
            by_name,
            lambda name, search: own_plan(by_name[name], cases, stated, convention, begin(name).tell, search=search),
            search=search,
        )
        stream = closing.enter_context(_stream(files.stream, {name: own.plan for name, own in plans.items()}, stated))

        def listener(implementation: Implementation) -> Listener:
            name = implementation.text
            return _listener(name, begin(name), stream, plans[name].plan, known)

        if interruption is None:
            each_plan, spent = [own.plan for own in plans.values()], time.monotonic() - start
            together = check_all(
                [each.implementation for each in by_name.values()],
                each_plan,
                limits,
                jobs=jobs,
                run_seconds=run_seconds,
                spent=spent,
                listen=listener,
            )
        else:  # no case was put yet
            together = CheckBatch((), tuple(by_name), reason=INTERRUPTED, interruption=interruption)
        if together.complete:
            _require_answers(together.checks)

            def diagnose(checked: Checked) -> Checked:
                tell, identification = begin(checked.name).tell, plans[checked.name].identification
                connectable = by_name[checked.name]
                return diagnosed(
                    checked, connectable, stated, known, search=search, tell=tell, identification=identification
                )

            together = _with_diagnoses(together, diagnose)
        checks = together.checks
        is_compared = len(checks) > 1 and not one_page
        rows = differences(checks, {case.id: case.clause for case in cases}) if is_compared else []
        whole = pattern is None and not paths and together.complete
        record = gate(record_of(checks, rows, stated, together), known, all_cases=whole)
        update = files.write_known_failures(known, record)
        if update is not None:
            record = gate(record, update.known, all_cases=whole)
        if stream is not None:
            stream.footer(check_data(record))
    try:  # first the files: whoever reads what is printed may stop reading (`| head`)
        files.outputs.write(record)
    finally:
        output.show(
            json=lambda: check_data(record),
            csv=lambda: cases_table(record),
            text=lambda: check_report(record, every_case=every_case, in_short=one_page),
        )
        if (line := files.written_line(update)) is not None:
            click.echo(line, err=output.format != "text")
    if together.interruption is not None:
        raise click.Abort
    if together.not_ready:
        raise NotReady("; ".join(together.not_ready), code="not-ready")
    sys.exit(0 if record.holds else 1)


def _distinct(implementations: list[Implementation]) -> list[Implementation]:
    """Return them, or refuse (`CallError`) the same name twice: findings are kept, and reported, under it."""
    for name, count in Counter(each.text for each in implementations).items():
        if count > 1:
            raise CallError(
                f"{name} is named {count} times; name each implementation once", code="implementation-repeated"
            )
    return implementations


def _plans(
    names: Iterable[str], plan_of: Callable[..., OwnPlan], *, search: bool | None
) -> tuple[dict[str, OwnPlan], KeyboardInterrupt | None]:
    """Return what each is checked with; after an interruption without identifying the others, and what it was."""
    plans: dict[str, OwnPlan] = {}
    interruption: KeyboardInterrupt | None = None
    for name in names:
        try:
            plans[name] = plan_of(name, search=search if interruption is None else False)
        except KeyboardInterrupt as error:
            interruption = error
            plans[name] = plan_of(name, search=False)
    return plans, interruption


def _require_answers(checks: Sequence[Checked]) -> None:
    """Refuse to call it fine when not one question could be put; the `CallError` has the commonest reason."""
    if any(checked.asked for checked in checks):
        return
    name, answers = checks[0].name, checks[0].answers
    commonest = Counter(answer.judgement.detail for answer in answers).most_common(1)
    reason = commonest[0][0] if commonest else "the cases are about no measure that is known"
    raise CallError(f"{name}: it can't be asked any of the {len(answers)} questions: {reason}", code="nothing-asked")


def _with_diagnoses(together: CheckBatch, diagnose: Callable[[Checked], Checked]) -> CheckBatch:
    """Diagnose one implementation after the other; an interruption ends that, and loses no answer.

    What takes the time is done in this process, and several threads would do it no sooner.
    """
    checks = list(together.checks)
    try:
        for place, checked in enumerate(checks):
            checks[place] = diagnose(checked)
    except KeyboardInterrupt as interruption:
        return replace(together, checks=tuple(checks), interruption=interruption)
    return replace(together, checks=tuple(checks))


@contextmanager
def _stream(path: Path | None, plans: Mapping[str, Plan], measure: Measure | None) -> Iterator[StreamWriter | None]:
    """Open the file, if any, that answers are written to as they come; `CallError` if it can't be written."""
    if path is None:
        yield None
        return
    header = {
        "rankspec": own_version(),
        "implementations": [
            {"name": name, "convention": None if plan.under is None else convention_text(plan.under)}
            for name, plan in plans.items()
        ],
        "measure": None if measure is None else str(measure),
        "questions": max(len(plan.questions) for plan in plans.values()),
        "to_come": sum(len(plan.questions) for plan in plans.values()),
    }
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            yield StreamWriter(file, header)
    except OSError as error:
        raise CallError(
            f"--stream {path}: can't be written: {error.strerror or error}", code="file-not-writable"
        ) from None


def _listener(
    name: str, line: progress_bars.ProgressLine, stream: StreamWriter | None, plan: Plan, known: KnownFailures
) -> Listener:
    """Return what hears how far an implementation is, and writes what it says into the stream."""
    if stream is None:
        return Listener(line.count, None, None, line.prepare)
    places = {question.id: place for place, question in enumerate(plan.questions)}

    def answer(answer: Answer) -> None:
        question = answer.question
        fails = answer.verdict.asked and not answer.verdict.conforms
        rules = answer.judgement.conventions
        reason = reason_for(known, name, (question.id, *question.cases), rules) if fails else None
        stream.answer(name, places[question.id], data_of(answer_record(answer, reason)))

    def hello(hello: Hello, convention: Convention) -> None:
        greeting = greeting_record(name, hello, convention_text(convention), questions=len(places), cases=())
        stream.implementation(data_of(greeting, *GREETING))

    return Listener(line.count, answer, hello, line.prepare)
