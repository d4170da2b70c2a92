"""A check as the files that others read: Markdown for the summary of a CI job, JUnit XML, a badge."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

from rankspec.conformance.answers.check import OF_VALUE, cause_sentence, check_answer, option_of, typed
from rankspec.conformance.cases.plain_text import in_one_line, printable
from rankspec.conformance.checks.causes import causes_of
from rankspec.conformance.checks.records import CaseRecord, CheckRecord, ImplementationRecord
from rankspec.conformance.reports.blocks import Table, bullets, code, folded, prose
from rankspec.conformance.reports.checks.check import DRIFT, FAILURE, by_interest
from rankspec.conformance.reports.words import (
    compared_texts,
    counted,
    drift_cells,
    drift_line,
    missing_line,
    passed_line,
    short_number,
    stale_line,
    verdicts_line,
)
from rankspec.oracle.language.expression import family_in

_CODE = ("smallest case", "measure")
_LONGEST_LABEL = 60
_NO_TIME = "0"  # Calls are made in batches and take microseconds; parsers of JUnit XML want the attribute


def markdown(record: CheckRecord) -> str:
    """Return a section that ends with an empty line: what is wrong first, what is known behind a fold."""
    return "\n\n".join(_sections(record)) + "\n\n"


def _sections(record: CheckRecord) -> Iterator[str]:
    yield f"## rankspec: {_headline(record)}"
    if (missing := missing_line(record)) is not None:
        yield f"**{prose(missing)}**"
    totals = (
        (each.label, each.convention, f"{each.conforming} of {len(each.applicable)}", verdicts_line(each))
        for each in record.implementations
    )
    yield Table("implementation", "convention", "conform", "verdicts", rows=totals, code=("convention",)).markdown()
    for each in record.implementations:
        if each.unexpected:
            answer = check_answer(record, each)
            yield f"### {prose(answer.headline)}"
            causes = (
                (cause.sentence, cause.count, cause.case.id, cause.case.measure, cause.values)
                for cause in answer.causes
            )
            yield Table("cause", "cases", "smallest case", "measure", "values", rows=causes, code=_CODE).markdown()
            if answer.following:
                yield "\n".join(f"- {label}: {code(text)}" for label, text in answer.following)
            failures = (_cells(case, case.detail) for case in each.unexpected)
            table = Table(*FAILURE, rows=failures, code=("case", "measure"))
            yield folded(f"Every case that fails ({len(each.unexpected)})", table.markdown())
        if known := [case for case in each.failing if case.known is not None]:
            table = Table(
                *FAILURE[:-1], "why", rows=(_cells(case, case.known or "") for case in known), code=("case", "measure")
            )
            yield folded(f"{counted(len(known), 'known failure')} of {each.label}", table.markdown())
    if gate := [passed_line(*entry) for entry in record.passed] + [stale_line(*entry) for entry in record.stale]:
        yield bullets(gate)
    if differing := _differences(record):
        yield folded("Where their conventions differ", differing.markdown())
    for drift in record.drift:
        line, rows = drift_line(drift), list(drift_cells(drift))
        yield folded(line, Table(*DRIFT, rows=rows, code=("case", "measure")).markdown()) if rows else prose(line)


def _headline(record: CheckRecord) -> str:
    count = len(record.unexpected)
    if count:
        return f"{count} {'case does' if count == 1 else 'cases do'} not conform"
    if record.passed or record.stale:
        return "the list of known failures is out of date"
    if not record.complete:
        return "the report is not complete"
    known = sum(len(each.failing) for each in record.implementations)
    return f"as known, with {counted(known, 'known failure')}" if known else "every case conforms"


def _cells(case: CaseRecord, what: str) -> tuple[str, ...]:
    return case.id, case.measure, compared_texts(case.got, case.exact)[0], case.exact or "", case.verdict.value, what


def _differences(record: CheckRecord) -> Table | None:
    names = [each.name for each in record.implementations]
    shows = "a case that shows it"
    table = Table("axis", *names, shows, "answers", code=("axis", shows))
    for row in by_interest(record.differences):
        numbers = row.numbers or {}
        answers = " / ".join(short_number(numbers[name]) for name in names if name in numbers)
        table.add_row(row.axis, *(row.values.get(name) or "-" for name in names), row.case or "", answers)
    return table if table.rows else None


FIRST_LINE = "from rankspec.conformance.testing import parametrize_with_cases"
"""A test file that does not begin with it was written by somebody else."""


def pytest_file(record: CheckRecord) -> str:
    """Return a test file that asks the same of each implementation, a test a cause."""
    lines = [FIRST_LINE]
    names = [each.name.replace(OF_VALUE, " ") for each in record.implementations]
    functions = Counter(name.rpartition(":")[2] for name in names)
    for each, of_file in zip(record.implementations, names, strict=True):
        is_function = each.library is None and each.name.partition(":")[0] not in {"jsonl", "cmd"}
        shape = each.shape if is_function else None
        # What was identified is stated, so that no run has to find it out again: of all cutoffs the one asked most.
        asked = Counter(case.measure for case in each.applicable).most_common(1) if shape is not None else []
        measure = record.measure or next((measure for measure, _ in asked), None)
        # Of one that follows no convention nothing is known of its choices, and none is asked.
        is_known = not is_function or each.followed is not None or not each.unexpected
        held_to = {option_of(each, each.convention): each.convention} if is_known else {}
        stated = {**held_to, "measure": measure, "shape": shape}
        options = "".join(f", {name}={json.dumps(value)}" for name, value in stated.items() if value is not None)
        own = of_file.rpartition(":")[2]
        of_name = own if functions[own] == 1 else of_file
        name = re.sub(r"\W+", "_", of_name.rpartition("/")[2]).strip("_").lower()
        lines += [
            "",
            "",
            f"@parametrize_with_cases({json.dumps(typed(each.name)[0])}{options})",
            f"def test_{name}(case):",
            "    case.check()",
        ]
    return "\n".join(lines) + "\n"


def badge(record: CheckRecord) -> dict[str, Any]:
    """Return the object that shields.io's endpoint form reads: `AP under kaggle`, `115/121`, and a colour."""
    # It is bright green if every case conforms, yellow-green if the others are known failures, red if the check fails,
    # and grey if the report is not complete.
    counts = [f"{each.conforming}/{len(each.applicable)}" for each in record.implementations]
    if len(counts) > 1:
        counts = [f"{each.name} {count}" for each, count in zip(record.implementations, counts, strict=True)]
    message = ", ".join(counts) or "nothing checked"
    if not record.complete:
        message += " (incomplete)"
    return {"schemaVersion": 1, "label": _label(record), "message": in_one_line(message), "color": _colour(record)}


def _label(record: CheckRecord) -> str:
    conventions = {each.convention for each in record.implementations}
    asked = {case.measure for each in record.implementations for case in each.applicable}
    families = {family for measure in asked if (family := family_in(measure))}
    what = record.measure or (families.pop() if len(families) == 1 else "ranking metrics")
    label = f"{what} under {conventions.pop()}" if len(conventions) == 1 else f"{what} conformance"
    return in_one_line(label, _LONGEST_LABEL)


def _colour(record: CheckRecord) -> str:
    if not record.complete or not any(each.applicable for each in record.implementations):
        return "lightgrey"
    if not record.holds:
        return "red"
    return "yellowgreen" if any(each.failing for each in record.implementations) else "brightgreen"


def junit(record: CheckRecord) -> str:
    """Return the XML that GitLab, Jenkins, Azure and the reporters for GitHub read."""
    # There is a testsuite an implementation and a testcase a question. The smallest case of each cause is a failure;
    # the others are skipped, and name it, so that one mistake is one failure. What could not be asked is skipped, with
    # the reason, and so is a known failure. What else is wrong (a known failure that passes, a stale entry, a report
    # that is cut off) is a testcase of its own, so that the file is red exactly when the check is.
    root = ET.Element("testsuites", name="rankspec")
    for implementation in record.implementations:
        _add_suite(root, implementation, record)
    _add_rest(root, record)
    for suite in root:
        cases = suite.findall("testcase")
        suite.set("tests", str(len(cases)))
        suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
        suite.set("errors", "0")
        suite.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
        suite.set("time", _NO_TIME)
    for total in ("tests", "failures", "errors"):  # the schema of Jenkins knows no other here
        root.set(total, str(sum(int(suite.get(total, "0")) for suite in root)))
    root.set("time", _NO_TIME)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _add_suite(root: ET.Element, implementation: ImplementationRecord, record: CheckRecord) -> None:
    suite = ET.SubElement(root, "testsuite", name=in_one_line(implementation.label))
    properties = ET.SubElement(suite, "properties")
    stated = {
        "convention": implementation.convention,
        "version": implementation.version,
        "python": implementation.python,
        "shape": implementation.shape,
        "measure": record.measure,
        "rankspec": record.rankspec,
        "diagnosis": implementation.diagnosis_text,
    }
    for name, value in stated.items():
        if isinstance(value, str):
            ET.SubElement(properties, "property", name=name, value=in_one_line(value))
    passed = {case for name, case in record.passed if name == implementation.name}
    causes = {case.id: cause for cause in causes_of(implementation) for case in cause.cases}
    for case in implementation.cases:
        testcase = _testcase(suite, implementation.name, case.id)
        if passed & {*case.ids}:
            _fail(testcase, "unexpected-pass", passed_line(implementation.name, case.id), _body(implementation, case))
            passed -= {*case.ids}
        elif case.fails and case.known is None:
            cause = causes[case.id]
            sentence, first = cause_sentence(implementation, cause), cause.cases[0]
            if case is first:
                count = f"{len(cause.cases)} cases: " if len(cause.cases) > 1 else ""
                message = f"{count}{sentence} {case.got}, expected {case.exact or 'nothing'}"
                _fail(testcase, case.verdict.value, message, _body(implementation, case))
            else:
                message = in_one_line(f"the same cause as {first.id}: {sentence}")
                ET.SubElement(testcase, "skipped", message=message).text = _body(implementation, case)
        elif case.fails:
            message = in_one_line(f"known failure: {case.known}")
            ET.SubElement(testcase, "skipped", message=message).text = _body(implementation, case)
        elif not case.verdict.is_applicable:
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
    lines = {
        "case": case.id,
        "measure": case.measure,
        "convention": implementation.convention,
        "verdict": case.verdict.value,
        "got": case.got,
        "exact": case.exact or "",
        "reason": case.detail,
        "diagnosis": (implementation.diagnosis_text or "") if case.fails and case.known is None else "",
        "known": case.known or "",
        "see": f"rankspec fixtures show {case.id}",
    }
    return "\n".join(f"{name}: {printable(value)}" for name, value in lines.items() if value)
