"""Axes and their clauses: every value has a meaning, an anchor and a text that parses back."""

from __future__ import annotations

import pytest
from rankspec.oracle import DEFAULT, Convention, ConventionError
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import AXES, parse_setting, setting_text


@pytest.mark.parametrize("axis", AXES)
def test_every_setting_parses_back_and_stands_for_a_clause(axis):
    described = AXES[axis]
    assert described.meaning
    for setting in described.values or [getattr(DEFAULT, axis)]:
        assert parse_setting(axis, setting_text(setting)) == setting
        assert described.clause(setting).startswith(described.anchor)
    for value in described.values or ():
        assert value.meaning.endswith((".", ")"))


def test_a_clause_id_is_the_anchor_and_the_value():
    assert AXES["ties"].clause(Ties.GROUPED) == "ranking.ties.grouped"
    assert AXES["depth"].clause(10) == "ranking.depth"


@pytest.mark.parametrize("settings", [{"depth": 0}, {"depth": -1}, {"geometric_floor": 0}, {"geometric_floor": 2}])
def test_a_setting_that_means_nothing_is_refused(settings):
    with pytest.raises(ConventionError, match=next(iter(settings))):
        Convention(**settings)
