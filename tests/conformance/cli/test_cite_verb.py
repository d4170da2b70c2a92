"""`rankspec cite`: the sentence and the entry, from the record or verified now."""

from __future__ import annotations

import json

import pytest
from rankspec.oracle.language.expression import parse_convention

VERB = "cite"


def test_by_the_record(verb):
    status, out, _ = verb("pytrec_eval", "--measure", "AP@10", "--recorded")
    assert status == 0
    assert out.startswith(
        "AP@10 was computed with pytrec-eval-terrier 0.5.11: over R, unjudged documents not relevant, negative grades"
        " unjudged, scores compared in single precision, ties by descending docno, queries missing from the run left"
        " out, queries without relevant documents worth 0; not shown by the call: duplicates, aggregate,"
        " geometric_zero."
        " By rankspec's names it is AP@10 under trec_eval-9.0.8 (measured on "
    )
    assert "@software{pytrecevalterrier,\n" in out
    assert "  version = {0.5.11},\n" in out


def test_a_convention_is_stated_in_words(verb):
    status, out, _ = verb("kaggle", "--measure", "AP@10")
    assert status == 0
    assert out.startswith("AP@10 over min(R, k), ")
    assert "it is AP@10 under kaggle.\n\n@software{rankspec,\n" in out
    assert (
        json.loads(verb("default[ties=grouped]", "--measure", "AP", "--json")[1])["convention"]
        == "default[ties=grouped]"
    )


@pytest.mark.campaign
def test_verified_now(verb):
    pytest.importorskip("pytrec_eval")
    status, out, err = verb("pytrec_eval", "--measure", "RR", "--json")
    found = json.loads(out)
    assert (status, found["schema"]) == (0, "rankspec/cite/1")
    assert "verified by rankspec on" in found["verified"]
    assert parse_convention(found["convention"]) == parse_convention("trec_eval-9.0.8")
    assert "asking pytrec_eval" in err


def test_what_no_convention_explains(verb):
    status, out, _ = verb("recommenders==1.2.1", "--measure", "AP@3", "--recorded")
    assert status == 1
    assert "which no convention explains in every case; the nearest is AP@3 under default[denominator=" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nosuch", "--measure", "AP"), "no such library"),
        (("elliot", "--measure", "AP"), "was not measured"),
        (("sklearn", "--measure", "Bpref"), "Bpref was not measured"),
        (("sklearn",), "--measure"),
    ],
)
def test_one_line_where_the_call_is_at_fault(verb, arguments, says):
    status, out, err = verb(*arguments)
    assert (status, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
