"""The texts that name an implementation (DESIGN section 7), read into frozen values.

Nothing is imported here: what a text names is loaded by a worker, and what fails there comes back as an
``ImportFailure``.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import dataclass
from pathlib import Path

from rankspec.conformance.implementations.loading import ADAPTERS
from rankspec.conformance.implementations.messages import Failed
from rankspec.conformance.implementations.shapes import Shape
from rankspec.conformance.implementations.sources import (
    AdapterSource,
    FileSource,
    ModuleSource,
    Source,
)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_VERSIONED = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.-]*)\s*==\s*(\S+)")


class SpecificationError(Exception):
    """A text names no implementation that can be run; the message says what, where and what to do."""


class ImportFailure(SpecificationError):  # noqa: N818 - its base says that it is an error
    """What a text names can't be loaded."""


@dataclass(frozen=True)
class Implementation:
    """What a specification text names; ``text`` is as the user wrote it, ``shape`` the stated one."""

    text: str
    source: Source
    shape: Shape | None = None


def parse(text: str, shape: Shape | str | None = None) -> Implementation:
    """Read a specification and the stated shape.  Raises ``SpecificationError``."""
    stated = _parse_shape(shape)
    if text.startswith(("cmd:", "jsonl:")):
        kind = "programs (cmd:)" if text.startswith("cmd:") else "programs of the line protocol (jsonl:)"
        raise SpecificationError(f"{text}: {kind} are not supported yet; name an adapter or a Python function")
    if versioned := _VERSIONED.fullmatch(text):
        raise SpecificationError(
            f"{text}: environments of a stated version are not supported yet; install {text} here and name"
            f" {versioned[1]!r}"
        )
    place, colon, function = text.rpartition(":")
    if colon:
        return Implementation(text, _parse_callable(text, place, function), stated)
    if text.endswith(".py") or "/" in text:
        raise SpecificationError(f"{text}: which function of the file? Write {text}:function")
    if stated is not None:
        raise SpecificationError(f"{text}: an adapter has its own shape; leave out --shape {stated.value}")
    return Implementation(text, AdapterSource(_parse_adapter(text)))


def known_adapters() -> tuple[str, ...]:
    """Give the names of the adapters that are here, whether or not their libraries are."""
    try:
        package = importlib.import_module(ADAPTERS)
    except ModuleNotFoundError:
        return ()
    names = {module.name for module in pkgutil.iter_modules(package.__path__)}
    return tuple(sorted(name for name in names if not name.startswith("_")))


def import_failure(implementation: Implementation, failed: Failed) -> ImportFailure:
    """Turn what a worker says about a failure to load into an error with its remedy."""
    match implementation.source:
        case AdapterSource(name) if failed.missing and not failed.missing.startswith("rankspec"):
            remedy = f"; pip install 'rankspec[{name}]'"
        case ModuleSource(module, _) if failed.missing and _is_or_has(module, failed.missing):
            remedy = "; modules are looked for in the working folder, on PYTHONPATH and among installed packages"
        case _:
            remedy = ""
    return ImportFailure(f"{implementation.text}: {failed.reason}{remedy}")


def _is_or_has(module: str, missing: str) -> bool:
    return module == missing or module.startswith(f"{missing}.")


def _parse_shape(shape: Shape | str | None) -> Shape | None:
    if shape is None or isinstance(shape, Shape):
        return shape
    try:
        return Shape(shape)
    except ValueError as error:
        known = ", ".join(each.value for each in Shape)
        raise SpecificationError(f"--shape {shape}: no such shape; there are {known}") from error


def _parse_callable(text: str, place: str, function: str) -> Source:
    if not _DOTTED.fullmatch(function):
        raise SpecificationError(f"{text}: {function!r} is no name of a function; write file.py:function")
    if place.endswith(".py") or "/" in place:
        path = Path(place).expanduser()
        if path.suffix != ".py":
            raise SpecificationError(f"{text}: {place} is not a Python file (its name should end in .py)")
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "does not exist"
            raise SpecificationError(f"{text}: the file {place} {what}")
        return FileSource(str(path.absolute()), function)
    if not _DOTTED.fullmatch(place):
        raise SpecificationError(f"{text}: {place!r} is no name of a module; write package.module:function")
    return ModuleSource(place, function)


def _parse_adapter(text: str) -> str:
    known = known_adapters()
    if text in known:
        return text
    listed = f"known are {', '.join(known)}" if known else "none is installed"
    what = f"there is no adapter {text!r}" if _NAME.fullmatch(text) else "this names no implementation"
    raise SpecificationError(
        f"{text}: {what}; {listed}; a function is named path/to/file.py:function or package.module:function"
    )
