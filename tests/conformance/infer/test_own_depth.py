"""A depth or a cutoff of its own is found exactly, wherever it lies; and the clock decides nothing."""

from __future__ import annotations

import time

import pytest
from identified_in_process import identified, precisions_over
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.worker.adapter import Adapter, UnsupportedError
from rankspec.oracle.language.expression import parse_measure
from refusals import assert_names


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("depth", "measure", "of_axis"),
    [(20, "AP", ("20",)), (988, "AP", ("988",)), (4999, "AP", ("4999",))],
)
def test_a_depth_is_found_exactly(depth, measure, of_axis):
    def function(relevance, num_relevant):
        return precisions_over(relevance[:depth], num_relevant)

    found = identified(function, "AP")
    assert found.status is Status.IDENTIFIED
    assert (str(found.measure), found.axes.get("depth")) == (measure, of_axis)


@pytest.mark.campaign
@pytest.mark.parametrize("cutoff", [5, 32, 777])
def test_a_cutoff_that_cuts_the_denominator_as_well(cutoff):
    def function(relevance, num_relevant):
        return precisions_over(relevance[:cutoff], min(num_relevant, cutoff))

    found = identify_connected(InProcess(function))
    assert str(found.measure) == f"AP@{cutoff}"
    assert found.axes["denominator"] == ("min-relevant-cutoff",)
    assert_names(found.observations[0], cutoff, f"AP@{cutoff}")


@pytest.mark.campaign
def test_a_depth_stands_where_no_cutoff_can_be_asked_for():
    """As cwl_eval's AP under ir_measures, which has no AP@k."""

    def function(qrels, run, expression):
        if "@" in expression:
            raise UnsupportedError(f"no {expression}")
        values = []
        for query, grades in qrels.items():
            listed = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])[:50]
            labels = [grades.get(docno, 0) for docno, _ in listed]
            values.append(precisions_over(labels, sum(label > 0 for label in labels)))
        return sum(values) / len(values) if values else float("nan")

    adapter = Adapter(
        name="own", distribution="own", shape="qrels-run", convention="default", measures={"AP": function}
    )
    found = identify_connected(InProcess(adapter), parse_measure("AP"))
    assert (str(found.measure), found.axes["depth"]) == ("AP", ("50",))
    assert {*found.axes["denominator"]} <= {"retrieved-relevant", "relevant-in-list"}
    assert found.texts


@pytest.mark.campaign
def test_a_depth_below_a_cutoff():
    def function(relevance, num_relevant, k):
        return precisions_over(relevance[:1000][:k], num_relevant)

    found = identify_connected(InProcess(function))
    assert found.axes["depth"] == ("1000",)


@pytest.mark.campaign
def test_slow_calls_are_asked_the_same():
    def function(y_true, y_score):
        order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
        return precisions_over([y_true[place] for place in order], sum(y_true))

    slow_at_first = iter([0.05] * 9)

    def slow(y_true, y_score):
        time.sleep(next(slow_at_first, 0))
        return function(y_true, y_score)

    first, second = identified(function, "AP"), identified(slow, "AP")
    assert (first.asked, first.axes, first.texts) == (second.asked, second.axes, second.texts)


@pytest.mark.parametrize("default", [3, 10, None])
def test_what_is_returned_without_a_cutoff_is_said(default):
    def function(relevance, num_relevant, k=default):
        return precisions_over(relevance[:k], num_relevant)

    found = identified(function, "AP@10")
    assert found.status is Status.IDENTIFIED
    assert [each for each in found.observations if "AP@" in each] == (
        [] if default is None else [f"without a cutoff it returns AP@{default}"]
    )
