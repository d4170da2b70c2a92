"""Functions as real code has them: none is acquitted of what it does, none accused of what it does not."""

from math import log2

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


@pytest.mark.campaign
def test_a_matrix_is_asked_with_a_label_below_zero():
    def gain(y_true, y_score):
        order = (-y_score).argsort(axis=1, kind="stable")
        rows = [[row[place] for place in places] for row, places in zip(y_true.tolist(), order, strict=True)]
        return sum(sum(label / log2(rank + 2) for rank, label in enumerate(row)) for row in rows) / max(len(rows), 1)

    found = rankspec.identify(gain, measure="DCG", shape="matrices")
    assert (found.status, found.is_exceptional) == (Status.IDENTIFIED, True)


def ranked(run):
    return sorted(run, key=run.get, reverse=True)


def precision_of_grades(qrels, run, k=5):
    return {q: sum(qrels[q].get(d, 0) for d in ranked(run.get(q, {}))[:k]) / k for q in qrels}


def reciprocal_rank_of_grades(qrels, run):
    places = {q: enumerate(ranked(run.get(q, {})), 1) for q in qrels}
    return {q: next((qrels[q][d] / i for i, d in places[q] if qrels[q].get(d, 0)), 0.0) for q in qrels}


def unnamed(qrels, run, k=5):
    values = precision_of_grades(qrels, run, k)
    return sum(values.values()) / max(len(values), 1)


@pytest.mark.campaign
@pytest.mark.parametrize("function", [precision_of_grades, reciprocal_rank_of_grades, unnamed])
def test_grades_that_are_added_are_named_and_negative_ones_are_a_note(function):
    found = identified(function)
    assert (found.status, found.explained) == (Status.OUTSIDE, True)
    assert [each.partition(":")[0] for each in found.deviations] == ["gains"]
    assert found.is_exceptional
