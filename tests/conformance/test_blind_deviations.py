"""What nobody had in mind is caught too: each blind deviation by one small case."""

from __future__ import annotations

from functools import cache

import pytest
from identified_in_process import identified, judged
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.questions.question import questions_of
from rankspec.oracle.language.expression import parse_convention, parse_measure
from wrong.blind import blind
from wrong.blind_second import blind_second, unusual

SETS = {"first": blind(), "second": blind_second()}
BLIND = [each for those in SETS.values() for each in those]
UNUSUAL = unusual()


@cache
def questions(measure):
    stated = parse_measure(measure)
    named = {each.case for each in BLIND}
    cases = [case for case in shipped_cases() if case.id in named]
    return {each.id: each for each in questions_of(cases, None if stated.name == "AP" else stated)}


@cache
def basic_questions():
    return questions_of(matching(shipped_cases(), "edge.basics.*"))


def verdicts(each, asked_of):
    """Return the verdicts on what can be asked."""
    is_stated = parse_measure(each.measure).name != "AP"
    found = judged(each.function, asked_of, parse_convention(each.under), each.shape, is_stated=is_stated)
    return [judgement.verdict for judgement in found.values()]


@pytest.mark.parametrize("each", BLIND, ids=lambda each: each.name)
def test_a_small_case_catches_it(each) -> None:
    (verdict,) = verdicts(each, [questions(each.measure)[each.case]])
    assert not verdict.conforms


@pytest.mark.parametrize("each", UNUSUAL, ids=lambda each: each.name)
def test_a_right_one_of_an_unusual_way_conforms_in_whatever_it_can_be_asked(each) -> None:
    found = verdicts(each, basic_questions())
    assert all(verdict.conforms for verdict in found)
    assert found


@pytest.mark.campaign
@pytest.mark.parametrize("each", UNUSUAL, ids=lambda each: each.name)
def test_a_right_one_of_an_unusual_way_is_identified(each) -> None:
    told = identified(each.function, "AP")
    assert told.status is Status.IDENTIFIED
    assert told.texts[0] == "AP under default"
