"""What the scripts of .ci and benchmarks make: codes of errors and their page, mutants, the page of providers."""

import ast
import copy
import json
import pickle
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from ci_scripts import ci_script
from rankspec.conformance.cases.catalogue import CatalogueError
from rankspec.conformance.checks.stream import StreamError
from rankspec.oracle import InputError, UserError, parse_measure

ERRORS = (
    InputError("q.txt, line 3: two", code="columns-miscounted"),
    CatalogueError(["a.yaml:1: one", "a.yaml:2: two"], code="not-yaml"),
    StreamError(7, "2 answers, and there are 3", code="answers-miscounted"),
)


def sent(error):
    return pickle.loads(pickle.dumps(error))  # noqa: S301 - made here


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, sent])
def test_an_error_that_is_copied_or_sent_to_another_process_is_the_same(error, again):
    other = again(error)
    assert (type(other), str(other), vars(other)) == (type(error), str(error), vars(error))
    assert isinstance(other, UserError)
    assert other.code == error.code != ""


def test_the_page_lists_every_code_as_the_source_has_it():
    codes = ci_script("error-codes")
    assert codes.PAGE.read_text(encoding="utf-8") == codes.page(), "write it anew: .ci/error-codes --write"
    forms = ci_script("forms")
    assert forms.PAGE.read_text(encoding="utf-8") == forms.page(), "write it anew: .ci/forms --write"


def test_codes_are_noun_phrases_of_small_letters():
    listed = re.findall("^## (.*)$", ci_script("error-codes").PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(listed) > 200
    assert listed == sorted(set(listed))
    assert [code for code in listed if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", code)] == []


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


ROOT = Path(__file__).resolve().parents[1]
ROWS = json.loads((ROOT / "fixtures" / "asked.json").read_text(encoding="utf-8"))["rows"]


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


@pytest.mark.parametrize("place", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda place: place.stem)
def test_a_benchmark_imports_what_there_is(place):
    """They are run by hand, so that nothing else shows that a name has moved."""
    nodes = ast.walk(ast.parse(place.read_text(encoding="utf-8")))
    froms = [each for each in nodes if isinstance(each, ast.ImportFrom) and str(each.module).startswith("rankspec")]
    own = [(each.module, name.name) for each in froms for name in each.names]
    assert [(module, name) for module, name in own if not has_name(module, name)] == []


def has_name(module, name):
    return hasattr(import_module(module), name) or find_spec(f"{module}.{name}") is not None


def test_the_page_is_made_of_the_data():
    page = import_module("provider_page").page(ROWS)
    assert (ROOT / "benchmarks" / "ir_measures_providers.md").read_text(encoding="utf-8") == page


def test_random_runs_are_the_same_for_a_seed_and_have_what_they_say():
    judged_run = import_module("random_judged_runs").judged_run
    runs = [judged_run(seed, by_subtopic=False) for seed in range(60)]
    assert [run for _, run in runs] == [judged_run(seed, by_subtopic=False)[1] for seed in range(60)]
    grades = {grade for qrels, _ in runs for query in qrels for grade in qrels.grades(query).values()}
    assert {-2, 0, 1, 4} <= grades
    assert any(query not in run for qrels, run in runs for query in qrels)
    subtopics = [judged_run(seed, by_subtopic=True)[0] for seed in range(5)]
    assert all(hasattr(g, "by_subtopic") for q in subtopics for query in q for g in q.grades(query).values())


def test_a_fault_is_told_by_the_query_that_shows_it():
    faults, question = (
        import_module("provider_faults"),
        import_module("rankspec.conformance.questions.question").Question,
    )
    judged_run = import_module("random_judged_runs").judged_run
    qrels, run = next(data for seed in range(99) if len({*(data := judged_run(seed, by_subtopic=False))[0]}) == 1)
    query = faults.of_question(question("x", parse_measure("P@1"), qrels, run))
    assert query is not None
    assert {type(fault.shows(query)) for fault in faults.FAULTS} == {bool}
