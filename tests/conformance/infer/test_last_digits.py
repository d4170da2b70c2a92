"""A sum in the order of a set: the same to `check` and to `identify`, which both say that the last digits change."""

import pytest
from golden_words import SAID
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify
from rankspec.conformance.questions.question import Question
from rankspec.oracle.conventions.measure import Measure

SOURCE = """
import os

def f(relevance, num_relevant):
    hits = [rank for rank, label in enumerate(relevance, 1) if label]
    value = sum(number / rank for number, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0
    return value * (1 + SCALE * int(os.environ["PYTHONHASHSEED"]))
"""


def questions():
    found = []
    for labels in ([1, 0], [0, 1, 1], [0, 0, 1]):
        given = case_input({"relevance": labels, "num_relevant": sum(labels)})
        name = "".join(map(str, labels))
        found.append(Question(name, Measure("AP"), given.qrels, given.run, (name,)))
    return found


@pytest.mark.campaign
@pytest.mark.parametrize(("scale", "is_stable"), [("2 ** -52", True), ("1e-9", False)])
def test_check_and_identify_say_the_same(written, scale, is_stable):
    spec = written(SOURCE.replace("SCALE", scale))
    checked = check(parse(spec), Plan(questions()))
    found = identify(spec)
    verdicts = {answer.verdict.value for answer in checked.answers}
    assert verdicts == ({"exact", "float64"} if is_stable else {"unstable"})
    assert found.status is (Status.IDENTIFIED if is_stable else Status.UNSTABLE)
    if is_stable:
        (remark,) = checked.remarks
        assert remark.startswith(SAID["3-answers-change-last"])
        assert any(SAID["only-last-digits-answers"] in each for each in found.observations)
