"""`rankspec check`: one cause of one mistake, own cases, the JSON contract."""

import json

import pytest
from campaign import one_in
from rankspec.conformance.judge.verdicts import Verdict
from running import RIGHT

SOME = ("--cases", "edge.basics.*")


def test_own_fixtures_are_asked_instead_of_the_shipped_ones(rankspec, written, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "document: hand\ncases:\n- {id: edge.mine.one, clause: ap.cutoff, measure: AP, convention: default,"
        " input: {relevance: [0, 1]}, exact: '1/2', verdict: derived, why: by hand}\n",
        encoding="utf-8",
    )
    ended = rankspec("check", written(RIGHT), "--fixtures", path, "--json")
    assert ended.status == 0
    assert [case["id"] for case in json.loads(ended.out)["implementations"][0]["cases"]] == ["edge.mine.one"]


REQUIRED = {
    "implementations": {"name", "version", "convention", "verdicts", "cases"},
    "differences": {"axis", "values", "case"},
}
"""What each entry of a list has; of an implementation each case has the fields below."""
OF_A_CASE = {"id", "verdict", "value", "exact"}
MISBEHAVES = """
import sys
print("this goes to standard output while it is imported")
def f(relevance, num_relevant):
    print("and this when it is called")
    if len(relevance) == 2:
        raise ValueError("two")
    return {1: float("nan"), 3: 10**400, 4: None, 5: float("inf"), 6: {"q": 1}}.get(len(relevance), 1 / 3)
"""


@one_in(2)
@pytest.mark.parametrize("bodies", [(RIGHT, MISBEHAVES), (RIGHT,)])
def test_json_is_pure_and_keeps_the_contract(rankspec, written, bodies):
    places = [written(body, f"m{number}.py") for number, body in enumerate(bodies)]
    ended = rankspec("check", *places, *SOME, "--json", "--no-identify")
    assert ended.err == ""
    found = json.loads(ended.out, parse_constant=pytest.fail)
    assert found["schema"] == "rankspec/check/1"
    assert all(fields <= each.keys() for kind, fields in REQUIRED.items() for each in found[kind])
    listed = [case for each in found["implementations"] for case in each["cases"]]
    assert all(case.keys() >= OF_A_CASE and case["verdict"] in {each.value for each in Verdict} for case in listed)
    assert all(isinstance(case["value"], float | int | str | None) for case in listed)
    assert [each["name"] for each in found["implementations"]] == places
    assert bool(found["differences"]) == (len(bodies) > 1)
    for each in found["implementations"]:
        assert sum(each["verdicts"].values()) == len(each["cases"])
    good = all(
        case["verdict"] in {"exact", "float64", "float32", "unsupported", "not-expressible"}
        for each in found["implementations"]
        for case in each["cases"]
    )
    assert ended.status == (0 if good else 1)


OF_SEVERAL = """
def right(relevance, k=10):
    return sum(each > 0 for each in relevance[:k]) / k
def no_metric(items):
    return [*items]
class Evaluator:
    def __init__(self, k=10):
        self.k = k
    def first(self, relevance):
        return next((1 / rank for rank, each in enumerate(relevance, 1) if each), 0.0)
    def precision(self, relevance):
        return sum(each > 0 for each in relevance[:self.k]) / self.k / 2
"""


@pytest.mark.campaign
def test_a_file_and_a_class_are_checked_metric_by_metric(rankspec, written):
    """A method that nothing of its object reaches has no cutoff: it is right as it is."""
    place = written(OF_SEVERAL, "several.py", None)
    for text, conforming in (
        (place, {"right": True}),
        (f"{place}:Evaluator", {"first": True, "precision": False}),
    ):
        ended = rankspec("check", text, *SOME, "--json")
        found = json.loads(ended.out)
        names = {each["name"].rpartition(":")[2].removeprefix("Evaluator."): each for each in found["implementations"]}
        assert {name: each["asked"] == each["conforming"] for name, each in names.items()} == conforming
        assert found["differences"] == []
        assert ended.status == (0 if all(conforming.values()) else 1)
    assert len([line for line in rankspec("check", place, *SOME).out.splitlines() if line.startswith("  ")]) == 1
    found = json.loads(rankspec("why", f"{place}:Evaluator", "--json").out)["found"]["functions"]
    assert [found[name]["measure"] for name in ("first", "precision")] == ["RR", "P@10"]
