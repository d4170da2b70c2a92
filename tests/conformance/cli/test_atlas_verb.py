"""`rankspec atlas`: the matrix, one library, measuring again; widths, JSON, exit statuses."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from campaign import in_campaign
from rankspec.conformance.atlas.records import FOLDER
from rankspec.conformance.cases.shipped_files import shipped_folder


def test_rows_in_words(rankspec):
    status, out, _ = rankspec("atlas", "--measure", "AP")
    assert status == 0
    (_, row) = [line.split("\t") for line in out.splitlines() if line.startswith("sklearn\t")]  # of two versions
    said = dict(zip(out.splitlines()[0].split("\t"), row, strict=True))
    assert said["measure"] == "AP"
    assert said["what it computes"].startswith("over R, ties as one operating point")
    assert "nDCG" not in out


def test_matrix_for_programs(rankspec):
    rows = list(csv.DictReader(io.StringIO(rankspec("atlas", "--csv")[1])))
    data = json.loads(rankspec("atlas", "--json")[1])
    assert data["schema"] == "rankspec/atlas/1"
    measured = sum(len(each["measured"]) for each in data["records"])
    missing = sum(each["status"] == "not-measured" for each in data["records"])
    assert len(rows) == measured + missing
    assert {"elliot"} <= {row["implementation"] for row in rows if row["status"] == "not measured"}
    assert set(data["axes"]) <= set(rows[0])


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("arguments", [(), ("--measure", "AP"), ("recommenders",), ("elliot",)])
def test_widths(rankspec, monkeypatch, width, arguments):
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", str(width))):
        monkeypatch.setenv(name, value)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", rankspec("atlas", *arguments)[1]).splitlines()
    assert lines
    assert [line for line in lines if len(line) > width and len(line.split()) > 1] == []


def test_one_library(rankspec):
    status, out, _ = rankspec("atlas", "recommenders")
    assert status == 0
    assert "MIT License" in out
    assert "recommenders_map 1.1.1 -> 1.2.1, AP@3: failed -> identified" in out
    assert "smallest input: qrels {'q': {'a': 0}}, run {'q': [['a', 1]]}, k 3: 0.0, not nan" in out
    data = json.loads(rankspec("atlas", "recommenders", "--json")[1])
    assert {each["version"] for each in data["records"]} == {"1.1.1", "1.2.1"}
    assert any(change["what"] for change in data["changes"])


def asked_again(*arguments):
    script = Path(__file__).parents[3] / ".ci" / "atlas"
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.campaign
def test_measured_again(tmp_path):
    pytest.importorskip("sklearn")
    only = ("--only", "sklearn==1.9.1", "--measure", "DCG@10", "--out", str(tmp_path), "--startup-seconds", "300")
    status, out, err = asked_again("--measure-again", *only, "--json")
    assert status in {0, 1}, err
    changes = json.loads(out)["changes"]
    assert [(each["implementation"], each["measure"]) for each in changes] == [("sklearn_ndcg", "DCG@10")]
    assert status == (1 if any(each["what"] for each in changes) else 0)
    assert "asking sklearn_ndcg" in err
    (kept,) = tmp_path.iterdir()
    assert json.loads(kept.read_text())["measured"][0]["measure"] == "DCG@10"


@pytest.mark.campaign
def test_census_goes_on_where_it_ended(tmp_path):
    name = "scikit-learn-1.9.1.json"
    (tmp_path / name).write_text((shipped_folder() / FOLDER / name).read_text())
    only = ("--only", "sklearn==1.9.1", "--measure", "DCG@10", "--out", str(tmp_path))
    status, out, err = asked_again("--census", *only)
    assert (status, out) == (0, "")
    assert "1 of 1: scikit-learn-1.9.1 is there already" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    in_campaign(
        [
            (("--measure-again",), "which library? Give --only NAME"),
            (("--only", "ranx"), "give one"),
            (("--census",), "--out FOLDER"),
            (("--measure-again", "--only", "elliot"), "elliot"),
            (("--measure-again", "--census", "--only", "ranx"), "give one"),
        ],
        but=["elliot"],  # a library that has no adapter
        ids=lambda row: row[1],
    ),
)
def test_a_measurement_that_can_not_be_made(arguments, says):
    status, out, err = asked_again(*arguments)
    assert status != 0
    assert out == ""
    assert says in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nosuch",), "the atlas has no such library"),
        (("ranx==9",), "the atlas has ranx 0.3.16, 0.3.21, not 9"),
        (("--measure", "Bpref@7"), "the atlas has no such measure"),
        (("--csv", "--json"), "exclude each other"),
    ],
)
def test_one_line_where_the_call_is_at_fault(rankspec, arguments, says):
    rankspec("atlas", *arguments).assert_one_line(says)
