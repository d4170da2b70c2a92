"""`rankspec witness`: what it prints, its JSON, its exit statuses."""

from __future__ import annotations

import json

import pytest


def test_json(rankspec):
    status, out, _ = rankspec("witness", "default[ties=grouped]", "default", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["schema"] == "rankspec/witness/1"
    assert found["status"] == "separated"
    assert found["input"] == {"labels": [1, 0], "scores": [1, 1]}
    assert found["values"] == {"A": "1/2", "B": "1"}
    assert found["axes"] == ["ties"]
    assert found["bound"] == 1
    assert found["stored"] is True


def test_equivalent_conventions(rankspec):
    names = ("default[denominator=length]", "default[denominator=min-cutoff-length]")
    status, out, _ = rankspec("witness", *names, "--measure", "AP@3", "--json")
    found = json.loads(out)
    assert (status, found["status"], found["input"], found["values"]) == (0, "equivalent", None, None)
    assert found["bound"] >= 10


def test_for_a_person(rankspec):
    status, out, _ = rankspec("witness", "kaggle", "default", "--measure", "AP@2")
    assert status == 0
    assert "the smallest input on which they differ: 1 document, 3 relevant" in out
    assert "1/2 = 0.5" in out
    assert "1/3 = 0.3333333333" in out
    assert "axis denominator: A min-relevant-cutoff, B relevant" in out
    assert "rankspec explain --relevance 1 --num-relevant 3 --measure AP@2 --under kaggle --under default" in out


def test_files_in_the_line_that_reproduces_it(rankspec):
    _, out, _ = rankspec("witness", "trec_eval-9.0.8", "trec_eval-9.0.8[missing_query=zero]")
    assert r"--qrels <(printf 'q1 0 a 1\nq2 0 a 0\n') --run <(printf 'q1 Q0 a 1 1 witness\n')" in out


def test_an_infinitely_equal_pair_says_so(rankspec):
    _, out, _ = rankspec("witness", "default[tap_ties=dropped]", "default", "--measure", "AP")
    assert "equal: AP depends on nothing on which they differ" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing", "default"), "neither a convention nor an implementation"),
        (("kaggle", "default", "--measure", "AP"), "needs a cutoff"),
        (("default", "default[ties=x]"), "unknown value ties=x"),
        (("default", "kaggle", "--measure", "XYZ"), "unknown measure"),
        (("missing.py:f", "default"), "does not exist"),
    ],
)
def test_mistakes_are_one_line(rankspec, arguments, message):
    rankspec("witness", *arguments).assert_one_line(message)
