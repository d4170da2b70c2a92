"""`rankspec compare`: the JSON contract, and what its options change."""

from importlib import import_module

import pytest
from campaign import one_in
from rankspec.oracle.scoring.engines import choosing
from run_files import random_files


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


RANKS = {
    "a.run": {"q1": 1, "q2": 1, "q3": 2, "q4": 1, "q5": 3},
    "b.run": {"q1": 2, "q2": 3, "q3": 2, "q4": 2, "q5": 1},
    "c.run": {"q1": 2, "q2": 4, "q3": 5},
}
"""Run -> query -> the rank of its only relevant document, so that AP is 1 over it."""


@pytest.fixture
def files(tmp_path):
    qrels = "".join(f"q{place} 0 right 1\nq{place} 0 wrong 0\n" for place in range(1, 6))
    (tmp_path / "qrels.txt").write_text(qrels, encoding="utf-8")
    for name, ranks in RANKS.items():
        lines = [
            f"{query} Q0 {'right' if place == rank else f'd{place}'} {place} {100 - place} {name}\n"
            for query, rank in ranks.items()
            for place in range(1, rank + 1)
        ]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    return tmp_path


def compare(rankspec, *arguments):
    return rankspec("compare", "--qrels", "qrels.txt", *arguments)


# ---- The JSON contract


@pytest.mark.parametrize("small", [0, 1 << 18], ids=["engine", "oracle"])
def test_the_second_column_is_the_subtopic_of_measures_that_need_it(rankspec, files, monkeypatch, small):
    monkeypatch.setattr(choosing, "SMALL_BYTES", small)
    (files / "qrels.txt").write_text("q1 1 right 1\nq1 2 right 1\nq1 3 d1 1\n", encoding="utf-8")
    found = compare(rankspec, "a.run", "b.run", "-m", "StRecall@1", "--json").json["measures"]["StRecall@1"]
    assert {run: value["exact"] for run, value in found["values"].items()} == {"a.run": "2/3", "b.run": "1/3"}


# ---- Engines


@one_in(2)
@pytest.mark.parametrize("under", ["default", "trec_eval-9.0.8", "default[ties=expected]", "default[no_relevant=skip]"])
@pytest.mark.parametrize("output", [["--per-query"], ["--json"]], ids=["text", "json"])
def test_engines_say_what_the_oracle_says(rankspec, tmp_path, monkeypatch, under, output):
    compared = 0
    for seed in range(6):
        qrels, first = random_files(2 * seed, tmp_path)
        _, second = random_files(2 * seed + 1, tmp_path)
        measures = [word for name in ("AP@3", "nDCG@5", "GMAP", "P@5", "RR") for word in ("-m", name)]
        words = ["compare", "--qrels", qrels, first, second, *measures, "--under", under, "--test", "t", *output]
        answers = []
        for small in (10**9, -1):
            monkeypatch.setattr(choosing, "SMALL_BYTES", small)
            answers.append(rankspec(*words))
        assert answers[0] == answers[1]
        compared += answers[0].status == 0
    assert compared


def test_engines_spare_the_reader(rankspec, files, monkeypatch):
    module = import_module("rankspec.conformance.verbs.score")
    monkeypatch.setattr(choosing, "SMALL_BYTES", -1)
    monkeypatch.setattr(module, "read_run", None)
    assert compare(rankspec, "a.run", "b.run", "-m", "nDCG").status == 0
