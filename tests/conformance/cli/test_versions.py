"""Versions side by side, as a user asks for them: a library of two versions, one of them with another denominator.

Everything is real but the library: the adapter is ranx's, uv makes the environments, from wheels in a folder.
"""

import json
import sys
from pathlib import Path

import pytest
import wheels
from rankspec.conformance.run.uv import UvError, find_uv


def has_uv():
    try:
        return bool(find_uv())
    except UvError:
        return False


pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(not has_uv(), reason="uv is not here: pip install 'rankspec[versions]'"),
]
SOME = ("--cases", "edge.denominator.*")
OLD, NEW = "ranx==0.3.16", "ranx==0.3.20"


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """Give the settings of a user who has two versions of a library in a folder, and nothing else."""
    folder = tmp_path_factory.mktemp("wheels")
    for version, denominator in (("0.3.16", "len(places)"), ("0.3.20", "relevant")):
        wheels.wheel(folder, "ranx", version, wheels.distribution("ranx", version, wheels.ranx(denominator)))
    shipped = "own = own.rankspec_adapter:ADAPTER"
    for version, denominator in (("1.0", "relevant"), ("2.0", "min(relevant, k or relevant)")):
        files = wheels.distribution("own", version, wheels.adapted("own", denominator), entry_points=shipped)
        wheels.wheel(folder, "own", version, files)
    return {
        "UV_FIND_LINKS": str(folder),
        "UV_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_LINK_MODE": "copy",
        "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")),
    }


@pytest.fixture(autouse=True)
def environment(settings, monkeypatch):
    for name, value in settings.items():
        monkeypatch.setenv(name, value)


def test_check_in_json(rankspec):
    status, out, _ = rankspec("check", OLD, NEW, "--json", "--under", "default", *SOME)
    assert status == 1
    said = json.loads(out)
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    versions = [(each["name"], each["version"], each["python"][: len(here)]) for each in said["implementations"]]
    assert versions == [(OLD, "0.3.16", here), (NEW, "0.3.20", here)]
    (drift,) = said["drift"]
    assert (drift["library"], drift["old"]["name"], drift["new"]["name"]) == ("ranx", OLD, NEW)
    assert drift["changed"] == len(drift["cases"]) > 0
    for case in drift["cases"]:
        assert case["old"] != case["new"]
        assert (case["new_verdict"], case["old_verdict"]) == ("exact", "other-convention")


def test_environments_are_listed_and_cleared(rankspec, settings):
    rankspec("smoke", OLD)
    rankspec("smoke", NEW)
    status, out, _ = rankspec("environments", "ranx", "--json")
    said = json.loads(out)
    assert (status, said["folder"]) == (0, str(Path(settings["XDG_CACHE_HOME"]) / "rankspec" / "environments"))
    assert [each["version"] for each in said["environments"]] == ["0.3.16", "0.3.20"]
    status, out, _ = rankspec("environments", "--clear", NEW)
    assert (status, out.split()[0]) == (0, "1")
    assert "0.3.20" not in rankspec("environments", "ranx")[1]
    status, _, err = rankspec("environments", NEW)
    assert (status, err.count("\n"), NEW in err) == (2, 1, True)
