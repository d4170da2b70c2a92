"""What is off in the last digits alone has no cause: it is imprecise; a sum in the order of a set changes."""

import pytest
import rankspec
from campaign import in_campaign
from golden_words import SAID
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify
from rankspec.conformance.questions.question import Question
from rankspec.oracle.conventions.measure import Measure


def ap(y_true, y_score, stretched=1.0):
    order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
    hits = total = 0
    for rank, place in enumerate(order, 1):
        if y_true[place] >= 1:
            hits += 1
            total += hits / rank
    return total / (hits * stretched) if hits else 0.0


def recall(relevance, num_relevant):
    # As it was reported: off by 3e-17 where R is 3, and "wrong ... float32 arithmetic inside" where it is 1001.
    return 1 - (num_relevant - sum(relevance)) / num_relevant if num_relevant else 0.0


def imprecise(y_true, y_score):
    return ap(y_true, y_score, 1 + 4e-14)


def test_it_is_identified_and_said_to_be_imprecise():
    identification = rankspec.identify(imprecise, measure="AP")
    assert (identification.status, identification.texts[0]) == (Status.IDENTIFIED, "AP under default")
    assert any(
        text.startswith("imprecise: ") and SAID["up-360-roundings"] in text for text in identification.observations
    )


@pytest.mark.campaign
@pytest.mark.parametrize("function", in_campaign([(imprecise,), (recall,)], every=2))
def test_check_names_no_cause(function):
    checked = rankspec.check(function, "AP" if function is imprecise else "SetR", cases="edge.[bs]*")
    assert checked.conforms
    listed = checked.to_dict()["implementations"][0]["cases"]
    assert not [case["id"] for case in listed if case.get("conventions")]


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
