"""Derivations as text with aligned columns and as Markdown: one, or two with the lines that differ marked."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.infer.resolve.first_difference import parting
from rankspec.conformance.reports.derivations import layout
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.measures.derivations import Derivation
from rankspec.oracle.measures.terms import Discounted
from rankspec.oracle.reals.deciding import nearest_double
from rankspec.oracle.reals.real import Real
from rankspec.oracle.values import Undefined

_PLACES = 4
_REAL_PLACES = 6
_MOST_TERMS = 12
_WIDTH = 80
_CONTEXT = 3  # Lines around a difference, of long derivations


def text(*derivations: Derivation) -> str:
    """Write a derivation for a terminal; of two what both say once, and the lines that differ with - and +."""
    if len(derivations) > 1:
        return "\n".join(row for line in _compared(*derivations) for row in _wrapped(line) or [""])
    return "\n".join(line.rstrip() for line in _TEXT.written(derivations[0]).splitlines())


def markdown(*derivations: Derivation) -> str:
    """Write a derivation in Markdown; two as a block of lines, those that differ with - and +."""
    if len(derivations) > 1:
        return "\n".join(["```diff", *_compared(*derivations), "```"])
    return _MARKDOWN.written(derivations[0])


def _compared(first: Derivation, second: Derivation) -> list[str]:
    ours, theirs = lines_of(first, second)
    lines = compared(ours, theirs)
    return [
        f"- {layout.title(first)}",
        f"+ {layout.title(second)}",
        layout.difference_text(parting(first, second)),
        *lines,
    ]


class _Text(layout.Visitor):
    most_queries = 8

    def head(self, derivation: Derivation) -> Iterator[str]:
        yield layout.title(derivation)

    def heading(self, heading: str) -> Sequence[str]:
        return ["", heading] if heading else [""]

    def sentence(self, sentence: str) -> Sequence[str]:
        return _wrapped(sentence)

    def table(self, grid: layout.Grid) -> Sequence[str]:
        for write in (cell_text, _without_decimal):
            (lines,) = _in_columns([[*_rows(grid, 0, Shape.QRELS_RUN, write)]])
            if max(map(len, lines)) <= _WIDTH:
                break
        return lines

    def equation(self, equation: layout.Equation) -> Sequence[str]:
        return _wrapped(equation_text(equation))


class _Markdown(layout.Visitor):
    def head(self, derivation: Derivation) -> Iterator[str]:
        yield f"**{layout.title(derivation)}**"

    def heading(self, heading: str) -> Sequence[str]:
        return ["", f"### {_prose(heading)}"] if heading else []

    def sentence(self, sentence: str) -> Sequence[str]:
        return ["", _prose(sentence)]

    def table(self, grid: layout.Grid) -> Iterator[str]:
        rows = [[_prose(cell_text(cell)) for cell in row] for row in grid.rows]
        yield ""
        yield from (f"| {' | '.join(line)} |" for line in (grid.headings, ["---"] * len(grid.headings), *rows))
        if grid.caption:
            yield from self.sentence(grid.caption)

    def equation(self, equation: layout.Equation) -> Sequence[str]:
        return self.sentence(equation_text(equation))


_TEXT, _MARKDOWN = _Text(), _Markdown()


def _wrapped(line: str) -> list[str]:
    """Break a long line between its terms."""
    return textwrap.wrap(line, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def lines_of(*derivations: Derivation, shape: Shape = Shape.QRELS_RUN) -> list[list[str]]:
    """Return derivations in lines with equal columns, so that what is the same is equal; a shape names documents."""
    for write in (cell_text, _without_decimal):  # where it is too wide, fractions have their decimals last alone
        written = _in_columns([[*_lines(each, shape, write)] for each in derivations])
        if max(map(len, chain.from_iterable(written)), default=0) <= _WIDTH:
            break
    return written


def compared(lines: Sequence[str], others: Sequence[str], most: int | None = None) -> list[str]:
    """Mark what differs as `diff` does; of more lines than `most`, only what is near to a difference is shown."""
    longest = max(len(lines), len(others))
    context = longest if most is None or longest <= most else _CONTEXT
    marked = list(difflib.unified_diff(lines, others, lineterm="", n=context))[2:]
    shown = [f"{line[0]} {line[1:]}".rstrip() if line[:2] != "@@" else "  ..." for line in marked]
    return shown[1:] if shown else [f"  {line}".rstrip() for line in lines]


_Line = str | list[tuple[str, str]]  # A line, or the cells of a row with their headings
_BINARY = frozenset({Shape.RANKING, Shape.LABELS_SCORES, Shape.ACTUAL_PREDICTED, Shape.LISTS, Shape.MATRICES})


def _lines(derivation: Derivation, shape: Shape, write: Callable[[layout.Cell], str]) -> Iterator[_Line]:
    for section in layout.sections(derivation, common=True):
        yield from ("", section.heading) if section.heading else ()
        for part in section.parts:
            if isinstance(part, layout.Grid):
                yield from _rows(part, derivation.measure.rel, shape, write)
            else:
                yield part if isinstance(part, str) else equation_text(part)


def _rows(grid: layout.Grid, rel: int, shape: Shape, write: Callable[[layout.Cell], str]) -> Iterator[_Line]:
    hidden = {"document"} if shape is Shape.RANKING else set()
    yield [(heading, heading) for heading in grid.headings if heading not in hidden]
    for row in grid.rows:
        texts = [*map(write, row[:-1]), cell_text(row[-1])]
        cells = [each for each in zip(grid.headings, texts, strict=True) if each[0] not in hidden]
        if shape in _BINARY:
            cells = [(heading, _bits(text, rel) if heading == "label" else text) for heading, text in cells]
        yield cells
    if grid.caption:
        yield grid.caption


def _bits(labels: str, rel: int) -> str:
    """Write the labels of a row as the 0 and 1 that a binary shape is given."""
    return " ".join("1" if label.removeprefix("-").isdigit() and int(label) >= rel else "0" for label in labels.split())


def _in_columns(derivations: Sequence[Sequence[_Line]]) -> list[list[str]]:
    widths: dict[str, int] = {}
    for line in chain.from_iterable(derivations):
        for heading, cell in line if isinstance(line, list) else ():
            widths[heading] = max(widths.get(heading, 0), len(cell))
    return [
        [
            line if isinstance(line, str) else "  ".join(cell.ljust(widths[heading]) for heading, cell in line).rstrip()
            for line in derivation
        ]
        for derivation in derivations
    ]


def _without_decimal(cell: layout.Cell) -> str:
    return str(cell) if isinstance(cell, Fraction) else cell_text(cell)


def _prose(line: str) -> str:
    """Write a line that is no code: what is a link or an image in it is none."""
    escaped = line.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("`", "'").replace("<", "&lt;")
    return escaped.replace("](", "]\\(")


def equation_text(equation: layout.Equation) -> str:
    """Write an equation in a line."""
    value = layout.value_text(equation.value)
    if equation.divisor is None and not equation.root:
        return f"{equation.name} = {value} by {equation.reason}"
    if not (isinstance(equation.value, Undefined) or equation.value.is_Rational):
        value = decimal_text(equation.value)
    steps = [equation.name, equation.formula, _left_side(equation) if equation.terms or not equation.formula else ""]
    exact, _, decimal = value.partition(" = ")
    steps += [decimal] if steps[-1].replace(" ", "") == exact else [exact, decimal]
    reason = f"   [{equation.reason}]" if equation.reason else ""
    return " = ".join(filter(None, steps)) + reason


def _left_side(equation: layout.Equation) -> str:
    """Write the sum, or the product, over what it is divided by."""
    terms = [term_text(term) for term in equation.terms] or ["0"]
    if len(terms) > _MOST_TERMS:
        terms = [*terms[: _MOST_TERMS - 1], f"... ({len(terms)} terms)"]
    if equation.root:
        product = f"({' * '.join(terms)})^(1/{equation.root})"
        return f"{product} - {equation.subtracted}" if equation.subtracted else product
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


def term_text(term: layout.Cell) -> str:
    """Write a number as it stands in a sum; an irrational one as a decimal."""
    return f"{nearest_double(term):.{_REAL_PLACES}f}" if isinstance(term, Real) else str(term)


def cell_text(cell: layout.Cell) -> str:
    """Write a cell; a fraction with its decimal beside it."""
    if cell is None:
        return ""
    if isinstance(cell, layout.Name):
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
