"""Where an implementation comes from: the one thing that the specification and the worker both know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AdapterSource:
    """The adapter of this name, on the installed version of its library."""

    name: str


@dataclass(frozen=True)
class EntryPointSource:
    """The adapter that an installed package offers under this name (``offered``)."""

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


@dataclass(frozen=True)
class CommandSource:
    """A program that prints values in trec_eval's columns, run anew for each call; ``words`` is its command line."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class ProgramSource:
    """A program that speaks the line protocol on its standard input and output; ``words`` is its command line."""

    words: tuple[str, ...]


Source = AdapterSource | EntryPointSource | FileSource | ModuleSource | CommandSource | ProgramSource
