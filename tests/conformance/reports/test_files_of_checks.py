"""JUnit XML, the summary of a CI job and the badge: red when the check is, and any text can be in them."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept_checks import case, check, implementation, one
from rankspec.conformance.checks.records import check_record
from rankspec.conformance.reports.checks.files import badge, junit, markdown


def parsed(data):
    return ET.fromstring(junit(check_record(data)).encode())  # noqa: S314 - our own


def cases_of(root):
    return {each.get("name"): each for each in root.iter("testcase")}


@pytest.mark.parametrize(
    ("verdict", "cause"),
    [
        ("other-convention", "No rule that is known accounts for these answers."),
        ("wrong", "No rule that is known accounts for these answers."),
        ("undefined", "Denominator=cutoff."),
        ("unstable", "Denominator=cutoff."),
        ("error", "It raises denominator=cutoff."),
        ("crash", "It crashes: denominator=cutoff."),
        ("timeout", "Denominator=cutoff."),
    ],
)
def test_what_does_not_conform_is_a_failure_that_says_all(verdict, cause):
    root = parsed(one(case("edge.a", verdict, 0.25, detail="denominator=cutoff")))
    failure = cases_of(root)["edge.a"].find("failure")
    assert failure.get("type") == verdict
    assert failure.get("message") == f"{cause} 0.25, expected 1/2"
    told = dict(line.split(": ", 1) for line in failure.text.splitlines())
    assert told["got"] == "0.25"
    assert told["exact"] == "1/2"
    assert told["reason"] == "denominator=cutoff"
    assert told["convention"] == "kaggle"
    assert told["measure"] == "AP@10"
    assert root.get("failures") == root[0].get("failures") == "1"


@pytest.mark.parametrize("verdict", ["unsupported", "not-expressible"])
def test_what_could_not_be_asked_is_skipped_with_the_reason(verdict):
    root = parsed(one(case("edge.a", verdict, None, detail="lorem")))
    assert cases_of(root)["edge.a"].find("skipped").get("message") == f"{verdict}: lorem"
    assert root[0].get("skipped") == "1"
    assert root.get("failures") == "0"


def test_an_unexpected_pass_a_stale_entry_and_a_truncated_report_are_failures():
    entry = [{"implementation": "m.py:f", "id": "edge.a"}]
    stale = [{"implementation": "m.py:f", "id": "edge.z"}]
    data = one(case("edge.a"), unexpected_passes=entry, stale_known_failures=stale, complete=False, to_come=9)
    root = parsed(data)
    failures = {name: each.find("failure") for name, each in cases_of(root).items()}
    assert failures["edge.a"].get("type") == "unexpected-pass"
    kinds = {failure.get("type"): (name, failure.get("message")) for name, failure in failures.items()}
    assert "edge.z" in kinds["stale-known-failure"][0]
    assert re.findall(r"\d+", kinds["truncated"][1]) == ["1", "9"]
    assert root.get("failures") == "3"


def test_a_pattern_that_passes_is_a_failure_of_its_own():
    entry = [{"implementation": "m.py:f", "id": "edge.*"}]
    root = parsed(one(case("edge.a"), unexpected_passes=entry))
    assert cases_of(root)["edge.*"].find("failure").get("type") == "unexpected-pass"
    assert cases_of(root)["edge.a"].find("failure") is None


def test_an_entry_by_another_id_of_the_question_fails_the_question():
    entry = [{"implementation": "m.py:f", "id": "edge.b"}]
    root = parsed(one(case("edge.a", cases=["edge.a", "edge.b"]), unexpected_passes=entry))
    assert list(cases_of(root)) == ["edge.a"]
    assert root.get("failures") == "1"


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
