"""Each deviation and each edit of a definition is found and named where a program has it.

The programs are made of right ones: of a step, which is a line of its own, another expression is put in
(`tests/wrong/planted.yaml`).
"""

import functools  # noqa: F401 - in a step, as are the two below
import itertools  # noqa: F401
import math
import re
import statistics  # noqa: F401
from pathlib import Path

import numpy as np
import pytest
import yaml
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


RIGHT = {"sets": OF_SETS, "labels": OF_LABELS, "ids": OF_IDS, "scores": OF_SCORES}
PLANTED = yaml.safe_load((Path(__file__).parents[2] / "wrong/planted.yaml").read_text(encoding="utf-8"))
"""By what is said of them: an id or words, with the measure."""


def planted(kind):
    """Return what is said -> the program, of one kind in the file."""
    return {said: made(RIGHT[row.pop("of")], **row) for said, row in PLANTED[kind].items()}


EXPECTED = planted("expected") | {
    "AP@3 last-input-row-among": by_last_row,
    "AP falls-0-after-last": falling,
    "RR docno-matches-if-relevant": first_with_a_term,
}
UNDER = {
    SAID["docnos-sorted-without-regard"]: "default[ties=docno-ascending]",
    SAID["docnos-sorted-numbers-them"]: "default[ties=docno-ascending]",
    SAID["grade-grade-grades-values"]: "default[gain=binary]",
    SAID["r-each-copy-document"]: "default[duplicates=counted]",
    SAID["ideal-list-as-many"]: "default[duplicates=counted]",  # of ids: each copy is a hit
    "its ideal ranking lacks its last document": "default[duplicates=counted]",
    SAID["docno-matches-if-relevant"]: "default[duplicates=counted, no_relevant=one]",
}
"""What a program follows besides, where it is not the default."""

BLIND = planted("blind") | {
    "AP count-hits-restarts-after": forgets_after_three_misses,
    "AP have-mean-their-ranks": ties_have_the_mean_rank,
    # Each of these stands in public code: a loop without a break, R for the last hit, other logarithms, small letters.
    f"RR {KNOWN['RR'][2].words}": made(OF_LABELS, "relevance", value="sum(1 / rank for rank in hits)"),
    f"Rprec {KNOWN['Rprec'][0].words}": made(OF_LABELS, "relevance", value="over(len(hits), max(hits, default=0))"),
    "DCG ln(rank + 1)": dcg_of_singles,
    "F@3 1e-08": f_with_epsilons,
    f"R@3 {NAMES[0][0]}": made(
        OF_IDS,
        "actual, predicted, k",
        value="over(len({*lower(actual)} & {*lower(predicted[:k])}), len({*lower(actual)}))",
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


@pytest.mark.parametrize(("measure", "words", "program"), rows(EXPECTED, but=[f"RR {SAID['ranks-ranks-start-2']}"]))
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
