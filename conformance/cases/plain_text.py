"""Text of others (exceptions, names, details) made fit for files that other programs read: XML, YAML, Markdown."""

from __future__ import annotations

import unicodedata

_LONGEST_LINE = 300
_LONGEST_WORD = 400
_KEPT, _KEPT_OF_THE_END = 21, 7
_NEVER = {0xFFFE, 0xFFFF}
_TURNING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
"""Marks that turn the direction of the text around: what is read would not be what is there."""


def printable(text: str) -> str:
    r"""Write out what no XML may hold or no reader sees: control characters, lone surrogates, marks of direction.

    Line breaks and tabs stay.

        >>> printable("a\x1b[31mb")
        'a\\x1b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(character if _is_printable(character) else _escaped(character) for character in text)


def _is_printable(character: str) -> bool:
    code = ord(character)
    if character in "\n\t":
        return True
    return unicodedata.category(character) not in {"Cc", "Cs"} and code not in _NEVER and code not in _TURNING


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < _FIRST_OF_FOUR_DIGITS else f"\\u{code:04x}"


_FIRST_OF_FOUR_DIGITS = 0x100


def with_short_words(text: str, longest: int = _LONGEST_WORD) -> str:
    r"""Shorten words in the middle that nobody would read, and say how long they are.

    >>> with_short_words(f"grade '{'9' * 5000}' is not a whole number")
    "grade '99999999999999999999...999999' (5002 characters) is not a whole number"
    """
    return " ".join(_short_word(word, longest) for word in text.split(" "))


def _short_word(word: str, longest: int) -> str:
    return word if len(word) <= longest else f"{word[:_KEPT]}...{word[-_KEPT_OF_THE_END:]} ({len(word)} characters)"


def in_one_line(text: str, longest: int = _LONGEST_LINE) -> str:
    r"""Return a text in one printable line, cut where it is too long.

    >>> in_one_line("Traceback\n   of  much")
    'Traceback of much'
    """
    line = printable(" ".join(text.split()))
    return line if len(line) <= longest else f"{line[: longest - 3]}..."
