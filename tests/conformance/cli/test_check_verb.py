"""`rankspec check`: one cause of one mistake, own cases, its JSON contract, and the files that it writes."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from campaign import one_in
from rankspec.conformance.judge.verdicts import Verdict
from running import OVER_HITS, RIGHT

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
    assert len([line for line in rankspec("check", place, *SOME).out.splitlines() if line.startswith("  PASS")]) == 1
    found = json.loads(rankspec("why", f"{place}:Evaluator", "--json").out)["found"]["functions"]
    assert [found[name]["measure"] for name in ("first", "precision")] == ["RR", "P@10"]


pytest_plugins = ["pytester"]
PLAIN = (*SOME, "--no-identify")
"""What is said of a run in files does not rest on what it is identified as; a second of CPU each time."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a right and a wrong function."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    Path("right.py").write_text(RIGHT, encoding="utf-8")
    Path("hits.py").write_text(OVER_HITS, encoding="utf-8")


def test_every_report_of_one_run_says_the_same(rankspec, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("# before\n", encoding="utf-8")
    files = ("--junit", "r.xml", "--markdown", "summary.md", "--badge", "b.json", "--stream", "run.ndjson")
    ended = rankspec("check", "right.py:f", "hits.py:f", *PLAIN, *files, "--json")
    assert ended.status == 1
    found = json.loads(ended.out)
    wrong = found["implementations"][1]
    unexpected = [each["id"] for each in found["unexpected"]]
    assert len(unexpected) == 4

    suites = ET.parse("r.xml").getroot()  # noqa: S314 - our own
    assert [suite.get("name") for suite in suites] == ["right.py:f", "hits.py:f"]
    failing = [each.get("name") for each in suites.iter("testcase") if each.find("failure") is not None]
    assert len(failing) == 1  # one cause
    assert set(failing) < set(unexpected)
    assert suites[1].get("tests") == str(len(wrong["cases"]))

    summary = Path("summary.md").read_text(encoding="utf-8")
    assert summary.startswith("# before\n## rankspec: 4 ")
    assert all(f"| `{case}` |" in summary for case in unexpected)

    badge = json.loads(Path("b.json").read_text(encoding="utf-8"))
    assert badge["message"].endswith(f"hits.py:f {wrong['conforming']}/{wrong['asked']}")
    assert badge["color"] == "red"

    again = rankspec("report", "run.ndjson", "--json", "--junit", "again.xml")
    assert again.status == 1
    kept = json.loads(again.out)
    for key in ("unexpected", "differences", "stale_known_failures"):
        assert kept[key] == found[key] or sorted(map(str, kept[key])) == sorted(map(str, found[key]))
    for read, made in zip(kept["implementations"], found["implementations"], strict=True):
        assert read["cases"] == made["cases"]
        assert read["verdicts"] == made["verdicts"]
        assert read["convention"] == made["convention"]
    assert Path("again.xml").read_text(encoding="utf-8") == Path("r.xml").read_text(encoding="utf-8")


# Files that can't be written.


@pytest.mark.parametrize("option", ["--junit", "--markdown", "--badge", "--stream", "--write-known-failures"])
@pytest.mark.parametrize(
    ("path", "code"), [("none/r.xml", "file-not-writable"), (".", "file-not-writable"), ("", "usage")]
)
def test_a_file_that_cant_be_written_is_said_before_anything_runs(rankspec, tmp_path, option, path, code):
    Path("traced.py").write_text("open('imported', 'w').close()\n" + RIGHT, encoding="utf-8")
    rankspec("check", "traced.py:f", *PLAIN, option, path).assert_refused(code, option)
    assert not (tmp_path / "imported").exists()


# Known failures.


def test_a_file_that_is_no_list_is_not_overwritten(rankspec):
    Path("known.yaml").write_text("- a\n", encoding="utf-8")
    rankspec("check", "hits.py:f", *SOME, "--write-known-failures", "known.yaml").assert_refused(
        "known-failures-malformed", "known.yaml:1"
    )
    assert Path("known.yaml").read_text(encoding="utf-8") == "- a\n"
