"""A table that fits where it is printed.

On a terminal its columns are aligned; where they don't fit, the last one is broken between words, and where that is
not enough, each row becomes a card: what it is about, and below it the other cells with their headings. No cell is
cut, no word is split, no column is left out. Elsewhere a row is a line, its cells separated by tabs, without padding.
"""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rankspec.conformance.cases.plain_text import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_GAP = 2
_LEAST_ROOM = 24
"""Of a column that is broken between words; in less, a card reads better."""


class Listing:
    """Headings and rows; on a terminal rich prints it, which elsewhere need not be loaded."""

    def __init__(
        self,
        *headings: str,
        indent: int = 0,
        heading_style: str = "dim",
        right: Sequence[int] = (),
        has_headings: bool = True,
    ) -> None:
        """Begin with no row.

        Args:
            headings: of the columns; a row is about its first cell.
            indent: blanks before each line, on a terminal.
            heading_style: of the line of headings.
            right: places of the columns that are aligned at their ends, as numbers are.
            has_headings: the headings are printed; not again where a table goes on.
        """
        self.headings = headings
        self.rows: list[tuple[tuple[str, ...], str]] = []
        self._indent = indent
        self._heading_style = heading_style
        self._right = frozenset(right)
        self._has_headings = has_headings

    def add_row(self, *cells: object, style: str = "") -> None:
        """Add a row of texts, as many as there are headings."""
        texts = tuple(" ".join(printable(str(cell)).split()) for cell in cells)
        if len(texts) != len(self.headings):
            raise ValueError(f"{len(texts)} cells under {len(self.headings)} headings")
        self.rows.append((texts, style))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield its lines."""
        from rich.segment import Segment

        lines = self.fitted(options.max_width) if console.is_terminal else self.tabbed()
        for line, style in lines:
            yield Segment(line, console.get_style(style) if style else None)
            yield Segment.line()

    def tabbed(self) -> Iterator[tuple[str, str]]:
        """Yield a line a row, headings first, cells separated by tabs; lines with their styles."""
        if self._has_headings:
            yield "\t".join(self.headings), ""
        yield from (("\t".join(cells), style) for cells, style in self.rows)

    def csv(self) -> str:
        """Return the rows as comma-separated values, headings first."""
        return csv_text(self.headings, (cells for cells, _ in self.rows))

    def fitted(self, width: int) -> Iterator[tuple[str, str]]:
        """Yield the lines, with their styles, that fit a width; only a word longer than that runs over the edge."""
        from rich.cells import cell_len

        rows = [*([(self.headings, self._heading_style)] if self._has_headings else []), *self.rows]
        widths = [max(cell_len(cells[column]) for cells, _ in rows) for column in range(len(self.headings))]
        room = width - self._indent - sum(widths[:-1]) - _GAP * (len(widths) - 1)
        longest = max((cell_len(word) for cells, _ in rows for word in cells[-1].split()), default=0)
        if room >= widths[-1] or room >= max(longest, _LEAST_ROOM):
            yield from self._aligned(rows, [*widths[:-1], min(room, widths[-1])])
        else:
            for cells, style in self.rows:
                yield from ((line, style) for line in self._card(cells, width))

    def _aligned(self, rows: Iterable[tuple[Sequence[str], str]], widths: Sequence[int]) -> Iterator[tuple[str, str]]:
        before = self._indent + sum(widths[:-1]) + _GAP * (len(widths) - 1)
        for cells, style in rows:
            padded = [
                self._padded(place, cell, width) for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
            ]
            first, *rest = _wrapped(cells[-1], widths[-1]) or [""]
            if not rest:
                first = padded[-1]
            yield " " * self._indent + (" " * _GAP).join([*padded[:-1], first]).rstrip(), style
            yield from ((f"{' ' * before}{line}", style) for line in rest)

    def _padded(self, place: int, cell: str, width: int) -> str:
        from rich.cells import cell_len

        blanks = " " * (width - cell_len(cell))
        return blanks + cell if place in self._right else cell + blanks

    def _card(self, cells: Sequence[str], width: int) -> Iterator[str]:
        from rich.cells import cell_len

        yield from _hanging(cells[0], self._indent, width)
        indent = self._indent + _GAP
        line = ""
        for heading, cell in zip(self.headings[1:], cells[1:], strict=True):
            field = f"{heading}: {cell}"
            if not cell:
                continue
            if line and indent + cell_len(line) + _GAP + cell_len(field) <= width:
                line += " " * _GAP + field
                continue
            if line:
                yield from _hanging(line, indent, width)
            line = field
        if line:
            yield from _hanging(line, indent, width)


class Lines:
    """Lines of text and tables, one below the other."""

    def __init__(self, *parts: str | Listing) -> None:
        """Keep them."""
        self._parts = parts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield them."""
        from rich.text import Text

        yield from (Text(part) if isinstance(part, str) else part for part in self._parts)

    @property
    def tables(self) -> list[Listing]:
        """The tables among them."""
        return [part for part in self._parts if isinstance(part, Listing)]

    def plain(self) -> Iterator[str]:
        """Yield the lines as they are where there is no terminal."""
        for part in self._parts:
            if isinstance(part, str):
                yield part
            else:
                yield from (line for line, _ in part.tabbed())


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as comma-separated values, headings first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(rows)
    return text.getvalue()


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, 1), break_long_words=False, break_on_hyphens=False)


def _hanging(text: str, indent: int, width: int) -> Iterator[str]:
    from rich.cells import cell_len

    if indent + cell_len(text) <= width:  # the gaps between fields stay as they are
        yield " " * indent + text
        return
    for number, line in enumerate(_wrapped(text, width - indent - _GAP)):
        yield " " * (indent + (_GAP if number else 0)) + line
