"""The grammar of measures and conventions, and what is made of a text that follows it.

Apart from `expression.py` because loading a parser takes as long as most answers: plain names need none.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import TypeVar, cast

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput, VisitError
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import Convention, parse_setting
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import profile
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.parameters import Given, build_measure

_GRAMMAR = r"""
    expression: measure "under" convention
    measure: NAME [parameters] ["@" (NUMBER | PLACE)]
    parameters: "(" [parameter ("," parameter)* [","]] ")"
    parameter: KEY "=" (NUMBER | TEXT | TRUTH | gains)
    gains: "{" gain ("," gain)* [","] "}"
    gain: NUMBER ":" NUMBER
    convention: PROFILE ["[" difference ("," difference)* "]"]
    difference: KEY "=" VALUE
    NAME: /[A-Za-z][A-Za-z0-9_]*/
    NUMBER: /-?([0-9]+(\.[0-9]*)?|\.[0-9]+)/
    PLACE: "R"
    TEXT: /'[^']*'|"[^"]*"/
    TRUTH: /True|False/
    KEY: /[A-Za-z][a-z_]*/
    PROFILE: /[A-Za-z][A-Za-z0-9_.\-]*/
    VALUE: /[A-Za-z0-9_.\/\-]+/
    %ignore /[ \t]+/
"""
_EXAMPLES = {
    "measure": "AP(rel=2)@10",
    "convention": "default[ties=expected, denominator=cutoff]",
    "expression": "AP@10 under trec_eval-9.0.8",
}
_KINDS = {"measure": "a measure", "convention": "a convention", "expression": "an expression"}
T = TypeVar("T")


class _Build(Transformer[Token, object]):
    """Turns the parse tree into `Measure` and `Convention`; what these refuse passes through as it is."""

    def NUMBER(self, token: Token) -> Fraction:  # noqa: N802 - the terminal's name
        return Fraction(str(token))

    def TEXT(self, token: Token) -> str:  # noqa: N802 - the terminal's name
        return str(token)[1:-1]

    def TRUTH(self, token: Token) -> bool:  # noqa: N802 - the terminal's name
        return str(token) == "True"

    def gain(self, children: list[Fraction]) -> tuple[int, Fraction]:
        grade, gain = children
        if grade.denominator != 1:
            reason = f"gains: {float(grade):g} is not a grade; a grade is a whole number"
            raise ConventionError(reason, code="grade-not-whole")
        return int(grade), gain

    def gains(self, children: list[tuple[int, Fraction] | None]) -> tuple[tuple[int, Fraction], ...]:
        stated = [pair for pair in children if pair is not None]
        return tuple(sorted(_without_repeats([(f"grade {grade}", (grade, gain)) for grade, gain in stated]).values()))

    def parameter(self, children: list[object]) -> tuple[str, object]:
        return str(children[0]), children[1]

    def parameters(self, children: list[tuple[str, Given] | None]) -> dict[str, Given]:
        return _without_repeats([pair for pair in children if pair is not None])

    def measure(self, children: list[object]) -> Measure:
        name, parameters, cut = children
        stated = cast("dict[str, Given]", parameters or {})
        if isinstance(cut, Token):
            return build_measure(f"{name}@{cut}", stated, None)
        return build_measure(str(name), stated, cast("Fraction | None", cut))

    def difference(self, children: list[Token]) -> tuple[str, Setting]:
        axis = str(children[0])
        return axis, parse_setting(axis, str(children[1]))

    def convention(self, children: list[object]) -> Convention:
        name, *differences = children
        convention = profile(str(name)).convention
        pairs = cast("list[tuple[str, Setting]]", [pair for pair in differences if pair is not None])
        for axis, setting in _without_repeats(pairs).items():
            convention = convention.with_setting(axis, setting)
        return convention

    def expression(self, children: list[object]) -> tuple[object, ...]:
        return tuple(children)


def _without_repeats(pairs: list[tuple[str, T]]) -> dict[str, T]:
    values: dict[str, T] = {}
    for key, value in pairs:
        if key in values:
            raise ConventionError(f"{key} is given twice; keep one", code="parameter-repeated")
        values[key] = value
    return values


@cache
def _parser(start: str) -> Callable[[str], object]:
    lark = Lark(_GRAMMAR, parser="lalr", lexer="contextual", start=start, maybe_placeholders=True)
    return lambda text: _Build().transform(lark.parse(text))


def parse(start: str, text: str) -> object:
    """Read a measure, a convention or an expression, as `start` says; a `ConventionError` says where it is none."""
    try:
        return _parser(start)(text)
    except UnexpectedInput as unexpected:
        unclosed = (close for opening, close in ("[]", "()") if text.count(opening) > text.count(close))
        missing = next((f", a {close} is missing" for close in unclosed), "")
        column = max(1, unexpected.column)
        reason = f"{text!r} is not {_KINDS[start]}: column {column}{missing}; write {_EXAMPLES[start]}, for instance"
        raise ConventionError(reason, code="syntax") from None
    except VisitError as refused:
        raise refused.orig_exc from None
