"""`rankspec check`: exit codes, one clear line for each mistake, the JSON contract, known failures."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from running import OVER_HITS, RIGHT

SOME = ("--cases", "edge.basics.*")


@pytest.fixture
def own(tmp_path: Path):
    """Write a module and give the specification of its function."""

    def write(body: str, name: str = "own.py", function: str = "f") -> str:
        path = tmp_path / name
        path.write_text(dedent(body), encoding="utf-8")
        return f"{path}:{function}"

    return write


# Exit codes.


def test_a_function_is_asked_every_case_it_can_express_for_the_measure_that_it_computes(rankspec, own) -> None:
    (found,) = rankspec("check", own(RIGHT), "--json").json["implementations"]
    assert found["conforming"] == found["asked"] > 400
    assert {re.sub("@[0-9]+$", "", case["measure"]) for case in found["cases"]} == {"AP"}
    exact = {case["measure"] for case in found["cases"] if case["verdict"] == "exact"}
    assert {"AP", "AP@1", "AP@2", "AP@10"} < exact  # cases keep their cutoffs, or none: `k=None`


def test_one_mistake_is_one_cause_and_what_accepts_it_passes(rankspec, own, tmp_path: Path) -> None:
    place = own(OVER_HITS)
    some = ("--cases", "edge.[bdt]*")
    run = str(tmp_path / "run.ndjson")
    ended = rankspec("check", place, *some, "--stream", run)
    (found,) = json.loads(rankspec("report", run, "--json").out)["implementations"]
    failing = [case for case in found["cases"] if case["verdict"] == "other-convention"]
    assert len(failing) == found["asked"] - found["conforming"] > 20
    lines = ended.out.splitlines()
    smallest = min(failing, key=lambda case: case["size"])
    assert all(f"  {line}" in lines for line in smallest["input"])
    assert [line for line in lines if smallest["id"] in line]
    assert not [case["id"] for case in failing if case != smallest and case["id"] in ended.out]
    (command,) = [line for line in lines if " --under " in line]
    assert rankspec(*shlex.split(command[command.index("check") :]), *some, "--no-identify").status == 0
    every = rankspec("report", run, "--all").out
    assert {case["id"] for case in failing} <= {line.strip().split("\t")[0] for line in every.splitlines()}


def test_text_in_brackets_is_no_markup(rankspec, own, tmp_path: Path) -> None:
    (tmp_path / "[bold]").mkdir()
    ended = rankspec("check", own(OVER_HITS, name="[bold]/own.py"), "--under", "default[no_hits=zero]", *SOME)
    assert "[bold]/own.py:f " in ended.out


# Mistakes.


def test_own_fixtures_are_asked_instead_of_the_shipped_ones(rankspec, own, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "document: hand\ncases:\n- {id: edge.mine.one, clause: ap.cutoff, measure: AP, convention: default,"
        " input: {relevance: [0, 1]}, exact: '1/2', verdict: derived, why: by hand}\n",
        encoding="utf-8",
    )
    ended = rankspec("check", own(RIGHT), "--fixtures", path, "--json")
    assert ended.status == 0
    assert [case["id"] for case in json.loads(ended.out)["implementations"][0]["cases"]] == ["edge.mine.one"]


# What is loaded is loaded by a worker, so a library that is missing there has to be missing for a whole process.


# JSON.

NUMBER_OR_TEXT = {"type": ["number", "string", "null"]}
CONTRACT = {
    "type": "object",
    "required": ["schema", "implementations", "differences"],
    "properties": {
        "schema": {"const": "rankspec/check/1"},
        "implementations": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "version", "convention", "verdicts", "cases"],
                "properties": {
                    "name": {"type": "string"},
                    "version": {"type": ["string", "null"]},
                    "convention": {"type": "string"},
                    "verdicts": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
                    "diagnosis": {
                        "type": ["object", "null"],
                        "required": ["status", "words", "convention", "under"],
                    },
                    "cases": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["id", "verdict", "value", "exact"],
                            "properties": {
                                "id": {"type": "string"},
                                "verdict": {
                                    "enum": [
                                        *("exact", "float64", "float32", "printed", "other-convention", "wrong"),
                                        *("undefined", "unstable", "error", "crash", "timeout"),
                                        *("unsupported", "not-expressible"),
                                    ]
                                },
                                "value": NUMBER_OR_TEXT,
                                "exact": {"type": ["string", "null"]},
                            },
                        },
                    },
                },
            },
        },
        "differences": {
            "type": "array",
            "items": {"type": "object", "required": ["axis", "values", "case"]},
        },
    },
}
MISBEHAVES = """
import sys
print("this goes to standard output while it is imported")
def f(relevance, num_relevant):
    print("and this when it is called")
    if len(relevance) == 2:
        raise ValueError("two")
    return {1: float("nan"), 3: 10**400, 4: None, 5: float("inf"), 6: {"q": 1}}.get(len(relevance), 1 / 3)
"""


@pytest.mark.parametrize("bodies", [(RIGHT,), (RIGHT, OVER_HITS), (MISBEHAVES,), (RIGHT, MISBEHAVES)])
def test_json_is_pure_and_keeps_the_contract(rankspec, own, bodies: tuple[str, ...]) -> None:
    places = [own(body, f"m{number}.py") for number, body in enumerate(bodies)]
    ended = rankspec("check", *places, *SOME, "--json", "--no-identify")
    assert ended.err == ""
    found = json.loads(ended.out, parse_constant=pytest.fail)
    Draft202012Validator(CONTRACT).validate(found)
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


# Known failures.


def failing(rankspec, place: str) -> list[str]:
    ended = rankspec("check", place, "--json")
    cases = json.loads(ended.out)["implementations"][0]["cases"]
    return [case["id"] for case in cases if case["verdict"] == "other-convention"]


@pytest.mark.campaign
def test_known_failures_hold_the_gate_and_are_exact(rankspec, own, tmp_path: Path) -> None:
    place = own(OVER_HITS)
    ids = failing(rankspec, place)
    assert len(ids) > 10
    known = tmp_path / "known.yaml"

    def with_known(listed: list[str], status: int) -> Any:
        lines = "".join(f"  {each}: over-hits\n" for each in listed)
        known.write_text(f'"{place}":\n{lines}sklearn:\n  edge.nothing: x\n', encoding="utf-8")
        ended = rankspec("check", place, "--known-failures", known, "--json")
        assert ended.status == status
        return json.loads(ended.out)

    with_known(ids, 0)
    with_known(ids[:-1], 1)
    passing = with_known([*ids, "edge.basics.perfect"], 1)
    assert [each["id"] for each in passing["unexpected_passes"]] == ["edge.basics.perfect"]
    stale = with_known([*ids, "edge.basics.nosuch"], 1)
    assert [each["id"] for each in stale["stale_known_failures"]] == ["edge.basics.nosuch"]


@pytest.mark.campaign
def test_a_case_that_shares_its_question_is_known_by_its_own_id(rankspec, own, tmp_path: Path) -> None:
    place = own(OVER_HITS)
    ended = rankspec("check", place, "--json")
    found = json.loads(ended.out)["implementations"][0]["cases"]
    shared = next(case for case in found if case["verdict"] == "other-convention" and len(case["cases"]) > 1)
    known = tmp_path / "known.yaml"
    known.write_text(f'"{place}":\n  {shared["cases"][-1]}: shared\n', encoding="utf-8")
    again = json.loads(rankspec("check", place, "--known-failures", known, "--json").out)
    assert again["stale_known_failures"] == again["unexpected_passes"] == []
    assert shared["id"] not in {each["id"] for each in again["unexpected"]}
    (case,) = (each for each in again["implementations"][0]["cases"] if each["id"] == shared["id"])
    assert case["known"] == "shared"


CAPPED_EXPONENTIAL = """
from math import log2

def ndcg(relevance, num_relevant):
    def dcg(labels):
        return sum((2.0 ** min(label, 900) - 1) / log2(rank + 1) for rank, label in enumerate(labels, 1) if label > 0)

    best = dcg(sorted(relevance, reverse=True))
    return dcg(relevance) / best if best else 0.0
"""


@pytest.mark.parametrize(("under", "status"), [("default", 1), ("default[gain=exponential]", 1)])
@pytest.mark.campaign
def test_a_grade_whose_exponential_gain_is_beyond_the_limit_stops_no_check(rankspec, tmp_path, under, status):
    """A stress case has the grade 2 ** 32: the question is not put under exponential gains, and stops no diagnosis."""
    path = tmp_path / "metrics.py"
    path.write_text(CAPPED_EXPONENTIAL, encoding="utf-8")
    found, out, err = rankspec("check", f"{path}:ndcg", "--measure", "nDCG", "--under", under, "--json")
    assert (found, err.count("rankspec:")) == (status, 0)
    assert json.loads(out)["implementations"][0]["asked"] > 0


@pytest.mark.campaign
def test_a_convention_is_held_to_the_answers_that_can_be_compared(rankspec, tmp_path):
    path = tmp_path / "metrics.py"
    path.write_text(CAPPED_EXPONENTIAL, encoding="utf-8")
    words = ("check", f"{path}:ndcg", "--measure", "nDCG", "--under", "default[ideal=retrieved]", "--json")
    (found,) = json.loads(rankspec(*words).out)["implementations"]
    assert found["diagnosis"]["under"] == "default[gain=exponential, ideal=retrieved]"
    assert str(found["asked"] - 1) in found["diagnosis"]["words"]
