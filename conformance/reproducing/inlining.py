"""An adapter's call of a library, as a program that needs the library alone.

The adapter's function runs here with a stand-in for each library: what is called is recorded, and returns a stand-in.
So what depends on the inputs alone is computed, and the library's calls are left. A function that has to know what a
library returns (a branch, a loop, a caught exception) is written as it is, with what it uses, and its call.
"""

from __future__ import annotations

import ast
import builtins
import dis
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.util import find_spec
from math import inf
from pathlib import Path
from pprint import pformat
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any, NoReturn

WIDTH = 88
_LONGEST_LITERAL = 32  # Characters of a literal within a call; a longer one is assigned to a variable first
_LONGEST_STEP = 60
"""Characters of an argument that is a call; the value of a longer one is assigned to a variable first."""
_MOST_LINES = 60
_HARNESS = "rankspec"
_ADAPTERS, _ADAPTER_BASE = "rankspec.adapters.", "rankspec.conformance.worker.adapter"
_FUTURE = "from __future__ import annotations"
"""Where a function is written as it is, for the types of its parameters are the adapter's."""
_COMPUTED_MODULES = {"__future__", "collections", "fractions", "functools", "itertools", "math", "re", "typing"}
"""Modules whose functions run here; what others return may depend on where a program runs."""
_EFFECTS = ("open", "print", "input", "exec", "eval", "compile")
_STANDS_FOR = {"Printed": "float", "UnsupportedError": "NotImplementedError"}
"""What is written for a class of the harness."""


class NotInlinedError(Exception):
    """The function has no program that needs the library alone."""


class _NotStraightError(Exception):
    """The function has to know what the library returns."""


@dataclass(frozen=True)
class Residual:
    """An argument that is made by a library: `np.array([1, 0])`."""

    text: str


@dataclass(frozen=True)
class Inlined:
    """A program: its imports, what comes before the call, and the call."""

    imports: tuple[str, ...]
    lines: tuple[str, ...]
    call: str


@dataclass(frozen=True)
class Source:
    """A function of a file, which is read and not imported, and what it is given first."""

    module: Module
    name: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)


def source_of(function: object) -> Source:
    """Return where a function is written; `NotInlinedError` if it stands in no module by its own name."""
    if isinstance(function, partial):
        inner = source_of(function.func)
        return Source(inner.module, inner.name, (*inner.arguments, *function.args), function.keywords)
    if not isinstance(function, FunctionType) or function.__qualname__ != function.__name__:
        raise NotInlinedError(repr(function))
    return Module(Path(function.__code__.co_filename)).source(function.__name__)


def inlined(
    source: Source, arguments: Sequence[Any], keywords: Mapping[str, Any], *, is_repeated: bool = False
) -> Inlined:
    """Write what a function calls for these arguments; `NotInlinedError` if that is no library, or is in no file."""
    # Where the call is written twice, of the same lists and dicts, they are assigned to variables.
    positional, named = (*source.arguments, *arguments), {**source.keywords, **keywords}
    definitions = Definitions()
    source.module.define(source.name, definitions)
    longest, names = 0 if is_repeated else _LONGEST_LITERAL, {id(each): name for name, each in named.items()}
    if definitions.is_straight():
        program = _Program(longest, names)
        given = [program.argument(each) for each in positional]
        try:
            function = definitions.executed(program)[source.name]
            value = function(*given, **{name: program.argument(each, name) for name, each in named.items()})
            return program.written(program.text(value))
        except Exception:  # noqa: BLE001, S110 - of a stand-in or of the adapter: then it is written as it is
            pass
    program = _Program(longest, names, definitions)
    given = [program.argument(each) for each in positional]
    more = {name: program.argument(each, name) for name, each in named.items()}
    return program.written(program.called(source.name, given, more))


# ---- The files that are read


@dataclass
class Definitions:
    """A function, and what it uses of its file: the imports, and the text of what binds each name."""

    imports: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def is_straight(self) -> bool:
        """Tell whether a stand-in ends the recording wherever its value counts: not at `is`, at types, in a handler."""
        nodes = [node for text in self.texts.values() for node in ast.walk(ast.parse(text))]
        parameters = {each.arg for each in nodes if isinstance(each, ast.arg)}
        for node in nodes:
            match node:
                case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()]):
                    if not (isinstance(left, ast.Name) and left.id in parameters):
                        return False
                case ast.ExceptHandler(body=body) if not isinstance(body[-1], ast.Raise):
                    return False
                case ast.Call(func=ast.Name(id="isinstance" | "type")):
                    return False
        return True

    def executed(self, program: _Program) -> dict[str, Any]:
        """Return what they bind, where libraries are stand-ins."""
        own = {"__import__": program.imported, "float": program.float, **dict.fromkeys(_EFFECTS)}
        scope: dict[str, Any] = {"__builtins__": {**vars(builtins), **own}}
        exec("\n".join([_FUTURE, *self.imports.values(), *self.texts.values()]), scope)  # noqa: S102 - no library runs
        return scope


@dataclass(frozen=True)
class Module:
    """What a file binds at its head; conditions are not looked into."""

    path: Path
    is_wrapper: bool = False  # a file beside it is no library. Beside adapters stand those of the same name.

    @cached_property
    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise NotInlinedError(self.path.name) from error

    @cached_property
    def _statements(self) -> dict[str, ast.stmt]:
        try:
            body = ast.parse(self._text).body
        except (ValueError, SyntaxError) as error:
            raise NotInlinedError(self.path.name) from error
        bound: dict[str, ast.stmt] = {}
        for each in body:
            match each:
                case ast.FunctionDef() | ast.ClassDef():
                    bound[each.name] = each
                case ast.Import() | ast.ImportFrom():
                    bound |= {(one.asname or one.name).partition(".")[0]: each for one in each.names}
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    bound[name] = each
        return bound

    def source(self, name: str) -> Source:
        """Return a function of the file; `NotInlinedError` if it has none of this name."""
        if not isinstance(self._statements.get(name), ast.FunctionDef):
            raise NotInlinedError(name)
        return Source(self, name)

    def define(self, name: str, definitions: Definitions) -> None:
        """Note what binds a name, after what that uses."""
        each = self._statements.get(name)
        if getattr(each, "decorator_list", ()) or (each is None and not hasattr(builtins, name)):
            raise NotInlinedError(name)
        if each is None or name in definitions.texts:
            return
        module = getattr(each, "module", None) or ""
        if module == _ADAPTER_BASE and name in _STANDS_FOR:
            definitions.texts[name] = f"{name} = {_STANDS_FOR[name]}"
        elif module.startswith(_ADAPTERS) and (spec := find_spec(module)) is not None and spec.origin:
            Module(Path(spec.origin)).define(name, definitions)
        elif self._check_imports(each) and isinstance(each, ast.Import | ast.ImportFrom):
            alias = next(one for one in each.names if name == (one.asname or one.name).partition(".")[0])
            definitions.imports[name] = ast.unparse(
                ast.ImportFrom(module, [alias], 0) if module else ast.Import([alias])
            )
        else:
            definitions.texts[name] = text = ast.get_source_segment(self._text, each) or ""
            for used in sorted(_globals(compile(f"{_FUTURE}\n{text}", name, "exec"))):
                self.define(used, definitions)
            definitions.texts[name] = definitions.texts.pop(name)

    def _check_imports(self, statement: ast.stmt) -> bool:
        """Refuse what imports the harness, or a file beside a wrapper."""
        for each in ast.walk(statement):
            names = [one.name for one in each.names] if isinstance(each, ast.Import) else []
            names += ["" if each.level else each.module or ""] if isinstance(each, ast.ImportFrom) else []
            for root in (name.partition(".")[0] for name in names):
                if root in {"", _HARNESS} or (self.is_wrapper and (self.path.parent / f"{root}.py").exists()):
                    raise NotInlinedError(root)
        return True


def _globals(code: CodeType) -> set[str]:
    """Return the names that code looks up outside of its functions."""
    names = {each.argval for each in dis.get_instructions(code) if each.opname in {"LOAD_GLOBAL", "LOAD_NAME"}}
    return names.union(*(_globals(each) for each in code.co_consts if isinstance(each, CodeType)))


# ---- What is recorded


class _Program:
    """The steps so far, as texts in which another step stands by its number; what is not used has no line."""

    def __init__(self, longest: int, names: Mapping[int, str], definitions: Definitions | None = None) -> None:
        self._longest, self._names = longest, names
        self.steps: dict[str, str] = {}
        self.imports: dict[str, str] = {}  # name -> line
        self.data: dict[str, str] = {}  # the text of a long literal -> its variable
        self.definitions = definitions or Definitions()  # of a function that is written as it is
        self._late: dict[str, int] = {}
        self._wished: dict[str, str] = {}
        self._taken = {"got", "first", "second", "answers", *vars(builtins), *keyword.kwlist}

    def argument(self, value: Any, name: str = "") -> Any:
        return self.left(value.text, name) if isinstance(value, Residual) else value

    def left(self, step: str, name: str = "") -> _Left:
        """Record a step; return the stand-in for its value."""
        number = f"\0{len(self.steps)}\0"  # which no text of a program has
        self.steps[number], self._wished[number] = step, name
        return _Left(self, number)

    def bind(self, name: str, line: str) -> _Left:
        """Return the stand-in for what an import binds."""
        if self.imports.setdefault(name, line) != line:
            raise _NotStraightError(name)
        self._late.setdefault(line, len(self.steps))
        return _Left(self, name)

    def imported(self, name: str, *others: Any) -> Any:
        """Stand for Python's `__import__`, which is handed two scopes, the names that are taken, and a level."""
        names: Sequence[str] = others[2] or ()
        if name == "importlib":
            return SimpleNamespace(import_module=lambda full: self.bind(full, f"import {full}"))
        if name.partition(".")[0] in _COMPUTED_MODULES:
            return __import__(name, None, None, names)
        if names:
            return SimpleNamespace(**{each: self.bind(each, f"from {name} import {each}") for each in names})
        return self.bind(name.partition(".")[0], f"import {name}")

    def text(self, value: Any, name: str = "data") -> str:
        """Write a value."""
        if isinstance(value, _Left):
            return value._text  # noqa: SLF001 - any public name is the library's
        if value == self.float:
            return "float"
        if (text := literal(value)) is not None:
            if len(text) > (self._longest if isinstance(value, list | dict) else _LONGEST_LITERAL):
                return self.data.setdefault(text, self._fresh(self._names.get(id(value), name)))
            return text
        if isinstance(value, dict):
            return f"{{{', '.join(f'{self.text(key)}: {self.text(each)}' for key, each in value.items())}}}"
        if isinstance(value, list | tuple):
            inner = ", ".join(map(self.text, value))
            return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
        if vars(builtins).get(name := getattr(value, "__name__", "")) is value:
            return name
        raise _NotStraightError(repr(value))

    def called(self, function: str, arguments: Iterable[object], keywords: Mapping[str, object]) -> str:
        """Write a call."""
        named = (f"{name}={self.text(value, name)}" for name, value in keywords.items())
        return f"{function}({', '.join((*map(self.text, arguments), *named))})"

    def _fresh(self, name: str) -> str:
        bare, number = name.lower().lstrip("_") or "value", 1
        fresh = bare
        while fresh in self._taken:
            number += 1
            fresh = f"{bare}_{number}"
        self._taken.add(fresh)
        return fresh

    def float(self, value: Any = 0) -> Any:
        """Stand for the builtin: adapters make floats of what libraries return."""
        return self.left(f"float({value._text})") if isinstance(value, _Left) else float(value)  # noqa: SLF001

    def written(self, call: str) -> Inlined:
        """Write the steps: a value that is used once stands where it is used, unless a statement comes before that."""
        # `float32` is how an adapter says that a number is a single.
        if self.steps.get(call, "").startswith("float32(") and call == [*self.steps][-1]:
            call = self.steps.popitem()[1].removeprefix("float32(").removesuffix(")")
        self._taken |= {*self.imports, *self.definitions.imports, *self.definitions.texts}
        steps = [*self.steps.items(), ("", call)]
        users: dict[str, list[int]] = {}
        for place, (_, step) in enumerate(steps):
            for each in _NUMBER.findall(step):
                users.setdefault(each, []).append(place)
        statements = [place for place, (number, _) in enumerate(steps) if number not in users]
        late = {line: place for line, place in self._late.items() if place > statements[0]}
        texts: dict[str, str] = {}
        lines = []
        for place, (number, step) in enumerate(steps):
            lines += _together([line for line, wanted in late.items() if place == wanted])
            text, used = _NUMBER.sub(lambda found: texts[found[0]], step), users.get(number, [])
            is_inside = len(used) == 1 and not any(place < each < used[0] for each in statements)
            if is_inside and (len(text) <= _LONGEST_STEP or re.match(r"(float\()?\0", steps[used[0]][1])):
                texts[number] = text
            elif used:
                # A value has the name of the function, or of the attribute, whose value it is.
                noun = re.match(r"(?:\0\d+\0\.|(?:\w+\.)*)([^\W\d]\w*)(?:\(|$)", step)
                texts[number] = self._fresh(self._wished[number] or (noun[1] if noun else "value"))
                lines.append(f"{texts[number]} = {text}")
            else:
                lines.append(text)
        if len(lines) > _MOST_LINES:
            raise _NotStraightError
        words = {each.id for each in ast.walk(ast.parse("\n".join(lines))) if isinstance(each, ast.Name)}
        imports = [line for name, line in self.imports.items() if name.partition(".")[0] in words and line not in late]
        imports += [*self.definitions.imports.values(), *([_FUTURE] if self.definitions.texts else [])]
        defined = [row for text in self.definitions.texts.values() for row in text.splitlines()]
        if not {*imports} - {_FUTURE} and not any("import " in row for row in defined):
            raise NotInlinedError("it calls no library")
        data = [row for text, name in self.data.items() for row in assigned(name, _value_of(text))]
        return Inlined(tuple(_together(imports)), (*data, *defined, *lines[:-1]), lines[-1])


_NUMBER = re.compile(r"\0\d+\0")


class _Left:
    """A stand-in for what the library decides. Whatever asks for its value ends the recording."""

    _program: _Program
    _text: str

    def __init__(self, program: _Program, text: str) -> None:
        vars(self).update(_program=program, _text=text)

    def __getattr__(self, name: str) -> _Left:
        """Record the attribute; what is imported has its attributes by their names."""
        text = f"{self._text}.{name}"
        return self._program.left(text) if _NUMBER.search(text) else _Left(self._program, text)

    def __setattr__(self, name: str, value: object) -> None:
        self._program.left(f"{self._text}.{name} = {self._program.text(value)}")

    def __setitem__(self, key: object, value: object) -> None:
        self._program.left(f"{self._text}[{self._program.text(key)}] = {self._program.text(value)}")

    def __call__(self, *arguments: object, **keywords: object) -> _Left:
        return self._program.left(self._program.called(self._text, arguments, keywords))

    def __getitem__(self, key: object) -> _Left:
        if isinstance(key, slice):
            ends = ("" if each is None else self._program.text(each) for each in (key.start, key.stop, key.step))
            return self._program.left(f"{self._text}[{':'.join(ends).removesuffix(':') or ':'}]")
        return self._program.left(f"{self._text}[{self._program.text(key)}]")

    def _ends(self, *_: object) -> NoReturn:
        raise _NotStraightError

    __bool__ = __iter__ = __contains__ = __str__ = __repr__ = __format__ = __eq__ = __ne__ = __lt__ = __gt__ = _ends
    __hash__ = None  # type: ignore[assignment]


# ---- Values as text


def _together(imports: Sequence[str]) -> list[str]:
    """Write imports in order, what comes from one module in one line."""
    modules: dict[str, list[str]] = {}
    for line in sorted(imports):
        module, _, names = line.partition(" import ")
        modules.setdefault(module, []).extend([names] if names else [])
    lines = (f"{module} import {', '.join(names)}" if names else module for module, names in modules.items())
    return sorted(lines, key=lambda line: (line != _FUTURE, line))


def assigned(name: str, value: object) -> list[str]:
    """Write an assignment, in lines that are not too long."""
    lines = pformat(value, width=WIDTH - len(name) - 3, compact=True, sort_dicts=False)
    return f"{name} = {lines}".replace("\n", "\n" + " " * (len(name) + 3)).splitlines()


def literal(value: object) -> str | None:
    """Return a value as Python writes it; None if that is not the same value again."""
    try:
        again = _value_of(text := repr(value))
    except Exception:  # noqa: BLE001 - no literal
        return None
    return text if type(again) is type(value) and again == value else None


def _value_of(text: str) -> Any:
    return eval(text, {"__builtins__": {}, "inf": inf})  # noqa: S307 - of constants
