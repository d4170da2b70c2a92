"""Tables fit where they are printed, and nothing on a screen is longer than a person reads."""

import csv
import io
from fractions import Fraction

import pytest
from rankspec.conformance.reports.blocks import Table, text
from rankspec.conformance.reports.words import shortened_fraction, shortened_list, shortened_text

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
