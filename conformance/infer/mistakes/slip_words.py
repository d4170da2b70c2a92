"""A slip in plain English: what a program of ours does is said in the field's words, not as its statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_QUANTITIES = (
    (r"sum\(docno in relevant for docno in ranked\)", "the hits in the list"),
    (r"docno in relevant", "the document is relevant"),
    (r"ranked\[:\]", "all documents"),
    (r"ranked\[:([^\]]+)\]", r"the first \1 documents"),
    (r"ideal\[:([^\]]+)\]", r"the first \1 gains of the ideal list"),
    (r"gains\[:([^\]]+)\]", r"the first \1 gains"),
    (r"len\(set\(relevant\) & set\(ranked\[:k\]\)\)", "the hits in the top k"),
    (r"grades\.get\(docno, 0\)", "grade"),
    (r"gain_of\(grade\)", "gain"),
    (r"len\(relevant\)", "R"),
    (r"len\(nonrelevant\)", "N"),
    (r"len\(ranked\)", "n"),
    (r"(?<![\w.])m(?!\w)", "min(k, n)"),
    (r"(?<![\w.])c(?!\w)", "hits"),
    (r"(?<![\w.])g(?!\w)", "gain"),
    (r"(?<![\w.])total(?!\w)", "sum"),
    (r"(?<![\w.])best(?!\w)", "ideal sum"),
)
"""What stands in a program, and what it is called in the field."""
_STATEMENTS: Sequence[tuple[str, str]] = (
    (r"(?:c|hits) \+= 1", "counts the hit"),
    (r"above \+= 1", "counts the nonrelevant document above"),
    (r"(?:total|best|value) \+= (.+)", r"adds \1"),
    (r"(?:terms|values) \+= \[(.+)\]", r"adds \1"),
    (r"(\w+) \+= (.+)", r"adds \2 to \1"),
    (r"(\w+) -= (.+)", r"subtracts \2 from \1"),
    (r"(\w+) \*= (.+)", r"multiplies \1 by \2"),
    (r"(\w+) //?= (.+)", r"divides \1 by \2"),
    (r"hit = (.+)", r"asks whether \1"),
    (r"(\w+) = (.+)", r"sets \1 to \2"),
    (r"return (.+)", r"returns \1"),
    (r"for .+ in enumerate\((.+?)(?:, \d+)?\)", r"goes through \1"),
    (r"for .+ in (.+)", r"goes through \1"),
    (r"(?:el)?if (.+)", r"asks whether \1"),
    ("break", "stops"),
    ("continue", "goes on to the next document"),
)
"""A statement, and what it does."""
_IS_HIT = re.compile(r"(?:if )?(?:hit|label|docno in relevant)")
_SENTENCES: Sequence[tuple[str, Callable[..., str]]] = (
    ("it leaves out `(.+)`", lambda one: f"it never {_does(one)}"),
    ("`(.+)` comes before `(.+)`", lambda one, other: f"it {_does(one)} before it {_does(other)}"),
    ("`(.+)` is inside `(.+)`, not after it", lambda one, other: f"it {_does(one)} {_where(other)}, not at the end"),
    ("`(.+)` comes after `(.+)`, not inside it", lambda one, other: f"it {_does(one)} at the end, not {_where(other)}"),
    ("it treats (every|no) document as if `(.+)`", lambda which, case: f"it treats {which} document as {_what(case)}"),
    ("it has `(for .+)` instead of `(for .+)`", lambda one, other: f"it {_does(one)} instead of {_does(other).removeprefix('goes through ')}"),
    ("it has `hit = (.+)` instead of `hit = (.+)`", lambda one, other: f"it asks whether {one}, not whether {other}"),
    (r"it returns (total|c) / (.+) instead of \1 / ([^ ]+)", lambda _, one, other: f"it divides by {_bare(one)} instead of {other}"),
    ("it has `return (.+)` instead of `return (.+)`", lambda one, other: f"it returns {one} instead of {other}"),
    ("it has `(?:el)?if (.+)` instead of `(?:el)?if (.+)`", lambda one, other: f"it asks whether {one}, not whether {other}"),
    (r"it has `(\w+) = (.+)` instead of `\1 = (.+)`", lambda name, one, other: f"it takes {one} as {name} instead of {other}"),
    ("it has `(.+)` instead of `(.+)`", lambda one, other: f"it {_does(one)} where the right program {_does(other)}"),
)  # fmt: skip


def in_english(words: str, program: str) -> str:
    """Return the words of a slip of a program in plain English.

    >>> in_english("`total += c / i` comes before `c += 1`", "for i, docno in enumerate(ranked[:k], 1):")
    'it adds hits / rank before it counts the hit'
    >>> in_english("it treats every document as if `docno in relevant`", "")
    'it treats every document as relevant'
    """
    for pattern, say in _SENTENCES:
        if found := re.fullmatch(pattern, words):
            words = say(*found.groups())
            break
    return in_names(words, program)


def in_names(text: str, program: str) -> str:
    """Return a text with the field's names for what a program of ours has."""
    # In a loop that counts from 0, i is one less than the rank.
    place = "rank" if re.search(r"for i, \w+ in enumerate\(.+, 1\)", program) else "index"
    for quantity, name in (*_QUANTITIES, (r"(?<![\w.])i(?!\w)", place)):
        text = re.sub(quantity, name, text)
    return text


def _does(statement: str) -> str:
    for pattern, words in _STATEMENTS:
        if re.fullmatch(pattern, statement):
            return re.sub(pattern, words, statement)
    return f"has `{statement}`"


def _bare(divisor: str) -> str:
    return divisor[1:-1] if re.fullmatch(r"\([^()]*(?:\([^()]*\)[^()]*)?\)", divisor) else divisor


def _where(header: str) -> str:
    if header.startswith("for "):
        return "at each document"
    return "at each hit" if _IS_HIT.fullmatch(header) else f"where {header.removeprefix('if ')}"


def _what(case: str) -> str:
    if _IS_HIT.fullmatch(case):
        return "relevant"
    return "judged nonrelevant" if case == "docno in nonrelevant" else f"if {case}"
