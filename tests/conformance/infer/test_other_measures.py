"""Where neither a name nor the user says what is computed, the usual measures are tried before `outside`."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import pytest
from identified_in_process import identified
from rankspec.conformance.infer.identify.identification import Status
from refusals import assert_names


@pytest.mark.campaign
def test_a_measure_is_inferred_from_the_answers() -> None:
    def f(x: Sequence[str], y: Sequence[str], k: int) -> float:
        gained = sum(1 / log2(rank + 1) for rank, docno in enumerate(x[:k], 1) if docno in y)
        ideal = sum(1 / log2(rank + 1) for rank in range(1, min(len(y), k) + 1))
        return gained / ideal if ideal else 0.0

    found = identified(f)
    assert (found.status, str(found.measure)) == (Status.IDENTIFIED, "nDCG@10")
    assert found.axes["discount"] == ("log2-rank-plus-one",)
    assert found.shape == "predicted-actual"
    assert_names(found.observations[1], "nDCG", "--measure")


@pytest.mark.campaign
def test_without_a_cutoff_reciprocal_ranks_are_told_too() -> None:
    def f(foo: Sequence[str], bar: Sequence[str]) -> float:
        return next((1 / rank for rank, docno in enumerate(foo, 1) if docno in bar), 0.0)

    found = identified(f)
    assert (found.status, str(found.measure)) == (Status.IDENTIFIED, "RR")
