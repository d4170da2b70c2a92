"""What resolve computes query by query is what the oracle says, and no value that the data can show is left out."""

import math
from dataclasses import replace
from random import Random

import pytest
from campaign import in_campaign, seeded
from rankspec.conformance.infer.resolve.search import convention_of
from rankspec.oracle import Qrels, Run, parse_measure
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import AXES, DEFAULT
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.sweeps.by_query import ByQuery, other_measures
from rankspec.oracle.sweeps.exact_values import comparable, exact_under
from rankspec.oracle.sweeps.space import Data, observable_settings
from rankspec.oracle.values import Undefined, to_double

MEASURES = [
    "P@3", "R@2", "F(beta=2)@3", "F@2", "Success@2", "RR", "RR@2", "Rprec", "SetP", "SetP(relative=True)", "SetR",
    "SetF(beta=0.5)", "SetAP", "IPrec@0.3", "DCG@3", "nDCG@2", "nDCG", "nDCG(dcg='exp-log2')@3",
    "nDCG(gains={0: 1, 1: 2.5})@3", "Bpref", "infAP", "RBP", "RBP(p=0.8, rel=2)@3", "RBPResidual", "Judged@3",
    "NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet", "NumQ", "GMAP", "P(rel=2)@3", "nDCG(judged_only=True)@3",
]  # fmt: skip

GONE_THROUGH = [text for text in MEASURES if text not in {"nDCG@2", "GMAP"}]
"""Those whose every value fits into 20,000 lines, on some of the drawn data."""


def _data(seed):
    """Return two or three queries with ties, grades below 0, unjudged documents, and queries in one file alone."""
    draw = Random(seeded(seed))
    qrels, run = {}, {}
    for query in ("q1", "q2", "q3")[: draw.choice((2, 3))]:
        names = draw.sample("abcdefg", draw.randint(2, 5))
        qrels[query] = {name: draw.choice((0, 1, 1, 2, 3, -1)) for name in draw.sample("abcdefg", draw.randint(1, 5))}
        run[query] = [(name, draw.choice(("3", "2", "2", "1.00000001", "1"))) for name in names]
    if draw.random() < 0.3:
        del run["q1"]
    if draw.random() < 0.3:
        del qrels["q2"]
    return Data(Qrels.of(qrels), Run.of(run))


@pytest.mark.drawn
@pytest.mark.parametrize("text", in_campaign(MEASURES, but=["RR@2"], ids=str))
def test_every_value_is_the_oracles(text):
    measure = parse_measure(text)
    seen = 0
    for seed in range(2):
        data = _data(seed)
        every = list(ByQuery(measure, data, most_lines=4_000).totals())
        for total in Random(seed).sample(every, min(len(every), 15)):
            exact = exact_under(measure, data.qrels, data.run, convention_of(total.differences))
            found = total.exact if total.later is None else total.later()
            assert comparable(found) == comparable(exact)
            double = to_double(exact)
            assert math.isnan(double) == math.isnan(total.approximate)
            assert math.isnan(double) or abs(double - total.approximate) < 1e-12
            seen += 1
    assert seen


@pytest.mark.drawn
@pytest.mark.parametrize("text", in_campaign(GONE_THROUGH, but=["RR@2", "R@2"], ids=str))
def test_no_value_is_left_out(text):
    measure = parse_measure(text)
    draw = Random(seeded(text))
    compared = 0
    for seed in range(3, 5):
        data = _data(seed)
        evaluator = ByQuery(measure, data, most_lines=20_000)
        found = {_rounded(total.approximate) for total in evaluator.totals()}
        if not evaluator.complete:
            continue
        for _ in range(15):
            convention = DEFAULT
            for axis in measure.family.axes:
                if AXES[axis].values and draw.random() < 0.4:
                    convention = convention.with_setting(axis, draw.choice(list(AXES[axis].values)))
            is_pool = convention.aggregate is Aggregate.MICRO and not text.startswith(("AP", "GMAP", "IPrec"))
            is_searched = not is_pool or len(convention.differences()) <= 2
            if is_searched and meaningless(measure, convention) is None:
                exact = exact_under(measure, data.qrels, data.run, convention)
                assert exact is Undefined.ERROR or _rounded(to_double(exact)) in found, convention
                compared += exact is not Undefined.ERROR
    assert compared >= 3


def _rounded(double):
    return "nan" if math.isnan(double) else round(double, 10)


def test_a_pooled_value_is_no_mean():
    # Half of the recall: the first query reaches it at precision 1, the second never, both in one list at precision 1.
    qrels = Qrels.of({"q": {"a": 1}, "r": {"b": 1}})
    data = Data(qrels, Run.of({"q": [("a", 4), ("x", 3)], "r": [("y", 2), ("z", 1)]}))
    found = {total.differences: total.approximate for total in ByQuery(parse_measure("IPrec@0.5"), data).totals()}
    assert (found[()], found[("aggregate", Aggregate.MICRO),]) == (1 / 2, 1)


def test_a_rule_for_no_query_is_asked_where_no_query_counts():
    # The first query has no relevant documents, the second no hits. With both left out, the mean is what the rule says,
    # a geometric one too; with one of them no rule is needed.
    data = Data(Qrels.of({"q": {"a": 0}, "r": {"a": 0, "b": 1}}), Run.of({"q": [("a", 1)], "r": [("a", 1)]}))
    skipped, found = {"no_relevant=skip", "no_hits=skip"}, {}
    for total in ByQuery(parse_measure("RR"), data).totals():
        rules = {f"{axis}={setting}" for axis, setting in total.differences}
        if rules >= skipped or "empty_mean" in dict(total.differences):
            found[frozenset(rules - skipped)] = str(total.approximate)
    assert found == {
        frozenset(): "nan",
        frozenset({"empty_mean=zero"}): "0.0",
        frozenset({"empty_mean=one"}): "1.0",
        frozenset({"empty_mean=minus-one"}): "-1.0",
    }


def test_what_can_not_matter_is_not_varied():
    data = Data(Qrels.of({"q": {"a": 1, "b": 0}}), Run.of({"q": [("a", 2), ("b", 1)]}))
    assert observable_settings(parse_measure("P@2"), data) == {
        "precision_denominator": tuple(AXES["precision_denominator"].values)[::2]
    }
    assert observable_settings(parse_measure("R@1"), data) == {}
    assert observable_settings(parse_measure("F@2"), data).keys() == {"precision_denominator"}
    assert observable_settings(parse_measure("nDCG@2"), data).keys() == {"discount"}
    assert observable_settings(parse_measure("RBP(p=0.8)"), data) == {}
    graded = replace(data, qrels=Qrels.of({"q": {"a": 2, "b": 1, "c": 1}}))
    assert observable_settings(parse_measure("nDCG@2"), graded).keys() == {"gain", "discount", "ideal"}
    assert observable_settings(parse_measure("R@2"), graded).keys() == {"recall_denominator"}


def test_other_measures_have_the_same_cutoff():
    others = {str(each) for each in other_measures(parse_measure("AP(rel=2)@5"))}
    assert {"RR(rel=2)@5", "P(rel=2)@5", "nDCG@5", "GMAP(rel=2)@5"} <= others
    assert not others & {"AP(rel=2)@5", "Rprec(rel=2)", "NumRet"}
    uncut = {each.name for each in other_measures(parse_measure("AP"))}
    assert {"RR", "Rprec", "nDCG", "Bpref"} <= uncut
    assert not uncut & {"P", "R", "AP", "IPrec", "TAP"}
    assert uncut <= {*FAMILIES}
