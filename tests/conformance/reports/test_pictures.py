"""Pictures of derivations and of answers, and two derivations line by line: what is drawn is the value."""

import sys
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner
from rankspec.conformance.cli.main import verbs
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.infer.resolve.search import spread
from rankspec.conformance.reports.derivations.curve import curve_svg, picture
from rankspec.conformance.reports.derivations.text import compared, lines_of
from rankspec.conformance.reports.plots import p_words
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle import Measure, Qrels, Run, explain, parse_convention, parse_expression, parse_measure
from rankspec.oracle.scoring.significance.results import PValue


def derived(text, relevance=(1, 0, 1, 1, 0), num_relevant=5):
    measure, convention = parse_expression(text)
    data = data_of({"relevance": list(relevance), "num_relevant": num_relevant}, 1)
    return explain(measure, data.qrels, data.run, convention)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("AP under default", (1 + 2 / 3 + 3 / 4) / 5),
        ("AP under voc2010", (1 + 3 / 4 + 3 / 4) / 5),  # the envelope
        ("AP@3 under kaggle", (1 + 2 / 3) / 3),
        ("AP under default[interpolation=trapezoid]", (1 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 3 / 4) / 2) / 5),
    ],
)
def test_the_bars_of_an_area_are_the_value(text, value):
    drawn = picture(derived(text))
    assert sum(bar.width * bar.height for bar in drawn.bars) == pytest.approx(value)
    assert drawn.points[:3] == ((1 / 5, 1), (1 / 5, 1 / 2), (2 / 5, 2 / 3))[: len(drawn.points)]
    of_ranks = picture(derived("RR under default", relevance=(0, 1, 1)))
    assert [bar.height for bar in of_ranks.bars] == [0, pytest.approx(1 / 2), 0]
    # Of 11 levels recall 0, 0.1 and 0.2 are reached with precision 1, up to 0.5 with 3/4; 0.6 as a double is above 3/5.
    levels = [up for _, up in picture(derived("AP under voc2007")).levels]
    assert (len(levels), sum(levels) / 11) == (11, pytest.approx((3 * 1 + 3 * 3 / 4) / 11))


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def tags(text):
    read = Tags()
    read.feed(text)
    assert read.open == []
    return read.seen


def test_a_picture_says_in_words_what_it_shows():
    drawn = [picture(derived("AP under default")), picture(derived("AP under voc2010"))]
    seen = tags(curve_svg(drawn))
    assert (seen.count("title"), seen.count("desc"), seen.count("polyline")) == (1, 1, 2)


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
        ([*RESOLVE, "--value", "1", "--plot", "o.svg"], 1, "rankspec[plot]"),
    ],
)
def test_what_can_not_be_drawn_is_refused(arguments, status, text, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    if text == "rankspec[plot]":
        monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = [str(tmp_path / each) if each.startswith("o.") else each for each in arguments]
    result = CliRunner().invoke(verbs, arguments)
    assert text in f"{result.output} {result.exception}"
    assert result.exit_code == status


QRELS = Qrels.of({"q": {"a": 1, "b": 0, "long": 2}})
RUN = Run.of({"q": [("a", 2), ("long", 1), ("b", 1)]})


def derivation_of(name):
    return explain(Measure("AP", 2), QRELS, RUN, parse_convention(name))


@pytest.mark.parametrize(
    ("one", "other"), [("default", "kaggle"), ("sklearn", "trec_eval-9.0.8"), ("default", "default")]
)
def test_what_is_compared_is_each_derivation_without_the_lines_of_the_other(one, other):
    lines = lines_of(derivation_of(one), derivation_of(other))
    marked = compared(*lines)
    for mark, expected in zip("+-", lines, strict=True):
        assert [line[2:] for line in marked if not line.startswith(mark)] == expected
    headings = {line for each in lines for line in each if line.startswith("rank")}
    (heading,) = headings  # in columns of the same widths
    hits = {line[heading.index("hits") - 1 :][:2] for each in lines for line in each if line[:1].isdigit()}
    assert all(each[0] == " " and each[1].isdigit() for each in hits)


@pytest.mark.parametrize(("shape", "shown"), [(Shape.RANKING, ("label", "1")), (Shape.QRELS_RUN, ("document", "2"))])
def test_documents_are_those_of_the_shape(shape, shown):
    (lines,) = lines_of(explain(Measure("AP"), QRELS, Run.of({"q": [("long", 1)]})), shape=shape)
    heading, row = (line.split() for line in lines[2:4])
    assert (heading[1], row[heading.index("label")]) == shown
