"""Derivations as HTML: tables, and equations in MathML, with nothing that a page has to load."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from html import escape

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.reports.derivation import Cell, Equation, Grid, sections, value_text
from rankspec.conformance.reports.derivation_text import difference_text
from rankspec.conformance.settle.resolve.first_difference import parting
from rankspec.oracle.explaining.steps import Derivation
from rankspec.oracle.language.expression import expression_text
from rankspec.oracle.measures.terms import Discounted
from rankspec.oracle.reals.deciding import nearest_double
from rankspec.oracle.reals.real import Real
from rankspec.oracle.values import Undefined, Value

_PLACES = 6
_MOST_TERMS = 12
_FRACTION = re.compile(r"([+-]?)(\d+)/(\d+)", re.ASCII)


def html(derivation: Derivation) -> str:
    """Write a derivation as a fragment of HTML."""
    return "\n".join(_lines(derivation))


def pair_html(first: Derivation, second: Derivation) -> str:
    """Write two derivations one beside the other, with the first difference said above them."""
    difference = escape(difference_text(parting(first, second)))
    sides = "".join(f'<div class="side">{html(each)}</div>' for each in (first, second))
    return f'<p><strong>{difference}</strong></p><div class="sides">{sides}</div>'


def _lines(derivation: Derivation) -> Iterator[str]:
    yield '<div class="derivation">'
    about = escape(expression_text(derivation.measure, derivation.convention))
    yield f"<p><code>{about}</code> = <strong>{escape(value_text(derivation.value))}</strong></p>"
    for section in sections(derivation):
        if section.heading:
            yield f'<p class="query">{escape(section.heading)}</p>'
        for part in section.parts:
            if isinstance(part, Grid):
                yield from _table(part)
            elif isinstance(part, Equation):
                yield f'<p class="equation">{_equation(part)}</p>'
            else:
                yield f"<p>{escape(part)}</p>"
    yield "</div>"


def _table(grid: Grid) -> Iterator[str]:
    yield '<div class="scroll" tabindex="0" role="group" aria-label="rows of the derivation"><table>'
    if grid.caption:
        yield f"<caption>{escape(grid.caption)}</caption>"
    headings = "".join(f'<th scope="col">{escape(each)}</th>' for each in grid.headings)
    yield f"<thead><tr>{headings}</tr></thead>"
    yield "<tbody>"
    for row in grid.rows:
        yield f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>"
    yield "</tbody></table></div>"


def _equation(equation: Equation) -> str:
    """Write an equation as MathML, what it rests on behind it."""
    name = f"<mtext>{escape(equation.name)}</mtext>"
    value = _value(equation.value)
    if equation.formula:
        share = f"<mo>=</mo>{_over(_term(equation.terms[0]), _term(equation.divisor))}" if equation.terms else ""
        made = f"<mtext>{escape(equation.formula)}</mtext>{share}<mo>=</mo>"
    elif equation.root:
        root = f"<mroot><mrow>{_joined(equation, '·')}</mrow><mn>{equation.root}</mn></mroot>"
        off = f"<mo>-</mo>{_fraction(equation.taken_off)}" if equation.taken_off else ""
        made = f"{root}{off}<mo>=</mo>"
    elif equation.divisor is None:
        made = ""
    elif equation.divisor == 1:
        made = f"{_joined(equation, '+')}<mo>=</mo>"
    else:
        total = f"<mrow>{_joined(equation, '+')}</mrow>"
        made = f"{_over(total, _term(equation.divisor))}<mo>=</mo>"
    reason = f" <span>({escape(equation.reason)})</span>" if equation.reason else ""
    return f"<math><mrow>{name}<mo>=</mo>{made}{value}</mrow></math>{reason}"


def _joined(equation: Equation, sign: str) -> str:
    terms = [_term(term) for term in equation.terms[:_MOST_TERMS]] or ["<mn>0</mn>"]
    terms += ["<mo>…</mo>"] if len(equation.terms) > _MOST_TERMS else []
    return f"<mo>{sign}</mo>".join(terms)


def _term(term: Cell) -> str:
    """Write what is summed or divided by, in mathematics."""
    if isinstance(term, Discounted):
        if not term.gain:
            return "<mn>0</mn>"
        log = f"<mrow><msub><mi>log</mi><mn>2</mn></msub><mn>{term.argument}</mn></mrow>"
        return _over(_fraction(term.gain), log)
    if isinstance(term, Real):
        return f"<mn>{nearest_double(term):.{_PLACES}f}</mn>"
    if isinstance(term, Fraction):
        return _fraction(term)
    return f"<mtext>{escape(str(term))}</mtext>"


def _over(numerator: str, denominator: str) -> str:
    return f"<mfrac>{numerator}{denominator}</mfrac>"


def _fraction(value: Fraction) -> str:
    sign = "<mo>-</mo>" if value < 0 else ""
    if value.denominator == 1:
        return f"<mrow>{sign}<mn>{abs(value.numerator)}</mn></mrow>"
    part = _over(f"<mn>{abs(value.numerator)}</mn>", f"<mn>{value.denominator}</mn>")
    return f"<mrow>{sign}{part}</mrow>"


def _value(value: Value) -> str:
    if isinstance(value, Undefined) or not value.is_Rational:
        return f"<mtext>{escape(value_text(value))}</mtext>"
    decimal = decimal_text(value, _PLACES)
    exact = _fraction(Fraction(int(value.p), int(value.q)))
    if value.q == 1:
        return exact
    sign = "=" if decimal_text(value, 40) == decimal else "≈"
    return f"{exact}<mo>{sign}</mo><mn>{decimal}</mn>"


def _cell(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Fraction | Discounted | Real):
        return f"<math>{_term(cell)}</math>"
    if isinstance(cell, str) and (written := _FRACTION.fullmatch(cell)):
        # 2/4 stays as it was counted.
        part = _over(f"<mn>{written[2]}</mn>", f"<mn>{written[3]}</mn>")
        return f"<math><mrow>{f'<mo>{written[1]}</mo>' if written[1] else ''}{part}</mrow></math>"
    return escape(str(cell))
