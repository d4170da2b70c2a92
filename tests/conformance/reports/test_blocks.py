"""Tables fit where they are printed, and nothing in a name does anything there; a picture draws the value."""

import csv
import io
import json
import re
import sys
import unicodedata
from fractions import Fraction
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import html5lib
import pytest
from campaign import one_in
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from kept_checks import case, check, implementation, one
from markdown_it import MarkdownIt
from rankspec.conformance.cases.plain_text import printable
from rankspec.conformance.checks.records import check_record
from rankspec.conformance.cli.main import verbs
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.reports.blocks import Table, text
from rankspec.conformance.reports.checks.files import badge, junit, markdown
from rankspec.conformance.reports.derivations.markup import html
from rankspec.conformance.reports.derivations.text import compared, lines_of
from rankspec.conformance.reports.plots import p_words, picture
from rankspec.conformance.reports.words import shortened_fraction, shortened_list, shortened_text
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle import DEFAULT, Measure, Qrels, Run, explain, parse_convention, parse_expression, parse_measure
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


EXPLAIN = ["explain", "--measure", "AP", "--relevance", "1,0,1", "--num-relevant", "4"]


def test_what_a_p_value_is_called():
    assert p_words(PValue("exact", Fraction(1, 3))) == "p = 0.333 = 1/3, exact"
    assert p_words(PValue("student", Fraction(1, 3))).startswith("p = 0.333, ")
    assert p_words(PValue("student", None, undefined="lorem")).endswith("(lorem)")


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        ([*EXPLAIN, "--plot", "o.doc"], 1, ".svg"),
        ([*EXPLAIN, "--plot", "o.svg"], 1, "rankspec[plot]"),
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


IDS = {
    "colour": "\x1b[31mq",
    "hyperlink": "\x1b]8;;http://evil.example\x07q",
    "one-byte escape": "\x9b31mq",
    "delete": "q\x7f",
    "backspaces": "q\x08\x08",
    "rtl": "\u202eq",
    "isolate": "\u2066q",
    "direction": "\u200fq",
    "bom": "q\ufeff",
    "zero-width": "q\u200bx",
    "line separator": "q\u2028x",
    "tag": "q\U000e0041",
    "script": "<script>alert(1)</script>",
    "handler": "<img/src=x/onerror=alert(1)>",
    "attribute": "\"onload='alert(1)",
    "link": "[a](javascript:alert(1))",
    "image": "![a](http://evil.example/a.png)",
    "column": "a|b|c",
    "code": "`a`<b>",
    "formula": "=1+1",
    "function": "@SUM(1)",
    "command": "-1+cmd|'/C",
    "macro": "\\input{secret}",
    "mathematics": "$x$",
    "cdata": "]]><x/>",
    "entity": "&lt;",
    "fraction": "3/4",
    "half-fraction": "12/0",
}
DOORS = {
    "score": ("score", "--qrels", "qrels", "--run", "run", "-q", "--exact"),
    "leaderboard": ("score", "--qrels", "qrels", "--run", "run", "--run", "other", "-q"),
    "trec_eval": ("score", "--qrels", "qrels", "--run", "run", "-q", "--format", "trec_eval"),
    "explain": ("explain", "--qrels", "qrels", "--run", "run"),
    "side-by-side": ("explain", "--qrels", "qrels", "--run", "run", "--under", "default", "--under", "trec_eval-9.0.8"),
    "compare": ("compare", "--qrels", "qrels", "run", "other", "--per-query", "--permutations", "10"),
    "check": ("check", "own.py:found", "--cases", "edge.no-relevant*", "--no-identify"),
}
UNSEEN = {"Cc", "Cs", "Cf", "Zl", "Zp"}


def unseen(text):
    return {character for character in text if unicodedata.category(character) in UNSEEN} - set("\n\t")


HIDDEN = {name: found for name, found in IDS.items() if unseen(found)}
"""Those that a terminal would obey."""

EACH_TIME = (
    *("colour", "rtl", "line separator", "script", "attribute", "link", "column", "code", "formula", "macro"),
    *("mathematics", "cdata", "entity", "fraction"),
)
"""An id of each kind of fault."""


def ids(those, each_time=EACH_TIME):
    """Return ids as parameters, of which one of each kind is tried every time."""
    return pytest.mark.parametrize(
        "found",
        [pytest.param(those[name], id=name, marks=[pytest.mark.campaign] * (name not in each_time)) for name in those],
    )


every_id = ids(IDS)


@pytest.fixture
def said(rankspec, tmp_path, monkeypatch, found):
    """Run a verb on files whose ids are hostile, and return what it prints."""
    monkeypatch.chdir(tmp_path)
    write = {
        "qrels": f"{found} 0 {found} 1\nb 0 {found} 0\nb 0 x 1\n",
        "run": f"{found} Q0 {found} 1 1.5 {found}\n{found} Q0 x 2 1.5 t\nb Q0 {found} 1 0.5 t\nb Q0 x 2 0.25 t\n",
        "other": f"{found} Q0 {found} 1 1.5 t\n{found} Q0 y 2 2.5 t\nb Q0 {found} 1 0.5 t\n",
        "own.py": f"def found(relevance, num_relevant):\n    raise ValueError({found!r})\n",
    }
    for name, content in write.items():
        (tmp_path / name).write_text(content, encoding="utf-8")

    def run(*arguments):
        ended = rankspec(*arguments)
        assert ended.status in {0, 1} or ended.code == "oracle-needed"
        assert unseen(ended.err) == set()
        return ended.out

    return run


@ids(HIDDEN)
@one_in(2)
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize(
    "terminal", [pytest.param(False, id="pipe", marks=pytest.mark.campaign), pytest.param(True, id="terminal")]
)
def test_a_terminal_is_told_nothing(said, found, door, terminal, monkeypatch):
    if terminal:
        monkeypatch.setenv("TTY_COMPATIBLE", "1")
        monkeypatch.setenv("NO_COLOR", "1")
    shown = re.sub(r"\x1b\[(?:0|1|2|1;2)?m", "", said(*door)) if terminal else said(*door)
    if "--format" in door and not terminal:
        assert found in shown  # a program reads the id as it is
    else:
        assert unseen(shown) == set()


@every_id
@pytest.mark.parametrize("door", ["score", "explain", "compare"])
def test_json_holds_the_id_and_shows_it(said, found, door):
    text = said(*(each for each in DOORS[door] if each != "--exact"), "--json")
    assert unseen(text) == set()
    assert found in _texts(json.loads(text))


def _texts(content):
    if isinstance(content, dict):
        return {*content, *(text for each in content.values() for text in _texts(each))}
    if isinstance(content, list):
        return {text for each in content for text in _texts(each)}
    return {content} if isinstance(content, str) else set()


@every_id
@pytest.mark.parametrize("door", ["score", "compare"])
def test_a_spreadsheet_computes_nothing(said, found, door):
    rows = list(csv.reader(io.StringIO(said(*DOORS[door], "--csv"))))
    assert len({*map(len, rows)}) == 1
    assert not [cell for row in rows for cell in row if re.match(r"[=@]|[+-](?![0-9.]+$)", cell)]


@every_id
@pytest.mark.parametrize("door", ["explain", "side-by-side"])
def test_markdown_has_text_alone(said, found, door):
    rendered = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(said(*DOORS[door], "--markdown"))
    _require_harmless(rendered)
    if door == "side-by-side":
        assert rendered.count("<pre>") == rendered.count("<") - rendered.count("</") - 1 == 1  # one block of code
        return
    rows = re.findall(r"<tr>(.*?)</tr>", rendered.split("</table>")[0], re.DOTALL)
    assert len({len(re.findall(r"<t[hd]", row)) for row in rows}) == 1


@every_id
def test_a_page_has_text_alone(found):
    qrels, run = Qrels.of({found: {found: 1}}), Run.of({found: {found: 1}})
    derivation = explain(parse_measure("AP"), qrels, run, DEFAULT)
    for fragment in (html(derivation), html(derivation, derivation)):
        _require_harmless(fragment)
        assert unseen(fragment) == set()


def _require_harmless(fragment):
    """Require that a fragment has no element that loads, links or runs anything."""
    for element in html5lib.parseFragment(fragment, namespaceHTMLElements=False).iter():
        assert element.tag not in {"script", "img", "a", "b", "x", "iframe"}
        assert not [name for name in element.attrib if str(name).startswith("on")]


@every_id
def test_latex_has_text_alone(said, found):
    text = said(*DOORS["explain"], "--latex")
    assert "\\input" not in text
    assert unseen(text) == set()
    assert all(line.count("$") % 2 == 0 for line in text.replace("\\$", "").splitlines())


@ids(IDS, ("colour", "script", "cdata", "entity"))
def test_files_of_a_check_are_well_formed(said, found, tmp_path):
    said(*DOORS["check"], "--junit", "found.xml", "--markdown", "found.md")
    suites = ET.parse(tmp_path / "found.xml").getroot()  # noqa: S314 - our own
    assert suites.find(".//failure") is not None
    markdown = (tmp_path / "found.md").read_text(encoding="utf-8")
    assert unseen(markdown) == set()
    _require_harmless(MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(markdown))


@pytest.mark.parametrize("found", ["3/4", "12/0"])
def test_an_id_is_no_number(said, found):
    assert re.search(rf"\n1 +{found} +1 ", said(*DOORS["explain"], "--query", found))
    assert f"\n1 & {found} & 1 " in said(*DOORS["explain"], "--query", found, "--latex")


def test_no_printable_character_is_written_out():
    """Texts of these alone are not looked at any closer; one with a line break is."""
    text = "".join(each for each in map(chr, range(sys.maxunicode + 1)) if each.isprintable())
    assert printable(f"\n{text}") == f"\n{text}"
