"""The summary of a CI job and the badge."""

import pytest
from kept_checks import case, check, implementation, one
from rankspec.conformance.checks.records import check_record
from rankspec.conformance.reports.checks.files import badge, markdown

ENTRY = [{"implementation": "m.py:f", "id": "edge.z"}]


def written(data):
    return markdown(check_record(data))


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


def test_a_badge_of_several():
    both = (implementation(case("edge.a"), name="a"), implementation(case("edge.a", "wrong"), name="b"))
    assert badge(check_record(check(*both)))["message"] == "a 1/1, b 0/1"
    other = implementation(case("edge.a", measure="P@5"), name="b", convention="default")
    label = badge(check_record(check(both[0], other)))["label"]
    assert "kaggle" not in label
    assert "default" not in label


def test_the_stated_measure_is_in_the_label():
    assert badge(check_record(one(case("edge.a"), measure="AP@10")))["label"] == "AP@10 under kaggle"
