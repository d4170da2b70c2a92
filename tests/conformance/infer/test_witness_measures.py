"""Witnesses of every measure: the smallest inputs, held against a search of its own, and what they cost."""

import pytest
from rankspec.conformance.infer.witness.separation import separate
from rankspec.conformance.infer.witness.witness import witness
from rankspec.oracle import ConventionError, Qrels, Run, parse_convention, parse_measure
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.sweeps.exact_values import comparable, exact_under


def test_what_only_subtopics_show_is_refused():
    with pytest.raises(ConventionError, match="novelty_ideal: it parts where documents are judged for subtopics"):
        separate(parse_measure("nNRBP"), DEFAULT, parse_convention("default[novelty_ideal=exact]"))


def test_without_a_measure_one_is_chosen_that_depends_on_it():
    for axis, setting, measure in (
        ("gain", "exponential", "nDCG"),
        ("precision_denominator", "min-cutoff-length", "P@5"),
        ("bpref_variant", "bpref-10", "Bpref"),
        ("f_weight", "beta", "F(beta=2)@5"),
        ("tap_ties", "dropped", "TAP@1"),
        ("ties", "grouped", "AP"),
    ):
        found = witness(f"default[{axis}={setting}]", "default")
        assert (str(found.measure), found.status) == (measure, "separated")
        assert [fault.axis for fault in found.axes] == [axis]
    for text, measure in (("default", "AP"), ("kaggle", "AP@10")):  # the first that means something
        assert str(witness(text, text).measure) == measure


def test_values_that_are_equal_in_other_words_do_not_part():
    measure = parse_measure("nDCG")
    run = Run.of({"q": [("a", 2), ("b", 1)]})
    qrels = Qrels.of({"q": {"a": 0, "b": 2, "c": 2}})
    values = [
        exact_under(measure, qrels, run, parse_convention(f"default[gain={each}]")) for each in ("linear", "binary")
    ]
    assert values[0] != values[1]
    assert comparable(values[0]) == comparable(values[1])
