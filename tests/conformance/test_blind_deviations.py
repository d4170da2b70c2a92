"""What nobody had in mind is caught too: each blind deviation by one small case."""

from functools import cache

import pytest
from campaign import one_in
from identified_in_process import judged
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.questions.question import questions_of
from rankspec.oracle.language.expression import parse_convention, parse_measure
from wrong.blind import blind
from wrong.blind_second import blind_second

BLIND = [*blind(), *blind_second()]


@cache
def questions(measure):
    stated = parse_measure(measure)
    named = {each.case for each in BLIND}
    cases = [case for case in shipped_cases() if case.id in named]
    return {each.id: each for each in questions_of(cases, None if stated.name == "AP" else stated)}


@one_in(2)
@pytest.mark.parametrize("each", BLIND, ids=lambda each: each.name)
def test_a_small_case_catches_it(each):
    asked = [questions(each.measure)[each.case]]
    is_stated = parse_measure(each.measure).name != "AP"
    (judgement,) = judged(each.function, asked, parse_convention(each.under), is_stated=is_stated).values()
    assert not judgement.verdict.conforms
