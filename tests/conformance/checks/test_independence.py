"""A query is worth what it is worth alone, whatever stands beside it: what breaks that is found, and named."""

import re

import pytest
import rankspec


def by_rank(scores):
    return sorted(scores, key=lambda docno: -scores[docno])


def reciprocal_rank(grades, scores):
    ranks = [rank for rank, docno in enumerate(by_rank(scores), start=1) if grades.get(docno, 0) > 0]
    return 1 / ranks[0] if ranks else 0.0


def right(qrels, run):
    return {query: reciprocal_rank(grades, run.get(query, {})) for query, grades in qrels.items()}


def zero_from_there_on(qrels, run):
    """As ranx 0.3.21 has it for Bpref: 0 for a query without relevant documents, and for every later one."""
    values, is_over = {}, False
    for query, grades in qrels.items():
        is_over = is_over or not any(grade > 0 for grade in grades.values())
        values[query] = 0.0 if is_over else reciprocal_rank(grades, run.get(query, {}))
    return values


def normalised(qrels, run):
    """Values are divided by the best of the set."""
    values = right(qrels, run)
    most = max(values.values(), default=0) or 1
    return {query: value / most for query, value in values.items()}


def found(function, cases="edge.independence.*"):
    return rankspec.check(function, measure="RR", under="default", cases=cases)


def test_what_keeps_queries_apart_conforms():
    checked = found(right)
    assert checked.conforms
    assert len(checked.asked) == 9  # 2 alone, 7 with a query of a special kind
    assert not checked.remarks


@pytest.mark.campaign
@pytest.mark.parametrize("function", [zero_from_there_on, normalised])
def test_what_depends_on_other_queries_is_found_and_named(function):
    checked = found(function, cases="edge.*")
    assert checked.nonconforming
    (remark,) = checked.remarks
    assert len({*re.findall(r"edge\.[\w.-]+", remark)}) == 2  # the two questions in which one query has two values
