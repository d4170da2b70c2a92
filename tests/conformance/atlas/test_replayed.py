"""What the records say of libraries of the test extras, asked again on the smallest inputs that would tell otherwise.

For each axis of each measure, the smallest input on which the recorded convention parts from one with another value is
put to the library: it has to answer as the record says. Lists that the record says are refused have to be refused.
"""

from contextlib import ExitStack
from functools import cache

import pytest
from campaign import DAYS_OF_LIBRARIES, OF_RANX
from rankspec.conformance.atlas.measuring import is_installed
from rankspec.conformance.atlas.records import named, shipped_records
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.minimal_pair import outcome_text
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.infer.witness.separation import separate
from rankspec.conformance.infer.witness.sides import misses
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Rendering, put
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.outcomes import Raised
from rankspec.oracle.conventions.convention import AXES, setting_text
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.language.expression import parse_measure

LIBRARIES = ("scikit-learn", "pytrec-eval-terrier", "ranx")
FEW = 150
"""Inputs that are looked through for each axis."""

RECORDED = [
    pytest.param(each, id=f"{each.spec}-{each.measure}", marks=OF_RANX * (library == "ranx"))
    for library in LIBRARIES
    for record in named(shipped_records(), library)
    for each in record.measured
    if each.convention is not None
]

CHANGED = [param for param in RECORDED if param.values[0].versions is not None and param.values[0].versions.changes]


def others(each):
    """Yield the axes with the values that do not fit, each with the smallest input that would show it."""
    measure, convention = parse_measure(each.measure), each.convention
    for axis in set(measure.axes(convention)) & set(each.axes) - {*each.unused, *each.undecided}:
        for value in AXES[axis].values or ():
            if setting_text(value) in each.axes[axis]:
                continue
            changed = convention.with_setting(axis, value)
            if meaningless(measure, changed) is None:
                found = separate(measure, convention, changed, FEW).input
                if found is not None:
                    yield axis, Question(f"{axis}={setting_text(value)}", measure, found.qrels, found.run)


def is_refused(each, question):
    """Tell whether the record says that such a list is refused: of one document, or of none."""
    lengths = {len(question.run.documents(query)) for query in question.run}
    said = {0: "fails on no documents at all", 1: "fails on a list of one document"}
    return any(text.startswith(said[length]) for length in lengths & set(said) for text in each.observations)


@pytest.fixture(scope="module")
def connected():
    """Connect to an implementation once for all its measures: to start ranx takes seconds."""
    with ExitStack() as stack:
        yield cache(lambda spec: stack.enter_context(Workers(parse(spec)).connect()))


@pytest.mark.campaign(days=DAYS_OF_LIBRARIES)
@pytest.mark.parametrize("each", RECORDED)
def test_the_library_answers_as_its_record_says(each, connected):
    if not is_installed(each.spec):
        pytest.skip(each.spec)
    connection = connected(each.spec.partition("==")[0])
    asked = [(axis, question, put(question, each.convention, connection.hello)) for axis, question in others(each)]
    asked = [(axis, question, put_) for axis, question, put_ in asked if isinstance(put_, Rendering)]
    refused = [is_refused(each, question) for _, question, _ in asked]
    outcomes = connection.ask([put_.call for _, _, put_ in asked]).outcomes
    assert len({axis for axis, _, _ in asked}) >= 2
    wrong = [
        question.id
        for (_, question, put_), outcome, refusal in zip(asked, outcomes, refused, strict=True)
        if (not isinstance(outcome, Raised) if refusal else misses(outcome, put_.expectation))
    ]
    assert wrong == []


@pytest.mark.campaign(days=DAYS_OF_LIBRARIES)
@pytest.mark.parametrize("each", CHANGED)
def test_the_newest_version_answers_as_the_last_change_says(each, connected):
    """The input that told two versions apart, asked again: it has the newer one's answer, and not the older one's."""
    if not is_installed(each.spec):
        pytest.skip(each.spec)
    change = each.versions.changes[-1]
    given = case_input({key: value for key, value in change.input.items() if key != "k"})
    question = Question("change", parse_measure(each.measure), given.qrels, given.run)
    connection = connected(each.spec.partition("==")[0])
    asked = put(question, each.convention, connection.hello)
    (outcome,) = connection.ask([asked.call]).outcomes
    query, stated, _ = change.new.partition(": ")
    if stated:  # a value a query
        values = {name: float(number.value) for name, number in outcome.values.items()}
        got = f"{query}: {values.get(query, 'nothing')}"
    else:
        got = outcome_text(outcome)
    assert got == change.new != change.old
