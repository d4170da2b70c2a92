r"""Derivations as LaTeX, a fragment that needs amsmath and nothing else; and as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from html import escape

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.infer.resolve.first_difference import parting
from rankspec.conformance.reports.derivations import layout
from rankspec.conformance.reports.derivations.text import cell_text, equation_text
from rankspec.conformance.reports.words import latex_text
from rankspec.oracle.language.expression import expression_text
from rankspec.oracle.measures.derivations import Derivation
from rankspec.oracle.measures.terms import Discounted
from rankspec.oracle.reals.deciding import nearest_double
from rankspec.oracle.reals.real import Real
from rankspec.oracle.values import Undefined, Value

_TERMS_A_LINE = 8
_PLACES = 6
_MANY_PLACES = 40  # A value is equal to its decimal of few places if that of so many is the same
_FRACTION = re.compile(r"([+-]?)(\d+)/(\d+)", re.ASCII)
_WORDS = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z]{2,})*", re.ASCII)
_LOGARITHM = re.compile(r"log2\((\d+)\)", re.ASCII)


def latex(derivation: Derivation, *others: Derivation) -> str:
    """Write a derivation in LaTeX; or two beside one another, with the first difference said above them."""
    if not others:
        return _LATEX.written(derivation)
    both = (derivation, *others)
    opening, closing = "\\begin{minipage}[t]{0.49\\linewidth}", "\\end{minipage}"
    sides = "\\hfill\n".join(f"{opening}\n{_LATEX.written(each)}\n{closing}" for each in both)
    return f"\\noindent\\textbf{{{latex_text(layout.difference_text(parting(*both)))}}}\n\n\\noindent\n{sides}"


def equations(derivation: Derivation) -> str:
    """Write the equations of a derivation in one display of LaTeX, as notebooks take mathematics."""
    parts = (part for section in layout.sections(derivation) for part in section.parts)
    written = ["\n".join(_LATEX.equation_lines(part)) for part in parts if isinstance(part, layout.Equation)]
    return "$$\\begin{{aligned}}\n{}\n\\end{{aligned}}$$".format(" \\\\\n".join(written)) if written else ""


def html(derivation: Derivation, *others: Derivation) -> str:
    """Write a derivation as a fragment of HTML; or two beside one another, the first difference said above them."""
    if not others:
        return _HTML.written(derivation)
    both = (derivation, *others)
    sides = "".join(f'<div class="side">{_HTML.written(each)}</div>' for each in both)
    difference = escape(layout.difference_text(parting(*both)))
    return f'<p><strong>{difference}</strong></p><div class="sides">{sides}</div>'


class _Latex(layout.Visitor):
    def term(self, term: layout.Cell) -> str:
        """Write what is summed or divided by."""
        if isinstance(term, Discounted):
            return f"\\tfrac{{{self.fraction(term.gain)}}}{{\\log_2 {term.argument}}}" if term.gain else "0"
        if isinstance(term, Real):
            return f"{nearest_double(term):.{_PLACES}f}"
        return self.fraction(term) if isinstance(term, Fraction) else latex_text(str(term))

    def fraction(self, value: Fraction) -> str:
        """Write a fraction, or a whole number."""
        above, below = abs(value.numerator), value.denominator
        return ("-" if value < 0 else "") + (str(above) if below == 1 else f"\\tfrac{{{above}}}{{{below}}}")

    def cell(self, cell: layout.Cell) -> str:
        """Write a cell of a table."""
        if isinstance(cell, Fraction | Discounted | Real):
            return f"${self.term(cell)}$"
        if isinstance(cell, str) and not isinstance(cell, layout.Name):
            if written := _FRACTION.fullmatch(cell):  # 2/4 stays as it was counted
                sign, above, below = written.groups()
                return f"${sign}\\tfrac{{{above}}}{{{below}}}$"
            if logarithm := _LOGARITHM.fullmatch(cell):
                return f"$\\log_2 {logarithm[1]}$"
        return "" if cell is None else latex_text(str(cell))

    def head(self, derivation: Derivation) -> Iterator[str]:
        yield "% needs \\usepackage{amsmath}"
        yield f"\\paragraph{{{latex_text(expression_text(derivation.measure, derivation.convention))}}}"

    def heading(self, heading: str) -> Iterator[str]:
        if heading:
            yield from self.sentence(heading)

    def sentence(self, sentence: str) -> Iterator[str]:
        yield f"\\par\\noindent {latex_text(sentence)}"

    def table(self, grid: layout.Grid) -> Iterator[str]:
        yield "\\begin{center}"
        yield f"\\begin{{tabular}}{{{'l' * len(grid.headings)}}}"
        yield "\\hline"
        yield " & ".join(map(latex_text, grid.headings)) + " \\\\"
        yield "\\hline"
        yield from (" & ".join(map(self.cell, row)) + " \\\\" for row in grid.rows)
        yield "\\hline"
        yield "\\end{tabular}"
        yield "\\end{center}"
        if grid.caption:
            yield from self.sentence(grid.caption)

    def equation(self, equation: layout.Equation) -> Iterator[str]:
        yield "\\begin{align*}"
        yield from self.equation_lines(equation)
        yield "\\end{align*}"

    def equation_lines(self, equation: layout.Equation) -> Iterator[str]:
        name, value = f"\\text{{{latex_text(equation.name)}}}", self._value(equation.value)
        if equation.formula:
            formula = _WORDS.sub(r"\\text{\g<0>}", equation.formula)
            share = ""
            if equation.terms:
                share = f" = \\frac{{{self.term(equation.terms[0])}}}{{{self.term(equation.divisor)}}}"
            yield f"{name} &= {formula}{share} = {value}"
        elif equation.root:
            product, off = self._broken(equation, " \\cdot "), ""
            if equation.subtracted:
                off = f" - {self.fraction(equation.subtracted)}"
            yield f"{name} &= \\Bigl({product}\\Bigr)^{{1/{equation.root}}}{off} \\\\"
            yield f"&= {value}"
        elif equation.divisor is None:
            yield f"{name} &= {value} && \\text{{by {latex_text(equation.reason)}}}"
        else:
            opening, closing = "", ""
            if equation.divisor != 1:
                # \Bigl( and \Bigr) have a fixed size, so that a sum may be broken between them.
                opening, closing = f"\\frac{{1}}{{{self.term(equation.divisor)}}}\\Bigl(", "\\Bigr)"
            yield f"{name} &= {opening}{self._broken(equation, ' + ')}{closing} \\\\"
            yield f"&= {value}"

    def _broken(self, equation: layout.Equation, sign: str) -> str:
        """Write the terms of an equation, so many a line."""
        terms = [self.term(term) for term in equation.terms] or ["0"]
        lines = [sign.join(terms[start : start + _TERMS_A_LINE]) for start in range(0, len(terms), _TERMS_A_LINE)]
        return f" \\\\\n&\\quad{sign}".join(lines)

    def _value(self, value: Value) -> str:
        if isinstance(value, Undefined):
            return f"\\text{{{value.value}}}"
        import sympy

        exact, decimal = str(sympy.latex(value)), decimal_text(value, _PLACES)
        sign = "=" if decimal_text(value, _MANY_PLACES) == decimal else "\\approx"
        return exact if exact == decimal else f"{exact} {sign} {decimal}"


class _Html(layout.Visitor):
    def head(self, derivation: Derivation) -> Iterator[str]:
        yield '<div class="derivation">'
        about = escape(expression_text(derivation.measure, derivation.convention))
        yield f"<p><code>{about}</code> = <strong>{escape(layout.value_text(derivation.value))}</strong></p>"

    def tail(self) -> Iterator[str]:
        yield "</div>"

    def heading(self, heading: str) -> Iterator[str]:
        if heading:
            yield f'<p class="query">{escape(heading)}</p>'

    def sentence(self, sentence: str) -> Iterator[str]:
        yield f"<p>{escape(sentence)}</p>"

    def table(self, grid: layout.Grid) -> Iterator[str]:
        yield '<div class="scroll" tabindex="0" role="group" aria-label="rows of the derivation"><table>'
        if grid.caption:
            yield f"<caption>{escape(grid.caption)}</caption>"
        headings = "".join(f'<th scope="col">{escape(each)}</th>' for each in grid.headings)
        yield f"<thead><tr>{headings}</tr></thead><tbody>"
        yield from (f"<tr>{''.join(f'<td>{escape(cell_text(cell))}</td>' for cell in row)}</tr>" for row in grid.rows)
        yield "</tbody></table></div>"

    def equation(self, equation: layout.Equation) -> Iterator[str]:
        yield f'<p class="equation">{escape(equation_text(equation))}</p>'


_LATEX, _HTML = _Latex(), _Html()
