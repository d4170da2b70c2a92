"""What identify and witness find is saved as a case file, whole, which a check replays."""

import json
from pathlib import Path

import pytest
from rankspec.conformance.cases.catalogue import load_cases
from rankspec.conformance.cli.main import main

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
