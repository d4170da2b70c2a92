"""The ledger: whatever a case demands is pinned, its wording is not."""

import json
import shutil
from dataclasses import replace

import pytest
from rankspec.conformance.cases.case import Alternative
from rankspec.conformance.cases.catalogue import load_cases, shipped_cases
from rankspec.conformance.cases.files.ledger import content_hash, write_ledger
from rankspec.conformance.cases.files.lint import lint
from rankspec.conformance.cases.files.shipped_files import FOLDERS, shipped_folder
from rankspec.conformance.cases.inputs import case_input

CASE = next(case for case in shipped_cases() if case.id == "doc001.map")


@pytest.fixture
def fixture_set(tmp_path):
    """Return a folder with a copy of one shipped file, pinned."""
    root = tmp_path / "fixtures"
    (root / FOLDERS[1]).mkdir(parents=True)
    shutil.copy(shipped_folder() / "clauses.yaml", root)
    shutil.copy(shipped_folder() / "edge" / "depth.yaml", root / "edge")
    write_ledger(root / "ledger.json", load_cases([root / "edge" / "depth.yaml"]))
    return root


def test_a_set_as_it_was_pinned_has_no_finding(fixture_set):
    assert lint([fixture_set]) == []


@pytest.mark.campaign
def test_shipped_fixtures_have_no_finding():
    assert [str(finding) for finding in lint()] == []


def test_every_shipped_case_is_what_was_proved_when_it_was_pinned():
    """Numbers that documents print, other readings, what breaks behind a size: none is another one since."""
    pinned = json.loads((shipped_folder() / "ledger.json").read_text(encoding="utf-8"))["cases"]
    assert {case.id: content_hash(case) for case in shipped_cases()} == pinned


@pytest.mark.parametrize(
    "change",
    [
        {"measure": "AP@3"},
        {"quantity": "hits"},
        {"convention": "kaggle"},
        {"input": case_input({"relevance": [1]})},
        {"exact": "1"},
        {"printed": "0.79"},
        {"verdict": "erratum"},
        {"holds": True},
        {"alternatives": (Alternative("1", "x"),)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_a_case_demands_is_hashed(change):
    assert content_hash(replace(CASE, **change)) != content_hash(CASE)  # type: ignore[arg-type]


@pytest.mark.parametrize("change", [{"why": "x"}, {"quote": "x"}, {"line": 1}, {"statement": "x"}, {"clause": "x"}])
def test_wording_is_not_hashed(change):
    assert content_hash(replace(CASE, **change)) == content_hash(CASE)  # type: ignore[arg-type]


def test_a_changed_case_is_found(fixture_set):
    path = fixture_set / "edge" / "depth.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("depth=", "ties=expected, depth=", 1), encoding="utf-8")
    (finding,) = (finding for finding in lint([fixture_set]) if finding.code == "case-changed")
    assert finding.path == path
    assert finding.case in finding.message


def test_a_vanished_case_and_an_unpinned_one_are_found(fixture_set):
    path = fixture_set / "edge" / "depth.yaml"
    first = load_cases([path])[0].id
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f"id: {first}\n", "id: edge.depth.renamed\n"), encoding="utf-8")
    gone, new = sorted(lint([fixture_set]), key=lambda finding: finding.case != first)
    assert (gone.case, gone.path.name) == (first, "ledger.json")
    assert f'"{first}"' in gone.path.read_text(encoding="utf-8").splitlines()[(gone.line or 0) - 1]
    assert gone.code == "case-vanished"
    assert (new.case, new.path) == ("edge.depth.renamed", path)
    assert new.code == "case-not-pinned"


@pytest.mark.parametrize(
    ("text", "code"), [("", "not-json"), *((text, "ledger-malformed") for text in ("[]", "{}", '{"cases": {"a": 1}}'))]
)
def test_a_faulty_ledger_is_unreadable(fixture_set, text, code):
    (fixture_set / "ledger.json").write_text(text, encoding="utf-8")
    (finding,) = lint([fixture_set])
    assert (finding.unreadable, finding.code) == (True, code)


def test_pinning_says_what_changed(fixture_set):
    ledger = fixture_set / "ledger.json"
    cases = load_cases([fixture_set / "edge" / "depth.yaml"])
    renamed = [replace(cases[0], id="edge.depth.renamed"), replace(cases[1], exact="1/7"), *cases[2:]]
    pinning = write_ledger(ledger, renamed)
    assert pinning.added == ("edge.depth.renamed",)
    assert (pinning.changed, pinning.dropped) == ((cases[1].id,), (cases[0].id,))
    assert list(json.loads(ledger.read_text(encoding="utf-8"))["cases"]) == sorted(case.id for case in renamed)
