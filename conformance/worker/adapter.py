"""The adapter base: what a module in ``adapters/`` says about the library that it calls.

An adapter is data and a few functions. It never computes a metric and never judges one. This module
imports nothing but the standard library, so that an adapter costs no more than its library.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Adapter", "Ids", "Labels", "Printed", "Qrels", "Run", "Scores", "ShapeName", "UnsupportedError"]

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
Labels = list[int]
Scores = list[float]
Ids = list[str]

ShapeName = Literal[
    "ranking",
    "labels-scores",
    "actual-predicted",
    "qrels-run",
    "files",
    "lists-of-lists",
    "matrices",
    "frames",
    "predicted-actual",
]


LONGEST_STARTUP_SECONDS = 600.0  # What an adapter can declare at most that the start of its library takes


class UnsupportedError(Exception):
    """What an adapter's function raises if its library has no such call: the message says what it lacks."""


class Printed(str):
    """A number as a program printed it, ``Printed("0.63093")``: it is held to the digits that are there."""

    __slots__ = ()


@dataclass(frozen=True)
class Adapter:
    """The thinnest call into one library; a module in ``adapters/`` exposes one as ``ADAPTER``, or ``ADAPTERS``.

    The names of several begin with that of their module: ``sklearn_ndcg`` stands in ``sklearn``.

    ``name`` is what the user types and the extra that installs the library (``rankspec[name]``),
    ``distribution`` the package whose installed version is reported, if its name is another one, ``convention`` the
    name of the profile that the library declares to follow.

    ``measures`` maps a measure's name (``AP``, ``AP11``, ``P``) to a function. It is called with the
    arguments of ``shape``, by the names that its ``Shape`` states where its parameters have them and by
    position otherwise, and with the keywords ``k`` and ``rel`` if it has parameters of these names and
    the measure has a cutoff or a threshold; so too with ``recall`` (the level of IPrec), ``beta`` and ``p``
    (floats), ``dcg`` (text), ``gains`` (grade to gain), ``judged_only`` and ``relative`` (True). One that takes
    ``expression`` is given the whole measure as text instead. A measure that has what the function does not take
    is not asked. It returns a number (``Printed`` where the library gives a few digits), or a dict of query to number;
    it raises ``UnsupportedError`` for what the library has not.

    Where the library has many functions that are called alike, ``measures`` maps to the library's names for them, and
    ``call`` is the one function, which takes such a name before the arguments.

    A function leaves every option of the library at its default, unless the measure's name demands otherwise. What it
    sets stands in ``about``, or else in the first sentence of the module, which the library's record quotes.

    ``extra`` is the extra that installs the library, where that is not the name of the adapter's module.

    ``imports`` is the module of the library that is imported before the first call, for a library whose import takes
    seconds: its start has a longer limit than a call. ``prepare`` is called once after that: the place to compile what
    is compiled when first used.

    ``startup_seconds`` is what the start of a process may take, the import, ``prepare`` and the first call together,
    where that is more than the usual 30; at most 600, and that where the library ``compiles`` itself.

    ``short_ids`` says that the library takes long for ids of many lengths: where ids don't matter, it is given such
    of one length.

    ``requires`` are other packages, as pip's requirements, that the adapter needs beside its distribution: they are
    installed with it where a version is stated (``mylib==1.2``). ``wheels_only`` are those among what is then
    installed that are given up where there is no wheel, since building them from source fails only after minutes.
    """

    name: str
    distribution: str = ""
    shape: ShapeName = "qrels-run"
    convention: str = "default"
    measures: Mapping[str, Any] = field(default_factory=dict)
    prepare: Callable[[], None] | None = None
    requires: tuple[str, ...] = ()
    extra: str = ""
    compiles: bool = False
    startup_seconds: float | None = None
    short_ids: bool = False
    wheels_only: tuple[str, ...] = ()
    call: Callable[..., object] | None = None
    about: str = ""
    imports: str = ""

    def __post_init__(self) -> None:
        """Make each name a call, and keep the measures where nobody can change them."""
        call = self.call
        calls = {
            name: each if callable(each) or not call else partial(call, each) for name, each in self.measures.items()
        }
        object.__setattr__(self, "measures", MappingProxyType(calls))
        object.__setattr__(self, "distribution", self.distribution or self.name.replace("_", "-"))

    def start(self) -> None:
        """Import the library, and do what has to be done once before the first call."""
        if self.imports:
            import_module(self.imports)
        if self.prepare is not None:
            self.prepare()
