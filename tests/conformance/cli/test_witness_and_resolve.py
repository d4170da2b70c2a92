"""`rankspec witness` and `resolve` as they are called: JSON, progress, and cases that are saved."""

import json
import sys
from pathlib import Path

import pytest
from rankspec.conformance.cases.catalogue import load_cases
from rankspec.conformance.cli.main import main
from rankspec.conformance.run import progress_bars
from rankspec.oracle import parse_convention


def test_json_of_a_witness(rankspec):
    status, out, _ = rankspec("witness", "default[ties=grouped]", "default", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["schema"] == "rankspec/witness/1"
    assert found["status"] == "separated"
    assert found["input"] == {"labels": [1, 0], "scores": [1, 1]}
    assert found["values"] == {"A": "1/2", "B": "1"}
    assert found["axes"] == ["ties"]
    assert found["bound"] == 1
    assert found["stored"] is False


WRONG = Path(__file__).parents[2] / "wrong"


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main([*map(str, arguments)])
    return ended.value.code


@pytest.mark.campaign
def test_what_identify_finds_is_replayed(tmp_path, capsys):
    file, function = tmp_path / "found.yaml", f"{WRONG}/ranking.py:over_relevant_plus_one"
    assert run("identify", function, "--measure", "AP@3", "--save", file) == 0
    capsys.readouterr()
    assert run("fixtures", "lint", file) == 0
    capsys.readouterr()
    assert run("check", function, "--measure", "AP@3", "--fixtures", file, "--json") == 1
    (case,) = json.loads(capsys.readouterr().out)["implementations"][0]["cases"]
    assert (case["id"], case["verdict"], case["value"], case["exact"]) == ("saved.identify", "wrong", 0.5, "1")


def test_what_separates_two_conventions_is_a_case_for_each(tmp_path, capsys):
    file = tmp_path / "found.yaml"
    assert run("witness", "kaggle", "default", "--measure", "AP@3", "--save", file) == 0
    capsys.readouterr()
    assert run("fixtures", "lint", file) == 0
    exact = {case.convention: case.exact for case in load_cases([file])}
    assert exact == {"kaggle": "1/3", "default": "1/4"}


RANKED = ["--relevance", "1,0,1,1,0,0,1,0,0,0", "--num-relevant", "5"]


def test_json_of_an_explanation(rankspec):
    status, out, _ = rankspec("resolve", "--value", "0.598", *RANKED, "--json")
    answer = json.loads(out)
    assert (status, answer["schema"], answer["status"], answer["nearest"]) == (0, "rankspec/resolve/1", "explained", [])
    first = answer["explanations"][0]
    assert first["exact"] == "251/420"
    assert first["decimal"] == "0.5976190476"
    assert first["agreement"] == "rounded"
    assert first["axes"]["ties"] == "input-order"
    assert first["axes"]["depth"] == "none"
    assert "recall_grid" not in first["axes"]
    for each in answer["explanations"]:
        assert {str(value) for value in parse_convention(each["convention"]).differences().values()} <= set(
            each["axes"].values()
        )


@pytest.mark.parametrize("looking", [True, False])
def test_somebody_who_looks_sees_that_it_goes_on(rankspec, monkeypatch, looking):
    shown = []
    of_library = vars(progress_bars)["_bars"]
    monkeypatch.setattr(progress_bars, "_bars", lambda **given: shown.append(given) or of_library(**given))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: looking)
    assert rankspec("resolve", "--value", "0.598", *RANKED)[0] == 0
    assert bool(shown) == looking
