"""Scores: exact numbers that order documents, and the two roundings that programs put them through.

A score never enters a value; it is only compared. Python compares int, float and Fraction with each other exactly,
so a score is kept in whichever of these holds it exactly.
"""

from __future__ import annotations

import math
import re
import struct
from fractions import Fraction
from functools import lru_cache

from rankspec.oracle.errors import InputError

Score = int | float | Fraction
"""An exact score. A float stands for the double that it is (infinities included), never for a decimal nearby."""

_NUMBER = re.compile(r"[+-]?(\d+(/0*[1-9]\d*)?|(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d{1,4})?)", re.ASCII)
_INFINITY = r"([+-]?)inf(inity)?"


def parse_score(given: object, where: str = "score") -> Score:
    """Read a score exactly: a number, or the text of a decimal, a fraction or an infinity.

    Raises:
        InputError: it is NaN or no number; `where` names the place.
    """
    if type(given) is Fraction or type(given) is int:  # most are, and isinstance asks a fraction's abstract classes
        return given
    if isinstance(given, bool) or not isinstance(given, int | float | Fraction | str):
        raise InputError(
            f"{where}: {given!r} is not a score; give a number or its decimal text", code="score-not-a-number"
        )
    if isinstance(given, float) and math.isnan(given):
        raise InputError(f"{where}: NaN is not a score: it can't be ordered", code="score-nan")
    if not isinstance(given, str):
        return given
    exact = _of_text(given.strip())
    if exact is None:
        raise InputError(
            f"{where}: {given.strip()!r} is not a score; give a decimal number such as 0.25 or 1e-3",
            code="score-not-a-number",
        )
    return exact


@lru_cache(maxsize=2**14)
def _of_text(text: str) -> Score | None:
    """Return the number that a text stands for: the same few thousand texts are read over and over."""
    if _NUMBER.fullmatch(text):
        return Fraction(text)
    infinity = re.fullmatch(_INFINITY, text, re.IGNORECASE)
    return None if infinity is None else -math.inf if infinity[1] == "-" else math.inf


def as_float64(score: Score) -> Score:
    """Round to the nearest double; what lies beyond the doubles is infinite."""
    try:
        return float(score)
    except OverflowError:
        return math.inf if score > 0 else -math.inf


def as_float32(score: Score) -> Score:
    """Round to the nearest double and then to the nearest single, as C does with `(float) atof(text)`."""
    double = float(as_float64(score))
    try:
        return float(struct.unpack("<f", struct.pack("<f", double))[0])
    except OverflowError:  # a byte order is stated because what is native may be infinity without it
        return math.copysign(math.inf, double)
