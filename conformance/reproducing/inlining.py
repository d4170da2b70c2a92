"""The call of a library that an adapter comes to: its function, with what is known of one call put in.

What depends on the inputs alone is computed here; what the library computes is left, as the statements of a program
that needs the library alone. They are made from the function that is called, so they say what was asked.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import itertools
import sys
import textwrap
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from pprint import pformat
from types import FunctionType, ModuleType
from typing import Any

from rankspec.conformance.implementations.specs import stand_in
from rankspec.conformance.worker.adapter import Printed

_HARNESS = "rankspec"
_WIDTH = 88
_LONGEST_LITERAL = 32
"""Characters of a list or a dict within a call; a longer one is assigned to a variable first."""
_MOST_REPEATED = 4
"""Elements of a list that are written one by one; of a longer one the comprehension is written."""
_MOST_LINES = 60
_COMPUTED_MODULES = frozenset(
    {_HARNESS, "__future__", "collections", "functools", "importlib", "itertools", "math", "re"}
)
"""Modules whose functions are called here; what others return may depend on where a program runs."""
_IMPURE = frozenset({"open", "print", "input", "exec", "eval", "compile", "__import__"})
_PURE_MODULES = frozenset({"builtins", "functools", "itertools", "math", "_operator", "operator", "collections", "re"})
_OF_CONTAINERS = (list, tuple, dict, zip, enumerate, reversed, len, range, dict.fromkeys)
"""What takes a container apart or makes one, whatever its elements are."""


class NotInlinedError(Exception):
    """A part of the function has no statement that stands alone."""


@dataclass(frozen=True)
class Residual:
    """An expression that the library decides."""

    node: ast.expr


@dataclass(frozen=True)
class Source:
    """A function as text, and what it finds by the names that are not its own."""

    node: ast.FunctionDef
    scope: dict[str, Any]


@dataclass(frozen=True)
class Inlined:
    """A program: its imports, what comes before the call, and the call."""

    imports: tuple[str, ...]
    lines: tuple[str, ...]
    call: str


def inlined(
    function: object, arguments: Sequence[Any], keywords: Mapping[str, Any], *, is_repeated: bool = False
) -> Inlined:
    """Write what a function calls for these arguments; a function object, or a `Source`.

    Args:
        function: of an adapter, or a `Source`.
        arguments: by position.
        keywords: by name; `Residual` for what is made of them by a library.
        is_repeated: the call is written twice, of the same lists and dicts: they are assigned to variables.

    Raises:
        NotInlinedError: a part of it has no statement that stands alone, or it calls no library.
    """
    writer = _Writer(0 if is_repeated else _LONGEST_LITERAL)
    for name, value in keywords.items():
        writer.name_value(name, value)
    try:
        value = writer.called(function, list(arguments), dict(keywords))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, ImportError, RecursionError) as error:
        raise NotInlinedError(repr(error)) from error
    node = _without_single(writer.node(value))
    used = {each.id for line in (*writer.lines, node) for each in ast.walk(line) if isinstance(each, ast.Name)}
    imports = _imports({name: line for name, line in writer.imports.items() if name.partition(".")[0] in used})
    if not imports and not any(isinstance(line, ast.Import | ast.ImportFrom) for line in writer.lines):
        raise NotInlinedError("it calls no library")
    lines = [text for line in writer.lines for text in _text(line).splitlines()]
    return Inlined(tuple(imports), tuple(lines), ast.unparse(node))


def _imports(used: Mapping[str, str]) -> list[str]:
    """Write the imports in order, what comes from one module in one line."""
    modules: dict[str, list[str]] = {}
    for line in sorted(used.values()):
        module, _, names = line.partition(" import ")
        modules.setdefault(module, []).extend([names] if names else [])
    return sorted(f"{module} import {', '.join(names)}" if names else module for module, names in modules.items())


def source_in(path: Path, name: str) -> Source:
    """Return a function of a file, which is read and not imported.

    Raises:
        NotInlinedError: it is no function of the module itself.
    """
    try:
        found = _Module(path)[name]
    except (OSError, ValueError, SyntaxError, KeyError) as error:
        raise NotInlinedError(name) from error
    if not isinstance(found, Source):
        raise NotInlinedError(name)
    return found


class _Module(dict[str, Any]):
    """What a file binds, each read when it is looked up."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.folder = path.parent
        self.body = ast.parse(path.read_text(encoding="utf-8")).body

    def __missing__(self, wanted: str) -> Any:
        for each in reversed(self.body):
            match each:
                case ast.FunctionDef(name=known) if known == wanted:
                    return Source(each, self)
                case ast.Import() | ast.ImportFrom():
                    for alias in each.names:
                        if wanted == (alias.asname or alias.name.partition(".")[0]):
                            root = (each.module or "") if isinstance(each, ast.ImportFrom) else alias.name
                            if (self.folder / f"{root.partition('.')[0]}.py").exists():
                                raise NotInlinedError(root)
                            return _Imported(each, alias)
                case ast.Assign(targets=[ast.Name(id=known)], value=value) if known == wanted:
                    try:
                        return ast.literal_eval(value)
                    except ValueError as error:
                        raise NotInlinedError(wanted) from error
                case _:
                    pass
        raise KeyError(wanted)


@dataclass(frozen=True)
class _Imported:
    """A name that an import statement at the head of a module binds."""

    statement: ast.Import | ast.ImportFrom
    alias: ast.alias


def _source_of(function: FunctionType) -> Source:
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError) as error:
        raise NotInlinedError(function.__name__) from error
    if not isinstance(node, ast.FunctionDef) or hasattr(function, "__wrapped__"):
        raise NotInlinedError(function.__name__)
    try:
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        held = {name: cell.cell_contents for name, cell in cells}
    except ValueError as error:  # a variable that was not assigned yet
        raise NotInlinedError(function.__name__) from error
    return Source(node, {**function.__globals__, **held})


def _without_single(node: ast.expr) -> ast.expr:
    """Take away numpy's `float32(...)`, by which an adapter says that a number is a single."""
    match node:
        case ast.Call(func=ast.Name(id="float32"), args=[only], keywords=[]):
            return only
        case _:
            return node


def _text(line: ast.stmt) -> str:
    """Write a statement, an element a line where it is too long."""
    text = ast.unparse(ast.fix_missing_locations(line))
    value = getattr(line, "value", None)
    if "\n" in text or not isinstance(line, ast.Assign | ast.Expr) or value is None:
        return text
    head = text.removesuffix(ast.unparse(value))
    return head + _broken(value, 0, len(head))


def _literal_of(node: ast.expr) -> list[Any] | dict[Any, Any] | None:
    try:
        value: list[Any] | dict[Any, Any] = ast.literal_eval(node)
    except ValueError:
        return None
    return value


def _broken(node: ast.expr, indent: int, column: int) -> str:
    """Write an expression that begins in a column; of a call, a list or a dict that does not fit, an element a line."""
    text = ast.unparse(node)
    if column + len(text) <= _WIDTH:
        return text
    if isinstance(node, ast.List | ast.Dict) and (value := _literal_of(node)) is not None:
        made = pformat(value, width=max(_WIDTH - column, _WIDTH // 2), compact=True, sort_dicts=False)
        return made.replace("\n", "\n" + " " * column)
    match node:
        case ast.Call(func=function, args=arguments, keywords=keywords):
            brackets = f"{ast.unparse(function)}(", ")"
            parts = [("", each) for each in arguments] + [(f"{each.arg}=", each.value) for each in keywords]
        case ast.List(elts=elements):
            brackets, parts = ("[", "]"), [("", each) for each in elements]
        case ast.Dict(keys=keys, values=values) if None not in keys:
            brackets = "{", "}"
            parts = [(f"{ast.unparse(key)}: ", each) for key, each in zip(keys, values, strict=True) if key is not None]
        case _:
            return text
    inner = " " * (indent + 4)
    lines = [f"{inner}{head}{_broken(each, indent + 4, indent + 5 + len(head))}," for head, each in parts]
    return "\n".join([brackets[0], *lines, " " * indent + brackets[1]]) if lines else text


Names = dict[str, Any]
Scope = ChainMap[str, Any]
"""What a function binds, then what it finds by other names."""


@dataclass
class _Writer:
    """The statements so far; names in `taken` are used up.

    A value is what Python has for it, with `Residual` for what the library decides; a list or a dict may hold both.
    """

    longest_literal: int
    lines: list[ast.stmt] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=lambda: {"got", "first", "second", "answers"})
    names: dict[int, tuple[str, Any]] = field(default_factory=dict)
    assigned: dict[int, tuple[str, Any]] = field(default_factory=dict)
    lambdas: dict[int, tuple[Any, ast.expr]] = field(default_factory=dict)

    def name_value(self, name: str, value: Any) -> None:
        """Note by which name a list or a dict is to be assigned, if it is too long for a call."""
        if isinstance(value, list | dict | tuple | str):
            self.names.setdefault(id(value), (name, value))

    # ---- Functions

    def called(self, function: Any, arguments: list[Any], keywords: Names) -> Any:
        """Return what a call comes to: a value, or what is left of the call."""
        while isinstance(function, partial):
            arguments, keywords = [*function.args, *arguments], {**function.keywords, **keywords}
            function = function.func
        if isinstance(function, FunctionType) and _is_ours(function):
            function = _source_of(function)
        if isinstance(function, Source):
            if function.node.decorator_list:
                raise NotInlinedError(function.node.name)
            return next(iter(self._run(function.node.body, self._bound(function, arguments, keywords))), None)
        given = [*arguments, *keywords.values()]
        if function is import_module and isinstance(given[0], str):
            self.imports[given[0]] = f"import {given[0]}"
            if not all(part.isidentifier() for part in given[0].split(".")):
                raise NotInlinedError(given[0])
            return Residual(ast.parse(given[0], mode="eval").body)
        if function is getattr and isinstance(given[0], Residual) and len(given) == 2:  # noqa: PLR2004
            return Residual(ast.Attribute(given[0].node, given[1], ast.Load()))
        if not isinstance(function, Residual) and self._is_computed(function, given):
            value: Any = function(*arguments, **keywords)
            is_stream = isinstance(value, _STREAMS)
            return list(value) if is_stream else value
        nodes = [each.node if isinstance(each, _Spread) else self.node(each) for each in arguments]
        named = [ast.keyword(name, self.node(each)) for name, each in keywords.items()]
        return Residual(ast.Call(self.node(function), nodes, named))

    def _is_computed(self, function: Any, given: Sequence[Any]) -> bool:
        """Tell whether a call is one of Python's own, of values that are known as far as it looks."""
        if any(isinstance(each, _Spread) for each in given):
            return False
        owner = getattr(function, "__self__", None)
        is_method = isinstance(owner, list | dict | tuple | str | set | int | float)
        if is_method and not isinstance(owner, str):
            return True
        module, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
        is_pure = (module in _PURE_MODULES and name not in _IMPURE) or is_method or id(function) in self.lambdas
        is_pure = is_pure or function in _OF_CONTAINERS
        opened = any(isinstance(each, Residual) for each in given) if function in _OF_CONTAINERS else _has(given)
        return is_pure and not opened

    def _bound(self, source: Source, arguments: list[Any], keywords: Names) -> Scope:
        """Bind what is handed over to the parameters; what is used twice is computed once."""
        outside: Scope = ChainMap({}, source.scope, vars(builtins))
        bound = inspect.signature(stand_in(source.node)).bind(*arguments, **keywords)
        given = {*bound.arguments}
        bound.apply_defaults()
        env = {
            name: value if name in given or not isinstance(value, ast.expr) else self._value(value, outside.new_child())
            for name, value in bound.arguments.items()
        }
        uses = [each.id for each in ast.walk(source.node) if isinstance(each, ast.Name)]
        for name, value in env.items():
            if isinstance(value, Residual) and not _is_plain(value.node) and uses.count(name) > 1:
                env[name] = self._assign(name, value)
        return outside.new_child(env)

    # ---- Statements

    def _run(self, body: Sequence[ast.stmt], env: Scope) -> list[Any]:  # noqa: C901, PLR0912 - a branch a kind of statement
        """Go through statements; return what one returned, alone in a list; nothing if none did."""
        for each in body:
            if len(self.lines) > _MOST_LINES:
                raise NotInlinedError("too long")
            match each:
                case ast.Return(value=value):
                    return [None if value is None else self._returned(value, env)]
                case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.AnnAssign(value=None):
                    pass
                case ast.Expr(value=value):
                    if isinstance(left := self._value(value, env), Residual):
                        self.lines.append(ast.Expr(left.node))
                case ast.Import() | ast.ImportFrom():
                    for alias in each.names:
                        env[alias.asname or alias.name.partition(".")[0]] = self._import(each, alias)
                case ast.Assign(targets=[target], value=value):
                    self._bind(target, self._value(value, env), env)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._bind(target, self._value(value, env), env)
                case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                    self._bind(target, self._operated(ast.BinOp(ast.Name(name), op, value), env), env)
                case ast.If(test=test):
                    if _has([known := self._value(test, env)]):
                        if not _only_raises(each) or each.orelse:
                            raise NotInlinedError(ast.unparse(test))
                        known = False
                    if done := self._run(each.body if known else each.orelse, env):
                        return done
                case ast.For(orelse=[]):
                    for item in self._items(each.iter, env):
                        self._bind(each.target, item, env)
                        if done := self._run(each.body, env):
                            return done
                case ast.Try(body=body, handlers=handlers, orelse=[], finalbody=[]) if all(map(_only_raises, handlers)):
                    # What the library raises is shown as it is.
                    if done := self._run(body, env):
                        return done
                case ast.With():
                    if done := self._with(each, env):
                        return done
                case _:
                    raise NotInlinedError(type(each).__name__)
        return []

    def _returned(self, node: ast.expr, env: Scope) -> Any:
        value = self._value(node, env)
        match value, self.lines[-1:]:
            # The last assignment is of what is returned: then it is the call itself.
            case Residual(node=ast.Name(id=name)), [ast.Assign(targets=[ast.Name(id=last)], value=made)] if (
                name == last
            ):
                self.lines.pop()
                return Residual(made)
        return value

    def _with(self, each: ast.With, env: Scope) -> list[Any]:
        items = []
        for item in each.items:
            context = self.node(self._value(item.context_expr, env))
            if item.optional_vars is None:
                items.append(ast.withitem(context))
            elif isinstance(item.optional_vars, ast.Name):
                name = self._fresh(item.optional_vars.id)
                env[item.optional_vars.id] = Residual(ast.Name(name, ast.Load()))
                items.append(ast.withitem(context, ast.Name(name, ast.Store())))
            else:
                raise NotInlinedError(ast.unparse(item.optional_vars))
        outer, self.lines = self.lines, []
        done = [self._assign("value", Residual(self.node(value))) for value in self._run(each.body, env)]
        outer.append(ast.With(items, self.lines or [ast.Pass()]))
        self.lines = outer
        return done

    def _import(self, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> Any:
        """Return what an import binds: an object of Python's own, or a name of the program."""
        module = statement.module or "" if isinstance(statement, ast.ImportFrom) else alias.name
        root, name = module.partition(".")[0], alias.asname or alias.name
        if root in _COMPUTED_MODULES:
            found = import_module(module)
            if isinstance(statement, ast.ImportFrom):
                return getattr(found, alias.name)
            return found if alias.asname else import_module(root)
        line = f"from {module} import {alias.name}" if isinstance(statement, ast.ImportFrom) else f"import {alias.name}"
        line += f" as {alias.asname}" if alias.asname else ""
        if any(isinstance(each, ast.Expr) for each in self.lines):
            self.lines += ast.parse(line).body  # what was done before it may be for its sake
        else:
            self.imports[name] = line
        self.taken.add(name.partition(".")[0])
        return Residual(ast.Name(name.partition(".")[0], ast.Load()))

    def _bind(  # noqa: C901 - a branch a kind of target
        self, target: ast.expr, value: Any, env: Scope
    ) -> None:
        match target:
            case ast.Name(id=name):
                if isinstance(value, Residual) and not _is_plain(value.node):
                    value = self._assign(name, value)
                self.name_value(name, value)
                env[name] = value
            case ast.Tuple(elts=targets) if not isinstance(value, Residual):
                for each, one in zip(targets, value, strict=True):
                    self._bind(each, one, env)
            case ast.Tuple(elts=targets) if all(isinstance(each, ast.Name) for each in targets):
                names = [self._fresh(each.id) for each in targets if isinstance(each, ast.Name)]
                stored = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
                self.lines.append(ast.Assign([stored], value.node, lineno=0))
                for each, name in zip(targets, names, strict=True):
                    env[each.id] = Residual(ast.Name(name, ast.Load()))  # type: ignore[attr-defined]
            case ast.Attribute(value=owner, attr=attribute):
                held = self._value(owner, env)
                if not isinstance(held, Residual):
                    raise NotInlinedError(attribute)
                stored_in = ast.Attribute(held.node, attribute, ast.Store())
                self.lines.append(ast.Assign([stored_in], self.node(value), lineno=0))
            case ast.Subscript(value=owner, slice=place):
                held, key = self._value(owner, env), self._value(place, env)
                if isinstance(held, Residual):
                    stored_at = ast.Subscript(held.node, self.node(key), ast.Store())
                    self.lines.append(ast.Assign([stored_at], self.node(value), lineno=0))
                else:
                    held[key] = value
            case _:
                raise NotInlinedError(ast.unparse(target))

    def _assign(self, name: str, value: Residual) -> Residual:
        fresh = self._fresh(name)
        self.lines.append(ast.Assign([ast.Name(fresh, ast.Store())], value.node, lineno=0))
        return Residual(ast.Name(fresh, ast.Load()))

    def _fresh(self, name: str) -> str:
        bare = name.lstrip("_") or "value"
        names = itertools.chain([bare], (f"{bare}_{number}" for number in itertools.count(2)))
        fresh = next(each for each in names if each not in self.taken)
        self.taken.add(fresh)
        return fresh

    # ---- Expressions

    def _value(  # noqa: C901, PLR0912 - a branch a kind of expression
        self, node: ast.expr, env: Scope
    ) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._named(name, env)
            case ast.List(elts=elements):
                return self._elements(elements, env)
            case ast.Tuple(elts=elements):
                return tuple(self._elements(elements, env))
            case ast.Set(elts=elements):
                return set(self._elements(elements, env))
            case ast.Dict():
                return self._dict(node, env)
            case ast.JoinedStr():
                return self._joined(node, env)
            case ast.Attribute(value=owner, attr=name):
                held = self._value(owner, env)
                return (
                    Residual(ast.Attribute(held.node, name, ast.Load()))
                    if isinstance(held, Residual)
                    else getattr(held, name)
                )
            case ast.Call():
                return self._call(node, env)
            case ast.IfExp(test=test):
                if _has([known := self._value(test, env)]):
                    return self._substituted(node, env)
                return self._value(node.body if known else node.orelse, env)
            case ast.BoolOp(op=op, values=values):
                for each in values:
                    if _has([value := self._value(each, env)]):
                        return self._substituted(node, env)
                    if bool(value) is isinstance(op, ast.Or):
                        break
                return value
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self._comprehension(node, env)
            case ast.Lambda():
                return self._lambda(node, env)
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Subscript():
                return self._operated(node, env)
            case _:
                raise NotInlinedError(type(node).__name__)

    def _named(self, name: str, env: Scope) -> Any:
        found = env[name]
        if isinstance(found, _Imported):
            return self._import(found.statement, found.alias)
        if isinstance(found, ModuleType) and found.__name__.partition(".")[0] not in _COMPUTED_MODULES:
            return Residual(self.node(found))
        return found

    def _elements(self, elements: Sequence[ast.expr], env: Scope) -> list[Any]:
        made: list[Any] = []
        for each in elements:
            if isinstance(each, ast.Starred):
                value = self._value(each.value, env)
                made += [_Spread(ast.Starred(value.node))] if isinstance(value, Residual) else value
            else:
                made.append(self._value(each, env))
        return made

    def _items(self, node: ast.expr, env: Scope) -> list[Any]:
        value = self._value(node, env)
        if isinstance(value, Residual):
            raise NotInlinedError(ast.unparse(node))
        return list(value)

    def _dict(self, node: ast.Dict, env: Scope) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            one = self._value(value, env)
            if key is None:
                if isinstance(one, Residual):
                    raise NotInlinedError("**")
                made |= one
            else:
                made[self._value(key, env)] = one
        return made

    def _joined(self, node: ast.JoinedStr, env: Scope) -> Any:
        parts = []
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                if _has([value := self._value(each.value, env)]):
                    return self._substituted(node, env)
                placed = ast.JoinedStr([ast.FormattedValue(ast.Name("a"), each.conversion, each.format_spec)])
                parts.append(self._computed(placed, a=value))
            else:
                parts.append(ast.literal_eval(each))
        return "".join(parts)

    def _call(self, node: ast.Call, env: Scope) -> Any:
        function = self._value(node.func, env)
        arguments = self._elements(node.args, env)
        keywords: Names = {}
        for keyword in node.keywords:
            value = self._value(keyword.value, env)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, Residual):
                raise NotInlinedError("**")
            else:
                keywords |= value
        return self.called(function, arguments, keywords)

    def _operated(self, node: ast.expr, env: Scope) -> Any:
        """Compute an operation, or leave it with its operands put in."""
        placed: Any = copy.copy(node)
        values: Names = {}

        def put(each: ast.expr) -> ast.expr:
            if isinstance(each, ast.Slice):
                return ast.Slice(*(None if part is None else put(part) for part in (each.lower, each.upper, each.step)))
            name = f"v{len(values)}"
            values[name] = self._value(each, env)
            return ast.Name(name, ast.Load())

        match placed:
            case ast.BinOp():
                placed.left, placed.right = put(placed.left), put(placed.right)
            case ast.UnaryOp():
                placed.operand = put(placed.operand)
            case ast.Compare():
                placed.left, placed.comparators = put(placed.left), [put(each) for each in placed.comparators]
            case ast.Subscript():
                placed.value, placed.slice = put(placed.value), put(placed.slice)
        is_element = isinstance(node, ast.Subscript) and not any(isinstance(each, Residual) for each in values.values())
        if is_element or not _has(list(values.values())):
            return self._computed(placed, **values)
        return Residual(_replaced(placed, {name: self.node(value) for name, value in values.items()}))

    def _computed(self, node: ast.expr, **values: Any) -> Any:
        tree = ast.fix_missing_locations(ast.Expression(_replaced(node, {})))
        return eval(compile(tree, "inlined", "eval"), {}, values)  # noqa: S307 - an operator of the adapter's source

    def _comprehension(
        self,
        node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp,
        env: Scope,
    ) -> Any:
        before = list(self.lines)
        try:
            made = list(self._repeated(node, node.generators, env.new_child()))
        except NotInlinedError:
            self.lines[:] = before
            return self._unrepeated(node, env)
        if len(made) > _MOST_REPEATED and _has(made):
            self.lines[:] = before
            return self._unrepeated(node, env)
        if isinstance(node, ast.DictComp):
            return dict(made)
        return set(made) if isinstance(node, ast.SetComp) else made

    def _unrepeated(self, node: Any, env: Scope) -> Residual:
        """Leave a comprehension, whose first iterable alone is evaluated outside of it."""
        (first, *others), made = node.generators, copy.copy(node)
        iterable = self.node(self._value(first.iter, env))
        made.generators = [
            ast.comprehension(first.target, ast.Name("_iterable", ast.Load()), first.ifs, first.is_async),
            *others,
        ]
        return self._substituted(made, env.new_child({"_iterable": Residual(iterable)}))

    def _repeated(self, node: Any, generators: Sequence[ast.comprehension], env: Scope) -> Iterator[Any]:
        if not generators:
            if isinstance(node, ast.DictComp):
                yield self._value(node.key, env), self._value(node.value, env)
            else:
                yield self._value(node.elt, env)
            return
        first, *others = generators
        for item in self._items(first.iter, env):
            self._bind(first.target, item, env)
            tests = [self._value(test, env) for test in first.ifs]
            if _has(tests):
                raise NotInlinedError("if")
            if all(tests):
                yield from self._repeated(node, others, env)

    def _lambda(self, node: ast.Lambda, env: Scope) -> Any:
        free = {each.id for each in ast.walk(node.body) if isinstance(each, ast.Name)} - _parameters(node)
        values = {name: self._named(name, env) for name in free}
        if _has(list(values.values())) or any(isinstance(each, Source) for each in values.values()):
            return self._substituted(node, env)
        tree = ast.fix_missing_locations(ast.Expression(copy.deepcopy(node)))
        made = eval(compile(tree, "inlined", "eval"), values)  # noqa: S307 - a lambda of the adapter's source
        self.lambdas[id(made)] = (made, self._put_in(node, env))
        return made

    def _substituted(self, node: ast.expr, env: Scope) -> Residual:
        return Residual(self._put_in(node, env))

    def _put_in(self, node: ast.expr, env: Scope) -> ast.expr:
        """Write an expression with what its names stand for; those that it binds itself stay."""
        own = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        own |= {name for each in ast.walk(node) if isinstance(each, ast.Lambda) for name in _parameters(each)}
        free = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - own
        return _replaced(node, {name: self.node(self._named(name, env)) for name in free})

    # ---- Values as text

    def node(self, value: Any) -> ast.expr:  # noqa: C901 - a branch a kind of value
        """Write a value as an expression."""
        if isinstance(value, Residual | _Spread):
            return value.node
        if value is Printed:
            return ast.Name("float", ast.Load())
        if id(value) in self.lambdas:
            return self.lambdas[id(value)][1]
        text = None if _has([value]) else _literal(value)
        if text is not None:
            if len(text) > self.longest_literal and id(value) in self.names:
                return self._variable(value, text)
            return ast.parse(text, mode="eval").body
        if isinstance(value, dict):
            return ast.Dict([self.node(key) for key in value], [self.node(each) for each in value.values()])
        if isinstance(value, list | tuple):
            kind = ast.List if isinstance(value, list) else ast.Tuple
            return kind([self.node(each) for each in value], ast.Load())
        if isinstance(value, float | range):
            return ast.parse(f"float('{value}')" if isinstance(value, float) else repr(value), mode="eval").body
        name = getattr(value, "__name__", "")
        if getattr(builtins, name, None) is value and name:
            return ast.Name(name, ast.Load())
        module = name if isinstance(value, ModuleType) else getattr(value, "__module__", "") or ""
        if not name or module.partition(".")[0] in {_HARNESS, "", "__main__"}:
            raise NotInlinedError(repr(value))
        if isinstance(value, ModuleType):
            self.imports[name] = f"import {name}"
            return ast.parse(name, mode="eval").body
        if getattr(sys.modules.get(module), name, None) is not value:
            raise NotInlinedError(name)
        self.imports[name] = f"from {module} import {name}"
        return ast.Name(name, ast.Load())

    def _variable(self, value: Any, text: str) -> ast.expr:
        name, before = self.assigned.get(id(value), ("", None))
        if not name or before != value:  # it may have grown since
            name = self._fresh(self.names[id(value)][0])
            self.assigned[id(value)] = (name, copy.deepcopy(value))
            made = ast.parse(text, mode="eval").body
            self.lines.append(ast.Assign([ast.Name(name, ast.Store())], made, lineno=0))
        return ast.Name(name, ast.Load())


@dataclass(frozen=True)
class _Spread:
    """What a star unpacks into a call, of a length that the library decides."""

    node: ast.Starred


_STREAMS: tuple[type, ...] = (Iterator, type({}.keys()), type({}.values()), type({}.items()))


def _is_ours(function: FunctionType) -> bool:
    """Tell a function of an adapter, or of the harness, from what a library has."""
    root = function.__module__.partition(".")[0]
    return root == _HARNESS or root not in {*sys.stdlib_module_names}


def _only_raises(node: ast.If | ast.ExceptHandler) -> bool:
    """Tell whether a branch ends in an exception of the adapter's own."""
    return isinstance(node.body[-1], ast.Raise)


def _is_plain(node: ast.expr) -> bool:
    """Tell a name or a name's attribute, which costs nothing to write twice."""
    return isinstance(node, ast.Name | ast.Constant) or (isinstance(node, ast.Attribute) and _is_plain(node.value))


def _has(values: Any) -> bool:
    """Tell whether the library decides a part of these values."""
    if isinstance(values, Residual | _Spread):
        return True
    if isinstance(values, dict):
        return any(map(_has, (*values, *values.values())))
    return isinstance(values, list | tuple | set) and any(map(_has, values))


def _parameters(node: ast.Lambda) -> set[str]:
    listed = node.args
    more = [each for each in (listed.vararg, listed.kwarg) if each is not None]
    return {each.arg for each in (*listed.posonlyargs, *listed.args, *listed.kwonlyargs, *more)}


def _replaced(node: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
    class Putting(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return names.get(name.id, name)

    made: ast.expr = Putting().visit(copy.deepcopy(node))
    for each in ast.walk(made):
        if isinstance(each, ast.Name) and not hasattr(each, "ctx"):
            each.ctx = ast.Load()
    return made


def _literal(value: object) -> str | None:
    """Return a value as Python writes it; None if that is not the same value again."""
    text = repr(value)
    try:
        again = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return text if type(again) is type(value) and again == value else None
