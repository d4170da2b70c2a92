r"""Formulas as MathML, from the little of LaTeX that formulas of measures are made of.

>>> mathml(r"\frac{h_k}{k}")
'<mfrac><msub><mi>h</mi><mi>k</mi></msub><mi>k</mi></mfrac>'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from types import MappingProxyType

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\[{}]|\d+(?:\.\d+)?|\S", re.ASCII)
_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        r"\sum": "∑",
        r"\prod": "∏",
        r"\ge": "≥",
        r"\le": "≤",
        r"\in": "∈",
        r"\ldots": "…",
        r"\cdot": "·",
        r"\{": "{",
        r"\}": "}",
        "-": "−",  # noqa: RUF001 - the minus of mathematics
        "*": "∗",  # noqa: RUF001 - an operator
    }
)
_LETTERS: Mapping[str, str] = MappingProxyType(
    {r"\beta": "β", r"\varepsilon": "ε", r"\max": "max", r"\min": "min", r"\log": "log"}
)
_LIMITS_BELOW = frozenset({r"\sum", r"\prod", r"\max", r"\min"})
_TEXTS: Mapping[str, str] = MappingProxyType({r"\text": "mtext", r"\mathrm": "mi"})


class FormulaError(ValueError):
    """A formula is not of the LaTeX that is understood; the message says where."""


def mathml(latex: str) -> str:
    """Write a formula as MathML, without the `math` element around it.

    Raises:
        FormulaError: it has more LaTeX in it than is understood.
    """
    reading = _Reading(latex)
    made = reading.row()
    if reading.left:
        raise FormulaError(f"{latex}: {reading.left[0]} is not expected")
    return made


def tokens(latex: str) -> list[str]:
    """Split a formula into commands, letters, numbers and signs; a text is one token with its command."""
    pieces = re.split(r"(\\(?:text|mathrm)\{[^}]*\})", latex)
    return [token for place, piece in enumerate(pieces) for token in ([piece] if place % 2 else _TOKEN.findall(piece))]


class _Reading:
    """The tokens of a formula that are left."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.left = tokens(latex)

    def row(self, end: str = "") -> str:
        parts = []
        while self.left and self.left[0] != end:
            parts.append(self._scripted())
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def _scripted(self) -> str:
        kind = "under" if self.left[0] in _LIMITS_BELOW else "sub"
        base = self._atom()
        scripts = {}
        while self.left and self.left[0] in {"_", "^"}:
            script = self.left.pop(0)
            scripts[script] = self._atom()
        over = "over" if kind == "under" else "sup"
        match sorted(scripts):
            case ["^", "_"]:
                return f"<m{kind}{over}>{base}{scripts['_']}{scripts['^']}</m{kind}{over}>"
            case ["_"]:
                return f"<m{kind}>{base}{scripts['_']}</m{kind}>"
            case ["^"]:
                return f"<m{over}>{base}{scripts['^']}</m{over}>"
        return base

    def _atom(self) -> str:
        if not self.left:
            raise FormulaError(f"{self.latex}: it ends too early")
        match self.left.pop(0):
            case "{":
                return self._closed("}")
            case r"\frac":
                return f"<mfrac>{self._atom()}{self._atom()}</mfrac>"
            case r"\sqrt":
                return self._root()
            case sign:
                return self._sign(sign)

    def _root(self) -> str:
        if self.left[:1] != ["["]:
            raise FormulaError(f"{self.latex}: a root of what degree?")
        self.left.pop(0)
        degree = self._closed("]")
        return f"<mroot>{self._atom()}{degree}</mroot>"

    def _sign(self, sign: str) -> str:
        command, _, text = sign.partition("{")
        if command in _TEXTS:
            # Spaces at the ends of a text would be dropped.
            written = escape(text.removesuffix("}")).replace(" ", "&#160;")
            return f"<{_TEXTS[command]}>{written}</{_TEXTS[command]}>"
        if sign in _LETTERS or sign.isalpha():
            return f"<mi>{_LETTERS.get(sign, sign)}</mi>"
        if sign[0].isdigit():
            return f"<mn>{sign}</mn>"
        if sign == "}" or (sign.startswith("\\") and sign not in _SIGNS):
            raise FormulaError(f"{self.latex}: {sign} is not understood")
        return f"<mo>{escape(_SIGNS.get(sign, sign))}</mo>"

    def _closed(self, end: str) -> str:
        made = self.row(end)
        if not self.left:
            raise FormulaError(f"{self.latex}: no {end}")
        self.left.pop(0)
        return made
