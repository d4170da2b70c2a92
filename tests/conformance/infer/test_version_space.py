"""A version space loses no convention, in whichever order its axes join."""

from dataclasses import replace
from itertools import permutations, product

import pytest
from rankspec.conformance.infer.interview.version_space import IDLE, Space, space_of
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import DEFAULT, parse_measure
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless

QRELS_RUN = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.OPTIONAL, Need.OPTIONAL)


def every_convention(space):
    """List the product of all settings, those that differ in an axis without effect once."""
    found = set()
    for settings in product(*space.settings.values()):
        convention = replace(DEFAULT, **dict(zip(space.settings, settings, strict=True)))
        if meaningless(space.measure, convention) is None:
            used = space.measure.axes(convention)
            unused = {axis: getattr(DEFAULT, axis) for axis in space.settings if axis not in used}
            found.add(replace(convention, **unused))
    return found


@pytest.mark.parametrize(
    ("measure", "axes"),
    [
        ("AP@3", ("empty_mean", "no_relevant", "aggregate", "missing_query")),
        ("AP@3", ("recall_grid", "denominator", "interpolation")),
        ("AP", ("geometric_zero", "aggregate")),
        ("prefs_simp", ("prefs_ties", "ties")),
    ],
)
def test_axes_join_in_any_order(measure, axes):
    whole = space_of(parse_measure(measure), QRELS_RUN, one_mean=True)
    space = Space(whole.measure, {axis: whole.settings[axis] for axis in axes}, ())
    expected = every_convention(space)
    for order in permutations(axes):
        members, joined = [space.start], frozenset()
        for axis in order:
            members = space.extended(members, (axis,), joined)
            joined |= {axis}
        assert set(members) == expected, order
        assert len(members) == len(expected)


@pytest.mark.campaign
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_only_the_axes_of_the_table_make_an_axis_idle(family):
    measure = parse_measure(FAMILIES[family].example)
    awake = set(measure.axes(DEFAULT))
    changes = [(axis, setting) for axis in measure.family.axes for setting in AXES[axis].values or ()]
    for first, second in product(changes, repeat=2):
        convention = replace(DEFAULT, **dict((first, second)))
        for idle in awake.symmetric_difference(measure.axes(convention)):
            assert IDLE.get(idle, frozenset(AXES)) & {first[0], second[0]} or idle == "geometric_floor", (first, second)
