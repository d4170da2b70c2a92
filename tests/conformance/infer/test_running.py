"""What an installed library returns for data, by running it."""

from fractions import Fraction

import pytest
from campaign import in_campaign
from rankspec.conformance.infer.resolve.running import returned_by
from rankspec.oracle import Qrels, Run, parse_measure
from rankspec.oracle.sweeps.space import Data

# By hand: 1 and 1/2; "c" has no list, "d" no judgments.
DATA = Data(
    Qrels.of({"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}, "c": {"x": 1}}),
    Run.of({"a": [("x", 2), ("y", 1)], "b": [("x", 2), ("y", 1)], "d": [("x", 1)]}),
)


@pytest.mark.parametrize("library", in_campaign(["pytrec_eval", "sklearn"], but=["pytrec_eval"], ids=str))
def test_a_library_is_asked_query_by_query_or_for_all(library):
    pytest.importorskip(library)
    found = returned_by(library, parse_measure("AP"), DATA)
    assert found.value == Fraction(3, 4)
    assert found.library.split()[0] == library
    assert found.library.split()[1][0].isdigit()


def test_what_can_not_be_asked_returns_nothing():
    assert returned_by("sklearn", parse_measure("RBP"), DATA) is None  # it has no such function
    assert returned_by("no_such_library", parse_measure("AP"), DATA) is None
