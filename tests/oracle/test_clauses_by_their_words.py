"""Measures as somebody computes them who has read the clauses alone: their words give the number.

Each function here is written from `fixtures/clauses.yaml`, whose ids it names, and from nothing of the oracle. Lists
are in strict order, numbers are floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count, permutations
from random import Random

import mpmath
import pytest
from rankspec.oracle import Qrels, Run, evaluate, parse_convention, parse_measure

FAR = 4000
"""So many ranks stand for a list without end where terms fall as p^i."""


@dataclass(frozen=True)
class Topic:
    """A query: its ranked documents, and the grades of the judged ones; with subtopics, subtopic -> grade each."""

    ranked: list[str]
    grades: dict[str, int]
    by_subtopic: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def relevant(self) -> list[str]:
        return [docno for docno, grade in self.grades.items() if grade >= 1]

    def is_hit(self, docno: str) -> bool:
        return self.grades.get(docno, 0) >= 1


# ---- cwl.gain, cwl.weights


def gains_of(topic: Topic, most: int, ranks: int) -> list[float]:
    """Return g(1), g(2), ...: (g - min_rel) / (max_rel - min_rel) with min_rel 0, and nothing after the list."""
    listed = [min(max(topic.grades.get(docno, 0), 0), most) / most for docno in topic.ranked[:ranks]]
    return listed + [0.0] * (ranks - len(listed))


def read_on(gains: list[float], going_on: Callable[[int], float]) -> float:
    """Return the sum of W(i) times the gain; who goes on from rank i, with probability C(i), gets to i + 1."""
    there, reached = 1.0, []
    for rank in range(1, len(gains) + 1):
        reached.append(there)
        there *= going_on(rank)
    return sum(a * b for a, b in zip(reached, gains, strict=True)) / sum(reached)


def nerr8(topic: Topic, k: int) -> float:
    g = gains_of(topic, 4, k)
    return read_on(g, lambda i: 1 - g[i - 1])


def nerr9(topic: Topic, k: int) -> float:
    g = gains_of(topic, 4, k)
    return read_on(g, lambda i: i / (i + 1) * (1 - g[i - 1]))


def nerr10(topic: Topic, p: float) -> float:
    g = gains_of(topic, 4, FAR)
    return read_on(g, lambda i: p * (1 - g[i - 1]))


def nerr11(topic: Topic, wanted: float) -> float:
    g = gains_of(topic, 4, 1000)
    return read_on(g, lambda i: ((i + 2 * wanted - 1) / (i + 2 * wanted)) ** 2 * (1 - g[i - 1]))


def insq_to_1000(topic: Topic, wanted: float) -> float:
    return read_on(gains_of(topic, 4, 1000), lambda i: ((i + 2 * wanted - 1) / (i + 2 * wanted)) ** 2)


def insq(topic: Topic, wanted: float) -> float:
    """Return the same without end: rank i is reached with probability (2T / (i - 1 + 2T))^2."""
    reached = [(2 * wanted / (i - 1 + 2 * wanted)) ** 2 for i in range(1, len(topic.ranked) + 1)]
    gained = sum(a * b for a, b in zip(reached, gains_of(topic, 4, len(reached)), strict=True))
    return gained / float((2 * wanted) ** 2 * mpmath.zeta(2, 2 * wanted))


def inst(topic: Topic, wanted: float) -> float:
    g = gains_of(topic, 4, 1000)

    def going_on(i: int) -> float:
        left = wanted - sum(g[:i])
        return ((i + wanted + left - 1) / (i + wanted + left)) ** 2

    return read_on(g, going_on)


def bpm(topic: Topic, wanted: float, k: int) -> float:
    g = gains_of(topic, 4, k)
    return read_on(g, lambda i: 1.0 if sum(g[:i]) < wanted and i < k else 0.0)


def sdcg(topic: Topic, k: int) -> float:
    """sdcg.at."""
    g = gains_of(topic, 4, k)
    return sum(g[i - 1] / math.log2(i + 1) for i in range(1, k + 1)) / sum(
        1 / math.log2(i + 1) for i in range(1, k + 1)
    )


# ---- compat.at, compat.ideal, compat.depth.*, compat.normalization.*


def compat(topic: Topic, p: float, ranks: Callable[[int, int], int], *, normalized: bool) -> float:
    listed = {docno: place for place, docno in enumerate(topic.ranked)}
    ideal = sorted(topic.relevant, key=lambda docno: (-topic.grades[docno], listed.get(docno, len(listed))))
    last = ranks(len(topic.ranked), len(ideal))

    def overlap(one: list[str], i: int) -> float:
        return len(set(one[:i]) & set(ideal[:i])) / i

    found = sum(p ** (i - 1) * overlap(topic.ranked, i) for i in range(1, last + 1))
    if normalized:
        return found / sum(p ** (i - 1) * overlap(ideal, i) for i in range(1, last + 1))
    return found / sum(p ** (i - 1) for i in range(1, last + 1))


# ---- novelty.*, subtopic.*


def subtopics_of(topic: Topic, docno: str) -> set[str]:
    return {subtopic for subtopic, grade in topic.by_subtopic.get(docno, {}).items() if grade >= 1}


def all_subtopics(topic: Topic) -> set[str]:
    return set().union(*(subtopics_of(topic, docno) for docno in topic.by_subtopic))


def novelties(topic: Topic, listed: list[str], alpha: float) -> list[float]:
    """novelty.gain."""
    return [
        sum(
            (1 - alpha) ** sum(subtopic in subtopics_of(topic, other) for other in listed[:place])
            for subtopic in subtopics_of(topic, docno)
        )
        for place, docno in enumerate(listed)
    ]


DISCOUNTS: dict[str, Callable[[int], float]] = {
    "alpha-DCG": lambda rank: 1 / math.log2(rank + 1),
    "ERR-IA": lambda rank: 1 / rank,
    "NRBP": lambda rank: 0.5 ** (rank - 1),
}


def novelty(topic: Topic, name: str, k: int | None, divided_by: str) -> float:
    discount = DISCOUNTS[name]

    def total(gains: list[float]) -> float:
        return sum(gain * discount(rank) for rank, gain in enumerate(gains[:k], 1))

    found = total(novelties(topic, topic.ranked, 0.5))
    return found / {"none": lambda *_: 1.0, "all": full, "greedy": greedy, "exact": exact}[divided_by](topic, total, k)


def full(topic: Topic, total: Callable[[list[float]], float], k: int | None) -> float:
    """Return the sum for a list whose documents are relevant to every subtopic; without a cutoff it has no end."""
    return total([len(all_subtopics(topic)) * 0.5**before for before in range(FAR if k is None else k)])


def greedy(topic: Topic, total: Callable[[list[float]], float], _: int | None) -> float:
    """novelty.ideal.greedy: at each rank the document that brings most, of several the last by name."""
    ideal: list[str] = []
    while left := sorted(set(topic.by_subtopic) - set(ideal), reverse=True):
        ideal.append(max(left, key=lambda docno: novelties(topic, [*ideal, docno], 0.5)[-1]))
    return total(novelties(topic, ideal, 0.5))


def exact(topic: Topic, total: Callable[[list[float]], float], _: int | None) -> float:
    """novelty.ideal.exact: the ranking with the greatest sum up to the cutoff."""
    return max(total(novelties(topic, list(order), 0.5)) for order in permutations(topic.by_subtopic))


def over_subtopics(topic: Topic, value: Callable[[set[str]], float]) -> float:
    """Return the mean over the subtopics of a value by each alone, of the documents that are relevant to it."""
    each = [
        value({docno for docno in topic.by_subtopic if subtopic in subtopics_of(topic, docno)})
        for subtopic in all_subtopics(topic)
    ]
    return sum(each) / len(each)


def ap_ia(topic: Topic) -> float:
    def average(relevant: set[str]) -> float:
        hits = [rank for rank, docno in enumerate(topic.ranked, 1) if docno in relevant]
        return sum(number / rank for number, rank in enumerate(hits, 1)) / len(relevant)

    return over_subtopics(topic, average)


def p_ia(topic: Topic, k: int) -> float:
    return over_subtopics(topic, lambda relevant: len(relevant & set(topic.ranked[:k])) / k)


def st_recall(topic: Topic, k: int) -> float:
    covered = set().union(*(subtopics_of(topic, docno) for docno in topic.ranked[:k]))
    return len(covered) / len(all_subtopics(topic))


# ---- Others


def err(topic: Topic, k: int) -> float:
    """err.at, err.stopping, with gmax = 4."""
    left, value = 1.0, 0.0
    for rank, docno in enumerate(topic.ranked[:k], 1):
        grade = topic.grades.get(docno, 0)
        stops = (2**grade - 1) / 2**4 if grade > 0 else 0.0
        value += left * stops / rank
        left *= 1 - stops
    return value


def rbp(topic: Topic, p: float) -> float:
    """rbp.at, rbp.gain.binary."""
    return (1 - p) * sum(topic.is_hit(docno) * p ** (i - 1) for i, docno in enumerate(topic.ranked, 1))


def bing(topic: Topic) -> float:
    """bing.at."""
    misses, value = 0, 0.0
    for docno in topic.ranked:
        value += 1 / math.log2(2 + misses) if topic.is_hit(docno) else 0.0
        misses += not topic.is_hit(docno)
    return value / len(topic.relevant)


def g(topic: Topic) -> float:
    """g.at, the gain of a grade being the grade."""
    best = sorted((max(grade, 0) for grade in topic.grades.values()), reverse=True)
    behind, value = 0.0, 0.0
    for rank, docno in enumerate(topic.ranked):
        gain = max(topic.grades.get(docno, 0), 0)
        behind += max(best[rank] if rank < len(best) else 0, 1) - gain
        value += gain / math.log2(2 + behind)
    return value / sum(best)


def dcg(gains: list[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def ndcg_rel(topic: Topic) -> float:
    """ndcg.at-relevant."""
    best = sorted((max(grade, 0) for grade in topic.grades.values()), reverse=True)
    gains = [max(topic.grades.get(docno, 0), 0) for docno in topic.ranked]
    ranks = {docno: rank for rank, docno in enumerate(topic.ranked, 1)}
    values = [
        dcg(gains[: ranks[docno]]) / dcg(best[: ranks[docno]]) if docno in ranks else dcg(gains) / dcg(best)
        for docno in topic.relevant
    ]
    return sum(values) / len(values)


def utility(topic: Topic) -> float:
    """utility.at, with weights 2, -1 and -0.5."""
    hits = sum(map(topic.is_hit, topic.ranked))
    return 2 * hits - (len(topic.ranked) - hits) - 0.5 * (len(topic.relevant) - hits)


def accuracy(topic: Topic) -> float:
    """accuracy.at."""
    hits = [topic.is_hit(docno) for docno in topic.ranked]
    pairs = [(a, b) for place, a in enumerate(hits) for b in hits[place + 1 :] if a != b]
    return sum(a for a, _ in pairs) / len(pairs) if pairs else 1.0


def inferred(topic: Topic) -> float:
    """infap.at, infap.expected-precision, every judged document being in the pool."""
    e, value = 0.00001, 0.0
    for j, docno in enumerate(topic.ranked, 1):
        if topic.is_hit(docno):
            above = [topic.grades[other] for other in topic.ranked[: j - 1] if other in topic.grades]
            relevant = sum(grade >= 1 for grade in above)
            pooled = len(above) / (j - 1) if j > 1 else 0.0
            value += 1 / j + (j - 1) / j * pooled * (relevant + e) / (len(above) + 2 * e)
    return value / len(topic.relevant)


READINGS: dict[tuple[str, str], Callable[[Topic], float]] = {
    ("NERR8(max_rel=4)@5", "default"): lambda topic: nerr8(topic, 5),
    ("NERR9(max_rel=4)@5", "default"): lambda topic: nerr9(topic, 5),
    ("NERR10(max_rel=4, p=0.8)", "default"): lambda topic: nerr10(topic, 0.8),
    ("NERR11(T=2, max_rel=4)", "default[reader_horizon=thousand]"): lambda topic: nerr11(topic, 2),
    ("INSQ(T=1.5, max_rel=4)", "default[reader_horizon=thousand]"): lambda topic: insq_to_1000(topic, 1.5),
    ("INSQ(T=1.5, max_rel=4)", "default"): lambda topic: insq(topic, 1.5),
    ("INST(T=1, max_rel=4)", "default[reader_horizon=thousand]"): lambda topic: inst(topic, 1),
    ("BPM(T=1, max_rel=4)@5", "default"): lambda topic: bpm(topic, 1, 5),
    ("SDCG(max_rel=4)@6", "default"): lambda topic: sdcg(topic, 6),
    ("Compat(p=0.9)", "default"): lambda topic: compat(topic, 0.9, max, normalized=True),
    ("Compat(p=0.9)", "default[compat_normalization=none]"): lambda topic: compat(topic, 0.9, max, normalized=False),
    ("Compat(p=0.9)", "default[compat_depth=thousand]"): (
        lambda topic: compat(topic, 0.9, lambda _, __: 1000, normalized=True)
    ),
    ("Compat(p=0.8)", "default[compat_depth=unlimited, compat_normalization=none]"): (
        lambda topic: compat(topic, 0.8, lambda _, __: 600, normalized=False)
    ),
    ("alpha_DCG@3", "default[novelty_normalization=none]"): lambda topic: novelty(topic, "alpha-DCG", 3, "none"),
    ("alpha_DCG@3", "default"): lambda topic: novelty(topic, "alpha-DCG", 3, "all"),
    ("alpha_nDCG@3", "default"): lambda topic: novelty(topic, "alpha-DCG", 3, "greedy"),
    ("alpha_nDCG@3", "default[novelty_ideal=exact]"): lambda topic: novelty(topic, "alpha-DCG", 3, "exact"),
    ("ERR_IA@4", "default"): lambda topic: novelty(topic, "ERR-IA", 4, "all"),
    ("nERR_IA@4", "default"): lambda topic: novelty(topic, "ERR-IA", 4, "greedy"),
    ("NRBP", "default[novelty_normalization=none]"): lambda topic: novelty(topic, "NRBP", None, "none"),
    ("NRBP", "default"): lambda topic: novelty(topic, "NRBP", None, "all"),
    ("nNRBP", "default[novelty_ideal=exact]"): lambda topic: novelty(topic, "NRBP", None, "exact"),
    ("AP_IA", "default"): ap_ia,
    ("P_IA@3", "default"): lambda topic: p_ia(topic, 3),
    ("StRecall@2", "default"): lambda topic: st_recall(topic, 2),
    ("ERR@4", "default"): lambda topic: err(topic, 4),
    ("RBP(p=0.7)", "default"): lambda topic: rbp(topic, 0.7),
    ("BinG", "default"): bing,
    ("G", "default"): g,
    ("nDCGRel", "default"): ndcg_rel,
    ("Utility(hit=2, miss=-1, lost=-0.5)", "default"): utility,
    ("Accuracy", "default"): accuracy,
    ("infAP", "default"): inferred,
}


def topics(*, by_subtopic: bool) -> list[Topic]:
    """Return small random topics, each with a hit."""
    draw, found = Random(7), []
    for _ in count():
        names = draw.sample("abcdefghij", draw.randint(3, 8))
        ranked = names[: draw.randint(2, len(names))]
        judged = draw.sample("abcdefghij", draw.randint(2, 6))
        grades = {docno: draw.choice((0, 0, 1, 2, 4, -1)) for docno in judged}
        subtopics = {}
        if by_subtopic:
            for docno in judged[:5]:
                subtopics[docno] = {name: draw.choice((0, 1, 1)) for name in draw.sample("123", 2)}
            grades = {docno: max(each.values()) for docno, each in subtopics.items()}
        if any(grades.get(docno, 0) >= 1 for docno in ranked[:2]):
            found.append(Topic(ranked, grades, subtopics))
        if len(found) == 30:
            return found
    return []


@pytest.mark.parametrize(("measure", "under"), READINGS, ids=[f"{a}-{b}" for a, b in READINGS])
def test_the_words_of_the_clauses_give_the_number(measure, under):
    parsed, convention = parse_measure(measure), parse_convention(under)
    values = set()
    for topic in topics(by_subtopic=parsed.family.by_subtopic):
        run = Run.of({"q": [(docno, -place) for place, docno in enumerate(topic.ranked)]})
        value = evaluate(parsed, Qrels.of({"q": topic.by_subtopic or topic.grades}), run, convention).double
        assert math.isclose(READINGS[measure, under](topic), value, rel_tol=1e-9, abs_tol=1e-12), topic
        values.add(round(value, 6))
    assert len(values) > 3
