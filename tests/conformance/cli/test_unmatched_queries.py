"""Queries that only the qrels or only the run have: none in common is refused, some are said in the first line."""

import re

import pytest

QRELS = {"topic0": {"a": 1}, "topic1": {"b": 1}, "topic2": {"c": 1}}
OTHER = {"q0": {"a": 1.0}, "q1": {"b": 1.0}, "q2": {"c": 1.0}}
SOME = {"topic1": {"x": 2.0, "b": 1.0}, "q1": {"b": 1.0}}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    lines = [f"{query} 0 {document} {grade}\n" for query, judged in QRELS.items() for document, grade in judged.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    for name, run in {"other": OTHER, "some": SOME}.items():
        listed = [f"{query} Q0 {each} 1 {score} t\n" for query, docs in run.items() for each, score in docs.items()]
        (tmp_path / name).write_text("".join(listed))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("engine", ["oracle", "stream"])
@pytest.mark.parametrize(
    ("under", "value", "counts"),
    [
        # AP of topic1 is 1/2; three queries are judged.
        ("default", 1 / 6, ["skipped", "scored 0"]),
        ("default[missing_query=skip]", 1 / 2, ["skipped", "skipped"]),
        ("default[unknown_query=zero]", 1 / 8, ["scored 0", "scored 0"]),
    ],
)
def test_some_count_as_the_convention_says(engine, under, value, counts, rankspec):
    words = ["score", "--qrels", "qrels", "--run", "some", "-m", "AP", "--engine", engine, "--under", under]
    assert re.findall(r"\b(skipped|scored 0)\b", rankspec(*words).out.partition("trec_eval")[0]) == counts
    data = rankspec(*words, "--json").json
    assert (data["missing"], data["unknown"], data["values"]["AP"]["float"]) == (2, 1, pytest.approx(value))
