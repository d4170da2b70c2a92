"""Names are nouns of the field: a word that only says how a thing came about is counted, and the counts only fall."""

import ast
import re
from collections import Counter

from test_house import MODULES, tree_of

# Each says that something was done to a thing, not what the thing is.
VAGUE = {
    *("asked", "asking", "beside", "doing", "due", "found", "given", "heard", "kept", "keeping", "listed", "looked"),
    *("looking", "made", "meeting", "put", "reach", "said", "seen", "shown", "taken", "taking", "telling", "tell"),
    *("told", "together", "wanted", "worth", "working", "workings"),
}
MOST = {"functions": 162, "fields": 52, "parameters": 466, "bindings": 1076}


def is_vague(name):
    """Tell whether a name, in snake or camel case, has a vague word."""
    return not VAGUE.isdisjoint(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_"))


def names_in(tree):
    """Yield the names that a module gives, each with what it names."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name, body=body):
                yield "classes", name
                yield from (("fields", each.target.id) for each in body if isinstance(each, ast.AnnAssign))
            case ast.FunctionDef(name=name):
                yield "functions", name
            case ast.arg(arg=name):
                yield "parameters", name
            case ast.Name(id=name, ctx=ast.Store()):
                yield "bindings", name


def test_vague_names_become_fewer():
    """A landing that takes some away lowers the numbers; none raises one."""
    names = [("modules", module.rpartition(".")[2]) for module in MODULES]
    names += [pair for module in MODULES for pair in names_in(tree_of(module))]
    counted = Counter(kind for kind, name in names if is_vague(name))
    assert {kind: count for kind, count in counted.items() if count > MOST.get(kind, 0)} == {}
