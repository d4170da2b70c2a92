"""The search finds a planted convention, each rule for missing and unknown queries once, and ends in its budget."""

from dataclasses import replace
from fractions import Fraction

import pytest
from campaign import in_campaign
from identified_in_process import identified
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.inputs import case_input, data_of_case
from rankspec.conformance.infer.identify import identify
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.interview import evidence
from rankspec.conformance.infer.interview.prediction import Effort, OverBudgetError
from rankspec.conformance.infer.interview.probe import shaped
from rankspec.conformance.infer.interview.relations import effective_depth, sized
from rankspec.conformance.infer.mistakes import search as mistake_search
from rankspec.conformance.infer.resolve.errata import errata, searched
from rankspec.conformance.infer.resolve.search import search, search_any_cutoff, value_on
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.run.outcomes import Number
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import DEFAULT, Qrels, Run, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Aggregate, Interpolation, Ties
from rankspec.oracle.conventions.convention import setting_text
from rankspec.oracle.sweeps.space import Data
from rankspec.oracle.values import to_text

PLAIN = {"relevance": [1, 0, 1, 1, 0, 0, 1, 0, 0, 0], "num_relevant": 5}


def data(given):
    return data_of_case(case_input(given))


def test_other_cutoffs_are_a_search_of_their_own():
    plain = parse_measure("AP")
    at_3 = value_on(data(PLAIN))(parse_measure("AP@3"), parse_convention("kaggle"))
    assert to_text(at_3) == "5/9"
    assert not any(each.measure.k for each in search("0.5556", plain, data(PLAIN)).matches)
    found = search_any_cutoff("0.5556", plain, data(PLAIN))
    assert "AP@3 under default[denominator=min-relevant-cutoff]" in [each.text for each in found.matches]


def test_a_search_that_is_cut_short_says_so():
    found = search("0.6533", parse_measure("AP"), data(PLAIN), most=10)
    assert (found.searched, found.complete) == (10, False)


@pytest.mark.campaign
def test_every_erratum_is_searched_or_says_why_not():
    listed = [each for document in errata(shipped_cases()) for each in (*document.errata, *document.rounding)]
    assert {bool(each.unsearched) for each in listed} == {True, False}
    assert [each for each in listed if (each.search is None) != bool(each.unsearched)] == []


def test_part_of_a_computation_is_searched_too():
    case = next(case for case in shipped_cases() if case.id == "doc000.table.row-7.precision")
    found = searched(case).search
    assert found is not None
    assert (found.searched, found.matches) == (1, ())


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
        monkeypatch.setattr(mistake_search, budget, 500)
    found = identified(ap, "AP")
    assert found.status is Status.OUTSIDE
    assert not found.explained
    assert list(identification_data(found)["stopped"]) == ["conventions", "the closest convention", "deviations"]
    for kind, spent in found.answered.stopped.items():
        assert f"no explanation found: the search for {kind} stopped after {spent:,} predictions" in found.observations
    assert found.answered.stopped["conventions"] > 500
    again = identified(ap, "AP")
    assert identification_data(again) | {"seconds": 0} == identification_data(found) | {"seconds": 0}


RULES = {"no_relevant", "no_hits", "missing_query", "unknown_query", "aggregate", "geometric_zero"}

# AP of `a` is 1/2: its first document is relevant, and the second relevant one is not in the list.
A = {"x": 1, "m": 1}
LISTED = [["x", 2], ["u", 1]]


def giving(printed, qrels, run):
    """Return the rules under which the mean of AP is so, as differences from the default, other axes at the default."""
    data = Data(Qrels.of(qrels), Run.of(run))
    matches = search(printed, parse_measure("AP"), data).matches
    differences = [each.convention.differences() for each in matches if str(each.agreement) != "truncated"]
    return sorted(
        sorted(f"{axis}={setting_text(setting)}" for axis, setting in changed.items())
        for changed in differences
        if RULES.issuperset(changed) and changed.get("aggregate") not in {Aggregate.MICRO, Aggregate.BY_RELEVANT}
    )


def test_a_missing_query_without_relevant_documents_is_left_out_once():
    # (1/2 + 0)/2; without `b`, 1/2: by either rule, and by both together nothing else is said.
    qrels, run = {"a": A, "b": {"z": 0}}, {"a": LISTED}
    assert giving("0.250000", qrels, run) == [[]]
    assert giving("0.500000", qrels, run) == [["missing_query=skip"], ["no_relevant=skip"]]


def test_a_missing_query_is_left_out_or_worth_0():
    qrels, run = {"a": A, "b": {"z": 1}}, {"a": LISTED}
    assert giving("0.250000", qrels, run) == [[]]
    assert giving("0.500000", qrels, run) == [["missing_query=skip"]]


def test_an_unknown_query_is_left_out_or_worth_0():
    qrels, run = {"a": A}, {"a": LISTED, "c": [["x", 1]]}
    assert giving("0.500000", qrels, run) == [[]]
    assert giving("0.250000", qrels, run) == [["unknown_query=zero"]]


@pytest.mark.parametrize("added", ["0.500010", "0.50001"])
def test_the_geometric_mean_of_one_value_is_the_value_itself_unless_its_floor_stays_added(added):
    assert giving("0.500000", {"a": A}, {"a": LISTED}) == [[]]
    assert giving(added, {"a": A}, {"a": LISTED}) == [["aggregate=geometric", "geometric_zero=added"]]


def test_the_geometric_mean_of_a_value_below_the_floor_is_the_floor():
    # A list without hits: AP is 0, raised to 1/100000; added and not subtracted it is the same.
    found = giving("0.000010", {"a": A}, {"a": [["u", 1]]})
    assert found == [["aggregate=geometric"], ["aggregate=geometric", "geometric_zero=added"]]
