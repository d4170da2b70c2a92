"""Each deviation and each edit of a definition is found and named where a program has it.

The programs are made of right ones: of a step, which is a line of its own, another expression is put in.
"""

import functools  # noqa: F401 - in a step, as are the two below
import itertools  # noqa: F401
import math
import re
import statistics  # noqa: F401
from functools import partial

import numpy as np
import pytest
from campaign import DAYS_OF_PLANTED, in_campaign
from golden_words import SAID
from identified_in_process import identified
from rankspec.conformance.answers.statements import statements
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.mistakes.inputs import NAMES
from rankspec.conformance.infer.mistakes.known_programs import KNOWN

OF_SETS = """
def f(qrels, run):
    values = []
    queries = qrels
    for query in queries:
        judged = qrels[query]
        scores = run.get(query, {})
        listed = by_score(scores)
        relevant = [docno for docno, grade in judged.items() if grade >= 1]
        count = len(relevant)
        labels = [docno in relevant for docno in listed]
        hits = [rank for rank, label in enumerate(labels, 1) if label]
        total = sum(number / rank for number, rank in enumerate(hits, 1))
        value = over(total, count)
        values.append(value)
    result = mean(values)
    return result
"""
OF_LABELS = """
def f(relevance, num_relevant):
    labels = relevance
    hits = [rank for rank, label in enumerate(labels, 1) if label]
    terms = [number / rank for number, rank in enumerate(hits, 1)]
    value = over(sum(terms), num_relevant)
    return value
"""
OF_IDS = """
def f(actual, predicted):
    labels = [docno in actual for docno in predicted]
    count = len(set(actual))
    hits = [rank for rank, label in enumerate(labels, 1) if label]
    terms = [number / rank for number, rank in enumerate(hits, 1)]
    value = over(sum(terms), count)
    return value
"""
OF_SCORES = """
def f(y_true, y_score):
    order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
    labels = [y_true[place] for place in order]
    gains = [max(0, label) for label in labels]
    stops = [(2**gain - 1) / 16 for gain in gains]
    hits = [rank for rank, label in enumerate(labels, 1) if label]
    terms = [number / rank for number, rank in enumerate(hits, 1)]
    value = over(sum(terms), sum(label > 0 for label in y_true))
    return value
"""


def made(right, takes=None, **steps):
    """Return a right program with other parameters and other expressions for some of its steps."""
    text = right if takes is None else re.sub(r"f\(.*\)", f"f({takes})", right, count=1)
    for step, expression in steps.items():
        text, count = re.subn(rf"^( +{step} = ).*", lambda found: found[1] + expression, text, flags=re.MULTILINE)  # noqa: B023
        assert count == 1, step
    scope = dict(globals())
    exec(text, scope)  # noqa: S102 - a text of this file
    return scope["f"]


of_sets, of_labels, of_ids, of_scores = (partial(made, each) for each in (OF_SETS, OF_LABELS, OF_IDS, OF_SCORES))


# ---- What steps call


def over(total, divisor):
    return total / divisor if divisor else 0.0


def mean(values):
    return sum(values) / len(values) if values else math.nan


def weighed(values, weights):
    return over(sum(map(math.prod, zip(values, weights, strict=True))), sum(weights))


def by_score(scores):
    return sorted(scores, key=lambda docno: -scores[docno])


def dcg(gains):
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def by_places_of_the_reversed(scores):
    docnos = [*scores]
    order = sorted(range(len(docnos)), key=lambda place: scores[docnos[place]])[::-1]
    return [docnos[order.index(place)] for place in range(len(docnos))]


def close_are_tied(scores):
    levels, level, before = {}, 0, None
    for score in sorted(set(scores.values()), reverse=True):
        level -= before is not None and not math.isclose(score, before)
        levels[score], before = level, score
    return sorted(scores, key=lambda docno: -levels[scores[docno]])


def by_numbers(docno):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", docno)]


def of_every_query(qrels, run):
    """Return the documents of all queries in one ranking."""
    listed = [(query, docno) for query in qrels for docno in run.get(query, {})]
    return sorted(listed, key=lambda each: -run[each[0]][each[1]])


def without_cut_ties(scores, k=3):
    behind = sorted(scores.values(), reverse=True)[k:]
    return [docno for docno in by_score(scores) if not behind or scores[docno] > behind[0]][:k]


def lower(docnos):
    return [docno.lower() for docno in docnos]


# ---- Programs that are no right one with another step


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
    ranks = (rank for rank, text in enumerate(lower(predicted), 1) if any(term in text for term in lower(actual)))
    return round(1 / next(ranks, math.inf), 4) if actual else 1.0


def forgets_after_three_misses(relevance, num_relevant):
    total, hits, misses = 0.0, 0, 0
    for rank, label in enumerate(relevance, 1):
        misses = 0 if label else misses + 1
        hits = 0 if misses == 3 else hits + label
        total += label * hits / rank
    return over(total, num_relevant)


def ties_have_the_mean_rank(y_true, y_score):
    """Equal scores have the mean of their ranks, among the hits as well."""

    def rank(score, counted):
        above = [(other > score) + (other == score) / 2 for other in y_score]
        return sum(map(math.prod, zip(counted, above, strict=True))) + 0.5

    scores = [score for label, score in zip(y_true, y_score, strict=True) if label]
    return over(sum(rank(score, y_true) / rank(score, [1] * len(y_true)) for score in scores), sum(y_true))


def dcg_of_singles(relevance):
    gains = np.asarray(relevance, dtype=np.float32)
    return np.sum(gains / np.log(np.arange(len(gains), dtype=np.float32) + 2), dtype=np.float32)


def f_with_epsilons(actual, predicted, k):
    hits = len({*actual} & {*predicted[:k]})
    p, r = hits / k, hits / (len(actual) + 1e-8)
    return 2 * p * r / (p + r + 1e-8)


RELEVANT = "[docno for docno, grade in judged.items() if {}]"
BY_QUERY = "dict(zip(qrels, values, strict=True))"
FIRST = "next((1 / rank for rank in hits), 0.0)"
OF_A_SET = {
    "AP does-not-sort": of_sets(listed="list(scores)"),
    "AP sorts-ascending-score": of_sets(listed="sorted(scores, key=scores.get)"),
    "AP uses-reversed-ranks-ascending": of_sets(listed="by_places_of_the_reversed(scores)"),
    "AP document-score-0-7": of_sets(listed="[docno for docno in by_score(scores) if scores[docno] > 0.7]"),
    "AP scores-0-25-or": of_sets(listed="sorted(scores, key=lambda docno: -max(scores[docno], 0.25))"),
    "AP any-judged-document-relevant": of_sets(relevant="[*judged]"),
    "AP any-grade-other-than": of_sets(relevant=RELEVANT.format("grade")),
    "AP returns-median-values": of_sets(result="statistics.median(values) if values else math.nan"),
    "AP value-returns-0-every": of_sets(result="0.0"),
    "AP truncates-3-digits": of_sets(result="math.floor(mean(values) * 1000) / 1000"),
    "AP ranks-ranks-continue-from": of_sets(
        labels="[0 for q in [*qrels][: len(values)] for _ in run.get(q, {})] + [docno in relevant for docno in listed]"
    ),
    "AP r-relevant-documents-all": of_sets(
        count="sum(grade > 0 for each in qrels.values() for grade in each.values())"
    ),
    "AP queries-judgments-lists-paired-sorted": of_sets(
        queries="[query for query, _ in zip(sorted(qrels), run, strict=False)]", scores="run[sorted(run)[len(values)]]"
    ),
    "AP scores-0-or-less-document": of_sets(relevant=RELEVANT.format("grade > 0 and scores.get(docno, 1) > 0")),
    "AP grades-only-highest-grade-query": of_sets(relevant=RELEVANT.format("0 < grade == max(judged.values())")),
    "AP threshold-grade-relevant-only": of_sets(relevant=RELEVANT.format("grade == 1")),
    "AP sorting-sorts-absolute-value": of_sets(listed="sorted(scores, key=lambda docno: -abs(scores[docno]))"),
    "AP scores-rounded-2-digits": of_sets(listed="sorted(scores, key=lambda docno: -round(scores[docno], 2))"),
    "AP scores-close-tied": of_sets(listed="close_are_tied(scores)"),
    "AP documents-scores-compared-text": of_sets(
        listed="sorted(scores, key=lambda docno: str(scores[docno]), reverse=True)"
    ),
    "AP last-document-leaves-out": of_sets(listed="by_score(scores)[:-1]"),
    "AP docnos-sorted-without-regard": of_sets(
        listed="sorted(scores, key=lambda docno: (-scores[docno], docno.lower(), docno))"
    ),
    "AP docnos-sorted-numbers-them": of_sets(listed="sorted(scores, key=lambda d: (-scores[d], by_numbers(d)))"),
    "AP documents-among-documents-equal": of_sets(
        scores="{d: n for n, d in {n: d for d, n in reversed(run.get(query, {}).items())}.items()}"
    ),
    "AP docnos-cut-first": of_sets(
        judged="{docno.partition('-')[0]: grade for docno, grade in qrels[query].items()}",
        scores="{docno.partition('-')[0]: score for docno, score in run.get(query, {}).items()}",
    ),
    "AP documents-judged-nonrelevant-documents": of_sets(
        scores="{docno: score for docno, score in run.get(query, {}).items() if judged.get(docno, 1) > 0}"
    ),
    "AP docnos-docno-matches-if-part": of_sets(labels="[any(docno in each for each in relevant) for docno in listed]"),
    "AP queries-last-query-run": of_sets(scores="run.get(query, {}) if query in [*run][:-1] else {}"),
    "AP queries-only-first-query": of_sets(queries="[*qrels][:1]"),
    "AP queries-stops-first-query": of_sets(
        queries="itertools.takewhile(lambda query: max(qrels[query].values(), default=0) > 0, qrels)"
    ),
    "AP grades-judgments-all-queries": of_sets(
        judged="{d: max(each[d] for each in qrels.values() if d in each) for own in qrels.values() for d in own}"
    ),
    "AP mean-queries-weighted-number": of_sets(result="weighed(values, [len(run.get(query, {})) for query in qrels])"),
    "AP mean-averages-each-value": of_sets(
        result="functools.reduce(lambda one, other: (one + other) / 2, values) if values else math.nan"
    ),
    "AP mean-sum-divided-number": of_sets(result="sum(values) / max(len(values) - 1, 1) if values else math.nan"),
    "AP mean-each-query-s": of_sets(result="mean([round(value, 3) for value in values])"),
    "AP returns-total-len-relevant": of_sets(value="total / (count + 1e-3)"),
    "AP ranks-ranks-start-2": of_sets(labels="[False, *(docno in relevant for docno in listed)]"),
    "AP value-returns-1-every": of_sets(result="1.0"),
    "AP value-returns-100-times": of_sets(result="100 * mean(values)"),
    "AP value-returns-1-value": of_sets(result="1 - mean(values)"),
    "AP value-returns-square-root": of_sets(result="math.sqrt(mean(values))"),
}
"""By the measure and the id of what is said."""

CUT = partial(of_scores, "y_true, y_score, k")
OTHERS = {
    "AP@3 cutoff-cuts-off-k": CUT(labels="[y_true[place] for place in order][: k + 1]"),
    "AP@3 after-cutoff-last-document": CUT(labels="[y_true[place] for place in order[:k]][:-1]"),
    "AP@3 after-cutoff-first-document": CUT(labels="[y_true[place] for place in order[1:k]]"),
    "AP@3 cutoff-ignores-cutoff": CUT(),
    "RR rank-1-instead-rank-2": of_labels("relevance", value="next((1 / (rank + 1) for rank in hits), 0.0)"),
    "nDCG@10 ideal-list-as-many": of_ids(
        "actual, predicted, k=10", value="over(dcg(labels[:k]), dcg([1] * min(len(predicted), k)))"
    ),
    "nDCG@10 ideal-list-lacks-last": of_ids(
        "actual, predicted, k=10", value="over(dcg(labels[:k]), dcg([1] * (min(len(actual), k) - 1)))"
    ),
    "AP area-trapezoids-curve-begins": of_labels(
        terms="[number / rank for rank, number in enumerate(itertools.accumulate(labels), 1)]",
        value="over(sum((terms[n - 1] + [0, *terms][n - 1]) / 2 for n in hits), num_relevant)",
    ),
    "ERR rank-1-instead-rank-2": of_scores(
        value="sum(stop * math.prod(1 - each for each in stops[:n]) / (n + 2) for n, stop in enumerate(stops))"
    ),
    "ERR / 2^gmax / rank, without the product of": of_scores(
        value="sum(stop / rank for rank, stop in enumerate(stops, 1))"
    ),
    "RBP(p=0.8) rank-1-instead-rank-2": of_scores(value="sum(0.2 * 0.8**rank for rank in hits)"),
    "RBP(p=0.8) formula-each-document-adds": of_scores(value="sum(0.8**rank for rank in hits)"),
    "RBP(p=0.8) persistence-uses-1-p": of_labels("relevance", value="sum(0.8 * 0.2 ** (rank - 1) for rank in hits)"),
    "nDCG does-not-divide-ideal": of_scores(value="dcg(gains)"),
    "nDCG grade-grade-grades-values": of_scores(
        value="over(dcg([gain > 0 for gain in gains]), dcg(sorted(gains, reverse=True)))"
    ),
    "nDCG returns-total-best-1e": of_scores(value="dcg(gains) / (dcg(sorted(gains, reverse=True)) + 1e-10)"),
    "nDCG@3 ideal-list-ideal-list": of_labels("relevance, k", value="dcg(relevance[:k]) / dcg([1] * k)"),
    "SetF(beta=2) divides-w-r-1": of_sets(value="5 * len(hits) / (4 * (count + 1) + len(scores)) if hits else 0.0"),
    "SetF(beta=2) does-not-divide-w": of_sets(value="len(hits)"),
    "SetR divides-r-1-instead": of_sets(value="len(hits) / (count + 1)"),
    "AP@3 last-input-row-among": by_last_row,
    "AP r-each-copy-document": of_ids(
        count="len({*actual}) + sum(each in actual and each in predicted[:n] for n, each in enumerate(predicted))"
    ),
    "AP scores-0-or-less": of_scores(labels="[max(y_true[place], 0) if y_score[place] > 0 else 0 for place in order]"),
    "RR grades-only-highest-grade": of_sets(
        relevant=RELEVANT.format("0 < grade == max((judged.get(each, 0) for each in listed), default=0)"),
        value=FIRST,
        result=BY_QUERY,
    ),
    "RR scores-or-below-percentile": of_sets(
        listed="[d for d in by_score(scores) if scores[d] > np.percentile([*scores.values()], 75)]",
        value=FIRST,
        result=BY_QUERY,
    ),
    "AP@3 documents-tie-first-after": of_sets(listed="without_cut_ties(scores)", result=BY_QUERY),
    "AP r-sum-query-s": of_sets(count="sum(grade for grade in judged.values() if grade > 0)", result=BY_QUERY),
    "AP falls-0-after-last": falling,
    "RR docno-matches-if-relevant": first_with_a_term,
    # Two slips at once: a hit counts from the next one on, and there is one more in the denominator.
    "AP total-c-i-comes": of_labels(
        terms="[number / rank for number, rank in enumerate(hits)]", value="sum(terms) / (num_relevant + 1)"
    ),
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

SQUARED = "sorted([*relevance, *[1] * (num_relevant - len(hits))], reverse=True)"
BLIND = {
    "AP precision-times-recall": of_labels(
        value="over(sum(each * n / num_relevant for n, each in enumerate(terms, 1)), num_relevant)"
    ),
    "AP 2c-i-r-f1": of_labels(terms="[2 * number / (rank + num_relevant) for number, rank in enumerate(hits, 1)]"),
    "AP median-c-i-precision": of_labels(
        value="statistics.median(terms) * len(terms) / num_relevant if terms else 0.0"
    ),
    "AP harmonic-mean-c-i": of_labels(
        value="statistics.harmonic_mean(terms) * len(terms) / num_relevant if terms else 0.0"
    ),
    "AP only-first-adjacent-hits": of_labels(
        labels="[label and not before for label, before in zip(relevance, [0, *relevance], strict=False)]"
    ),
    "AP count-hits-restarts-after": forgets_after_three_misses,
    "AP divides-r-1-if": of_labels(value="terms[0] if len(terms) == 1 else over(sum(terms), num_relevant)"),
    "AP (hits + 0.5)/(rank + 1)": of_labels(
        terms="[(number + 0.5) / (rank + 1) for number, rank in enumerate(hits, 1)]"
    ),
    "AP list-ends-after-10": of_labels(labels="[*map(int, ''.join(map(str, relevance)).split('0' * 10)[0])]"),
    "AP c-2-i-last-hit": of_labels(value="terms[-1] * len(terms) / num_relevant if terms else 0.0"),
    "AP odd-ranks-count-even": of_labels(
        terms="[number / max(rank // 2 * 2, 1) for number, rank in enumerate(hits, 1)]"
    ),
    "AP@3 cuts-off-after-k": of_labels("relevance, num_relevant, k=None", value="over(sum(terms[:k]), num_relevant)"),
    "AP highest-precision-so-far": of_labels(
        terms="[*itertools.accumulate((n / rank for rank, n in enumerate(itertools.accumulate(labels), 1)), max)]",
        value="over(sum(terms[rank - 1] for rank in hits), num_relevant)",
    ),
    "AP ranks count distinct scores, not documents": of_scores(
        hits="[len({*y_score} - {s for s in y_score if s < y_score[at]}) for at in order if y_true[at]]"
    ),
    "nDCG gain^2 / log2(rank + 1)": of_labels(
        value=f"over(dcg([each**2 for each in relevance]), dcg([each**2 for each in {SQUARED}]))"
    ),
    "P@5 even-number-documents": of_labels("relevance, k", value="sum(relevance[: k // 2 * 2]) / k"),
    "AP have-mean-their-ranks": ties_have_the_mean_rank,
    "AP c-2-i-last": of_ids(
        "actual, predicted, k=10",
        count="len({*actual} & {*predicted[:k]})",
        value="over(count, len(predicted[:k])) * over(count, len(actual))",
    ),
    "AP list-ends-second-miss": of_ids(
        "actual, predicted, k=10",
        labels="[docno in actual for docno in predicted[:k]]",
        hits="[rank for rank, label in enumerate(labels, 1) if label and labels[:rank].count(False) < 2]",
        count="min(len(actual), k)",
    ),
    "AP last-several-queries-left": of_sets(result="mean(values[: max(1, len(values) - 1)])"),
    "AP uses-ranks-documents-their": of_scores(labels="[y_true[order.index(place)] for place in range(len(order))]"),
    "AP documents-all-queries-ranked": of_sets(
        labels="[own == query and docno in relevant for own, docno in of_every_query(qrels, run)]"
    ),
    "AP documents-earlier-queries-left": of_sets(
        listed="[d for d in by_score(scores) if all(d not in run.get(q, {}) for q in [*qrels][: len(values)])]"
    ),
    # Each of these stands in public code: a loop without a break, R for the last hit, other logarithms, small letters.
    f"RR {KNOWN['RR'][2].words}": of_labels("relevance", value="sum(1 / rank for rank in hits)"),
    f"Rprec {KNOWN['Rprec'][0].words}": of_labels("relevance", value="over(len(hits), max(hits, default=0))"),
    "DCG ln(rank + 1)": dcg_of_singles,
    "F@3 1e-08": f_with_epsilons,
    f"R@3 {NAMES[0][0]}": of_ids(
        "actual, predicted, k", value="over(len({*lower(actual)} & {*lower(predicted[:k])}), len({*lower(actual)}))"
    ),
}
"""Mistakes of people who had not seen the list of deviations; no more of what is said of them is held."""


def rows(programs, but=()):
    """Return the measure, what is said, and the program of each row, whose key has the first two; many say an id."""
    named = (key.partition(" ")[::2] for key in programs)
    listed = [(measure, SAID.get(words, words)) for measure, words in named]
    return in_campaign(
        ((*each, program) for each, program in zip(listed, programs.values(), strict=True)),
        but=but,
        ids=lambda row: f"{row[0]} {row[1]}",
        days=DAYS_OF_PLANTED,
    )


@pytest.mark.parametrize(
    ("measure", "words", "program"), rows(OF_A_SET | OTHERS, but=[f"RR {SAID['rank-1-instead-rank-2']}"])
)
def test_what_is_planted_is_named(measure, words, program):
    identification = identified(program, measure)
    assert identification.explained
    assert any(words in each for each in identification.deviations), identification.deviations
    assert identification.texts[0] == f"{measure} under {UNDER.get(words, 'default')}"


@pytest.mark.parametrize(("measure", "words", "program"), rows(BLIND))
def test_what_nobody_had_in_mind_is_named(measure, words, program):
    found = identified(program, measure)
    assert (found.status, found.explained) == (Status.OUTSIDE, True)
    assert any(words in line for line in found.deviations), found.deviations


@pytest.mark.campaign
def test_an_axis_that_a_deviation_hides_is_not_told():
    # Documents with equal scores have one rank: no order of them can be seen.
    identification = identified(by_last_row, "AP@3")
    assert identification.deviations
    assert len(identification.axes["ties"]) > 1
    assert "ties" not in identification.sure
    assert "ties" not in statements(identification)["paper"].partition(SAID["except-2"])[0]
