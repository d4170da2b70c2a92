"""What a function calls: a search that finds the documents of a query, an estimator that gives the scores of rows.

Such an object answers to any method. Nothing is computed: the ranking, and the scores, are those of the question.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from importlib import import_module
from typing import Any


class StandIn:
    """An object that is called, by any method too: ``answer`` is given the method's name, then the arguments."""

    def __init__(self, answer: Callable[..., Any], about: str, method: str = "") -> None:
        """Keep what answers, and what that is."""
        self._answer, self._about, self._method = answer, about, method

    def __repr__(self) -> str:
        """Say in Python that it has to be made, and what it does."""
        return f"...  # {self._about}"

    def __getattr__(self, name: str) -> StandIn:
        """Return a method."""
        if name.startswith("_") or name in _OF_CONTAINERS:
            raise AttributeError(name)
        return StandIn(self._answer, self._about, name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Answer."""
        return self._answer(self._method, *arguments, *keywords.values())

    def __eq__(self, other: object) -> bool:
        """Compare nothing: whoever is given one can't change it."""
        return isinstance(other, StandIn)

    __hash__ = None  # type: ignore[assignment] # nothing is a key here


_OF_CONTAINERS = {"columns", "dtype", "equals", "items", "new_tensor", "shape", "to_dict", "toarray", "tocsr", "tolist"}
"""What tells an array, a frame or a dict from all else is no method of it."""


class Documents(list[Any]):
    """Ranked documents, which may be waited for."""

    def __await__(self) -> Generator[None, None, Documents]:
        """Return them."""
        yield from ()
        return self


def search(run: Mapping[str, Sequence[Any]]) -> StandIn:
    """Return what finds the documents of the query among its arguments, as many as these ask for, or of each query."""

    def documents(_: str, *arguments: Any) -> Any:
        k = next((each for each in arguments if type(each) is int), None)
        queries = next((each for each in arguments if isinstance(each, list | tuple)), None)
        if queries is not None:
            return Documents(Documents(run.get(each, ())[:k]) for each in queries)
        return Documents(next((run[each] for each in arguments if each in run), ())[:k])

    return StandIn(documents, f"a search that finds {run!r}")


def estimator() -> StandIn:
    """Return what gives rows their only value as score, and before it that of the other class where it gives both."""

    def estimated(method: str, rows: Any, *_: Any) -> Any:
        scores = rows[:, 0]
        return import_module("numpy").stack([1 - scores, scores], 1) if "proba" in method else scores

    return StandIn(estimated, "an estimator that gives the only value of a row as its score")
