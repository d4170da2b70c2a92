"""Each way to a value agrees with the oracle under every value of every axis, and a value without code is no value.

The tests are made from the declarations: a new value of an axis, or a new family, is in them as soon as it is declared.
"""

import json
import math
import subprocess
import sys
from bisect import bisect_left
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from axis_values import cases, conventions_of, judged_run, named
from campaign import in_campaign
from rankspec.conformance.infer.resolve.search import convention_of, sweep_of
from rankspec.oracle import UndefinedValueError, evaluate
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import AXES, DEFAULT
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.data.data import Data
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.rankings.ranking import Ranking, all_orders
from rankspec.oracle.reals.real import weighted_sum
from rankspec.oracle.scoring.batch.evaluated import is_read
from rankspec.oracle.scoring.batch.values import NeedsScoresError
from rankspec.oracle.scoring.engines.counting import product_of_dicts
from rankspec.oracle.scoring.engines.product import EngineRefusalError
from rankspec.oracle.scoring.engines.scoring import score_product
from rankspec.oracle.scoring.engines.streaming import product_of_stream
from rankspec.oracle.sweeps.exact_values import comparable, exact_on
from rankspec.oracle.values import Undefined, to_double

CASES = cases()
CERTIFIED = [measure for measure in CASES if is_read(measure, measure.under(DEFAULT))]
ONE_EACH = list({measure.name: measure for measure in CASES}.values())


def same(one, other):
    return one == other or (math.isnan(one) and math.isnan(other))


@pytest.mark.drawn
# One whose terms are enclosed each time, and one of whole numbers.
@pytest.mark.parametrize("measure", in_campaign(CERTIFIED, but=["AP@2", "P@2"], ids=str))
def test_engines_say_what_the_oracle_says(measure, tmp_path):
    """What an engine counts and a kernel certifies is the nearest double of each query's value, and of the mean."""
    qrels, run = judged_run(len(str(measure)), measure)
    scores = {query: {docno: float(score) for docno, score in run.documents(query)} for query in run}
    path = tmp_path / "run"
    lines = (
        f"{query.replace(' ', '_')} Q0 {docno} 1 {score} t\n" for query in run for docno, score in run.documents(query)
    )
    path.write_text("".join(lines), encoding="utf-8")
    in_file = type(qrels).of({query.replace(" ", "_"): qrels.grades(query) for query in qrels})
    compared = 0
    for convention in conventions_of(measure):
        try:
            exact = evaluate(measure, qrels, run, convention)
        except UndefinedValueError:
            exact = None
        for product_of, judged, given in ((product_of_dicts, qrels, scores), (product_of_stream, in_file, path)):
            try:
                values = score_product(measure, product_of(judged, given, convention), convention)
            except (EngineRefusalError, NeedsScoresError):
                continue  # the oracle evaluates it
            except UndefinedValueError:
                assert exact is None, named(convention)
                continue
            assert exact is not None, named(convention)
            assert same(values.mean.double, exact.double), named(convention)
            doubles = [values.values.doubles[place] for place in values.counting.values()]
            assert doubles == [to_double(each) for each in exact.exact_per_query.values()] or any(
                isinstance(each, Undefined) for each in exact.exact_per_query.values()
            ), named(convention)
            compared += 1
    assert compared


@pytest.mark.drawn
# Each time two that are quick and have many axes; average precision has a sweep of its own, see sweeps/test_lists.py.
@pytest.mark.parametrize(
    ("measure", "ranked"),
    in_campaign(
        product(ONE_EACH, (0, 2)),
        but=["F(beta=2)@5, ranked", "infAP, undefined"],
        ids=lambda row: f"{row[0]}, {'ranked' if row[1] else 'undefined'}",
    ),
)
def test_no_value_is_left_out_of_a_sweep(measure, ranked):
    """What resolve and identify search has each value of each axis, with the oracle's own number."""
    qrels, run = judged_run(3, measure, queries=ranked, undefined=not ranked)
    sweep = sweep_of(measure, Data(qrels, run))
    totals = {total.differences: total for total in sweep.totals()}
    assert sweep.complete
    numbers = sorted({total.approximate for total in totals.values() if not math.isnan(total.approximate)})
    for convention in conventions_of(measure):
        exact = exact_on(measure, Data(qrels, run), convention)
        differences = convention.differences()
        searched = all(AXES[axis].values or setting in AXES[axis].in_use for axis, setting in differences.items())
        if exact is Undefined.ERROR or not searched:
            continue
        double = to_double(exact)
        place = bisect_left(numbers, double - 1e-12)
        assert math.isnan(double) or any(number < double + 1e-12 for number in numbers[place:]), named(convention)
        total = totals.get(tuple(differences.items()))
        if total is not None:
            assert convention_of(total.differences) == convention
            assert comparable(total.value()) == comparable(exact)


@pytest.mark.campaign
def test_a_value_that_no_code_knows_gives_no_number():
    """Each axis with one more value, which no function has a line for: no way to a value takes it for another one."""
    script = Path(__file__).parents[1] / "unknown_axis_values.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert said["silent"] == []
    of_measures = {axis for family in FAMILIES.values() for axis in family.axes}
    assert set(said["refused"]) == {axis for axis in of_measures if AXES[axis].values is not None}


@pytest.mark.parametrize(
    "measure",
    in_campaign(
        [each for each in CASES if each.family.definition is not None or each.is_graded],
        but=[
            *("AP@R", "F(beta=2)@5", "RR@10", "SetF(beta=2)", "nDCG@2", "Bpref"),
            *("Q(beta=1)@10", "INSQ", "BPM(T=1, max_rel=4)@10", "Judged@10"),
        ],
        ids=str,
    ),
)
@pytest.mark.parametrize(
    ("middle", "depths"), [((1, None, 2), (2, 5)), pytest.param((1, None, 2, 0), (3, 6), marks=pytest.mark.campaign)]
)
def test_a_depth_within_a_tie_is_worth_the_mean_over_all_orders(measure, middle, depths):
    """The naive mean is that of each order by itself, of which the depth, in either tie, leaves one list."""
    blocks, compared = ((0,), middle, (1, 0)), 0
    judged = (*(label for block in blocks for label in block if label is not None), 3)
    orders = [Ranking(tuple((label,) for label in order), judged) for order in all_orders(blocks)]
    tied = [each for each in conventions_of(measure) if each.ties is Ties.EXPECTED]
    for convention, depth in product(tied, depths):
        holding = measure.under(convention.with_setting("depth", depth))
        try:
            values = [value_of(each, measure, holding) for each in orders]
        except UndefinedValueError:
            continue
        if not any(isinstance(each, Undefined) for each in values):
            mean = to_double(weighted_sum([(Fraction(1, len(values)), each) for each in values]))
            value = to_double(value_of(Ranking(blocks, judged), measure, holding))
            assert value == pytest.approx(mean, rel=1e-14), (named(convention), depth)
            compared += 1
    assert compared or not tied
