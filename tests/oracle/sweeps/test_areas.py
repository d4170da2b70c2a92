"""Areas that share their work equal the oracle's, one by one."""

from fractions import Fraction

from hypothesis import assume, example, given
from hypothesis import strategies as st
from rankspec.conformance.data.arguments import data_of
from rankspec.oracle import Measure
from rankspec.oracle.conventions.axes import Interpolation, RecallGrid
from rankspec.oracle.measures.areas.estimators import ESTIMATORS, area, operating_points
from rankspec.oracle.measures.areas.expectation import expected_area
from rankspec.oracle.rankings.ranking import hits, length
from rankspec.oracle.sweeps.areas import Areas
from rankspec.oracle.sweeps.lists import Evaluator
from rankspec.oracle.sweeps.orders import Orders

BLOCKS = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=5).map(tuple), min_size=1, max_size=4).map(tuple)
INTERPOLATIONS = st.sampled_from([each for each in Interpolation if each is not Interpolation.SLOPED_LINE])


def is_near(double, exact):
    """What a double may be off, as its docstring has it."""
    return abs(Fraction(double) - exact) <= abs(exact) / 2**49


# Two orders, of which the mean is taken at each level.
@example(((0, 1), (1,)), Interpolation.ELEVEN_POINT, 0, RecallGrid.EXACT, True)  # noqa: FBT003
# The first hit at rank 1 or at rank 2, at rank 2 or at rank 3.
@example(((0, 1), (1,)), Interpolation.LINEAR_101, 0, RecallGrid.EXACT, True)  # noqa: FBT003
@example(((0,), (0, 1)), Interpolation.LINEAR_101, 0, RecallGrid.EXACT, True)  # noqa: FBT003
@given(BLOCKS, INTERPOLATIONS, st.integers(-1, 3), st.sampled_from(list(RecallGrid)), st.booleans())
def test_areas_of_blocks(blocks, interpolation, more, grid, undecided):
    relevant = hits(blocks)
    assume(relevant + more > 0)
    points = length(blocks) if undecided else len(blocks)
    padded = interpolation is Interpolation.ALL_RANKS_PADDED
    if padded and not undecided:
        return  # it needs ranks, and a block has none inside
    k = points + 1 if padded else None
    estimator = ESTIMATORS[interpolation](relevant + more, points, k, grid)
    expected = expected_area(estimator, blocks) if undecided else area(estimator, operating_points(blocks))
    areas = Areas(blocks, undecided, k)
    assert areas.area(interpolation, relevant + more, grid) == expected
    assert is_near(areas.near(interpolation, relevant + more, grid), expected)


@given(BLOCKS, st.integers(0, 2), st.booleans())
def test_areas_by_sloped_line(blocks, more, undecided):
    relevant = hits(blocks)
    assume(relevant)
    listed = blocks if undecided else tuple((label,) for block in blocks for label in block)
    estimator = ESTIMATORS[Interpolation.SLOPED_LINE](relevant + more, length(blocks), None, RecallGrid.EXACT)
    expected = expected_area(estimator, blocks) if undecided else area(estimator, operating_points(listed))
    areas = Areas(listed, undecided, None)
    assert areas.area(Interpolation.SLOPED_LINE, relevant + more, RecallGrid.EXACT) == expected
    assert is_near(areas.near(Interpolation.SLOPED_LINE, relevant + more, RecallGrid.EXACT), expected)


@given(BLOCKS)
def test_probabilities_of_orders_add_up(blocks):
    orders = Orders(blocks)
    for rank in range(orders.length + 1):
        assert sum((orders.probability(rank, count) for count in range(hits(blocks) + 1)), Fraction(0)) == 1
    assert sum((weight for _, _, weight in orders.hit_cells), Fraction(0)) == hits(blocks)


def test_orders_that_are_too_many_are_known():
    assert Orders(((0, 1) * 50,)).is_feasible
    assert not Orders(((0, 1) * 500,)).is_feasible


def test_no_area_is_worked_out_exactly_that_nobody_looks_at(monkeypatch):
    def never(*_):
        raise AssertionError("an exact area that no printed number came near")

    monkeypatch.setattr("rankspec.oracle.sweeps.areas.area", never)
    monkeypatch.setattr("rankspec.oracle.sweeps.areas.expected_area", never)
    data = data_of({"labels": [0, 1, 1, 0, 1, 0], "scores": ["0.9", "0.9", "0.5", "0.5", "0.5", "0.1"]})
    totals = [total.approximate for total in Evaluator(Measure("AP", 4), data).totals()]
    assert min(abs(total - (1 / 2 + 2 / 3) / 3) for total in totals) < 1e-12
