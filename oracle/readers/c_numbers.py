"""C's `atof` and `atol`: the number that a text starts with, 0 if it starts with none, never an error."""

from __future__ import annotations

import math
import re

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEXADECIMAL = r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
_NAMED = r"([+-]?)(inf|nan)"
_WHOLE = re.compile(r"[+-]?[0-9]+")
_LONGEST_EXPONENT = 9
# What C's strtol returns for a number beyond a long of 64 bits.
_LARGEST_LONG = 2**63 - 1


def atof(text: str) -> float:
    """Return the double nearest to the number that a text starts with, in C's grammar of numbers.

    >>> [atof(text) for text in ("1.5abc", "foo", "0x1p-2", "1e", "-inf", "1e999")]
    [1.5, 0.0, 0.25, 1.0, -inf, inf]
    """
    if ("x" in text or "X" in text) and (number := re.match(_HEXADECIMAL, text)):
        return _from_hexadecimal(number[0])
    if number := _DECIMAL.match(text):
        return float(number[0])
    if named := re.match(_NAMED, text, re.IGNORECASE):
        return math.copysign(float(named[2]), -1 if named[1] == "-" else 1)
    return 0.0


def _from_hexadecimal(text: str) -> float:
    mantissa, _, exponent = text.lower().partition("p")
    if len(exponent.lstrip("+-0")) > _LONGEST_EXPONENT:
        is_zero = not mantissa.lstrip("+-").removeprefix("0x").strip("0.")
        magnitude = 0.0 if exponent.startswith("-") or is_zero else math.inf
        return math.copysign(magnitude, -1 if text.startswith("-") else 1)
    try:
        return float.fromhex(text)
    except OverflowError:
        return math.copysign(math.inf, -1 if text.startswith("-") else 1)


def atol(text: str) -> int:
    """Return the whole number that a text starts with, held within 64 bits as glibc does.

    >>> [atol(text) for text in ("2", "-1x", "0.9", "foo", "99999999999999999999")]
    [2, -1, 0, 0, 9223372036854775807]
    """
    number = _WHOLE.match(text)
    if number is None:
        return 0
    digits = number[0].lstrip("+-0")
    if len(digits) > len(str(_LARGEST_LONG)):  # int() refuses thousands of digits
        digits = "9" * (len(str(_LARGEST_LONG)) + 1)
    magnitude = int(digits or "0")
    return -min(magnitude, _LARGEST_LONG + 1) if number[0].startswith("-") else min(magnitude, _LARGEST_LONG)
