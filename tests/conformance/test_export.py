"""The cases as data for other languages: they stand alone, and two runners in other languages agree on them."""

import hashlib
import json
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.exact import parse_exact, same_value
from rankspec.conformance.checks.export import export_cases, exported

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "export"


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=pytest.mark.campaign)])
def cases(request):
    """Return the cases of documents and of two axes, with ties and denominators of every kind; or every shipped one."""
    chosen = ("doc00", "edge.denominator.", "edge.ties.")
    return [case for case in shipped_cases() if request.param == "all" or case.id.startswith(chosen)]


@pytest.fixture(scope="module")
def folder(cases, tmp_path_factory):
    out = tmp_path_factory.mktemp("export")
    export_cases(cases, out, "0.test")
    return out


@pytest.fixture(scope="module")
def records(folder):
    return [json.loads(line) for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.campaign
def test_every_line_is_of_the_schema_and_every_id_stands_once(folder, records):
    validator = Draft202012Validator(json.loads((folder / "case.schema.json").read_text()))
    assert [error.message for record in records for error in validator.iter_errors(record)] == []
    assert len({record["id"] for record in records}) == len(records)


def test_values_are_those_of_the_case_files(records):
    exact = {case.id: case.exact for case in shipped_cases()}
    differ = [each["id"] for each in records if not same(each["expected"]["exact"], exact[each["id"]])]
    assert differ == []


def same(exported_text, written):
    # A single list whose value is skipped has no value: both texts say so.
    undefined = {"nan", "skip", "error"}
    if {exported_text, written} & undefined:
        return exported_text == written
    return same_value(parse_exact(exported_text), parse_exact(written))


def test_the_double_is_the_nearest_and_the_bound_reaches_the_exact_value(records):
    rational = [each["expected"] for each in records if each["expected"]["kind"] == "number"]
    rational = [each for each in rational if set(each["exact"]) <= set("-0123456789/")]
    assert rational
    for each in rational:
        exact = Fraction(each["exact"])
        assert each["double"] == exact.numerator / exact.denominator
        assert abs(Fraction(each["double"]) - exact) <= Fraction(each["bound"]["float64"])


def test_the_manifest_has_the_hash_of_every_file(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    assert {path.name for path in folder.iterdir()} == {*manifest["files"], "manifest.json"}
    for name, entry in manifest["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == entry["sha256"]


@pytest.mark.campaign
def test_it_is_the_same_every_time(cases, records):
    assert json.loads(json.dumps(list(exported(cases)))) == records


def test_what_asks_for_no_value_is_left_out():
    cases = {case.id: case for case in shipped_cases()}
    part = next(case for case in cases.values() if case.quantity != "value")
    assert list(exported([part])) == []


def run(command, folder):
    return subprocess.run([*command, folder], capture_output=True, text=True, check=False)


RUNNERS = {"node": ["node", EXAMPLES / "run.mjs"], "java": ["java", EXAMPLES / "RunCases.java"]}


@pytest.mark.campaign
@pytest.mark.parametrize("program", RUNNERS)
def test_a_runner_in_another_language_passes(program, folder):
    if shutil.which(program) is None:
        pytest.skip(program)
    done = run(RUNNERS[program], folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"\b0 failed\b", done.stdout)


@pytest.mark.campaign
@pytest.mark.parametrize("program", RUNNERS)
def test_a_runner_refuses_files_of_another_form(program, tmp_path):
    if shutil.which(program) is None:
        pytest.skip(program)
    (tmp_path / "manifest.json").write_text('{"schema": "rankspec/export/99"}')
    assert run(RUNNERS[program], tmp_path).returncode == 2


@pytest.mark.parametrize(
    ("right", "wrong", "shows"),
    [("sum / numRelevant", "sum / Math.max(hits, 1)", "edge.denominator"), ("(index + 1)", "(index + 2)", "doc")],
)
def test_a_runner_finds_what_is_wrong(folder, tmp_path, right, wrong, shows):
    if shutil.which("node") is None:
        pytest.skip("node")
    source = (EXAMPLES / "metrics.mjs").read_text()
    assert right in source
    (tmp_path / "metrics.mjs").write_text(source.replace(right, wrong))
    shutil.copy(EXAMPLES / "run.mjs", tmp_path)
    done = run(["node", tmp_path / "run.mjs"], folder)
    assert done.returncode == 1
    assert any(line.startswith(shows) for line in done.stdout.splitlines())


def test_the_verb(rankspec, tmp_path):
    export = ("fixtures", "export", "doc001.*", "--out")
    assert rankspec(*export, tmp_path / "new", "--json").json["schema"] == "rankspec/export/1"
    (tmp_path / "file").write_text("")
    rankspec(*export, tmp_path / "file" / "x").assert_refused("file-not-writable", tmp_path / "file" / "x")
