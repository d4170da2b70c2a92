"""How a user's program gets at an implementation: the lines that import it, or what its adapter calls."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.reproducing.inlining import Module, NotInlinedError, Source, source_of
from rankspec.conformance.run.in_process import object_name
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.messages import AdapterSource, FileSource, Hello, ModuleSource
from rankspec.conformance.worker.shapes import Signature, tell

_HARNESS = "rankspec"


@dataclass(frozen=True)
class Imported:
    """Lines that import a function, its name there, and how it is called."""

    lines: tuple[str, ...]
    name: str
    signature: Signature
    by_position: bool = False  # its parameters may have other names than the shape's
    wrapper: Source | None = None  # the function of an adapter: what it calls is written instead of it


def imported(
    implementation: Implementation | Callable[..., object] | Adapter,
    hello: Hello,
    measure: str,
    *,
    is_wrapper: bool = False,
) -> Imported:
    """Say how a program would import what computes a family; `is_wrapper`: a file's function calls a library."""
    signature = hello.signature(measure) or next(iter(hello.functions.values()))
    if isinstance(implementation, Adapter):
        return _of_adapter(implementation, measure, signature)
    if hello.is_made:
        return Imported((f"# f: makes {hello.name} with its defaults, and calls it",), "f", signature)
    if not isinstance(implementation, Implementation):
        return _of_object(implementation, signature)
    by_position = implementation.shape is not None
    match implementation.source:
        case ModuleSource(module, function):
            return Imported(_from(module, function), function, signature, by_position)
        case FileSource(path, function):
            wrapper = _wrapper(Path(path), function) if is_wrapper else None
            return Imported(_from_file(Path(path), function), function, signature, by_position, wrapper)
        case AdapterSource(name):
            return _of_adapter(built_in(name), measure, signature)
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
    if name and module.partition(".")[0] != _HARNESS and _resolves(implementation, module, name):
        return Imported(_from(module, name), name, signature)
    source = _source_of_lambda(implementation)
    line = f"f = {source}" if source else f"# f: {object_name(implementation)}, a function object"
    return Imported((line,), "f", signature)


def _resolves(implementation: object, module: str, name: str) -> bool:
    """Tell whether importing a name from a module gives this very object."""
    try:
        found: Any = reduce(getattr, name.split("."), sys.modules[module])
    except (AttributeError, KeyError):
        return False
    return bool(found == implementation)  # methods of a class are new objects each time


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
    function = adapter.measures.get(measure)
    if function is None:
        return Imported((f"# f: what the adapter {adapter.name} calls for {measure}",), "f", signature)
    try:
        wrapper = source_of(function)
    except NotInlinedError:
        wrapper = None
    return replace(_of_object(function, tell(function, adapter.shape)), wrapper=wrapper)


def _wrapper(path: Path, function: str) -> Source | None:
    try:
        return Module(path, is_wrapper=True).source(function)
    except NotInlinedError:
        return None
