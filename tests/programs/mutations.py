"""Mutants of a program: what a slip makes of one place of its syntax tree."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_COMPARED = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_COMPUTED = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.FloorDiv, ast.Mult),
    ast.FloorDiv: (ast.Div,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
_ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow)
_CALLED = {
    "min": ("max",),
    "max": ("min",),
    "any": ("all",),
    "all": ("any",),
    "sum": ("max", "len"),
    "set": ("list",),
    "sorted": ("list",),
    "log2": ("log", "log10"),
    "log": ("log2",),
    "mean": ("sum", "median"),
    "fmean": ("sum", "max"),
    "cumsum": ("asarray",),
}
"""What a function is taken for."""


@dataclass(frozen=True)
class Mutant:
    """A program with one slip, and the text of what was changed."""

    program: str
    line: int
    change: str
    source: str

    def __str__(self) -> str:
        """Name the program, the line and the change."""
        return f"{self.program}, line {self.line}: {self.change}"


def mutants(function: Callable[..., object]) -> Iterator[Mutant]:
    """Yield the mutants of a function in the order of its syntax tree, each text once."""
    tree = _tree_of(function)
    texts = {ast.unparse(tree)}
    for node in ast.walk(tree):
        for change, instead in _slips(node, tree):
            # A copy of the tree finds the new node where the old one stood.
            mutant = copy.deepcopy(tree, {id(node): ast.copy_location(instead, node)})
            text = ast.unparse(ast.fix_missing_locations(mutant))
            if text not in texts:
                texts.add(text)
                yield Mutant(function.__name__, getattr(node, "lineno", 1), change, text)


def _tree_of(function: Callable[..., object]) -> ast.FunctionDef:
    tree = ast.parse(inspect.getsource(function)).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise TypeError(f"{function!r} is no function that `def` defines")
    if ast.get_docstring(tree):
        del tree.body[0]
    return tree


def _slips(node: ast.AST, tree: ast.FunctionDef) -> Iterator[tuple[str, ast.AST]]:
    """Yield what may stand instead of a node, with words for the change."""
    for instead in _instead(node, tree):
        yield f"`{_text(node)}` is `{_text(instead)}`", instead
    if isinstance(node, ast.If):
        for stated, words in ((node.body, "always"), (node.orelse or [ast.Pass()], "never")):
            yield f"`if {_text(node.test)}` holds {words}", _with(node, test=ast.Constant(stated is node.body))
    if isinstance(node, ast.For | ast.While | ast.FunctionDef | ast.If):
        yield from _moved(node)
    if isinstance(node, ast.Expr | ast.AugAssign | ast.Continue | ast.Break):
        yield f"`{_text(node)}` is left out", ast.Pass()
    if isinstance(node, ast.Assign) and _text(node.targets[0]) in _names_before(tree, node):
        yield f"`{_text(node)}` is left out", ast.Pass()


def _text(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]


def _with(node: Any, **fields: Any) -> Any:
    """Return a copy of a node, one level deep, with other fields."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _instead(node: ast.AST, tree: ast.FunctionDef) -> Iterator[ast.AST]:
    match node:
        case ast.Constant(value):
            yield from _other_constants(value)
        case ast.Name(name, ast.Load()):
            yield from (ast.Name(other, ast.Load()) for other in sorted(_names(tree) - {name}))
        case ast.Slice():
            yield from _other_slices(node)
        case ast.comprehension() if node.ifs:
            yield _with(node, ifs=[])
        case ast.Call():
            yield from _other_calls(node)
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case _:
            yield from _other_operations(node)


def _other_constants(value: object) -> Iterator[ast.AST]:
    match value:
        case bool():
            yield ast.Constant(not value)
        case int():
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case float():
            yield ast.Constant(1.0 - value)


def _other_operations(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=[operator]):
            yield from (_with(node, ops=[other()]) for other in _COMPARED[type(operator)])
        case ast.BoolOp(operator, values):
            yield _with(node, op=ast.Or() if isinstance(operator, ast.And) else ast.And())
            yield from values
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.IfExp(test, body, orelse):
            yield from (body, orelse, ast.IfExp(test, orelse, body))
        case ast.BinOp(left, operator, right):
            yield from (_with(node, op=other()) for other in _COMPUTED.get(type(operator), ()))
            if isinstance(operator, _ORDERED):
                yield ast.BinOp(right, operator, left)
            yield from (left, right)
        case ast.AugAssign(target, operator, value):
            yield from (_with(node, op=other()) for other in _COMPUTED.get(type(operator), ()))
            yield ast.Assign([target], value, lineno=node.lineno)


def _other_slices(node: ast.Slice) -> Iterator[ast.AST]:
    for side in ("lower", "upper"):
        bound = getattr(node, side)
        if bound is not None:
            yield _with(node, **{side: None})
            yield from (
                _with(node, **{side: ast.BinOp(bound, sign, ast.Constant(1))}) for sign in (ast.Add(), ast.Sub())
            )


def _other_calls(node: ast.Call) -> Iterator[ast.AST]:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    for other in _CALLED.get(called, ()):
        function = _with(node.func, attr=other) if isinstance(node.func, ast.Attribute) else ast.Name(other, ast.Load())
        yield _with(node, func=function)
        if node.keywords:
            yield ast.Call(function, node.args, [])
    for place in range(len(node.keywords)):
        yield _with(node, keywords=[*node.keywords[:place], *node.keywords[place + 1 :]])
    if len(node.args) > 1:
        yield _with(node, args=node.args[:-1])
    if called in {"enumerate", "range"}:
        last = node.args[-1]
        for sign in (ast.Add(), ast.Sub()):
            yield _with(node, args=[*node.args[:-1], ast.BinOp(last, sign, ast.Constant(1))])
    if called in {"int", "round", "float", "abs", "set", "list"} and len(node.args) == 1:
        yield node.args[0]


def _moved(node: Any) -> Iterator[tuple[str, ast.AST]]:
    """Yield a block in which the statement after a loop or a condition stands inside it, or the last one is outside."""
    for place, (first, second) in enumerate(zip(node.body, node.body[1:], strict=False)):
        if isinstance(first, ast.For | ast.While | ast.If) and not getattr(first, "orelse", []):
            inside = _with(first, body=[*first.body, second])
            # Who indents a `return` often has another one after the loop, so it stays.
            after = node.body[place + 1 :] if isinstance(second, ast.Return) else node.body[place + 2 :]
            yield f"`{_text(second)}` is indented", _with(node, body=[*node.body[:place], inside, *after])
        elif isinstance(first, ast.Assign | ast.AugAssign) and isinstance(second, ast.Assign | ast.AugAssign | ast.If):
            body = [*node.body[:place], second, first, *node.body[place + 2 :]]
            yield f"`{_text(first)}` comes after `{_text(second)}`", _with(node, body=body)
    for place, each in enumerate(node.body):
        if isinstance(each, ast.For | ast.If) and len(each.body) > 1 and not each.orelse:
            outside = [_with(each, body=each.body[:-1]), each.body[-1]]
            words = f"`{_text(each.body[-1])}` is outdented"
            yield words, _with(node, body=[*node.body[:place], *outside, *node.body[place + 1 :]])


def _names(tree: ast.FunctionDef) -> set[str]:
    """Return the names that a function gives to values: its parameters, and what it assigns."""
    return {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)} | {
        each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)
    }


def _names_before(tree: ast.FunctionDef, node: ast.Assign) -> set[str]:
    assigned = [each for each in ast.walk(tree) if isinstance(each, ast.Assign) and each.lineno < node.lineno]
    return {_text(target) for each in assigned for target in each.targets} | {each.arg for each in tree.args.args}


class StepsSpentError(RuntimeError):
    """A program went through its loops more often than any input needs."""


_MOST_STEPS = 2_000_000
"""Lists of 1,001 documents have half a million pairs."""


def compiled(mutant: Mutant, function: Callable[..., object]) -> Callable[..., object]:
    """Return a mutant as a function beside the right one; a loop without an end raises `StepsSpentError`."""
    tree = _Counted().visit(ast.parse(mutant.source))
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps > _MOST_STEPS:
            raise StepsSpentError

    def begin() -> None:
        nonlocal steps
        steps = 0

    names = {**function.__globals__, "_step": step, "_begin": begin}
    exec(compile(ast.fix_missing_locations(tree), mutant.program, "exec"), names)  # noqa: S102 - a mutant is a text
    made: Callable[..., object] = names[function.__name__]
    return made


class _Counted(ast.NodeTransformer):
    """Counts the rounds of all loops of a call. Comprehensions go through lists, which end."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        return _with(node, body=[_call("_begin"), *node.body])

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        return _with(node, body=[_call("_step"), *node.body])

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        return _with(node, body=[_call("_step"), *node.body])


def _call(name: str) -> ast.stmt:
    return ast.Expr(ast.Call(ast.Name(name, ast.Load()), [], []))
