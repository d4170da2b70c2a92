"""Which rules for missing, unknown and undefined queries give a number: each once, and none that says the same."""

import pytest
from rankspec.conformance.infer.resolve.search import search
from rankspec.oracle import Qrels, Run
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import setting_text
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.sweeps.space import Data

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
