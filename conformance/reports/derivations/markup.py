r"""Derivations as LaTeX, a fragment that needs amsmath and nothing else; and as HTML, with equations in MathML."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from html import escape

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.infer.resolve.first_difference import parting
from rankspec.conformance.reports.derivations.layout import (
    Cell,
    Equation,
    Grid,
    Name,
    Visitor,
    difference_text,
    sections,
    value_text,
)
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
_MOST_TERMS = 12
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
    return f"\\noindent\\textbf{{{latex_text(difference_text(parting(*both)))}}}\n\n\\noindent\n{sides}"


def equations(derivation: Derivation) -> str:
    """Write the equations of a derivation in one display of LaTeX, as notebooks take mathematics."""
    parts = (part for section in sections(derivation) for part in section.parts)
    written = ["\n".join(_LATEX.equation_lines(part)) for part in parts if isinstance(part, Equation)]
    return "$$\\begin{{aligned}}\n{}\n\\end{{aligned}}$$".format(" \\\\\n".join(written)) if written else ""


def html(derivation: Derivation, *others: Derivation) -> str:
    """Write a derivation as a fragment of HTML; or two beside one another, the first difference said above them."""
    if not others:
        return _HTML.written(derivation)
    both = (derivation, *others)
    sides = "".join(f'<div class="side">{_HTML.written(each)}</div>' for each in both)
    difference = escape(difference_text(parting(*both)))
    return f'<p><strong>{difference}</strong></p><div class="sides">{sides}</div>'


class _Markup(Visitor):
    """Mathematics that is made of fractions, logarithms and numbers; each notation has templates for these."""

    over: str
    logarithm: str
    number: str
    sign: str
    signed: str
    words: str
    inline: str

    @abstractmethod
    def text(self, text: str) -> str:
        """Write text so that it stands as it is."""

    def term(self, term: Cell) -> str:
        """Write what is summed or divided by."""
        if isinstance(term, Discounted):
            if not term.gain:
                return self.number.format("0")
            return self.over.format(self.fraction(term.gain), self.logarithm.format(term.argument))
        if isinstance(term, Real):
            return self.number.format(f"{nearest_double(term):.{_PLACES}f}")
        return self.fraction(term) if isinstance(term, Fraction) else self.words.format(self.text(str(term)))

    def fraction(self, value: Fraction) -> str:
        """Write a fraction, or a whole number."""
        numerator = self.number.format(abs(value.numerator))
        if value.denominator != 1:
            numerator = self.over.format(numerator, self.number.format(value.denominator))
        return self._signed("-" if value < 0 else "", numerator)

    def _signed(self, sign: str, number: str) -> str:
        return self.signed.format(self.sign.format(sign) if sign else "", number)

    def cell(self, cell: Cell) -> str:
        """Write a cell of a table."""
        if isinstance(cell, Fraction | Discounted | Real):
            return self.inline.format(self.term(cell))
        if isinstance(cell, str) and not isinstance(cell, Name):
            if written := _FRACTION.fullmatch(cell):  # 2/4 stays as it was counted
                sign, above, below = written.groups()
                quotient = self.over.format(self.number.format(above), self.number.format(below))
                return self.inline.format(self._signed(sign, quotient))
            if logarithm := _LOGARITHM.fullmatch(cell):
                return self.inline.format(self.logarithm.format(logarithm[1]))
        return "" if cell is None else self.text(str(cell))


class _Latex(_Markup):
    over = r"\tfrac{{{}}}{{{}}}"
    logarithm = r"\log_2 {}"
    number = sign = words = "{}"
    signed = "{}{}"
    inline = "${}$"

    def text(self, text: str) -> str:
        return latex_text(text)

    def head(self, derivation: Derivation) -> Iterator[str]:
        yield "% needs \\usepackage{amsmath}"
        yield f"\\paragraph{{{latex_text(expression_text(derivation.measure, derivation.convention))}}}"

    def heading(self, heading: str) -> Iterator[str]:
        if heading:
            yield from self.sentence(heading)

    def sentence(self, sentence: str) -> Iterator[str]:
        yield f"\\par\\noindent {latex_text(sentence)}"

    def table(self, grid: Grid) -> Iterator[str]:
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

    def equation(self, equation: Equation) -> Iterator[str]:
        yield "\\begin{align*}"
        yield from self.equation_lines(equation)
        yield "\\end{align*}"

    def equation_lines(self, equation: Equation) -> Iterator[str]:
        name, value = f"\\text{{{latex_text(equation.name)}}}", self._value(equation.value)
        if equation.formula:
            formula = _WORDS.sub(r"\\text{\g<0>}", equation.formula)
            share = ""
            if equation.terms:
                share = f" = \\frac{{{self.term(equation.terms[0])}}}{{{self.term(equation.divisor)}}}"
            yield f"{name} &= {formula}{share} = {value}"
        elif equation.root:
            product, off = self._broken(equation, " \\cdot "), ""
            if equation.taken_off:
                off = f" - {self.fraction(equation.taken_off)}"
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

    def _broken(self, equation: Equation, sign: str) -> str:
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


class _Html(_Markup):
    over = "<mfrac>{}{}</mfrac>"
    logarithm = "<mrow><msub><mi>log</mi><mn>2</mn></msub><mn>{}</mn></mrow>"
    number = "<mn>{}</mn>"
    sign = "<mo>{}</mo>"
    signed = "<mrow>{}{}</mrow>"
    words = "<mtext>{}</mtext>"
    inline = "<math>{}</math>"

    def text(self, text: str) -> str:
        return escape(text)

    def head(self, derivation: Derivation) -> Iterator[str]:
        yield '<div class="derivation">'
        about = escape(expression_text(derivation.measure, derivation.convention))
        yield f"<p><code>{about}</code> = <strong>{escape(value_text(derivation.value))}</strong></p>"

    def tail(self) -> Iterator[str]:
        yield "</div>"

    def heading(self, heading: str) -> Iterator[str]:
        if heading:
            yield f'<p class="query">{escape(heading)}</p>'

    def sentence(self, sentence: str) -> Iterator[str]:
        yield f"<p>{escape(sentence)}</p>"

    def table(self, grid: Grid) -> Iterator[str]:
        yield '<div class="scroll" tabindex="0" role="group" aria-label="rows of the derivation"><table>'
        if grid.caption:
            yield f"<caption>{escape(grid.caption)}</caption>"
        headings = "".join(f'<th scope="col">{escape(each)}</th>' for each in grid.headings)
        yield f"<thead><tr>{headings}</tr></thead>"
        yield "<tbody>"
        yield from (f"<tr>{''.join(f'<td>{self.cell(cell)}</td>' for cell in row)}</tr>" for row in grid.rows)
        yield "</tbody></table></div>"

    def equation(self, equation: Equation) -> Iterator[str]:
        """Yield an equation as MathML, what it rests on behind it."""
        reason = f" <span>({escape(equation.reason)})</span>" if equation.reason else ""
        sides = [self._words(equation.name), *self._left_sides(equation), self._value(equation.value)]
        yield f'<p class="equation"><math><mrow>{"<mo>=</mo>".join(sides)}</mrow></math>{reason}</p>'

    def _left_sides(self, equation: Equation) -> Iterator[str]:
        if equation.formula:
            yield self._words(equation.formula)
            if equation.terms:
                yield self.over.format(self.term(equation.terms[0]), self.term(equation.divisor))
        elif equation.root:
            off = f"<mo>-</mo>{self.fraction(equation.taken_off)}" if equation.taken_off else ""
            yield f"<mroot><mrow>{self._joined(equation, '·')}</mrow><mn>{equation.root}</mn></mroot>{off}"
        elif equation.divisor == 1:
            yield self._joined(equation, "+")
        elif equation.divisor is not None:
            yield self.over.format(f"<mrow>{self._joined(equation, '+')}</mrow>", self.term(equation.divisor))

    def _words(self, text: str) -> str:
        return self.words.format(escape(text))

    def _joined(self, equation: Equation, sign: str) -> str:
        terms = [self.term(term) for term in equation.terms[:_MOST_TERMS]] or ["<mn>0</mn>"]
        terms += ["<mo>…</mo>"] if len(equation.terms) > _MOST_TERMS else []
        return f"<mo>{sign}</mo>".join(terms)

    def _value(self, value: Value) -> str:
        if isinstance(value, Undefined) or not value.is_Rational:
            return self._words(value_text(value))
        exact = self.fraction(Fraction(int(value.p), int(value.q)))
        decimal = decimal_text(value, _PLACES)
        sign = "=" if decimal_text(value, _MANY_PLACES) == decimal else "≈"
        return exact if value.q == 1 else f"{exact}<mo>{sign}</mo><mn>{decimal}</mn>"


_LATEX, _HTML = _Latex(), _Html()
