"""`rankspec why`: what words are taken for, and the answers, whose values are derived by hand."""

import json

import pytest
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.verbs.words import Kind, read_word


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
