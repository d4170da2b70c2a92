"""Derivations as text with aligned columns and as Markdown: one, or two side by side, the first difference marked."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import groupby, zip_longest

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.infer.resolve.first_difference import FirstDifference, parting
from rankspec.conformance.reports.derivations.layout import (
    Cell,
    Equation,
    Grid,
    Name,
    Part,
    Section,
    Visitor,
    difference_text,
    id_text,
    sections,
    title,
    value_text,
)
from rankspec.oracle.explaining.steps import Derivation
from rankspec.oracle.language.expression import expression_text
from rankspec.oracle.measures.terms import Discounted
from rankspec.oracle.reals.deciding import nearest_double
from rankspec.oracle.reals.real import Real
from rankspec.oracle.values import Undefined

_PLACES = 4
_REAL_PLACES = 6
_MOST_TERMS = 12
_MARK = ">"
_WIDTH = 80


def text(derivation: Derivation, *others: Derivation, columns: int | None = None) -> str:
    """Write a derivation for a terminal; or two side by side, the first line on which they differ marked.

    Where two don't fit side by side into so many columns, lines that differ stand below each other, with - and +.
    """
    if others:
        return _pair_text((derivation, *others), columns)
    return "\n".join(line.rstrip() for line in _TEXT.written(derivation).splitlines())


def markdown(derivation: Derivation, *others: Derivation) -> str:
    """Write a derivation in Markdown; or two side by side, the first line on which they differ bold."""
    return _pair_markdown(derivation, *others) if others else _MARKDOWN.written(derivation)


class _Text(Visitor):
    def head(self, derivation: Derivation) -> Iterator[str]:
        yield title(derivation)

    def heading(self, heading: str) -> Sequence[str]:
        return ["", heading] if heading else [""]

    def sentence(self, sentence: str) -> Sequence[str]:
        return _wrapped(sentence)

    def table(self, grid: Grid) -> Sequence[str]:
        return _table_lines(grid)

    def equation(self, equation: Equation) -> Sequence[str]:
        return _wrapped(equation_text(equation))


class _Markdown(Visitor):
    def head(self, derivation: Derivation) -> Iterator[str]:
        yield f"**{title(derivation)}**"

    def heading(self, heading: str) -> Sequence[str]:
        return ["", f"### {_prose(heading)}"] if heading else []

    def sentence(self, sentence: str) -> Sequence[str]:
        return ["", _prose(sentence)]

    def table(self, grid: Grid) -> Iterator[str]:
        rows = [[_prose(cell_text(cell)) for cell in row] for row in grid.rows]
        yield ""
        yield from (f"| {' | '.join(line)} |" for line in (grid.headings, ["---"] * len(grid.headings), *rows))
        if grid.caption:
            yield from self.sentence(grid.caption)

    def equation(self, equation: Equation) -> Sequence[str]:
        return self.sentence(equation_text(equation))


_TEXT, _MARKDOWN = _Text(), _Markdown()


def _wrapped(line: str, width: int = _WIDTH) -> list[str]:
    """Break a long line between its terms."""
    return textwrap.wrap(line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _pair_text(both: Sequence[Derivation], columns: int | None) -> str:
    first, second = both
    difference = parting(first, second)
    blocks = list(_blocks(first, second, difference))
    beside = [line for block in blocks for line in [*_heading(block), *_beside(block)]]
    if columns is None or max(map(len, beside), default=0) <= columns:
        head = [title(first), title(second), difference_text(difference)]
        return "\n".join(line.rstrip() for line in [*head, *beside])
    head = [f"- {title(first)}", f"+ {title(second)}", difference_text(difference)]
    below = [line for block in blocks for line in [*_heading(block), *_below(block)]]
    wrapped = (_wrapped(line, columns) if len(line) > columns else [line] for line in [*head, *below])
    return "\n".join(line.rstrip() for lines in wrapped for line in lines)


def _heading(block: _Block) -> list[str]:
    return ["", block.heading] if block.heading else [""]


def _beside(block: _Block) -> list[str]:
    width = max([len(ours) for _, ours, _ in block.lines], default=0)
    return [f"{_MARK if marked else ' '} {ours.ljust(width)}  |  {theirs}" for marked, ours, theirs in block.lines]


def _below(block: _Block) -> list[str]:
    """Write what both say once; of lines that differ those of the first one, then those of the other one."""
    lines: list[str] = []
    for differ, together in groupby(block.lines, key=lambda pair: pair[1] != pair[2]):
        pairs = [(ours, theirs) for _, ours, theirs in together]
        if not differ:
            lines += [f"  {ours}" for ours, _ in pairs]
            continue
        lines += [f"- {ours}" for ours, _ in pairs if ours]
        lines += [f"+ {theirs}" for _, theirs in pairs if theirs]
    return lines


def _pair_markdown(first: Derivation, second: Derivation) -> str:
    difference = parting(first, second)
    lines = [f"**{title(first)}**", "", f"**{title(second)}**", "", _prose(difference_text(difference))]
    names = [expression_text(each.measure, each.convention) for each in (first, second)]
    for block in _blocks(first, second, difference):
        lines += ["", f"### {_prose(block.heading)}"] if block.heading else []
        lines += ["", f"| | {names[0]} | {names[1]} |", "|---|---|---|"]
        for marked, ours, theirs in block.lines:
            cells = [f"`{each}`" if each else "" for each in (_packed(ours), _packed(theirs))]
            if marked:
                cells = [f"**{each}**" if each else "" for each in cells]
            lines.append(f"| {'**first difference**' if marked else ''} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def _packed(line: str) -> str:
    """Write a line for a cell of a table, where columns are not aligned."""
    return " ".join(_escaped(line).split())


@dataclass(frozen=True)
class _Block:
    """Lines side by side, under a heading: whether each is the marked one, and both texts."""

    heading: str
    lines: tuple[tuple[bool, str, str], ...]


def _blocks(first: Derivation, second: Derivation, difference: FirstDifference | None) -> Iterator[_Block]:
    """Pair the sections of two derivations by their queries."""
    ours, theirs = ({_key(section): section for section in sections(each, common=True)} for each in (first, second))
    for key in dict.fromkeys([*ours, *theirs]):
        place = f"query {id_text(difference.query)}" if difference and difference.query else "all queries"
        here = difference is not None and key == place
        yield _Block(key, tuple(_pairs(ours.get(key), theirs.get(key), difference if here else None)))


def _key(section: Section) -> str:
    return section.heading.rpartition(": R = ")[0].removesuffix(", not in the run") or section.heading


def _pairs(
    first: Section | None, second: Section | None, difference: FirstDifference | None
) -> Iterator[tuple[bool, str, str]]:
    tables = -1
    waiting = difference is not None and difference.place is None
    for ours, theirs in _aligned(first.parts if first else (), second.parts if second else ()):
        is_table = any(isinstance(each, Grid) and each.places for each in (ours, theirs))
        tables += is_table
        lines = zip_longest(_keyed(ours), _keyed(theirs), fillvalue=(None, ""))
        for (place, our_line), (other_place, their_line) in lines:
            row = place if place is not None else other_place
            marked = (
                difference is not None
                and is_table
                and row is not None
                and (row, tables) == (difference.place, difference.listed)
            )
            if waiting and not is_table and our_line != their_line:
                marked, waiting = True, False
            yield marked, our_line, their_line


def _aligned(first: Sequence[Part], second: Sequence[Part]) -> Iterator[tuple[Part | None, Part | None]]:
    """Pair the parts that say the same kind of thing."""
    ours, theirs = ([_kind(part) for part in parts] for parts in (first, second))
    matched = SequenceMatcher(None, ours, theirs, autojunk=False)
    for _, start, end, other_start, other_end in matched.get_opcodes():
        yield from zip_longest(first[start:end], second[other_start:other_end])


def _kind(part: Part) -> str:
    """Return what a part is about: a table by its first heading, a line by its words up to a sign."""
    if isinstance(part, Grid):
        return f"table {part.headings[0]}"
    return "equation" if isinstance(part, Equation) else re.split("[:=,]", part)[0]


def _keyed(part: Part | None) -> list[tuple[int | None, str]]:
    """Return the lines of a part, those of rows with their places."""
    if part is None:
        return []
    lines = _part_lines(part)
    if not isinstance(part, Grid) or not part.places:
        return [(None, line) for line in lines]
    tail = len(lines) - len(part.places) - 1
    places: list[int | None] = [None, *part.places, *[None] * tail]
    return list(zip(places, lines, strict=True))


def _part_lines(part: Part) -> list[str]:
    if isinstance(part, Grid):
        return _table_lines(part)
    return [part if isinstance(part, str) else equation_text(part)]


def _table_lines(grid: Grid) -> list[str]:
    lines = _in_columns([grid.headings, *(tuple(map(cell_text, row)) for row in grid.rows)])
    if max(map(len, lines)) > _WIDTH:  # then fractions have their decimals in the last column alone
        bare = [(*map(_without_decimal, row[:-1]), cell_text(row[-1])) for row in grid.rows]
        lines = _in_columns([grid.headings, *bare])
    return [*lines, *([grid.caption] if grid.caption else [])]


def _in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _without_decimal(cell: Cell) -> str:
    return str(cell) if isinstance(cell, Fraction) else cell_text(cell)


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("`", "'").replace("<", "&lt;")


def _prose(line: str) -> str:
    """Write a line that is no code: what is a link or an image in it is none."""
    return _escaped(line).replace("](", "]\\(")


def equation_text(equation: Equation) -> str:
    """Write an equation in a line."""
    value = value_text(equation.value)
    if equation.divisor is None and not equation.root:
        return f"{equation.name} = {value} by {equation.reason}"
    if not (isinstance(equation.value, Undefined) or equation.value.is_Rational):
        value = decimal_text(equation.value)
    steps = [equation.name, equation.formula, _left_side(equation) if equation.terms or not equation.formula else ""]
    exact, _, decimal = value.partition(" = ")
    steps += [decimal] if steps[-1].replace(" ", "") == exact else [exact, decimal]
    reason = f"   [{equation.reason}]" if equation.reason else ""
    return " = ".join(filter(None, steps)) + reason


def _left_side(equation: Equation) -> str:
    """Write the sum, or the product, over what it is divided by."""
    terms = [term_text(term) for term in equation.terms] or ["0"]
    if len(terms) > _MOST_TERMS:
        terms = [*terms[: _MOST_TERMS - 1], f"... ({len(terms)} terms)"]
    if equation.root:
        product = f"({' * '.join(terms)})^(1/{equation.root})"
        return f"{product} - {equation.taken_off}" if equation.taken_off else product
    total = " + ".join(terms)
    if equation.divisor == 1 or equation.divisor is None:
        return total
    divisor = term_text(equation.divisor)
    return (
        f"{total} / {divisor}"
        if len(terms) == 1 and "/" not in total + divisor
        else f"({total}) / {bracketed(divisor)}"
    )


def bracketed(divisor: str) -> str:
    """Put a fraction that is divided by into brackets."""
    return f"({divisor})" if "/" in divisor else divisor


def term_text(term: Cell) -> str:
    """Write a number as it stands in a sum; an irrational one as a decimal."""
    return f"{nearest_double(term):.{_REAL_PLACES}f}" if isinstance(term, Real) else str(term)


def cell_text(cell: Cell) -> str:
    """Write a cell; a fraction with its decimal beside it."""
    if cell is None:
        return ""
    if isinstance(cell, Name):
        return cell
    if isinstance(cell, str) and cell.count("/") == 1 and cell.replace("/", "").isdecimal():
        return _with_decimal(cell, Fraction(cell))
    if isinstance(cell, Fraction):
        return _with_decimal(str(cell), cell)
    if isinstance(cell, Discounted):
        return f"{cell} ({nearest_double(cell.value):.{_PLACES}f})" if cell.gain else "0"
    return f"{nearest_double(cell):.{_PLACES}f}" if isinstance(cell, Real) else str(cell)


def _with_decimal(written: str, value: Fraction) -> str:
    return written if value.denominator == 1 and "/" not in written else f"{written} ({float(value):.{_PLACES}f})"
