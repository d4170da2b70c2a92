"""Scores of a page as doubles, correctly rounded: thousands at once where they are plain decimals.

1. Eight digits in a word are one number after three multiplications (each adds neighbours: 2, then 4, then 8 digits).
2. A decimal is a whole number below 2^64 over a power of ten up to 10^22, which is a double. If the whole number is a
   double, too, IEEE division rounds their quotient once. If not, the quotient is enclosed (`_quotients`).
3. What is no such decimal (infinity, more digits, a greater power), or is enclosed by two doubles, is read by Python's
   `float`, which rounds correctly.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Self

import numpy as np
from rankspec.oracle.scoring.batch.fixed import Doubles, Integers, Mask
from rankspec.oracle.scoring.engines.pages import Page, Texts, Words
from rankspec.oracle.scoring.engines.product import EngineRefusalError

_SCORES = re.compile(rb"(?:[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]{1,3})?|inf(?:inity)?) )*", re.IGNORECASE)
_EXPONENT = re.compile(rb"e[+-]?[0-9]{1,3}", re.IGNORECASE)
SMALLEST = 1e-280
"""Below it doubles are sparse, and exponents may be too small for them: scores of few digits may share one."""
# Whole numbers up to here are doubles, and so are powers of ten to 10^22.
_EXACT = 1 << 53
_EIGHT = 8
_MOST_DIGITS = 3 * _EIGHT
_MOST_PLACES = 22
_FULL = (1 << 64) - 1
_MOST_FORMS, _MOST_ODD = 24, 2
"""Forms that are read at once, and how many scores may be of none of them before the rest is read one by one."""


def doubles_of(page: Page, texts: Texts) -> Doubles:
    """Return the scores; `EngineRefusalError` for a text that is none."""
    text = page.text(int(texts.starts[0]), int(texts.ends[0]))
    if text.startswith((b"+", b"-")):
        return _of_many_forms(page, texts)
    found, read = _alike(page, texts.starts, texts.ends, _Form.of(text))
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
    rest, alone = np.arange(starts.size), list[int]()
    for _ in range(_MOST_FORMS):
        if not rest.size or len(alone) == _MOST_ODD:
            break
        begins, ends = starts[rest], texts.ends[rest]
        values, read = _alike(page, begins, ends, _Form.of(page.text(int(begins[0]), int(ends[0]))))
        found[rest[read]] = values[read]
        if not read[0]:
            alone.append(int(rest[0]))
            read[0] = True
        rest = rest[~read]
    found[minus] *= -1
    if alone or rest.size:
        rows = np.array([*alone, *rest.tolist()])
        found[rows] = one_by_one(page, texts.at(rows))
    found += 0.0  # no negative zero
    return found


class _Form(NamedTuple):
    """What scores have in common: characters behind a point (-1: there is none), and what follows the digits."""

    places: int
    exponent: bytes

    @classmethod
    def of(cls, text: bytes) -> Self:
        """Return a score's."""
        exponent = text[len(text.lower().partition(b"e")[0]) :]
        digits = text.removesuffix(exponent)
        return cls(len(digits) - 1 - digits.find(b".") if b"." in digits else -1, exponent)

    @property
    def power(self) -> int:
        """Return the power of ten that the digits are divided by; -1 if that is not known to be a double."""
        if self.exponent and not _EXPONENT.fullmatch(self.exponent):
            return -1
        power = max(self.places, 0) - int(self.exponent[1:] or 0)
        return power if max(self.places, power) <= _MOST_PLACES else -1


def one_by_one(page: Page, texts: Texts) -> list[float]:
    """Return scores that have to be objects; `EngineRefusalError` for a text that is none."""
    alone = [page.text(*span) for span in zip(texts.starts.tolist(), texts.ends.tolist(), strict=True)]
    if not _SCORES.fullmatch(b" ".join((*alone, b""))):
        raise EngineRefusalError("a line that is not plain")
    return [*map(float, alone)]


def _alike(page: Page, starts: Integers, ends: Integers, form: _Form) -> tuple[Doubles, Mask]:
    """Read unsigned decimals of one form, and tell which ones are that."""
    if form.power < 0:
        return np.zeros(ends.size), np.zeros(ends.size, np.bool_)
    if form.exponent:
        total, read = _digits(page, starts, ends - len(form.exponent), form.places)
        read &= page.end_with(ends, form.exponent)
    else:
        total, read = _digits(page, starts, ends, form.places)
    divisor = float(10**form.power)
    if int(total.max()) <= _EXACT:
        return total / divisor, read
    values, certain = _quotients(total, divisor)
    return values, read & certain


def _digits(page: Page, starts: Integers, ends: Integers, places: int) -> tuple[Words, Mask]:
    """Return the numbers that digits are, with a point before so many (-1: without), and tell which ones are that."""
    stops = ends - (places + 1)
    sizes = stops - starts
    longest = int(sizes.max())
    read = sizes >= (1 if places < 1 else 0)
    if places >= 0:
        read &= page.codes[np.maximum(stops, 0)] == ord(".")
    total, good = _number(page, stops, sizes, longest)
    scale = 10 ** max(places, 0)
    read &= good & (total <= max(_FULL // scale - 1, 0))
    if places > 0:
        fraction, good = _number(page, ends, places, places)
        read &= good
        total *= np.uint64(scale & _FULL)
        total += fraction
    return total, read


def _number(page: Page, ends: Integers, sizes: Integers | int, longest: int) -> tuple[Words, Mask]:
    """Return the numbers that up to 24 digits before the ends are, and tell where they are digits and below 2^64."""
    total, good = _eight(page.digits_before(ends, sizes))
    if longest > _EIGHT:
        upper, upper_good = _eight(page.digits_before(ends - _EIGHT, sizes - _EIGHT))
        total += upper * np.uint64(10**_EIGHT)
        good &= upper_good
    if longest > 2 * _EIGHT:
        upper, upper_good = _eight(page.digits_before(ends - 2 * _EIGHT, sizes - 2 * _EIGHT))
        total += upper * np.uint64(10 ** (2 * _EIGHT))
        good &= upper_good & (upper < _FULL // 10 ** (2 * _EIGHT)) & (np.asarray(sizes) <= _MOST_DIGITS)
    return total, good


def _quotients(wholes: Words, divisor: float) -> tuple[Doubles, Mask]:
    """Return the doubles nearest to whole numbers over a double of at most 53 bits, and tell where that is certain."""
    # With w = x + y for the nearest double x, q the double nearest to x / d, and q d = p + e for the nearest double p
    # (Dekker's product), w / d = q + (x - p + y - e) / d. The last quotient is at most 2^-50 q, and its roundings are
    # less than 2^-100 q. Rounding is monotonic: where adding it to q gives one double with 2^-95 q more and less, this
    # is the nearest one to w / d.
    upper = (wholes >> np.uint64(32)) * float(1 << 32)
    lower = (wholes & np.uint64((1 << 32) - 1)).astype(np.float64)
    nearest = upper + lower
    rest = lower - (nearest - upper)
    quotient = nearest / divisor
    product = quotient * divisor
    (first, second), (head, tail) = _halves(quotient), _halves(divisor)
    error = first * head - product + first * tail + second * head + second * tail
    correction = ((nearest - product) + (rest - error)) / divisor
    least = quotient * 2.0**-95
    values: Doubles = quotient + (correction - least)
    return values, values == quotient + (correction + least)


def _halves(value: Any) -> tuple[Any, Any]:
    """Return two doubles of 26 bits whose sum a double is, or an array of them (Veltkamp's splitting)."""
    scaled = value * float((1 << 27) + 1)
    head = scaled - (scaled - value)
    return head, value - head


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
