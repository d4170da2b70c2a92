"""Long inputs written in short: repetitions and ranges in the lists and mappings of a case.

In a list of labels or scores, ``0 x 999`` stands for 999 zeros and ``1000..1`` for the whole numbers from 1000 down to
1. In an id, ``d<001..999>`` stands for d001 to d999, in as many digits as its first number has. As a key it gives each
of them the same value (a grade, or all that a query has); in a pair of a run it goes with as many scores, or with one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import ENTRIES

_REPETITION = re.compile(r"(\S+) x ([1-9][0-9]{0,9})")
_RANGE = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})")
_NAMES = re.compile(r"([^<>]*)<([0-9]{1,9})\.\.([0-9]{1,9})>([^<>]*)")


def numbers(given: list[Any]) -> list[Any]:
    """Write out a list of labels or scores.

    >>> numbers([1, "0 x 3", "3..1", "0.5"])
    [1, 0, 0, 0, 3, 2, 1, '0.5']

    Raises:
        InputError: an entry stands for too many.
    """
    return [number for entry in given for number in _numbers(entry)]


def labels(given: list[Any]) -> list[int]:
    """Write out a list of labels; `InputError` for what is not a whole number, or stands for too many."""
    written = numbers(given)
    if other := next((label for label in written if not isinstance(label, int)), None):
        raise InputError(f"{other!r} is not a label; give a whole number, or `0 x 999`", code="label-not-whole")
    return written


def _numbers(entry: Any) -> list[Any]:
    if not isinstance(entry, str):
        return [entry]
    if found := _REPETITION.fullmatch(entry):
        return [_number(found[1])] * _few(int(found[2]), entry)
    if found := _RANGE.fullmatch(entry):
        return _counted(int(found[1]), int(found[2]), entry)
    return [entry]


def _number(text: str) -> int | str:
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else text


def _counted(first: int, last: int, entry: str) -> list[int]:
    step = 1 if first <= last else -1
    _few(abs(last - first) + 1, entry)
    return list(range(first, last + step, step))


def _few(count: int, entry: str) -> int:
    if count > ENTRIES.most:
        raise InputError(ENTRIES.reason(f"{entry!r} stands for {count} entries,"), code="beyond-limit")
    return count


def names(given: str) -> list[str]:
    """Write out an id.

    >>> names("d<08..10>")
    ['d08', 'd09', 'd10']

    Raises:
        InputError: it stands for too many.
    """
    found = _NAMES.fullmatch(given)
    if found is None:
        return [given]
    before, first, last, after = found.groups()
    return [f"{before}{number:0{len(first)}}{after}" for number in _counted(int(first), int(last), given)]


def ids(given: list[str]) -> list[str]:
    """Write out a list of ids."""
    return [name for entry in given for name in names(entry)]


def keyed(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Write out a mapping from ids.

    >>> dict(keyed({"q<1..2>": {"a": 1}}))
    {'q1': {'a': 1}, 'q2': {'a': 1}}

    Raises:
        InputError: an id appears twice.
    """
    seen = set()
    for key, value in given.items():
        for name in names(key):
            if name in seen:
                raise InputError(f"{name!r} appears twice, in {key!r} too", code="key-repeated")
            seen.add(name)
            yield name, value


def scored(given: list[Any]) -> list[tuple[str, Any]]:
    """Write out the pairs of a run.

    >>> scored([["d<1..3>", "3..1"], ["e<1..2>", 0]])
    [('d1', 3), ('d2', 2), ('d3', 1), ('e1', 0), ('e2', 0)]

    Raises:
        InputError: there is another number of documents than of scores.
    """
    pairs = list[tuple[str, Any]]()
    for docno, score in given:
        documents, scores = names(docno), _numbers(score)
        if len(scores) not in {1, len(documents)}:
            raise InputError(
                f"{docno!r} are {len(documents)} documents, and {score!r} {len(scores)} scores", code="lengths-differ"
            )
        pairs += zip(documents, scores * len(documents) if len(scores) == 1 else scores, strict=True)
    return pairs
