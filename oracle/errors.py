"""What is refused of a user, as named exceptions with codes; and what is near to a name that nothing has.

Each message says what is wrong, where, and what to do; `docs/reference/errors.md` lists them by their codes. Only
user-facing faults belong here: a value that a convention leaves undefined is not a fault but a value (see `values.py`),
unless the convention says `error`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class UserError(Exception):
    """A mistake of a user.

    Attributes:
        code: what is wrong, as a noun phrase that stays when the message gets better: `grade-not-whole`.
    """

    def __init__(self, message: str, *, code: str) -> None:
        """Keep what is wrong, in words for the user and in one that programs can go by."""
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it holds: the arguments of its class are not kept, and a pool of processes hands errors on."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[UserError], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> UserError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


class OracleError(UserError):
    """Anything that the oracle refuses."""


class InputError(OracleError, ValueError):
    """Data that no convention could evaluate: a NaN score, a grade that is no integer, k = 0."""


class ConventionError(OracleError, ValueError):
    """An unknown axis, value, profile or measure, or a combination that means nothing."""


class UndefinedValueError(OracleError, ArithmeticError):
    """The value is undefined and the convention says `error` (no relevant documents, a missing query, ...)."""


_MOST = 3  # Names that are near; a longer list would have to be searched
_MOST_BEGUN = 4  # Names that begin as a text does
_LEAST_ALIKE = 0.5  # difflib's ratio: names are short, and two letters of four still count as near


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return what is to be said behind a name that is unknown; nothing where nothing is near. Case doesn't count.

    >>> suggestion("NDGC", ["nDCG", "DCG", "AP"]), suggestion("x", ["AP"])
    (' (did you mean nDCG or DCG?)', '')
    """
    near = nearest(name, known)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that a text may stand for: those that it begins, or else close ones. Case doesn't count.

    >>> nearest("map", ["map", "map_cut", "ndcg"]), nearest("nDGC", ["nDCG", "AP"])
    (['map', 'map_cut'], ['nDCG'])
    """
    names: dict[str, str] = {}
    for each in known:
        names.setdefault(each.casefold(), each)
    text = name.casefold()
    if begun := [each for low, each in names.items() if text and low.startswith(text)]:
        return begun[:_MOST_BEGUN]
    from difflib import get_close_matches

    return [names[low] for low in get_close_matches(text, names, _MOST, _LEAST_ALIKE)]
