"""`why`, `witness`, `resolve` and `compare`: what words are taken for, progress, saved cases, engines."""

import json
import sys
from importlib import import_module

import pytest
from campaign import one_in
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.run import progress_bars
from rankspec.conformance.verbs.words import Kind, read_word
from rankspec.oracle.scoring import evaluator
from run_files import random_files


def told(rankspec, *words):
    ended = rankspec("why", *map(str, words), "--json")
    return ended.status, json.loads(ended.out)


RANKED = ("1,0,1,1,0,0,1,0,0,0", "--num-relevant", "5")


def test_a_number_may_have_a_decimal_comma(rankspec):
    # (1 + 2/3 + 3/4 + 4/7) / 5 = 251/420
    status, found = told(rankspec, "0,598", *RANKED)
    assert (status, found["verb"]) == (0, ["resolve", "--value", "0.598", "--relevance", *RANKED])
    assert found["found"]["explanations"][0]["exact"] == "251/420"


def test_a_library_by_what_is_recorded(rankspec):
    status, found = told(rankspec, "sklearn")
    assert (status, found["verb"]) == (0, ["atlas", "sklearn"])
    assert {each["library"] for each in found["found"]["records"]} == {"scikit-learn"}


@pytest.mark.parametrize("word", ["sklearn", "MAP"])
def test_no_verb_is_needed(rankspec, word):
    assert rankspec(word) == rankspec("why", word)


@pytest.mark.parametrize("words", [("1/2", "0,1", "RR"), ("RR", "1/2", "0,1"), ("1/2", "0,1", "-m", "RR")])
def test_a_measure_may_stand_among_the_words(rankspec, words):
    status, found = told(rankspec, *words)
    assert (status, found["found"]["explanations"][0]["exact"]) == (0, "1/2")
    assert found["verb"][-2:] == ["--measure", "RR"]


@pytest.mark.parametrize(("word", "name"), [("map@10", "AP"), ("MAP", "AP"), ("kaggle", "kaggle")])
def test_a_measure_or_a_convention_alone(rankspec, word, name):
    assert told(rankspec, word)[1]["found"]["name"] == name


def test_a_library_that_no_adapter_asks_is_the_convention_recorded_of_it(rankspec):
    # A run without a query of the qrels: 10.0 ends without a mean, 9.0.8 leaves the query out.
    status, found = told(rankspec, "trec_eval", "trec_eval==9.0.8")
    assert (status, found["found"]["values"]["A"]) == (0, "error")


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (("1.585", "31,32", "nDCG@2"), "31,32"),
        (("1.0", "1", "nDCG@5", "--num-relevant", "5"), "1"),
        (("0.5", "0,1", "RR"), "0,1"),
    ],
)
def test_where_a_number_stands_already_a_list_is_a_list(rankspec, words, labels):
    found = told(rankspec, *words)[1]
    assert (found["taken_for"][labels], found["taken_for"][words[0]]) == ("labels", "number")


def test_a_library_is_one_by_the_name_that_pip_knows_and_at_a_version():
    names = {(each.library, each.version) for each in shipped_records() if each.version is not None}
    words = {word for library, version in names for word in (library, f"{library}=={version}")}
    # Which is the name of a measure, too.
    others = {word for word in words if read_word(word).kind is not Kind.LIBRARY}
    assert others == {"mean-average-precision"}
    assert read_word("scikit-learn").text == "sklearn"
    assert read_word("torch-geometric==2.7.0").text == "torch_geometric==2.7.0"


OVER_ONE_MORE = """
def f(relevance, num_relevant, k=None):
    places = [rank for rank, label in enumerate(relevance[:k], 1) if label]
    return sum(i / rank for i, rank in enumerate(places, 1)) / (num_relevant + 1)
"""


@pytest.mark.campaign
def test_what_identify_finds_is_replayed(rankspec, written, tmp_path):
    file, function = tmp_path / "found.yaml", written(OVER_ONE_MORE)
    assert rankspec("identify", function, "--measure", "AP@3", "--save", file).status == 0
    assert rankspec("fixtures", "lint", file).status == 0
    ended = rankspec("check", function, "--measure", "AP@3", "--fixtures", file, "--json")
    (case,) = json.loads(ended.out)["implementations"][0]["cases"]
    assert (ended.status, case["id"], case["verdict"], case["value"], case["exact"]) == (
        *(1, "saved.identify", "wrong"),
        *(0.5, "1"),
    )


LISTED = ["--relevance", "1,0,1,1,0,0,1,0,0,0", "--num-relevant", "5"]


@pytest.mark.parametrize("looking", [True, False])
def test_somebody_who_looks_sees_that_it_goes_on(rankspec, monkeypatch, looking):
    shown = []
    of_library = vars(progress_bars)["_bars"]
    monkeypatch.setattr(progress_bars, "_bars", lambda **given: shown.append(given) or of_library(**given))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: looking)
    assert rankspec("resolve", "--value", "0.598", *LISTED)[0] == 0
    assert bool(shown) == looking


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
    monkeypatch.setattr(evaluator, "SMALL_BYTES", small)
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
            monkeypatch.setattr(evaluator, "SMALL_BYTES", small)
            answers.append(rankspec(*words))
        assert answers[0] == answers[1]
        compared += answers[0].status == 0
    assert compared


def test_engines_spare_the_reader(rankspec, files, monkeypatch):
    module = import_module("rankspec.conformance.verbs.score")
    monkeypatch.setattr(evaluator, "SMALL_BYTES", -1)
    monkeypatch.setattr(module, "read_run", None)
    assert compare(rankspec, "a.run", "b.run", "-m", "nDCG").status == 0
