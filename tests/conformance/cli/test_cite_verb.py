"""`rankspec cite`: the sentence and the entry, from the record or verified now."""

from __future__ import annotations

import json
import re
from importlib.metadata import metadata

import pytest
from rankspec.oracle.language.expression import parse_convention

VERB = "cite"


def test_by_the_record(verb):
    status, out, _ = verb("pytrec_eval", "--measure", "AP@10", "--recorded")
    assert status == 0
    assert out.startswith("AP@10 was computed with pytrec-eval-terrier 0.5.11")
    assert (
        ": over R, unjudged documents not relevant, negative grades"
        " unjudged, scores compared in single precision, ties by descending docno, queries missing from the run left"
        " out, queries without relevant documents scored 0; not shown by the call: duplicates, empty_mean,"
        " aggregate, geometric_zero."
        " By rankspec's names it is AP@10 under trec_eval-9.0.8 (measured on " in out
    )
    assert "@software{pytrecevalterrier,\n" in out
    assert "  version = {0.5.11},\n" in out


@pytest.mark.parametrize(
    ("name", "measure"), [("pytrec_eval", "AP"), ("kaggle", "AP"), ("sentence_transformers", "AP@10")]
)
def test_without_a_measure_it_is_ap_or_the_first_that_the_library_has(verb, name, measure):
    status, out, _ = verb(name, "--recorded")
    assert status == 0
    assert re.match(rf"{measure} (was computed with|over) ", out)


def test_a_convention_is_stated_in_words(verb):
    status, out, _ = verb("kaggle", "--measure", "AP@10")
    assert status == 0
    assert out.startswith("AP@10 over min(R, k), ")
    assert "it is AP@10 under kaggle. kaggle: " in out
    assert "\n\n@software{rankspec,\n" in out
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
    status, out, _ = verb("recsys_metrics==0.0.4", "--measure", "nDCG@3", "--recorded")
    assert status == 1
    assert "which no convention explains in every case; the nearest is nDCG@3 under default (" in out


def test_a_function_of_ones_own_is_identified(verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(
        "def ap(relevance, num_relevant):\n"
        "    hits = [sum(relevance[: n + 1]) / (n + 1) for n, label in enumerate(relevance) if label]\n"
        "    return sum(hits) / num_relevant if num_relevant else 0.0\n"
    )
    status, out, _ = verb("own.py:ap")
    assert status == 0
    assert out.startswith("AP over R, queries without relevant documents scored 0")
    assert "it is AP under default (identified by " in out
    assert "note = {AP under default}," in out


FIELD = re.compile(r"  [a-z]+ = \{((?:[^{}\\]|\\[a-z]+\{\}|\\.|\{(?:[^{}\\]|\\.)*\})*)\},")


@pytest.mark.parametrize(
    "arguments",
    [
        ("ranx", "--measure", "AP@10", "--recorded"),
        ("kaggle", "--measure", "AP@10"),
        ("default", "--measure", "nDCG(gains={0: 0, 2: 3})@5"),
        ("recommenders==1.2.1", "--measure", "AP@3", "--recorded"),
    ],
)
def test_the_entry_is_bibtex(verb, arguments):
    entry = json.loads(verb(*arguments, "--json")[1])["bibtex"]
    first, *fields, last = entry.splitlines()
    assert re.fullmatch(r"@software\{[a-z0-9]+,", first)
    assert last == "}"
    for field in fields:
        assert FIELD.fullmatch(field), field
        assert not re.search(r"(?<!\\)[_&%#$^~]", field) or field.startswith("  url")
    assert not [field for field in fields if field.startswith("  year")]  # no metadata has one


def test_authors_are_those_of_the_installed_version(verb):
    version = metadata("pytrec-eval-terrier")["Version"]
    found = json.loads(verb(f"pytrec_eval=={version}", "--measure", "AP@10", "--recorded", "--json")[1])
    assert found["authors"]
    assert all(f"{{{name}}}" in found["bibtex"] for name in found["authors"])
    assert f"with pytrec-eval-terrier {version} ({', '.join(found['authors'])}): " in found["sentence"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nosuch", "--measure", "AP"), "no such library"),
        (("elliot", "--measure", "AP"), "was not measured"),
        (("sklearn", "--measure", "Bpref"), "Bpref was not measured"),
        (("nolib",), "nolib: the atlas has no such library"),
    ],
)
def test_one_line_where_the_call_is_at_fault(verb, arguments, says):
    verb(*arguments).assert_one_line(says)
