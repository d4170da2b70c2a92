"""The derivation of the exact value, and where that of the convention that was followed parts from it."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from rankspec.conformance.checks.answer import Answer
from rankspec.conformance.infer.resolve.first_difference import parting
from rankspec.conformance.judge.verdicts import NearConvention, likeliest
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.reports.derivations.layout import Equation, Grid, sections
from rankspec.conformance.reports.derivations.text import cell_text, equation_text
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.derivation import explain
from rankspec.oracle.errors import OracleError
from rankspec.oracle.explaining.steps import Derivation
from rankspec.oracle.language.expression import convention_text

_MOST_LINES = 40
_CONTEXT = 3
_WIDTH = 79


def likeliest_of(answers: Iterable[Answer]) -> tuple[Sequence[str], int]:
    """Return the names of the conventions that explain most answers, and how many; none if none explains any."""
    return likeliest(answer.judgement.conventions for answer in answers)


def followed(answer: Answer, likely: Sequence[str]) -> NearConvention | None:
    """Return the convention that an answer follows, where the verdict names one.

    Args:
        answer: the answer.
        likely: the names of what explains most other answers, and so is preferred.
    """
    near = {each.name: each for each in answer.judgement.near}
    return next((near[name] for name in likely if name in near), next(iter(near.values()), None))


def derivation_lines(answer: Answer, convention: Convention, likely: Sequence[str] = ()) -> list[str]:
    """Lay out how the exact value comes about; where another convention was followed, the lines that differ.

    Args:
        answer: to what was asked.
        convention: what it is held to.
        likely: what explains most other answers.
    """
    if not isinstance(answer.put, Asked):
        return []
    qrels, run, measure = answer.put.qrels, answer.put.run, answer.question.measure
    other = followed(answer, likely)
    name = convention_text(convention)
    try:
        exact = explain(measure, qrels, run, convention)
        theirs = None if other is None else explain(measure, qrels, run, other.convention)
    except OracleError:  # a value that has no derivation
        return []
    shape = answer.put.call.arguments.shape
    if other is None or theirs is None:
        (lines,) = _lines(list(_parts(exact, shape)))
        return [f"derivation of the exact value, under {name}", *_shortened([f"  {line}" for line in lines])]
    found = parting(exact, theirs)
    lines, others = _lines(list(_parts(exact, shape)), list(_parts(theirs, shape)))
    return [
        f"derivation: - under {name}, + under {other.name}, which gives what was got",
        *(textwrap.wrap(f"first difference: {found.text}", _WIDTH, subsequent_indent="  ") if found else []),
        *_shortened(_compared(lines, others)),
    ]


Part = str | list[tuple[str, str]]
"""A line, or the cells of a row with their headings."""


def _parts(derivation: Derivation, shape: Shape) -> Iterator[Part]:
    for section in sections(derivation, common=True):
        if section.heading:
            yield section.heading
        for part in section.parts:
            match part:
                case str():
                    yield part
                case Equation():
                    yield equation_text(part)
                case Grid():
                    yield from _grid(part, derivation.measure.rel, shape)


def _grid(grid: Grid, rel: int, shape: Shape) -> Iterator[Part]:
    """Yield the rows of a table, as the shape knows its documents: by no name, or by labels 0 and 1."""
    rows = [grid.headings, *([cell_text(cell) for cell in row] for row in grid.rows)]
    for number, row in enumerate(rows):
        cells = list(zip(grid.headings, row, strict=True))
        if shape is Shape.RANKING:
            cells = [(heading, cell) for heading, cell in cells if heading != "document"]
        if number and shape in _BINARY:
            cells = [(heading, _bit(cell, rel) if heading == "label" else cell) for heading, cell in cells]
        yield cells
    if grid.caption:
        yield grid.caption


def _lines(*derivations: Sequence[Part]) -> list[list[str]]:
    """Write derivations in columns of the same widths, so that lines that say the same are the same."""
    widths: dict[str, int] = {}
    for part in chain.from_iterable(derivations):
        for heading, cell in part if isinstance(part, list) else ():
            widths[heading] = max(widths.get(heading, 0), len(cell))
    return [
        [
            part if isinstance(part, str) else "  ".join(cell.ljust(widths[heading]) for heading, cell in part).rstrip()
            for part in derivation
        ]
        for derivation in derivations
    ]


_BINARY = frozenset({Shape.RANKING, Shape.LABELS_SCORES, Shape.ACTUAL_PREDICTED, Shape.LISTS, Shape.MATRICES})


def _bit(labels: str, rel: int) -> str:
    """Write the labels of a row as the 0 and 1 that such a shape is given."""
    return " ".join("1" if label.removeprefix("-").isdigit() and int(label) >= rel else "0" for label in labels.split())


def _compared(lines: Sequence[str], others: Sequence[str]) -> list[str]:
    """Mark what differs as `diff` does; of long derivations, only what is near to a difference is shown."""
    context = max(len(lines), len(others)) if max(len(lines), len(others)) <= _MOST_LINES else _CONTEXT
    compared = list(difflib.unified_diff(lines, others, lineterm="", n=context))[2:]
    shown = (f"{line[0]} {line[1:]}".rstrip() if line[:2] != "@@" else "  ..." for line in compared)
    return [line for number, line in enumerate(shown) if number or line != "  ..."]


def _shortened(lines: Sequence[str]) -> list[str]:
    hidden = len(lines) - _MOST_LINES
    more = [f"  ... and {hidden} lines more; `rankspec explain` prints them all"] if hidden > 0 else []
    return [*lines[:_MOST_LINES], *more]
