"""The definition of a measure: a sum over the documents of a list, over a divisor."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from rankspec.oracle.definitions.expression import ONE, ZERO, Expression


class Definition(NamedTuple):
    """(the sum of `term` over the documents of the evaluated list + `beside`) / `divisor`.

    Attributes:
        term: what a document adds.
        divisor: what the sum is divided by.
        beside: what is added to the sum, of the list as a whole.
        beside_name: what that is called in a derivation.
        empty: the value where the divisor is 0.
        empty_reason: why it is that, in a derivation.
        adds: what a row adds, in words, where the term alone does not say it.
        counted: what the sum counts, where it counts: `hits`.
        worded: the expressions that `adds` has in braces, by name.
        divisor_name: what the divisor is called where it is not a whole number.
        shown: what else a derivation shows at a row: a name and an expression each.
        at_hits: the names of those that mean something at hits alone.
        factors: what the formula is made of, where it is not a sum over a divisor: a name and an expression each.
        formula: how the value is made of these, in text and in LaTeX.
        is_of_curve: recall and precision belong to the rows of its derivation.
    """

    term: Expression
    divisor: Expression = ONE
    beside: Expression = ZERO
    beside_name: str = ""
    empty: Fraction = Fraction(0)
    empty_reason: str = "an empty list"
    adds: str = ""
    worded: tuple[tuple[str, Expression], ...] = ()
    divisor_name: str = ""
    counted: str = ""
    shown: tuple[tuple[str, Expression], ...] = ()
    at_hits: tuple[str, ...] = ()
    factors: tuple[tuple[str, Expression], ...] = ()
    formula: tuple[str, str] = ("", "")
    is_of_curve: bool = False
