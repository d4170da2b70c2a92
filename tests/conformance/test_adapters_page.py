"""The page about adapters: every example on it runs, and every option it names is there."""

import re
from pathlib import Path

import pytest
import wheels
from campaign import in_campaign
from rankspec.conformance.worker.shapes import Shape

PAGE = (Path(__file__).parent.parent.parent / "docs" / "adapters.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
MYLIB = """
def ap_of_ranking(relevance, total, cutoff=None):
    places = [rank for rank, label in enumerate(relevance[:cutoff], 1) if label]
    return sum(i / rank for i, rank in enumerate(places, 1)) / total if places else 0.0


def ap_of_scores(labels, scores):
    ranked = [labels[place] for place in sorted(range(len(labels)), key=lambda place: -scores[place])]
    return ap_of_ranking(ranked, sum(ranked))


def ap_of_ids(actual, predicted, k):
    return ap_of_ranking([each in actual for each in predicted], len(actual), k)


def evaluate(qrels, run, cutoff=None, level=1):
    values = {}
    for query, grades in qrels.items():
        ranked = sorted(run.get(query, {}), key=lambda docno: -run[query][docno])
        labels = [grades.get(docno, -1) >= level for docno in ranked]
        values[query] = ap_of_ranking(labels, sum(grade >= level for grade in grades.values()), cutoff)
    return values


def evaluate_files(qrels_path, run_path):
    qrels, run = {}, {}
    for line in open(qrels_path):
        query, _, docno, grade = line.split()
        qrels.setdefault(query, {})[docno] = int(grade)
    for line in open(run_path):
        query, _, docno, _, score, _ = line.split()
        run.setdefault(query, {})[docno] = float(score)
    return evaluate(qrels, run)


def map_of_lists(actual, predicted, k):
    values = [ap_of_ids(each, listed[:k], k) for each, listed in zip(actual, predicted)]
    return sum(values) / len(values)


def ap_of_rows(labels, scores):
    return [ap_of_scores(list(row), list(listed)) for row, listed in zip(labels, scores)]


def evaluate_frames(qrels, run):
    graded, scored = {}, {}
    for frame, found in ((qrels, graded), (run, scored)):
        for query, docno, value in frame.itertuples(index=False):
            found.setdefault(query, {})[docno] = value
    return evaluate(graded, scored)
"""


@pytest.mark.parametrize("shape", in_campaign([shape.value for shape in Shape], but=["qrels-run"], ids=str))
def test_the_example_of_each_shape_runs(shape, tmp_path, monkeypatch, rankspec):
    if shape == "frames":
        pytest.importorskip("pandas", reason="pandas comes with ranx")
    (example,) = [text for text in EXAMPLES if f'shape="{shape}"' in text]
    wheels.unpacked(tmp_path, wheels.distribution("mylib", "1.5", {"mylib.py": MYLIB}))
    (tmp_path / "mylib_adapter.py").write_text(example, encoding="utf-8")
    checked = rankspec("check", f"{tmp_path}/mylib_adapter.py:ADAPTER", "--json", "--cases", "edge.basics.*")
    (said,) = checked.json["implementations"]
    called = "actual-predicted" if shape == "predicted-actual" else shape  # the same call, its arguments swapped
    assert (said["version"], said["shape"]) == ("1.5", called)
    assert said["asked"] > 5
