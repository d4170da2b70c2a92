"""Files that a verb writes beside what it prints: JUnit XML, Markdown, a badge."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.reports.badge import badge
from rankspec.conformance.reports.junit import junit
from rankspec.conformance.reports.markdown import markdown


def output_path(_: click.Context, option: click.Parameter, value: str | None) -> Path | None:
    """Read the name of a file that is to be written; a callback for options.

    Raises:
        click.BadParameter: it is empty.
    """
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
}
"""Option -> what is written into the file that it names."""


@dataclass(frozen=True)
class Outputs:
    """What is to be written, and where.

    Attributes:
        paths: format -> file.
    """

    paths: Mapping[str, Path] = field(default_factory=dict)

    def named(self) -> Iterator[tuple[str, Path]]:
        """Yield option and path of each file."""
        return ((f"--{name}", path) for name, path in self.paths.items())

    def write(self, record: CheckRecord) -> None:
        """Write what is to be written.

        Raises:
            click.UsageError: a file can't be written.
        """
        for name, path in self.paths.items():
            text = FORMATS[name].render(record)
            if name == "markdown":
                write_markdown(path, text)
            else:
                write_file(f"--{name}", path, text)


def outputs_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options, and their values as one argument, `outputs`."""

    @functools.wraps(command)
    def with_outputs(*arguments: Any, **named: Any) -> Any:
        paths = {name: path for name in FORMATS if (path := named.pop(name)) is not None}
        return command(*arguments, outputs=Outputs(paths), **named)

    for name, each in reversed(FORMATS.items()):
        with_outputs = click.option(f"--{name}", callback=output_path, metavar="FILE", help=each.help)(with_outputs)
    return with_outputs


def require_writable(named: Iterator[tuple[str, Path]]) -> None:
    """Say now, not after the run, that a file can't be written.

    Raises:
        click.UsageError: it can't be, or two options name the same one.
    """
    seen: dict[Path, str] = {}
    for option, path in named:
        if (reason := _hindrance(path)) is not None:
            raise click.UsageError(f"{option} {path}: can't be written: {reason}")
        if path.resolve() in seen and not path.is_char_device():
            raise click.UsageError(f"{option} {path}: {seen[path.resolve()]} is to be written there already")
        seen[path.resolve()] = option


def _hindrance(path: Path) -> str | None:
    """Return why a file can't be written, None if it can. Nothing is left behind."""
    if path.is_dir():
        return "it is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    there = path.exists()
    if there and not path.is_file():  # to open a pipe would wait for its reader
        return None if os.access(path, os.W_OK) else "permission denied"
    try:
        with path.open("ab"):
            pass
        if not there:
            path.unlink()
    except OSError as error:
        return _words(error)
    return None


def write_file(option: str, path: Path, text: str, mode: str = "w") -> None:
    """Write a file.

    Raises:
        click.UsageError: it can't be written.
    """
    try:
        with path.open(mode, encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise click.UsageError(f"{option} {path}: can't be written: {_words(error)}") from None


def write_markdown(path: Path, text: str) -> None:
    """Write Markdown. The summary of a GitHub job is what its steps append to it.

    Raises:
        click.UsageError: it can't be written.
    """
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    appends = bool(summary) and Path(str(summary)).resolve() == path.resolve()
    write_file("--markdown", path, text, "a" if appends else "w")


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
