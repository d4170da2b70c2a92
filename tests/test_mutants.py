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


def test_every_mutant_stands_where_it_says():
    said = subprocess.run([sys.executable, SCRIPT, "--list"], capture_output=True, text=True, check=False)
    assert [line for line in said.stdout.splitlines() if "STALE" in line] == []
    assert said.returncode == 0


@pytest.mark.parametrize(("within", "line"), [("A.total", 3), ("total", 7)])
def test_a_text_that_stands_twice_is_found_within_its_function(mutants, within, line):
    path = Path("module.py")
    mutant = mutants.Mutant("room", "title", "+ 1", "", within=within)
    place = mutants.place_of(mutant, {path: TWICE})
    assert (place.path, TWICE.count("\n", 0, place.start) + 1) == (path, line)


@pytest.mark.parametrize(("find", "within"), [("+ 1", ""), ("+ 2", ""), ("+ 1", "A.mean"), ("class A", "total")])
def test_what_stands_nowhere_or_twice_is_stale(mutants, find, within):
    mutant = mutants.Mutant("room", "title", find, "", within=within)
    with pytest.raises(mutants.StaleError):
        mutants.place_of(mutant, {Path("module.py"): TWICE})


def test_the_nearest_tests_are_of_the_room_and_come_first(mutants, tmp_path):
    for name in ("room/test_it.py", "room/test_more.py", "other/test_it.py"):
        (tmp_path / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / name).write_text("def test_one():\n    pass\n", encoding="utf-8")
    rooms = {"room": ["room", "other/test_it.py"], "gone": ["room/test_gone.py"]}
    near = mutants.Mutant("room", "title", "", "", ("test_more.py::test_one",))
    assert mutants.tests_of(near, tmp_path, rooms) == (
        ["tests/room/test_more.py::test_one"],
        ["tests/room", "tests/other/test_it.py"],
    )
    unsaid = mutants.Mutant("room", "title", "", "")
    assert mutants.tests_of(unsaid, tmp_path, rooms) == (["tests/room"], ["tests/other/test_it.py"])
    stale = [
        ("room", "test_more.py::test_two"),
        ("room", "test_other.py"),
        ("room", "test_it.py"),
        ("gone", "test_it.py"),
    ]
    for room, test in stale:
        with pytest.raises(mutants.StaleError):
            mutants.tests_of(mutants.Mutant(room, "title", "", "", (test,)), tmp_path, rooms)


def test_rooms_are_read_off_the_table(mutants, tmp_path):
    page = "| folder | tests |\n|---|---|\n| `a/b` | `c`, `d/test_e.py` |\n| `f` | `g` |\n"
    (tmp_path / "CONTRIBUTING.md").write_text(page, encoding="utf-8")
    assert mutants.rooms_of(tmp_path) == {"a/b": ["c", "d/test_e.py"], "f": ["g"]}
