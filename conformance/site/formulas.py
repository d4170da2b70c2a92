"""What each family of measures computes, as a formula: of its definition, else of `formulas.toml`, with its signs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from html import escape
from pathlib import Path

from latex2mathml.converter import convert
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.definitions.writing import latex, signs

_DATA = tomllib.loads((Path(__file__).parent / "formulas.toml").read_text(encoding="utf-8"))
FORMULAS: Mapping[str, str] = _DATA["formulas"]
_SIGNS: Mapping[str, tuple[str, str]] = _DATA["signs"]
_TOKEN = re.compile(r"\\(?:text|mathrm)\{[^}]*\}|\\[a-zA-Z]+|\\[{}]|\d+(?:\.\d+)?|\S", re.ASCII)
"""A command, a letter, a number or a sign; a text is one token with its command."""


def formula(family: str) -> str:
    """Return what a family computes, as a `math` element."""
    definition = FAMILIES[family].definition
    written = latex(definition) if definition and family not in FORMULAS else FORMULAS[family]
    return convert(written, display="block")


def legend(family: str) -> list[tuple[str, str]]:
    """Return the signs of a family's formula as `math` elements, with what they stand for."""
    definition = FAMILIES[family].definition
    if definition and family not in FORMULAS:
        pairs = signs(definition)
    else:
        used = set(_TOKEN.findall(FORMULAS[family]))
        pairs = [pair for token, pair in _SIGNS.items() if token in used]
    return [(convert(sign), meaning) for sign, meaning in pairs]


def typeset(text: str) -> str:
    """Return a text as HTML, with `math` elements for the formulas in it: what stands between dollars, or all of it."""
    if "$" in text:
        parts = re.split(r"\$+([^$]+)\$+", text)
    elif "\\" in text:  # between formulas stand words
        parts = ["", *re.split(r"(,? (?:with|where|and|for) )", text)]
    else:
        parts = [text]
    return "".join(_converted(part) if place % 2 else with_code(part) for place, part in enumerate(parts))


def with_code(text: str) -> str:
    """Return a text as HTML, with `code` elements for what stands between single backticks."""
    return re.sub("(?<!`)`([^`]+)`(?!`)", r"<code>\1</code>", escape(text))


def _converted(formula: str) -> str:
    """Return a formula as a `math` element; a part of one that makes no whole, as it stands."""
    try:
        return convert(formula)
    except Exception:  # noqa: BLE001 - the converter has many ways to say that it does not understand
        return escape(formula)
