"""`rankspec drift`: between which versions a library's behaviour changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click
from rankspec.conformance.atlas.record import Record
from rankspec.conformance.atlas.records import AtlasError, load_records, named, write_record
from rankspec.conformance.atlas.versions import Said, Unasked, history, versions_asked, with_versions
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.files.whole_files import write_whole
from rankspec.conformance.checks.check import Listener, Plan, check
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import CallError, Output
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, known_adapters, parse
from rankspec.conformance.questions.question import Question, questions_of
from rankspec.conformance.reports.checks.check import check_data
from rankspec.conformance.reports.checks.stream import ReportFileError, read_check
from rankspec.conformance.reports.libraries.atlas import versions_data, versions_report
from rankspec.conformance.run import progress_bars
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.conformance.run.uv import published_versions
from rankspec.conformance.worker.loading import built_in
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.suggestions import suggestion

_MOST_DOCUMENTS = 16  # Of an input, retrieved and judged ones: what is small tells as much, in a tenth of the time
_FEWEST = 2


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
@click.option(
    "--keep",
    "records",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Write what was found into the newest record of the library there.",
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
    records: Path | None,
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
    if name not in known_adapters():
        near = suggestion(name, dict.fromkeys(known_adapters()))
        raise CallError(
            f"{name}: no adapter has this name{near}; `rankspec adapters` lists them", code="unknown-adapter"
        )
    measure = named_measure(measure_text)
    record = None if records is None else _record_of(records, name, measure)
    listed = versions.split(",") if versions else published_versions(built_in(name).distribution)
    chosen = _between([each.strip() for each in listed], first, last)
    asking = _VersionAnswers(name, measure, out, limits)
    answers = history(chosen, asking, bisect=bisect)
    if len(answers.asked) < _FEWEST:
        why = "; ".join(f"{version}: {why}" for version, why in answers.failed.items())
        raise SpecificationError(f"{name}: fewer than two versions could be asked: {why}", code="versions-missing")
    command = f"rankspec drift {name} --measure '{measure}'{' --bisect' if bisect else ''}"
    told = versions_asked(answers, {each.id: each for each in asking.questions}, command)
    if records is not None and record is not None:
        write_record(with_versions(record, name, str(measure), told), records)
    output.show(
        json=lambda: versions_data(name, str(measure), told, bisected=bisect),
        text=lambda: versions_report(name, str(measure), told, bisected=bisect),
    )
    click.get_current_context().exit(1 if told.changes else 0)


@dataclass
class _VersionAnswers:
    """Asks a version, or reads what it answered before."""

    name: str
    measure: Measure
    out: Path | None
    limits: Limits

    def __post_init__(self) -> None:
        every = questions_of(shipped_cases(), self.measure)
        self.questions: list[Question] = [each for each in every if sum(each.size[1:]) <= _MOST_DOCUMENTS]

    def __call__(self, version: str) -> Said:
        place = None if self.out is None else self.out / f"{self.name}-{version}-{self.measure}.json"
        if place is not None and place.exists():
            with suppress(ReportFileError, ValueError, KeyError):  # a damaged file is written anew
                content = place.read_bytes()
                if content.startswith(b'{"unasked"'):
                    return Unasked(str(json.loads(content)["unasked"]))
                return read_check(str(place), content).implementations[0]
        click.echo(f"{self.name} {version}", err=True)
        data = self._asked(parse(f"{self.name}=={version}"))
        if place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, json.dumps(data, ensure_ascii=False))
        if "unasked" in data:
            return Unasked(str(data["unasked"]))
        return read_check(version, json.dumps(data).encode()).implementations[0]

    def _asked(self, implementation: Implementation) -> dict[str, object]:
        try:
            with progress_bars.lines([implementation.text]) as told:
                shown = told(implementation.text)
                plan = Plan(self.questions, fixed_measure=True)
                listener = Listener(shown.count, on_preparing=shown.prepare)
                checked = check(implementation, plan, self.limits, listener, Halt())
        except SpecificationError as error:
            return {"unasked": str(error)}
        return check_data(record_of([checked], measure=self.measure))


def _between(versions: Sequence[str], first: str | None, last: str | None) -> list[str]:
    """Return the versions from one to another; `CallError` if one is not there, or fewer than two are left."""
    for option, wanted in (("--from", first), ("--to", last)):
        if wanted is not None and wanted not in versions:
            raise CallError(f"{option} {wanted}: not among the versions {', '.join(versions)}", code="unknown-version")
    low = 0 if first is None else versions.index(first)
    high = len(versions) - 1 if last is None else versions.index(last)
    if high - low + 1 < _FEWEST:
        raise CallError(f"two versions are needed; there are {', '.join(versions) or 'none'}", code="versions-missing")
    return list(versions[low : high + 1])


def _record_of(folder: Path, name: str, measure: Measure) -> Record:
    """Return the newest record with the measure of an adapter; `AtlasError` if there is none."""
    for record in reversed(named(load_records(folder), name)):
        if any(each.implementation == name and each.measure == str(measure) for each in record.measured):
            return record
    raise AtlasError(f"{folder}: no record in which {name} was asked for {measure}", code="measure-not-recorded")
