"""`rankspec resolve` as it is called: text, JSON, exit statuses, one line for a mistake."""

import json
import sys

import pytest
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
