"""`check` with the files that it writes, and `report` and `diff` on what it kept."""

import contextlib
import io
import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rankspec.conformance.cli.main import main
from running import OVER_HITS, RIGHT

pytest_plugins = ["pytester"]
SOME = ("--cases", "edge.basics.*")
PLAIN = (*SOME, "--no-identify")
"""What is said of a run in files does not rest on what it is identified as; a second of CPU each time."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a right and a wrong function."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    Path("right.py").write_text(RIGHT, encoding="utf-8")
    Path("hits.py").write_text(OVER_HITS, encoding="utf-8")


def test_every_report_of_one_run_says_the_same(rankspec, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("# before\n", encoding="utf-8")
    files = ("--junit", "r.xml", "--markdown", "summary.md", "--badge", "b.json", "--stream", "run.ndjson")
    ended = rankspec("check", "right.py:f", "hits.py:f", *PLAIN, *files, "--json")
    assert ended.status == 1
    found = json.loads(ended.out)
    wrong = found["implementations"][1]
    unexpected = [each["id"] for each in found["unexpected"]]
    assert len(unexpected) == 4

    suites = ET.parse("r.xml").getroot()  # noqa: S314 - our own
    assert [suite.get("name") for suite in suites] == ["right.py:f", "hits.py:f"]
    failing = [each.get("name") for each in suites.iter("testcase") if each.find("failure") is not None]
    assert len(failing) == 1  # one cause
    assert set(failing) < set(unexpected)
    assert suites[1].get("tests") == str(len(wrong["cases"]))

    summary = Path("summary.md").read_text(encoding="utf-8")
    assert summary.startswith("# before\n## rankspec: 4 ")
    assert all(f"| `{case}` |" in summary for case in unexpected)

    badge = json.loads(Path("b.json").read_text(encoding="utf-8"))
    assert badge["message"].endswith(f"hits.py:f {wrong['conforming']}/{wrong['asked']}")
    assert badge["color"] == "red"

    again = rankspec("report", "run.ndjson", "--json", "--junit", "again.xml")
    assert again.status == 1
    kept = json.loads(again.out)
    for key in ("unexpected", "differences", "stale_known_failures"):
        assert kept[key] == found[key] or sorted(map(str, kept[key])) == sorted(map(str, found[key]))
    for read, made in zip(kept["implementations"], found["implementations"], strict=True):
        assert read["cases"] == made["cases"]
        assert read["verdicts"] == made["verdicts"]
        assert read["convention"] == made["convention"]
    assert Path("again.xml").read_text(encoding="utf-8") == Path("r.xml").read_text(encoding="utf-8")


# Files that can't be written.


@pytest.mark.parametrize("option", ["--junit", "--markdown", "--badge", "--stream", "--write-known-failures"])
@pytest.mark.parametrize(
    ("path", "code"), [("none/r.xml", "file-not-writable"), (".", "file-not-writable"), ("", "usage")]
)
def test_a_file_that_cant_be_written_is_said_before_anything_runs(rankspec, tmp_path, option, path, code):
    Path("traced.py").write_text("open('imported', 'w').close()\n" + RIGHT, encoding="utf-8")
    rankspec("check", "traced.py:f", *PLAIN, option, path).assert_refused(code, option)
    assert not (tmp_path / "imported").exists()


# Known failures.


def test_a_file_that_is_no_list_is_not_overwritten(rankspec):
    Path("known.yaml").write_text("- a\n", encoding="utf-8")
    rankspec("check", "hits.py:f", *SOME, "--write-known-failures", "known.yaml").assert_refused(
        "known-failures-malformed", "known.yaml:1"
    )
    assert Path("known.yaml").read_text(encoding="utf-8") == "- a\n"


# Report and diff.


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Keep a run of the right function, and one of the wrong function under the same name."""
    folder = tmp_path_factory.mktemp("runs")
    with contextlib.chdir(folder):
        for name, body in (("old", RIGHT), ("new", OVER_HITS)):
            Path("own.py").write_text(body, encoding="utf-8")
            out = io.StringIO()
            with contextlib.redirect_stdout(out), pytest.raises(SystemExit):
                main(["check", "own.py:f", *PLAIN, "--stream", f"{name}.ndjson", "--json"])
            Path(f"{name}.json").write_text(out.getvalue(), encoding="utf-8")
    return folder


@pytest.fixture
def kept(rankspec, runs, tmp_path):
    """Run a verb in a folder with a copy of the kept runs."""
    shutil.copytree(runs, tmp_path, dirs_exist_ok=True)
    return rankspec
