"""Which of the oracle's functions, classes and tables implement a clause: read off their marks, never stored.

They are marked by `@clause("ap.cutoff")`, or wrapped in it; `ap.denominator.*` is every value of an axis.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path

_MARK = "clause"


@dataclass(frozen=True)
class Mention:
    """A clause id, perhaps with a wildcard, and where the oracle names it.

    Attributes:
        where: module and function, class or table, `measures.forms.precision_at`.
    """

    clause: str
    where: str

    def covers(self, clause: str) -> bool:
        """Tell whether this is a mention of that clause."""
        return fnmatchcase(clause, self.clause)


def oracle_mentions() -> tuple[Mention, ...]:
    """Return every mark in the oracle's modules, in order of module and line."""
    root = Path(str(import_module("rankspec.oracle").__file__)).parent
    return tuple(mention for path in sorted(root.rglob("*.py")) for mention in mentions_in(path, root))


def mentions_in(path: Path, root: Path) -> Iterator[Mention]:
    """Yield the marks in one module."""
    module = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    for name, marks in _marked(ast.parse(path.read_text(encoding="utf-8"))):
        yield from (Mention(clause, f"{module}.{name}") for clause in marks)


def implementers(clause: str, mentions: Iterable[Mention]) -> tuple[str, ...]:
    """Return where a clause is implemented."""
    return tuple(dict.fromkeys(mention.where for mention in mentions if mention.covers(clause)))


def _marked(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield the names of functions, classes and tables, with the clauses that they are marked with."""
    for node in getattr(tree, "body", []):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{prefix}{node.name}"
            yield name, [clause for decorator in node.decorator_list for clause in _clauses(decorator)]
            yield from _marked(node, f"{name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                yield f"{prefix}{target.id}", _clauses(node.value.func)


def _clauses(mark: ast.expr) -> list[str]:
    """Return the ids in `clause("...", "...")`; none of another expression."""
    if not (isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == _MARK):
        return []
    return [ast.literal_eval(given) for given in mark.args]
