"""Malformed files of cases, each with a line that names the place; and the ledger: what a case demands is pinned."""

import json
import shutil
from dataclasses import replace
from functools import cache

import pytest
from golden_pages import FILES
from rankspec.conformance.cases.case import Alternative
from rankspec.conformance.cases.catalogue import CLAUSES_FILE, collect_clauses, load_cases, load_shipped, shipped_cases
from rankspec.conformance.cases.files import lint as linting
from rankspec.conformance.cases.files.ledger import content_hash, write_ledger
from rankspec.conformance.cases.files.lint import lint
from rankspec.conformance.cases.files.on_disk import FOLDERS, shipped_folder
from rankspec.conformance.cases.inputs import case_input
from rankspec.oracle.errors import UserError
from refusals import refused


@pytest.fixture(autouse=True, scope="module")
def shipped_clauses_are_read_once():
    """Let each lint of a file have the clauses that are shipped, which take a tenth of a second to read."""
    read = cache(collect_clauses)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linting, "collect_clauses", lambda path: (read if path == SHIPPED else collect_clauses)(path))
        yield


SHIPPED = shipped_folder() / CLAUSES_FILE
HEAD = "document: hand\ncases:\n"
GOOD = """- id: edge.test.one
  clause: ap.denominator.relevant
  measure: AP
  input: {relevance: [1, 0, 1], num_relevant: 2}
  exact: "5/6"
  verdict: derived
  why: (1 + 2/3)/2
"""

FAULTS = sorted((FILES / "faults").iterdir())
"""A file a fault, named by its code: what is said of each stands on the page of `fixtures`."""


def written(folder, text, name="cases.yaml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_wrong_with_an_exact_value_is_said_once(tmp_path):
    text = GOOD.replace("derived", "confirmed").replace("5/6", "printed") + '  printed: "0.83"\n'
    said = [finding.code for finding in lint([written(tmp_path, HEAD + text)])]
    assert said.count("value-not-exact") == 1


def test_the_good_case_is_good(tmp_path):
    assert lint([written(tmp_path, HEAD + GOOD)]) == []


def loaded(path):
    """Return what the refusal of a file has to say, if it is one."""
    try:
        load_cases([path])
    except UserError as error:
        return error.code, error.findings
    return None


def test_what_is_refused_is_refused_as_lint_says():
    """What the schema says of a case, in one line; all else is for lint alone."""
    refusals = 0
    for path in FAULTS:
        found = lint([path])
        assert path.name.partition(".")[0] in {each.code for each in found}, path
        assert not any(each.unreadable for each in found)
        if (refusal := loaded(path)) is not None:
            assert refusal == (found[0].code, tuple(map(str, found))), path
            refusals += 1
    assert (refusals, len(FAULTS)) == (24, 38)


def test_a_documents_case_says_where_it_stands(tmp_path):
    path = written(tmp_path, HEAD.replace("hand", "004.txt") + GOOD)
    (finding,) = lint([path])
    assert (finding.code, finding.line) == ("source-missing", 3)


def test_an_id_that_stands_in_two_files_is_refused(tmp_path):
    first, second = written(tmp_path, HEAD + GOOD, "a.yaml"), written(tmp_path, HEAD + "\n" + GOOD, "b.yaml")
    (finding,) = lint([first, second])
    assert (finding.code, finding.path, finding.line, finding.case) == ("id-repeated", second, 4, "edge.test.one")
    assert "a.yaml:3" in finding.message


@pytest.mark.parametrize(
    ("content", "line", "code"),
    [
        (b"", None, "file-empty"),
        (b"cases: [1\n", 2, "not-yaml"),
        (b"\x00\xff\xfe", None, "file-not-utf-8"),
        (b"document: hand\ncases:\n\t- id: x\n", 3, "not-yaml"),
        (b"&a [*a]\n", None, "nested-too-deeply"),
        (b"document: " + b"[" * 100_000, 1, "beyond-limit"),  # libyaml's own stack overflows
        (b"document: " + b"[[]," * 100_000, 1, "beyond-limit"),
        (b"cases:\n" + b"- " * 100_000, 2, "beyond-limit"),
        (b"cases:\n" + b"".join(b" " * depth + b"a:\n" for depth in range(300)), 102, "beyond-limit"),
        (
            b"a0: &a0 [x, x, x, x, x, x]\n"
            + b"".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n".encode() for n in range(1, 9)),
            6,
            "beyond-limit",
        ),
    ],
)
def test_what_cannot_be_read_is_unreadable(tmp_path, content, line, code):
    path = tmp_path / "cases.yaml"
    path.write_bytes(content)
    (finding,) = lint([path])
    assert finding.unreadable
    assert finding.code == code
    assert str(finding).startswith(f"{path}: " if line is None else f"{path}:{line}: ")


def test_a_missing_file_and_an_empty_folder_are_unreadable(tmp_path):
    findings = lint([tmp_path / "none.yaml", tmp_path])
    assert [finding.unreadable for finding in findings] == [True, True]
    assert (findings[0].code, findings[0].path) == ("file-unreadable", tmp_path / "none.yaml")
    assert "No such" in findings[0].message


@pytest.mark.parametrize("text", ["- id: x\n", "document: hand\n", HEAD + "  []\n", "document: 3\ncases: 4\n"])
def test_a_file_of_another_form_is_refused(tmp_path, text):
    findings = lint([written(tmp_path, text)])
    assert findings
    assert not any(finding.unreadable for finding in findings)


@pytest.mark.parametrize(
    ("fault", "code", "token"),
    [
        ("decimal-unquoted.bare-decimal", "decimal-unquoted", "0.8333"),
        ("schema-violated.missing-key", "schema-violated", "'measure'"),
        ("unknown-axis.unknown-axis", "unknown-axis", "'tie'"),
        ("schema-violated.label-that-is-text", "schema-violated", "'x'"),
    ],
)
def test_shipped_files_are_read_without_the_schema_which_still_says_what_is_wrong(fault, code, token, tmp_path):
    sound, faulty = tmp_path / "sound.yaml", FILES / f"faults/{fault}.yaml"
    sound.write_text(HEAD + GOOD)
    (case,) = load_shipped([sound])
    assert case == load_cases([sound])[0]
    with refused(code, faulty.name, token):
        load_shipped([sound, faulty])


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
