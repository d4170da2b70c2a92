"""The drift between versions of one library: what counts as a change, and between whom."""

from dataclasses import replace
from fractions import Fraction

import pytest
from rankspec.conformance.checks.answer import Answer, Checked
from rankspec.conformance.checks.diff import Kind, drifts
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.judge.verdicts import Judgement, Verdict
from rankspec.conformance.questions.expectation import expected
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Refused, Rendering
from rankspec.conformance.run.outcomes import Crashed, Number, PerQuery, Raised
from rankspec.conformance.worker.arguments import RankedLabels
from rankspec.conformance.worker.messages import ANY_MEASURE, Call, Hello
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.conformance.worker.values import Special
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.language.expression import parse_measure

QRELS = Qrels.of({"q": {"d": 1}})
RUN = Run.of({"q": {"d": 1}})
AP = parse_measure("AP")
ASKED = Rendering(
    call=Call("AP", RankedLabels((1,), 1)), qrels=QRELS, run=RUN, expectation=expected(AP, QRELS, RUN, DEFAULT)
)
SIGNATURE = Signature(Shape.RANKING, ("relevance",), Need.ABSENT, Need.ABSENT)


def number(value, kind="float"):
    return Number(value if isinstance(value, Special) else Fraction(value), kind)


def answer(outcome, verdict=Verdict.EXACT, case="edge.a", put=ASKED):
    return Answer(Question(case, AP, QRELS, RUN), put, outcome, Judgement(verdict))


def checked(version, *answers, name="lib", measure="AP", spec=None):
    hello = Hello(name, version, "3.11", Shape.RANKING, None, {measure: SIGNATURE})
    return Checked(spec or f"{name}=={version}", hello, DEFAULT, tuple(answers))


def drifts_of(checks):
    return drifts(record_of(checks).implementations)


def changes(old, new):
    (found,) = drifts_of([checked("1", answer(old)), checked("2", answer(new))])
    return found.changes


DOUBLE = 0.1 + 0.2


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (number(1), number(1), None),
        (number(1), number(1, "numpy.float64"), None),
        (number(1), number(0.5), Kind.VALUE),
        (number(0), number(2**-60), Kind.ROUNDING),
        (number(0.3), number(DOUBLE), Kind.ROUNDING),
        (number(0.3), number(0.3 + 1e-12), Kind.VALUE),
        (number(-0.25), number(-0.25 - 2**-50), Kind.ROUNDING),
        (number(0.3), number(Special.NAN), Kind.VALUE),
        (number(Special.NAN), number(Special.NAN), None),
        (number(1), Raised("ValueError", ""), Kind.OUTCOME),
        (Raised("ValueError", "at 0x1"), Raised("ValueError", "at 0x2"), None),
        (Raised("ValueError", ""), Raised("IndexError", ""), Kind.OUTCOME),
        (number(1), Crashed("SIGSEGV"), Kind.OUTCOME),
        (Crashed("SIGSEGV"), Crashed("SIGSEGV"), None),
        (number(1), PerQuery({"q": number(1)}), Kind.OUTCOME),
    ],
)
def test_what_is_a_change(old, new, kind):
    assert [change.kind for change in changes(old, new)] == ([] if kind is None else [kind])


def test_values_a_query_are_compared_query_by_query_though_their_mean_be_the_same():
    old = PerQuery({"a": number(1), "b": number(0)})
    (change,) = changes(old, PerQuery({"a": number(0), "b": number(1)}))
    assert (change.kind, change.query, change.texts) == (Kind.VALUE, "a", ("a: 1.0", "a: 0.0"))
    assert changes(old, PerQuery({"b": number(0), "a": number(1)})) == ()


def test_another_value_is_more_than_a_rounding_of_an_earlier_query():
    old = PerQuery({"a": number(0.3), "b": number(1)})
    (change,) = changes(old, PerQuery({"a": number(DOUBLE), "b": number(0.5)}))
    assert (change.kind, change.query, change.texts) == (Kind.VALUE, "b", ("b: 1.0", "b: 0.5"))


def test_a_query_that_is_left_out_is_more_than_another_value():
    old = PerQuery({"a": number(1), "b": number(0)})
    (change,) = changes(old, PerQuery({"a": number(0)}))
    assert (change.kind, change.query, change.texts) == (Kind.OUTCOME, "b", ("b: 0.0", "b: nothing"))


def test_a_question_that_can_be_put_to_one_alone():
    refused = answer(None, Verdict.UNSUPPORTED, put=Refused("unsupported", "x"))
    (found,) = drifts_of([checked("1", refused), checked("2", answer(number(1)))])
    assert [(change.kind, change.texts) for change in found.changes] == [(Kind.ASKED, ("unsupported", "1.0"))]
    (found,) = drifts_of([checked("1", refused), checked("2", refused)])
    assert (found.changes, found.compared) == ((), 0)


def test_only_versions_of_one_library_are_compared_each_with_the_one_before_it():
    one, two, three = (checked(version, answer(number(1))) for version in "123")
    other = checked("9", answer(number(0)), name="other")
    own = checked("3", answer(number(0)), measure=ANY_MEASURE)
    nameless = checked(None, answer(number(0)))
    found = drifts_of([one, other, two, own, three, nameless])
    assert [(drift.old.name, drift.new.name) for drift in found] == [("lib==1", "lib==2"), ("lib==2", "lib==3")]
    assert drifts_of([one]) == []
    assert drifts_of([one, replace(one, name="lib")]) == []
