"""Measures of gain: DCG and nDCG, rank-biased precision and its residual."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy

from .conventions import Options
from .lists import POOLED, RELEVANT, UNJUDGED, Document, Ranking
from .values import Number, divided, mean, plain, symbolic, total


def grade_gain(grade: int, rule: str, mapping: Mapping[int, Fraction]) -> Fraction:
    """What a grade gains: by the mapping, else by the rule; a negative one nothing."""
    if grade < 0:
        return Fraction(0)
    if grade in mapping:
        return mapping[grade]
    if rule == "linear":
        return Fraction(grade)
    if rule == "exponential":
        return Fraction(2**grade - 1)
    return Fraction(1 if grade >= 1 else 0)


def gain_of(document: Document, rule: str, mapping: Mapping[int, Fraction]) -> Fraction:
    """What a retrieved document gains: nothing if it has no grade."""
    return Fraction(0) if document.grade is None else grade_gain(document.grade, rule, mapping)


def list_gains(ranking: Ranking, rule: str, mapping: Mapping[int, Fraction]) -> list[Fraction]:
    """The gains of a list, best rank first."""
    return [gain_of(document, rule, mapping) for block in ranking for document in block]


def judged_gains(grades: Mapping[str, int], rule: str, mapping: Mapping[int, Fraction]) -> list[Fraction]:
    """The gains of all judged documents."""
    return [grade_gain(grade, rule, mapping) for grade in grades.values()]


def discount_at(rank: int, rule: str) -> sympy.Expr:
    """What the gain at a rank is divided by."""
    if rule == "log2-rank-plus-one":
        return sympy.log(rank + 1, 2)
    return sympy.Integer(1) if rank == 1 else sympy.log(rank, 2)  # max(1, log2(rank)): log2(2) is 1 already


def cumulated(gains: list[Fraction], discount: str) -> Number:
    """The sum of gain over discount."""
    sum_so_far = sympy.Integer(0)
    for rank in range(1, len(gains) + 1):
        if gains[rank - 1]:  # a thousand logarithms of nothing take seconds
            sum_so_far += symbolic(gains[rank - 1]) / discount_at(rank, discount)
    return plain(sum_so_far)


def normalised(
    uncut: Ranking,
    looked_at: Ranking,
    grades: Mapping[str, int],
    mapping: Mapping[int, Fraction],
    cutoff: int | None,
    options: Options,
) -> Number:
    """DCG over the DCG of the ideal order."""
    gains = list_gains(looked_at, options.gain, mapping)
    all_judged = sorted(judged_gains(grades, options.gain, mapping), reverse=True)
    if options.ideal == "judged":
        ideal = all_judged[:cutoff]
    elif options.ideal == "judged-uncut":
        ideal = all_judged
    elif options.ideal == "judged-to-length":
        ideal = all_judged[: len(gains)]
    elif options.ideal == "retrieved":
        ideal = sorted(list_gains(uncut, options.gain, mapping), reverse=True)[:cutoff]
    else:
        ideal = sorted(gains, reverse=True)
    return divided(cumulated(gains, options.discount), cumulated(ideal, options.discount))


def ratio_at(gains: list[Fraction], ideal: list[Fraction], rank: int, discount: str) -> Number:
    """nDCG of the first ranks alone."""
    return divided(cumulated(gains[:rank], discount), cumulated(ideal[:rank], discount))


def at_relevant(gains: list[Fraction], ideal: list[Fraction], discount: str) -> Number:
    """ndcg_rel: a ratio for every relevant document, at its rank; for one that is not there at the very end."""
    ratios = [ratio_at(gains, ideal, rank, discount) for rank in range(1, len(gains) + 1) if gains[rank - 1] > 0]
    end = ratio_at(gains, ideal, len(gains) + len(ideal), discount)
    value = symbolic(total(ratios)) + (len(ideal) - len(ratios)) * symbolic(end)
    return plain(value / len(ideal))


def at_levels(gains: list[Fraction], ideal: list[Fraction], discount: str) -> Number:
    """Rndcg: a ratio at the last ideal rank of each level, and at the end if two documents or more are beyond."""
    ranks = [rank for rank in range(1, len(ideal)) if ideal[rank] < ideal[rank - 1]]
    ranks.append(len(ideal))
    if len(gains) >= len(ideal) + 2:
        ranks.append(len(gains))
    return mean([ratio_at(gains, ideal, rank, discount) for rank in ranks])


def discounted_by_lag(gains: list[Fraction], ideal: list[Fraction]) -> Number:
    """G: gain over log2(2 + what the ideal list cost so far less what this one gained, or 0), over all gains."""
    padded = ideal + [Fraction(0)] * len(gains)
    value = sympy.Integer(0)
    for rank in range(1, len(gains) + 1):
        cost = sum((max(gain, Fraction(1)) for gain in padded[:rank]), Fraction(0))
        lag = max(Fraction(0), cost - sum(gains[:rank], Fraction(0)))
        value += symbolic(gains[rank - 1]) / sympy.log(symbolic(2 + lag), 2)
    return plain(value / symbolic(sum(ideal, Fraction(0))))


def discounted_by_misses(labels: list[str], relevant: int) -> Number:
    """BinG: 1/log2(2 + misses above) for every hit, over R."""
    value = sympy.Integer(0)
    for rank in range(1, len(labels) + 1):
        if labels[rank - 1] == RELEVANT:
            misses = rank - 1 - labels[: rank - 1].count(RELEVANT)
            value += 1 / sympy.log(2 + misses, 2)
    return plain(value / relevant)


def persistent_gain(document: Document, grades: Mapping[str, int], rule: str) -> Fraction:
    """The gain of a document in rank-biased precision."""
    if rule == "binary":
        return Fraction(1 if document.label == RELEVANT else 0)
    if document.grade is None:
        return Fraction(0)
    return Fraction(document.grade) if rule == "grade" else Fraction(document.grade, max(1, *grades.values()))


def rank_biased(ranking: Ranking, grades: Mapping[str, int], options: Options) -> Fraction:
    """RBP = (1 - p) sum of g_i p^(i - 1)."""
    p = options.rbp_persistence
    value = Fraction(0)
    rank = 0
    for block in ranking:
        for document in block:
            rank += 1
            value += (1 - p) * persistent_gain(document, grades, options.rbp_gain) * p ** (rank - 1)
    return value


def residual(documents: list[Document], options: Options) -> Fraction:
    """What RBP could still gain: the ranks after the list, and its unjudged documents."""
    p = options.rbp_persistence
    unjudged = 0
    value = p ** len(documents)
    for rank in range(1, len(documents) + 1):
        if documents[rank - 1].label in (UNJUDGED, POOLED):
            unjudged += 1
            value += (1 - p) * p ** (rank - 1)
    if options.rbp_residual == "zero-if-all-judged" and unjudged == 0:
        return Fraction(0)
    return value


def expected_reciprocal_rank(ranking: Ranking, max_grade: int) -> Fraction:
    """Chapelle et al. 2009: the sum over ranks r of 1/r, times the chance to stop at r and nowhere before."""
    documents = [document for block in ranking for document in block]
    expected = Fraction(0)
    for r in range(1, len(documents) + 1):
        chance = stop(documents[r - 1], max_grade)
        for i in range(1, r):
            chance = chance * (1 - stop(documents[i - 1], max_grade))
        expected += chance / r
    return expected


def stop(document: Document, max_grade: int) -> Fraction:
    """How likely a document is to satisfy: (2^g - 1) / 2^max."""
    grade = 0 if document.grade is None or document.grade < 0 else document.grade
    return Fraction(2**grade - 1, 2**max_grade)
