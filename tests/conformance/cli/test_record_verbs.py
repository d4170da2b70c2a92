"""`atlas`, `cite`, `drift`, `impact` and `report-bug`: what libraries do, and what two conventions make of runs."""

import csv
import io
import json
import re
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from ci_scripts import ci_script
from rankspec.conformance.atlas.records import FOLDER, load_records, read_record
from rankspec.conformance.cases.files.on_disk import shipped_folder
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.reproducing import bug
from rankspec.conformance.reproducing.bug import Printed, run_snippet


def test_matrix_for_programs(rankspec):
    rows = list(csv.DictReader(io.StringIO(rankspec("atlas", "--csv")[1])))
    data = json.loads(rankspec("atlas", "--json")[1])
    assert data["schema"] == "rankspec/atlas/1"
    measured = sum(len(each["measured"]) for each in data["records"])
    missing = sum(each["status"] == "not-measured" for each in data["records"])
    assert len(rows) == measured + missing
    assert "elliot" in {row["implementation"] for row in rows if not row["version"]}
    assert set(data["axes"]) <= set(rows[0])


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


FIELD = re.compile(r"  [a-z]+ = \{((?:[^{}\\]|\\[a-z]+\{\}|\\.|\{(?:[^{}\\]|\\.)*\})*)\},")


@pytest.mark.parametrize(
    "arguments",
    [
        ("ranx", "--measure", "AP@10"),
        ("kaggle", "--measure", "AP@10"),
        ("default", "--measure", "nDCG(gains={0: 0, 2: 3})@5"),
        ("recommenders==1.2.1", "--measure", "AP@3"),
    ],
)
def test_the_entry_is_bibtex(rankspec, arguments):
    entry = json.loads(rankspec("cite", *arguments, "--json")[1])["bibtex"]
    first, *fields, last = entry.splitlines()
    assert re.fullmatch(r"@software\{[a-z0-9]+,", first)
    assert last == "}"
    for field in fields:
        assert FIELD.fullmatch(field), field
        assert not re.search(r"(?<!\\)[_&%#$^~]", field) or field.startswith("  url")
    assert not [field for field in fields if field.startswith("  year")]  # no metadata has one


def test_authors_are_those_of_the_installed_version(rankspec):
    pytest.importorskip("pytrec_eval")
    version = metadata("pytrec-eval-terrier")["Version"]
    found = json.loads(rankspec("cite", f"pytrec_eval=={version}", "--measure", "AP@10", "--json")[1])
    assert found["authors"]
    written = [name.replace(">", r"\textgreater{}") for name in found["authors"]]
    assert all(f"{{{name}}}" in found["bibtex"] for name in written)
    assert f"with pytrec-eval-terrier {version} ({', '.join(found['authors'])}), " in found["sentence"]


CASE = "edge.no-hits.one.empty-list"
OLD, NEW = 0.25, 0.5


@pytest.fixture
def kept(tmp_path):
    """A folder with the answers of versions 1 to 4: the third can't be had, the fourth answers otherwise."""
    for version, value in (("1", OLD), ("2", OLD), ("4", NEW)):
        case = {"id": CASE, "verdict": "wrong", "value": value, "got": str(value), "size": [1, 0, 1]}
        told = {"name": f"cute_ranking=={version}", "version": version, "library": "cute_ranking", "cases": [case]}
        data = {"schema": "rankspec/check/1", "implementations": [{**told, "convention": "default"}]}
        (tmp_path / f"cute_ranking-{version}-AP.json").write_text(json.dumps(data))
    (tmp_path / "cute_ranking-3-AP.json").write_text('{"unasked": "no wheel"}')
    return tmp_path


def test_a_version_that_answers_nothing_is_said_to(rankspec, kept):
    silent = json.loads((kept / "cute_ranking-1-AP.json").read_text())
    silent["implementations"][0]["version"] = "0"
    silent["implementations"][0]["cases"][0] |= {"verdict": "error", "value": None, "got": "ImportError"}
    (kept / "cute_ranking-0-AP.json").write_text(json.dumps(silent))
    ended = rankspec("drift", "cute_ranking", "--versions", "0,1", "--out", str(kept), "--json")
    (change,) = json.loads(ended.out)["changes"]
    assert (change["old"].partition(",")[0], change["new"]) == ("ImportError", "0.25")


def test_kept_in_the_record(rankspec, kept, tmp_path):
    records = tmp_path / "records"
    records.mkdir()
    (record,) = [each for each in load_records(shipped_folder() / FOLDER) if each.library == "cute-ranking"]
    name = f"{record.id}.json"
    (records / name).write_text((shipped_folder() / FOLDER / name).read_text())
    given = ("cute_ranking", "--versions", "1,2,4", "--bisect", "--out", str(kept), "--json")
    status, found, _ = rankspec("drift", *given)
    assert status == 1
    ci_script("measuring.py").keep_versions(json.loads(found), records)
    (measured,) = read_record(records / name).measured
    assert (measured.versions.since, measured.versions.changes[0].before) == ("4", "2")


QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 a 1\n2 0 b 0\n"
# Ties first in the file: in the file's order A is perfect; the other way round it is not.
A = "1 Q0 a 1 0.5 t\n1 Q0 b 2 0.5 t\n1 Q0 x 3 0.4 t\n2 Q0 a 1 0.5 t\n2 Q0 b 2 0.5 t\n"
B = "1 Q0 c 1 0.9 t\n1 Q0 x 2 0.8 t\n2 Q0 b 1 0.7 t\n2 Q0 a 2 0.6 t\n"
C = "1 Q0 y 1 0.9 t\n1 Q0 a 2 0.8 t\n"


@pytest.fixture
def verb(rankspec, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels", QRELS), ("a", A), ("b", B), ("c", C)):
        (tmp_path / name).write_text(text, encoding="utf-8")

    def run(*arguments):
        if arguments[:1] == ("bare",):
            return rankspec("impact", *arguments[1:])
        return rankspec("impact", "--qrels", "qrels", "--run", "a", "--run", "b", "--run", "c", *arguments)

    return run


def test_the_query_that_moved_most_by_hand(verb):
    """By descending docno A loses 1/4 of query 1 and 1/2 of query 2; B has no ties."""
    swaps = json.loads(verb("-m", "AP", "--json")[1])["swaps"]
    (swap,) = (each for each in swaps if (each["above"], each["below"]) == ("a", "b"))
    assert swap["under"][0]["changed"] == {"ties": "docno-descending"}
    assert swap["query"] == {"query": "2", "before": [1.0, 0.5], "after": [0.5, 0.5]}


def test_libraries(verb):
    found = json.loads(verb("-m", "AP", "--libraries", "--json")[1])
    assert found["complete"]
    assert any("pytrec_eval 0.5.11" in each["libraries"] for each in found["libraries"])
    effects = {name: each["effect"] for each in found["libraries"] for name in each["libraries"]}
    # pytrec_eval has the greater docno first: b before a in both queries of A, which is 3/8 then, below B's 1/2.
    assert effects["pytrec_eval 0.5.11"] == {"swaps": 1, "tau": "1/3", "largest": 0.375}
    rows = [line.split("\t")[1:] for line in verb("-m", "AP", "--libraries")[1].splitlines()]
    assert ["1", "1/3", "0.3750"] in rows
    texts = {under["convention"] for swap in found["swaps"] for under in swap["under"]}
    assert texts <= {each["convention"] for each in found["libraries"]}


@pytest.mark.parametrize(("runs", "is_there"), [(("a", "b"), False), (("b", "c"), True)])
def test_a_library_whose_ties_have_no_order_is_left_out_only_where_there_are_ties(verb, runs, is_there):
    """ranx sorts tied documents in no fixed order; A has some, B and C have none."""
    first, second = runs
    out = verb("bare", "--qrels", "qrels", "--run", first, "--run", second, "-m", "AP", "--libraries", "--json")[1]
    names = {name for each in json.loads(out)["libraries"] for name in each["libraries"]}
    assert ("ranx 0.3.21" in names) is is_there


def test_a_snippet_runs_on_the_python_of_the_stated_version(tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "this-one"\n')
    python.chmod(0o755)
    monkeypatch.setattr(bug, "environment_of", lambda pinned: SimpleNamespace(executable=python))
    assert run_snippet(parse("ranx==0.3.16"), ["print(1)"]) == Printed(0, ("this-one",))
