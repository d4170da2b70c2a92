"""What a small input can't tell apart has one value: of conventions that are asked for together, some are evaluated."""

from random import Random

import pytest
from axis_values import cases, conventions_of, named
from campaign import in_campaign, seeded
from rankspec.conformance.questions.expectation import Demands
from rankspec.oracle import Qrels, Run
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import AXES, DEFAULT
from rankspec.oracle.conventions.measure import meaningless

ONE_EACH = [measure for measure in {each.name: each for each in cases()}.values() if not measure.family.by_subtopic]
POOLED = DEFAULT.with_setting("aggregate", Aggregate.MICRO)


def tiny(draw):
    """Return one to three queries of at most two documents: most axes make no difference to a query by itself."""
    qrels, run = {}, {}
    for query in ("q1", "q2", "q3")[: draw.randint(1, 3)]:
        if draw.random() < 0.9:
            qrels[query] = {name: draw.choice((0, 0, 1, 1, 2)) for name in draw.sample("abcd", draw.randint(1, 3))}
        if draw.random() < 0.8:
            run[query] = [(name, draw.choice((1, 2, 3))) for name in draw.sample("abcde", draw.randint(1, 2))]
    return Qrels.of(qrels or {"q1": {"a": 1}}), Run.of(run)


def drawn(measure, draw):
    """Return every value of every axis, and pools with a value of another axis or of two."""
    conventions = [*conventions_of(measure)]
    used = [axis for axis in measure.axes(POOLED) if AXES[axis].values and axis != "aggregate"]
    for _ in range(20 if used and meaningless(measure, POOLED) is None else 0):
        axes = draw.sample(used, min(2, len(used)))
        pooled = POOLED.with_settings({axis: draw.choice([*AXES[axis].values]) for axis in axes})
        conventions += [pooled] if meaningless(measure, pooled) is None else []
    return conventions


@pytest.mark.drawn
@pytest.mark.parametrize("measure", in_campaign(ONE_EACH, but=["nDCG@2"], ids=str))
def test_conventions_that_are_taken_together_have_one_value(measure):
    draw, shared = Random(seeded(str(measure))), 0
    for _ in range(12):
        qrels, run = tiny(draw)
        conventions = drawn(measure, draw)
        demands = Demands(measure, qrels, run)
        together = demands.under_each(conventions)
        shared += len(conventions) - len({*map(id, together)})
        for convention, expectation in zip(conventions, together, strict=True):
            assert demands.under(convention).equals(expectation), (named(convention), qrels, run)
    assert shared
