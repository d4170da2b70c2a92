"""`score`, `explain` and `resolve` on verdicts and on detections: values, the convention of classes, refusals."""

import json

import pytest
import rankspec
from rankspec.oracle.conventions.profiles import PROFILES

FOUND = "class,score,matched,ground_truths\ncat,0.9,TP,3\ncat,0.8,FP,3\ncat,0.7,TP,3\ndog,0.9,FP,2\ndog,0.6,TP,2\n"
ONE = {"ground_truths": 3, "detections": [("0.9", True), ("0.8", False), ("0.7", True)]}


@pytest.fixture
def run(tmp_path, rankspec, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "found.csv").write_text(FOUND)
    (tmp_path / "verdicts.json").write_text('{"q1": [1, 0, 1], "q2": [0, 1]}')
    return rankspec


@pytest.mark.parametrize(
    ("under", "cat", "dog", "mean"),
    [
        # cat: 34 levels up to 1/3 at 1, 33 up to 2/3 at 2/3. dog: 51 levels up to 1/2 at 1/2.
        ("coco", "56/101", "51/202", "163/404"),
        # cat: 4 levels at 1 and 3 at 2/3 (0.6 in doubles still below 2/3). dog: 6 levels at 1/2.
        ("voc2007", "6/11", "3/11", "9/22"),
        # cat: (1 + 2/3) / 3; dog: 1/2 of the recall at 1/2.
        ("voc2010", "5/9", "1/4", "29/72"),
    ],
)
def test_the_mean_over_classes(run, under, cat, dog, mean):
    words = ("score", "--detections", "found.csv", "-m", "mAP", "--under", under, "-q", "--json")
    status, out, _ = run(*words)
    found = json.loads(out)
    assert (status, found["convention"]) == (0, f"{under}-classes")
    assert {name: each["AP"]["exact"] for name, each in found["per_query"].items()} == {"cat": cat, "dog": dog}
    assert found["values"]["AP"]["exact"] == mean
    derived = json.loads(run("explain", *words[1:3], "--query", "cat", "--under", under, "--json")[1])["derivations"][0]
    assert derived["exact"] == cat
    explained = json.loads(run("resolve", "--value", cat, *words[1:3], "--query", "cat", "--json")[1])["explanations"]
    interpolation = str(PROFILES[under].convention.interpolation)
    assert interpolation in {each["axes"]["interpolation"] for each in explained}


def test_verdicts(run):
    out = run("score", "--verdicts", "verdicts.json", "-m", "ContextPrecision", "-m", "SetP", "--exact")[1]
    assert [line for line in out.splitlines() if "\tall\t" in line] == [
        "ContextPrecision\tall\t0.6667\t2/3",
        "SetP\tall\t0.5833\t7/12",
    ]
    assert "7/12" in run("score", "--statements", "verdicts.json", "-m", "ContextRecall", "--exact")[1]
    assert "5/6" in run("explain", "--verdicts", "verdicts.json", "--query", "q1", "--measure", "ContextPrecision")[1]


def test_from_python():
    assert (
        rankspec.explain("AP", under="voc2010", detections=ONE).value
        == rankspec.explain("AP", under="voc2010", relevance=[1, 0, 1], num_relevant=3).value
    )
    assert rankspec.resolve("0.8333", measure="ContextPrecision", verdicts=[1, 0, 1]).status == "explained"
