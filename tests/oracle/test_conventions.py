"""Axes and their clauses: every value has a meaning, an anchor and a text that parses back."""

import pytest
from campaign import of_every
from rankspec.oracle import DEFAULT, Convention, ConventionError, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import MultipleRounding, Ties
from rankspec.oracle.conventions.convention import AXES, parse_setting, setting_text


@of_every(AXES)
def test_every_setting_parses_back_and_stands_for_a_clause(axis):
    described = AXES[axis]
    for setting in described.values or [getattr(DEFAULT, axis)]:
        assert parse_setting(axis, setting_text(setting)) == setting
        assert described.clause(setting).startswith(described.anchor)


def test_a_clause_id_is_the_anchor_and_the_value():
    assert AXES["ties"].clause(Ties.GROUPED) == "ranking.ties.grouped"
    assert AXES["depth"].clause(10) == "ranking.depth"


@pytest.mark.parametrize("settings", [{"depth": 0}, {"depth": -1}, {"geometric_floor": 0}, {"geometric_floor": 2}])
def test_a_setting_that_means_nothing_is_refused(settings):
    with pytest.raises(ConventionError, match=next(iter(settings))):
        Convention(**settings)


@pytest.mark.parametrize(
    ("measure", "convention", "axis", "is_open"),
    [
        ("AP", "default", "geometric_floor", False),
        ("AP", "default[aggregate=geometric]", "geometric_floor", True),
        ("AP", "default", "empty_mean", False),
        ("AP", "default[no_hits=skip]", "empty_mean", True),
        ("AP", "default[no_hits=skip, aggregate=micro]", "empty_mean", False),
        ("AP", "default[no_relevant=skip]", "empty_mean", True),
        ("RBPResidual", "default[missing_query=skip]", "empty_mean", True),
        ("RBPResidual", "default[no_hits=skip]", "empty_mean", False),
        ("AP", "default[aggregate=micro, missing_query=skip]", "empty_mean", False),
        ("NumRet", "default[missing_query=skip]", "empty_mean", False),
        ("AP@3", "default[interpolation=all-ranks]", "denominator", False),
        ("AP", "default", "recall_grid", False),
        ("AP11", "default", "recall_grid", True),
        ("AP11", "default", "interpolation", False),
        ("AP", "default[interpolation=all-ranks]", "denominator", False),
        ("TAP@5", "default", "tap_ties", True),
        ("prefs_simp", "default[prefs_ties=docno-ascending]", "ties", False),
        ("prefs_simp", "default", "ties", True),
    ],
)
def test_which_axes_can_change_a_value(measure, convention, axis, is_open):
    assert (axis in parse_measure(measure).axes(parse_convention(convention))) is is_open


@pytest.mark.parametrize(
    ("relevant", "up", "trec_eval"), [(0, 0, 0), (3, 2, 2), (5, 2, 2), (7, 3, 3), (8, 4, 4), (4, 2, 2)]
)
def test_a_multiple_of_r_by_hand(relevant, up, trec_eval):
    """0.4 R: 0, 1.2, 2, 2.8, 3.2, 1.6; trec_eval adds 0.9 and cuts off, which differs at 0.05 above a whole number."""
    measure = parse_measure("RprecMult@0.4")
    rounded = {each: measure.limit(relevant, each) for each in MultipleRounding}
    assert rounded == {MultipleRounding.UP: up, MultipleRounding.TREC_EVAL: trec_eval}
    slightly = parse_measure("RprecMult@0.35")
    assert [slightly.limit(3, each) for each in (MultipleRounding.UP, MultipleRounding.TREC_EVAL)] == [2, 1]


@pytest.mark.parametrize("text", ["IPrec@0", "IPrec@1", "RBP(p=0)", "INST(min_rel=0, max_rel=1)", "P@1"])
def test_what_lies_at_the_end_of_a_range_is_in_it(text):
    assert str(parse_measure(text)) == text.replace("min_rel=0, max_rel=1", "max_rel=1, min_rel=0")


def test_a_setting_of_no_axis_is_refused():
    with pytest.raises(TypeError, match=r"one setting for each axis: tie\Z"):
        DEFAULT.with_setting("tie", Ties.EXPECTED)
