"""`rankspec impact`: ranges, pairs that change places and tau, against both conventions scored by the oracle."""

import json

import pytest
from rankspec.oracle.evaluation import evaluate
from rankspec.oracle.language.expression import parse_convention, parse_measure
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 a 1\n2 0 b 0\n"
# Ties first in the file: in the file's order A is perfect; the other way round it is not.
A = "1 Q0 a 1 0.5 t\n1 Q0 b 2 0.5 t\n1 Q0 x 3 0.4 t\n2 Q0 a 1 0.5 t\n2 Q0 b 2 0.5 t\n"
B = "1 Q0 c 1 0.9 t\n1 Q0 x 2 0.8 t\n2 Q0 b 1 0.7 t\n2 Q0 a 2 0.6 t\n"
C = "1 Q0 y 1 0.9 t\n1 Q0 a 2 0.8 t\n"


@pytest.fixture
def verb(rankspec, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels", QRELS), ("a", A), ("b", B), ("c", C)):
        (tmp_path / name).write_text(text, encoding="utf-8")

    def run(*arguments):
        if arguments[:1] == ("bare",):
            return rankspec("impact", *arguments[1:])
        return rankspec("impact", "--qrels", "qrels", "--run", "a", "--run", "b", "--run", "c", *arguments)

    return run


def scored(measure, convention):
    qrels = read_qrels("qrels")
    return {
        name: evaluate(parse_measure(measure), qrels, read_run(name, Repeated.KEPT), parse_convention(convention)).exact
        for name in ("a", "b", "c")
    }


def test_the_query_that_moved_most_by_hand(verb):
    """By descending docno A loses 1/4 of query 1 and 1/2 of query 2; B has no ties."""
    swaps = json.loads(verb("-m", "AP", "--json")[1])["swaps"]
    (swap,) = (each for each in swaps if (each["above"], each["below"]) == ("a", "b"))
    assert swap["under"][0]["changed"] == {"ties": "docno-descending"}
    assert swap["query"] == {"query": "2", "before": [1.0, 0.5], "after": [0.5, 0.5]}


def test_libraries(verb):
    found = json.loads(verb("-m", "AP", "--libraries", "--json")[1])
    assert found["complete"]
    assert any("pytrec_eval 0.5.11" in each["libraries"] for each in found["libraries"])
    effects = {name: each["effect"] for each in found["libraries"] for name in each["libraries"]}
    # pytrec_eval has the greater docno first: b before a in both queries of A, which is 3/8 then, below B's 1/2.
    assert effects["pytrec_eval 0.5.11"] == {"swaps": 1, "tau": "1/3", "largest": 0.375}
    rows = [line.split("\t")[1:] for line in verb("-m", "AP", "--libraries")[1].splitlines()]
    assert ["1", "1/3", "0.3750"] in rows
    texts = {under["convention"] for swap in found["swaps"] for under in swap["under"]}
    assert texts <= {each["convention"] for each in found["libraries"]}


@pytest.mark.parametrize(("runs", "is_there"), [(("a", "b"), False), (("b", "c"), True)])
def test_a_library_whose_ties_have_no_order_is_left_out_only_where_there_are_ties(verb, runs, is_there):
    """ranx sorts tied documents in no fixed order; A has some, B and C have none."""
    first, second = runs
    out = verb("bare", "--qrels", "qrels", "--run", first, "--run", second, "-m", "AP", "--libraries", "--json")[1]
    names = {name for each in json.loads(out)["libraries"] for name in each["libraries"]}
    assert ("ranx 0.3.21" in names) is is_there
