r"""Derivations as LaTeX, a fragment that needs amsmath and nothing else; and as HTML, with equations in MathML."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from html import escape

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.cases.plain_text import in_one_line
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
from rankspec.oracle.explaining.steps import Derivation
from rankspec.oracle.language.expression import expression_text
from rankspec.oracle.measures.terms import Discounted
from rankspec.oracle.reals.deciding import nearest_double
from rankspec.oracle.reals.real import Real
from rankspec.oracle.values import Undefined, Value

_TERMS_A_LINE = 8
_PLACES = 6
_MANY_PLACES = 40
"""A value is equal to its decimal of few places if that of so many is the same."""
_MOST_TERMS = 12
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


def latex(derivation: Derivation, *others: Derivation) -> str:
    """Write a derivation in LaTeX; or two beside one another, with the first difference said above them."""
    if not others:
        return _LATEX.written(derivation)
    both = (derivation, *others)
    opening, closing = "\\begin{minipage}[t]{0.49\\linewidth}", "\\end{minipage}"
    sides = "\\hfill\n".join(f"{opening}\n{_LATEX.written(each)}\n{closing}" for each in both)
    return f"\\noindent\\textbf{{{escaped(difference_text(parting(*both)))}}}\n\n\\noindent\n{sides}"


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


def escaped(text: str) -> str:
    """Write text so that LaTeX prints it as it is."""
    return "".join(_SPECIAL.get(sign, sign) for sign in in_one_line(text, len(text) * 6))


class _Markup(Visitor):
    """Mathematics that is made of fractions, logarithms and numbers; each notation says how it writes these."""

    @abstractmethod
    def over(self, numerator: str, denominator: str) -> str: ...

    @abstractmethod
    def logarithm(self, argument: str) -> str: ...

    @abstractmethod
    def number(self, digits: str) -> str: ...

    @abstractmethod
    def signed(self, sign: str, number: str) -> str: ...

    @abstractmethod
    def words(self, text: str) -> str: ...

    @abstractmethod
    def text(self, text: str) -> str: ...

    @abstractmethod
    def name(self, name: Name) -> str: ...

    @abstractmethod
    def inline(self, mathematics: str) -> str: ...

    def term(self, term: Cell) -> str:
        """Write what is summed or divided by."""
        if isinstance(term, Discounted):
            if not term.gain:
                return self.number("0")
            return self.over(self.fraction(term.gain), self.logarithm(str(term.argument)))
        if isinstance(term, Real):
            return self.number(f"{nearest_double(term):.{_PLACES}f}")
        return self.fraction(term) if isinstance(term, Fraction) else self.words(str(term))

    def fraction(self, value: Fraction) -> str:
        sign, numerator = "-" if value < 0 else "", self.number(str(abs(value.numerator)))
        if value.denominator != 1:
            numerator = self.over(numerator, self.number(str(value.denominator)))
        return self.signed(sign, numerator)

    def cell(self, cell: Cell) -> str:
        if cell is None:
            return ""
        if isinstance(cell, Fraction | Discounted | Real):
            return self.inline(self.term(cell))
        if isinstance(cell, Name):
            return self.name(cell)
        if isinstance(cell, str) and (written := _FRACTION.fullmatch(cell)):
            # 2/4 stays as it was counted.
            return self.inline(self.signed(written[1], self.over(self.number(written[2]), self.number(written[3]))))
        return self.text(str(cell))


class _Latex(_Markup):
    def head(self, derivation: Derivation) -> Iterator[str]:
        yield "% needs \\usepackage{amsmath}"
        yield f"\\paragraph{{{escaped(expression_text(derivation.measure, derivation.convention))}}}"

    def heading(self, heading: str) -> Iterator[str]:
        if heading:
            yield from self.sentence(heading)

    def sentence(self, sentence: str) -> Iterator[str]:
        yield f"\\par\\noindent {escaped(sentence)}"

    def table(self, grid: Grid) -> Iterator[str]:
        yield "\\begin{center}"
        yield f"\\begin{{tabular}}{{{'l' * len(grid.headings)}}}"
        yield "\\hline"
        yield " & ".join(map(escaped, grid.headings)) + " \\\\"
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
        name, value = f"\\text{{{escaped(equation.name)}}}", self._value(equation.value)
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
            yield f"{name} &= {value} && \\text{{by {escaped(equation.reason)}}}"
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

    def over(self, numerator: str, denominator: str) -> str:
        return f"\\tfrac{{{numerator}}}{{{denominator}}}"

    def logarithm(self, argument: str) -> str:
        return f"\\log_2 {argument}"

    def number(self, digits: str) -> str:
        return digits

    def signed(self, sign: str, number: str) -> str:
        return f"{sign}{number}"

    def words(self, text: str) -> str:
        return text

    def text(self, text: str) -> str:
        logarithm = _LOGARITHM.fullmatch(text)
        return escaped(text) if logarithm is None else self.inline(self.logarithm(logarithm[1]))

    def name(self, name: Name) -> str:
        return escaped(name)

    def inline(self, mathematics: str) -> str:
        return f"${mathematics}$"


class _Html(_Markup):
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
        sides = [self.words(equation.name), *self._left_sides(equation), self._value(equation.value)]
        yield f'<p class="equation"><math><mrow>{"<mo>=</mo>".join(sides)}</mrow></math>{reason}</p>'

    def _left_sides(self, equation: Equation) -> Iterator[str]:
        if equation.formula:
            yield self.words(equation.formula)
            if equation.terms:
                yield self.over(self.term(equation.terms[0]), self.term(equation.divisor))
        elif equation.root:
            off = f"<mo>-</mo>{self.fraction(equation.taken_off)}" if equation.taken_off else ""
            yield f"<mroot><mrow>{self._joined(equation, '·')}</mrow><mn>{equation.root}</mn></mroot>{off}"
        elif equation.divisor == 1:
            yield self._joined(equation, "+")
        elif equation.divisor is not None:
            yield self.over(f"<mrow>{self._joined(equation, '+')}</mrow>", self.term(equation.divisor))

    def _joined(self, equation: Equation, sign: str) -> str:
        terms = [self.term(term) for term in equation.terms[:_MOST_TERMS]] or ["<mn>0</mn>"]
        terms += ["<mo>…</mo>"] if len(equation.terms) > _MOST_TERMS else []
        return f"<mo>{sign}</mo>".join(terms)

    def _value(self, value: Value) -> str:
        if isinstance(value, Undefined) or not value.is_Rational:
            return self.words(value_text(value))
        exact = self.fraction(Fraction(int(value.p), int(value.q)))
        decimal = decimal_text(value, _PLACES)
        sign = "=" if decimal_text(value, _MANY_PLACES) == decimal else "≈"
        return exact if value.q == 1 else f"{exact}<mo>{sign}</mo><mn>{decimal}</mn>"

    def over(self, numerator: str, denominator: str) -> str:
        return f"<mfrac>{numerator}{denominator}</mfrac>"

    def logarithm(self, argument: str) -> str:
        return f"<mrow><msub><mi>log</mi><mn>2</mn></msub><mn>{argument}</mn></mrow>"

    def number(self, digits: str) -> str:
        return f"<mn>{digits}</mn>"

    def signed(self, sign: str, number: str) -> str:
        return f"<mrow>{f'<mo>{sign}</mo>' if sign else ''}{number}</mrow>"

    def words(self, text: str) -> str:
        return f"<mtext>{escape(text)}</mtext>"

    def text(self, text: str) -> str:
        return escape(text)

    def name(self, name: Name) -> str:
        return escape(name)

    def inline(self, mathematics: str) -> str:
        return f"<math>{mathematics}</math>"


_LATEX, _HTML = _Latex(), _Html()
