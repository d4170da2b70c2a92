"""The campaign of mutants: each stands where it says, and one that stands nowhere, or twice, is stale."""

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


CODE = '''\
"""Text with 1 < 2."""
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    LEAST = 1 < 2
T = TypeVar("T", bound=int)
Number = int | float
__all__ = ["a"[0:1]]


def ratio(hits: "list[1]", rank: int = 3) -> "1 + 2":
    """Divide 1 by 2."""
    limit: int
    if not hits and rank > 1:
        raise ValueError("rank" + str(rank - 1))
    return f"{rank - 1}" if isinstance(rank, int | str) else pow(hits[rank - 1], +rank)
'''


@pytest.fixture(scope="module")
def fresh():
    yield ci_script("fresh-mutants")
    del sys.modules["fresh-mutants"]


def test_fresh_mutants_are_of_code_that_runs_and_compile_to_something_else(fresh):
    made = fresh.mutants_of("room", "module.py", CODE, None)
    assert {each.line(CODE) for each in made} == {11, 14, 16}
    assert all(fresh.is_another_program(each, CODE) for each in made)
    put = {}
    for each in made:
        put.setdefault(CODE[slice(*each.span)], set()).add(each.put)
    assert put["and"] == {"or"}
    assert put["not hits and rank > 1"] == {"False", "(not hits)", "(rank > 1)"}
    assert put["hits[rank - 1], +rank"] == {"+rank, hits[rank - 1]"}
    assert put["rank - 1"] == {"rank", "1 - rank", "(rank - 1) + 1", "(rank - 1) - 1"}


def test_a_draw_is_the_seed_s_and_takes_rooms_in_turn_and_a_line_once(fresh):
    texts = {f"{room}.py": CODE.replace("ratio", room) for room in ("one", "two")}
    groups = [fresh.mutants_of(name, name, text, None) for name, text in texts.items()]
    draws = [fresh.drawn(groups, texts, 4, seed) for seed in range(20)]
    assert draws == [fresh.drawn(groups, texts, 4, seed) for seed in range(20)]
    assert {tuple(each.room for each in draw) for draw in draws} == {("one.py", "two.py", "one.py", "two.py")}
    assert all(len({(each.name, each.line(CODE)) for each in draw}) == 4 for draw in draws)
    assert len({tuple(draw) for draw in draws}) > 10
    assert len({each.operator for draw in draws for each in draw}) >= 8
    assert len(fresh.drawn(groups, texts, 100, 0)) == 6
