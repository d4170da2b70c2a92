"""How a user's program gets at an implementation: lines that import it, or what an adapter's function calls.

Where that is one expression it is written alone: the function runs here with a stand-in for each library, which records
what is called as text; what depends on the inputs alone is computed. Whatever asks for a value that a library decides
(a branch, a loop, a statement) ends it, and the function is written as it is.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from importlib.util import find_spec
from math import inf
from pathlib import Path
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any, NamedTuple, NoReturn

from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.run.in_process import object_name
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.messages import AdapterSource, FileSource, Hello, ModuleSource
from rankspec.conformance.worker.shapes import Signature, tell

_HARNESS = "rankspec"
_ADAPTERS, _ADAPTER_BASE = "rankspec.adapters.", "rankspec.conformance.worker.adapter"
_STANDS_FOR = {"Printed": "float", "UnsupportedError": "NotImplementedError"}
"""What is written for a class of the harness."""
FUTURE = "from __future__ import annotations"
"""Stands before a function that is written as it is, for the types of its parameters are the adapter's."""
_LONGEST_LITERAL = 32  # Characters of a literal within a call; a longer one is assigned to a variable first
_COMPUTED_MODULES = {"__future__", "collections", "fractions", "functools", "itertools", "math", "re", "typing"}
"""Modules whose functions run here; what others return may depend on where a program runs."""
Importable = Implementation | Callable[..., object] | Adapter
_EFFECTS = ("open", "print", "input", "exec", "eval", "compile")


@dataclass(frozen=True)
class Imported:
    """What imports or defines a function (a statement each), its name there, and how it is called."""

    lines: tuple[str, ...]
    name: str
    signature: Signature
    by_position: bool = False  # its parameters may have other names than the shape's
    is_defined: bool = False  # its lines define it: it calls a library
    first: tuple[Any, ...] = ()  # what an adapter hands over before everything else
    last: Mapping[str, Any] = field(default_factory=dict)  # and by name behind it


def imported(implementation: Importable, hello: Hello, measure: str, *, is_wrapper: bool = False) -> Imported:
    """Say how a program would get what computes a family; `is_wrapper`: a file's function calls a library."""
    signature = hello.signature(measure) or next(iter(hello.functions.values()))
    if isinstance(implementation, Adapter):
        return _of_adapter(implementation, measure, signature)
    if hello.is_of_maker:
        return Imported((f"# f: makes {hello.name} with its defaults, and calls it",), "f", signature)
    if not isinstance(implementation, Implementation):
        return _of_object(implementation, signature)
    by_position = implementation.shape is not None
    match implementation.source:
        case ModuleSource(module, function):
            return Imported(_from(module, function), function, signature, by_position)
        case FileSource(path, function):
            if is_wrapper:
                with suppress(NotAloneError):
                    lines = DefiningFile(Path(path), is_wrapper=True).definition(function)
                    return Imported(lines, function, signature, by_position, is_defined=True)
            return Imported(_from_file(Path(path), function), function, signature, by_position)
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
    signature, bare = tell(function, adapter.shape), function.func if isinstance(function, partial) else function
    # What is wrapped has the name of what it wraps, and the code of another function.
    if isinstance(bare, FunctionType) and bare.__code__.co_qualname == bare.__qualname__ == bare.__name__:
        with suppress(NotAloneError):
            lines = DefiningFile(Path(bare.__code__.co_filename)).definition(bare.__name__)
            handed = (function.args, function.keywords) if isinstance(function, partial) else ((), {})
            return Imported(lines, bare.__name__, signature, False, True, *handed)  # noqa: FBT003 - in their order
    return _of_object(function, signature)


class NotAloneError(Exception):
    """A function can't be written so that it needs a library alone."""


@dataclass(frozen=True)
class DefiningFile:
    """What a file binds at its head; conditions are not looked into. It is read, and not imported."""

    path: Path
    is_wrapper: bool = False  # a file beside it is no library. Beside adapters stand those of the same name.
    imports: dict[str, str] = field(default_factory=dict)  # what a definition takes of it: name -> import, or text
    texts: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _statements(self) -> dict[str, tuple[ast.stmt, str]]:
        try:
            text = self.path.read_text(encoding="utf-8")
            body = ast.parse(text).body
        except (OSError, ValueError, SyntaxError) as error:
            raise NotAloneError(self.path.name) from error
        bound: dict[str, tuple[ast.stmt, str]] = {}
        for each in body:
            own = each, ast.get_source_segment(text, each) or ""
            match each:
                case ast.FunctionDef() | ast.ClassDef():
                    bound[each.name] = own
                case ast.Import() | ast.ImportFrom():
                    bound |= {(one.asname or one.name).partition(".")[0]: own for one in each.names}
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    bound[name] = own
        return bound

    def definition(self, name: str) -> tuple[str, ...]:
        """Return the statements that define a function; `NotAloneError` if it is none, or calls no library."""
        if not isinstance(self._statements.get(name, ("",))[0], ast.FunctionDef):
            raise NotAloneError(name)
        self.define(name)
        if not self.imports and not any("import " in text for text in self.texts.values()):
            raise NotAloneError("it calls no library")
        texts = (f"\n{text}" if text.startswith(("def ", "class ")) else text for text in self.texts.values())
        return (FUTURE, *sorted({*self.imports.values()} - {FUTURE}), *texts)

    def define(self, name: str) -> None:
        """Note what binds a name, after what that uses."""
        each, text = self._statements.get(name, (None, ""))
        if getattr(each, "decorator_list", ()) or (each is None and not hasattr(builtins, name)):
            raise NotAloneError(name)
        if each is None or name in self.texts:
            return
        module = getattr(each, "module", None) or ""
        if module == _ADAPTER_BASE and name in _STANDS_FOR:
            self.texts[name] = f"{name} = {_STANDS_FOR[name]}"
            return
        if module.startswith(_ADAPTERS) and (spec := find_spec(module)) is not None and spec.origin:
            DefiningFile(Path(spec.origin), self.is_wrapper, self.imports, self.texts).define(name)
            return
        self._check_imports(each)
        if isinstance(each, ast.Import | ast.ImportFrom):
            alias = next(one for one in each.names if name == (one.asname or one.name).partition(".")[0])
            made = ast.ImportFrom(module, [alias], 0) if module else ast.Import([alias])
            self.imports[name] = ast.unparse(made)
            return
        self.texts[name] = text
        for used in sorted(_globals(compile(f"{FUTURE}\n{text}", name, "exec"))):
            self.define(used)
        self.texts[name] = self.texts.pop(name)

    def _check_imports(self, statement: ast.stmt) -> None:
        """Refuse what imports the harness, or a file beside a wrapper."""
        for each in ast.walk(statement):
            names = [one.name for one in each.names] if isinstance(each, ast.Import) else []
            names += ["" if each.level else each.module or ""] if isinstance(each, ast.ImportFrom) else []
            for root in (name.partition(".")[0] for name in names):
                if root in {"", _HARNESS} or (self.is_wrapper and (self.path.parent / f"{root}.py").exists()):
                    raise NotAloneError(root)


def _globals(code: CodeType) -> set[str]:
    """Return the names that code looks up outside of its functions."""
    names = {each.argval for each in dis.get_instructions(code) if each.opname in {"LOAD_GLOBAL", "LOAD_NAME"}}
    return names.union(*(_globals(each) for each in code.co_consts if isinstance(each, CodeType)))


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
