"""The verbs of `rankspec fixtures`: what they print, and with which exit status."""

import json

import pytest
from rankspec.conformance.cases.catalogue import shipped_cases

FIELDS = ["id", "document", "line", "quote", "clause", "measure", "quantity", "input", "convention", "exact"]
FIELDS += ["alternatives", "printed", "verdict", "holds"]

VERB = "fixtures"


def answer(verb, *arguments):
    _, out, _ = verb(*arguments, "--json")
    return json.loads(out)


def test_list_names_every_case_in_a_line_of_its_own(verb):
    status, out, _ = verb("list")
    assert status == 0
    first_words = [line.split("\t")[0] for line in out.splitlines()]
    assert {case.id for case in shipped_cases()} <= set(first_words)
    assert not any(line.endswith(" ") for line in out.splitlines())


def test_list_as_json_follows_the_contract(verb):
    listed = answer(verb, "list")
    assert listed["schema"] == "rankspec/fixtures-list/1"
    assert [case["id"] for case in listed["cases"]] == [case.id for case in shipped_cases()]
    assert all(list(case) == FIELDS for case in listed["cases"])


@pytest.mark.campaign
def test_every_case_can_be_shown(verb):
    shown = {case.id: verb("show", case.id) for case in shipped_cases()}
    assert len(shown) > 3000
    assert [name for name, ended in shown.items() if ended.status or not ended.out.startswith(f"{name}\n")] == []


@pytest.mark.campaign
def test_errata_say_what_is_true_and_what_the_search_found(verb):
    documents = answer(verb, "errata")["documents"]
    assert len(documents) == 5
    errata = {erratum["id"]: erratum for document in documents for erratum in document["errata"]}
    assert set(errata) == {case.id for case in shipped_cases() if case.verdict == "erratum"}
    assert errata["doc003.code.output-q1"]["search"]["matches"] == []
    claims = {claim["id"] for document in documents for claim in document["claims"]}
    assert claims == {case.id for case in shipped_cases() if case.holds is False and case.has_source}
