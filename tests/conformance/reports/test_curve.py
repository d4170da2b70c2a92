"""Pictures of derivations: what is drawn as counted is the value."""

from html.parser import HTMLParser

import pytest
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.reports.derivations.curve import curve_svg, picture
from rankspec.oracle.derivation import explain
from rankspec.oracle.language.expression import parse_expression


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


def test_levels_are_drawn_as_levels():
    drawn = picture(derived("AP under voc2007"))
    assert len(drawn.levels) == 11
    # recall 0, 0.1 and 0.2 are reached with precision 1, up to 0.5 with 3/4; 0.6 as a double lies above 3/5
    assert sum(up for _, up in drawn.levels) / 11 == pytest.approx((3 * 1 + 3 * 3 / 4) / 11)


def test_the_bars_of_a_sum_over_ranks_are_the_value():
    drawn = picture(derived("RR under default", relevance=(0, 1, 1)))
    assert [bar.height for bar in drawn.bars] == [0, pytest.approx(1 / 2), 0]


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
