"""`rankspec resolve` as it is called: text, JSON, exit statuses, one line for a mistake."""

import json
import sys

import pytest
from campaign import one_in
from rankspec.conformance.run import progress_bars
from rankspec.oracle import parse_convention

RANKED = ["--relevance", "1,0,1,1,0,0,1,0,0,0", "--num-relevant", "5"]

VERB = "resolve"


def test_json(verb):
    status, out, _ = verb("--value", "0.598", *RANKED, "--json")
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
def test_somebody_who_looks_sees_that_it_goes_on(verb, monkeypatch, looking):
    shown = []
    of_library = vars(progress_bars)["_bars"]
    monkeypatch.setattr(progress_bars, "_bars", lambda **given: shown.append(given) or of_library(**given))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: looking)
    assert verb("--value", "0.598", *RANKED)[0] == 0
    assert bool(shown) == looking


@one_in(2)
@pytest.mark.parametrize(
    ("arguments", "convention"),
    [
        (["--value", "0.5556", "--relevance", "[1, 0, 1]", "--num-relevant", "5", "--k", "3"], "denominator=cutoff"),
        (["--value", "0.5556", "--relevance", "1,0,1", "--num-relevant", "5", "--measure", "AP@3"], "=length"),
        (["--value", "0.8333", "--labels", "1,0,1", "--scores", "0.9,0.5,0.5"], "default"),
        (["--value", "0.9167", "--labels", "1,0,1", "--scores", "0.9,0.5,0.5"], "ties=expected"),
        (["--value", "0.5", "--actual", "a,b", "--predicted", "a,a", "--measure", "AP", "--k", "2"], "=first"),
        (["--value", "nan", "--actual", "", "--predicted", "a"], "no_relevant=nan"),
        (["--value", "1/3", "--relevance", "1,0,1", "--k", "1", "--num-relevant", "3"], "default"),
    ],
)
def test_every_form(verb, arguments, convention):
    status, out, _ = verb(*arguments)
    assert status == 0
    assert convention in out


def test_files_and_standard_input(verb, tmp_path, monkeypatch):
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 2 t\n")
    files = ["--qrels", str(tmp_path / "qrels"), "--run", str(tmp_path / "run")]
    status, out, _ = verb("--value", "1.0000", *files, "--json")
    assert status == 0
    assert "missing_query=skip" in out
    assert verb("--value", "0.5", *files)[0] == 0
    assert "default" in verb("--value", "1", *files, "--query", "q1", "--json")[1]
