"""A search that spends its budget, or has nothing to go by, ends in an answer, and never in an exception or a guess."""

from dataclasses import replace
from fractions import Fraction

import pytest
from campaign import in_campaign
from identified_in_process import identified
from rankspec.conformance.infer.identify import identify
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.interview import evidence
from rankspec.conformance.infer.interview.prediction import Effort, OverBudgetError
from rankspec.conformance.infer.interview.probe import shaped
from rankspec.conformance.infer.interview.relations import effective_depth, sized
from rankspec.conformance.infer.mistakes import search
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.run.outcomes import Number
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import DEFAULT, parse_measure
from rankspec.oracle.conventions.axes import Interpolation, Ties

QRELS_RUN = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.OPTIONAL, Need.OPTIONAL)


def test_a_budget_ends_with_the_one_around_it():
    effort = Effort()
    with effort.within(5):
        with effort.within(2), pytest.raises(OverBudgetError):
            effort.add(3)
        effort.add(2)
        with effort.within(1_000), pytest.raises(OverBudgetError):
            effort.add(1)
    effort.add(1_000_000)


def test_a_mean_over_all_orders_costs_what_it_takes():
    """Measured in seconds: the envelope's takes 0.1 s of 33 tied documents, 13 s of 101; the steps' next to nothing."""

    def cost(size, interpolation):
        effort = Effort()
        asked = shaped(sized("a tie", size, parse_measure("AP")).probe, QRELS_RUN)
        effort.compute(asked, replace(DEFAULT, ties=Ties.EXPECTED, interpolation=interpolation))
        return effort.spent

    assert 50 < cost(101, Interpolation.ENVELOPE) / cost(33, Interpolation.ENVELOPE) < 500
    assert cost(101, Interpolation.STEP) < 10 * cost(33, Interpolation.STEP)


@pytest.mark.parametrize(
    ("digits", "cutoff", "expected"),
    in_campaign(
        [(4, None, None), (3, None, None), (4, 1000, 1000), (12, 7, 7)],
        but=["3 digits, None"],  # as it was reported
        ids=lambda row: f"{row[0]} digits, {row[1]}",
    ),
)
def test_four_digits_are_no_cutoff(digits, cutoff, expected):
    """1/r gets lower a last digit at a time until it is what it is at the last rank: nothing is cut off there."""

    def answer(probe):
        (listed,) = [probe.run.documents(query) for query in probe.run]
        ranks = [rank for rank, each in enumerate(listed, 1) if probe.qrels.grades("q")[each.docno] > 0]
        value = sum(1 / rank for rank in ranks if cutoff is None or rank <= cutoff)
        return Number(Fraction(round(value, digits)), "float")

    assert effective_depth(parse_measure("RR"), lambda probes: [answer(each) for each in probes]) == expected


@pytest.mark.campaign
def test_every_search_stops_at_its_budget_and_says_so(monkeypatch):
    def ap(relevance, num_relevant):
        hits = [rank for rank, label in enumerate(relevance, 1) if label]
        return sum(number * rank for number, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0

    monkeypatch.setattr(identify, "MOST_PREDICTIONS", 500)
    monkeypatch.setattr(evidence, "_BUDGET", 500)
    for budget in ("_SINGLES", "_PAIRS", "_FORMULAS"):
        monkeypatch.setattr(search, budget, 500)
    found = identified(ap, "AP")
    assert found.status is Status.OUTSIDE
    assert not found.explained
    assert list(identification_data(found)["stopped"]) == ["conventions", "the closest convention", "deviations"]
    for searched, spent in found.answered.stopped.items():
        assert (
            f"no explanation found: the search for {searched} stopped after {spent:,} predictions" in found.observations
        )
    assert found.answered.stopped["conventions"] > 500
    again = identified(ap, "AP")
    assert identification_data(again) | {"seconds": 0} == identification_data(found) | {"seconds": 0}
