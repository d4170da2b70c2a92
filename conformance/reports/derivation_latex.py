r"""Derivations as LaTeX: a fragment of tables and `align*` environments that needs amsmath and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.reports.derivation import Cell, Equation, Grid, sections
from rankspec.conformance.reports.derivation_text import difference_text
from rankspec.conformance.settle.resolve.first_difference import parting
from rankspec.oracle.explaining.steps import Derivation
from rankspec.oracle.language.expression import expression_text
from rankspec.oracle.measures.terms import Discounted
from rankspec.oracle.reals.deciding import nearest_double
from rankspec.oracle.reals.real import Real
from rankspec.oracle.values import Undefined, Value

_TERMS_A_LINE = 8
_PLACES = 6
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "]": "{]}",
}
_FRACTION = re.compile(r"([+-]?)(\d+)/(\d+)", re.ASCII)
_WORDS = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z]{2,})*", re.ASCII)
_LOGARITHM = re.compile(r"log2\((\d+)\)", re.ASCII)


def latex(derivation: Derivation) -> str:
    """Write a derivation as a fragment of LaTeX."""
    return "\n".join(_lines(derivation))


def equations(derivation: Derivation) -> str:
    """Write the equations of a derivation in one display, as notebooks take mathematics."""
    written = [
        "\n".join(_equation(part))
        for section in sections(derivation)
        for part in section.parts
        if isinstance(part, Equation)
    ]
    return "$$\\begin{{aligned}}\n{}\n\\end{{aligned}}$$".format(" \\\\\n".join(written)) if written else ""


def pair_latex(first: Derivation, second: Derivation) -> str:
    """Write two derivations one beside the other, with the first difference said above them."""
    opening, closing = "\\begin{minipage}[t]{0.49\\linewidth}", "\\end{minipage}"
    sides = "\\hfill\n".join(f"{opening}\n{latex(each)}\n{closing}" for each in (first, second))
    return f"\\noindent\\textbf{{{escaped(difference_text(parting(first, second)))}}}\n\n\\noindent\n{sides}"


def _lines(derivation: Derivation) -> Iterator[str]:
    yield "% needs \\usepackage{amsmath}"
    yield f"\\paragraph{{{escaped(expression_text(derivation.measure, derivation.convention))}}}"
    for section in sections(derivation):
        if section.heading:
            yield f"\\par\\noindent {escaped(section.heading)}"
        for part in section.parts:
            if isinstance(part, Grid):
                yield from _table(part)
            elif isinstance(part, Equation):
                yield "\\begin{align*}"
                yield from _equation(part)
                yield "\\end{align*}"
            else:
                yield f"\\par\\noindent {escaped(part)}"


def _table(grid: Grid) -> Iterator[str]:
    yield "\\begin{center}"
    yield f"\\begin{{tabular}}{{{'l' * len(grid.headings)}}}"
    yield "\\hline"
    yield " & ".join(map(escaped, grid.headings)) + " \\\\"
    yield "\\hline"
    for row in grid.rows:
        yield " & ".join(map(_cell, row)) + " \\\\"
    yield "\\hline"
    yield "\\end{tabular}"
    yield "\\end{center}"
    if grid.caption:
        yield f"\\par\\noindent {escaped(grid.caption)}"


def _equation(equation: Equation) -> Iterator[str]:
    name = f"\\text{{{escaped(equation.name)}}}"
    value = _value(equation.value)
    if equation.formula:
        formula = _WORDS.sub(r"\\text{\g<0>}", equation.formula)
        share = f" = \\frac{{{_term(equation.terms[0])}}}{{{_term(equation.divisor)}}}" if equation.terms else ""
        yield f"{name} &= {formula}{share} = {value}"
    elif equation.root:
        product = _broken(equation, " \\cdot ")
        yield f"{name} &= \\Bigl({product}\\Bigr)^{{1/{equation.root}}}{_taken_off(equation)} \\\\"
        yield f"&= {value}"
    elif equation.divisor is None:
        yield f"{name} &= {value} && \\text{{by {escaped(equation.reason)}}}"
    else:
        opening, closing = "", ""
        if equation.divisor != 1:
            # \Bigl( and \Bigr) have a fixed size, so that a sum may be broken between them.
            opening, closing = f"\\frac{{1}}{{{_term(equation.divisor)}}}\\Bigl(", "\\Bigr)"
        yield f"{name} &= {opening}{_broken(equation, ' + ')}{closing} \\\\"
        yield f"&= {value}"


def _broken(equation: Equation, sign: str) -> str:
    """Write the terms of an equation, so many a line."""
    terms = [_term(term) for term in equation.terms] or ["0"]
    lines = [sign.join(terms[start : start + _TERMS_A_LINE]) for start in range(0, len(terms), _TERMS_A_LINE)]
    return f" \\\\\n&\\quad{sign}".join(lines)


def _taken_off(equation: Equation) -> str:
    return f" - {_fraction(equation.taken_off)}" if equation.taken_off else ""


def _term(term: Cell) -> str:
    """Write what is summed or divided by, in mathematics."""
    if isinstance(term, Discounted):
        return f"\\tfrac{{{_fraction(term.gain)}}}{{\\log_2 {term.argument}}}" if term.gain else "0"
    if isinstance(term, Real):
        return f"{nearest_double(term):.{_PLACES}f}"
    return _fraction(term) if isinstance(term, Fraction) else str(term)


def _cell(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Fraction | Discounted | Real):
        return f"${_term(cell)}$"
    if isinstance(cell, str) and (logarithm := _LOGARITHM.fullmatch(cell)):
        return f"$\\log_2 {logarithm[1]}$"
    if isinstance(cell, str) and (written := _FRACTION.fullmatch(cell)):
        return f"${written[1]}\\tfrac{{{written[2]}}}{{{written[3]}}}$"
    return escaped(str(cell))


def _fraction(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    return f"{'-' if value < 0 else ''}\\tfrac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def _value(value: Value) -> str:
    if isinstance(value, Undefined):
        return f"\\text{{{value.value}}}"
    import sympy

    exact, decimal = str(sympy.latex(value)), decimal_text(value, _PLACES)
    if exact == decimal:
        return exact
    sign = "=" if decimal_text(value, 40) == decimal else "\\approx"
    return f"{exact} {sign} {decimal}"


def escaped(text: str) -> str:
    """Write text so that LaTeX prints it as it is."""
    return "".join(_SPECIAL.get(sign, sign) for sign in text)
