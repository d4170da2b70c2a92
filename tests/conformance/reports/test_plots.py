"""`--plot` of resolve, score and compare: what is drawn, in words, against values derived by hand."""

import re
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest
from click.testing import CliRunner
from rankspec.conformance.cli.main import verbs
from rankspec.conformance.infer.resolve.given import data_of
from rankspec.conformance.infer.resolve.search import spread
from rankspec.conformance.reports.plots import p_words
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.scoring.significance.results import PValue

SVG = "{http://www.w3.org/2000/svg}"
RESOLVE = ["resolve", "--measure", "AP", "--relevance", "1,0,1", "--num-relevant", "4"]


@pytest.fixture
def files(tmp_path):
    texts = {
        "q": "1 0 a 1\n1 0 b 0\n2 0 a 1\n",
        "r1": "1 Q0 a 1 0.5 t\n1 Q0 b 2 0.5 t\n2 Q0 a 1 1 t\n",
        "r2": "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 a 1 1 t\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: str(tmp_path / name) for name in texts}


def drawn(arguments, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "out.svg"
    result = CliRunner().invoke(verbs, [*arguments, "--plot", str(path)])
    assert result.exit_code in {0, 1}, result.output
    root = ET.fromstring(path.read_bytes())  # noqa: S314 - what was just written
    assert root.get("role") == "img"
    return root.find(f"{SVG}title").text, root.find(f"{SVG}desc").text


def test_where_a_number_lies(tmp_path):
    title, words = drawn([*RESOLVE, "--value", "0.4167"], tmp_path)
    assert {"0.4167", "AP"} <= set(title.split())
    # (1 + 2/3) / 4 = 5/12 over R, and (1 + 2/3) / 3 over the length of the list
    assert "0.4167 default (+1), " in words
    assert "0.5556 denominator=min-relevant-length (+3);" in words


def test_values_of_all_conventions():
    levels = spread(parse_measure("P@2"), data_of({"relevance": [1], "num_relevant": 1}, 1))
    # one hit: 1/2 over k, 1 over the one document that is there, and over min(R, k)
    assert [(level.value, level.conventions) for level in levels] == [(0.5, 1), (1.0, 2)]
    assert list(levels[1].simplest.differences()) == ["precision_denominator"]


def test_how_far_ties_go(files, tmp_path):
    arguments = ["score", "--qrels", files["q"], "--run", files["r1"], "-m", "AP", "--range", "ties"]
    title, words = drawn(arguments, tmp_path)
    assert "ties" in title
    # a at rank 1 or 2: 1 or 1/2; with the other query's 1 the mean goes from 3/4 to 1
    assert re.findall(r"[\d.]*\d", words) == ["1", "2", "0.5000", "1.0000", "1", "0.7500", "1.0000"]


def test_differences_of_runs(files, tmp_path):
    _, words = drawn(["compare", "--qrels", files["q"], files["r1"], files["r2"]], tmp_path)
    # 1 - 1/2 and 0: the mean is 1/4, and every sign is as extreme
    assert re.findall(r"[+\d.]*\d", words) == ["1", "2", "+0.2500", "1", "1", "1", "0"]


def test_what_a_p_value_is_called():
    assert p_words(PValue("exact", Fraction(1, 3))) == "p = 0.333 = 1/3, exact"
    assert p_words(PValue("student", Fraction(1, 3))).startswith("p = 0.333, ")
    assert p_words(PValue("student", None, undefined="lorem")).endswith("(lorem)")


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        ([*RESOLVE, "--value", "nan", "--plot", "o.svg"], 1, " nan "),
        ([*RESOLVE, "--value", "1", "--value", "0.5", "--plot", "o.svg"], 1, "--value"),
        ([*RESOLVE, "--value", "1", "--plot", "o.doc"], 1, ".svg"),
        (["score", "--qrels", "q", "--run", "r", "--plot", "o.svg"], 1, "--range"),
    ],
)
def test_what_can_not_be_drawn_is_refused(arguments, status, text, tmp_path):
    pytest.importorskip("matplotlib")
    arguments = [str(tmp_path / each) if each.startswith("o.") else each for each in arguments]
    result = CliRunner().invoke(verbs, arguments)
    assert text in f"{result.output} {result.exception}"
    assert result.exit_code == status


def test_without_matplotlib_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = CliRunner().invoke(verbs, [*RESOLVE, "--value", "1", "--plot", str(tmp_path / "out.svg")])
    assert "rankspec[plot]" in str(result.exception)
