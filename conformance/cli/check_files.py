"""The files that `check` reads and writes besides cases: known failures, a stream, reports."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rankspec.conformance.cases.yaml_source import SourceError
from rankspec.conformance.checks.known_failures import (
    KnownFailures,
    Update,
    parse_known_failures,
    read_known_failures,
    updated,
    written,
)
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.cli.outputs import Outputs, output_path, outputs_options, require_writable, write_file

_WRITE = "--write-known-failures"


@dataclass(frozen=True)
class CheckFiles:
    """What is read and written, and where.

    Attributes:
        known_failures: a list to read.
        known_failures_to_write: a list to write, or to bring up to date.
        stream: where answers are written as they come.
        outputs: reports that are written at the end.
    """

    known_failures: Path | None
    known_failures_to_write: Path | None
    stream: Path | None
    outputs: Outputs

    def require_writable(self) -> None:
        """Say now, not after the run, that a file can't be written.

        Raises:
            click.UsageError: it can't be.
        """
        require_writable(self._named())

    def _named(self) -> Iterator[tuple[str, Path]]:
        yield from self.outputs.named()
        for option, path in (("--stream", self.stream), (_WRITE, self.known_failures_to_write)):
            if path is not None:
                yield option, path

    def known(self) -> KnownFailures:
        """Read what is known: the list that is to be held against, and the one that is to be brought up to date.

        Raises:
            SourceError: one can't be read, or is no list of known failures.
        """
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
            raise SourceError(f"{path}: can't be read: {error}") from None
        return text if text.strip() else None

    def write_known_failures(self, known: KnownFailures, record: CheckRecord) -> Update | None:
        """Write the list that is to be written, and return what it holds; None if none is to be.

        An incomplete run writes none: what it did not ask would be taken off.

        Raises:
            click.UsageError: it can't be written.
        """
        path = self.known_failures_to_write
        if path is None or not record.complete:
            return None
        update = updated(known, record)
        write_file(_WRITE, path, written(self._before(), update.known, path))
        return update

    def written_line(self, update: Update | None) -> str | None:
        """Say what was done with the list; None if none was to be written."""
        if self.known_failures_to_write is None:
            return None
        if update is None:
            return f"{self.known_failures_to_write}: not written, since not everything was asked"
        dropped = f", {len(update.dropped)} dropped" if update.dropped else ""
        count = f"{len(update.known)} known failure{'' if len(update.known) == 1 else 's'}"
        return f"{self.known_failures_to_write}: {count}: {update.kept} kept, {len(update.added)} added{dropped}"


def check_files_options(command: Callable[..., Any]) -> Callable[..., Any]:
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
        help="List what does not conform there, with reasons; those that stand there stay, what passes goes.",
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
