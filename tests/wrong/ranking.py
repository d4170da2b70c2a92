"""Wrong on purpose, of the shape `ranking`: one fault each, said in the docstring. Loaded by workers alone."""

from __future__ import annotations

from ctypes import c_float
from itertools import accumulate


def precision_sum(relevance):
    hits, total = 0, 0.0
    for rank, label in enumerate(relevance, 1):
        hits += label
        total += label * hits / rank
    return total


def precisions(relevance):
    return [hits / rank for rank, hits in enumerate(accumulate(relevance), 1)]


def at_hits(relevance, values):
    return sum(value for value, label in zip(values, relevance, strict=False) if label)


def over(total, denominator):
    return total / denominator if denominator else 0.0


# The denominator.


def over_hits(relevance, num_relevant, k=None):
    """Divides by the hits in the top k."""
    return over(precision_sum(relevance[:k]), sum(relevance[:k]))


def over_relevant_plus_one(relevance, num_relevant, k=None):
    """Divides by R + 1."""
    return precision_sum(relevance[:k]) / (num_relevant + 1)


def over_relevant_plus_epsilon(relevance, num_relevant, k=None):
    """Divides by R + 1e-9, so as never to divide by zero."""
    return precision_sum(relevance[:k]) / (num_relevant + 1e-9)


# The cutoff.


def cutoff_beyond_the_list(relevance, num_relevant, k=None):
    """Walks to rank k, also where the list is shorter."""
    return over(precision_sum([relevance[index] for index in range(k or len(relevance))]), num_relevant)


# Arithmetic.


def singles_inside(relevance, num_relevant, k=None):
    """Adds up in float32 and returns a float."""
    total = 0.0
    for precision, label in zip(precisions(relevance[:k]), relevance, strict=False):
        total = c_float(total + label * c_float(precision).value).value
    return over(total, num_relevant)


def four_digits(relevance, num_relevant, k=None):
    """Rounds to four digits, as trec_eval prints."""
    return round(over(precision_sum(relevance[:k]), num_relevant), 4)


def rounded_precisions(relevance, num_relevant, k=None):
    """Rounds every precision to six digits before it adds them up."""
    return over(at_hits(relevance, [round(precision, 6) for precision in precisions(relevance[:k])]), num_relevant)


def clipped(relevance, num_relevant, k=None):
    """Clips to [0.000001, 0.999999], so that a logarithm can be taken."""
    return min(max(over(precision_sum(relevance[:k]), num_relevant), 1e-6), 1 - 1e-6)


# What is undefined.


def divides_by_zero(relevance, num_relevant, k=None):
    """Raises ZeroDivisionError where nothing is relevant."""
    return precision_sum(relevance[:k]) / num_relevant
