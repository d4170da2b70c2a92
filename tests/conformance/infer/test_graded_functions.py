"""Functions as real code has them: none is acquitted of what it does, none accused of what it does not."""

import pytest
import rankspec
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.pytest_plugin.suite import Stated, Suite

from tests.identified_in_process import identified


def cascade(relevance, top):
    value, left = 0.0, 1.0
    for rank, grade in enumerate(relevance, 1):
        stop = (2**grade - 1) / 2**top
        value, left = value + left * stop / rank, left * (1 - stop)
    return value


@pytest.mark.campaign
def test_a_scale_that_ends_at_the_highest_grade_is_no_number():
    found = identified(lambda relevance: cascade(relevance, max([0, *relevance])), "ERR")
    assert found.status is Status.IDENTIFIED
    assert not found.axes["err_max_grade"]
    assert identified(lambda relevance: cascade(relevance, 4), "ERR").axes["err_max_grade"] == ("4",)


def test_what_is_beyond_the_scale_is_not_asked_where_no_convention_is_stated():
    longest = []

    def plain(relevance):
        longest.append(max([0, *relevance]))
        return cascade(relevance, 4)

    assert rankspec.check(plain, "ERR", cases="edge.stress.grade.*").conforms
    assert max(longest) < 2**32


def test_the_gate_of_pytest_holds_nothing_beyond_the_scale_against_a_function_unless_a_convention_is_stated():
    for under, is_held in ((None, False), ("default", True)):
        suite = Suite(Stated(lambda relevance: cascade(relevance, 4), under, "ERR", cases="edge.stress.grade.ap.1*"))
        answers = [suite.answer(each.id) for each in suite.tests]
        assert bool(suite.failing) is is_held
        assert all(each.verdict.conforms for each in answers) is False
