"""What ir_measures' providers answered is named, and the page says the same as the data."""

import json
from importlib import import_module
from pathlib import Path

import pytest
from rankspec.oracle.language.expression import parse_measure

ROOT = Path(__file__).resolve().parents[1]
ROWS = json.loads((ROOT / "fixtures" / "asked.json").read_text(encoding="utf-8"))["rows"]


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


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
