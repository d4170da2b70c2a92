"""JUnit XML, the summary of a CI job and the badge: red when the check is, and any text can be in them."""

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
