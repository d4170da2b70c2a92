"""How many terms an answer's error bound counts: what a straightforward program adds up, counted by hand."""

from __future__ import annotations

import pytest
from rankspec.conformance.questions.expectation import expected
from rankspec.oracle import Qrels, Run, parse_convention, parse_measure

QRELS = Qrels.of({"q1": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0, "f": 0, "g": 0}, "q2": {"a": 1, "b": 0}})
RUN = Run.of({"q1": [("a", 3), ("c", 2)], "q2": [("b", 5), ("x", 4), ("y", 3), ("z", 2), ("a", 1)], "q3": [("a", 1)]})


@pytest.mark.parametrize("measure", ["AP", "P@2", "nDCG", "Bpref"])
@pytest.mark.parametrize("convention", ["default", "default[aggregate=micro]"])
def test_terms_are_the_longest_list_the_most_judged_the_queries_and_the_levels(measure, convention):
    # The longest list has 5 documents (q2), the most judged query 7 (q1), the run 3 queries; there may be 101 levels.
    if measure == "AP" or convention == "default":
        assert expected(parse_measure(measure), QRELS, RUN, parse_convention(convention)).terms == 5 + 7 + 3 + 101


def test_an_empty_run_leaves_the_judged_documents_and_the_levels():
    assert expected(parse_measure("AP"), QRELS, Run.of({}), parse_convention("default")).terms == 7 + 101


def test_an_error_that_is_demanded_has_the_same_terms():
    found = expected(parse_measure("AP"), QRELS, RUN, parse_convention("default[unknown_query=error]"))
    assert (found.text, found.terms) == ("error", 5 + 7 + 3 + 101)


@pytest.mark.parametrize(
    ("floor", "logarithm"),
    [
        # AP of q1 is 1 and of q2 (1/5)/1: log2(1/5) is -2.32, so 3 a query.
        ("1/100000", 3),
        # Where every value is raised to 1/2, the largest logarithm is that of 1/2.
        ("1/2", 1),
    ],
)
def test_a_geometric_mean_adds_the_size_of_its_largest_logarithm_for_every_query(floor, logarithm):
    convention = parse_convention(f"default[aggregate=geometric, geometric_floor={floor}]")
    terms = expected(parse_measure("AP"), QRELS, RUN, convention).terms
    assert terms == 5 + 7 + 3 + 101 + 2 * logarithm


def test_a_value_of_0_counts_as_the_floor():
    # log2(1/100000) is -16.6, and two queries count.
    convention = parse_convention("default[aggregate=geometric]")
    run = Run.of({"q1": [("b", 1)], "q2": [("a", 1)]})
    assert expected(parse_measure("AP"), QRELS, run, convention).terms == 1 + 7 + 2 + 101 + 2 * 17
