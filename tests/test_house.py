"""The house: which room may import which, no circles; names are the field's; what docs/architecture.md names."""

import ast
import doctest
import graphlib
import importlib
import re
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from rankspec.oracle.conventions.families import ALIASES, FAMILIES

ROOT = Path(__file__).parent.parent
ROOMS = ("oracle", "conformance", "adapters")
FOLDER_OF_PUBLIC = "rankspec.conformance.public"
"""What is installed as the package `rankspec` itself."""
MODULES = {
    ("rankspec." + ".".join(path.relative_to(ROOT).with_suffix("").parts))
    .removesuffix(".__init__")
    .replace(FOLDER_OF_PUBLIC, "rankspec"): path
    for room in ROOMS
    for path in sorted((ROOT / room).rglob("*.py"))
}


MOST_LINES = 63_070


@cache
def tree_of(module):
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def statements(node):
    """Yield what is stated within a node, at any depth, without its expressions: they are most of a tree."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield child
            yield from statements(child)


@cache
def names_imported(module):
    """Return what a module imports: other modules, and the names that it takes from them, with their module."""
    names = set()
    for node in statements(tree_of(module)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative imports hide the arrows"
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
    return frozenset(names)


def imports_of(module):
    """Return the names of the project's modules that a module imports."""
    return {name for name in names_imported(module) if name in MODULES}


def third_party(module):
    """Return the packages that a module imports and that are neither the project's nor the standard library's."""
    roots = {name.partition(".")[0] for name in names_imported(module)}
    return roots - sys.stdlib_module_names - {"rankspec"}


def room(module):
    name = f"{module}.".split(".")[1]
    return name if name in ROOMS else "public"


def may_import(module, target):
    """Tell whether the arrow between two rooms is allowed. Importing from a package names the package as well."""
    if room(module) == "adapters":
        return target in {"rankspec.conformance.worker.adapter", "rankspec.conformance.worker"}
    return (room(module), room(target)) in {("conformance", "oracle"), ("public", "conformance"), ("public", "oracle")}


def test_arrows_between_rooms():
    arrows = [(module, target) for module in MODULES for target in imports_of(module) if room(target) != room(module)]
    assert [arrow for arrow in arrows if not may_import(*arrow)] == []


def test_no_circles():
    graph = {module: imports_of(module) - {module} for module in MODULES}
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) == len(MODULES)


FLOORS = (
    *("worker", "implementations", "cases", "data", "run", "questions", "judge", "checks", "infer", "reproducing"),
    *("atlas", "answers", "reports", "verbs", "site", "cli"),
)
"""The floors of conformance, from the ground up."""


def floor(module):
    """Return the floor of a module of conformance; the face that others look at stands on top of all."""
    folder = module.split(".")[2] if module.count(".") > 1 else FLOORS[0]
    return FLOORS.index(folder) if folder in FLOORS else len(FLOORS)


def test_arrows_in_conformance_run_downwards():
    modules = [module for module in MODULES if room(module) == "conformance"]
    arrows = [(module, target) for module in modules for target in imports_of(module) if room(target) == "conformance"]
    assert [(module, target) for module, target in arrows if floor(target) > floor(module)] == []


def test_nothing_imports_the_command_line():
    arrows = {(module, target) for module in MODULES for target in imports_of(module)}
    into_cli = {module for module, target in arrows if ".cli." in target and ".cli." not in module}
    assert into_cli == {"rankspec.__main__"}


def test_folders_have_sixteen_modules_at_most():
    """Adapters apart: a file a library."""
    counts = Counter(path.parent.relative_to(ROOT).as_posix() for path in MODULES.values())
    assert [folder for folder, count in counts.items() if count > 16 and folder != "adapters"] == []


def test_the_product_does_not_grow():
    """A landing that needs more raises this, and says why in its message; one that needs less lowers it."""
    assert sum(path.read_bytes().count(b"\n") for path in MODULES.values()) <= MOST_LINES


def test_the_oracle_stands_on_sympy_mpmath_numpy_and_lark_alone():
    packages = set().union(*(third_party(module) for module in MODULES if room(module) == "oracle"))
    engines = {"duckdb", "pyarrow", "pyspark"}  # extras, imported when they are asked for
    assert packages - engines == {"mpmath", "sympy", "numpy", "lark"}


def test_what_runs_in_the_other_process_needs_the_standard_library_alone():
    """It is run in environments where nothing of rankspec is installed; what stands under a condition counts too."""
    worker = "rankspec.conformance.worker"
    for module in MODULES:
        if module == worker or module.startswith(f"{worker}."):
            others = {name for name in names_imported(module) if name.startswith("rankspec.")}
            assert third_party(module) == set(), module
            assert all(name == worker or name.startswith(f"{worker}.") for name in others), module


def test_every_package_is_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = set(settings["tool"]["setuptools"]["packages"])
    there = {module for module, path in MODULES.items() if path.name == "__init__.py"}
    folders = [
        *ROOT.glob("fixtures/*/"),
        *ROOT.glob("conformance/site/*/"),
        *ROOT.glob("conformance/implementations/*/"),
    ]
    # A folder of data is named as well: setuptools warns of one that it finds in a package and that is none.
    data = {".".join(("rankspec", *each.relative_to(ROOT).parts)) for each in folders if each.name != "__pycache__"}
    assert packages == there | data | {"rankspec.fixtures"}
    assert data <= set(settings["tool"]["setuptools"]["package-data"])


@pytest.mark.parametrize("name", [*ROOMS, "public"])
def test_doctests(name):
    for module, path in MODULES.items():
        if room(module) == name and ">>> " in path.read_text(encoding="utf-8"):
            assert doctest.testmod(importlib.import_module(module)).failed == 0, module


def test_packed_bytes_of_the_tests_do_not_hold_the_time():
    """Both processes of a run must collect the same names, and the bytes of a parameter are in its test's name."""
    sources = (path.read_text("utf-8") for path in sorted((ROOT / "tests").rglob("*.py")))
    trees = [ast.parse(source) for source in sources if "gzip" in source]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    packing = [call for call in calls if ast.unparse(call.func) == "gzip.compress"]
    assert packing
    assert [ast.unparse(call) for call in packing if "mtime" not in {keyword.arg for keyword in call.keywords}] == []


def test_first_lines_say_why_a_file_exists():
    assert [module for module in MODULES if not ast.get_docstring(tree_of(module))] == []


DECLARATIONS = "rankspec.oracle.conventions.declarations"
MEASURE_NAMES = {*FAMILIES, *ALIASES}
TABLES = {"FAMILIES", "UNSTATED", "WHOLE"}
"""What a name may be looked up in: the declarations, and a table of names and functions."""


def names_in(node):
    """Return the names of measures that are written in a literal: a text, or a tuple, list or set of texts."""
    texts = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return {text.value for text in texts if isinstance(text, ast.Constant) and text.value in MEASURE_NAMES}


def is_name_of_a_measure(node):
    """Tell whether an expression is `measure.name`, `question.measure.name`, `family.name`, ..."""
    owner = node.value if isinstance(node, ast.Attribute) and node.attr == "name" else None
    return (isinstance(owner, ast.Name) and owner.id in {"measure", "family"}) or (
        isinstance(owner, ast.Attribute) and owner.attr in {"measure", "family"}
    )


def knowledge_of_names(tree):
    """Yield the lines that compare a measure's name with a literal, or keep a set of names of measures."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            asked = any(map(is_name_of_a_measure, sides))
            tables = {side.id for side in sides if isinstance(side, ast.Name)} & TABLES
            if any(map(names_in, sides)) or (asked and not tables):
                yield node.lineno
        elif isinstance(node, ast.Set) and names_in(node):
            yield node.lineno
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"set", "frozenset"}:
            if any(map(names_in, node.args)):
                yield node.lineno
        elif isinstance(node, ast.MatchValue) and names_in(node.value):
            yield node.lineno


def test_what_is_known_of_single_measures_is_declared():
    modules = [module for module in MODULES if room(module) != "adapters" and not module.startswith(DECLARATIONS)]
    assert [(module, line) for module in modules for line in knowledge_of_names(tree_of(module))] == []


@pytest.mark.parametrize(
    "line",
    [
        *('measure.name == "AP"', '"TAP" != case.measure.name', 'measure.name in {"AP", "GMAP"}'),
        *('family.name not in ("DCG", "nDCG")', "measure.name in _AREAS", '_AREAS = frozenset({"AP", "AP11"})'),
        *('_AREAS = frozenset(["AP"])', 'match measure.name:\n    case "RBP": pass'),
    ],
)
def test_knowledge_of_single_measures_elsewhere_is_found(line):
    assert list(knowledge_of_names(ast.parse(line)))


PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_folder_that_it_names_is_there():
    named = re.findall(r"`((?:oracle|conformance|fixtures|adapters|tests|docs)/[\w/.]*)`", PAGE)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


# Each says that something was done to a thing, not what the thing is.
VAGUE = {
    *("asked", "asking", "beside", "doing", "due", "found", "given", "heard", "kept", "keeping", "listed", "looked"),
    *("looking", "made", "meeting", "put", "reach", "said", "seen", "shown", "taken", "taking", "telling", "tell"),
    *("told", "together", "wanted", "worth", "working", "workings"),
}
MOST = {"functions": 18, "bindings": 407}


def is_vague(name):
    """Tell whether a name, in snake or camel case, has a vague word."""
    return not VAGUE.isdisjoint(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_"))


def names_given(tree):
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
    names += [pair for module in MODULES for pair in names_given(tree_of(module))]
    counted = Counter(kind for kind, name in names if is_vague(name))
    assert {kind: count for kind, count in counted.items() if count > MOST.get(kind, 0)} == {}
