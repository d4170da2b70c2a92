"""Tables fit where they are printed; files of a check are red when it is; what a picture draws is the value."""

import csv
import io
import sys
from fractions import Fraction
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from kept_checks import case, check, implementation, one
from rankspec.conformance.checks.records import check_record
from rankspec.conformance.cli.main import verbs
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.infer.resolve.search import spread
from rankspec.conformance.reports.blocks import Table, text
from rankspec.conformance.reports.checks.files import badge, junit, markdown
from rankspec.conformance.reports.derivations.curve import curve_svg, picture
from rankspec.conformance.reports.derivations.text import compared, lines_of
from rankspec.conformance.reports.plots import p_words
from rankspec.conformance.reports.words import shortened_fraction, shortened_list, shortened_text
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle import Measure, Qrels, Run, explain, parse_convention, parse_expression, parse_measure
from rankspec.oracle.scoring.significance.results import PValue

WIDTHS = (80, 120, 200)
ROWS = [
    ("witness.negative-grades.nonrelevant.unjudged.nonrelevant", "AP@10", "1/3", "denominator=min-relevant-cutoff"),
    ("edge.a", "nDCG(dcg='exp-log2')@10", "", "Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod."),
    ("edge.b", "AP", "0", ""),
]
HEADINGS = ("case", "measure", "exact", "meaning")


def listing(rows=ROWS, **options):
    table = Table(*HEADINGS, **options)
    for row in rows:
        table.add_row(*row)
    return table


def printed(renderable, width=None):
    return list(renderable.tabbed()) if width is None else text([renderable], width).splitlines()


@pytest.mark.parametrize("width", [58, *WIDTHS])
@pytest.mark.parametrize("indent", [0, 2])
def test_no_line_is_longer_than_the_terminal_and_no_word_is_lost(width, indent):
    lines = printed(listing(indent=indent), max(width, 58 + indent))
    assert max(map(len, lines)) <= max(width, 58 + indent)
    words = {word for line in lines for word in line.split()}
    assert {word for row in ROWS for cell in row for word in cell.split()} <= words


def test_a_row_that_does_not_fit_becomes_a_card_with_its_headings():
    assert printed(listing(), 80) == [
        "witness.negative-grades.nonrelevant.unjudged.nonrelevant",
        "  measure: AP@10  exact: 1/3  meaning: denominator=min-relevant-cutoff",
        "edge.a",
        "  measure: nDCG(dcg='exp-log2')@10",
        "  meaning: Lorem ipsum dolor sit amet consectetur adipiscing elit sed do",
        "    eiusmod.",
        "edge.b",
        "  measure: AP  exact: 0",
    ]
    # Where the others fit, the last column is broken between words.
    assert printed(listing(ROWS[1:]), 90) == [
        "case    measure                  exact  meaning",
        "edge.a  nDCG(dcg='exp-log2')@10         Lorem ipsum dolor sit amet consectetur adipiscing",
        "                                        elit sed do eiusmod.",
        "edge.b  AP                       0",
    ]
    lines = text(["  denominator=min-relevant-cutoff lorem ipsum dolor sit"], 20).splitlines()
    assert lines == ["  denominator=min-relevant-cutoff", "    lorem ipsum", "    dolor sit"]
    assert printed(Table("a", rows=[("two\nlines\x1b[31m",)]), 80)[1] == r"two lines\x1b[31m"


def test_elsewhere_a_row_is_a_line_without_padding():
    assert printed(listing(indent=2)) == ["\t".join(row) for row in (HEADINGS, *ROWS)]
    assert [tuple(row) for row in csv.reader(io.StringIO(listing().csv()))] == [HEADINGS, *ROWS]
    assert "<b>" not in Table("<b>", rows=[("<b>",)]).html("<b>")


@pytest.mark.parametrize("text", ["=1+1", "@SUM(A1)", "+cmd|x", "-A1", "=HYPERLINK(1)", "-2+3+cmd|x", "+1-1"])
def test_no_spreadsheet_computes_a_cell(text):
    assert Table("query", rows=[(text,)]).csv() == f"query\n'{text}\n"


@pytest.mark.parametrize("text", ["-0.5", "+1", "-", "-inf", "-1/2", "-1.5e-07", "a=b", "q-1"])
def test_what_is_no_formula_stays(text):
    assert Table("query", rows=[(text,)]).csv() == f"query\n{text}\n"


@pytest.mark.parametrize("number", [1, 5])
def test_a_row_has_a_cell_under_each_heading(number):
    with pytest.raises(ValueError, match=rf"^{number} .* 4 "):
        listing([("edge.a",) * number])


def test_a_long_table_in_markdown_says_how_much_it_hides():
    lines = Table("a", rows=[(number,) for number in range(10_000)]).markdown().split("\n")
    shown = sum(line.startswith("| ") for line in lines) - 2
    assert lines[-1].startswith(f"... and {10_000 - shown} more")


@pytest.mark.parametrize(
    ("shortened", "short"),
    [
        *((shortened_text("a"), "a"), (shortened_text("x" * 100 + "end", 20), "xxxxxxxx...xxxxxend (103 characters)")),
        *((shortened_list([0, 1, 0]), "0 1 0"), (shortened_list([]), "")),
        (shortened_list([0, 1] * 494), "0 1 0 1 0 ... 1 0 1 0 1 (988 documents)"),
        *((shortened_fraction("37/48"), "37/48"), (shortened_fraction("nan"), "nan")),
    ],
)
def test_what_is_long_is_cut_in_the_middle(shortened, short):
    assert shortened == short


def test_fractions_have_their_digits_and_a_decimal():
    fraction = Fraction(10**400 // 7, 10**400 // 3)
    text = f"{fraction.numerator}/{fraction.denominator}"
    shortened = shortened_fraction(text)
    assert len(shortened) < 60
    assert shortened.endswith("(400 digits) = 0.4285714286")
    assert shortened.startswith(text[:5])


def parsed(data):
    return ET.fromstring(junit(check_record(data)).encode())  # noqa: S314 - our own


def cases_of(root):
    return {each.get("name"): each for each in root.iter("testcase")}


@given(st.text(st.characters(), max_size=40), st.text(st.characters(), max_size=40))
def test_any_text_makes_xml_that_can_be_read(detail, name):
    text = junit(check_record(check(implementation(case("edge.a", "error", None, detail=detail), name=f"f{name}"))))
    root = ET.fromstring(text.encode("utf-8"))  # noqa: S314 - our own
    assert root[0].get("failures") == "1"


def test_control_characters_are_written_out():
    root = parsed(one(case("edge.a", "error", None, got="ValueError", detail="a\x1b[31m\x00b\ud800c")))
    assert r"a\x1b[31m\x00b\ud800c" in cases_of(root)["edge.a"].find("failure").text


# What the schema of Jenkins (junit-10.xsd) allows.
ALLOWED = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname", "id", "package"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"name", "time", "classname"}, {"skipped", "error", "failure", "system-out", "system-err"}),
    "failure": ({"type", "message"}, set()),
    "skipped": ({"type", "message"}, set()),
}


def test_nothing_stands_there_that_the_schema_of_jenkins_does_not_know():
    stale = [{"implementation": "m.py:f", "id": "edge.z"}]
    cases = (case("edge.a"), case("edge.b", "wrong"), case("edge.c", "unsupported", None), case("edge.d", known="x"))
    root = parsed(one(*cases, stale_known_failures=stale))
    for element in root.iter():
        attributes, children = ALLOWED[element.tag]
        assert set(element.attrib) <= attributes
        assert {child.tag for child in element} <= children


ENTRY = [{"implementation": "m.py:f", "id": "edge.z"}]


def written(data):
    return markdown(check_record(data))


def test_a_long_table_is_cut_and_says_so():
    text = written(one(*(case(f"edge.a{number}", "wrong") for number in range(450))))
    assert text.count("\n| `edge.a") == 200
    assert "... and 250 more" in text
    assert len(text.encode()) < 2**20


@pytest.mark.parametrize(
    ("data", "message", "colour"),
    [
        (one(case("edge.a"), case("edge.b", "wrong")), "1/2", "red"),
        (one(case("edge.a"), case("edge.b", "wrong", known="x")), "1/2", "yellowgreen"),
        (one(case("edge.a"), stale_known_failures=ENTRY), "1/1", "red"),
        (one(case("edge.a"), case("edge.b", "unsupported", None)), "1/1", "brightgreen"),
        (one(case("edge.a"), complete=False), "1/1 (incomplete)", "lightgrey"),
        (one(), "0/0", "lightgrey"),
    ],
)
def test_message_and_colour(data, message, colour):
    made = badge(check_record(data))
    assert (made["message"], made["color"]) == (message, colour)


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
