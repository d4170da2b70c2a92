"""`rankspec witness`: what it prints, its JSON, its exit statuses."""

import json


def test_json(rankspec):
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
