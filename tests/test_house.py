"""The house: which room may import which, no circles of modules, and every package is installed."""

from __future__ import annotations

import ast
import doctest
import graphlib
import importlib
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("oracle", "conformance", "adapters")
MODULES = {
    "rankspec." + ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for room in ROOMS
    for path in sorted((ROOT / room).rglob("*.py"))
}


def imports_of(path: Path) -> set[str]:
    """Return the names of the project's modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the arrows"
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
    return {name for name in found if name in MODULES}


def room(module: str) -> str:
    return module.split(".")[1]


@pytest.mark.parametrize("module", MODULES)
def test_arrows_between_rooms(module):
    targets = {target for target in imports_of(MODULES[module]) if room(target) != room(module)}
    allowed = {
        "oracle": set(),
        "conformance": {target for target in targets if room(target) == "oracle"},
        "adapters": {"rankspec.conformance.worker.adapter"},
    }[room(module)]
    # Importing from a package names the package as well.
    assert targets <= allowed | {"rankspec.conformance.worker"}


def test_no_circles():
    graph = {module: imports_of(path) - {module} for module, path in MODULES.items()}
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) == len(MODULES)


FLOORS = ("worker", "implementations", "cases", "run", "questions", "judge", "checks", "settle", "reports", "cli")
"""The floors of conformance, from the ground up."""


def floor(module):
    """Return the floor of a module of conformance; the face that others look at stands on top of all."""
    folder = module.split(".")[2] if module.count(".") > 1 else FLOORS[0]
    return FLOORS.index(folder) if folder in FLOORS else len(FLOORS)


@pytest.mark.parametrize("module", [module for module in MODULES if room(module) == "conformance"])
def test_arrows_in_conformance_run_downwards(module):
    targets = {target for target in imports_of(MODULES[module]) if room(target) == "conformance"}
    assert {target for target in targets if floor(target) > floor(module)} == set()


def test_the_oracle_stands_on_sympy_mpmath_numpy_and_lark_alone():
    roots = set()
    for module, path in MODULES.items():
        if room(module) == "oracle":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    roots |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    roots.add(str(node.module).split(".")[0])
    third_party = {root for root in roots if root not in sys.stdlib_module_names} - {"rankspec"}
    assert third_party == {"mpmath", "sympy", "numpy", "lark"}


@pytest.mark.parametrize("module", [module for module in MODULES if ".conformance.worker" in module])
def test_what_runs_in_the_other_process_needs_the_standard_library_alone(module):
    """It is run in environments where nothing of rankspec is installed; what stands under a condition counts too."""
    foreign = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            foreign |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            foreign.add(str(node.module))
    own = "rankspec.conformance.worker"
    foreign = {name for name in foreign if name != own and not name.startswith(f"{own}.")}
    assert {name for name in foreign if name.partition(".")[0] not in sys.stdlib_module_names} == set()


def test_every_package_is_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = set(settings["tool"]["setuptools"]["packages"])
    there = {module for module, path in MODULES.items() if path.name == "__init__.py"}
    assert packages == there | {"rankspec.fixtures"}


@pytest.mark.parametrize("module", MODULES)
def test_doctests(module):
    if module.endswith(".worker.main"):
        return  # a process's main module
    assert doctest.testmod(importlib.import_module(module)).failed == 0


@pytest.mark.parametrize("module", MODULES)
def test_first_lines_say_why_a_file_exists(module):
    assert ast.get_docstring(ast.parse(MODULES[module].read_text(encoding="utf-8")))
