"""Witnesses of every measure: the smallest inputs, held against a search of its own, and what they cost."""

from __future__ import annotations

import pytest
from campaign import in_campaign
from ci_scripts import ci_script
from rankspec.conformance.infer.witness.separation import separate
from rankspec.conformance.infer.witness.witness import witness
from rankspec.oracle import ConventionError, Qrels, Run, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Unjudged
from rankspec.oracle.conventions.convention import AXES, DEFAULT
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.sweeps.exact_values import comparable, exact_under


@pytest.mark.parametrize("measure", in_campaign(ci_script("separations").OTHERS, ids=str))
def test_every_axis_of_every_measure(measure):
    """Every setting of every axis parts from the default somewhere small, but for the few that coincide."""
    equal = set()
    most = 5_000 if measure.family.by_preference else 1_000  # a preference takes two documents
    for axis in measure.family.axes:
        base = DEFAULT.with_setting("unjudged", Unjudged.REMOVED) if axis == "negative_grades" else DEFAULT
        for setting in AXES[axis].values or ():
            changed = base.with_setting(axis, setting)
            if changed == base or axis not in measure.axes(changed) or meaningless(measure, changed) is not None:
                continue
            if separate(measure, base, changed, most).input is None:
                equal.add(axis)
    by_name = measure.k is None and measure.multiple is None
    assert equal == _EQUAL.get(measure.name if by_name else str(measure), frozenset())


_OF_SETS = frozenset({"ties", "score_precision"})
_OF_COUNTS = _OF_SETS | {"missing_query", "unknown_query"}
"""A query that is left out adds nothing to a sum, as one that is worth 0."""

_EQUAL = {
    "SetP": _OF_SETS,
    "Utility": _OF_SETS,
    "SetF": _OF_SETS,
    "SetAP": _OF_SETS,
    # No document that is removed, and no grade below 0, is relevant.
    "SetR": _OF_SETS | {"unjudged", "negative_grades"},
    "NumRelRet": _OF_COUNTS | {"unjudged", "negative_grades"},
    "NumRet": _OF_COUNTS,
    "NumNonrelJudgedRet": _OF_COUNTS | {"unjudged"},
    # Without a cutoff nothing judged lies beyond it, and the top of the list is all of it.
    "nDCG": frozenset({"ideal"}),
    "NumRel": frozenset({"unknown_query"}),
    # 2/5 of R is rounded up by either rule.
    "RprecMult@0.4": frozenset({"multiple_rounding"}),
    # A condensed list has no unjudged document.
    "Unjudged@2": frozenset({"negative_grades"}),
    # What 3/10 needs is the same in doubles as exactly.
    "IPrec": frozenset({"recall_grid"}),
}


def test_what_only_subtopics_show_is_refused():
    with pytest.raises(ConventionError, match="novelty_ideal: it parts where documents are judged for subtopics"):
        separate(parse_measure("nNRBP"), DEFAULT, parse_convention("default[novelty_ideal=exact]"))


def test_without_a_measure_one_is_chosen_that_depends_on_it():
    for axis, setting, measure in (
        ("gain", "exponential", "nDCG"),
        ("precision_denominator", "min-cutoff-length", "P@5"),
        ("bpref_variant", "bpref-10", "Bpref"),
        ("f_weight", "beta", "F(beta=2)@5"),
    ):
        found = witness(f"default[{axis}={setting}]", "default")
        assert (str(found.measure), found.status) == (measure, "separated")
        assert [fault.axis for fault in found.axes] == [axis]


def test_grades_are_in_the_input():
    found = witness("default[gain=exponential]", "default", "DCG@3")
    assert found.given == {"relevance": [2], "num_relevant": 1}
    assert found.texts == ("3", "2")


def test_values_that_are_equal_in_other_words_do_not_part():
    measure = parse_measure("nDCG")
    run = Run.of({"q": [("a", 2), ("b", 1)]})
    qrels = Qrels.of({"q": {"a": 0, "b": 2, "c": 2}})
    values = [
        exact_under(measure, qrels, run, parse_convention(f"default[gain={each}]")) for each in ("linear", "binary")
    ]
    assert values[0] != values[1]
    assert comparable(values[0]) == comparable(values[1])
