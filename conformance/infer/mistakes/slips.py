"""The slips that programmers make of a program: each a program of its own, with what differs in words.

A slip is an edit of one place of a syntax tree: a quantity, an operator, a constant, a comparison, a bound, a
statement. The words say what the program does, and what the right one does; `in_names` puts the field's names into them.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, pairwise, product
from types import CodeType
from typing import Any, NamedTuple

_OPERATORS: tuple[type[ast.operator], ...] = (ast.Div, ast.Mult, ast.Add, ast.Sub, ast.FloorDiv)
_SETS: tuple[type[ast.operator], ...] = (ast.BitAnd, ast.BitOr, ast.Sub)
_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE), ast.LtE: (ast.Lt, ast.GtE, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE), ast.GtE: (ast.Gt, ast.LtE, ast.Lt),
}  # fmt: skip
_CALLED = {
    "min": ("max",), "max": ("min",), "sum": ("max", "len"), "len": ("max",),
    "sorted": ("list",), "set": ("list",), "cumsum": ("array",), "log2": ("ln", "log10"),
}  # fmt: skip
"""What a function is taken for."""


Kinds = Sequence[frozenset[str]]  # Names that may be taken for each other, quantities first
_MOST_DIVISIONS = 4  # Programs of F have three; of five there are 26 sets of several, each for every epsilon
_GAINS = (
    ("gain_of(grades.get(docno, 0))", "it takes the grade as gain in the list, but not in the ideal ranking"),
    ("gain_of(grade)", "it takes the grade as gain in the ideal ranking, but not in the list"),
)

_CHANGED = (
    (r"total \+= (.+)", "it adds {} instead of {}"),
    (r"best \+= (.+)", "it adds {} instead of {} in the ideal list"),
    (r"weights = weights \+ \[(.+)\]", "it multiplies gains by {} instead of {}"),
    (r"return (.+)", "it returns {} instead of {}"),
    (r"(?:hit =|(?:el)?if) (.+)", "it asks whether {}, not whether {}"),
)
"""A statement, and what is said of two of the kind."""

_VARIABLES = {
    "m": "min(k, n)", "c": "hits", "g": "gain", "total": "sum", "best": "ideal sum",
    "reached": "the chance to get to a rank", "stopping": "the chance to stop there",
}  # fmt: skip
_QUANTITIES = (
    (r"sum\(docno in relevant for docno in ranked\)", "the hits in the list"),
    (r"docno in relevant", "the document is relevant"),
    (r"ranked\[:\]", "all documents"),
    (r"ranked\[:([^\]]+)\]", r"the first \1 documents"),
    (r"ideal\[:([^\]]+)\]", r"the first \1 gains of the ideal list"),
    (r"gains\[:([^\]]+)\]", r"the first \1 gains"),
    (r"len\(set\(relevant\) & set\(ranked\[:k\]\)\)", "the hits in the top k"),
    (r"grades\.get\(docno, 0\)", "grade"),
    (r"gain_of\(grade\)", "gain"),
    (r"len\(relevant\)", "R"),
    (r"len\(nonrelevant\)", "N"),
    (r"len\(ranked\)", "n"),
    *((rf"(?<![\w.]){name}(?!\w)", words) for name, words in _VARIABLES.items()),
)
"""What stands in a program, and what it is called in the field."""
_STATEMENTS: Sequence[tuple[str, str]] = (
    (r"(?:c|hits) \+= 1", "counts the hit"),
    (r"above \+= 1", "counts the nonrelevant document above"),
    (r"(?:total|best|value) \+= (.+)", r"adds \1"),
    (r"(\w+) \+= (.+)", r"adds \2 to \1"),
    (r"(\w+) -= (.+)", r"subtracts \2 from \1"),
    (r"(\w+) \*= (.+)", r"multiplies \1 by \2"),
    (r"(\w+) //?= (.+)", r"divides \1 by \2"),
    (r"hit = (.+)", r"asks whether \1"),
    (r"(\w+) = (.+)", r"sets \1 to \2"),
    (r"return (.+)", r"returns \1"),
    (r"for .+ in enumerate\((.+?)(?:, \d+)?\)", r"goes through \1"),
    (r"for .+ in (.+)", r"goes through \1"),
    (r"(?:el)?if (.+)", r"asks whether \1"),
    ("break", "stops"),
    ("continue", "goes on to the next document"),
)
"""A statement, and what it does."""
_IS_HIT = re.compile(r"(?:if )?(?:hit|label|docno in relevant)")


class Slip(NamedTuple):
    """A program with a slip: its code, and what differs: a statement, or what is done to several of them."""

    code: CodeType
    right: str = ""  # the statement of the right program
    wrong: str = ""  # what stands in its place
    difference: str = ""  # what differs where it is no one statement

    @property
    def words(self) -> str:
        """What the program does."""
        # Written of the slip that gives the answers alone: of 13,000 that were tried it took a quarter of the time.
        return self.difference or _words(self.right, self.wrong)

    @property
    def fix(self) -> str:
        """What to write instead, where that is one statement."""
        # The program is ours, with our names: the user's says the same in other words.
        if self.difference:
            return ""
        if _counts_from_another(self.right, self.wrong):
            return f"start ranks at {self.right[-2]}" + (" in the ideal list" if "ideal" in self.right else "")
        if self.words in dict(_GAINS).values():
            return "take the same gain in the list and in the ideal ranking"
        return f"write `{self.right}` in place of `{self.wrong}`"


def slips(program: ast.Module, kinds: Kinds, before: int | None = None) -> Iterator[Slip]:
    """Yield the slips of a one-function program (up to a line), by kinds of names that may be taken for each other."""
    # A copy is changed in place: whoever has found one slip asks for no other, and would leave it in the tree.
    program = copy.deepcopy(program)
    (function,) = program.body
    assert isinstance(function, ast.FunctionDef)  # noqa: S101 - the texts are ours
    # A condition that always holds is said as such, not as a comparison of something else.
    for words, body in _moved(function.body) if before is None else ():
        right_body, function.body = function.body, body
        yield Slip(_compiled(ast.fix_missing_locations(program)), difference=words)
        function.body = right_body
    yield from _replaced(program, lambda node: _instead(node, kinds), before)


def with_epsilons(program: ast.Module, epsilons: Sequence[float]) -> Iterator[Slip]:
    """Yield a program with a small number added to what something is divided by, or to several divisors at once."""

    def enlarged(divisor: ast.expr, epsilon: float) -> ast.BinOp:
        return ast.BinOp(divisor, ast.Add(), ast.Constant(epsilon))

    def instead(node: ast.AST) -> Iterator[ast.AST]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield from (ast.BinOp(node.left, node.op, enlarged(node.right, each)) for each in epsilons)

    yield from _replaced(copy.deepcopy(program), instead, None)
    count = sum(isinstance(each, ast.Div) for each in ast.walk(program))
    places = chain.from_iterable(combinations(range(count), size) for size in range(2, count + 1))
    for chosen, epsilon in product(places if count <= _MOST_DIVISIONS else (), epsilons):
        changed = copy.deepcopy(program)
        divisions = [each for each in ast.walk(changed) if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Div)]
        divisors = [ast.unparse(divisions[place].right) for place in chosen]
        for place in chosen:
            divisions[place].right = enlarged(divisions[place].right, epsilon)
        words = f"it adds {epsilon:g} to what it divides by: {' and '.join(divisors)}"
        yield Slip(_compiled(ast.fix_missing_locations(changed)), difference=words)


def _replaced(tree: ast.Module, instead: Callable[[ast.AST], Iterator[ast.AST]], before: int | None) -> Iterator[Slip]:
    (function,) = tree.body
    known = set()
    statements = (each for each in ast.walk(function) if isinstance(each, ast.stmt) and each is not function)
    for statement in statements:
        if before is not None and statement.lineno > before:
            continue
        right = _header(statement)
        for replace, node in _places(statement):
            for other in instead(node):
                replace(ast.fix_missing_locations(other))
                computed = _header(statement)
                if (statement.lineno, computed) not in known and computed != right:
                    known.add((statement.lineno, computed))
                    yield Slip(_compiled(tree), *_unconditional(right, computed))
            replace(node)


def _compiled(program: ast.Module) -> CodeType:
    return compile(program, "a slip", "exec")


def _places(node: ast.AST) -> Iterator[tuple[Callable[[Any], None], ast.AST]]:
    """Yield every part of a statement but the statements in it, with what puts another one into its place."""
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.expr | ast.slice | ast.operator):
            yield lambda other, name=name: setattr(node, name, other), value  # type: ignore[misc]
            yield from _places(value)
        for place, each in enumerate(value) if isinstance(value, list) else ():
            if isinstance(each, ast.expr | ast.comprehension | ast.cmpop):
                yield lambda other, value=value, place=place: value.__setitem__(place, other), each  # type: ignore[misc]
                yield from _places(each)


def _header(statement: ast.stmt) -> str:
    return ast.unparse(statement).partition("\n")[0].rstrip(":")


def _unconditional(right: str, computed: str) -> tuple[str, str]:
    """Return two statements without a condition that both have."""
    start, _, condition = right.partition(" if ")
    is_common = bool(condition and start) and computed.endswith(f" if {condition}")
    return (start, computed.removesuffix(f" if {condition}")) if is_common else (right, computed)


def _counts_from_another(right: str, computed: str) -> bool:
    counted = [re.fullmatch(r"(for .+ in enumerate\(.+), (\d+)\)", each) for each in (right, computed)]
    return all(counted) and len({each[1] for each in counted if each}) == 1


def _words(right: str, computed: str) -> str:
    """Say what is computed in the place of what is due, of two headers of a statement."""
    for gain, words in _GAINS:
        if gain in right and computed == right.replace(gain, gain[len("gain_of(") : -1]):
            return words
    if _counts_from_another(right, computed):
        return f"ranks start at {computed[-2]}" + (" in the ideal list" if "ideal" in right else "")
    if (quotient := re.fullmatch(r"(return (?:total|c) / )(\S+)", right)) and computed.startswith(quotient[1]):
        divisor = re.sub(r"^\(([^()]*(?:\([^()]*\)[^()]*)?)\)$", r"\1", computed.removeprefix(quotient[1]))
        return f"it divides by {divisor} instead of {quotient[2]}"
    for pattern, words in _CHANGED:
        if (replaced := re.fullmatch(pattern, computed)) and (original := re.fullmatch(pattern, right)):
            return words.format(replaced[1], original[1])
    if right.startswith("for ") and computed.startswith("for "):
        return f"it {_does(computed)} instead of {_does(right).removeprefix('goes through ')}"
    name, _, value = right.partition(" = ")
    if computed.startswith(f"{name} = "):
        return f"it takes {computed.removeprefix(f'{name} = ')} as {name} instead of {value}"
    return f"it {_does(computed)} where the right program {_does(right)}"


def _instead(node: Any, kinds: Kinds) -> Iterator[ast.AST]:  # noqa: C901 - a case a kind of node
    """Yield what may stand in the place of a part: for a name the other quantities of its kind."""
    match node:
        case ast.Name(name, ast.Load()):
            yield from (ast.Name(other, ast.Load()) for one in kinds if name in one for other in sorted(one - {name}))
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1) if value >= 1 else ast.UnaryOp(ast.USub(), ast.Constant(1))
        case ast.BinOp():
            yield from _of_operation(node)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Compare(ops=[operator]):
            yield from (_with(node, ops=[other()]) for other in _COMPARED.get(type(operator), ()))
        case ast.BoolOp(operator, values):
            yield _with(node, op=ast.Or() if isinstance(operator, ast.And) else ast.And())
            yield from values
        case ast.IfExp(body=body, orelse=orelse):
            yield from (body, orelse)
        case ast.Slice():
            bounds = ((side, bound) for side in ("lower", "upper") if (bound := getattr(node, side)) is not None)
            yield from (_with(node, **{side: each}) for side, bound in bounds for each in (None, *_neighbours(bound)))
        case ast.Call():
            yield from _of_call(node, kinds)
        case ast.comprehension(ifs=[_, *_]):
            yield _with(node, ifs=[])


def _of_operation(node: ast.BinOp) -> Iterator[ast.AST]:
    first, operator, last = node.left, node.op, node.right
    several = _SETS if isinstance(operator, _SETS[:2]) else _OPERATORS
    yield from (ast.BinOp(first, other(), last) for other in several if not isinstance(operator, other))
    if isinstance(operator, ast.Div | ast.Sub | ast.Pow | ast.FloorDiv):
        yield ast.BinOp(last, operator, first)
    yield from (first, last)
    if isinstance(operator, ast.Div):
        yield from (ast.BinOp(first, operator, other) for other in _neighbours(last))
        # Who counts from 0 divides by 0 at first, and then lets 0 count as 1.
        is_next = isinstance(last, ast.BinOp) and isinstance(last.op, ast.Add) and ast.unparse(last.right) == "1"
        less = last.left if is_next else ast.BinOp(last, ast.Sub(), ast.Constant(1))  # type: ignore[attr-defined]
        yield ast.BinOp(first, operator, ast.Call(ast.Name("max", ast.Load()), [less, ast.Constant(1)], []))


def _neighbours(bound: ast.expr) -> Iterator[ast.expr]:
    yield ast.BinOp(bound, ast.Add(), ast.Constant(1))
    yield ast.BinOp(bound, ast.Sub(), ast.Constant(1))


def _of_call(node: ast.Call, kinds: Kinds) -> Iterator[ast.AST]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name == "len":  # a size is a quantity, too
        yield from (ast.Name(other, ast.Load()) for kind in kinds[:1] for other in sorted(kind))
    for other in _CALLED.get(name, ()):
        yield ast.Call(ast.Name(other, ast.Load()), node.args, [] if other == "list" else node.keywords)
    if name == "enumerate" or (not name and len(node.args) > 1):
        yield _with(node, args=node.args[:1])
    if len(node.args) == 1 and name in {"set", "cumsum", "gain_of"}:
        yield node.args[0]
    for place in range(len(node.keywords)):
        yield _with(node, keywords=[*node.keywords[:place], *node.keywords[place + 1 :]])


# ---- Statements


def _moved(body: list[ast.stmt]) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Yield a block in which one statement is another one, is left out, or stands elsewhere."""
    for place, statement in enumerate(body):
        before, after = body[:place], body[place + 1 :]
        right = _header(statement)
        for words, others in _other_statements(statement):
            yield words, [*before, *others, *after]
        inner = getattr(statement, "body", None)
        if inner is None:
            continue
        for words, others in _moved(inner):
            yield words, [*before, _with(statement, body=others or [ast.Pass()]), *after]
        if after:
            following = _header(after[0])
            rest = after if isinstance(after[0], ast.Return) else after[1:]
            words = f"it {_does(following)} {_where(right)}, not at the end"
            yield words, [*before, _with(statement, body=[*inner, after[0]]), *rest]
        if len(inner) > 1:
            last = _header(inner[-1])
            words = f"it {_does(last)} at the end, not {_where(right)}"
            yield words, [*before, _with(statement, body=inner[:-1]), inner[-1], *after]
    for place, (first, second) in enumerate(pairwise(body)):
        if all(isinstance(each, ast.Assign | ast.AugAssign | ast.If) for each in (first, second)):
            swapped = [*body[:place], second, first, *body[place + 2 :]]
            yield f"it {_does(_header(second))} before it {_does(_header(first))}", swapped


def _other_statements(statement: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    text = _header(statement)
    match statement:
        case ast.AugAssign(target, operator, value):
            yield f"it never {_does(text)}", [ast.Pass()]
            for other in _OPERATORS:
                if not isinstance(operator, other):
                    changed = _with(statement, op=other())
                    yield _words(text, _header(changed)), [changed]
            assigned = ast.copy_location(ast.Assign([target], value), statement)
            yield _words(text, _header(assigned)), [assigned]
        case ast.If(test):
            for which, holds in (("every", True), ("no", False)):
                is_hit, case = _IS_HIT.fullmatch(ast.unparse(test)), ast.unparse(test)
                missed = "judged nonrelevant" if case == "docno in nonrelevant" else f"if {case}"
                words = f"it treats {which} document as {'relevant' if is_hit else missed}"
                yield words, [_with(statement, test=ast.Constant(holds))]
        case ast.Break() | ast.Continue():
            yield f"it never {_does(text)}", [ast.Pass()]
            instead = ast.copy_location(ast.Continue() if isinstance(statement, ast.Break) else ast.Break(), statement)
            yield _words(text, _header(instead)), [instead]


def _with(node: Any, **fields: Any) -> Any:
    """Return a copy of a node, one level deep, with other fields."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


# ---- Words


def in_names(text: str, program: str) -> str:
    """Return the words of a slip, or of its fix, with the field's names for what a program of ours has."""
    # In a loop that counts from 0, i is one less than the rank.
    place = "rank" if re.search(r"for i, \w+ in enumerate\(.+, 1\)", program) else "index"
    for quantity, name in (*_QUANTITIES, (r"(?<![\w.])i(?!\w)", place)):
        text = re.sub(quantity, name, text)
    return text


def _does(statement: str) -> str:
    for pattern, words in _STATEMENTS:
        if re.fullmatch(pattern, statement):
            return re.sub(pattern, words, statement)
    return f"has `{statement}`"


def _where(header: str) -> str:
    if header.startswith("for "):
        return "at each document"
    return "at each hit" if _IS_HIT.fullmatch(header) else f"where {header.removeprefix('if ')}"
