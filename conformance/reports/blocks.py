"""What a report is made of, lines and tables; and how they are printed: on a terminal, into a pipe, as CSV, on a page.

On a terminal lines are coloured and broken between words. Elsewhere they are plain text, and rich need not be loaded.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click
from rankspec.conformance.cases.plain_text import in_one_line, printable
from rankspec.conformance.reports.words import latex_text

if TYPE_CHECKING:
    from rich.console import Console

_GAP = 2
_LEAST_ROOM = 24  # Of a column that is broken between words; in less, a card reads better
_HANGING = 2
_MOST_ROWS = 200  # Of a table in Markdown. GitHub refuses a summary of more than 1 MiB.
_LONGEST_CELL, _LONGEST_PARAGRAPH = 160, 2000
_FORMULA = r"[=@]|[+-](?!(inf|nan|[0-9]*\.?[0-9]+([eE][+-]?[0-9]+|/[0-9]+)?)?$)"


class Verbatim(str):
    """A line that programs read: only at a terminal it is made printable."""

    __slots__ = ()


class Line:
    """A line of text whose pieces may have styles; `copied` whole, it is not broken where a terminal is too narrow."""

    def __init__(self, *pieces: str | tuple[str, str], style: str = "", copied: bool = False) -> None:
        """Join texts, and pairs of a text and its style."""
        self.pieces = [(piece, "") if isinstance(piece, str) else piece for piece in pieces]
        self.style = style
        self.copied = copied

    def __str__(self) -> str:
        return "".join(text for text, _ in self.pieces)


class Table:
    """Headings and rows of texts.

    On a terminal its columns are aligned; where they don't fit, the last one is broken between words, and where that is
    not enough, each row becomes a card: what it is about, and below it the other cells with their headings. No cell is
    cut, no word is split, no column is left out. Elsewhere a row is a line, its cells separated by tabs, without
    padding.
    """

    def __init__(
        self,
        *headings: str,
        rows: Iterable[Sequence[object]] = (),
        indent: int = 0,
        right: Sequence[int] = (),
        code: Sequence[str] = (),
        has_headings: bool = True,
    ) -> None:
        """Begin with rows, or none.

        Args:
            headings: of the columns; a row is about its first cell.
            rows: the cells of each row, as many as there are headings.
            indent: blanks before each line, on a terminal.
            right: places of the columns that are aligned at their ends, as numbers are.
            code: headings of the columns that Markdown writes as code.
            has_headings: the headings are printed; not again where a table goes on.
        """
        self.headings = headings
        self.rows: list[tuple[str, ...]] = []
        self._indent = indent
        self._right = frozenset(right)
        self._code = frozenset(code)
        self._has_headings = has_headings
        for row in rows:
            self.add_row(*row)

    def add_row(self, *cells: object) -> None:
        """Add a row of texts, as many as there are headings."""
        texts = tuple(" ".join(printable(str(cell)).split()) for cell in cells)
        if len(texts) != len(self.headings):
            raise ValueError(f"{len(texts)} cells under {len(self.headings)} headings")
        self.rows.append(texts)

    @property
    def style(self) -> str:
        """The style of the headings: below a line that says what the table is about, they stand back."""
        return "" if not self._has_headings else "dim" if self._indent else "bold"

    def _lines(self) -> list[tuple[str, ...]]:
        return [*([self.headings] if self._has_headings else []), *self.rows]

    def tabbed(self) -> Iterator[str]:
        """Yield a line a row, headings first, cells separated by tabs."""
        return map("\t".join, self._lines())

    def csv(self) -> str:
        """Return the rows as comma-separated values; what a spreadsheet would compute has a ' before it."""
        import csv

        text = io.StringIO()
        rows = ([f"'{cell}" if re.match(_FORMULA, cell) else cell for cell in row] for row in self.rows)
        csv.writer(text, lineterminator="\n").writerows([self.headings, *rows])
        return text.getvalue()

    def markdown(self) -> str:
        """Return a table in Markdown; a long one is cut, and says so."""
        coded = [heading in self._code for heading in self.headings]
        rows = [
            [code(cell) if is_code else prose(cell) for cell, is_code in zip(row, coded, strict=True)]
            for row in self.rows
        ]
        lines = [self.headings, ["---"] * len(self.headings), *rows[:_MOST_ROWS]]
        hidden = len(rows) - _MOST_ROWS
        more = ["", f"... and {hidden} more, which `--json` and `--junit` hold"] if hidden > 0 else []
        return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), *more])

    def latex(self) -> str:
        """Return a table in LaTeX (needs booktabs), columns of numbers right-aligned."""
        rows = [" & ".join(map(latex_text, row)) + r" \\" for row in (self.headings, *self.rows)]
        rows = [f"{{}}{row}" if row.startswith("[") else row for row in rows]  # else the line break takes an argument
        lines = [r"\toprule", rows[0], r"\midrule", *rows[1:], r"\bottomrule"]
        columns = "".join("r" if place in self._right else "l" for place in range(len(self.headings)))
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *lines, r"\end{tabular}"])

    def html(self, caption: str) -> str:
        """Return a table for a notebook."""
        head = "".join(f"<th>{escape(heading)}</th>" for heading in self.headings)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows)
        return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def fitted(self, width: int) -> Iterator[str]:
        """Yield the lines that fit a width; only a word longer than that runs over the edge."""
        lines = self._lines()
        widths = [max((_wide(cells[column]) for cells in lines), default=0) for column in range(len(self.headings))]
        room = width - self._indent - sum(widths[:-1]) - _GAP * (len(widths) - 1)
        longest = max((_wide(word) for cells in lines for word in cells[-1].split()), default=0)
        if room >= widths[-1] or room >= max(longest, _LEAST_ROOM):
            yield from self._aligned(lines, [*widths[:-1], min(room, widths[-1])])
        else:
            for cells in self.rows:
                yield from self._card(cells, width)

    def _aligned(self, lines: Iterable[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
        before = self._indent + sum(widths[:-1]) + _GAP * (len(widths) - 1)
        for cells in lines:
            padded = [
                self._padded(place, cell, width) for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
            ]
            first, *rest = _wrapped(cells[-1], widths[-1]) or [""]
            if not rest:
                first = padded[-1]
            yield " " * self._indent + (" " * _GAP).join([*padded[:-1], first]).rstrip()
            yield from (f"{' ' * before}{line}" for line in rest)

    def _padded(self, place: int, cell: str, width: int) -> str:
        blanks = " " * (width - _wide(cell))
        return blanks + cell if place in self._right else cell + blanks

    def _card(self, cells: Sequence[str], width: int) -> Iterator[str]:
        yield from _hanging(cells[0], self._indent, width)
        indent = self._indent + _GAP
        line = ""
        for heading, cell in zip(self.headings[1:], cells[1:], strict=True):
            field = f"{heading}: {cell}" if heading else cell
            if not cell:
                continue
            if line and indent + _wide(line) + _GAP + _wide(field) <= width:
                line += " " * _GAP + field
                continue
            if line:
                yield from _hanging(line, indent, width)
            line = field
        if line:
            yield from _hanging(line, indent, width)


class Fields(Table):
    """Names and what is said of each: a table without headings, indented wherever it is printed."""

    def __init__(self, fields: Iterable[tuple[str, object]], indent: int = 0) -> None:
        """Make a row a field."""
        super().__init__("", "", rows=fields, indent=indent, has_headings=False)
        self._lead = " " * indent

    def tabbed(self) -> Iterator[str]:
        """Yield a line a field, its name and what is said separated by a tab."""
        return (f"{self._lead}{line}" for line in super().tabbed())


class Following(Fields):
    """What to do next, a label and a sentence or a command each. A command is one line, so that it can be pasted."""

    def fitted(self, width: int) -> Iterator[str]:
        """Yield lines that fit, but for commands: where a terminal folds those, what is copied is whole."""
        longest = max((_wide(label) for label, _ in self.rows), default=0) + _GAP
        column = longest if width - longest >= _LEAST_ROOM else _GAP
        for label, text in self.rows:
            first, *rest = [text] if text.startswith("rankspec ") else _wrapped(text, width - column) or [""]
            if column == longest:
                yield label.ljust(column) + first
            else:
                yield from (label, " " * column + first)
            yield from (" " * column + line for line in rest)


Block = str | Line | Table
Report = Iterable[Block]


def show(report: Report) -> None:
    """Print a report."""
    if not _may_be_terminal():
        _echo(_plain(report))
        return
    from rich.console import Console

    console = Console(markup=False, highlight=False, emoji=False)
    if console.is_terminal:
        _write(console, report)
    else:
        _echo(_plain(report))


def text(report: Report, width: int) -> str:
    """Return a report as a terminal of a fixed width shows it, without colours."""
    from rich.console import Console

    buffer = io.StringIO()
    _write(Console(file=buffer, width=width, force_terminal=True, color_system=None, legacy_windows=False), report)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()).strip("\n")


def html(report: Report) -> str:
    """Return a report for a notebook: its tables as tables, the lines between them as they are printed."""
    parts = []
    for is_table, blocks in groupby(report, key=lambda block: isinstance(block, Table)):
        if is_table:
            parts += [block.html("") for block in blocks if isinstance(block, Table)]
        elif lines := "\n".join(map(str, blocks)).strip("\n"):
            parts.append(f"<pre>{escape(lines)}</pre>")
    return "".join(parts)


def markdown(report: Report) -> str:
    """Return a report as Markdown: a paragraph a line, tables as tables."""
    parts = []
    for block in report:
        line = "" if isinstance(block, Table) else prose(str(block), _LONGEST_PARAGRAPH)
        is_bold = isinstance(block, Line) and "bold" in block.style and line
        parts.append(block.markdown() if isinstance(block, Table) else f"**{line}**" if is_bold else line)
    return "\n\n".join(filter(None, parts)) + "\n"


def csv_text(report: Report) -> str:
    """Return the tables of a report as comma-separated values."""
    return "".join(
        block.csv() for block in ([report] if isinstance(report, Table) else report) if isinstance(block, Table)
    )


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


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line.rstrip(" "), color=True)  # there are no colours; else an id loses what looks like one


def _plain(report: Report) -> Iterator[str]:
    for block in report:
        if isinstance(block, Table):
            yield from block.tabbed()
        else:
            yield block if isinstance(block, Verbatim) else printable(str(block))


def _write(console: Console, report: Report) -> None:
    from rich.text import Text

    for block in report:
        if isinstance(block, Table):
            lines = list(block.fitted(console.width))
            for number, line in enumerate(lines):
                console.print(Text(line, block.style if number == 0 else ""), crop=False, soft_wrap=True)
        else:
            _write_line(console, block if isinstance(block, Line) else Line(block))


def _write_line(console: Console, line: Line) -> None:
    """Print a line, broken between words where it is too long; it goes on farther to the right."""
    from rich.text import Text

    pieces = ((each, "") if isinstance(each, str) else each for each in line.pieces)
    said = Text.assemble(*((printable(text), style) for text, style in pieces))
    if line.style:
        said.stylize(line.style)
    if line.copied or _wide(said.plain) <= console.width:
        console.print(said, soft_wrap=True)
        return
    lead = len(said.plain) - len(said.plain.lstrip())
    body = said[lead:]
    for number, piece in enumerate(body.divide(_breaks(body.plain, console.width - lead - _HANGING))):
        piece.rstrip()
        console.print(Text(" " * (lead + (_HANGING if number else 0))) + piece, soft_wrap=True)


def _breaks(text: str, width: int) -> list[int]:
    """Return where a text is broken so that lines fit a width, between words alone."""
    breaks, start = [], 0
    for word in re.finditer(r"\S+", text):
        if word.start() > start and _wide(text[start : word.end()]) > width:
            start = word.start()
            breaks.append(start)
    return breaks


def _wide(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    from rich.cells import cell_len

    return cell_len(text)


def _wrapped(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, max(width, 1), break_long_words=False, break_on_hyphens=False)


def _hanging(text: str, indent: int, width: int) -> Iterator[str]:
    if indent + _wide(text) <= width:  # the gaps between fields stay as they are
        yield " " * indent + text
        return
    for number, line in enumerate(_wrapped(text, width - indent - _GAP)):
        yield " " * (indent + (_GAP if number else 0)) + line


def escape(text: str, *, quote: bool = True) -> str:
    """Write a text of others as HTML."""
    from html import escape as escaped

    return escaped(text, quote)


_MARKUP = frozenset("\\`*_[]|~#@$")


def prose(text: str, longest: int = _LONGEST_CELL) -> str:
    """Write a text of others as Markdown: nothing in it is markup, and it stays in its cell."""
    escaped = escape(in_one_line(text, longest), quote=False)
    return "".join(f"\\{character}" if character in _MARKUP else character for character in escaped)


def code(text: str) -> str:
    """Write a text of others as code in Markdown."""
    line = in_one_line(text, _LONGEST_CELL)
    if not line:
        return ""
    return f"`{line}`" if not {"`", "|"}.intersection(line) else f"<code>{prose(line)}</code>"


def bullets(lines: Iterable[str]) -> str:
    """Write lines of others as a list in Markdown."""
    return "\n".join(f"- {prose(line)}" for line in lines)


def folded(title: str, content: str) -> str:
    """Write a section in Markdown that is shown when somebody asks for it."""
    return f"<details><summary>{escape(in_one_line(title))}</summary>\n\n{content}\n\n</details>"
