"""What `identify` says of every adapter, and of functions of libraries that have none: one row each, and a table.

    python benchmarks/identify_libraries.py --answers FOLDER [--table FILE] [NAME ...]
    python benchmarks/identify_libraries.py --atlas FOLDER [NAME ...]

Each row is a process of its own, one at a time; its answer is kept in FOLDER, and what is there is not asked again. A
library that is not in this environment at the version of its row gets one of its own (see `rankspec environments`),
made before the clock starts. `--table` writes the table of what is in FOLDER; what is missing is listed as not run.
`--atlas` asks the functions alone, each for every measure that `libraries.toml` states, and keeps the answers as
`.ci/atlas --from FOLDER` reads them.
"""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import inspect
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import click
import library_functions
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.implementations.pinned import Pinned, split_version, version_order
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, known_adapters, parse
from rankspec.conformance.infer.identify.identify import identify
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.run.environments import environment_of
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.worker.loading import built_in
from rankspec.oracle.language.expression import expression_text, parse_expression

sys.path.append(str(Path(__file__).resolve().parents[1] / ".ci"))
from measuring import is_installed, with_note

HERE = Path(__file__).resolve().parent
LIMITS = Limits(case_seconds=60, startup_seconds=600, lost_seconds=120)
"""On a busy machine an import takes a minute; a limit changes no answer, only who gives one."""
STATUSES = ("identified", "ambiguous", "outside", "unstable", "failed", "stopped", "not asked")
LONGEST_LINE = 220


@dataclass(frozen=True)
class Row:
    """Who is asked for what.

    Attributes:
        name: of the adapter, or of the function in `library_functions.py`.
        library: the distribution and its version.
        measure: what it is asked for.
        also: of a function, for what else, where the atlas is asked.
        kind: adapter or function.
        requires: what a function's library needs beside what it says itself.
        shape: of a function, where its parameters don't tell.
        judged: of a function, what its source was read to follow, before it was asked.
        in_atlas: whether the atlas has a record of it.
    """

    name: str
    library: str
    measure: str
    kind: str = "adapter"
    also: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    shape: str | None = None
    judged: str = ""
    in_atlas: bool = True

    def implementation(self) -> Implementation:
        """Return what `identify` is given."""
        if self.kind == "adapter":
            spec = f"{self.name}=={split_version(self.library)[1]}"  # type: ignore[index]
            return parse(self.name if is_installed(spec) else spec)
        function = parse(f"{HERE / 'library_functions.py'}:{self.name}", self.shape)
        name, version = split_version(self.library) or (self.library, "")
        with suppress(importlib.metadata.PackageNotFoundError):
            if importlib.metadata.version(name) == version:
                return function
        pinned = Pinned(name, version, self.requires)
        return Implementation(function.text, function.source, function.shape, pinned)


def all_rows() -> list[Row]:
    """Return every adapter at its newest version that the atlas has, and the functions of `libraries.toml`."""
    return [*map(_of_adapter, known_adapters()), *_of_functions()]


def _of_adapter(name: str) -> Row:
    measured = [
        (each.spec.partition("==")[2] or record.version or "", each.measure)
        for record in shipped_records()
        for each in record.measured
        if each.spec.partition("==")[0] == name
    ]
    distribution = built_in(name).distribution
    versions = [version for version, _ in measured]
    versions = versions or [each.version or "" for each in shipped_records() if each.library == distribution]
    newest = max(versions, key=version_order)
    measures = [measure for version, measure in measured if version == newest] or [*built_in(name).measures]
    chosen = min(measures, key=lambda measure: not measure.startswith("AP"))
    return Row(name, f"{distribution}=={newest}", chosen)


def _of_functions() -> list[Row]:
    with (HERE / "libraries.toml").open("rb") as file:
        declared = tomllib.load(file)
    return [
        Row(
            name,
            kind="function",
            **{key: tuple(value) if isinstance(value, list) else value for key, value in said.items()},
        )
        for name, said in declared.items()
    ]


def ask(row: Row) -> dict[str, Any]:
    """Identify one of them, in this process; of a function, with what a record of the atlas says of it besides."""
    implementation = row.implementation()
    found = identify(implementation, measure=row.measure, limits=LIMITS)
    answer = identification_data(found)
    if row.kind == "adapter":
        return answer
    spec = f"benchmarks/{library_functions.__name__}.py:{row.name}"
    shape = f" --shape {row.shape}" if row.shape else ""
    command = f"rankspec identify {spec} --measure '{row.measure}'{shape} --json"
    made = None if implementation.pinned is None else environment_of(implementation.pinned)
    python = platform.python_version() if made is None else made.python
    installed = " ".join((row.library, *row.requires))
    where = f"{'this environment' if made is None else 'made by benchmarks/identify_libraries.py'}: {installed}"
    noted = with_note(answer, found.hello, spec, command=command, environment=where, python=python)
    how = (
        (inspect.getdoc(getattr(library_functions, row.name)) or "").partition("\n")[0].rstrip(".").removeprefix("Ask ")
    )
    library, _, version = row.library.partition("==")
    about = {"library": library, "how": how}
    return {**noted, "implementation": spec, "version": version, "_note": {**noted["_note"], **about}}


def run_row(row: Row, seconds: float) -> dict[str, Any]:
    """Have a row asked by a process of its own: its answer, what it took, and how busy the machine was."""
    said: dict[str, Any] = {"library": row.library, "measure": row.measure, "kind": row.kind}
    said |= {"date": dt.datetime.now(tz=dt.UTC).date().isoformat(), "commit": _commit(), "processor": _processor()}
    try:
        if (pinned := row.implementation().pinned) is not None:
            environment_of(pinned, click.echo)
    except SpecificationError as error:
        return {**said, "why": str(error)}
    load, start = os.getloadavg()[0], time.perf_counter()
    with tempfile.TemporaryFile() as answered, tempfile.TemporaryFile() as complained:
        command = [sys.executable, str(Path(__file__).resolve()), "--row", row.name, "--measure", row.measure]
        process = subprocess.Popen(  # noqa: S603 - this file
            command, stdin=subprocess.DEVNULL, stdout=answered, stderr=complained, start_new_session=True
        )
        late = threading.Timer(seconds, os.killpg, (process.pid, signal.SIGKILL))
        late.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        late.cancel()
        said |= {
            "wall_seconds": round(time.perf_counter() - start, 1),
            "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
            "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        }
        answered.seek(0)
        complained.seek(0)
        try:
            return {**said, "answer": json.loads(answered.read())}
        except ValueError:
            if process.returncode == -signal.SIGKILL:
                return {**said, "ended": "stopped", "why": f"no answer within {seconds:g} s of wall time"}
            words = complained.read().decode("utf-8", "replace").strip().splitlines()
            return {**said, "ended": "failed", "why": f"no answer: {words[-1] if words else process.returncode}"}


def keep_for_the_atlas(rows: Sequence[Row], folder: Path, seconds: float) -> None:
    """Have functions asked for every measure, and keep the answers as `.ci/atlas --from` reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        for measure in (row.measure, *row.also):
            path = folder / f"{row.name}-{measure}.json"
            if path.exists():
                continue
            said = run_row(replace(row, measure=measure), seconds)
            unfinished = path.with_suffix(".tmp")
            unfinished.write_text(json.dumps(said.get("answer", said), indent=1), "utf-8")
            unfinished.replace(path)
            click.echo(f"{row.name} {measure}: {_status(said)}, {said.get('wall_seconds', 0)} s {said.get('why', '')}")


def _commit() -> str:
    """Return the commit of rankspec that is asked."""
    command = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - git, as it is here


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def table(rows: Sequence[Row], folder: Path) -> str:
    """Write the page."""
    kept = {row: json.loads(path.read_text("utf-8")) for row in rows if (path := folder / f"{row.name}.json").exists()}
    lines = [*_head(rows, kept), ""]
    columns = ("adapter or function", "library", "measure", "status", "explained", "what it does", "judged by hand")
    lines += [_cells((*columns, "calls", "CPU s")), _cells(["---"] * (len(columns) + 2))]
    lines += [_cells(_told(row, said)) for row, said in kept.items()]
    missing = [f"`{row.name}`" for row in rows if row not in kept]
    lines += ["", f"Not run: {', '.join(missing) if missing else 'none'}."]
    return "\n".join(lines) + "\n"


def _head(rows: Sequence[Row], kept: dict[Row, dict[str, Any]]) -> list[str]:
    answers = [said["answer"] for said in kept.values() if "answer" in said]
    asked = [answer["asked"] for answer in answers]
    counts = {status: sum(_status(said) == status for said in kept.values()) for status in STATUSES}
    judged = [
        _is_as_judged(row.judged, said["answer"]) for row, said in kept.items() if row.judged and "answer" in said
    ]
    explained = sum(answer["explained"] for answer in answers if answer["status"] in ("outside", "unstable"))
    version = importlib.metadata.version("rankspec")
    libraries = {row.library.partition("==")[0] for row, said in kept.items() if "answer" in said}
    return [
        "# What `identify` says of libraries",
        "",
        "Written by `python benchmarks/identify_libraries.py --answers FOLDER --table FILE`:",
        "every adapter at the newest version that the atlas has, and functions of libraries that have no adapter,",
        "called by `benchmarks/library_functions.py`. CPU seconds are those of the whole command, the library's import",
        "and the worker processes included; environments were made before.",
        "",
        f"- {len(kept)} of {len(rows)} rows, of {len(libraries)} libraries: "
        + ", ".join(f"{count} {status}" for status, count in counts.items() if count),
        f"- outside or unstable, and explained: {explained} of {counts['outside'] + counts['unstable']}",
        f"- judged by hand before they were asked: {len(judged)}, {sum(judged)} of them came out so",
        f"- calls: {median(asked or [0]):.0f} in the median, {max(asked, default=0)} at most",
        *_seconds(kept),
        f"- asked {_between(kept, 'date')}, rankspec {version} at commit {_between(kept, 'commit')}",
        f"- Python {platform.python_version()}, {_between(kept, 'processor')}, {os.cpu_count()} cores",
    ]


def _between(kept: dict[Row, dict[str, Any]], what: str) -> str:
    """Say what all rows have of something, in the order in which they were asked."""
    return ", ".join(dict.fromkeys(said[what] for said in sorted(kept.values(), key=lambda said: said["date"])))


def _seconds(kept: dict[Row, dict[str, Any]]) -> list[str]:
    """Say what rows took, by their kind and by what came of them."""
    lines = []
    for kind in ("adapter", "function"):
        for statuses in (("identified", "ambiguous"), ("outside", "unstable")):
            took = {
                row.name: said["cpu_seconds"]
                for row, said in kept.items()
                if row.kind == kind and _status(said) in statuses
            }
            if took:
                worst = max(took, key=lambda name: took[name])
                words = f"{len(took)} {kind}s {' or '.join(statuses)}"
                most = f"{took[worst]:.1f} at most (`{worst}`)"
                lines.append(f"- CPU seconds of {words}: {median(took.values()):.1f} in the median, {most}")
    return lines


def _is_as_judged(judged: str, answer: dict[str, Any]) -> bool:
    """Tell whether the convention that was judged is one of those told; of what is none, whether the status is."""
    status = judged.partition(":")[0]
    if status in STATUSES:
        return bool(answer["status"] == status)
    return expression_text(*parse_expression(judged.partition(", refusing")[0])) in answer["conventions"]


def _status(said: dict[str, Any]) -> str:
    return said["answer"]["status"] if "answer" in said else said.get("ended", "not asked")


def _told(row: Row, said: dict[str, Any]) -> list[str]:
    first = [f"`{row.name}`", row.library.replace("==", " "), row.measure, _status(said)]
    if "answer" not in said:
        return [*first, "", _line(said["why"]), _line(row.judged), "", ""]
    answer = said["answer"]
    settled = answer["status"] in ("identified", "ambiguous")
    explained = "" if settled else "yes" if answer["explained"] else "no"
    return [
        *first,
        explained,
        _line(_what(answer)),
        _line(row.judged),
        str(answer["asked"]),
        f"{said['cpu_seconds']:.1f}",
    ]


def _what(answer: dict[str, Any]) -> str:
    """Say in one line what it does: its convention, or else what differs."""
    if answer["status"] == "unstable":
        return str(answer["observations"][0])
    if answer["conventions"]:
        others = answer["classes"] - 1
        return answer["conventions"][0] + (f", or one of {others} others" if others > 0 else "")
    if answer["deviations"]:
        return ", except for ".join([*answer["apart_from_deviations"][:1], "; ".join(answer["deviations"])])
    return "; ".join(answer["observations"][:2]) or "no convention is near"


def _line(text: str) -> str:
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 3]}..."


def _cells(values: Sequence[str]) -> str:
    return f"| {' | '.join(values)} |"


@click.command()
@click.argument("names", nargs=-1)
@click.option("--answers", type=click.Path(path_type=Path, file_okay=False), help="Where the answers are kept.")
@click.option(
    "--table", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write the table, and ask nobody."
)
@click.option("--row-seconds", type=float, default=300, show_default=True, help="Time for one row.")
@click.option("--atlas", type=click.Path(path_type=Path, file_okay=False), help="Where answers for the atlas are kept.")
@click.option("--row", "one", hidden=True, help="Ask this one here, and print its answer.")
@click.option("--measure", hidden=True, help="For this measure.")
def main(  # noqa: PLR0913 - the commands of click take an argument an option
    names: tuple[str, ...],
    answers: Path | None,
    page: Path | None,
    row_seconds: float,
    atlas: Path | None,
    one: str | None,
    measure: str | None,
) -> None:
    """Ask all of them, or those of the NAMES, and keep what they say."""
    rows = all_rows()
    if one is not None:
        row = next(row for row in rows if row.name == one)
        click.echo(json.dumps(ask(replace(row, measure=measure or row.measure))))
        return
    if atlas is not None:
        wanted = [row for row in _of_functions() if row.in_atlas and (not names or row.name in names)]
        keep_for_the_atlas(wanted, atlas, row_seconds)
        return
    if answers is None:
        raise click.UsageError("where are the answers kept? Give --answers FOLDER")
    if unknown := set(names).difference(row.name for row in rows):
        raise click.UsageError(f"there is no row of the name {', '.join(sorted(unknown))}")
    if page is not None:
        page.write_text(table(rows, answers), "utf-8")
        return
    answers.mkdir(parents=True, exist_ok=True)
    by_name = {row.name: row for row in rows}
    for row in [by_name[name] for name in names] or rows:
        path = answers / f"{row.name}.json"
        if path.exists():
            continue
        said = run_row(row, row_seconds)
        unfinished = path.with_suffix(".tmp")
        unfinished.write_text(json.dumps(said, indent=1), "utf-8")
        unfinished.replace(path)
        click.echo(f"{row.name} {row.library}: {_status(said)}, {said.get('wall_seconds', 0)} s")


if __name__ == "__main__":
    main()
