"""How many roundings an answer's error bound counts: those that a straightforward program makes, counted by hand."""

from __future__ import annotations

import pytest
from rankspec.conformance.questions.expectation import expected
from rankspec.conformance.questions.roundings import Roundings
from rankspec.oracle import Qrels, Run, parse_convention, parse_measure

QRELS = Qrels.of({"q1": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0, "f": 0, "g": 0}, "q2": {"a": 1, "b": 0}})
RUN = Run.of({"q1": [("a", 3), ("c", 2)], "q2": [("b", 5), ("x", 4), ("y", 3), ("z", 2), ("a", 1)], "q3": [("a", 1)]})


@pytest.mark.parametrize(
    ("measure", "convention", "relative", "absolute"),
    [
        # The longest list has 5 documents; 2 hits in q1, 2 relevant documents there; 3 queries, which are 3 more.
        ("AP", "default", 5 * 2 + 3 + 3, 0),
        ("AP@1", "default", 5 * 1 + 3 + 3, 0),
        ("AP", "default[interpolation=11-point]", 11 + 2 + 3, 0),
        ("AP", "default[interpolation=101-point]", 101 + 2 + 3, 0),
        ("AP", "default[interpolation=linear-101]", 108 + 3, 4 + 1 + 3),
        ("AP", "default[interpolation=all-ranks]", 5 + 2 + 3, 0),
        ("AP@9", "default[interpolation=all-ranks-padded]", 9 + 2 + 3, 0),
        ("AP@R", "default", 5 * 2 + 3 + 3, 0),
        ("AP11", "default", 11 + 2 + 3, 0),
        ("P@2", "default", 2 + 3, 0),
        ("RR", "default", 2 + 3, 0),
        ("Success@3", "default", 3, 0),
        ("F@3", "default", 14 + 3, 0),
        ("SetAP", "default", 5 + 3, 0),
        ("TAP@1", "default", 2 + 3 + 3, 0),
        ("Accuracy@3", "default", 2 + 6 + 3, 2 * 2 + 2),
        ("DCG", "default", 2 + 8 + 2 * 5 + 3, 0),
        ("DCG@3", "default", 2 + 8 + 2 * 3 + 3, 0),
        # Where grade 0 can gain, all judged documents can: seven of q1.
        ("nDCG(gains={1: 1, 0: 0.5})", "default", (2 + 8 + 2 * 5) + (7 + 8 + 1) + 3, 0),
        ("nDCG", "default", (2 + 8 + 2 * 5) + (2 + 8 + 1) + 3, 0),
        ("nDCGRel", "default", (2 + 8 + 2 * 5) + (2 + 8 + 1) + (2 + 2) + 3, 0),
        ("ERR", "default", 2 * 2 + 4 + 3, 2),
        ("Bpref", "default", 2 + 3 + 3, 3),
        ("infAP", "default", 2 + 12 + 3, 0),
        ("RBP(p=0.8)", "default", 3 * 5 + 8 + 5 + 3, 0),
        ("RBPResidual(p=0.9)", "default", 3 * 5 + 8 + 10 + 3, 3 * 5 + 8 + 10),
        ("Utility(hit=2, miss=-1)", "default", 4 + 3, 4 * 2 * (5 + 2)),
        ("NumRel", "default", 3, 0),
        # In one list of 8 every hit shares its score with another document: 6 in blocks; 3 are relevant.
        ("AP", "default[aggregate=micro]", 5 * 6 + 3 + 1 + 6 * 6, 0),
    ],
)
def test_the_roundings_are_those_counted_by_hand(measure, convention, relative, absolute):
    found = expected(parse_measure(measure), QRELS, RUN, parse_convention(convention))
    assert found.roundings == Roundings(relative, absolute)


def test_tied_hits_add_what_a_mean_over_orders_takes():
    tied = Run.of({"q2": [("b", 5), ("a", 5), ("x", 4), ("y", 4)]})
    # a and b are one block; x and y hold no hit. The qrels name q1 as well.
    assert expected(parse_measure("RR"), QRELS, tied, parse_convention("default")).roundings == Roundings(2 + 2 + 6 * 2)


def test_scores_that_are_one_as_singles_are_tied():
    near = Run.of({"q2": [("b", "1"), ("a", "1.00000001")]})
    assert expected(parse_measure("RR"), QRELS, near, parse_convention("default")).roundings == Roundings(2 + 2 + 6 * 2)


def test_an_empty_run_leaves_the_queries():
    assert expected(parse_measure("AP"), QRELS, Run.of({}), parse_convention("default")).roundings == Roundings(3 + 2)


def test_an_error_that_is_demanded_has_the_same_roundings():
    found = expected(parse_measure("AP"), QRELS, RUN, parse_convention("default[unknown_query=error]"))
    assert (found.text, found.roundings) == ("error", Roundings(5 * 2 + 3 + 3))


@pytest.mark.parametrize(
    ("floor", "logarithm"),
    [
        # AP of q1 is 1 and of q2 (1/5)/1: log2(1/5) is -2.32, so 3 a query.
        ("1/100000", 3),
        # Where every value is raised to 1/2, the largest logarithm is that of 1/2.
        ("1/2", 1),
    ],
)
def test_a_geometric_mean_adds_the_size_of_its_largest_logarithm(floor, logarithm):
    convention = parse_convention(f"default[aggregate=geometric, geometric_floor={floor}]")
    found = expected(parse_measure("AP"), QRELS, RUN, convention).roundings
    assert found == Roundings((5 * 2 + 3 + 3) + (2 + 4) * logarithm + 4)


def test_a_value_of_0_counts_as_the_floor():
    # log2(1/100000) is -16.6, and two queries count. No hit is left in q1.
    convention = parse_convention("default[aggregate=geometric]")
    run = Run.of({"q1": [("b", 1)], "q2": [("a", 1)]})
    found = expected(parse_measure("AP"), QRELS, run, convention).roundings
    assert found == Roundings((5 * 1 + 3 + 2) + (2 + 4) * 17 + 4)


def test_what_is_off_relative_to_1_is_relative_to_the_least_value_in_a_geometric_mean():
    # bpref of q1 is 1, of which 3 units of 1 are 3; that of q2 is 0, where nothing is off.
    convention = parse_convention("default[geometric_floor=1/2]")
    found = expected(parse_measure("GMBpref"), QRELS, RUN, convention).roundings
    assert found == Roundings((2 + 3 + 3) + 3 + (2 + 4) * 1 + 4, 3)
