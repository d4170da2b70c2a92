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
from rankspec.conformance.reports.derivation import (
    Cell,
    Equation,
    Grid,
    Part,
    Section,
    sections,
    title,
    value_text,
)
from rankspec.conformance.settle.resolve.first_difference import FirstDifference, parting
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


def text(derivation: Derivation) -> str:
    """Write a derivation for a terminal."""
    lines = [title(derivation)]
    for section in sections(derivation):
        lines += ["", section.heading] if section.heading else [""]
        for part in section.parts:
            lines += _part_lines(part) if isinstance(part, Grid) else _wrapped(_part_lines(part)[0])
    return "\n".join(line.rstrip() for line in lines)


def _wrapped(line: str, width: int = _WIDTH) -> list[str]:
    """Break a long line between its terms."""
    return textwrap.wrap(line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def markdown(derivation: Derivation) -> str:
    """Write a derivation in Markdown."""
    lines = [f"**{title(derivation)}**"]
    for section in sections(derivation):
        lines += ["", f"### {section.heading}"] if section.heading else []
        for part in section.parts:
            lines += ["", *_part_markdown(part)]
    return "\n".join(lines)


def pair_text(first: Derivation, second: Derivation, columns: int | None = None) -> str:
    """Write two derivations side by side for a terminal; the first line on which they differ is marked.

    Where they don't fit side by side into so many columns, lines that differ stand below each other, with - and +.
    """
    found = parting(first, second)
    blocks = list(_blocks(first, second, found))
    beside = [line for block in blocks for line in [*_heading(block), *_beside(block)]]
    if columns is None or max(map(len, beside), default=0) <= columns:
        head = [title(first), title(second), difference_text(found)]
        return "\n".join(line.rstrip() for line in [*head, *beside])
    head = [f"- {title(first)}", f"+ {title(second)}", difference_text(found)]
    below = [line for block in blocks for line in [*_heading(block), *_below(block)]]
    wrapped = (_wrapped(line, columns) if len(line) > columns else [line] for line in [*head, *below])
    return "\n".join(line.rstrip() for lines in wrapped for line in lines)


def _heading(block: Block) -> list[str]:
    return ["", block.heading] if block.heading else [""]


def _beside(block: Block) -> list[str]:
    width = max([len(ours) for _, ours, _ in block.lines], default=0)
    return [f"{_MARK if marked else ' '} {ours.ljust(width)}  |  {theirs}" for marked, ours, theirs in block.lines]


def _below(block: Block) -> list[str]:
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


def pair_markdown(first: Derivation, second: Derivation) -> str:
    """Write two derivations side by side in Markdown; the first line on which they differ is bold."""
    found = parting(first, second)
    lines = [f"**{title(first)}**", "", f"**{title(second)}**", "", difference_text(found)]
    names = [expression_text(each.measure, each.convention) for each in (first, second)]
    for block in _blocks(first, second, found):
        lines += ["", f"### {block.heading}"] if block.heading else []
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


def difference_text(found: FirstDifference | None) -> str:
    """Say where two derivations part."""
    if found is None:
        return "They say the same on every line."
    return f"They part at {found.text}" if found.behind else f"First difference: {found.text}"


@dataclass(frozen=True)
class Block:
    """Lines side by side, under a heading: whether each is the marked one, and both texts."""

    heading: str
    lines: tuple[tuple[bool, str, str], ...]


def _blocks(first: Derivation, second: Derivation, found: FirstDifference | None) -> Iterator[Block]:
    """Pair the sections of two derivations by their queries."""
    ours, theirs = ({_key(section): section for section in sections(each, common=True)} for each in (first, second))
    for key in dict.fromkeys([*ours, *theirs]):
        here = found is not None and key == (f"query {found.query}" if found.query else "all queries")
        yield Block(key, tuple(_pairs(ours.get(key), theirs.get(key), found if here else None)))


def _key(section: Section) -> str:
    return section.heading.rpartition(": R = ")[0].removesuffix(", not in the run") or section.heading


def _pairs(
    first: Section | None, second: Section | None, found: FirstDifference | None
) -> Iterator[tuple[bool, str, str]]:
    tables = -1
    waiting = found is not None and found.place is None
    for ours, theirs in _aligned(first.parts if first else (), second.parts if second else ()):
        is_table = any(isinstance(each, Grid) and each.places for each in (ours, theirs))
        tables += is_table
        lines = zip_longest(_keyed(ours), _keyed(theirs), fillvalue=(None, ""))
        for (place, our_line), (other_place, their_line) in lines:
            row = place if place is not None else other_place
            marked = found is not None and is_table and row is not None and (row, tables) == (found.place, found.listed)
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
    if isinstance(part, str):
        return [part]
    if isinstance(part, Equation):
        return [equation_text(part)]
    lines = _in_columns([part.headings, *(tuple(map(cell_text, row)) for row in part.rows)])
    if max(map(len, lines)) > _WIDTH:  # then fractions have their decimals in the last column alone
        bare = [(*map(_without_decimal, row[:-1]), cell_text(row[-1])) for row in part.rows]
        lines = _in_columns([part.headings, *bare])
    return [*lines, *([part.caption] if part.caption else [])]


def _in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _without_decimal(cell: Cell) -> str:
    return str(cell) if isinstance(cell, Fraction) else cell_text(cell)


def _part_markdown(part: Part) -> Sequence[str]:
    if isinstance(part, str):
        return [_escaped(part)]
    if isinstance(part, Equation):
        return [_escaped(equation_text(part))]
    rows = [[_escaped(cell_text(cell)) for cell in row] for row in part.rows]
    lines = [part.headings, ["---"] * len(part.headings), *rows]
    return [*(f"| {' | '.join(line)} |" for line in lines), *(["", _escaped(part.caption)] if part.caption else [])]


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("`", "'").replace("<", "&lt;")


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
    if isinstance(cell, str) and cell.count("/") == 1 and cell.replace("/", "").isdecimal():
        return _with_decimal(cell, Fraction(cell))
    if isinstance(cell, Fraction):
        return _with_decimal(str(cell), cell)
    if isinstance(cell, Discounted):
        return f"{cell} ({nearest_double(cell.value):.{_PLACES}f})" if cell.gain else "0"
    return f"{nearest_double(cell):.{_PLACES}f}" if isinstance(cell, Real) else str(cell)


def _with_decimal(written: str, value: Fraction) -> str:
    return written if value.denominator == 1 and "/" not in written else f"{written} ({float(value):.{_PLACES}f})"
