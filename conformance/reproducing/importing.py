"""How a program of one's own gets at an implementation: the lines that import it, or the source of an adapter's call.

A copied function stands by itself: with what it calls, and what the closures around it hold.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import textwrap
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from dis import get_instructions
from functools import partial, reduce
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.run.in_process import object_name
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.messages import Hello
from rankspec.conformance.worker.shapes import Shape, ShapeError, Signature, tell
from rankspec.conformance.worker.sources import AdapterSource, FileSource, ModuleSource

_HARNESS = "rankspec"
_TAKEN = frozenset({"got", "first", "second", *(name for shape in Shape for name in shape.natives)})
"""Names that the lines after the copy assign."""


class NotCopiedError(Exception):
    """A part of what a function needs has no source that stands alone."""


def copied(function: object) -> tuple[tuple[str, ...], str]:
    """Write what defines a function, and its name there.

    A function that another one returned finds the variables of that one as plain assignments: it is the function that
    is called, with what it was made for.

    Raises:
        NotCopiedError: a part of it is neither a literal, nor to be imported, nor a function with a source.
    """
    name = getattr(function, "__name__", "f")
    home = getattr(function.func if isinstance(function, partial) else function, "__module__", "")
    parts = list(_parts(name, function, home, {}))
    imports = sorted(part for part in parts if part.startswith(("import ", "from ")))
    lines = list(imports)
    for part in parts:
        if part not in imports:
            is_block = "\n" in part
            lines += ["", *part.splitlines()] if is_block or not lines or lines[-1] in imports else [part]
    return ("from __future__ import annotations", *lines), name


def _parts(name: str, value: Any, home: str, seen: dict[str, object]) -> Iterator[str]:
    """Yield the statements that bind a name to a value, what they need before them."""
    if name in _TAKEN:
        raise NotCopiedError(name)
    if name in seen:
        if seen[name] is not value and seen[name] != value:
            raise NotCopiedError(name)
        return
    seen[name] = value
    if getattr(builtins, name, None) is value and value is not None:
        return
    if isinstance(value, partial):
        yield from _of_partial(name, value, home, seen)
    elif isinstance(value, FunctionType | type) and _is_ours(value, home):
        yield from _of_source(name, value, home, seen)
    elif (text := _literal(value)) is not None:
        yield f"{name} = {text}"
    else:
        yield _import(name, value)


def _is_ours(value: FunctionType | type, home: str) -> bool:
    """Tell what stands in the adapter's module, or in the harness, from what a library has."""
    return value.__module__ == home or value.__module__.partition(".")[0] == _HARNESS


def _of_partial(name: str, value: partial[object], home: str, seen: dict[str, object]) -> Iterator[str]:
    called = getattr(value.func, "__name__", "")
    given = [_literal(each) for each in (*value.args, *value.keywords.values())]
    if not called.isidentifier() or None in given:
        raise NotCopiedError(name)
    yield from _parts("partial", partial, home, seen)
    yield from _parts(called, value.func, home, seen)
    keywords = ("",) * len(value.args) + tuple(f"{keyword}=" for keyword in value.keywords)
    handed = "".join(f", {keyword}{text}" for keyword, text in zip(keywords, given, strict=True))
    yield f"{name} = partial({called}{handed})"


def _of_source(name: str, value: FunctionType | type, home: str, seen: dict[str, object]) -> Iterator[str]:
    """Yield the source of a function or an exception, after what it needs."""
    try:
        text = textwrap.dedent(inspect.getsource(value)).rstrip()
        statement = ast.parse(text).body[0]
    except (OSError, TypeError, SyntaxError) as error:
        raise NotCopiedError(name) from error
    is_plain = isinstance(statement, ast.ClassDef if isinstance(value, type) else ast.FunctionDef)
    # What wraps another function has the other one's source, and a lambda stands within a statement of its own.
    if not is_plain or statement.name != name or hasattr(value, "__wrapped__"):  # type: ignore[attr-defined]
        raise NotCopiedError(name)
    if isinstance(value, type):
        if not issubclass(value, Exception) or statement.decorator_list:  # type: ignore[attr-defined]
            raise NotCopiedError(name)
        needed = {each.__name__: each for each in value.__bases__}
        for method in vars(value).values():
            needed |= _needed(method) if isinstance(method, FunctionType) else {}
    else:
        needed = _needed(value, statement)
    for each, found in needed.items():
        yield from _parts(each, found, home, seen)
    yield text


def _needed(function: FunctionType, statement: ast.stmt | None = None) -> dict[str, Any]:
    """Return what a function finds outside of itself, by name: globals, and what its closure holds."""
    names = dict.fromkeys(_globals_of(function.__code__))
    if isinstance(statement, ast.FunctionDef):
        arguments = statement.args
        evaluated = [*statement.decorator_list, *arguments.defaults, *filter(None, arguments.kw_defaults)]
        names |= dict.fromkeys(node.id for each in evaluated for node in ast.walk(each) if isinstance(node, ast.Name))
    try:
        held = {
            name: cell.cell_contents
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        }
    except ValueError as error:  # a variable that was not assigned yet
        raise NotCopiedError(function.__name__) from error
    scope: Mapping[str, Any] = {**vars(builtins), **function.__globals__}
    return held | {name: scope[name] for name in names if name in scope and name not in held}


def _globals_of(code: CodeType) -> Iterator[str]:
    """Yield the names that code looks up in its module, with what is nested in it."""
    yield from (each.argval for each in get_instructions(code) if each.opname == "LOAD_GLOBAL")
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _globals_of(inner)


def _literal(value: object) -> str | None:
    """Return a value as Python writes it; None if that is not the same value again."""
    text = repr(value)
    try:
        again = literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return text if type(again) is type(value) and again == value else None


def _import(name: str, value: Any) -> str:
    if isinstance(value, ModuleType):
        line, module = f"import {value.__name__}", value.__name__
        line += "" if name == value.__name__ else f" as {name}"
    else:
        module, own = str(getattr(value, "__module__", "")), str(getattr(value, "__name__", ""))
        if not own or getattr(sys.modules.get(module), own, None) is not value:
            raise NotCopiedError(name)
        line = f"from {module} import {own}" + ("" if name == own else f" as {name}")
    if module.partition(".")[0] in {_HARNESS, "__main__"}:
        raise NotCopiedError(name)
    return line


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
