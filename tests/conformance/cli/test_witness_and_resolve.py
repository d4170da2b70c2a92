"""`rankspec witness` and `resolve` as they are called: JSON, progress, and cases that are saved."""

import json
import sys

import pytest
from rankspec.conformance.run import progress_bars

OVER_ONE_MORE = """
def f(relevance, num_relevant, k=None):
    places = [rank for rank, label in enumerate(relevance[:k], 1) if label]
    return sum(i / rank for i, rank in enumerate(places, 1)) / (num_relevant + 1)
"""


@pytest.mark.campaign
def test_what_identify_finds_is_replayed(rankspec, written, tmp_path):
    file, function = tmp_path / "found.yaml", written(OVER_ONE_MORE)
    assert rankspec("identify", function, "--measure", "AP@3", "--save", file).status == 0
    assert rankspec("fixtures", "lint", file).status == 0
    ended = rankspec("check", function, "--measure", "AP@3", "--fixtures", file, "--json")
    (case,) = json.loads(ended.out)["implementations"][0]["cases"]
    assert (ended.status, case["id"], case["verdict"], case["value"], case["exact"]) == (
        *(1, "saved.identify", "wrong"),
        *(0.5, "1"),
    )


RANKED = ["--relevance", "1,0,1,1,0,0,1,0,0,0", "--num-relevant", "5"]


@pytest.mark.parametrize("looking", [True, False])
def test_somebody_who_looks_sees_that_it_goes_on(rankspec, monkeypatch, looking):
    shown = []
    of_library = vars(progress_bars)["_bars"]
    monkeypatch.setattr(progress_bars, "_bars", lambda **given: shown.append(given) or of_library(**given))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: looking)
    assert rankspec("resolve", "--value", "0.598", *RANKED)[0] == 0
    assert bool(shown) == looking
