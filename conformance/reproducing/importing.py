"""How a program of one's own gets at an implementation: the lines that import it, and what it is called there."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.reproducing.copying import NotCopiedError, copied
from rankspec.conformance.run.in_process import object_name
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.messages import Hello
from rankspec.conformance.worker.shapes import ShapeError, Signature, tell
from rankspec.conformance.worker.sources import AdapterSource, FileSource, ModuleSource


@dataclass(frozen=True)
class Imported:
    """Lines that import a function, its name there, and how it is called.

    Attributes:
        by_position: its parameters may have other names than the shape's.
    """

    lines: tuple[str, ...]
    name: str
    signature: Signature
    by_position: bool = False


def imported(implementation: Implementation | Callable[..., object] | Adapter, hello: Hello, measure: str) -> Imported:
    """Say how a program would import what computes a measure."""
    signature = hello.signature(measure) or next(iter(hello.functions.values()))
    if isinstance(implementation, Adapter):
        return _of_adapter(implementation, measure, signature)
    if not isinstance(implementation, Implementation):
        return _of_object(implementation, signature)
    by_position = implementation.shape is not None
    match implementation.source:
        case ModuleSource(module, function):
            return Imported(_from(module, function), function, signature, by_position)
        case FileSource(path, function):
            return Imported(_from_file(Path(path), function), function, signature, by_position)
        case AdapterSource(name):
            adapter = built_in(name)
            pinned = implementation.pinned
            note = () if pinned is None else (f"# with {pinned.requirements[0]} installed",)
            found = _of_adapter(adapter, measure, signature)
            return Imported((*note, *found.lines), found.name, found.signature)
        case _:
            return Imported((f"# f: what the adapter {implementation.text} calls",), "f", signature)


def _from(module: str, function: str) -> tuple[str, ...]:
    return (f"from {module} import {function.partition('.')[0]}",)


def _from_file(path: Path, function: str) -> tuple[str, ...]:
    try:
        shown = path.relative_to(Path.cwd())
    except ValueError:
        shown = path
    if not path.stem.isidentifier():
        return ("import runpy", f'{function} = runpy.run_path("{shown}")["{function}"]')
    return ("import sys", f'sys.path.insert(0, "{shown.parent}")', *_from(path.stem, function))


def _of_object(implementation: Callable[..., object], signature: Signature) -> Imported:
    module, name = getattr(implementation, "__module__", ""), getattr(implementation, "__qualname__", "")
    if name and _resolves(implementation, module, name):
        return Imported(_from(module, name), name, signature)
    source = _source_of_lambda(implementation)
    line = f"f = {source}" if source else f"# f: {object_name(implementation)}, the object that the test states"
    return Imported((line,), "f", signature)


def _resolves(implementation: object, module: str, name: str) -> bool:
    """Tell whether importing a name from a module gives this very object."""
    try:
        found: Any = reduce(getattr, name.split("."), sys.modules[module])
    except (AttributeError, KeyError):
        return False
    return found is implementation or found == implementation


def _source_of_lambda(implementation: object) -> str:
    """Return the text of a lambda that stands alone on the right of `name = `; empty for anything else."""
    if getattr(implementation, "__name__", "") != "<lambda>" or getattr(implementation, "__closure__", None):
        return ""
    try:
        lines = inspect.getsource(implementation).strip().splitlines()  # type: ignore[arg-type]
    except (OSError, TypeError):
        return ""
    text = lines[0].partition("=")[2].strip()
    return text if len(lines) == 1 and text.startswith("lambda ") else ""


def _of_adapter(adapter: Adapter, measure: str, signature: Signature) -> Imported:
    """Copy what an adapter does: its functions are short, and import their library themselves."""
    unknown = Imported((f"# f: what the adapter {adapter.name} calls for {measure}",), "f", signature)
    function = adapter.measures.get(measure)
    if function is None:
        return unknown
    try:
        lines, name = copied(function)
        return Imported(lines, name, tell(function, adapter.shape))
    except (NotCopiedError, ShapeError):
        return unknown
