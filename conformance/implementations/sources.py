"""Where an implementation comes from: the one thing that the specification and the worker both know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AdapterSource:
    """The adapter of this name, on the installed version of its library."""

    name: str


@dataclass(frozen=True)
class FileSource:
    """A function in a Python file; ``path`` is absolute, ``function`` may have dots (``Class.method``)."""

    path: str
    function: str


@dataclass(frozen=True)
class ModuleSource:
    """A function in a module that can be imported."""

    module: str
    function: str


Source = AdapterSource | FileSource | ModuleSource
