"""What a query is worth that is worth nothing, of functions that take matrices, beside what no convention says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from golden_words import SAID
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.run.in_process import InProcess
from rankspec.oracle import parse_measure


def of_one(labels: Sequence[int], scores: Sequence[float], k: int) -> float:
    order = sorted(range(len(labels)), key=lambda place: -scores[place])[:k]
    hits = [rank for rank, place in enumerate(order, 1) if labels[place] and scores[place] > 0]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / len(hits) if hits else 0.0


def mean_of(is_counted: Callable[[Sequence[int]], bool]) -> Callable[..., float]:
    def metric(y_true: Sequence[Sequence[int]], y_score: Sequence[Sequence[float]], k: int) -> float:
        rows = zip(y_true, y_score, strict=True)
        values = [of_one(labels, scores, k) for labels, scores in rows if is_counted(labels)]
        return sum(values) / len(values) if values else 0.0

    return metric


@pytest.mark.campaign
@pytest.mark.parametrize(("is_counted", "worth"), [(lambda _: True, "zero"), (any, "skip")], ids=["zero", "skip"])
def test_it_is_told_whether_such_a_query_is_left_out(is_counted: Callable[[Sequence[int]], bool], worth: str) -> None:
    found = identify_connected(InProcess(mean_of(is_counted), "matrices"), parse_measure("AP@3"))
    assert (found.axes["no_relevant"], found.axes["no_hits"]) == ((worth,), ("zero",))
    assert found.deviations == (SAID["scores-0-or-less"],)
