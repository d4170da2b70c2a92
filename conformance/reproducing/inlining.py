"""What a function calls of libraries, as one expression.

The function runs here with a stand-in for each library, which records what is called as text: what depends on the
inputs alone is computed. Whatever asks for a value that a library decides (a branch, a loop, a statement) ends it.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from types import SimpleNamespace
from typing import Any, NamedTuple, NoReturn

_LONGEST_LITERAL = 32  # Characters of a literal within a call; a longer one is assigned to a variable first
_COMPUTED_MODULES = {"__future__", "collections", "fractions", "functools", "itertools", "math", "re", "typing"}
"""Modules whose functions run here; what others return may depend on where a program runs."""
_EFFECTS = ("open", "print", "input", "exec", "eval", "compile")


class NotStraightError(Exception):
    """The function has to know what the library returns, or does more than return one expression."""


class LibraryValue(NamedTuple):
    """An argument that is made by a library: `np.array([1, 0])`."""

    text: str


class Inlined(NamedTuple):
    """The imports of an expression, the literals that are assigned before it (name -> value), and its text."""

    imports: tuple[str, ...]
    data: Mapping[str, Any]
    call: str


def inlined(
    statements: Iterable[str], name: str, positional: Sequence[Any], named: Mapping[str, Any], names: Mapping[str, Any]
) -> Inlined:
    """Write what a function, which these statements define, calls for these arguments; `NotStraightError` else."""
    # A long literal that is one of `names` (name -> value) has that name.
    text = "\n".join(statements)
    program = _Program({id(value): key for key, value in names.items()})
    own = {"__import__": program.imported, "float": program.float, **dict.fromkeys(_EFFECTS)}
    scope: dict[str, Any] = {"__builtins__": {**vars(builtins), **own}}
    if not _is_straight(ast.parse(text)):
        raise NotStraightError(name)
    try:
        exec(text, scope)  # noqa: S102 - no library runs
        given = {key: program.argument(value) for key, value in named.items()}
        call = program.text(scope[name](*map(program.argument, positional), **given))
    except Exception as error:  # of a stand-in or of the function
        raise NotStraightError(name) from error
    # A call that stands elsewhere or twice was made for what it changes, or has to be made once.
    if not program.calls or any(call.count(each) != 1 for each in program.calls):
        raise NotStraightError(name)
    call = re.sub(r"^float32\((.*)\)$", r"\1", call)  # which is how an adapter says that a number is a single
    used = {each.id for each in ast.walk(ast.parse(call)) if isinstance(each, ast.Name)}
    modules: dict[str, list[str]] = {}
    for module, _, one in sorted(line.partition(" import ") for each, line in program.imports.items() if each in used):
        modules.setdefault(module, []).extend([one] if one else [])
    imports = [f"{module} import {', '.join(bound)}" if bound else module for module, bound in modules.items()]
    return Inlined(tuple(imports), {key: value for key, value in program.data.values() if key in used}, call)


def _is_straight(tree: ast.Module) -> bool:
    """Tell whether a stand-in ends the recording wherever its value counts: not at `is`, at types, in a handler."""
    parameters = {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()]):
                if not (isinstance(left, ast.Name) and left.id in parameters):
                    return False
            case ast.ExceptHandler(body=body) if not isinstance(body[-1], ast.Raise):
                return False
            case ast.Call(func=ast.Name(id="isinstance" | "type")):
                return False
    return True


class _Program:
    """What is recorded: imports by the names that they bind, the texts of calls, and long literals."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self._names = names
        self.imports: dict[str, str] = {}
        self.calls: list[str] = []
        self.data: dict[str, tuple[str, Any]] = {}  # the text of a long literal -> its variable, and its value

    def argument(self, value: Any) -> Any:
        return _Left(self, value.text) if isinstance(value, LibraryValue) else value

    def bind(self, name: str, line: str) -> _Left:
        if self.imports.setdefault(name, line) != line:
            raise NotStraightError(name)
        return _Left(self, name)

    def imported(self, name: str, *others: Any) -> Any:
        """Stand for Python's `__import__`, which is handed two scopes, the names that are taken, and a level."""
        names: Sequence[str] = others[2] or ()
        if name.partition(".")[0] in _COMPUTED_MODULES:
            return __import__(name, None, None, names)
        if names:
            return SimpleNamespace(**{each: self.bind(each, f"from {name} import {each}") for each in names})
        return self.bind(name.partition(".")[0], f"import {name}")

    def text(self, value: Any) -> str:
        if isinstance(value, _Left):
            return value._text  # noqa: SLF001 - any public name is the library's
        if value == self.float:
            return "float"
        if (text := _literal(value)) is not None:
            if len(text) <= _LONGEST_LITERAL:
                return text
            free = (self._names.get(id(value), "data"), *(f"data_{place}" for place in range(2, 100)))
            taken = {name for name, _ in self.data.values()}
            return self.data.setdefault(text, (next(each for each in free if each not in taken), value))[0]
        if isinstance(value, dict):
            return f"{{{', '.join(f'{self.text(key)}: {self.text(each)}' for key, each in value.items())}}}"
        if isinstance(value, list | tuple):
            inner = ", ".join(map(self.text, value))
            return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
        raise NotStraightError(repr(value))

    def call(self, function: str, arguments: Iterable[object], keywords: Mapping[str, object]) -> _Left:
        named = (f"{name}={self.text(value)}" for name, value in keywords.items())
        self.calls.append(f"{function}({', '.join((*map(self.text, arguments), *named))})")
        return _Left(self, self.calls[-1])

    def float(self, value: Any = 0) -> Any:
        """Stand for the builtin: adapters make floats of what libraries return."""
        return self.call("float", [value], {}) if isinstance(value, _Left) else float(value)


class _Left:
    """A stand-in for what the library decides. Whatever asks for its value ends the recording."""

    _program: _Program
    _text: str

    def __init__(self, program: _Program, text: str) -> None:
        vars(self).update(_program=program, _text=text)

    def __getattr__(self, name: str) -> _Left:
        return _Left(self._program, f"{self._text}.{name}")

    def __call__(self, *arguments: object, **keywords: object) -> _Left:
        return self._program.call(self._text, arguments, keywords)

    def __getitem__(self, key: object) -> _Left:
        return _Left(self._program, f"{self._text}[{self._program.text(key)}]")

    def _ends(self, *_: object) -> NoReturn:
        raise NotStraightError

    __bool__ = __iter__ = __contains__ = __str__ = __repr__ = __format__ = __eq__ = __ne__ = __lt__ = __gt__ = _ends
    __setattr__ = __setitem__ = _ends
    __hash__ = None  # type: ignore[assignment]


def _literal(value: object) -> str | None:
    """Return a value as Python writes it; None if that is not the same value again."""
    try:
        text = repr(value)
        again = eval(text, {"__builtins__": {}, "inf": inf})  # noqa: S307 - of constants
    except Exception:  # noqa: BLE001 - no literal
        return None
    return text if type(again) is type(value) and again == value else None
