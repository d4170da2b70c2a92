"""The table of differences: the case that is shown is one to which all answered with numbers, if there is one."""

from fractions import Fraction

import pytest
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.answer import Answer, Checked
from rankspec.conformance.checks.recording import Difference, _with_case
from rankspec.conformance.judge.verdicts import Judgement, Verdict
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Refused
from rankspec.conformance.run.outcomes import Number, Raised
from rankspec.conformance.worker.messages import Hello
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.measure import Measure


def checked(name, outcomes):
    answers = []
    for length, (case, outcome) in enumerate(outcomes.items(), 1):
        given = case_input({"relevance": [1] * length, "num_relevant": length})
        question = Question(case, Measure("AP"), given.qrels, given.run, (case,))
        answers.append(Answer(question, Refused("", ""), outcome, Judgement(Verdict.WRONG)))
    return Checked(name, Hello(name, None, None, Shape.RANKING, None, {}), DEFAULT, tuple(answers))


@pytest.mark.parametrize("numbers", [(-0.5, 0.25), (1e5, 1e-05), (123456789012345678.0, 1e22)])
def test_any_number_says_more_than_an_exception(numbers):
    one, other = (Number(Fraction(value), "float") for value in numbers)
    checks = [
        checked("a", {"small": Raised("ValueError", ""), "larger": one}),
        checked("b", {"small": Number(Fraction(1, 2), "float"), "larger": other}),
    ]
    row = _with_case(Difference("ties", {"a": "grouped", "b": "expected"}, {}), checks, {"small", "larger"})
    assert row.case == "larger"
