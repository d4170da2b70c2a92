"""Each deviation and each edit of a definition is found and named where a program written by hand has it.

The steps of a right program are here; each row replaces one.
"""

import math
import re
import statistics
from itertools import accumulate
from math import fsum

import numpy as np
import pytest
from campaign import DAYS_OF_PLANTED, in_campaign
from golden_words import SAID
from identified_in_process import identified
from rankspec.conformance.answers.statements import statements


def by_score(scores):
    return sorted(scores, key=lambda docno: -scores[docno])


def first_of_each_score(scores):
    kept = {}
    for docno, score in scores.items():
        kept.setdefault(score, docno)
    return by_score({docno: score for score, docno in kept.items()})


def by_numbers(docno):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", docno)]


def close_are_tied(scores):
    levels, level, before = {}, 0, None
    for score in sorted(set(scores.values()), reverse=True):
        level -= before is not None and not math.isclose(score, before)
        levels[score], before = level, score
    return sorted(scores, key=lambda docno: -levels[scores[docno]])


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
):
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


def one_left_out(qrels, run):
    return of_qrels(qrels, {query: run[query] for query in [*run][:-1]})


def one_alone(qrels, run):
    return of_qrels({query: qrels[query] for query in [*qrels][:1]}, run)


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


def weighed(weight):
    """Weigh queries by something."""

    def function(qrels, run):
        values = [program(together=sum)({query: qrels[query]}, {query: run.get(query, {})}) for query in qrels]
        weights = [weight(qrels[query], run.get(query, {})) for query in qrels]
        every = sum(weights)
        return fsum(map(math.prod, zip(values, weights, strict=True))) / every if every else 0.0

    return function


def ranks_go_on(qrels, run):
    values, above = [], []
    for judged, scores in of_qrels(qrels, run):
        relevant = [docno for docno, grade in judged.items() if grade > 0]
        labels = [docno in relevant for docno in by_score(scores)]
        values.append(average_precision([*above, *labels], len(relevant)))
        above += [False] * len(labels)
    return mean(values)


def relevant_of_all(qrels, run):
    every = sum(grade > 0 for judged in qrels.values() for grade in judged.values())
    return program(counted=lambda *_: every)(qrels, run)


def by_places_of_the_reversed(scores):
    docnos = [*scores]
    order = sorted(range(len(docnos)), key=lambda place: scores[docnos[place]])[::-1]
    return [docnos[order.index(place)] for place in range(len(docnos))]


ALONE = {
    SAID["does-not-sort"]: program(listed=list),
    SAID["sorts-ascending-score"]: program(listed=lambda scores: sorted(scores, key=scores.get)),
    SAID["uses-reversed-ranks-ascending"]: program(listed=by_places_of_the_reversed),
    SAID["document-score-0-7"]: program(
        listed=lambda scores: [docno for docno in by_score(scores) if scores[docno] > 0.7]
    ),
    SAID["scores-0-25-or"]: program(listed=by(lambda _, score: max(score, 0.25))),
    SAID["any-judged-document-relevant"]: program(level=-math.inf),
    SAID["any-grade-other-than"]: program(
        grades=lambda judged, _: {docno: int(grade != 0) for docno, grade in judged.items()}
    ),
    SAID["returns-median-values"]: program(together=lambda values: statistics.median(values) if values else math.nan),
    SAID["value-returns-0-every"]: program(result=lambda _: 0.0),
    SAID["truncates-3-digits"]: program(result=lambda value: math.floor(value * 1000) / 1000),
    SAID["ranks-ranks-continue-from"]: ranks_go_on,
    SAID["r-relevant-documents-all"]: relevant_of_all,
    SAID["queries-judgments-lists-paired-sorted"]: program(
        lambda qrels, run: [(qrels[one], run[other]) for one, other in zip(sorted(qrels), sorted(run), strict=False)]
    ),
    SAID["scores-0-or-less-document"]: program(
        grades=lambda judged, scores: {d: grade for d, grade in judged.items() if scores.get(d, 1) > 0}
    ),
    SAID["grades-only-highest-grade-query"]: program(grades=the_highest),
    SAID["threshold-grade-relevant-only"]: program(
        grades=lambda judged, _: {docno: int(grade == 1) for docno, grade in judged.items()}
    ),
    SAID["sorting-sorts-absolute-value"]: program(listed=by(lambda _, score: abs(score))),
    SAID["scores-rounded-2-digits"]: program(listed=by(lambda _, score: round(score, 2))),
    SAID["scores-close-tied"]: program(listed=close_are_tied),
    SAID["documents-scores-compared-text"]: program(listed=by(lambda _, score: str(score))),
    SAID["last-document-leaves-out"]: program(listed=lambda scores: by_score(scores)[:-1]),
    SAID["docnos-sorted-without-regard"]: program(
        listed=lambda scores: sorted(scores, key=lambda docno: (-scores[docno], docno.lower(), docno))
    ),
    SAID["docnos-sorted-numbers-them"]: program(
        listed=lambda scores: sorted(scores, key=lambda docno: (-scores[docno], by_numbers(docno)))
    ),
    SAID["documents-among-documents-equal"]: program(listed=first_of_each_score),
    SAID["docnos-cut-first"]: program(
        pairs=lambda qrels, run: [
            (
                {docno.partition("-")[0]: grade for docno, grade in judged.items()},
                {docno.partition("-")[0]: score for docno, score in scores.items()},
            )
            for judged, scores in of_qrels(qrels, run)
        ]
    ),
    SAID["documents-judged-nonrelevant-documents"]: program(
        pairs=lambda qrels, run: [
            (judged, {docno: score for docno, score in scores.items() if judged.get(docno, 1) > 0})
            for judged, scores in of_qrels(qrels, run)
        ]
    ),
    SAID["docnos-docno-matches-if-part"]: program(
        is_hit=lambda docno, relevant: any(docno in each for each in relevant)
    ),
    SAID["queries-last-query-run"]: program(one_left_out),
    SAID["queries-only-first-query"]: program(one_alone),
    SAID["queries-stops-first-query"]: program(until_one_without),
    SAID["grades-judgments-all-queries"]: program(of_all),
    SAID["mean-queries-weighted-number"]: weighed(lambda judged, scores: len(scores)),
    SAID["mean-averages-each-value"]: program(together=halved),
    SAID["mean-sum-divided-number"]: program(
        together=lambda values: fsum(values) / max(len(values) - 1, 1) if values else math.nan
    ),
    SAID["mean-each-query-s"]: program(together=lambda values: mean([round(value, 3) for value in values])),
    SAID["returns-total-len-relevant"]: program(
        value=lambda labels, relevant: average_precision(labels, 1) / (relevant + 1e-3)
    ),
    SAID["ranks-ranks-start-2"]: program(value=lambda labels, relevant: average_precision([False, *labels], relevant)),
    SAID["value-returns-1-every"]: program(result=lambda _: 1.0),
    SAID["value-returns-100-times"]: program(result=lambda value: 100 * value),
    SAID["value-returns-1-value"]: program(result=lambda value: 1 - value),
    SAID["value-returns-square-root"]: program(result=math.sqrt),
}


def cut(listed):
    """Return average precision at k of labels and scores."""

    def function(y_true, y_score, k):
        order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
        return average_precision(listed([y_true[place] for place in order], k), sum(y_true))

    return function


AT_A_CUTOFF = {
    SAID["cutoff-cuts-off-k"]: cut(lambda labels, k: labels[: k + 1]),
    SAID["after-cutoff-last-document"]: cut(lambda labels, k: labels[:k][:-1]),
    SAID["after-cutoff-first-document"]: cut(lambda labels, k: labels[1:k]),
    SAID["cutoff-ignores-cutoff"]: cut(lambda labels, _: labels),
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


def ndcg_over(ideal_of):
    """Return nDCG of ids, over the value of an ideal list of so many relevant documents."""

    def function(actual, predicted, k=10):
        best = dcg([1] * ideal_of(len(actual), len(predicted), k))
        return dcg([docno in actual for docno in predicted[:k]]) / best if best else 0.0

    return function


def trapezoids_from_zero(relevance, num_relevant):
    """The curve begins at recall 0 with precision 0."""
    hits = before = total = 0
    for rank, label in enumerate(relevance, 1):
        hits += label > 0
        total += (label > 0) * (hits / rank + before) / 2
        before = hits / rank
    return total / num_relevant if num_relevant else 0.0


OF_A_DEFINITION = {
    ("RR", SAID["rank-1-instead-rank-2"]): lambda relevance: next(
        (1 / (rank + 1) for rank, label in enumerate(relevance, 1) if label), 0.0
    ),
    ("nDCG@10", SAID["ideal-list-as-many"]): ndcg_over(lambda relevant, retrieved, k: min(retrieved, k)),
    ("nDCG@10", SAID["ideal-list-lacks-last"]): ndcg_over(lambda relevant, retrieved, k: min(relevant, k) - 1),
    ("AP", SAID["area-trapezoids-curve-begins"]): trapezoids_from_zero,
    ("ERR", SAID["rank-1-instead-rank-2"]): err(lambda rank: rank + 1),
    ("ERR", "/ 2^gmax / rank, without the product of"): err(goes_on=lambda stop: 1),
    ("RBP(p=0.8)", SAID["rank-1-instead-rank-2"]): rbp(lambda rank: rank + 1),
    ("RBP(p=0.8)", SAID["formula-each-document-adds"]): rbp(first=0.8),
    ("nDCG", SAID["does-not-divide-ideal"]): lambda y_true, y_score: dcg(gains_of(y_true, y_score)),
    ("nDCG", SAID["grade-grade-grades-values"]): lambda y_true, y_score: ndcg(
        gains_of(y_true, y_score), lambda gain: gain > 0
    ),
    ("SetF(beta=2)", SAID["divides-w-r-1"]): f_2(lambda relevant, n, hits: relevant + 1),
    ("SetF(beta=2)", SAID["does-not-divide-w"]): f_2(by=lambda weighed: 1),
    ("SetR", SAID["divides-r-1-instead"]): lambda qrels, run: recall(qrels, run, lambda r, n, hits: r + 1),
}

UNDER = {
    SAID["docnos-sorted-without-regard"]: "default[ties=docno-ascending]",
    SAID["docnos-sorted-numbers-them"]: "default[ties=docno-ascending]",
    SAID["grade-grade-grades-values"]: "default[gain=binary]",
    SAID["r-each-copy-document"]: "default[duplicates=counted]",
    SAID["ideal-list-as-many"]: "default[duplicates=counted]",  # of ids: each copy is a hit
    "it lacks its last document": "default[duplicates=counted]",
    SAID["docno-matches-if-relevant"]: "default[duplicates=counted, no_relevant=one]",
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


OF_TRANSFORMATIONS = {
    ("AP@3", SAID["last-input-row-among"]): by_last_row,
    ("AP", SAID["r-each-copy-document"]): copied(average_precision),
    ("AP", SAID["scores-0-or-less"]): positive(
        lambda labels, given: average_precision(labels, sum(each > 0 for each in given))
    ),
    ("RR", SAID["grades-only-highest-grade"]): of_list(rr_of, grades=highest_listed),
    ("RR", SAID["scores-or-below-percentile"]): of_list(rr_of, above(75)),
    ("AP@3", SAID["documents-tie-first-after"]): of_list(ap_of, without_cut_ties),
    ("AP", SAID["r-sum-query-s"]): of_list(lambda judged, listed: ap_of(judged, listed, added_up(judged))),
    ("AP", SAID["falls-0-after-last"]): falling,
    ("nDCG", SAID["returns-total-best-1e"]): lambda y_true, y_score: (
        dcg(gains_of(y_true, y_score)) / (dcg(sorted(gains_of(y_true, y_score), reverse=True)) + 1e-10)
    ),
    ("RBP(p=0.8)", SAID["persistence-uses-1-p"]): lambda relevance: fsum(
        0.8 * 0.2 ** (rank - 1) for rank, label in enumerate(relevance, 1) if label
    ),
    ("nDCG@3", SAID["ideal-list-ideal-list"]): lambda relevance, k: dcg(relevance[:k]) / dcg([1] * k),
    ("RR", SAID["docno-matches-if-relevant"]): first_with_a_term,
    ("AP", SAID["total-c-i-comes"]): late_over_one_more,
}


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
        but=[f"RR {SAID['rank-1-instead-rank-2']}"],
        ids=lambda row: f"{row[1]} {row[2]}",
        days=DAYS_OF_PLANTED,
    )


@pytest.mark.parametrize(("function", "measure", "words"), planted())
def test_what_is_planted_is_named(function, measure, words):
    identification = identified(function, measure)
    assert identification.explained
    assert any(words in each for each in identification.deviations), identification.deviations
    assert identification.texts[0] == f"{measure} under {UNDER.get(words, 'default')}"


@pytest.mark.campaign
def test_an_axis_that_a_deviation_hides_is_not_told():
    # Documents with equal scores have one rank: no order of them can be seen.
    identification = identified(by_last_row, "AP@3")
    assert identification.deviations
    assert len(identification.axes["ties"]) > 1
    assert "ties" not in identification.sure
    assert "ties" not in statements(identification)["paper"].partition(SAID["except-2"])[0]
