"""What no case says of the naive oracle: texts, refusals, how near values are told apart, every order of a tie.

The cases, of which 2,498 are derived by hand or printed in documents, hold all else of it
(`tests/fixtures/test_cases_against_both_oracles.py`), and so does trec_eval.
"""

import itertools
from fractions import Fraction as F  # noqa: N817 - mostly fractions here, one letter reads best

import pytest
import sympy

from naive import oracle as naive
from naive.questions import parsed
from naive.values import same

QRELS = {"a": {"x": 1}, "none": {"x": 0}, "lacking": {"x": 1, "y": 1}}
RUN = {"a": [("z", F(2)), ("x", F(1))], "none": [("x", F(3))], "strange": [("x", F(7))]}


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
        *("P", "P@0", "P@1.5", "SetP@3", "IPrec", "IPrec@1.1", "RBP(p=1)", "SetF(beta=-1)", "AP(rel=-1)", "TAP"),
        *(
            *("nDCG(rel=2)", "DCG(dcg='ln')", "nDCG(gains={1: -1})", "XYZ", "AP@0", "P(beta=1)@2"),
            "Bpref(judged_only=True)",
        ),
    ],
)
def test_what_is_no_measure(text):
    with pytest.raises(ValueError, match=r"\S"):
        parsed(text)


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
