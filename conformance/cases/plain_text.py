"""Text of others (exceptions, names, details) made fit for files that other programs read: XML, YAML, Markdown."""

from __future__ import annotations

import re

_LONGEST_LINE = 300
_LONGEST_WORD = 400
_FIRST, _LAST = 21, 7
_UNSEEN = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    r"\ufff9-\ufffb\ufffe\uffff\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""Control characters, separators of lines, marks of direction, signs without width but those that join letters.

No text that Python calls printable has one. It tells that of most texts before the pattern is compiled.
"""


def printable(text: str) -> str:
    r"""Write out what no XML may hold or no reader sees: `_UNSEEN`. Line breaks and tabs stay.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return text if text.isprintable() else re.sub(_UNSEEN, lambda unseen: _escaped(ord(unseen[0])), text)


def printable_json(text: str) -> str:
    r"""Write the same out in JSON, which holds the same content then.

    >>> printable_json('{"id": "a\x9bb"}')
    '{"id": "a\\u009bb"}'
    """
    if text.replace("\n", "").isprintable():
        return text
    import json

    return re.sub(_UNSEEN, lambda unseen: json.dumps(unseen[0])[1:-1], text)


def _escaped(code: int) -> str:
    letter, digits = next(("xuU"[place], digits) for place, digits in enumerate((2, 4, 8)) if code < 16**digits)
    return f"\\{letter}{code:0{digits}x}"


def with_short_words(text: str, longest: int = _LONGEST_WORD) -> str:
    r"""Shorten words in the middle that nobody would read, and say how long they are.

    >>> with_short_words(f"grade '{'9' * 5000}' is not a whole number")
    "grade '99999999999999999999...999999' (5002 characters) is not a whole number"
    """
    return " ".join(
        word if len(word) <= longest else f"{word[:_FIRST]}...{word[-_LAST:]} ({len(word)} characters)"
        for word in text.split(" ")
    )


def in_one_line(text: str, longest: int = _LONGEST_LINE) -> str:
    r"""Return a text in one printable line, cut where it is too long.

    >>> in_one_line("Traceback\n   of  much")
    'Traceback of much'
    """
    line = printable(" ".join(text.split()))
    return line if len(line) <= longest else f"{line[: longest - 3]}..."
