"""Scores of a page as doubles, correctly rounded: thousands at once where they are plain decimals.

1. Eight digits in a word are one number after three multiplications (each adds neighbours: 2, then 4, then 8 digits).
2. A decimal is a whole number below 2^53 over a power of ten up to 10^16. Both are doubles, and IEEE division rounds
   their quotient once.
3. What is no such decimal (an exponent, infinity, more digits) is read by Python's `float`, which rounds correctly.
"""

from __future__ import annotations

import re

import numpy as np
from rankspec.oracle.scoring.batch.fixed import Doubles, Integers, Mask
from rankspec.oracle.scoring.engines.pages import Page, Texts, Words
from rankspec.oracle.scoring.engines.product import EngineRefusalError

_SCORE = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,3})?|[+-]?inf(inity)?", re.IGNORECASE)
SMALLEST = 1e-280
"""Below it doubles are sparse, and exponents may be too small for them: scores of few digits may share one."""
# Digits up to here are a double, and so are powers of ten to 10^22: their quotient is the decimal's nearest double.
_EXACT = 1 << 53
_EIGHT = 8
_MOST_PLACES = 16
_MOST_FORMS = 24
"""Different numbers of decimals that are read at once; the rest one by one."""


def doubles_of(page: Page, texts: Texts) -> Doubles:
    """Return the scores.

    Raises:
        EngineRefusalError: a text is not a score.
    """
    text = page.text(int(texts.starts[0]), int(texts.ends[0]))
    if text.startswith((b"+", b"-")):
        return _of_many_forms(page, texts)
    found, read = _alike(page, texts.starts, texts.ends, _places(text))
    if not read.all():
        rest = np.flatnonzero(~read)
        found[rest] = _of_many_forms(page, texts.at(rest))
    return found


def _of_many_forms(page: Page, texts: Texts) -> Doubles:
    """Return scores, some with signs: those of one number of decimals at a time, and odd ones one by one."""
    first = page.codes[texts.starts]
    minus: Mask = first == ord("-")
    starts = texts.starts + (minus | (first == ord("+")))
    found = np.empty(starts.size)
    rest, alone = np.arange(starts.size), []
    for _ in range(_MOST_FORMS):
        if not rest.size:
            break
        begins, ends = starts[rest], texts.ends[rest]
        values, read = _alike(page, begins, ends, _places(page.text(int(begins[0]), int(ends[0]))))
        found[rest[read]] = values[read]
        if not read[0]:
            alone.append(int(rest[0]))
            read[0] = True
        rest = rest[~read]
    found[minus] *= -1
    for row in (*alone, *rest.tolist()):
        found[row] = _alone(page.text(int(texts.starts[row]), int(texts.ends[row])))
    found += 0.0  # no negative zero
    return found


def _places(text: bytes) -> int:
    """Return how many characters are behind a point; -1 if there is none."""
    return len(text) - 1 - text.find(b".") if b"." in text else -1


def _alone(text: bytes) -> float:
    if not _SCORE.fullmatch(text):
        raise EngineRefusalError("a line that is not plain")
    return float(text)


def _alike(page: Page, starts: Integers, ends: Integers, places: int) -> tuple[Doubles, Mask]:
    """Read unsigned decimals with so many places behind a point (-1: there is none), and tell which ones are that."""
    if places > _MOST_PLACES:
        return np.zeros(ends.size), np.zeros(ends.size, np.bool_)
    stops = ends - (places + 1)
    sizes = stops - starts
    least, longest = int(sizes.min()), int(sizes.max())
    if 0 < places < _EIGHT and longest + places <= _EIGHT:  # both parts are one word
        # A shorter text has a blank or a sign where the point or a digit is looked for.
        digits, read = page.digits_around(ends, np.maximum(sizes, 0) if least < 0 else sizes, places, longest)
        total, good = _eight(digits)
        read &= good
        return total / float(10**places), read
    read = sizes >= (1 if places < 1 else 0)
    if places >= 0:
        read &= page.codes[np.maximum(stops, 0)] == ord(".")
    whole, good = _number(page, stops, sizes, longest)
    read &= good & (whole <= _EXACT // 10 ** max(places, 0) - 1)
    if places < 1:
        return whole.astype(np.float64), read
    fraction, good = _number(page, ends, places, places)
    read &= good
    whole *= np.uint64(10**places)
    whole += fraction
    return whole / float(10**places), read


def _number(page: Page, ends: Integers, sizes: Integers | int, longest: int) -> tuple[Words, Mask]:
    """Return the numbers that up to sixteen digits before the ends are, and tell where they are digits."""
    total, good = _eight(page.digits_before(ends, sizes))
    if longest > _EIGHT:
        upper, upper_good = _eight(page.digits_before(ends - _EIGHT, sizes - _EIGHT))
        total += upper * np.uint64(10**_EIGHT)
        good &= upper_good & (np.asarray(sizes) <= 2 * _EIGHT)
    return total, good


_HIGHEST, _UP_TO_NINE = np.uint64(0x8080808080808080), np.uint64(0x7676767676767676)
_EACH_FOURTH = np.uint64(0x000000FF000000FF)
_HUNDRED_MILLION, _TEN_ONE = np.uint64(100 + (1000000 << 32)), np.uint64(1 + (10000 << 32))


def _eight(value: Words) -> tuple[Words, Mask]:
    """Return the numbers that eight digits are, the first in the lowest byte, and tell where all are digits."""
    beyond = value + _UP_TO_NINE  # a byte above 9 gets its highest bit here, or had it
    beyond |= value
    beyond &= _HIGHEST
    good: Mask = beyond == 0
    next_digit = value >> np.uint64(8)
    value *= np.uint64(10)
    value += next_digit
    upper = value >> np.uint64(16)
    upper &= _EACH_FOURTH
    upper *= _TEN_ONE
    value &= _EACH_FOURTH
    value *= _HUNDRED_MILLION
    value += upper
    value >>= np.uint64(32)
    return value, good
