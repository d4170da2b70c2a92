"""Formulas are found in the grammar, by the answers of functions written here by hand, and said in one clause."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from statistics import fmean, median

import numpy as np
import pytest
from campaign import in_campaign
from identified_in_process import identified
from rankspec.conformance.infer.deviations.sets import MEANS
from rankspec.conformance.infer.formulas import sums, terms
from rankspec.conformance.infer.formulas.formula import Formula, Looking, grammar_of, name_of, words_of
from rankspec.conformance.infer.formulas.lists import Query, Row
from rankspec.conformance.infer.formulas.search import formula_probes, query_in, telling
from rankspec.conformance.infer.formulas.sieve import Answered, Sieve
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.infer.interview.probe import shaped
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import parse_measure
from wrong.blind import blind

RANKED = Signature(Shape.RANKING, ("relevance", "num_relevant"), Need.OPTIONAL, Need.ABSENT)


def queries(measure, seed=11):
    asked = [shaped(each, RANKED) for each in formula_probes([measure], seed)]
    return [query for query in map(query_in, asked) if query is not None]


def kept(measure, function, seed=11):
    """Return what is kept of all formulas, of a function of labels, R and the cutoff."""
    measure = parse_measure(measure)
    answered = [
        Answered(query, function([row.gain for row in query.rows], query.relevant, query.k))
        for query in queries(measure, seed)
    ]
    return grammar_of(measure), Sieve(grammar_of(measure), answered, 1e-9).kept()


def said(measure, function):
    grammar, formulas = kept(measure, function)
    return f"{name_of(formulas[0], grammar)}: {words_of(formulas[0], grammar)}"


def hits(labels):
    """Return rank and number of each hit."""
    return [(rank, number) for number, rank in enumerate([r for r, label in enumerate(labels, 1) if label], 1)]


def jaccard(labels, relevant, _):
    return sum(number / (rank + relevant - number) for rank, number in hits(labels)) / relevant


def over_twice(labels, relevant, _):
    return sum(number / rank for rank, number in hits(labels)) / max(relevant, len(labels))


def middle(labels, _, __):
    return median([number / rank for rank, number in hits(labels)])


def times_recall(labels, relevant, k):
    found = hits(labels[:k])
    return sum(number / rank for rank, number in found) / relevant * len(found) / relevant


def roots_of_gains(labels, relevant, _):
    return sum(math.sqrt(label) / math.log2(rank + 1) for rank, label in enumerate(labels, 1))


def mean_of_reciprocals(labels, _, __):
    return fmean(1 / rank for rank, _ in hits(labels))


def up_to_the_third_miss(labels, relevant, _):
    misses = [place for place, label in enumerate(labels) if not label]
    seen = labels[: misses[2]] if len(misses) > 2 else labels
    return sum(number / rank for rank, number in hits(seen)) / relevant


FOUND = [
    ("AP", jaccard, "the formula: each hit adds c/(i + R - c) (Jaccard's index) instead of c/i (precision)"),
    ("AP", over_twice, "the formula: it divides by max(R, n) instead of R (n: length of the list)"),
    (
        "AP",
        middle,
        "the formula: it takes the median of c/i (precision) at each hit instead of the sum; it does not divide by R",
    ),
    ("AP@3", times_recall, "the formula: it multiplies by recall H/R"),
    ("DCG", roots_of_gains, "the formula: each hit adds sqrt(g) / log2(i + 1) instead of g / log2(i + 1)"),
    ("RR", mean_of_reciprocals, "the formula: each hit adds 1/i, not at the first hit; it divides by H (the hits)"),
    ("AP", up_to_the_third_miss, "the list: the list ends at the third miss"),
]


@pytest.mark.parametrize(("measure", "function", "words"), FOUND)
def test_a_formula_is_found_and_said(measure, function, words):
    assert said(measure, function).startswith(words)


def right(labels, relevant, k):
    return sum(number / rank for rank, number in hits(labels[:k])) / relevant


def test_what_is_right_is_the_usual_formula():
    grammar, formulas = kept("AP@3", right)
    assert grammar.is_conventional(formulas[0])


def test_the_search_is_the_same_every_time():
    first, second = (kept("AP", jaccard)[1] for _ in range(2))
    assert [(each.term.words, each.divisor.words, each.factor.words) for each in first] == [
        (each.term.words, each.divisor.words, each.factor.words) for each in second
    ]


def test_a_question_is_chosen_on_which_the_most_formulas_part():
    values = np.array([[1.0, 5.0, 2.0], [1.0, 6.0, 2.0], [1.0, 7.0, 3.0]])
    assert telling(values) == [1]


def test_a_formula_that_is_the_usual_one_on_short_lists_is_parted_from_it_by_a_long_gap():
    grammar = grammar_of(parse_measure("AP"))
    gap = next(each for each in grammar.edits if each.words == "the list ends after 10 misses in a row")
    later = Looking(before=gap)
    listed = queries(parse_measure("AP"))
    usual = grammar.plain.values(listed)
    ended = replace(grammar.plain, looking=later).values(listed)
    assert 0 < sum(abs(usual - ended) > 1e-9) < len(listed) / 3


LIST = ((1, 0, 1, 0), 4)
"""Hits at ranks 1 and 3 of four documents, R = 4."""
LATE, MISSES, HITS = ((0, 1, 1, 0), 2), ((0, 0), 2), ((1, 1), 2)

PARTS = [
    # 0 at rank 1, where there is nothing above, and 1/2 at rank 3
    (LIST, "(c - 1)/(i - 1) (the precision above)", "at each hit", "the sum", 1 / 2),
    (LIST, "5c/(i + 4R) (F2 at rank i)", "at each hit", "the sum", 5 / 17 + 10 / 19),
    (LIST, "1.25c/(i + R/4) (F0.5 at rank i)", "at each hit", "the sum", 1.25 / 2 + 2.5 / 4),
    (LIST, "(c/i + c/R)/2 (the mean of precision and recall)", "at each hit", "the sum", 5 / 8 + 7 / 12),
    (LATE, "the highest precision so far", "at the last document", "the sum", 2 / 3),
    (LIST, "g / log2(i + 2)", "at each hit", "the sum", 1 / math.log2(3) + 1 / math.log2(5)),
    (LIST, "1/i", "at the first hit", "the sum", 1),
    (LIST, "1/i", "at the last hit", "the sum", 1 / 3),
    (LIST, "1/i", "at each miss", "the product", 1 / 8),
    (HITS, "1/i", "at each miss", "the product", 0),
    (MISSES, "1/i", "at each hit", "the highest", 0),
    (LIST, "c/i (precision)", "at each rank", "the median", 7 / 12),
    (LATE, "c/i (precision)", "at each rank", "the harmonic mean", 0),
    (((0, 1), 1), "sqrt(c/i) (the square root of precision)", "at each rank", "the sum", math.sqrt(1 / 2)),
    (LIST, "c/i (precision)", "at each rank", "the geometric mean", (1 / 2 * 2 / 3 * 2 / 4) ** (1 / 4)),
    (LATE, "c/i (precision)", "at each rank", "the geometric mean", 0),
    # Its product is less than any double.
    (((1, 1) * 500, 4), "1/i", "at each hit", "the geometric mean", math.exp(-math.lgamma(1001) / 1000)),
]


def part(parts, words):
    return next(each for each in parts if each.words == words)


@pytest.mark.parametrize(("listed", "term", "places", "combination", "value"), PARTS)
def test_parts_of_formulas_by_hand(listed, term, places, combination, value):
    labels, relevant = listed
    query = Query(tuple(Row(label, -rank) for rank, label in enumerate(labels)), (1,) * relevant, None)
    formula = Formula(
        part([*terms.TERMS, *terms.discounted_terms()], term),
        part(sums.PLACES, places),
        sums.NOTHING_DIVIDES,
        combination=part(sums.COMBINATIONS, combination),
    )
    (got,) = formula.values([query])
    assert float(got) == pytest.approx(value, rel=1e-12)


NAMED = {
    "weighted_by_recall": "precision times recall",
    "mean_of_f": "2c/(i + R) (F1 at rank i)",
    "median_of_precisions": "the median of c/i (precision)",
    "harmonic_of_precisions": "the harmonic mean of c/i (precision)",
    "neighbours_merged": "only the first of adjacent hits counts",
    "forgets_after_three_misses": "the count of hits restarts after 3 misses in a row",
    "single_hit_is_all": "it divides by R (1 if there is only one hit)",
    "smoothed": "(c + 0.5)/(i + 1)",
    "gives_up_after_a_gap": "the list ends after 10 misses in a row",
    "last_hit_decides": "c^2/i at the last hit",
    "even_ranks_late": "odd ranks count as the even rank before",
    "cutoff_counts_hits": "it cuts off after k hits",
    "ndcg_of_squared_grades": "g^2 / log2(i + 1)",
    "precision_of_odd_k": "an even number of documents",
    "ties_have_the_mean_rank": "have the mean of their ranks and of their hit counts",
    "one_label_a_score": "among documents with equal scores only the last is kept",
    "sets_at_k": "c^2/i at the last document",
    "stops_at_the_second_miss": "the list ends at the second miss",
    "weighted_by_relevant": "queries are weighted by R",
    "last_query_lost": "the last of several queries is left out",
    "highest_grade_alone": "only the highest grade of the query is relevant",
}
"""The blind deviations that are named, and words of their names."""


@pytest.mark.parametrize(
    "each", in_campaign([each for each in blind() if each.name in NAMED], ids=lambda each: each.name)
)
def test_a_blind_deviation_is_named(each):
    measure = "AP@3" if each.name.startswith("cutoff") else each.measure
    found = identify_connected(InProcess(each.function, each.shape), parse_measure(measure))
    assert found.status is Status.OUTSIDE
    assert found.explained
    assert any(NAMED[each.name] in line for line in found.deviations)


def precisions(labels):
    return [number / rank for rank, number in hits(labels)]


def ideal_of_another_logarithm(relevance, num_relevant):
    ideal = sorted([*relevance, *[1] * (num_relevant - len(hits(relevance)))], reverse=True)
    best = sum(label / math.log(rank + 1) for rank, label in enumerate(ideal, 1))
    return sum(label / math.log2(rank + 1) for rank, label in enumerate(relevance, 1)) / best if best else 0.0


def never_zero(relevance, num_relevant):
    return next((1 / rank for rank, label in enumerate(relevance, 1) if label), 1 / (len(relevance) + 1))


def rounded_f(relevance, num_relevant):
    total = sum(2 * number / (rank + num_relevant) for rank, number in hits(relevance))
    return round(total / num_relevant, 3) if num_relevant else 0.0


OTHERS = [
    (ideal_of_another_logarithm, "nDCG", "it adds g / ln(i + 1) instead of g / log2(i + 1) in the ideal list"),
    (never_zero, "RR", "a list without hits scores 1/(m + 1)"),
    (rounded_f, "AP", "each hit adds 2c/(i + R) (F1 at rank i)"),
]


@pytest.mark.campaign
@pytest.mark.parametrize(("function", "measure", "words"), OTHERS, ids=[each[0].__name__ for each in OTHERS])
def test_what_begins_late_and_what_comes_together_is_named(function, measure, words):
    found = identified(function, measure)
    assert found.explained
    assert any(words in line for line in found.deviations)


VALUES = (Fraction(1, 2), Fraction(1), Fraction(1, 4), Fraction(0))
OF_FOUR = {
    "it returns the harmonic mean of the values": Fraction(0),
    "the best and the worst of three or more queries are left out": Fraction(3, 8),
    "the sum is divided by the number of queries + 1": Fraction(7, 20),
    "it returns the lower median of the values": Fraction(1, 4),
}


@pytest.mark.parametrize("words", OF_FOUR)
def test_means_of_four_queries(words):
    mean = dict(MEANS)[words]
    assert float(mean(VALUES)) == pytest.approx(float(OF_FOUR[words]))
