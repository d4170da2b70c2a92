"""Measures that count hits: P, R, F, Success, RR, Rprec, the measures of a set, interpolated precision."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .conventions import Options
from .curves import hits_of, operating_points, reached
from .lists import RELEVANT, Ranking
from .questions import Question


def length_of(ranking: Ranking) -> int:
    """The documents of a list."""
    return sum(len(block) for block in ranking)


def value(question: Question, uncut: Ranking, looked_at: Ranking, relevant: int, options: Options) -> Fraction:
    """The value of a list that has a hit, of a query that has a relevant document."""
    hits = hits_of(looked_at)
    length = length_of(looked_at)
    cutoff = question.cutoff or 0
    weight = weight_of(Fraction(str(question.given.get("beta", 1))), options.f_weight)
    if question.name == "P":
        return Fraction(hits, precision_denominator(uncut, relevant, cutoff, options))
    if question.name == "R":
        return Fraction(hits, recall_denominator(relevant, cutoff, options))
    if question.name == "F":
        precision = Fraction(hits, precision_denominator(uncut, relevant, cutoff, options))
        return combined(precision, Fraction(hits, recall_denominator(relevant, cutoff, options)), weight)
    if question.name == "Success":
        return Fraction(1)
    if question.name == "RR":
        best, worst = first_hit(looked_at)
        return Fraction(2, best + worst) if options.ties == "mid-rank" else Fraction(1, worst)
    if question.name == "Accuracy":
        return share_of_right_pairs(looked_at)
    if question.name == "RprecMult":
        return Fraction(hits, multiple_of(relevant, question.level, options))
    if question.name in ("AP@R", "ContextPrecision"):
        return sum_of_precisions(looked_at) / (relevant if question.name == "AP@R" else hits)
    if question.name in ("Rprec", "SetR"):
        return Fraction(hits, relevant)
    if question.name == "SetP":
        return Fraction(hits, min(length, relevant) if question.given.get("relative") else length)
    if question.name == "SetF":
        return combined(Fraction(hits, length), Fraction(hits, relevant), weight)
    if question.name == "SetAP":
        return Fraction(hits * hits, length * relevant)
    message = f"no measure of hits: {question.name}"
    raise ValueError(message)


def divisor(question: Question, uncut: Ranking, looked_at: Ranking, relevant: int, options: Options) -> Fraction:
    """What the hits, or the judged documents, of a list are divided by; F is hits over a mean of two numbers."""
    length, cutoff = length_of(looked_at), question.cutoff or 0
    weight = weight_of(Fraction(str(question.given.get("beta", 1))), options.f_weight)
    if question.name in ("P", "Judged", "Unjudged"):
        return Fraction(precision_denominator(uncut, relevant, cutoff, options))
    if question.name == "R":
        return Fraction(recall_denominator(relevant, cutoff, options))
    if question.name == "F":
        both = precision_denominator(uncut, relevant, cutoff, options), recall_denominator(relevant, cutoff, options)
        return (both[0] + weight * both[1]) / (1 + weight)
    if question.name == "RprecMult":
        return Fraction(multiple_of(relevant, question.level, options))
    if question.name == "SetP":
        return Fraction(min(length, relevant) if question.given.get("relative") else length)
    return (length + weight * relevant) / (1 + weight) if question.name == "SetF" else Fraction(relevant)


def precision_denominator(uncut: Ranking, relevant: int, cutoff: int, options: Options) -> int:
    """What P@k divides by."""
    if options.precision_denominator == "cutoff":
        return cutoff
    if options.precision_denominator == "min-cutoff-length":
        return min(cutoff, length_of(uncut))
    return min(relevant, cutoff)


def recall_denominator(relevant: int, cutoff: int, options: Options) -> int:
    """What R@k divides by."""
    return relevant if options.recall_denominator == "relevant" else min(relevant, cutoff)


def weight_of(beta: Fraction, rule: str) -> Fraction:
    """The b2 of the F measure: the square of its parameter, or the parameter itself."""
    return beta * beta if rule == "beta-squared" else beta


def combined(precision: Fraction, recall: Fraction, weight: Fraction) -> Fraction:
    """F = (1 + b2) P R / (b2 P + R)."""
    return (1 + weight) * precision * recall / (weight * precision + recall)


def first_hit(ranking: Ranking) -> tuple[int, int]:
    """The best and the worst rank of the first hit: the first and the last of the first block that has one."""
    before = 0
    for rank, hits in operating_points(ranking):
        if hits > 0:
            return before + 1, rank
        before = rank
    message = "a list without a hit has no first one"
    raise ValueError(message)


def share_of_right_pairs(ranking: Ranking) -> Fraction:
    """Over all pairs of a hit and a miss: is the hit above?"""
    labels = [document.label for block in ranking for document in block]
    right = pairs = 0
    for i in range(len(labels)):
        for j in range(len(labels)):
            if labels[i] == RELEVANT and labels[j] != RELEVANT:
                pairs += 1
                right += i < j
    return Fraction(right, pairs) if pairs > 0 else Fraction(1)


def multiple_of(relevant: int, multiple: Fraction | None, options: Options) -> int:
    """How many documents a multiple of R is."""
    if multiple is None:
        message = "a multiple is needed"
        raise ValueError(message)
    if options.multiple_rounding == "trec_eval":
        return math.floor(float(multiple) * relevant + 0.9)
    count = 0
    while count < multiple * relevant:
        count += 1
    return count


def sum_of_precisions(ranking: Ranking) -> Fraction:
    """The precisions at the hits, added up; the hits of a block all stand at its end."""
    value = Fraction(0)
    before = 0
    for rank, hits in operating_points(ranking):
        value += (hits - before) * Fraction(hits, rank)
        before = hits
    return value


def hits_for(level: Fraction, relevant: int, grid: str) -> int:
    """C: the hits that a recall level asks for."""
    if grid == "exact":
        return math.ceil(level * relevant)
    double = float(level)
    if grid == "float64":
        count = 0
        while count / relevant < double:
            count += 1
        return count
    if grid == "float32":
        return reached(np.float32(double), relevant)
    product = double * relevant
    if grid == "trec_eval-9":
        return math.floor(product + 0.9)
    # Half away from zero, on the double's exact value: adding 0.5 in doubles could itself round.
    return math.floor(Fraction(product) + Fraction(1, 2))


def interpolated(ranking: Ranking, relevant: int, level: Fraction, grid: str) -> Fraction:
    """IPrec: the highest precision at an operating point with at least C hits, 0 if there is none."""
    count = hits_for(level, relevant, grid)
    best = Fraction(0)
    for rank, hits in operating_points(ranking):
        if hits >= count:
            best = max(best, Fraction(hits, rank))
    return best
