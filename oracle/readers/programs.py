"""How programs read TREC's files: what each reading takes and refuses, with the place in the program; and C's numbers.

`trec_eval` means two programs. Both put lines in order by themselves, so that neither the order of lines nor scattered
queries matter; both separate columns by the blanks of ASCII; both read scores by C's atof and grades by C's atol.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.conventions.axes import Reading


class Program(NamedTuple):
    """What one version of trec_eval does with a file."""

    name: str  # what the program is called in messages
    comments: bool  # lines that start with # are passed over (in a run after blanks, too)
    dash_is_standard_input: bool  # a results file whose name starts with - is standard input, whatever follows
    evaluates_missing: bool  # a query of the qrels is evaluated even if the run lacks it


PROGRAMS: Mapping[Reading, Program | None] = MappingProxyType(
    {
        Reading.STRICT: None,
        Reading.TREC_EVAL_9: Program(
            "trec_eval 9", comments=False, dash_is_standard_input=False, evaluates_missing=False
        ),
        Reading.TREC_EVAL_10: Program(
            "trec_eval 10", comments=True, dash_is_standard_input=True, evaluates_missing=True
        ),
    }
)
"""Reading -> whose it is. `Reading.STRICT` is nobody's: what one program reads and another skips is refused."""


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
