"""The naive oracle against trec_eval 9.0.8, the program itself, as pytrec_eval embeds it."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy
from campaign import in_campaign

from naive import oracle as naive
from naive.lists import Entry
from naive.values import evaluated, same, symbolic

pytrec_eval = pytest.importorskip("pytrec_eval")

# trec_eval 9.0.8 without options, axis by axis.
TREC_EVAL = {
    "negative_grades": "unjudged",
    "score_precision": "float32",
    "ties": "docno-descending",
    "recall_grid": "trec_eval-9",
    "missing_query": "skip",
    "f_weight": "beta",
}
RELATIVE = {"precision_denominator": "min-relevant-cutoff"}
CUTOFFS = (1, 2, 3, 5, 12)
LEVELS = ("0.00", "0.10", "0.25", "0.30", "0.60", "0.70", "1.00")
# What pytrec_eval calls it -> our measure, cut, parameters, and what is to change in the convention.
NAMES = {
    "map": ("AP", None, {}, {}),
    "11pt_avg": ("AP11", None, {}, {}),
    "Rprec": ("Rprec", None, {}, {}),
    "bpref": ("Bpref", None, {}, {}),
    "infAP": ("infAP", None, {}, {}),
    "recip_rank": ("RR", None, {}, {}),
    "set_P": ("SetP", None, {}, {}),
    "set_recall": ("SetR", None, {}, {}),
    "set_map": ("SetAP", None, {}, {}),
    "set_relative_P": ("SetP", None, {"relative": True}, {}),
    "set_F": ("SetF", None, {"beta": 2}, {}),  # asked for as set_F.2.0
    "num_q": ("NumQ", None, {}, {}),
    "num_ret": ("NumRet", None, {}, {}),
    "num_rel": ("NumRel", None, {}, {}),
    "num_rel_ret": ("NumRelRet", None, {}, {}),
    "num_nonrel_judged_ret": ("NumNonrelJudgedRet", None, {}, {}),
    "ndcg": ("nDCG", None, {}, {}),
    **{f"P_{k}": ("P", k, {}, {}) for k in CUTOFFS},
    **{f"recall_{k}": ("R", k, {}, {}) for k in CUTOFFS},
    **{f"success_{k}": ("Success", k, {}, {}) for k in CUTOFFS},
    **{f"map_cut_{k}": ("AP", k, {}, {}) for k in CUTOFFS},
    **{f"relative_P_{k}": ("P", k, {}, RELATIVE) for k in CUTOFFS},
    **{f"ndcg_cut_{k}": ("nDCG", k, {}, {}) for k in CUTOFFS},
    **{f"iprec_at_recall_{level}": ("IPrec", level, {}, {}) for level in LEVELS},
}
LISTED = ("P", "recall", "success", "map_cut", "relative_P", "ndcg_cut")
PLAIN = {name for name in NAMES if not name[-1].isdigit() and name != "set_F"}
ASKED = {
    *PLAIN,
    "set_F.2.0",
    "iprec_at_recall." + ",".join(LEVELS),
    *(f"{name}.{','.join(map(str, CUTOFFS))}" for name in LISTED),
}
WITHOUT_THRESHOLD = ("NumQ", "NumRet", "nDCG")
DOCNOS = [f"d{number}" for number in range(12)]


def an_input(seed: int) -> tuple[dict[str, int], list[Entry], int]:
    """Grades, a list with ties, and a threshold that some grade reaches.

    The program reads memory that isn't its own where the threshold lies more than one above the highest grade.
    """
    chance = random.Random(seed)
    threshold = chance.choice((1, 1, 2))
    judged = chance.sample(DOCNOS, chance.randint(1, 11))
    grades = {docno: chance.choice((-1, 0, 0, 1, 1, 2, 3)) for docno in judged}
    if max(grades.values()) < threshold - 1:
        grades[judged[0]] = threshold - 1
    listed = chance.sample(DOCNOS, chance.randint(1, 10))
    return grades, [(docno, Fraction(chance.randint(0, 5), 3)) for docno in listed], threshold


@pytest.mark.parametrize(
    "seeds",
    in_campaign([range(start, start + 30) for start in range(0, 300, 30)], but=["0"], ids=lambda seeds: str(seeds[0])),
)
def test_every_measure_on_small_random_inputs(seeds):
    for seed in seeds:
        grades, entries, threshold = an_input(seed)
        evaluator = pytrec_eval.RelevanceEvaluator({"q": grades}, ASKED, relevance_level=threshold)
        said = evaluator.evaluate({"q": {docno: float(score) for docno, score in entries}})["q"]
        for name, (measure, cut, params, changes) in NAMES.items():
            rel = 1 if measure in WITHOUT_THRESHOLD else threshold
            value, _ = naive.evaluate(measure, cut, rel, {"q": grades}, {"q": entries}, TREC_EVAL | changes, params)
            assert float(evaluated(symbolic(value))) == pytest.approx(said[name], rel=1e-13, abs=1e-15), (name, seed)


def test_what_it_says_of_a_condensed_list():
    """judged_docs_only_flag is trec_eval's -J: unjudged documents are dropped, and those of the pool too."""
    for seed in range(300, 330):
        grades, entries, threshold = an_input(seed)
        if not any(grades.get(docno, -1) >= 0 for docno, _ in entries):
            continue  # an empty list: the program prints nan for some measures
        evaluator = pytrec_eval.RelevanceEvaluator(
            {"q": grades}, ASKED, relevance_level=threshold, judged_docs_only_flag=True
        )
        said = evaluator.evaluate({"q": {docno: float(score) for docno, score in entries}})["q"]
        for name, (measure, cut, params, changes) in NAMES.items():
            rel = 1 if measure in WITHOUT_THRESHOLD else threshold
            convention = TREC_EVAL | changes | {"unjudged": "removed"}
            value, _ = naive.evaluate(measure, cut, rel, {"q": grades}, {"q": entries}, convention, params)
            assert float(evaluated(symbolic(value))) == pytest.approx(said[name], rel=1e-13, abs=1e-15), (name, seed)


def test_values_are_told_apart_in_the_fortieth_digit():
    """All comparisons with the naive oracle go by it."""
    value = sympy.sqrt(2)
    assert same(value, sympy.sqrt(8) / 2)
    assert not same(value, value + sympy.Rational(1, 10**40))
    assert not same(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**80))
    assert not same("nan", Fraction(0))
