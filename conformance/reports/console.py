"""Where reports are printed: in colour and fitted to a terminal; elsewhere as plain text whose lines are not broken."""

from __future__ import annotations

import io
import sys
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table

PROSE_WIDTH = 120
_UNBROKEN = 10_000
_FEW_WORDS = 40
_AS_IT_IS: dict[str, Any] = {"markup": False, "highlight": False, "emoji": False}
"""Quotes hold brackets and colons, which are no markup."""


def print_table(report: RenderableType) -> None:
    """Print tables. A program that reads them line by line gets every row in one line."""
    _print(report, _UNBROKEN)


def print_prose(report: RenderableType) -> None:
    """Print text, broken into lines."""
    _print(report, PROSE_WIDTH)


def _print(report: RenderableType, width: int) -> None:
    if sys.stdout.isatty():
        Console(**_AS_IT_IS).print(report)
        return
    buffer = io.StringIO()
    Console(file=buffer, width=width, **_AS_IT_IS).print(report)
    # rich pads every cell; plain text needs no blanks at the end of a line.
    click.echo("\n".join(line.rstrip() for line in buffer.getvalue().splitlines()))


def plain_table(*headings: str, identifiers: int = 1) -> Table:
    """Return an empty table whose first columns hold identifiers, which are never broken."""
    box = SIMPLE_HEAD if sys.stdout.isatty() else None
    table = Table(box=box, pad_edge=False, header_style="bold")
    for index, heading in enumerate(headings):
        if index < identifiers:
            table.add_column(heading, no_wrap=True, overflow="ignore")
        else:
            table.add_column(heading, overflow="fold")
    return table


def cases_table(*headings: str) -> Table:
    """Return an empty table of cases, whose last column alone may be broken into lines."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, no_wrap=heading != headings[-1], overflow="fold")
    return table


def fields_table() -> Table:
    """Return an empty table of names and texts, for one thing and what is to be said of it."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    return table


def print_whole(console: Console, table: Table) -> None:
    """Print a table whose columns are not to be broken or cut; on a narrow terminal its lines run over the edge.

    Only columns that may be broken are, and these keep room for a few words.
    """
    unlimited = console.options.update(max_width=_UNBROKEN)
    needed = Measurement.get(console, unlimited, table).minimum + _FEW_WORDS
    width = console.width
    console.width = max(width, needed)  # `print` itself takes no width beyond the console's
    try:
        console.print(table)
    finally:
        console.width = width
