"""Programs that are known to compute something else are other programs, and are named by their answers."""

from fractions import Fraction

import numpy as np
import pytest
from campaign import in_campaign
from golden_words import SAID
from identified_in_process import identified
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.interview.inputs import random_probes
from rankspec.conformance.infer.interview.probe import shaped
from rankspec.conformance.infer.interview.version_space import space_of
from rankspec.conformance.infer.mistakes.inputs import NAMES as FOLDED
from rankspec.conformance.infer.mistakes.known_programs import KNOWN
from rankspec.conformance.infer.mistakes.program_search import program_probes
from rankspec.conformance.infer.mistakes.programs import bases, filled_in, given
from rankspec.conformance.infer.mistakes.sets import MEANS
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import DEFAULT, parse_measure
from wrong.blind import blind
from wrong.blind_second import blind_second

MEASURES = {"AP": "AP@15", "P": "P@3", "RBP": "RBP(p=0.8)@3", "nDCG": "nDCG@3"}


def value_of(program, asked, measure):
    (query,) = {*asked.qrels, *asked.run}
    convention = measure.under(DEFAULT.with_settings(program.settings))
    return program.value(given(query, asked, convention, None))


@pytest.mark.parametrize("family", in_campaign(KNOWN, but=["RR", "P"], ids=str))
def test_each_known_program_is_none_of_the_others_and_not_the_right_one(family):
    """Two of them that gave the same numbers would be one mistake with two names."""
    measure = parse_measure(MEASURES.get(family, family))
    signature = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.OPTIONAL, Need.OPTIONAL)
    settings = space_of(measure, signature, one_mean=True).settings
    probes = [*program_probes([measure], seed=3, times=3), *random_probes([measure], 60, seed=4)]
    asked = [each for probe in probes if (each := shaped(probe, signature)) and len({*each.qrels, *each.run}) == 1]
    asked = [each for each in asked if each.settings.keys().isdisjoint({"duplicates"})]
    programs = {"right": next(bases(measure, Shape.QRELS_RUN, settings))}
    programs |= {each.words: next(filled_in(each.text, settings)) for each in KNOWN[family]}
    values = {words: tuple(value_of(program, each, measure) for each in asked) for words, program in programs.items()}
    assert all(any(value is not None for value in each) for each in values.values())
    assert len({*values.values()}) == len(values)


NAMED = {
    "weighted_by_recall": SAID["precision-times-recall"],
    "mean_of_f": SAID["2c-i-r-f1"],
    "median_of_precisions": SAID["median-c-i-precision"],
    "harmonic_of_precisions": SAID["harmonic-mean-c-i"],
    "neighbours_merged": SAID["only-first-adjacent-hits"],
    "forgets_after_three_misses": SAID["count-hits-restarts-after"],
    "single_hit_is_all": SAID["divides-r-1-if"],
    "smoothed": "(hits + 0.5)/(rank + 1)",
    "gives_up_after_a_gap": SAID["list-ends-after-10"],
    "last_hit_decides": SAID["c-2-i-last-hit"],
    "even_ranks_late": SAID["odd-ranks-count-even"],
    "cutoff_counts_hits": SAID["cuts-off-after-k"],
    "envelope_from_the_left": SAID["highest-precision-so-far"],
    "dense_ranks": "ranks count distinct scores, not documents",
    "ndcg_of_squared_grades": "gain^2 / log2(rank + 1)",
    "precision_of_odd_k": SAID["even-number-documents"],
    "ties_have_the_mean_rank": SAID["have-mean-their-ranks"],
    "sets_at_k": SAID["c-2-i-last"],
    "stops_at_the_second_miss": SAID["list-ends-second-miss"],
    "last_query_lost": SAID["last-several-queries-left"],
    "takes_ranks_for_an_order": SAID["uses-ranks-documents-their"],
    "cut_at_one_half": SAID["document-score-below-0"],
    "numbers_rows_across_queries": SAID["documents-all-queries-ranked"],
    "passes_over_what_it_has_seen": SAID["documents-earlier-queries-left"],
}
"""The blind deviations that are named, and words of their names, but those that `test_planted_deviations.py` has."""
ALL = [*{each.name: each for each in (*blind_second(), *blind())}.values()]


@pytest.mark.parametrize("each", in_campaign([each for each in ALL if each.name in NAMED], ids=lambda each: each.name))
def test_a_blind_deviation_is_named(each):
    measure = "AP@3" if each.name.startswith("cutoff") else each.measure
    found = identified(each.function, measure)
    assert found.status is Status.OUTSIDE
    assert found.explained
    assert any(NAMED[each.name] in line for line in found.deviations)


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


def ranks_of_hits(labels):
    return [rank for rank, label in enumerate(labels, 1) if label]


def sum_over_all_hits(relevance):
    return sum(1 / rank for rank in ranks_of_hits(relevance))


def precision_to_the_last_hit(relevance):
    ranks = ranks_of_hits(relevance)
    return len(ranks) / ranks[-1] if ranks else 0.0


def dcg_of_singles(relevance):
    gains = np.asarray(relevance, dtype=np.float32)
    return np.sum(gains / np.log(np.arange(len(gains), dtype=np.float32) + 2), dtype=np.float32)


def f_with_epsilons(actual, predicted, k):
    hits = len({*actual} & {*predicted[:k]})
    p, r = hits / k, hits / (len(actual) + 1e-8)
    return 2 * p * r / (p + r + 1e-8)


def recall_in_any_case(actual, predicted, k):
    listed, relevant = [each.lower() for each in predicted[:k]], {each.lower() for each in actual}
    return sum(each in listed for each in relevant) / len(relevant) if relevant else 0.0


SLIPS = {
    sum_over_all_hits: ("RR", KNOWN["RR"][2].words),
    precision_to_the_last_hit: ("Rprec", KNOWN["Rprec"][0].words),
    dcg_of_singles: ("DCG", "ln(rank + 1)"),
    f_with_epsilons: ("F@3", "1e-08"),
    recall_in_any_case: ("R@3", FOLDED[0][0]),
}


@pytest.mark.parametrize("function", in_campaign([*SLIPS], ids=lambda each: each.__name__))
def test_what_public_code_computes_instead_is_named(function):
    """Each stands in public code: a loop without a break, R for the last hit, other logarithms, small letters."""
    measure, words = SLIPS[function]
    found = identified(function, measure)
    assert (found.status, found.explained) == (Status.OUTSIDE, True)
    assert any(words in line for line in found.deviations)
