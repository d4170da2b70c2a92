"""The source of a function as lines that run by themselves: what it calls, and what the closures around it hold."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import textwrap
from ast import literal_eval
from collections.abc import Iterator, Mapping
from dis import get_instructions
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

from rankspec.conformance.worker.shapes import Shape

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
