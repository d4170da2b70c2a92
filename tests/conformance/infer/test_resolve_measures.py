"""Resolve knows every measure: graded ones with irrational values, ties, undefined values, other measures."""

import pytest
from campaign import one_in
from rankspec.conformance.infer.resolve.resolve import resolve
from rankspec.oracle import parse_convention

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1, "d": 3}}
RUN = {"q1": {"a": 1, "b": 2, "x": 1}, "q2": {"a": 5, "x": 4, "d": 3}}


def _first(value, measure, **given):
    found = resolve(value, measure=measure, **given)
    assert found.status == "explained"
    return found.explanations[0].convention_text


@one_in(3)
@pytest.mark.parametrize(
    ("value", "measure", "given", "convention"),
    [
        ("0.8950", "nDCG@3", {"relevance": [3, 2, 0, 1]}, "default"),
        ("0.9468", "nDCG@3", {"relevance": [3, 2, 0, 1]}, "default[gain=exponential]"),
        ("0.8949", "nDCG@3", {"relevance": [3, 2, 0, 1]}, "default"),
        ("0.7654", "nDCG@3", {"relevance": [3, 2, 0, 1]}, "default[gain=binary]"),
        ("1.00", "nDCG@3", {"relevance": [3, 2, 0, 1]}, "default[ideal=retrieved-top]"),
        ("0.5", "P@5", {"relevance": [1, 0], "num_relevant": 4}, "default[precision_denominator=min-cutoff-length]"),
        ("0.25", "P@5", {"relevance": [1, 0], "num_relevant": 4}, "default[precision_denominator=min-relevant-cutoff]"),
        ("0.50", "R@2", {"relevance": [1, 0], "num_relevant": 4}, "default[recall_denominator=min-relevant-cutoff]"),
        ("0.75", "RR", {"labels": [1, 0], "scores": [1, 1]}, "default[ties=expected]"),
        ("0.5", "RR", {"labels": [1, 0], "scores": [1, 1]}, "default[ties=grouped]"),
        ("nan", "R@5", {"relevance": [0, 0]}, "default[no_relevant=nan]"),
        ("0.60", "SetF(beta=2)", {"relevance": [1], "num_relevant": 2}, "default[f_weight=beta]"),
        ("0.90909", "Bpref", {"relevance": [0, 1]}, "default[bpref_variant=bpref-10]"),
        ("0.100", "RBP", {"relevance": [1]}, "default[rbp_persistence=9/10]"),
        ("0.4472", "GMAP", {"qrels": QRELS, "run": RUN}, None),
        ("0.6309", "DCG", {"relevance": [0, 1]}, "default"),
        ("5/9", "SetF(beta=2)", {"relevance": [1], "num_relevant": 2}, "default"),
    ],
)
def test_the_simplest_explanation(value, measure, given, convention):
    if convention is None:
        assert resolve(value, measure=measure, **given).measure.name == measure
    else:
        assert _first(value, measure, **given) == convention


def test_axes_of_the_measure_with_defaults():
    found = resolve("0.9468", measure="nDCG@3", relevance=[3, 2, 0, 1])
    (only,) = found.explanations
    assert {"gain", "discount", "ideal", "ties", "unjudged", "no_relevant"} <= only.axes.keys()
    assert not {"denominator", "interpolation", "bpref_variant", "reading"} & only.axes.keys()
    assert only.exact_text == "(3*log(2)/log(3) + 7)/(3*log(2)/log(3) + 15/2)"
    assert only.convention == parse_convention("default[gain=exponential]")


def test_another_measure_gives_it():
    given = {"relevance": [0, 0, 1, 1]}
    assert resolve("0.3333", measure="AP", **given).status == "unexplained"
    found = resolve("0.3333", measure="AP", any_measure=True, **given)
    assert [str(each.measure) for each in found.explanations] == ["RR"]
