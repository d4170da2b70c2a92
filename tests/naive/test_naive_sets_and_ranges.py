"""The naive oracle's query sets, ranges, texts and refusals, by hand; the derivation stands above each."""

from __future__ import annotations

import itertools
from fractions import Fraction as F  # noqa: N817 - mostly fractions here, one letter reads best

import pytest
import sympy

from naive import oracle as naive
from naive.questions import parsed
from naive.ranges import judgement_range, tie_range
from naive.values import same

E = F(1, 100000)


def log2(number):
    return sympy.log(number) / sympy.log(2)


# ----------------------------------------------------------------------------------------- query sets


QRELS = {"a": {"x": 1}, "none": {"x": 0}, "lacking": {"x": 1, "y": 1}}
RUN = {"a": [("z", F(2)), ("x", F(1))], "none": [("x", F(3))], "strange": [("x", F(7))]}


@pytest.mark.parametrize(
    ("text", "convention", "expected"),
    [
        ("RR", {}, F(1, 6)),
        ("RR", {"missing_query": "skip", "no_relevant": "skip"}, F(1, 2)),
        ("NumQ", {}, F(3)),
        ("NumQ", {"unknown_query": "zero", "missing_query": "skip", "no_relevant": "error"}, F(3)),
        ("NumRet", {"unknown_query": "zero"}, F(3)),
        ("NumRel", {}, F(3)),
        ("NumRel", {"missing_query": "skip"}, F(1)),
        ("NumRelRet", {"aggregate": "geometric"}, F(1)),
        ("Judged@1", {"no_relevant": "error"}, F(1, 3)),  # z is unjudged, x of the second query is judged
        ("Judged@1", {"missing_query": "error"}, "error"),
        # p^2 + (1-p) of z, p; and 1 of the query that the run lacks: (1/4 + 1/2 + 1/2 + 1)/3
        ("RBPResidual(p=0.5)", {}, F(3, 4)),
        # Without unjudged documents nothing is left, and a query that the run lacks has none: (3/4 + 0 + 0)/3
        ("RBPResidual(p=0.5)", {"rbp_residual": "zero-if-all-judged"}, F(1, 4)),
        ("GMAP", {}, ("root", F(1, 2) * E * E, 3)),
        ("GMAP", {"aggregate": "mean", "geometric_zero": "added"}, ("root", (F(1, 2) + E) * E * E, 3)),
        # One list by score: the second query's x, z, x: first hit of R = 3 at rank 3.
        ("IPrec@0.3", {"aggregate": "micro"}, F(1, 3)),
        ("IPrec@0.5", {"aggregate": "micro"}, F(0)),
    ],
)
def test_sets_of_queries(text, convention, expected):
    assert naive.evaluate_text(text, QRELS, RUN, convention)[0] == expected


def test_a_geometric_mean_that_gives_back_what_was_added():
    # The floor 1/100 added to 1/2, 0, 0 and taken off the root.
    convention = {"geometric_zero": "added-subtracted", "geometric_floor": F(1, 100), "aggregate": "geometric"}
    value, _ = naive.evaluate_text("RR", QRELS, RUN, convention)
    assert same(value, sympy.root(sympy.Rational(51, 100) / 10000, 3) - sympy.Rational(1, 100))
    # Of equal values it is that value.
    assert naive.evaluate_text("RR", {"a": QRELS["a"]}, RUN, convention)[0] == F(1, 2)


def test_a_mean_of_irrational_values():
    qrels, run = {"a": {"x": 1}, "b": {"x": 1}}, {"a": [("x", F(1))], "b": [("z", F(2)), ("x", F(1))]}
    assert same(naive.evaluate_text("nDCG", qrels, run, {})[0], (1 + 1 / log2(3)) / 2)
    geometric = naive.evaluate_text("nDCG", qrels, run, {"aggregate": "geometric"})[0]
    assert same(geometric, sympy.sqrt(1 / log2(3)))


# ------------------------------------------------------------------------------------------- ranges


def test_the_range_over_orders():
    grades, tied = {"d0": 1, "d1": 0, "d2": 0, "d3": 1}, [(f"d{place}", F(1)) for place in range(4)]
    assert tie_range("AP", None, 1, {"q": grades}, {"q": tied}, {}) == {"q": (F(5, 12), F(1))}
    assert tie_range("SetP", None, 1, {"q": grades}, {"q": tied}, {}) == {"q": (F(1, 2), F(1, 2))}
    low, high = tie_range("nDCG", None, 1, {"q": {"d0": 2, "d1": 1}}, {"q": tied[:2]}, {})["q"]
    assert same(low, (1 + 2 / log2(3)) / (2 + 1 / log2(3)))
    assert high == F(1)
    # Some orders have no hit in the first rank, and those are worth nan: the range is that of the numbers.
    assert tie_range("P", 1, 1, {"q": grades}, {"q": tied}, {"no_hits": "nan"}) == {"q": (F(1), F(1))}
    assert tie_range("P", 1, 1, {"q": {"m": 1}}, {"q": tied}, {"no_hits": "nan"}) == {"q": "nan"}


def test_the_range_over_judgements():
    # u r u, R = 1. Neither relevant: 1/2. The first: (1 + 1)/2 = 1. The last: (1/2 + 2/3)/2 = 7/12. Both: 1.
    grades, entries = {"r": 1}, [("u", F(3)), ("r", F(2)), ("v", F(1))]
    assert judgement_range("AP", None, 1, {"q": grades}, {"q": entries}, {}) == {"q": (F(1, 2), F(1))}
    # R@1: 0/1, 1/2, 0/2, 1/3.
    assert judgement_range("R", 1, 1, {"q": grades}, {"q": entries}, {}) == {"q": (F(0), F(1, 2))}
    # A pooled document is as open as one that nobody saw, and judged where a negative grade is a judgement.
    pooled = {"r": 1, "u": -1, "v": 0}
    assert judgement_range("RR", None, 1, {"q": pooled}, {"q": entries}, {}) == {"q": (F(1, 2), F(1, 2))}
    pool = {"negative_grades": "unjudged"}
    assert judgement_range("RR", None, 1, {"q": pooled}, {"q": entries}, pool) == {"q": (F(1, 2), F(1))}
    # Documents that were not retrieved stay as they are.
    assert judgement_range("NumRel", None, 2, {"q": {"r": 2, "w": -1}}, {"q": entries}, pool) == {"q": (F(1), F(3))}
    # All nonrelevant: left out. Otherwise the first relevant hit is at 1, 2 or 3.
    assert judgement_range("RR", None, 1, {"q": {}}, {"q": entries}, {"no_relevant": "skip"}) == {"q": (F(1, 3), F(1))}
    # Relevant is now 0 and more, and nonrelevant only what is below: -1 for those nobody saw.
    assert judgement_range("RR", None, 0, {"q": {"r": 0}}, {"q": entries}, {}) == {"q": (F(1, 2), F(1))}


# --------------------------------------------------------------------------------------------- texts


@pytest.mark.parametrize(
    ("text", "name", "cut", "given"),
    [
        ("AP(rel=2)@10", "AP", 10, {"rel": "2"}),
        ("nDCG(dcg='exp-log2')@10", "nDCG", 10, {"dcg": "exp-log2"}),
        ("P(cutoff=5)", "P", 5, {}),
        ("IPrec(recall=0.1)", "IPrec", F(1, 10), {}),
        ("MRR@3", "RR", 3, {}),
        ("SetRelP", "SetP", None, {"relative": True}),
        ("NumRet(rel=1)", "NumRelRet", None, {"rel": "1"}),
        ("P(judged_only=True)@5", "P", 5, {"judged_only": True}),
    ],
)
def test_texts(text, name, cut, given):
    question = parsed(text)
    assert (question.name, question.level if name == "IPrec" else question.cutoff) == (name, cut)
    assert question.given == given


@pytest.mark.parametrize(
    "text",
    [
        *("P", "P@0", "P@1.5", "SetP@3", "IPrec", "IPrec@1.1", "RBP(p=1)", "SetF(beta=-1)", "AP(rel=-1)"),
        *("nDCG(rel=2)", "DCG(dcg='ln')", "nDCG(gains={1: -1})", "XYZ", "P(beta=1)@2", "Bpref(judged_only=True)"),
    ],
)
def test_what_is_no_measure(text):
    with pytest.raises(ValueError, match=r"\S"):
        parsed(text)


@pytest.mark.parametrize(
    ("text", "convention"),
    [
        *((text, {"ties": "grouped"}) for text in ("DCG", "nDCG@3", "Bpref", "infAP", "RBP", "RBPResidual")),
        *((text, {"aggregate": "micro"}) for text in ("P@1", "nDCG", "RBP", "Judged@1", "RR")),
        ("Judged@1", {"precision_denominator": "min-relevant-cutoff"}),
        ("RR", {"no_relevant": "reciprocal"}),
        ("P@1", {"gain": "cubic"}),
        ("RBP", {"rbp_persistence": F(1)}),
        ("infAP", {"infap_epsilon": F(0)}),
    ],
)
def test_what_means_nothing(text, convention):
    with pytest.raises(ValueError, match=r"\S"):
        naive.evaluate_text(text, QRELS, RUN, convention)


def test_values_are_told_apart_in_the_fortieth_digit():
    value = sympy.sqrt(2)
    assert same(value, sympy.sqrt(8) / 2)
    assert not same(value, value + sympy.Rational(1, 10**40))
    assert not same(F(1, 3), F(1, 3) + F(1, 10**80))
    assert not same("nan", F(0))


def test_an_expectation_is_the_mean_of_what_the_orders_say():
    # Grades 2 1 0 -1 and an unjudged document, in blocks of two and three; every order as an input of its own.
    grades = {"a": 2, "b": 0, "c": 1, "d": -1}
    blocks = (("a", "u"), ("b", "c", "d"))
    for text in ("nDCG@3", "Bpref", "infAP", "RBP", "P@3", "RR", "RBPResidual"):
        tied = [(docno, F(-place)) for place, block in enumerate(blocks) for docno in block]
        values = []
        for orders in itertools.product(*(itertools.permutations(block) for block in blocks)):
            documents = [docno for order in orders for docno in order]
            one = [(docno, F(-place)) for place, docno in enumerate(documents)]
            values.append(naive.evaluate_text(text, {"q": grades}, {"q": one}, {})[0])
        mean = naive.evaluate_text(text, {"q": grades}, {"q": tied}, {"ties": "expected"})[0]
        assert same(mean, sum(values) / 12)
