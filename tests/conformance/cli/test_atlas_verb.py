"""`rankspec atlas`: the matrix, one library, measuring again; widths, JSON, exit statuses."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest


def test_matrix_for_programs(rankspec):
    rows = list(csv.DictReader(io.StringIO(rankspec("atlas", "--csv")[1])))
    data = json.loads(rankspec("atlas", "--json")[1])
    assert data["schema"] == "rankspec/atlas/1"
    measured = sum(len(each["measured"]) for each in data["records"])
    missing = sum(each["status"] == "not-measured" for each in data["records"])
    assert len(rows) == measured + missing
    assert "elliot" in {row["implementation"] for row in rows if not row["version"]}
    assert set(data["axes"]) <= set(rows[0])


def test_one_library(rankspec):
    data = rankspec("atlas", "recommenders", "--json").json
    assert {each["version"] for each in data["records"]} == {"1.1.1", "1.2.1"}
    changes = {(each["implementation"], each["measure"]): each for each in data["changes"] if each["what"]}
    changed = changes["recommenders", "AP@3"]
    assert (changed["versions"], changed["what"][0]) == (["1.1.1", "1.2.1"], "outside -> identified")
    (oldest,) = (each for each in data["records"] if each["version"] == "1.1.1")
    smallest = next(each["smallest"] for each in oldest["measured"] if each["spec"] == "recommenders==1.1.1")
    # The mean of no query.
    assert smallest["input"] == {"qrels": {"q": {"a": 0}}, "run": {"q": [["a", 1]]}, "k": 3}
    assert (smallest["got"], smallest["exact"]) == ("0.0", "nan")


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
