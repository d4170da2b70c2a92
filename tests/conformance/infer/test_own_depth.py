"""A depth or a cutoff of its own is found exactly, wherever it lies; and the clock decides nothing."""

import pytest
from campaign import one_in
from identified_in_process import identified, precisions_over
from rankspec.conformance.infer.identify.identification import Status


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("depth", "measure", "of_axis"), [(20, "AP", ("20",)), (988, "AP", ("988",)), (4999, "AP", ("4999",))]
)
def test_a_depth_is_found_exactly(depth, measure, of_axis):
    def function(relevance, num_relevant):
        return precisions_over(relevance[:depth], num_relevant)

    found = identified(function, "AP")
    assert found.status is Status.IDENTIFIED
    assert (str(found.measure), found.axes.get("depth")) == (measure, of_axis)


@one_in(3)
@pytest.mark.parametrize("default", [3, 10, None])
def test_what_is_returned_without_a_cutoff_is_said(default):
    def function(relevance, num_relevant, k=default):
        return precisions_over(relevance[:k], num_relevant)

    found = identified(function, "AP@10")
    assert found.status is Status.IDENTIFIED
    assert [each for each in found.observations if "AP@" in each] == (
        [] if default is None else [f"without a cutoff it returns AP@{default}"]
    )
