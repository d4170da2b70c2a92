"""A number that an adapter's library gives with few digits is held to these, and to no more."""

from fractions import Fraction

from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.questions.question import Question
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.language.expression import parse_measure

ADAPTER = """
from rankspec.conformance.worker.adapter import Adapter, Printed

def precision(qrels, run, k):
    return {"q1": Printed("0.333"), "q2": Printed("0.334"), "q3": 0.333}

ADAPTER = Adapter("rounds", "numpy", "qrels-run", "default", {"P": precision})
"""


def test_digits_that_are_printed_are_enough(written):
    qrels = Qrels.of({f"q{number}": {"d": 1} for number in (1, 2, 3)})
    question = Question("thirds", parse_measure("P@3"), qrels, Run.of({query: [("d", 1)] for query in qrels}))
    (answer,) = check(parse(written(ADAPTER, "rounds.py", "ADAPTER")), Plan([question])).answers
    outcome = answer.outcome
    assert [outcome.values[query].unit for query in qrels] == [Fraction(1, 1000), Fraction(1, 1000), 0]
