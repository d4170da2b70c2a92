"""Formulas are found in the grammar, by the answers of functions written here by hand, and said in one clause."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from statistics import fmean, median

import numpy as np
import pytest
from campaign import in_campaign
from golden_words import SAID
from identified_in_process import identified
from rankspec.conformance.infer.deviations.sets import MEANS
from rankspec.conformance.infer.formulas import sums, terms
from rankspec.conformance.infer.formulas.formula import Formula, Looking, grammar_of, name_of, words_of
from rankspec.conformance.infer.formulas.lists import Query, Row
from rankspec.conformance.infer.formulas.search import formula_probes, query_in, telling
from rankspec.conformance.infer.formulas.sieve import Answered, Sieve
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.interview.probe import shaped
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import parse_measure
from wrong.blind import blind
from wrong.blind_second import blind_second

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
    ("AP", jaccard, SAID["formula-each-hit-adds-c"]),
    ("AP", over_twice, SAID["formula-divides-max-r"]),
    (
        "AP",
        middle,
        SAID["formula-takes-median-c"],
    ),
    ("AP@3", times_recall, SAID["formula-multiplies-recall-h"]),
    ("DCG", roots_of_gains, SAID["formula-each-hit-adds-sqrt"]),
    ("RR", mean_of_reciprocals, SAID["formula-each-hit-adds"]),
    ("AP", up_to_the_third_miss, SAID["list-list-ends-third"]),
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
    gap = next(each for each in grammar.edits if each.words == SAID["list-ends-after-10"])
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
    (LIST, SAID["c-1-i-1"], SAID["each-hit-2"], SAID["sum-2"], 1 / 2),
    (LIST, SAID["5c-i-4r-f2"], SAID["each-hit-2"], SAID["sum-2"], 5 / 17 + 10 / 19),
    (LIST, SAID["1-25c-i-r"], SAID["each-hit-2"], SAID["sum-2"], 1.25 / 2 + 2.5 / 4),
    (LIST, SAID["c-i-c-r"], SAID["each-hit-2"], SAID["sum-2"], 5 / 8 + 7 / 12),
    (LATE, SAID["highest-precision-so-far"], SAID["last-document-2"], SAID["sum-2"], 2 / 3),
    (LIST, "g / log2(i + 2)", SAID["each-hit-2"], SAID["sum-2"], 1 / math.log2(3) + 1 / math.log2(5)),
    (LIST, "1/i", SAID["first-hit-2"], SAID["sum-2"], 1),
    (LIST, "1/i", SAID["last-hit-2"], SAID["sum-2"], 1 / 3),
    (LIST, "1/i", SAID["each-miss-2"], SAID["product-2"], 1 / 8),
    (HITS, "1/i", SAID["each-miss-2"], SAID["product-2"], 0),
    (MISSES, "1/i", SAID["each-hit-2"], SAID["highest-2"], 0),
    (LIST, "c/i (precision)", SAID["each-rank-2"], SAID["median-2"], 7 / 12),
    (LATE, "c/i (precision)", SAID["each-rank-2"], SAID["harmonic-mean-2"], 0),
    (((0, 1), 1), SAID["sqrt-c-i-square"], SAID["each-rank-2"], SAID["sum-2"], math.sqrt(1 / 2)),
    (LIST, "c/i (precision)", SAID["each-rank-2"], SAID["geometric-mean-2"], (1 / 2 * 2 / 3 * 2 / 4) ** (1 / 4)),
    (LATE, "c/i (precision)", SAID["each-rank-2"], SAID["geometric-mean-2"], 0),
    # Its product is less than any double.
    (((1, 1) * 500, 4), "1/i", SAID["each-hit-2"], SAID["geometric-mean-2"], math.exp(-math.lgamma(1001) / 1000)),
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
    "weighted_by_recall": SAID["precision-times-recall"],
    "mean_of_f": SAID["2c-i-r-f1"],
    "median_of_precisions": SAID["median-c-i-precision"],
    "harmonic_of_precisions": SAID["harmonic-mean-c-i"],
    "neighbours_merged": SAID["only-first-adjacent-hits"],
    "forgets_after_three_misses": SAID["count-hits-restarts-after"],
    "single_hit_is_all": SAID["divides-r-1-if"],
    "smoothed": "(c + 0.5)/(i + 1)",
    "gives_up_after_a_gap": SAID["list-ends-after-10"],
    "last_hit_decides": SAID["c-2-i-last-hit"],
    "even_ranks_late": SAID["odd-ranks-count-even"],
    "cutoff_counts_hits": SAID["cuts-off-after-k"],
    "ndcg_of_squared_grades": "g^2 / log2(i + 1)",
    "precision_of_odd_k": SAID["even-number-documents"],
    "ties_have_the_mean_rank": SAID["have-mean-their-ranks"],
    "sets_at_k": SAID["c-2-i-last"],
    "stops_at_the_second_miss": SAID["list-ends-second-miss"],
    "weighted_by_relevant": SAID["queries-weighted-r"],
    "last_query_lost": SAID["last-several-queries-left"],
    "takes_ranks_for_an_order": SAID["uses-ranks-documents-their"],
    "cut_at_one_half": SAID["document-score-below-0"],
    "numbers_rows_across_queries": SAID["documents-all-queries-ranked"],
    "passes_over_what_it_has_seen": SAID["documents-earlier-queries-left"],
}
"""The blind deviations that are named, and words of their names, but those that `test_planted_deviations.py` has."""
ALL = [*{each.name: each for each in (*blind_second(), *blind())}.values()]


@pytest.mark.parametrize(
    "each",
    in_campaign([each for each in ALL if each.name in NAMED], ids=lambda each: each.name),
)
def test_a_blind_deviation_is_named(each):
    measure = "AP@3" if each.name.startswith("cutoff") else each.measure
    found = identified(each.function, measure)
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
    (ideal_of_another_logarithm, "nDCG", SAID["adds-g-ln-i"]),
    (never_zero, "RR", SAID["list-without-hits-scores"]),
    (rounded_f, "AP", SAID["each-hit-adds-2c"]),
]


@pytest.mark.campaign
@pytest.mark.parametrize(("function", "measure", "words"), OTHERS, ids=[each[0].__name__ for each in OTHERS])
def test_what_begins_late_and_what_comes_together_is_named(function, measure, words):
    found = identified(function, measure)
    assert found.explained
    assert any(words in line for line in found.deviations)


VALUES = (Fraction(1, 2), Fraction(1), Fraction(1, 4), Fraction(0))
OF_FOUR = {
    SAID["returns-harmonic-mean-values"]: Fraction(0),
    SAID["best-worst-three-or"]: Fraction(3, 8),
    SAID["sum-divided-number-queries"]: Fraction(7, 20),
    SAID["returns-lower-median-values"]: Fraction(1, 4),
}


@pytest.mark.parametrize("words", OF_FOUR)
def test_means_of_four_queries(words):
    mean = dict(MEANS)[words]
    assert float(mean(VALUES)) == pytest.approx(float(OF_FOUR[words]))
