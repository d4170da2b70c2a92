"""What the resolver answers, against values derived by hand."""

import html5lib
import pytest
from rankspec.conformance.site.browser import EXAMPLES, answer

RANKED = {"relevance": "1,0,1", "num_relevant": "4"}


def well_formed(html):
    html5lib.HTMLParser(strict=True).parseFragment(html)


@pytest.mark.parametrize(
    ("question", "status", "texts"),
    [
        # (1 + 2/3) / 4 = 5/12
        ({"ask": "resolve", "value": "0.4167", **RANKED}, "explained", ["5/12"]),
        # (1 + 2/3) / 3 = 5/9, with min(R, k)
        (
            {"ask": "resolve", "value": "0.5556", "measure": "AP@3", **RANKED},
            "explained",
            ["5/9", "min-relevant-cutoff"],
        ),
        ({"ask": "resolve", "value": "0.99", **RANKED}, "unexplained", ["5/12"]),
        ({"ask": "explain", "measure": "P@2", **RANKED}, "explained", ["1/2"]),
        ({"ask": "explain", "a": "default", "b": "kaggle", "measure": "AP@3", **RANKED}, "explained", ["5/12", "5/9"]),
        ({"ask": "explain", "measure": "RR", "actual": "b", "predicted": "a,b"}, "explained", ["1/2"]),
        (
            {"ask": "explain", "measure": "AP", "qrels": "q 0 a 1", "run": "q 0 a 1 1 t"},
            "explained",
            ["= <strong>1</strong>"],
        ),
        ({"ask": "witness", "a": "default", "b": "default[ties=grouped]"}, "separated", ["1/2", "axes/ties.html"]),
        ({"ask": "witness", "a": "default", "b": "default", "measure": "RR"}, "equivalent", ["agree"]),
        ({"ask": "resolve", **RANKED}, "fault", ["value"]),
        ({"ask": "resolve", "value": "1", "relevance": "1,x"}, "fault", ["x"]),
        ({"ask": "explain", "measure": "XYZ", **RANKED}, "fault", ["XYZ"]),
        ({"ask": "explain", "measure": "<b>", **RANKED}, "fault", ["&lt;b&gt;"]),
    ],
)
def test_answers(question, status, texts):
    found = answer(question)
    assert found["status"] == status
    assert [text for text in texts if text not in found["html"]] == []
    well_formed(found["html"])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.words)
def test_examples_are_answered(example):
    found = answer(example.question)
    assert found["status"] in {"explained", "separated"}
    well_formed(found["html"])
