"""In the worker: load what a source names, and tell how its functions are called."""

from __future__ import annotations

import importlib
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from rankspec.conformance.implementations.adapter import Adapter
from rankspec.conformance.implementations.messages import ANY_MEASURE, Failed, Hello
from rankspec.conformance.implementations.shapes import (
    Shape,
    ShapeError,
    Signature,
    tell,
)
from rankspec.conformance.implementations.sources import (
    AdapterSource,
    FileSource,
    ModuleSource,
    Source,
)
from rankspec.conformance.implementations.values import one_line

ADAPTERS = "rankspec.adapters"
_LONGEST_REASON = 400

Returned = TypeVar("Returned")


class LoadError(Exception):
    """Nothing could be loaded; ``failed`` is what the harness is told."""

    def __init__(self, reason: str, missing: str | None = None) -> None:
        """Keep the reason as one line."""
        super().__init__(reason)
        self.failed = Failed(one_line(reason, _LONGEST_REASON), missing)


@dataclass(frozen=True)
class Loaded:
    """The functions by measure, and what the harness is told about them."""

    hello: Hello
    functions: Mapping[str, Callable[..., object]]


def load(source: Source, shape: Shape | None) -> Loaded:
    """Import the implementation; an adapter is prepared too.  Raises ``LoadError``."""
    match source:
        case AdapterSource(name):
            return _load_adapter(name)
        case FileSource(path, function):
            return _load_function(_import_file(Path(path)), Path(path).name, function, shape)
        case ModuleSource(module, function):
            sys.path.insert(0, str(Path.cwd()))
            return _load_function(_import(module), module, function, shape)


def _load_adapter(name: str) -> Loaded:
    # Functions of one's own need not pay for this import.
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    adapter = getattr(_import(f"{ADAPTERS}.{name}"), "ADAPTER", None)
    if not isinstance(adapter, Adapter):
        raise LoadError(f"the module of the adapter {name!r} has no ADAPTER")
    try:
        installed = version(adapter.distribution)
    except PackageNotFoundError as error:
        raise LoadError(f"{adapter.distribution} is not installed", adapter.distribution) from error
    shape = Shape(adapter.shape)
    signatures = {measure: _tell(function, measure, shape) for measure, function in adapter.measures.items()}
    if adapter.prepare is not None:
        _run(adapter.prepare, "it was prepared")
    return _loaded(adapter.name, installed, adapter.convention, adapter.measures, signatures)


def _load_function(module: ModuleType, place: str, name: str, shape: Shape | None) -> Loaded:
    try:
        function: Any = reduce(getattr, name.split("."), module)
    except AttributeError as error:
        there = sorted(key for key, value in vars(module).items() if callable(value) and not key.startswith("_"))
        listed = ", ".join(there[:20]) or "no function at all"
        raise LoadError(f"{place} has no function {name!r}; it has {listed}") from error
    if not callable(function):
        raise LoadError(f"{name!r} in {place} is not a function but of type {type(function).__name__}")
    signature = _tell(function, name, shape)
    version = getattr(sys.modules.get(module.__name__.partition(".")[0]), "__version__", None)
    return _loaded(
        f"{place}:{name}",
        version if isinstance(version, str) else None,
        None,
        {ANY_MEASURE: function},
        {ANY_MEASURE: signature},
    )


def _loaded(
    name: str,
    version: str | None,
    convention: str | None,
    functions: Mapping[str, Callable[..., object]],
    signatures: Mapping[str, Signature],
) -> Loaded:
    if not signatures:
        raise LoadError(f"{name} has no measures")
    shape = next(iter(signatures.values())).shape
    return Loaded(
        Hello(name, version, platform.python_version(), shape, convention, signatures),
        functions,
    )


def _tell(function: Callable[..., object], name: str, shape: Shape | None) -> Signature:
    try:
        return tell(function, shape)
    except ShapeError as error:
        raise LoadError(f"{name}: {error}") from error


def _import_file(path: Path) -> ModuleType:
    """Import a file as a script's neighbours would: with its folder first on the path, under its own name."""
    sys.path.insert(0, os.fspath(path.parent))
    name = path.stem if path.stem not in sys.modules else f"rankspec_implementation_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LoadError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    _run(lambda: loader.exec_module(module), f"{path.name} was imported")
    return module


def _import(name: str) -> ModuleType:
    return _run(lambda: importlib.import_module(name), f"{name} was imported")


def _run(action: Callable[[], Returned], when: str) -> Returned:
    """Do what runs the implementation's own code, which may raise anything."""
    try:
        return action()
    except ModuleNotFoundError as error:
        raise LoadError(f"{_described(error)}, while {when}", error.name) from error
    except BaseException as error:
        raise LoadError(f"{_described(error)}, while {when}") from error


def _described(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException:  # noqa: BLE001 - the text of an exception is the implementation's own code
        return type(error).__name__
