"""Files that verbs write beside what they print: reports, known failures, a stream, the input that was found."""

from __future__ import annotations

import functools
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rankspec.conformance.cases.files.on_disk import write_whole
from rankspec.conformance.cases.files.saving import SavedInput, file_text
from rankspec.conformance.cases.files.yaml_source import SourceError
from rankspec.conformance.checks.known_failures import (
    KnownFailures,
    Update,
    parse_known_failures,
    read_known_failures,
    updated,
    written,
)
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.cli.support.options import CallError, Command
from rankspec.conformance.reports.checks.files import FIRST_LINE, badge, junit, markdown, pytest_file
from rankspec.conformance.reports.words import counted

_WRITE = "--write-known-failures"


def output_path(_: click.Context, option: click.Parameter, value: str | None) -> Path | None:
    """Read the name of a file to write, as a callback for options; `click.BadParameter` if it is empty."""
    if value == "":
        raise click.BadParameter("it names no file; is the variable set that it was to come from?", param=option)
    return None if value is None else Path(value)


@dataclass(frozen=True)
class Format:
    """A format of reports: what its option says, and how a check is rendered in it."""

    help: str
    render: Callable[[CheckRecord], str]


FORMATS = {
    "junit": Format("Write JUnit XML there.", junit),
    "markdown": Format("Write Markdown there; what $GITHUB_STEP_SUMMARY names is appended to.", markdown),
    "badge": Format(
        "Write a badge there, for shields.io's endpoint.",
        lambda record: json.dumps(badge(record), ensure_ascii=False) + "\n",
    ),
    "write-test": Format("Write a test file there that asks the same in pytest.", pytest_file),
}
"""Option -> what is written into the file that it names."""


@dataclass(frozen=True)
class Outputs:
    """What is to be written, and where."""

    paths: Mapping[str, Path] = field(default_factory=dict)  # format -> file

    def named(self) -> Iterator[tuple[str, Path]]:
        """Yield option and path of each file."""
        return ((f"--{name}", path) for name, path in self.paths.items())

    def write(self, record: CheckRecord) -> None:
        """Write what is to be written; `CallError` if a file can't be."""
        for name, path in self.paths.items():
            text = FORMATS[name].render(record)
            if name == "markdown":
                write_markdown(path, text)
            else:
                write_file(f"--{name}", path, text)


def outputs_options(command: Command) -> Command:
    """Give a command the options, and their values as one argument, `outputs`."""

    @functools.wraps(command)
    def with_outputs(*arguments: Any, **named: Any) -> Any:
        paths = {name: path for name in FORMATS if (path := named.pop(name.replace("-", "_"))) is not None}
        return command(*arguments, outputs=Outputs(paths), **named)

    for name, each in reversed(FORMATS.items()):
        with_outputs = click.option(f"--{name}", callback=output_path, metavar="FILE", help=each.help)(with_outputs)
    return with_outputs


def require_writable(named: Iterator[tuple[str, Path]]) -> None:
    """Say now, not after the run, that a file can't be written, or that two options name it (`CallError`)."""
    seen: dict[Path, str] = {}
    for option, path in named:
        if (reason := _hindrance(path)) is not None:
            raise CallError(f"{option} {path}: can't be written: {reason}", code="file-not-writable")
        if option == "--write-test" and path.is_file() and not path.read_bytes().startswith(FIRST_LINE.encode()):
            raise CallError(
                f"{option} {path}: it is there already, and this option did not write it; name another",
                code="file-exists",
            )
        if path.resolve() in seen and not path.is_char_device():
            raise CallError(
                f"{option} {path}: {seen[path.resolve()]} is to be written there already", code="file-repeated"
            )
        seen[path.resolve()] = option


def _hindrance(path: Path) -> str | None:
    """Return why a file can't be written, None if it can. Nothing is opened: a killed run leaves no empty file."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:  # it is to be made, a link's file where the link says
        folder = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
        if not folder.is_dir():
            return f"there is no folder {folder}"
        return None if os.access(folder, os.W_OK) else "permission denied"
    except OSError as error:
        return _words(error)
    if stat.S_ISDIR(mode):
        return "it is a folder"
    return None if os.access(path, os.W_OK) else "permission denied"


def write_file(option: str, path: Path, text: str, *, is_appended: bool = False) -> None:
    """Write a file; `CallError` if it can't be written."""
    try:
        if is_appended:
            with path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(text)
        else:
            write_whole(path, text)
    except OSError as error:
        raise CallError(f"{option} {path}: can't be written: {_words(error)}", code="file-not-writable") from None


def write_markdown(path: Path, text: str) -> None:
    """Write Markdown, a GitHub job's summary (which steps append to); `CallError` if it can't be written."""
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    appends = bool(summary) and Path(str(summary)).resolve() == path.resolve()
    write_file("--markdown", path, text, is_appended=appends)


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


@dataclass(frozen=True)
class CheckFiles:
    """What is read and written, and where."""

    known_failures: Path | None  # a list to read
    known_failures_to_write: Path | None  # a list to write, or to bring up to date
    stream: Path | None  # where answers are written as they come
    outputs: Outputs  # reports that are written at the end

    def require_writable(self) -> None:
        """Say now, not after the run, that a file can't be written (`CallError`)."""
        require_writable(self._named())

    def _named(self) -> Iterator[tuple[str, Path]]:
        yield from self.outputs.named()
        for option, path in (("--stream", self.stream), (_WRITE, self.known_failures_to_write)):
            if path is not None:
                yield option, path

    def known(self) -> KnownFailures:
        """Read the lists to hold against and to bring up to date; `SourceError` if one is no such list."""
        known = {} if self.known_failures is None else dict(read_known_failures(self.known_failures))
        before = self._before()
        if before is not None and self.known_failures_to_write is not None:
            known |= parse_known_failures(before, self.known_failures_to_write)
        return known

    def _before(self) -> str | None:
        """Return the text that stands where a list is to be written; None if there is none."""
        path = self.known_failures_to_write
        if path is None or not path.is_file():
            return None
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(f"{path}: can't be read: {error}", code="file-unreadable") from None
        return text if text.strip() else None

    def write_known_failures(self, known: KnownFailures, record: CheckRecord) -> Update | None:
        """Write and return the list, if one is to be; an incomplete run writes none: what it did not ask would go."""
        path = self.known_failures_to_write
        if path is None or not record.complete:
            return None
        update = updated(known, record)
        write_file(_WRITE, path, written(self._before(), update.known, path))
        return update

    def written_lines(self, update: Update | None) -> Iterator[str]:
        """Say what was done with the list of known failures, and that there is a test file to run."""
        if test := self.outputs.paths.get("write-test"):
            yield f"Wrote {test}. To run it: pytest {test}"
        if self.known_failures_to_write is None:
            return
        if update is None:
            yield f"{self.known_failures_to_write}: not written, since not everything was asked"
            return
        dropped = f", {len(update.dropped)} dropped" if update.dropped else ""
        count = counted(len(update.known), "known failure")
        yield f"{self.known_failures_to_write}: {count}: {update.unchanged} kept, {len(update.added)} added{dropped}"


def check_files_options(command: Command) -> Command:
    """Give a command the options, and their values as one argument, `files`."""

    @click.option(
        "--known-failures",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Cases known to fail, with a reason each (YAML).",
    )
    @click.option(
        _WRITE,
        "known_failures_to_write",
        callback=output_path,
        metavar="FILE",
        help="Write the failing cases there; keep the reasons in the file, drop what conforms now.",
    )
    @click.option(
        "--stream", callback=output_path, metavar="FILE", help="Write each answer there as it comes (NDJSON)."
    )
    @outputs_options
    @functools.wraps(command)
    def with_files(
        *arguments: Any,
        known_failures: Path | None,
        known_failures_to_write: Path | None,
        stream: Path | None,
        outputs: Outputs,
        **named: Any,
    ) -> Any:
        files = CheckFiles(known_failures, known_failures_to_write, stream, outputs)
        return command(*arguments, files=files, **named)

    return with_files


save_option = click.option(
    "--save",
    "save_to",
    callback=output_path,
    metavar="FILE",
    help="Write the input that was found, whole, as a case file: `rankspec check IMPL --fixtures FILE` replays it.",
)


def save(path: Path | None, inputs: Sequence[SavedInput]) -> None:
    """Write a case file; without an input nothing, and that is said; `CallError` if it can't be written."""
    if path is None:
        return
    if not inputs:
        click.echo(f"{path}: not written, for there is no input to show", err=True)
        return
    write_file("--save", path, file_text(inputs))
