"""Where reports are printed: in colour and fitted to a terminal; elsewhere as plain text whose lines are not broken."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from rankspec.conformance.reports.listing import Lines, Listing

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

PROSE_WIDTH = 120
_HANGING = 2
UNBROKEN = 1_000_000
_AS_IT_IS: dict[str, Any] = {"markup": False, "highlight": False, "emoji": False}
"""Quotes hold brackets and colons, which are no markup."""


def print_table(report: RenderableType, *, as_csv: bool = False) -> None:
    """Print tables. A program that reads them line by line gets every row in one line; or the tables alone, as CSV."""
    if as_csv and isinstance(report, Lines):
        for table in report.tables:
            print_csv(table)
        return
    _print(report, UNBROKEN)


def print_csv(table: Listing) -> None:
    """Print a table as comma-separated values, headings first."""
    click.echo(table.csv(), nl=False)


def print_prose(report: RenderableType) -> None:
    """Print text, broken into lines."""
    _print(report, PROSE_WIDTH)


def _print(report: RenderableType, width: int) -> None:
    if isinstance(report, Lines) and not _may_be_terminal():
        _echo("\n".join(report.plain()))
        return
    from rich.console import Console

    on_terminal = Console(**_AS_IT_IS)
    if on_terminal.is_terminal:
        on_terminal.print(report, crop=False)
        return
    buffer = io.StringIO()
    Console(file=buffer, width=width, force_terminal=False, **_AS_IT_IS).print(report, crop=False)
    _echo(buffer.getvalue())


def _may_be_terminal() -> bool:
    """Tell whether rich has to be asked: it knows variables that call a pipe a terminal."""
    return sys.stdout.isatty() or not os.environ.keys().isdisjoint({"FORCE_COLOR", "TTY_COMPATIBLE"})


def terminal_width() -> int | None:
    """Return how many columns the terminal has that is printed to; None where it is none."""
    if not _may_be_terminal():
        return None
    from rich.console import Console

    console = Console()
    return console.width if console.is_terminal else None


def _echo(text: str) -> None:
    # rich pads every cell; plain text needs no blanks at the end of a line.
    click.echo("\n".join(line.rstrip(" ") for line in text.splitlines()))


def say(console: Console, text: str | Text, style: str = "") -> None:
    """Print a line; on a terminal it is broken between words where it is too long, and goes on farther to the right."""
    from rich.cells import cell_len
    from rich.text import Text

    said = Text(text, style) if isinstance(text, str) else text
    if style:
        said.stylize(style)
    if not console.is_terminal or cell_len(said.plain) <= console.width:
        console.print(said, soft_wrap=True)
        return
    lead = len(said.plain) - len(said.plain.lstrip())
    body = said[lead:]
    for number, line in enumerate(body.divide(_breaks(body.plain, console.width - lead - _HANGING))):
        line.rstrip()
        console.print(Text(" " * (lead + (_HANGING if number else 0))) + line, soft_wrap=True)


def _breaks(text: str, width: int) -> list[int]:
    """Return where a text is broken so that lines fit a width, between words alone."""
    from rich.cells import cell_len

    breaks, start = [], 0
    for word in re.finditer(r"\S+", text):
        if word.start() > start and cell_len(text[start : word.end()]) > width:
            start = word.start()
            breaks.append(start)
    return breaks


def plain_table(*headings: str, right: Sequence[int] = ()) -> Listing:
    """Return an empty table; the columns at the places `right` are aligned at their ends."""
    return Listing(*headings, heading_style="bold", right=right)


def cases_table(*headings: str, indent: int = 2) -> Listing:
    """Return an empty table below a line that says what it is about."""
    return Listing(*headings, indent=indent)


def fields_table() -> Table:
    """Return an empty table of names and texts, for one thing and what is to be said of it."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    return table
