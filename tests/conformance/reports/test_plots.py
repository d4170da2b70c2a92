"""`--plot` of resolve, score and compare: what is drawn, in words, against values derived by hand."""

import sys
from fractions import Fraction

import pytest
from click.testing import CliRunner
from rankspec.conformance.cli.main import verbs
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.infer.resolve.search import spread
from rankspec.conformance.reports.plots import p_words
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.scoring.significance.results import PValue

RESOLVE = ["resolve", "--measure", "AP", "--relevance", "1,0,1", "--num-relevant", "4"]


def test_values_of_all_conventions():
    levels = spread(parse_measure("P@2"), data_of({"relevance": [1], "num_relevant": 1}, 1))
    # one hit: 1/2 over k, 1 over the one document that is there, and over min(R, k)
    assert [(level.value, level.conventions) for level in levels] == [(0.5, 1), (1.0, 2)]
    assert list(levels[1].simplest.differences()) == ["precision_denominator"]


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
