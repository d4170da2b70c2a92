"""`rankspec drift`: kept answers are not asked again, and what changed is said and kept in the record."""

import json

import pytest
from rankspec.conformance.atlas.records import FOLDER, load_records, read_record
from rankspec.conformance.cases.files.shipped_files import shipped_folder

CASE = "edge.no-hits.one.empty-list"
OLD, NEW = 0.25, 0.5

VERB = "drift"


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


def test_bisected_from_kept_answers(verb, kept):
    status, out, err = verb("cute_ranking", "--versions", "1,2,3,4", "--bisect", "--out", str(kept), "--json")
    found = json.loads(out)
    assert (status, err, found["schema"]) == (1, "", "rankspec/drift/1")
    (change,) = found["changes"]
    assert (change["before"], change["since"], change["unasked"]) == ("2", "4", ["3"])
    assert change["input"] == {"qrels": {"q1": {"a": 1}}, "run": {"q1": []}}
    assert (change["old"], change["new"]) == (str(OLD), str(NEW))
    assert found["failed"] == {"3": "no wheel"}


def test_a_version_that_answers_nothing_is_said_to(verb, kept):
    silent = json.loads((kept / "cute_ranking-1-AP.json").read_text())
    silent["implementations"][0]["version"] = "0"
    silent["implementations"][0]["cases"][0] |= {"verdict": "error", "value": None, "got": "ImportError"}
    (kept / "cute_ranking-0-AP.json").write_text(json.dumps(silent))
    ended = verb("cute_ranking", "--versions", "0,1", "--out", str(kept), "--json")
    (change,) = json.loads(ended.out)["changes"]
    assert (change["old"].partition(",")[0], change["new"]) == ("ImportError", "0.25")


def test_kept_in_the_record(verb, kept, tmp_path):
    records = tmp_path / "records"
    records.mkdir()
    (record,) = [each for each in load_records(shipped_folder() / FOLDER) if each.library == "cute-ranking"]
    name = f"{record.id}.json"
    (records / name).write_text((shipped_folder() / FOLDER / name).read_text())
    given = ("cute_ranking", "--versions", "1,2,4", "--bisect", "--out", str(kept), "--keep", str(records))
    assert verb(*given)[0] == 1
    (measured,) = read_record(records / name).measured
    assert (measured.versions.since, measured.versions.changes[0].before) == ("4", "2")
