"""The slips that programmers make of a definition: each a definition of its own, with what differs in words.

The words name the expression that is computed and the one that is due, as the formula writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from rankspec.oracle.definitions.expression import (
    COUNT,
    CUTOFF,
    FIRST,
    GAIN,
    GAINED,
    GRADE,
    HIT,
    HITS,
    IDEAL_GAINED,
    LENGTH,
    MISSED,
    NONRELEVANT_ABOVE,
    ONE,
    RANK,
    RELEVANT,
    Above,
    Definition,
    Expression,
    Operation,
    Operator,
    Quantity,
    greatest,
    least,
    parts,
)
from rankspec.oracle.definitions.writing import text


class Edit(NamedTuple):
    """A definition with a slip: `subject: words` says what differs."""

    subject: str
    words: str
    definition: Definition


_IN_TERMS: tuple[tuple[str, Quantity, Expression], ...] = (
    ("ranks", RANK, RANK + 1),
    ("ranks", RANK, RANK - 1),
    ("hits", COUNT, COUNT - HIT),
    ("hits", COUNT, COUNT + 1),
    ("hits", COUNT, RANK),
    ("gains", GAIN, HIT),
    ("gains", HIT, GRADE),
    ("gains", FIRST, FIRST * GRADE),
    ("gains", GAINED, GAINED - GAIN),
    ("gains", GAINED, GAIN),
    ("the ideal ranking", IDEAL_GAINED, GAINED),
    ("misses", MISSED, RANK),
    ("judgments", NONRELEVANT_ABOVE, MISSED),
)
"""What stands in a term, and what stands in its place by mistake."""

_IN_DIVISORS: tuple[tuple[Quantity, Expression], ...] = (
    (RELEVANT, least(RELEVANT, CUTOFF)),
    (RELEVANT, CUTOFF),
    (RELEVANT, least(RELEVANT, LENGTH)),
    (RELEVANT, LENGTH),
    (RELEVANT, HITS),
    (RELEVANT, RELEVANT + 1),
    (CUTOFF, LENGTH),
    (CUTOFF, RELEVANT),
    (LENGTH, CUTOFF),
    (HITS, RELEVANT),
)


def edits(definition: Definition, *, is_cut: bool) -> Iterator[Edit]:
    """Yield the slips, those of the divisor last; where there is no cutoff k is n, and those with k come at the end."""
    for subject, due, put in _IN_TERMS:
        yield from _edit(definition, subject, lambda part, due=due, put=put: put if part == due else part)  # type: ignore[misc]
    for change in (_least_for_greatest, _not_taken_from_one, _without_product):
        yield from _edit(definition, "the formula", change)
    for due, put in _IN_DIVISORS if is_cut else sorted(_IN_DIVISORS, key=lambda row: CUTOFF in parts(row[1])):
        divisor = replaced(definition.divisor, lambda part, due=due, put=put: put if part == due else part)  # type: ignore[misc]
        if divisor != definition.divisor:
            words = f"it divides by {text(divisor)} instead of {text(definition.divisor)}"
            yield Edit("the denominator", words, definition._replace(divisor=divisor))
    match definition.divisor:
        case Operation(
            Operator.DIVIDE, (Operation(Operator.ADD, (Operation(operands=(weight, recalled)), first)), sum_)
        ):
            words = "it takes the arithmetic mean of precision and recall instead of the harmonic mean"
            mean = sum_ * first * recalled / (weight * first + recalled)
            yield Edit("the formula", words, definition._replace(divisor=mean))
    if definition.divisor != ONE:
        words = f"it does not divide by {text(definition.divisor)}"
        yield Edit("the denominator", words, definition._replace(divisor=ONE))


def fix(due: Definition, edited: Definition) -> str:
    """Return what to change in a program that computes an edited definition."""
    if edited.divisor == due.divisor:
        return f"let each document add {_added(due.term)} instead of {_added(edited.term)}"
    if due.formula[0] and edited.divisor != ONE:
        return f"return {due.formula[0]}"
    instead = "" if edited.divisor == ONE else f" instead of {text(edited.divisor)}"
    return f"divide by {'nothing' if due.divisor == ONE else text(due.divisor)}{instead}"


def _edit(definition: Definition, subject: str, change: Callable[[Expression], Expression]) -> Iterator[Edit]:
    term = replaced(definition.term, change)
    if term == definition.term:
        return
    due = next(part for part in parts(definition.term) if change(part) != part)
    put = change(due)
    if isinstance(due, Operation) and due.operator is Operator.MULTIPLY and put in due.operands:
        left_out = next(each for each in due.operands if each != put)
        words = f"{text(term)}, without {text(left_out)}"
    elif due == definition.term:
        words = f"{_added(put)} instead of {_added(due)}"
    else:
        yield Edit(subject, f"it takes {text(put)} instead of {text(due)}", definition._replace(term=term))
        return
    yield Edit(subject, f"each document adds {words}", definition._replace(term=term))


def _added(term: Expression) -> str:
    """Write what a document adds: a quantity that stands alone with its article."""
    alone: Mapping[Expression, str] = {HIT: "1 for a hit", GRADE: "its grade"}
    return alone.get(term) or text(term)


def replaced(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return an expression in which each part is changed, from the outside in; what was changed is left as it is."""
    new = change(expression)
    if new is not expression:
        return new
    match expression:
        case Above(factor):
            return Above(replaced(factor, change))
        case Operation(operator, operands):
            return Operation(operator, tuple(replaced(operand, change) for operand in operands))
        case _:
            return expression


def _least_for_greatest(part: Expression) -> Expression:
    match part:
        case Operation(Operator.LOG2, operands):
            return Operation(Operator.LOG2, operands)  # left as it is: of a lesser number it may have no value
        case Operation(Operator.LEAST, operands):
            return greatest(*operands)
        case Operation(Operator.GREATEST, operands):
            return least(*operands)
        case _:
            return part


def _not_taken_from_one(part: Expression) -> Expression:
    match part:
        case Operation(Operator.SUBTRACT, (first, last)) if first == ONE:
            return last
        case _:
            return part


def _without_product(part: Expression) -> Expression:
    match part:
        case Operation(Operator.MULTIPLY, (first, last)) if Above in {type(first), type(last)}:
            return last if isinstance(first, Above) else first
        case _:
            return ONE if isinstance(part, Above) else part
