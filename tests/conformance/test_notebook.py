"""What results show in a notebook, and the frames that they become."""

import sys

import html5lib
import pytest
import rankspec
from refusals import refused

RANKED = {"relevance": [1, 0, 1], "num_relevant": 5}


def explained():
    # under kaggle (1 + 2/3) / min(5, 3)
    return rankspec.explain("AP@3", under="kaggle", **RANKED)


def scored():
    # one hit, at rank 2, of two: 1/4; the other query has no relevant document
    qrels, run = {"q_1": {"a": 1, "b": 1}, "r": {}}, {"q_1": {"x": 2.0, "a": 1.0}, "r": {"a": 1.0}}
    return rankspec.evaluate("AP", qrels, run)


def resolved(value="0.5556"):
    return rankspec.resolve(value, measure="AP@3", **RANKED)


@pytest.mark.parametrize(
    ("found", "texts"),
    [
        (explained, ["<mn>5</mn><mn>9</mn>", "<td>a</td>"]),
        (scored, ["<td>1/4</td>", "<td>q_1</td>"]),
        (resolved, ["<td>0.5556</td>", "denominator=cutoff"]),
        (lambda: resolved("0.99"), ["0.99", "AP@3"]),
    ],
    ids=["explained", "scored", "resolved", "unexplained"],
)
def test_tables(found, texts):
    html = found()._repr_html_()
    html5lib.HTMLParser(strict=True).parseFragment(html)
    assert [text for text in texts if text not in html] == []
    assert found().to_dict()


def test_equations():
    assert "\\frac{1}{3}\\Bigl(1 + \\tfrac{2}{3}\\Bigr)" in explained()._repr_latex_()
    assert explained()._repr_latex_().startswith("$$\\begin{aligned}\n\\text{AP@3(q)} &= ")
    assert scored()._repr_latex_() == "$\\text{AP under default} = \\frac{1}{8}$"


def test_frames():
    pytest.importorskip("pandas")
    frame = explained().to_frame()
    assert list(frame["hits"]) == [1, 1, 2]
    assert list(frame["precision"]) == [1.0, 0.5, 2 / 3]
    assert scored().to_frame().to_dict("records")[0] == {"query": "q_1", "exact": "1/4", "float": 0.25}
    frame = resolved().to_frame()
    assert (frame["exact"] == "5/9").all()
    assert frame["denominator"][0] == "cutoff"


def test_without_pandas_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with refused("package-missing", "pandas", by=rankspec.InputError):
        scored().to_frame()
