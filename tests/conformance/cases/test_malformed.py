"""Malformed fixtures: each gives one line that names file, line and case."""

from functools import cache

import pytest
from rankspec.conformance.cases.catalogue import load_cases, load_shipped
from rankspec.conformance.cases.clauses import CLAUSES_FILE, collect_clauses
from rankspec.conformance.cases.files import lint as linting
from rankspec.conformance.cases.files.lint import lint
from rankspec.conformance.cases.files.shipped_files import shipped_folder
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

MALFORMED = {
    "duplicate-key": (GOOD + "  verdict: derived\n", "key-repeated", "'verdict'", 10),
    "bare-decimal": (GOOD.replace('"5/6"', "0.8333"), "decimal-unquoted", "0.8333", 7),
    "bare-fraction": (GOOD.replace('"5/6"', "5/6"), "decimal-unquoted", "5/6", 7),
    "unknown-key": (GOOD + "  colour: red\n", "schema-violated", "colour"),
    "missing-key": (GOOD.replace("  measure: AP\n", ""), "schema-violated", "'measure'"),
    "missing-id": (GOOD.replace("- id: edge.test.one\n  clause", "- clause"), "schema-violated", "'id'", 3, "no id"),
    "bad-id": (GOOD.replace("edge.test.one", "Edge Test"), "schema-violated", "'Edge Test'", 3, "Edge Test"),
    "unknown-verdict": (GOOD.replace("derived", "probably"), "schema-violated", "'probably'", 8),
    "label-that-is-text": (GOOD.replace("[1, 0, 1]", "[1, x, 1]"), "schema-violated", "'x'", 6),
    "unknown-convention": (GOOD + "  convention: trec\n", "unknown-convention", "'trec'"),
    "unknown-axis": (GOOD + "  convention: default[tie=x]\n", "unknown-axis", "'tie'"),
    "unknown-axis-value": (GOOD + "  convention: default[ties=x]\n", "unknown-axis-value", "ties=x"),
    "num_relevant-below-hits": (
        GOOD.replace("num_relevant: 2", "num_relevant: 1"),
        "num-relevant-too-low",
        "num_relevant=1",
    ),
    "a-short-form-of-too-much": (GOOD.replace("[1, 0, 1]", "[1, 0 x 100001]"), "beyond-limit", "'0 x 100001'"),
    "lists-of-two-lengths": (
        GOOD.replace("relevance: [1, 0, 1], num_relevant: 2", "labels: [1, 0], scores: [1]"),
        "lengths-differ",
        "1 scores",
    ),
}
"""What stands there, the code, the token; the line and the case, where these are not 3 and `edge.test.one`."""
SENSELESS = {
    "unknown-measure": (GOOD.replace("measure: AP", "measure: APX"), "unknown-measure", "'APX'"),
    "another-name-of-a-measure": (GOOD.replace("measure: AP", "measure: MAP"), "measure-by-other-name", "MAP"),
    "senseless-combination": (
        GOOD + "  convention: default[denominator=cutoff]\n",
        "meaningless-combination",
        "denominator=cutoff",
    ),
    "unknown-clause": (GOOD.replace("ap.denominator.relevant", "ap.no-such"), "unknown-clause", "'ap.no-such'"),
    "another-exact-value": (GOOD.replace("5/6", "4/6"), "value-not-in-lowest-terms", "2/3"),
    "a-wrong-exact-value": (GOOD.replace("5/6", "2/3"), "value-wrong", "5/6"),
    "no-exact-value": (GOOD.replace("5/6", "five"), "value-not-exact", "'five'"),
    "an-exact-value-that-would-run": (GOOD.replace("5/6", "__import__(chr(111))"), "value-not-exact", "chr"),
    "compared-with-a-run-that-is-not-there": (GOOD + "  quantity: p-randomization@b\n", "value-not-computable", "'b'"),
    "holds-without-a-claim": (GOOD + "  holds: true\n", "field-not-taken", "`holds`"),
    "a-quote-by-hand": (GOOD + "  quote: x\n", "source-without-document", "hand"),
    "confirmed-wrongly": (GOOD.replace("derived", "confirmed") + '  printed: "0.84"\n', "verdict-wrong", "0.84"),
    "an-erratum-that-is-none": (
        GOOD.replace("derived", "erratum") + '  printed: "0.83"\n  correction: none\n',
        "verdict-wrong",
        "0.83",
    ),
    "printed-in-words": (GOOD.replace("derived", "confirmed") + "  printed: about\n", "number-not-printed", "'about'"),
}


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


@pytest.mark.parametrize("fault", MALFORMED)
def test_a_malformed_case_is_refused_in_one_line(tmp_path, fault):
    text, code, token, *where = MALFORMED[fault]
    line, case = [*where, *(3, "edge.test.one")[len(where) :]]
    path = written(tmp_path, HEAD + text)
    with refused(code, f"{path}:{line}: ", case, token) as error:
        load_cases([path])
    (finding,) = lint([path])
    assert error.value.findings == (str(finding),)
    assert finding.code == code
    assert not finding.unreadable


@pytest.mark.parametrize("fault", SENSELESS)
def test_lint_sees_what_the_schema_does_not(tmp_path, fault):
    text, code, token = SENSELESS[fault]
    path = written(tmp_path, HEAD + text)
    said = {finding.code: str(finding) for finding in lint([path])}
    assert said[code].startswith(f"{path}:3: edge.test.one: ")
    assert token in said[code]


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


@pytest.mark.parametrize("fault", ["bare-decimal", "missing-key", "unknown-axis", "label-that-is-text"])
def test_shipped_files_are_read_without_the_schema_which_still_says_what_is_wrong(fault, tmp_path):
    sound, faulty = tmp_path / "sound.yaml", tmp_path / "faulty.yaml"
    sound.write_text(HEAD + GOOD)
    faulty.write_text(HEAD + MALFORMED[fault][0])
    (case,) = load_shipped([sound])
    assert case == load_cases([sound])[0]
    with refused(MALFORMED[fault][1], "faulty.yaml", MALFORMED[fault][2]):
        load_shipped([sound, faulty])
