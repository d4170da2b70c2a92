"""`rankspec atlas` and `rankspec cite`: who follows which convention, as it was measured; and measuring it again."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from rankspec.conformance.atlas.census import Census
from rankspec.conformance.atlas.changes import AtlasChange, changes
from rankspec.conformance.atlas.following import measured_as
from rankspec.conformance.atlas.measuring import asked_in, is_installed, measure_again
from rankspec.conformance.atlas.record import Record
from rankspec.conformance.atlas.records import AtlasError, load_records, named, shipped_records, write_record
from rankspec.conformance.atlas.versions import carried_over
from rankspec.conformance.cli import options, progress, specifications
from rankspec.conformance.cli.options import Output
from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.reports.atlas import (
    changes_report,
    citation_data,
    library_data,
    library_report,
    matrix,
    matrix_data,
    matrix_report,
    of_measure,
)
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.reports.plain import plain
from rankspec.conformance.run.limits import Limits
from rankspec.oracle.language.trec_eval_names import named_measure


@click.command()
@click.argument("name", required=False)
@click.option("--measure", metavar="M", help="Only this measure: AP, with every cutoff, or AP@10.")
@click.option("--measure-again", "again", is_flag=True, help="Measure anew, and say what changed since the record.")
@click.option("--only", multiple=True, metavar="NAME", help="What is measured anew, e.g. ranx or ranx==0.3.16.")
@click.option("--census", "whole", is_flag=True, help="Measure everything anew into --out, or go on with it.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help="Keep the records made there."
)
@click.option(
    "--from",
    "notes",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    metavar="FILE",
    help="Make records of kept answers of `identify --json` (files or folders), or add to those in --out.",
)
@click.option(
    "--site-packages",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Where the libraries of --from say what they are.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="How many at a time (census)."
)
@click.option(
    "--record-seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=1800,
    show_default=True,
    help="Time for one record (census).",
)
@specifications.limits_options
@options.output_options("csv", "json")
def atlas(
    name: str | None,
    measure: str | None,
    only: tuple[str, ...],
    out: Path | None,
    notes: tuple[Path, ...],
    site_packages: tuple[Path, ...],
    jobs: int,
    record_seconds: float,
    *,
    limits: Limits,
    again: bool,
    whole: bool,
    output: Output,
) -> None:
    """Say which convention each library was found to follow, and with NAME all that is known of one library.

    \b
    rankspec atlas --measure AP
    rankspec atlas recommenders
    rankspec atlas --measure-again --only ranx
    rankspec atlas --census --out census/ --jobs 2

    NAME is a library or an adapter, also at a version (haystack==2.3.0). Every row was measured by the command that
    stands in its record. --measure-again asks in this environment if the library is in it, else in one that is made
    for the version of the record. --census does so for all of them, each in a process of its own: one that hangs or
    crashes is a row, and what is in --out is not asked again.

    Exit status: 0; 1 if a measurement differs from its record; 2 if the call is at fault.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    _require_sense(name, only, out, notes, again=again, whole=whole)
    if notes and out is not None:
        _keep(notes, site_packages, out)
        return
    if again or whole:
        wanted = [each for text in only for each in named(shipped_records(), text)] or list(shipped_records())
        wanted = list(of_measure(wanted, measure))
        if whole and out is not None:
            passed = _passed_on()
            found = _all(wanted, Census(out, _command(out, passed), jobs, record_seconds))
        else:
            found = _again(wanted, out, limits)
        output.show(
            json=lambda: {"schema": "rankspec/atlas-changes/1", "changes": plain(found)},
            text=lambda: changes_report(found),
        )
        click.get_current_context().exit(1 if any(each.what for each in found) else 0)
    records = of_measure(shipped_records() if name is None else named(shipped_records(), name), measure)
    if not records:
        raise AtlasError(f"--measure {measure}: the atlas has no such measure{'' if name is None else f' of {name}'}")
    output.show(
        json=lambda: matrix_data(records) if name is None else library_data(records),
        csv=lambda: matrix(records, whole=True),
        text=lambda: matrix_report(records) if name is None else library_report(records),
    )


def _require_sense(
    name: str | None,
    only: tuple[str, ...],
    out: Path | None,
    notes: tuple[Path, ...],
    *,
    again: bool,
    whole: bool,
) -> None:
    """Refuse options that say nothing together.

    Raises:
        click.UsageError: they don't.
    """
    if sum((again, whole, bool(notes))) > 1:
        raise click.UsageError("--measure-again, --census and --from are three things to do; give one")
    if only and not (again or whole):
        raise click.UsageError("--only says what is measured anew; give --measure-again")
    if again and not only:
        raise click.UsageError("--measure-again: which library? Give --only NAME; --census measures all")
    if name is not None and (again or whole or notes):
        raise click.UsageError(f"{name}: what is measured anew is named by --only {name}")
    if (whole or notes) and out is None:
        raise click.UsageError("--out FOLDER says where the records are kept, and is needed here")
    if out is not None and not (again or whole or notes):
        raise click.UsageError("--out is for records that are made; give --measure-again, --census or --from")


def _told(text: str) -> None:
    click.echo(text, err=True)


def _again(records: list[Record], out: Path | None, limits: Any) -> list[AtlasChange]:
    found: list[AtlasChange] = []
    for record in records:
        asked = asked_in(record)
        if not asked:
            raise AtlasError(f"{record.id}: {record.why or 'what was asked is a program that is not here'}")
        with progress.bar(record.id) as tell:
            measured = measure_again(asked, identification_data, limits, _told, tell)
        for made in measured:
            new = carried_over(record, made)
            found += changes(record, new)
            if out is not None:
                out.mkdir(parents=True, exist_ok=True)
                write_record(new, out)
    return found


def _passed_on() -> list[str]:
    """Return the options that each process of a census is given too."""
    given = click.get_current_context().params
    names = ("measure", "case_seconds", "startup_seconds", "memory_mib")
    stated = {f"--{name.replace('_', '-')}": given[name] for name in names if given[name] is not None}
    return [word for name, value in stated.items() for word in (name, str(value))]


def _command(out: Path, passed: Sequence[str]) -> Callable[[Record], list[str]]:
    main = "from rankspec.conformance.cli.main import main; main()"

    def command(record: Record) -> list[str]:
        only = record.library if record.version is None else f"{record.library}=={record.version}"
        words = ["atlas", "--measure-again", "--only", only, "--out", str(out), *passed]
        return [sys.executable, "-c", main, *words]

    return command


def _all(records: list[Record], census: Census) -> list[AtlasChange]:
    """Take the census; on a terminal a bar says how long it will be, elsewhere a line a record what is there."""
    found: list[AtlasChange] = []
    listed = [record for record in records if asked_in(record)]
    with progress.counting("records", len(listed)) as told:
        for number, counted in enumerate(census.run(listed), start=1):
            new = counted.new
            there = " is there already" if counted.before else "" if new.why is None else f": {new.why}"
            told(number, f"{number} of {len(listed)}: {new.id}{there}")
            if new.why is not None:
                name, version = new.library, new.version or ""
                found.append(AtlasChange(name, "all", (version, version), (f"not measured: {new.why}",)))
            found += [] if counted.before else changes(counted.old, new)
    return found


def _keep(notes: tuple[Path, ...], site_packages: tuple[Path, ...], out: Path) -> None:
    """Write the records that kept answers make; what else is measured in those that are there stays."""
    from rankspec.conformance.atlas.writing import added_to, not_measured, records_of

    files = [path for each in notes for path in (sorted(each.glob("*.json")) if each.is_dir() else [each])]
    read = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    answers = [each for each in read if isinstance(each, dict) and "_note" in each]
    reasons = [entry for each in read if isinstance(each, list) for entry in each if "why" in entry and "name" in entry]
    out.mkdir(parents=True, exist_ok=True)
    there = {each.id: each for each in load_records(out)}
    for record in (*not_measured(reasons), *records_of(answers, site_packages)):
        click.echo(str(write_record(added_to(there.get(record.id), record), out)))


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--measure", "measure_text", required=True, metavar="M", help="What was computed, e.g. AP@10.")
@click.option("--recorded", is_flag=True, help="By the record, without asking the library again.")
@specifications.limits_options
@options.output_options("json")
def cite(
    name: str,
    measure_text: str,
    *,
    limits: Limits,
    recorded: bool,
    output: Output,
) -> None:
    """Write the sentence and the BibTeX entry that state what a library computes.

    \b
    rankspec cite ranx --measure AP@10
    rankspec cite recommenders==1.2.1 --measure AP@3

    Where the library is installed at the version of its record, it is asked again, and what is found now is stated.

    Exit status: 0; 1 if no convention explains what it does; 2 if the call is at fault.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    measure = named_measure(measure_text)
    record = [each for each in named(shipped_records(), name) if each.measured or each.why][-1]
    adapter = name.partition("==")[0].strip()
    found = measured_as(record, measure)
    own = [each for each in found if each.spec.partition("==")[0] == adapter] or found
    if not own:
        why = record.why or f"{', '.join(dict.fromkeys(each.measure for each in record.measured))} were"
        raise AtlasError(f"{record.id}: {measure} was not measured: {why}")
    (each, *_) = own
    verified = f"measured on {each.date}, Python {each.python}"
    if not recorded and each.spec.partition("==")[0] in known_adapters() and is_installed(each.spec):
        (record,) = measure_again([(each.spec, str(measure))], identification_data, limits, _told)
        (each,) = record.measured
        verified = f"verified by rankspec on {each.date}, Python {each.python}"
    elif each.measure != str(measure):
        verified += f", for {each.measure}"
    data = citation_data(record, each, str(measure), verified)
    output.show(json=lambda: data, text=lambda: f"{data['sentence']}\n\n{data['bibtex']}")
    click.get_current_context().exit(0 if each.is_whole else 1)
