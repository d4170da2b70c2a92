"""What is remembered for many conventions at once is what the oracle says of each of them."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
from campaign import in_campaign, seeded
from rankspec.conformance.infer.interview.inputs import FAMILIES, random_probes
from rankspec.conformance.infer.interview.prediction import Predictor, all_singles
from rankspec.conformance.infer.interview.probe import Probe, shaped
from rankspec.conformance.infer.interview.version_space import space_of
from rankspec.conformance.run.outcomes import Number, PerQuery, Raised
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import Qrels, Run
from rankspec.oracle.conventions.axes import Aggregate, NoRelevant, UnknownQuery
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.measure import Measure, meaningless

MEASURES = [Measure("AP"), Measure("AP", 3), Measure("AP11"), Measure("AP", 2, rel=2), Measure("TAP", 2)]
SCORED = {Shape.LABELS_SCORES, Shape.QRELS_RUN, Shape.FILES}


@pytest.mark.drawn
# Every axis of average precision has an effect on the queries of a run at a cutoff.
@pytest.mark.parametrize(
    ("shape", "measure"),
    in_campaign(
        product((each for each in Shape if each is not Shape.PREDICTED_ACTUAL), MEASURES),
        but=["qrels-run AP@3"],
        ids=lambda row: f"{row[0].value} {row[1]}",
    ),
)
@pytest.mark.parametrize("one_mean", [True, False], ids=["mean", "each"])
def test_remembered_is_computed(shape, measure, one_mean):
    if measure.name == "TAP" and shape not in SCORED:
        return
    signature = Signature(shape, shape.natives, Need.OPTIONAL, Need.OPTIONAL)
    space = space_of(measure, signature, one_mean=one_mean)
    generator = Random(seeded(7))
    probes = [probe for family in FAMILIES for probe in family(measure)] + random_probes([measure], 60)
    predictor = Predictor()
    compared = 0
    for asked in filter(None, (shaped(probe, signature) for probe in generator.sample(probes, min(len(probes), 110)))):
        for _ in range(8):
            convention = space.start
            for axis, settings in space.settings.items():
                convention = convention.with_setting(axis, generator.choice(settings))
            if meaningless(measure, convention) is not None:
                continue
            remembered, computed = predictor.predicted(asked, convention), predictor.computed(asked, convention)
            assert remembered.answer(one_mean=one_mean) == computed.answer(one_mean=one_mean), (asked, convention)
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("rule", UnknownQuery)
def test_nothing_is_pooled_where_nothing_is_judged(rule):
    signature = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.OPTIONAL, Need.OPTIONAL)
    asked = shaped(Probe("unknown", Measure("AP"), Qrels.of({}), Run.of({"q": {"a": 1}})), signature)
    convention = replace(DEFAULT, aggregate=Aggregate.MICRO, unknown_query=rule, no_relevant=NoRelevant.ONE)
    predictor = Predictor()
    assert predictor.predicted(asked, convention).answer(one_mean=True) == predictor.computed(asked, convention).answer(
        one_mean=True
    )


def test_singles_are_told_by_all_numbers():
    half, third = Number(Fraction(1, 2), "float"), Number(Fraction(float(np.float32(1 / 3))), "float")
    assert all_singles([half, third])
    assert all_singles([PerQuery({"q": half, "r": third}), Raised("ValueError", "")])
    assert not all_singles([half, third, Number(Fraction(1 / 3), "float")])
    assert not all_singles([Raised("ValueError", "")])
