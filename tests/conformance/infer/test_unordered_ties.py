"""Ties in no fixed order: as an unstable sort leaves them, from whichever length on the processor makes it so."""

import random
import struct
from hashlib import sha256

import pytest
from golden_words import SAID
from identified_in_process import identified
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.checks.check import check_connected
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.randomness import unordered_ties
from rankspec.conformance.infer.identify.textbook_plan import own_plan
from rankspec.conformance.infer.interview.interview import Interview, target_for
from rankspec.conformance.infer.interview.respondent import Respondent
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.run.in_process import InProcess
from rankspec.oracle import DEFAULT, parse_measure
from rankspec.oracle.conventions.axes import Denominator

UNORDERED = SAID["ties-no-fixed-order"]


def average_precision(labels):
    hits = [rank for rank, label in enumerate(labels, 1) if label]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / len(hits) if hits else 0.0


def shuffled(scores):
    """Return the places of scores in an order that their bytes decide."""
    places = list(range(len(scores)))
    random.Random(sha256(struct.pack(f"{len(scores)}d", *scores)).digest()).shuffle(places)
    return places


def unstable_from(length, compared=float):
    """Return an average precision whose sort breaks ties from a length of the list on."""

    def metric(y_true, y_score):
        places = shuffled(y_score) if len(y_score) >= length else range(len(y_score))
        return average_precision([y_true[place] for place in sorted(places, key=lambda each: -compared(y_score[each]))])

    return metric


@pytest.fixture(scope="module")
def short():
    return identified(unstable_from(0))


@pytest.mark.campaign
def test_the_order_of_ties_is_none_and_all_else_is_identified(short):
    assert (short.status, short.is_good) == (Status.IDENTIFIED, True)
    assert short.observations == short.deviations == (UNORDERED,)
    assert short.axes["ties"] == ()
    assert short.axes["interpolation"] == ("step",)
    assert short.axes["score_precision"] == ("exact", "float64")
    assert short.witness is None
    data = identification_data(short)
    assert data["conventions"] == []  # none says how ties are ordered
    assert data["apart_from_deviations"][0] == "AP under default"


def is_unordered(metric):
    connectable = InProcess(metric)
    with Respondent(connectable) as respondent:
        interview = Interview(target_for(connectable.text, respondent.hello, None), respondent)
        interview.gather()
        return unordered_ties(interview) is not None


@pytest.mark.campaign
def test_what_no_order_of_the_ties_gives_is_no_unstable_sort():
    """Each hit counts at the first rank of its ties, so precisions exceed 1: 2 hits tied with a miss are worth 2."""

    def metric(y_true, y_score):
        relevant = [score for label, score in zip(y_true, y_score, strict=True) if label]
        terms = [
            sum(other >= score for other in relevant) / (1 + sum(other > score for other in y_score))
            for score in relevant
        ]
        return sum(terms) / len(relevant) if relevant else 0.0

    assert not is_unordered(metric)


def inside_out(y_true, y_score):
    """Return a value that no order of tied documents has; of distinct scores the average precision."""
    value = unstable_from(0)(y_true, y_score)
    return value if len(set(y_score)) == len(y_score) else value / 3


def over_the_list(y_true, y_score):
    """Return the precisions at hits over the length of the list, with ties in arbitrary order."""
    hits = sum(map(bool, y_true))
    return unstable_from(0)(y_true, y_score) * hits / len(y_true) if y_true else 0.0


def test_a_check_takes_any_order_of_ties_and_no_other_value():
    connectable = InProcess(unstable_from(0))
    by_hand = [case for case in shipped_cases() if case.id.startswith("edge.")]
    plan, _ = own_plan(connectable, by_hand, parse_measure("AP"))
    assert (plan.unordered, plan.under) == (DEFAULT, DEFAULT)

    def answers(metric, plan):
        return {each.question.id: each for each in check_connected(InProcess(metric), plan).answers}

    right, wrong = (answers(metric, plan) for metric in (unstable_from(0), inside_out))
    tied = {case for case, each in right.items() if each.judgement.detail == "tied documents"}
    assert len(tied) > 20
    assert all(each.verdict.conforms or not each.verdict.asked for each in right.values())
    assert sum(wrong[case].verdict is Verdict.WRONG for case in tied) > 20

    over_list = DEFAULT.with_setting("denominator", Denominator.LENGTH)
    divided = answers(over_the_list, plan._replace(unordered=over_list))
    assert all(each.judgement.conventions for each in divided.values() if each.verdict is Verdict.OTHER_CONVENTION)
    assert not [each for each in divided.values() if each.verdict is Verdict.WRONG]
    assert sum("denominator=length" in divided[case].judgement.conventions for case in tied) > 20
