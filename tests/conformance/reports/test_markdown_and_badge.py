"""The summary of a CI job and the badge."""

from __future__ import annotations

import re

import pytest
from kept_checks import case, check, implementation, one
from rankspec.conformance.checks.records import check_record
from rankspec.conformance.reports.checks.files import badge, markdown

ENTRY = [{"implementation": "m.py:f", "id": "edge.z"}]


def written(data):
    return markdown(check_record(data))


def test_a_case_that_does_not_conform_is_a_row_and_a_known_one_is_folded_away():
    text = written(one(case("edge.a", "wrong", 0.25, detail="lorem"), case("edge.b", "wrong", 1.0, known="why")))
    before, _, folded = text.partition("<details>")
    assert "| `edge.a` | `AP@10` | 0.25 | 1/2 | wrong | lorem |" in before
    assert "edge.b" not in before
    assert "| `edge.b` | `AP@10` | 1 | 1/2 | wrong | why |" in folded


def test_text_of_others_is_neither_markup_nor_another_cell():
    text = written(one(case("edge.a", "error", None, got="E", detail="a|b\n# c <script> `d` [e](f) \x1b[0m")))
    (row,) = [line for line in text.splitlines() if line.startswith("| `edge.a`")]
    assert row.replace("\\|", "").count("|") == 7
    assert "<script>" not in row
    assert "&lt;script&gt;" in row
    assert "\\`d\\`" in row
    assert "\x1b" not in text


def test_a_long_table_is_cut_and_says_so():
    text = written(one(*(case(f"edge.a{number}", "wrong") for number in range(450))))
    assert text.count("| `edge.a") == 200
    assert "... and 250 more" in text
    assert len(text.encode()) < 2**20


def test_differences_are_shown_where_there_are_any():
    row = {"axis": "ties", "values": {"a": "grouped", "b": "input-order"}, "differs": True, "case": "edge.a"}
    same = {"axis": "depth", "values": {"a": "x", "b": "x"}, "differs": False, "case": None}
    both = (implementation(case("edge.a"), name="a"), implementation(case("edge.a"), name="b"))
    text = written(check(*both, differences=[{**row, "numbers": {"a": "0.333333333333", "b": "1"}}, same]))
    assert "| `ties` | grouped | input-order | `edge.a` | 0.333333 / 1 |" in text
    assert "depth" not in text


def test_a_badge_is_what_shields_reads():
    cases = [case(f"edge.a{number}") for number in range(3)]
    assert badge(check_record(one(*cases))) == {
        "schemaVersion": 1,
        "label": "AP under kaggle",
        "message": "3/3",
        "color": "brightgreen",
    }


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


def test_a_badge_of_several():
    both = (implementation(case("edge.a"), name="a"), implementation(case("edge.a", "wrong"), name="b"))
    assert badge(check_record(check(*both)))["message"] == "a 1/1, b 0/1"
    other = implementation(case("edge.a", measure="P@5"), name="b", convention="default")
    label = badge(check_record(check(both[0], other)))["label"]
    assert "kaggle" not in label
    assert "default" not in label


def test_the_stated_measure_is_in_the_label():
    assert badge(check_record(one(case("edge.a"), measure="AP@10")))["label"] == "AP@10 under kaggle"


def test_drift_from_version_to_version_is_shown():
    cases = [
        {"id": "edge.a", "measure": "AP", "kind": "value", "old_text": "1.0", "new_text": "0.5", "exact": "1/2"},
        {"id": "edge.b", "measure": "AP", "kind": "rounding", "old_text": "0.5", "new_text": "0.50000000001"},
    ]
    for each in cases:
        each |= {"old_verdict": "wrong", "new_verdict": "exact"}
    counts = {"compared": 7, "changed": 2, "changed_beyond_rounding": 1, "begun_to_fail": 0, "mended": 1}
    drift = {"library": "ranx", "old": {"version": "0.3.16"}, "new": {"version": "0.3.20"}, **counts, "cases": cases}
    text = written(check(implementation(case("edge.a")), drift=[drift]))
    (line,) = re.findall(r"<summary>(.*)</summary>", text)
    assert re.findall(r"[\d.]+", line) == ["0.3.16", "0.3.20", "1", "7", "1", "1"]
    assert "| `edge.a` | `AP` | 1 | 0.5 | 1/2 | wrong -&gt; exact |" in text
    assert "edge.b" not in text
