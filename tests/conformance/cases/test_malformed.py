"""Malformed fixtures: each gives one line that names file, line and case."""

from functools import cache

import pytest
from golden_pages import FILES
from rankspec.conformance.cases.catalogue import load_cases, load_shipped
from rankspec.conformance.cases.clauses import CLAUSES_FILE, collect_clauses
from rankspec.conformance.cases.files import lint as linting
from rankspec.conformance.cases.files.lint import lint
from rankspec.conformance.cases.files.shipped_files import shipped_folder
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
    assert (refusals, len(FAULTS)) == (15, 29)


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
