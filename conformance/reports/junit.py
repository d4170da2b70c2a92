"""A check as JUnit XML, which GitLab, Jenkins, Azure and the reporters for GitHub read.

There is a testsuite an implementation and a testcase a question. What does not conform is a failure; what could not be
asked is skipped, with the reason, and so is a known failure. What else is wrong (a known failure that passes, a stale
entry, a report that is cut off) is a testcase of its own, so that the file is red exactly when the check is.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from rankspec.conformance.cases.plain_text import in_one_line, printable
from rankspec.conformance.checks.records import CaseRecord, CheckRecord, ImplementationRecord
from rankspec.conformance.reports.words import finding, missing_line, passed_line, stale_line

_NO_TIME = "0"
"""Calls are made in batches and take microseconds; parsers want the attribute."""


def junit(record: CheckRecord) -> str:
    """Return the XML."""
    root = ET.Element("testsuites", name="rankspec")
    for implementation in record.implementations:
        _add_suite(root, implementation, record)
    _add_rest(root, record)
    for suite in root:
        _count(suite)
    for total in ("tests", "failures", "errors"):  # the schema of Jenkins knows no other here
        root.set(total, str(sum(int(suite.get(total, "0")) for suite in root)))
    root.set("time", _NO_TIME)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False).join(
        ['<?xml version="1.0" encoding="UTF-8"?>\n', "\n"]
    )


def _add_suite(root: ET.Element, implementation: ImplementationRecord, record: CheckRecord) -> None:
    suite = ET.SubElement(root, "testsuite", name=in_one_line(implementation.label))
    properties = ET.SubElement(suite, "properties")
    told = {
        "convention": implementation.convention,
        "version": implementation.version,
        "python": implementation.data.get("python"),
        "shape": implementation.data.get("shape"),
        "measure": record.measure,
        "rankspec": record.rankspec,
    }
    for name, value in told.items():
        if isinstance(value, str):
            ET.SubElement(properties, "property", name=name, value=in_one_line(value))
    passed = {case for name, case in record.passed if name == implementation.name}
    for case in implementation.cases:
        testcase = _testcase(suite, implementation.name, case.id)
        if passed.intersection({case.id, *case.data.get("cases", ())}):
            _fail(testcase, "unexpected-pass", passed_line(implementation.name, case.id), _body(implementation, case))
            passed -= {case.id, *case.data.get("cases", ())}
        elif case.fails and case.known is None:
            _fail(testcase, case.verdict.value, finding(case), _body(implementation, case))
        elif case.fails:
            message = in_one_line(f"known failure: {case.known}")
            ET.SubElement(testcase, "skipped", message=message).text = _body(implementation, case)
        elif not case.verdict.asked:
            message = f"{case.verdict.value}: {case.detail}" if case.detail else case.verdict.value
            ET.SubElement(testcase, "skipped", message=in_one_line(message))
    for pattern in sorted(passed):  # an entry that no single case is to blame for
        testcase = _testcase(suite, implementation.name, pattern)
        _fail(testcase, "unexpected-pass", passed_line(implementation.name, pattern))


def _add_rest(root: ET.Element, record: CheckRecord) -> None:
    """Add what is wrong but no answer of an implementation, in a suite of its own."""
    missing = missing_line(record)
    if not record.stale and missing is None:
        return
    suite = ET.SubElement(root, "testsuite", name="rankspec")
    for name, case in record.stale:
        _fail(_testcase(suite, name, f"known failure {case}"), "stale-known-failure", stale_line(name, case))
    if missing is not None:
        _fail(_testcase(suite, "rankspec", "the report is complete"), "truncated", missing)


def _testcase(suite: ET.Element, implementation: str, name: str) -> ET.Element:
    return ET.SubElement(
        suite, "testcase", classname=in_one_line(implementation), name=in_one_line(name), time=_NO_TIME
    )


def _fail(testcase: ET.Element, kind: str, message: str, body: str = "") -> None:
    ET.SubElement(testcase, "failure", type=kind, message=in_one_line(message)).text = body or in_one_line(message)


def _body(implementation: ImplementationRecord, case: CaseRecord) -> str:
    """Return what a person needs to know about a case, a line each."""
    told = {
        "case": case.id,
        "measure": case.measure,
        "convention": implementation.convention,
        "verdict": case.verdict.value,
        "got": case.got,
        "exact": case.exact or "",
        "reason": case.detail,
        "known": case.known or "",
        "see": f"rankspec fixtures show {case.id}",
    }
    return "\n".join(f"{name}: {printable(value)}" for name, value in told.items() if value)


def _count(suite: ET.Element) -> None:
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    suite.set("errors", "0")
    suite.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    suite.set("time", _NO_TIME)
