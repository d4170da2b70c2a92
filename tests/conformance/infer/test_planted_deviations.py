"""Each deviation and each edit of a definition is found and named where a program written by hand has it.

The steps of a right program are here; each row replaces one. Rows that stand in `test_named_*.py` are not repeated.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable
from functools import cmp_to_key
from itertools import accumulate
from math import fsum, prod

import numpy as np
import pytest
from campaign import DAYS_OF_DEVIATIONS, in_campaign
from identified_in_process import identified
from rankspec.conformance.reports.statements import statements


def by_score(scores):
    return sorted(scores, key=lambda docno: -scores[docno])


def first_of_each_score(scores):
    kept = {}
    for docno, score in scores.items():
        kept.setdefault(score, docno)
    return by_score({docno: score for score, docno in kept.items()})


def by_numbers(docno):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", docno)]


def by(key):
    """Return an order by a key of docno and score, the highest first."""
    return lambda scores: sorted(scores, key=lambda docno: key(docno, scores[docno]), reverse=True)


def average_precision(labels, relevant):
    hits = [rank for rank, label in enumerate(labels, 1) if label]
    return fsum(number / rank for number, rank in enumerate(hits, 1)) / relevant if hits and relevant else 0.0


def mean(values):
    return fsum(values) / len(values) if values else math.nan


def of_qrels(qrels, run):
    return [(qrels[query], run.get(query, {})) for query in qrels]


def program(  # noqa: PLR0913 - the steps that rows replace
    pairs=of_qrels,
    grades=lambda judged, scores: judged,
    level=1,
    listed=by_score,
    is_hit=lambda docno, relevant: docno in relevant,
    counted=lambda judged, scores, relevant: len(relevant),
    value=average_precision,
    together=mean,
    result=lambda value: value,
) -> Callable:
    """Return the mean of average precision, of dicts of dicts, with some of its steps replaced."""

    def function(qrels, run):
        values = []
        for given, scores in pairs(qrels, run):
            judged = grades(given, scores)
            relevant = [docno for docno, grade in judged.items() if grade >= level]
            labels = [is_hit(docno, relevant) for docno in listed(scores)]
            values.append(value(labels, counted(judged, scores, relevant)))
        return result(together(values))

    return function


def the_highest(judged, _):
    most = max(judged.values(), default=0)
    return {docno: int(0 < grade == most) for docno, grade in judged.items()}


def paired(qrels, run):
    return [(qrels[query], run[other]) for query, other in zip(qrels, run, strict=False)]


def one_left_out(which, of="both"):
    """Leave out one query, of the qrels or of the run."""

    def pairs(qrels, run):
        if of == "run":
            run = {query: scores for query, scores in run.items() if query != list(run)[which]} if run else run
            return of_qrels(qrels, run)
        left = list(qrels)
        if len(left) > 1:
            del left[which]
        return [(qrels[query], run.get(query, {})) for query in left]

    return pairs


def one_alone(which):
    return lambda qrels, run: [(qrels[query], run.get(query, {})) for query in [*qrels][which:][:1]]


def until_one_without(qrels, run):
    found = []
    for query in qrels:
        if not any(grade > 0 for grade in qrels[query].values()):
            break
        found.append((qrels[query], run.get(query, {})))
    return found


def of_all(qrels, run):
    every = {}
    for judged in qrels.values():
        for docno, grade in judged.items():
            every[docno] = max(every.get(docno, grade), grade)
    return [(every, run.get(query, {})) for query in qrels]


def halved(values):
    found = values[0] if values else math.nan
    for value in values[1:]:
        found = (found + value) / 2
    return found


def harmonic(values):
    some = [value for value in values if value]
    return len(some) / fsum(1 / value for value in some) if some else 0.0


def weighed(weight):
    """Weigh queries by something."""

    def function(qrels, run):
        values = [program(together=sum)({query: qrels[query]}, {query: run.get(query, {})}) for query in qrels]
        weights = [weight(qrels[query], run.get(query, {})) for query in qrels]
        every = sum(weights)
        return fsum(map(math.prod, zip(values, weights, strict=True))) / every if every else 0.0

    return function


ALONE = {
    "scores of 0 or less: a document with a score of 0 or less is not relevant, and does not count in R": program(
        grades=lambda judged, scores: {d: grade for d, grade in judged.items() if scores.get(d, 1) > 0}
    ),
    "grades: only the highest grade of the query is relevant": program(grades=the_highest),
    "the threshold: a grade is relevant only if it equals the threshold": program(
        grades=lambda judged, _: {docno: int(grade == 1) for docno, grade in judged.items()}
    ),
    "sorting: it sorts by the absolute value of the score": program(listed=by(lambda _, score: abs(score))),
    "sorting: it truncates differences of scores to whole numbers: less than 1 is a tie": program(
        listed=lambda scores: sorted(scores, key=cmp_to_key(lambda one, other: int(scores[other] - scores[one])))
    ),
    "scores: truncated to whole numbers": program(listed=by(lambda _, score: math.trunc(score))),
    "scores: rounded to 2 digits": program(listed=by(lambda _, score: round(score, 2))),
    "documents: scores are compared as text": program(listed=by(lambda _, score: str(score))),
    "the last document: it leaves out the last document": program(listed=lambda scores: by_score(scores)[:-1]),
    "docnos: docnos that differ only in case are equal": program(
        pairs=lambda qrels, run: [
            (
                {docno.lower(): grade for docno, grade in judged.items()},
                {docno.lower(): score for docno, score in scores.items()},
            )
            for judged, scores in of_qrels(qrels, run)
        ]
    ),
    "docnos: sorted without regard to case": program(
        listed=lambda scores: sorted(scores, key=lambda docno: (-scores[docno], docno.lower(), docno))
    ),
    "docnos: sorted by the numbers in them": program(
        listed=lambda scores: sorted(scores, key=lambda docno: (-scores[docno], by_numbers(docno)))
    ),
    "documents: among documents with equal scores only the first is kept": program(listed=first_of_each_score),
    "docnos: cut at the first -": program(
        pairs=lambda qrels, run: [
            (
                {docno.partition("-")[0]: grade for docno, grade in judged.items()},
                {docno.partition("-")[0]: score for docno, score in scores.items()},
            )
            for judged, scores in of_qrels(qrels, run)
        ]
    ),
    "documents: judged nonrelevant documents are dropped": program(
        pairs=lambda qrels, run: [
            (judged, {docno: score for docno, score in scores.items() if judged.get(docno, 1) > 0})
            for judged, scores in of_qrels(qrels, run)
        ]
    ),
    "docnos: a docno matches if it is part of a relevant one": program(
        is_hit=lambda docno, relevant: any(docno in each for each in relevant)
    ),
    "docnos: a docno matches if it occurs in the joined text of all relevant ones": program(
        is_hit=lambda docno, relevant: docno in "".join(relevant)
    ),
    "docnos: a docno matches if a relevant one is part of it": program(
        is_hit=lambda docno, relevant: any(each in docno for each in relevant)
    ),
    "queries: the last query of the run is left out": program(one_left_out(-1, "run")),
    "queries: the first query of the run is left out": program(one_left_out(0, "run")),
    "queries: the first of several queries is left out": program(one_left_out(0)),
    "queries: only the first query of the qrels counts": program(one_alone(0)),
    "queries: only the last query of the qrels counts": program(one_alone(-1)),
    "queries: judgments and lists are paired by position, and the rest is dropped": program(paired),
    "queries: it stops at the first query without relevant documents": program(until_one_without),
    "grades: the judgments of all queries apply to each query": program(of_all),
    "the mean: it returns the harmonic mean of the values other than 0": program(together=harmonic),
    "the mean: queries are weighted by the number of documents retrieved for them": weighed(
        lambda judged, scores: len(scores)
    ),
    "the mean: it returns the upper median of the values": program(
        together=lambda values: statistics.median_high(values) if values else math.nan
    ),
    "the mean: it returns the highest value": program(together=lambda values: max(values, default=math.nan)),
    "the mean: it returns the lowest value": program(together=lambda values: min(values, default=math.nan)),
    "the mean: it returns the product of the values": program(
        together=lambda values: prod(values) if values else math.nan
    ),
    "the mean: it averages each value with the mean so far": program(together=halved),
    "the mean: the sum is divided by the number of queries - 1": program(
        together=lambda values: fsum(values) / max(len(values) - 1, 1) if values else math.nan
    ),
    "the mean: each query's value is rounded to 3 digits before the mean": program(
        together=lambda values: mean([round(value, 3) for value in values])
    ),
    "it returns total / (len(relevant) + 1) instead of total / len(relevant)": program(
        value=lambda labels, relevant: average_precision(labels, 1) / (relevant + 1)
    ),
    "it returns total / (len(relevant) + 0.001) instead of total / len(relevant)": program(
        value=lambda labels, relevant: average_precision(labels, 1) / (relevant + 1e-3)
    ),
    "ranks: ranks start at 2 (for the cutoff too)": program(
        value=lambda labels, relevant: average_precision([False, *labels], relevant)
    ),
    "the value: it returns 1 for every input": program(result=lambda _: 1.0),
    "the value: it returns 100 times the value (a percentage)": program(result=lambda value: 100 * value),
    "the value: it returns 1 - the value": program(result=lambda value: 1 - value),
    "the value: it returns the value with the opposite sign": program(result=lambda value: -value),
    "the value: it returns twice the value": program(result=lambda value: 2 * value),
    "the value: it returns half the value": program(result=lambda value: value / 2),
    "the value: it returns the square of the value": program(result=lambda value: value**2),
    "the value: it returns the square root of the value": program(result=math.sqrt),
    "the last digits: it rounds to 2 digits": program(result=lambda value: round(value, 2)),
}


def cut(listed):
    """Return average precision at k of labels and scores."""

    def function(y_true, y_score, k):
        order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
        return average_precision(listed([y_true[place] for place in order], k), sum(y_true))

    return function


AT_A_CUTOFF = {
    "the cutoff: it cuts off at k + 1": cut(lambda labels, k: labels[: k + 1]),
    "after the cutoff, the last document is left out": cut(lambda labels, k: labels[:k][:-1]),
    "after the cutoff, the first document is left out": cut(lambda labels, k: labels[1:k]),
    "the cutoff: it ignores the cutoff": cut(lambda labels, _: labels),
}


def gains_of(y_true, y_score):
    return [max(0, y_true[place]) for place in sorted(range(len(y_true)), key=lambda place: -y_score[place])]


def stops(grades, highest=4):
    return [(2**grade - 1) / 2**highest for grade in grades]


def err(at=lambda rank: rank, goes_on=lambda stop: 1 - stop):
    def function(y_true, y_score):
        stop = stops(gains_of(y_true, y_score))
        left = [1, *accumulate((goes_on(each) for each in stop), lambda one, other: one * other)]
        return fsum(each * before / at(rank) for rank, (each, before) in enumerate(zip(stop, left, strict=False), 1))

    return function


def rbp(rank_of=lambda rank: rank, first=0.2):
    def function(y_true, y_score):
        hits = [rank for rank, gain in enumerate(gains_of(y_true, y_score), 1) if gain]
        return fsum(first * 0.8 ** (rank_of(rank) - 1) for rank in hits)

    return function


def dcg(gains):
    return fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def ndcg(gains, of=lambda gain: gain):
    ideal = dcg(sorted(gains, reverse=True))
    return dcg(map(of, gains)) / ideal if ideal else 0.0


def f_2(relevant_of=lambda relevant, n, hits: relevant, by=lambda weighed: weighed):
    """Return F with beta=2 of qrels and run: 5 hits / (4 R + n), which is hits over a weighed mean of R and n."""

    def function(qrels, run):
        values = []
        for query in qrels:
            relevant = {docno for docno, grade in qrels[query].items() if grade > 0}
            n, hits = len(run.get(query, {})), len(relevant & set(run.get(query, {})))
            divisor = by((4 * relevant_of(len(relevant), n, hits) + n) / 5)
            values.append(hits / divisor if hits else 0.0)
        return mean(values)

    return function


def recall(qrels, run, divisor):
    values = []
    for query in qrels:
        relevant = {docno for docno, grade in qrels[query].items() if grade > 0}
        hits, n = len(relevant & set(run.get(query, {}))), len(run.get(query, {}))
        values.append(hits / divisor(len(relevant), n, hits) if hits else 0.0)
    return mean(values)


OF_A_DEFINITION = {
    ("ERR", "rank + 1 instead of rank"): err(lambda rank: rank + 1),
    ("ERR", "over the ranks above"): err(goes_on=lambda stop: stop),
    ("ERR", "/ rank * 1"): err(goes_on=lambda stop: 1),
    ("RBP(p=0.8)", "rank + 1 instead of rank"): rbp(lambda rank: rank + 1),
    ("RBP(p=0.8)", "rank - 1 instead of rank"): rbp(lambda rank: rank - 1),
    ("RBP(p=0.8)", "the formula: each document adds p * p^(rank - 1) * gain"): rbp(first=0.8),
    ("nDCG", "it does not divide by ideal"): lambda y_true, y_score: dcg(gains_of(y_true, y_score)),
    ("nDCG", "(grade for grade in grades.values()), reverse=True)` instead of"): lambda y_true, y_score: ndcg(
        gains_of(y_true, y_score), lambda gain: gain > 0
    ),
    ("SetF(beta=2)", "it divides by (w * n + documents) / (1 + w)"): f_2(lambda relevant, n, hits: n),
    ("SetF(beta=2)", "it divides by (w * hits + documents) / (1 + w)"): f_2(lambda relevant, n, hits: hits),
    ("SetF(beta=2)", "it divides by (w * (R + 1) + documents) / (1 + w)"): f_2(lambda relevant, n, hits: relevant + 1),
    ("SetF(beta=2)", "it does not divide by (w * R + documents) / (1 + w)"): f_2(by=lambda weighed: 1),
    ("SetR", "it divides by R + 1 instead of R"): lambda qrels, run: recall(qrels, run, lambda r, n, hits: r + 1),
    ("SetR", "it divides by n instead of R"): lambda qrels, run: recall(qrels, run, lambda r, n, hits: n),
    ("SetR", "it does not divide by R"): lambda qrels, run: recall(qrels, run, lambda r, n, hits: 1),
}


UNDER = {
    "docnos: sorted without regard to case": "default[ties=docno-ascending]",
    "docnos: sorted by the numbers in them": "default[ties=docno-ascending]",
    "the mean: it returns the harmonic mean of the values other than 0": "default[empty_mean=zero, no_relevant=skip]",
    "(grade for grade in grades.values()), reverse=True)` instead of": "default[gain=binary]",
    "R: each copy of a document in the list counts in R": "default[duplicates=counted]",
    "a docno matches if a relevant one is part of it (case ignored)": "default[duplicates=counted, no_relevant=one]",
}
"""What a program follows besides, where it is not the default."""


def of_list(value, listed=lambda scores, k: by_score(scores), grades=lambda judged, listed: judged, k=3):
    """Return the values of queries, of judgments and of a list that is a step of its own."""

    def function(qrels, run):
        lists = {query: listed(run.get(query, {}), k) for query in qrels}
        return {query: value(grades(qrels[query], lists[query]), lists[query]) for query in qrels}

    return function


def ap_of(judged, listed, relevant=None):
    labels = [judged.get(docno, 0) > 0 for docno in listed]
    return average_precision(labels, sum(grade > 0 for grade in judged.values()) if relevant is None else relevant)


def rr_of(judged, listed):
    return next((1 / rank for rank, docno in enumerate(listed, 1) if judged.get(docno, 0) > 0), 0.0)


def ndcg_of(judged, listed):
    ideal = dcg(sorted((max(grade, 0) for grade in judged.values()), reverse=True))
    return dcg([max(judged.get(docno, 0), 0) for docno in listed]) / ideal if ideal else 0.0


def above(percent):
    """Keep what scores higher than a percentile."""
    return lambda scores, _: [
        docno for docno in by_score(scores) if scores[docno] > np.percentile([*scores.values()], percent)
    ]


def without_cut_ties(scores, k):
    behind = sorted(scores.values(), reverse=True)[k:]
    return [docno for docno in by_score(scores) if not behind or scores[docno] > behind[0]][:k]


def highest_listed(judged, listed):
    most = max((judged.get(docno, 0) for docno in listed), default=0)
    return {docno: int(0 < grade == most) for docno, grade in judged.items()}


def added_up(judged):
    return sum(grade for grade in judged.values() if grade > 0)


def copied(value):
    """Return a value of labels and of R, in which a copy counts again."""

    def function(actual, predicted):
        copies = [docno for place, docno in enumerate(predicted) if docno in predicted[:place] and docno in actual]
        return value([docno in actual for docno in predicted], len(set(actual)) + len(copies))

    return function


def positive(value):
    """Return a value of labels in order, of which those with a score of 0 or less are misses."""

    def function(y_true, y_score):
        places = sorted(range(len(y_true)), key=lambda place: -y_score[place])
        return value([max(y_true[place], 0) if y_score[place] > 0 else 0 for place in places], y_true)

    return function


def falling(relevance, num_relevant):
    """Ultralytics' `compute_ap`: a second sentinel behind the last recall."""
    found = np.cumsum(np.array(relevance, dtype=float))
    recall, precision = found / max(num_relevant, 1), found / np.arange(1, len(found) + 1)
    recall = np.concatenate(([0.0], recall, [recall[-1] if len(recall) else 1.0], [1.0]))
    precision = np.maximum.accumulate(np.concatenate(([1.0], precision, [0.0], [0.0]))[::-1])[::-1]
    heights = np.interp(np.linspace(0, 1, 101), recall, precision)
    return float(np.sum(heights[1:] + heights[:-1]) / 200) if num_relevant and any(relevance) else 0.0


def by_last_row(y_true, y_score, k):
    """Evidently's: whether a rank counts is looked up in the last row of those ranked down to it."""
    scores = list(y_score)
    ranks = [int(sum(other > score for other in scores) + (scores.count(score) + 1) / 2) for score in scores]
    total = 0.0
    for rank in range(1, min(k, len(scores)) + 1):
        seen = [label for label, each in zip(y_true, ranks, strict=True) if each <= rank]
        total += sum(seen) / rank if seen and seen[-1] else 0.0
    return total / sum(y_true) if sum(y_true) else 0.0


def first_with_a_term(actual, predicted):
    """Chunk-bench's: a text is relevant that has a relevant term in it, and values have 4 digits."""
    terms = {term.lower() for term in actual}
    ranks = (rank for rank, text in enumerate(predicted, 1) if any(term in text.lower() for term in terms))
    return round(1 / next(ranks, math.inf), 4) if actual else 1.0


def late_over_one_more(relevance, num_relevant):
    """Two slips at once: a hit counts from the next one on, and there is one more in the denominator."""
    total = hits = 0
    for rank, label in enumerate(relevance, 1):
        if label:
            total += hits / rank
            hits += 1
    return total / (num_relevant + 1) if num_relevant else 0.0


def by_last_row_of_a_table(y_true, y_score, k):
    """The same as evidently calls it: its table ends with the list, and without relevant documents it has no number."""
    if k > len(y_true):
        raise KeyError(k)
    return by_last_row(y_true, y_score, k) if sum(y_true) else float("nan")


OF_TRANSFORMATIONS = {
    ("AP@3", "the last input row among the documents down to it is relevant"): by_last_row,
    ("AP", "R: each copy of a document in the list counts in R"): copied(average_precision),
    ("nDCG", "R: each copy of a document in the list counts in R"): copied(
        lambda labels, relevant: dcg(labels) / dcg([1] * relevant) if relevant else 0.0
    ),
    ("nDCG", "scores of 0 or less: a relevant document with a score of 0 or less does not count"): positive(
        lambda gains, given: dcg(gains) / (dcg(sorted((max(each, 0) for each in given), reverse=True)) or 1)
    ),
    ("RR", "scores of 0 or less: a relevant document with a score of 0 or less does not count"): positive(
        lambda gains, _: next((1 / rank for rank, gain in enumerate(gains, 1) if gain), 0.0)
    ),
    ("RR", "grades: only the highest grade in the list is relevant"): of_list(rr_of, grades=highest_listed),
    ("AP", "grades: only the highest grade in the list is relevant"): of_list(ap_of, grades=highest_listed),
    ("nDCG", "scores at or below percentile 50 of the list are left out"): of_list(ndcg_of, above(50)),
    ("RR", "scores at or below percentile 75 of the list are left out"): of_list(rr_of, above(75)),
    ("AP@3", "documents that tie with the first one after the cutoff are left out"): of_list(ap_of, without_cut_ties),
    ("nDCG@3", "documents that tie with the first one after the cutoff are left out"): of_list(
        lambda judged, listed: (
            ndcg_of(judged, listed)
            * dcg(sorted((max(grade, 0) for grade in judged.values()), reverse=True))
            / (dcg(sorted((max(grade, 0) for grade in judged.values()), reverse=True)[:3]) or 1)
        ),
        without_cut_ties,
    ),
    ("AP", "R: the sum of the query's grades takes the place of R"): of_list(
        lambda judged, listed: ap_of(judged, listed, added_up(judged))
    ),
    ("SetR", "R: the sum of the query's grades takes the place of R"): lambda qrels, run: {
        query: sum(judged.get(docno, 0) > 0 for docno in run.get(query, {})) / (added_up(judged) or 1)
        for query, judged in qrels.items()
    },
    ("AP", "falls to 0 after its last recall"): falling,
    ("nDCG", "it returns total / (best + 1e-10) instead of total / best"): lambda y_true, y_score: (
        dcg(gains_of(y_true, y_score)) / (dcg(sorted(gains_of(y_true, y_score), reverse=True)) + 1e-10)
    ),
    ("RBP(p=0.8)", "the persistence: it uses 1 - p as p"): lambda relevance: fsum(
        0.8 * 0.2 ** (rank - 1) for rank, label in enumerate(relevance, 1) if label
    ),
    ("nDCG@3", "the ideal list: the ideal list has k documents of grade 1"): lambda relevance, k: (
        dcg(relevance[:k]) / dcg([1] * k)
    ),
    ("RR", "a docno matches if a relevant one is part of it (case ignored)"): first_with_a_term,
    ("AP", "`total += c / i` comes before `c += 1`; it returns total / (len(relevant) + 1)"): late_over_one_more,
}


EVERY_TIME = "queries: the first query of the run is left out"
"""Where no search gets through the conventions; all others are the campaign's."""


def planted():
    """Return each program with its measure and what is said of it."""
    rows = [
        *(("AP", words, function) for words, function in ALONE.items()),
        *(("AP@3", words, function) for words, function in AT_A_CUTOFF.items()),
        *((measure, words, function) for (measure, words), function in OF_A_DEFINITION.items()),
        *((measure, words, function) for (measure, words), function in OF_TRANSFORMATIONS.items()),
    ]
    return in_campaign(
        ((function, measure, words) for measure, words, function in rows),
        but=[f"AP {EVERY_TIME}"],
        ids=lambda row: f"{row[1]} {row[2]}",
        days=DAYS_OF_DEVIATIONS,
    )


@pytest.mark.parametrize(("function", "measure", "words"), planted())
def test_what_is_planted_is_named(function, measure, words) -> None:
    identification = identified(function, measure)
    assert identification.explained
    assert any(words in each for each in identification.deviations), identification.deviations
    assert identification.texts[0] == f"{measure} under {UNDER.get(words, 'default')}"


def of_relevant(judged, _):
    return sum(grade > 0 for grade in judged.values())


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("function", "measure", "axis", "phrase"),
    [
        # Documents with equal scores have one rank: no order of them can be seen.
        (by_last_row, "AP@3", "ties", "ties"),
        # A query without relevant documents weighs 0, whatever it is worth.
        (weighed(of_relevant), "AP", "no_relevant", "queries without relevant documents"),
    ],
)
def test_an_axis_that_a_deviation_hides_is_not_told(function, measure, axis, phrase) -> None:
    identification = identified(function, measure)
    assert identification.deviations
    assert len(identification.axes[axis]) > 1
    assert axis not in identification.sure
    assert phrase not in statements(identification)["paper"].partition("; except for")[0]


@pytest.mark.campaign
def test_a_known_program_goes_before_slips_that_explain_a_little_more() -> None:
    identification = identified(by_last_row_of_a_table, "AP@3")
    assert identification.deviations[0].startswith("hits: a rank counts only if the last input row")
    assert identification.texts[0] == "AP@3 under default[no_relevant=nan]"
