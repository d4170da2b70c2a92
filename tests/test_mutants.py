"""The campaign of mutants: each stands where it says, and one that stands nowhere, or twice, is stale."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ci_scripts import ci_script

SCRIPT = Path(__file__).parents[1] / ".ci" / "mutants"
TWICE = """\
class A:
    def total(self, values):
        return sum(values) + 1


def total(values):
    return sum(values) + 1
"""


@pytest.fixture(scope="module")
def mutants():
    yield ci_script("mutants")
    del sys.modules["mutants"]


@pytest.mark.campaign
def test_every_mutant_stands_where_it_says():
    said = subprocess.run([sys.executable, SCRIPT, "--list"], capture_output=True, text=True, check=False)
    assert [line for line in said.stdout.splitlines() if "STALE" in line] == []
    assert said.returncode == 0
    assert len(said.stdout.splitlines()) >= 100


@pytest.mark.parametrize(("within", "line"), [("A.total", 3), ("total", 7)])
def test_a_text_that_stands_twice_is_found_within_its_function(mutants, within, line):
    path = Path("module.py")
    mutant = mutants.Mutant("area", "title", "+ 1", "", ("test.py",), within)
    place = mutants.place_of(mutant, {path: TWICE})
    assert (place.path, TWICE.count("\n", 0, place.start) + 1) == (path, line)


@pytest.mark.parametrize(("find", "within"), [("+ 1", ""), ("+ 2", ""), ("+ 1", "A.mean"), ("class A", "total")])
def test_what_stands_nowhere_or_twice_is_stale(mutants, find, within):
    mutant = mutants.Mutant("area", "title", find, "", ("test.py",), within)
    with pytest.raises(mutants.StaleError):
        mutants.place_of(mutant, {Path("module.py"): TWICE})


def test_nearest_tests_are_found_wherever_they_lie(mutants, tmp_path):
    place = tmp_path / "tests" / "deep" / "test_it.py"
    place.parent.mkdir(parents=True)
    place.write_text("def test_one():\n    pass\n", encoding="utf-8")
    found = mutants.Mutant("area", "title", "", "", ("test_it.py::test_one", "deep/test_it.py"))
    assert mutants.tests_of(found, tmp_path) == ["tests/deep/test_it.py::test_one", "tests/deep/test_it.py"]
    for gone in ("test_it.py::test_two", "test_other.py"):
        with pytest.raises(mutants.StaleError):
            mutants.tests_of(mutants.Mutant("area", "title", "", "", (gone,)), tmp_path)
