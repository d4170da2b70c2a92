"""`check` of several implementations: how many at a time makes no difference to what is said."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

RIGHT = """
def f(relevance, num_relevant):
    hits = [rank for rank, label in enumerate(relevance, 1) if label]
    return sum(i / rank for i, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0
"""
SPOILT = """
seen = []
def f(relevance, num_relevant):
    seen.extend([1] * (not relevance))
    return 0.25 if seen else 0.5
"""


def in_a_process(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rankspec.conformance.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def named(tmp_path: Path) -> list[str]:
    for name, text in (("right", RIGHT), ("spoilt", SPOILT)):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    return [f"{tmp_path / name}.py:f" for name in ("spoilt", "right")]


@pytest.mark.campaign
def test_the_output_is_the_same_with_any_number_of_jobs(named: list[str]) -> None:
    ended = [
        in_a_process("check", *named, "--cases", "edge.basics.*", "--json", *jobs) for jobs in ((), ("--jobs", "1"))
    ]
    assert ended[0].stdout == ended[1].stdout
    assert [each.returncode for each in ended] == [1, 1]
    found = json.loads(ended[0].stdout)
    assert found["complete"] is True
    assert [each["name"] for each in found["implementations"]] == named
    assert {case["verdict"] for case in found["implementations"][0]["cases"]} >= {"unstable"}
    pairs = [case["pair"] for case in found["implementations"][0]["cases"] if "pair" in case]
    assert len({pair["with"]["odd"] for pair in pairs}) == 1
    assert all(pair["call"]["id"].startswith("edge.basics.") for pair in pairs)
    assert {(pair["alone"], pair["together"]) for pair in pairs} == {("0.5", "0.25")}
