"""What is too long to read is shortened in the middle, with its length; reports for programs have it whole."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_LONGEST_TEXT = 60
_LONGEST_FRACTION = 40
_MOST_ITEMS = 16
_SHOWN = 5
_DIGITS = 5
_LAST_DIGITS = 3


def shortened_text(text: str, most: int = _LONGEST_TEXT) -> str:
    """Return a text, or its beginning and its end, and how many characters it has."""
    half = most // 2 - 2
    return text if len(text) <= most else f"{text[:half]}...{text[-half:]} ({len(text):,} characters)"


def shortened_list(items: Sequence[object], separator: str = " ", what: str = "documents") -> str:
    """Return a list, or its first and last items, and how many there are: `0 1 0 ... 0 1 (988 documents)`."""
    texts = [shortened_text(str(item)) for item in items]
    if len(texts) > _MOST_ITEMS:
        texts = [*texts[:_SHOWN], "...", *texts[-_SHOWN:]]
        return f"{separator.join(texts)} ({len(items):,} {what})"
    return separator.join(texts)


def shortened_fraction(text: str) -> str:
    """Return a fraction, or both its numbers shortened with its decimal; other texts are shortened as texts."""
    numerator, slash, denominator = text.partition("/")
    if len(text) <= _LONGEST_FRACTION:
        return text
    if not slash or not numerator.removeprefix("-").isdecimal() or not denominator.isdecimal():
        return shortened_text(text)
    try:
        decimal = f" = {float(Fraction(int(numerator), int(denominator))):.10g}"
    except (OverflowError, ValueError):
        decimal = ""  # beyond every double, or of more digits than are read
    digits = max(len(numerator.removeprefix("-")), len(denominator))
    return f"{_number(numerator)}/{_number(denominator)} ({digits} digits){decimal}"


def _number(digits: str) -> str:
    if len(digits) <= _DIGITS + _LAST_DIGITS + 3:
        return digits
    return f"{digits[:_DIGITS]}...{digits[-_LAST_DIGITS:]}"
