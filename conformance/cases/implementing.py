"""Which of the oracle's functions and enums implement a clause: read off its docstrings and comments, never stored.

They say `Clause ap.cutoff.`, or `Clauses ranking.ties.optimistic, .pessimistic` (the same anchor again), or
`Clauses ap.denominator.*` (every value of an axis).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path

_NAME = r"[a-z0-9_]+(?:-[a-z0-9_]+)*"
_ID = rf"[a-z]+(?:\.(?:{_NAME}|\*))+"
_LIST = re.compile(rf"\bClauses?\s+({_ID}(?:(?:,\s+|\s+and\s+)(?:{_ID}|\.{_NAME}))*)", re.ASCII)
_SEPARATOR = re.compile(r",\s+|\s+and\s+")


@dataclass(frozen=True)
class Mention:
    """A clause id, perhaps with a wildcard, and where the oracle names it.

    Attributes:
        where: module and function or class, `measures.forms.precision_at`.
    """

    clause: str
    where: str

    def covers(self, clause: str) -> bool:
        """Tell whether this is a mention of that clause."""
        return fnmatchcase(clause, self.clause)


def oracle_mentions() -> tuple[Mention, ...]:
    """Return every mention in the oracle's modules, in order of module and line."""
    root = Path(str(import_module("rankspec.oracle").__file__)).parent
    return tuple(mention for path in sorted(root.rglob("*.py")) for mention in mentions_in(path, root))


def mentions_in(path: Path, root: Path) -> Iterator[Mention]:
    """Yield the mentions in one module."""
    text = path.read_text(encoding="utf-8")
    module = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    scopes = list(_scopes(ast.parse(text)))
    for line, prose in _prose(text):
        # The innermost scope starts last among those around the line.
        name = max(((start, name) for start, end, name in scopes if start <= line <= end), default=(0, ""))[1]
        where = f"{module}.{name}" if name else module
        yield from (Mention(clause, where) for clause in named_clauses(prose))


def named_clauses(prose: str) -> list[str]:
    """Return the clause ids that a text names, abbreviated ones in full."""
    ids: list[str] = []
    for listed in _LIST.finditer(prose):
        for part in _SEPARATOR.split(listed[1]):
            ids.append(ids[-1].rpartition(".")[0] + part if part.startswith(".") else part)
    return ids


def implementers(clause: str, mentions: Iterable[Mention]) -> tuple[str, ...]:
    """Return where a clause is implemented."""
    return tuple(dict.fromkeys(mention.where for mention in mentions if mention.covers(clause)))


def _scopes(tree: ast.AST, prefix: str = "") -> Iterator[tuple[int, int, str]]:
    """Yield first line, last line and name of functions and classes, and of names that a docstring follows."""
    body = getattr(tree, "body", [])
    for node, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{prefix}{node.name}"
            yield node.lineno, node.end_lineno or node.lineno, name
            yield from _scopes(node, f"{name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            documented = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            last = following if documented else node
            if isinstance(target, ast.Name):
                yield node.lineno, last.end_lineno or node.lineno, f"{prefix}{target.id}"


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string and comment; comments on following lines belong together."""
    comment: list[str] = []
    first = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            first = first if comment else token.start[0]
            comment.append(token.string.lstrip("# "))
        elif token.type not in {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}:
            if comment:
                yield first, " ".join(comment)
                comment = []
            if token.type == tokenize.STRING:
                yield token.start[0], token.string
    if comment:
        yield first, " ".join(comment)
