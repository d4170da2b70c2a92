"""An expression as it is written: in plain text and in LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.definitions.expression import (
    ONE,
    SIGNS,
    ZERO,
    Above,
    Algebra,
    Choice,
    Definition,
    Expression,
    Operator,
    Parameter,
    Quantity,
    parts,
    read,
)


class _Written(NamedTuple):
    """A piece of a formula, and how tightly its parts hang together: 1 for a sum, 4 for a sign."""

    text: str
    binding: int

    def within(self, binding: int) -> str:
        """Return it with brackets where something else hangs together more tightly."""
        return self.text if self.binding >= binding else f"({self.text})"


_SUM, _PRODUCT, _POWER, _SIGN = 1, 2, 3, 4


class _Text(Algebra[_Written]):
    """Plain text, with numbers for the quantities that are known."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self.values = values

    def number(self, value: Fraction) -> _Written:
        return _Written(str(value), _SIGN if value.denominator == 1 and value >= 0 else _PRODUCT)

    def quantity(self, name: str) -> _Written:
        return _Written(str(self.values.get(name, SIGNS[name].text)), _SIGN)

    def unresolved(self, leaf: Choice | Parameter) -> _Written:
        return _Written(OPEN[leaf.axis if isinstance(leaf, Choice) else leaf.name].text, _SIGN)

    def above(self, product: Above) -> _Written:
        return _Written(f"the product of {read(product.factor, self).within(_SIGN)} over the ranks above", _PRODUCT)

    def operation(self, operator: Operator, operands: tuple[_Written, ...]) -> _Written:
        first, last = operands[0], operands[-1]
        match operator:
            case Operator.ADD:
                return _Written(f"{first.text} + {last.text}", _SUM)
            case Operator.SUBTRACT:
                return _Written(f"{first.text} - {last.within(_PRODUCT)}", _SUM)
            case Operator.MULTIPLY:
                return _Written(f"{first.within(_PRODUCT)} * {last.within(_PRODUCT)}", _PRODUCT)
            case Operator.DIVIDE:
                return _Written(f"{first.within(_PRODUCT)} / {last.within(_POWER)}", _PRODUCT)
            case Operator.POWER:
                return _Written(f"{first.within(_SIGN)}^{last.within(_SIGN)}", _POWER)
            case Operator.LEAST:
                return _Written(f"min({', '.join(each.text for each in operands)})", _SIGN)
            case Operator.GREATEST:
                return _Written(f"max({', '.join(each.text for each in operands)})", _SIGN)
            case Operator.LOG2:
                return _Written(f"log2({first.text})", _SIGN)


class _Latex(_Text):
    def __init__(self, rank: str = "i") -> None:
        super().__init__({})
        self.rank = rank

    def quantity(self, name: str) -> _Written:
        if name == "rank":
            return _Written(self.rank, _SIGN)
        return _Written(SIGNS[name].latex.replace("_i", f"_{self.rank}"), _SIGN)

    def above(self, product: Above) -> _Written:
        inside = read(product.factor, _Latex("j")).within(_PRODUCT)
        return _Written(rf"\prod_{{j=1}}^{{i-1}} {inside}", _PRODUCT)

    def unresolved(self, leaf: Choice | Parameter) -> _Written:
        latex = OPEN[leaf.axis if isinstance(leaf, Choice) else leaf.name].latex
        return _Written(latex.replace("_i", f"_{self.rank}"), _SIGN)

    def operation(self, operator: Operator, operands: tuple[_Written, ...]) -> _Written:
        first, last = operands[0], operands[-1]
        match operator:
            case Operator.MULTIPLY:
                return _Written(rf"{first.within(_PRODUCT)} {last.within(_PRODUCT)}", _PRODUCT)
            case Operator.DIVIDE:
                return _Written(rf"\frac{{{first.text}}}{{{last.text}}}", _SIGN)
            case Operator.POWER:
                return _Written(rf"{first.within(_SIGN)}^{{{last.text}}}", _POWER)
            case Operator.LEAST | Operator.GREATEST:
                name = "min" if operator is Operator.LEAST else "max"
                return _Written(rf"\{name}({', '.join(each.text for each in operands)})", _SIGN)
            case Operator.LOG2:
                return _Written(rf"\log_2({first.text})", _SIGN)
            case _:
                return super().operation(operator, operands)


class Open(NamedTuple):
    """A sign for what a convention or a parameter decides, what it stands for, and how plain text writes it."""

    latex: str
    meaning: str
    text: str


OPEN: Mapping[str, Open] = {
    "denominator": Open("D", "what the sum is divided by (axis denominator)", "D"),
    "precision_denominator": Open("C", "k, unless the axis precision_denominator says otherwise", "D"),
    "recall_denominator": Open("E", "the relevant documents, unless the axis recall_denominator says otherwise", "D"),
    "relative": Open(
        "C", "the documents that are evaluated; with relative=True the relevant ones if they are fewer", "documents"
    ),
    "discount": Open("d_i", "the discount of rank i (axis discount)", "discount"),
    "bpref_variant": Open(
        r"\mathrm{lost}_i", "what the judged nonrelevant documents above rank i take off (axis bpref_variant)", "lost"
    ),
    "f_weight": Open("w", "the weight of recall (axis f_weight)", "w"),
    "rbp_gain": Open("v_i", "the gain of the document at rank i (axis rbp_gain)", "gain"),
    "rbp_residual": Open("t", "what is taken to be open after the list (axis rbp_residual)", "tail"),
    "rbp_persistence": Open("p", "the persistence, stated by the parameter p or by the convention", "p"),
    "err_max_grade": Open("G", "the highest grade (axis err_max_grade)", "gmax"),
    "infap_epsilon": Open(r"\varepsilon", "the smoothing constant (axis infap_epsilon)", "e"),
    "beta": Open(r"\beta", "the parameter beta", "beta"),
    "hit": Open(r"\mathrm{hit}", "the weight of a relevant document, a parameter", "hit"),
    "miss": Open(r"\mathrm{miss}", "the weight of another document, a parameter", "miss"),
    "lost": Open(r"\mathrm{lost}", "the weight of a relevant document that is not retrieved, a parameter", "lost"),
}
"""Axis or parameter -> how formulas write it."""


def text(expression: Expression, values: Mapping[str, object] = MappingProxyType({})) -> str:
    """Return an expression in plain text.

    >>> from rankspec.oracle.definitions.expression import COUNT, HIT, RANK
    >>> text(HIT * (COUNT / (RANK + 1))), text(COUNT / RANK, {"count": 2})
    ('hit * hits so far / (rank + 1)', '2 / rank')
    """
    return read(expression, _Text(values)).text


def latex(definition: Definition) -> str:
    """Return the formula of a definition in LaTeX."""
    if definition.formula[1]:
        shares = [f"{name} = {_latex(of, _SUM)}" for name, of in definition.factors if not isinstance(of, Choice)]
        return definition.formula[1] + r", \text{ with } " + ", ".join(shares)
    total = "" if definition.term == ZERO else rf"\sum_{{i=1}}^{{n}} {_latex(definition.term, _PRODUCT)}"
    if definition.extra != ZERO:
        beside = _latex(definition.extra, _SUM)
        total = f"{total} + {beside}" if total else beside
    if definition.divisor == ONE:
        return total
    several = ZERO not in {definition.extra, definition.term}
    return rf"\frac{{1}}{{{_latex(definition.divisor, _SUM)}}} {f'({total})' if several else total}"


def signs(definition: Definition) -> list[tuple[str, str]]:
    """Return the signs of a formula in LaTeX, with what they stand for."""
    wholes = [definition.term, definition.divisor, definition.extra, *(of for _, of in definition.factors)]
    inside = [part for whole in wholes for part in parts(whole)]
    quantities = {part.name for part in inside if isinstance(part, Quantity)} | {"length"}
    open_ = {
        part.axis if isinstance(part, Choice) else part.name for part in inside if isinstance(part, Choice | Parameter)
    }
    return [(sign.latex, sign.meaning) for name, sign in SIGNS.items() if name in quantities and name != "document"] + [
        (each.latex, each.meaning) for name, each in OPEN.items() if name in open_
    ]


def _latex(expression: Expression, binding: int) -> str:
    return read(expression, _Latex()).within(binding)
