"""What `report-bug` files: the smallest failure of a check, a case, or what a library's record has."""

from __future__ import annotations

from collections.abc import Sequence

from rankspec.conformance.atlas.records import AtlasError, measured_as, named, of_implementation, shipped_records
from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.questions.question import Question, questions_of
from rankspec.conformance.reproducing.bug import Filed
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.expression import parse_expression


def smallest_failure(record: CheckRecord, file: str, name: str) -> str:
    """Return the id of a kept check's smallest failure; `InputError` if it has none of the implementation."""
    listed = record.implementations
    matching = [each for each in listed if each.name == name]
    if not matching:
        raise InputError(
            f"{file}: it has {', '.join(each.name for each in listed)}, not {name}", code="unknown-implementation"
        )
    failing = sorted(matching[0].failing, key=lambda case: case.size)
    if not failing:
        raise InputError(f"{file}: every case of {name} conforms", code="nothing-fails")
    return failing[0].id


def filed_case(name: str, case: str, cases: Sequence[Case], measure: Measure | None, library: str) -> Filed:
    """Return what is filed of a case; `InputError` if there is no such case, or it asks nothing."""
    filed = next((each for each in cases if each.id == case), None)
    if filed is None:
        raise InputError(f"{case}: there is no such case; `rankspec fixtures list` shows them", code="unknown-case")
    questions = questions_of([filed], measure)
    if not questions:
        raise InputError(f"{case}: the case asks no implementation anything", code="nothing-asked")
    return Filed(questions[0], filed, library, _causes(name, questions[0].measure))


def filed_record(name: str, measure: Measure, library: str) -> tuple[Filed, Convention]:
    """Return what is filed of a library's record (its smallest input), and the nearest convention; or `AtlasError`."""
    records = [each for each in named(shipped_records(), name) if each.measured]
    measured = [each for record in records[-1:] for each in measured_as(record, measure)]
    own = of_implementation(measured, name)
    smallest = next((each.smallest for each in own if each.smallest is not None), None)
    if smallest is None or smallest.convention is None:
        raise AtlasError(
            f"{name}: its record has no input on which {measure} differs from a convention; give a CASE",
            code="measure-not-recorded",
        )
    data = case_input({key: value for key, value in smallest.input.items() if key != "k"})
    measure_of_input, convention = parse_expression(smallest.convention)
    question = Question(f"the atlas for {measure_of_input}", measure_of_input, data.qrels, data.run)
    return Filed(question, None, library, _causes(name, measure_of_input)), convention


def _causes(name: str, measure: Measure) -> dict[str | None, str]:
    """Return what the atlas says that a library does and no convention says, by version."""
    try:
        records = named(shipped_records(), name)
    except AtlasError:
        return {}
    adapter = name.partition("==")[0]
    return {
        record.version: f"{each.expression}, except for {'; '.join(each.deviations)}"
        for record in records
        for each in measured_as(record, measure)
        if each.implementation == adapter and each.deviations
    }
