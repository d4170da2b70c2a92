"""Queries that only the qrels or only the run have: none in common is refused, some are said in the first line."""

from __future__ import annotations

import json

import pytest
import rankspec as public
from rankspec.oracle.errors import InputError

QRELS = {"topic0": {"a": 1}, "topic1": {"b": 1}, "topic2": {"c": 1}}
OTHER = {"q0": {"a": 1.0}, "q1": {"b": 1.0}, "q2": {"c": 1.0}}
SOME = {"topic1": {"x": 2.0, "b": 1.0}, "q1": {"b": 1.0}}
SAID = "no query of the run is in the qrels (q0, q1, ... against topic0, topic1, ...)"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch) -> None:
    lines = [f"{query} 0 {document} {grade}\n" for query, judged in QRELS.items() for document, grade in judged.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    for name, run in {"other": OTHER, "some": SOME}.items():
        listed = [f"{query} Q0 {each} 1 {score} t\n" for query, docs in run.items() for each, score in docs.items()]
        (tmp_path / name).write_text("".join(listed))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        ["score", "--qrels", "qrels", "--run", "other", "-m", "AP", "--engine", "oracle"],
        ["score", "--qrels", "qrels", "--run", "other", "-m", "AP", "--engine", "stream"],
        ["score", "--qrels", "qrels", "--run", "other", "--run", "some", "-m", "AP"],
        ["compare", "--qrels", "qrels", "some", "other"],
        ["impact", "--qrels", "qrels", "--run", "some", "--run", "other"],
        ["explain", "--qrels", "qrels", "--run", "other"],
        ["resolve", "--qrels", "qrels", "--run", "other", "--value", "0.5"],
    ],
)
def test_files_without_a_common_query_are_refused(words, rankspec) -> None:
    several = "other: " if "some" in words else ""
    assert rankspec(*words) == (2, "", f"rankspec: {several}{SAID}\n")


def test_so_they_are_from_python() -> None:
    with pytest.raises(InputError) as refused:
        public.evaluate("AP", QRELS, OTHER)
    assert str(refused.value) == SAID


@pytest.mark.parametrize("engine", ["oracle", "stream"])
@pytest.mark.parametrize(
    ("under", "value", "counts"),
    [
        # AP of topic1 is 1/2; three queries are judged.
        ("default", 1 / 6, ("scored 0", "skipped")),
        ("default[missing_query=skip]", 1 / 2, ("skipped", "skipped")),
        ("default[unknown_query=zero]", 1 / 8, ("scored 0", "scored 0")),
    ],
)
def test_some_are_said_in_the_first_line_with_what_they_count_for(engine, under, value, counts, rankspec) -> None:
    words = ["score", "--qrels", "qrels", "--run", "some", "-m", "AP", "--engine", engine, "--under", under]
    code, printed, _ = rankspec(*words)
    first = printed.splitlines()[0]
    assert code == 0
    assert f"2 queries of the qrels missing from the run ({counts[0]})" in first
    assert f"1 query of the run not in the qrels ({counts[1]})" in first
    data = json.loads(rankspec(*words, "--json")[1])
    assert (data["missing"], data["unknown"], data["values"]["AP"]["float"]) == (2, 1, pytest.approx(value))


def test_nothing_is_said_where_all_match(rankspec) -> None:
    (code, printed, _) = rankspec("score", "--qrels", "qrels", "--run", "some", "-m", "AP", "--json")
    assert code == 0
    assert "missing from" not in printed
