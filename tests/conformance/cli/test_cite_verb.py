"""`rankspec cite`: the sentence and the entry, from the record or verified now."""

import json
import re
from importlib.metadata import metadata

import pytest
from rankspec.oracle.language.expression import parse_convention

VERB = "cite"


@pytest.mark.parametrize(
    ("name", "measure"), [("pytrec_eval", "AP"), ("kaggle", "AP"), ("sentence_transformers", "AP@10")]
)
def test_without_a_measure_it_is_ap_or_the_first_that_the_library_has(verb, name, measure):
    assert verb(name, "--recorded", "--json").json["measure"] == measure


def test_by_the_record(verb):
    found = verb("pytrec_eval", "--measure", "AP@10", "--recorded", "--json").json
    assert parse_convention(found["convention"]) == parse_convention("trec_eval-9.0.8")
    assert verb("default[ties=grouped]", "--json").json["convention"] == "default[ties=grouped]"
    status, out, _ = verb("recsys_metrics==0.0.4", "--measure", "nDCG@3", "--recorded", "--json")
    assert (status, json.loads(out)["convention"]) == (1, None)


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
    pytest.importorskip("pytrec_eval")
    version = metadata("pytrec-eval-terrier")["Version"]
    found = json.loads(verb(f"pytrec_eval=={version}", "--measure", "AP@10", "--recorded", "--json")[1])
    assert found["authors"]
    written = [name.replace(">", r"\textgreater{}") for name in found["authors"]]
    assert all(f"{{{name}}}" in found["bibtex"] for name in written)
    assert f"with pytrec-eval-terrier {version} ({', '.join(found['authors'])}), " in found["sentence"]
