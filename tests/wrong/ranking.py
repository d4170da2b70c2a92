"""Wrong on purpose, of the shape `ranking`: one fault each, said in the docstring. Loaded by workers alone."""

from __future__ import annotations

import random
import time
from ctypes import c_float
from itertools import accumulate, pairwise
from statistics import fmean

CACHE: dict[object, float] = {}
CALLS: list[int] = []
BEST = [0.0]


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


def trapezoids(relevance, num_relevant, points):
    recall = [0, *(hits / max(num_relevant, 1) for hits in accumulate(relevance))][-len(points) :]
    pairs = zip(pairwise(recall), pairwise(points), strict=True)
    return sum((right - left) * (p + q) / 2 for (left, right), (p, q) in pairs)


def levels(relevance, num_relevant, steps):
    points = list(zip(precisions(relevance), accumulate(relevance), strict=True))
    best = [max((p for p, hits in points if steps * hits >= i * num_relevant), default=0) for i in range(steps + 1)]
    return sum(best) / (steps + 1) if num_relevant and any(relevance) else 0.0


def over(total, denominator):
    return total / denominator if denominator else 0.0


# The denominator.


def over_hits(relevance, num_relevant, k=None):
    """Divides by the hits in the top k."""
    return over(precision_sum(relevance[:k]), sum(relevance[:k]))


def over_hits_uncut(relevance, num_relevant, k=None):
    """Divides by the hits in the whole list."""
    return over(precision_sum(relevance[:k]), sum(relevance))


def over_cutoff(relevance, num_relevant, k=None):
    """Divides by k."""
    return over(precision_sum(relevance[:k]), k or num_relevant) if num_relevant else 0.0


def over_length(relevance, num_relevant, k=None):
    """Divides by the length of the list."""
    return over(precision_sum(relevance[:k]), len(relevance[:k]))


def over_min_relevant_cutoff(relevance, num_relevant, k=None):
    """Divides by min(R, k)."""
    return over(precision_sum(relevance[:k]), min(num_relevant, k or num_relevant))


def over_min_relevant_cutoff_length(relevance, num_relevant, k=None):
    """Divides by min(R, k, n)."""
    return over(precision_sum(relevance[:k]), min(num_relevant, len(relevance[:k])) if k else num_relevant)


def over_min_relevant_length(relevance, num_relevant, k=None):
    """Divides by min(R, n)."""
    return over(precision_sum(relevance[:k]), min(num_relevant, len(relevance[:k])))


def over_min_cutoff_length(relevance, num_relevant, k=None):
    """Divides by min(k, n)."""
    return over(precision_sum(relevance[:k]), len(relevance[:k]) if k else num_relevant)


def over_relevant(relevance, num_relevant, k=None):
    """Divides by R where min(R, k) is claimed."""
    return over(precision_sum(relevance[:k]), num_relevant)


def over_relevant_plus_one(relevance, num_relevant, k=None):
    """Divides by R + 1."""
    return precision_sum(relevance[:k]) / (num_relevant + 1)


def over_relevant_plus_epsilon(relevance, num_relevant, k=None):
    """Divides by R + 1e-9, so as never to divide by zero."""
    return precision_sum(relevance[:k]) / (num_relevant + 1e-9)


def epsilon_in_the_precision(relevance, num_relevant, k=None):
    """Divides hits by rank + 1e-10."""
    values = [hits / (rank + 1e-10) for rank, hits in enumerate(accumulate(relevance[:k]), 1)]
    return over(at_hits(relevance, values), num_relevant)


# Ranks and precisions.


def ranks_from_zero(relevance, num_relevant, k=None):
    """Counts ranks from 0."""
    hits, total = 0, 0.0
    for rank, label in enumerate(relevance[:k]):
        hits += label
        total += label * hits / max(rank, 1)
    return over(total, num_relevant)


def rank_plus_one(relevance, num_relevant, k=None):
    """The i-th hit at rank r has precision i/(r+1)."""
    return over(precision_sum([0, *relevance[:k]]), num_relevant)


def recall_for_precision(relevance, num_relevant, k=None):
    """Adds up the recall at the hits instead of the precision."""
    hits = sum(relevance[:k])
    return over(hits * (hits + 1) / 2, num_relevant**2)


def precision_at_the_rank_before(relevance, num_relevant, k=None):
    """Takes the precision at the rank before the hit."""
    return over(at_hits(relevance[:k], [1.0, *precisions(relevance[:k])]), num_relevant)


def first_hit_lost(relevance, num_relevant, k=None):
    """Recall differences start at the first rank, so a hit there counts nothing."""
    return over(at_hits(relevance[1:k], precisions(relevance[:k])[1:]), num_relevant)


def last_rank_ignored(relevance, num_relevant, k=None):
    """Leaves the last rank out."""
    return over(precision_sum(relevance[:k][:-1]), num_relevant)


def precision_over_cutoff(relevance, num_relevant, k=None):
    """Goes on past the cutoff, with the precision's denominator capped at it."""
    values = [hits / min(rank, k or rank) for rank, hits in enumerate(accumulate(relevance), 1)]
    return over(at_hits(relevance, values), num_relevant)


def misses_count_too(relevance, num_relevant, k=None):
    """Averages the precision over all ranks, hits or not."""
    return fmean(precisions(relevance[:k])) if any(relevance[:k]) else 0.0


def precision_at_r(relevance, num_relevant, k=None):
    """R-precision by the name of average precision."""
    return over(sum(relevance[:k][:num_relevant]), num_relevant)


def worst_first(relevance, num_relevant, k=None):
    """Reads the list from its end."""
    return over(precision_sum(relevance[::-1][:k]), num_relevant)


# The cutoff.


def cutoff_one_less(relevance, num_relevant, k=None):
    """Looks at k - 1 documents."""
    return over(precision_sum(relevance[: k - 1] if k else relevance), num_relevant)


def cutoff_one_more(relevance, num_relevant, k=None):
    """Looks at k + 1 documents."""
    return over(precision_sum(relevance[: k + 1] if k else relevance), num_relevant)


def cutoff_ignored(relevance, num_relevant, k=None):
    """Takes a cutoff and ignores it."""
    return over(precision_sum(relevance), num_relevant)


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


def whole_division(relevance, num_relevant, k=None):
    """Divides hits by rank as whole numbers, as old Python did."""
    values = [hits // rank for rank, hits in enumerate(accumulate(relevance[:k]), 1)]
    return over(at_hits(relevance, values), num_relevant)


def percent(relevance, num_relevant, k=None):
    """Returns percent."""
    return 100 * over(precision_sum(relevance[:k]), num_relevant)


def loss(relevance, num_relevant, k=None):
    """Returns 1 - AP."""
    return 1 - over(precision_sum(relevance[:k]), num_relevant)


def clipped(relevance, num_relevant, k=None):
    """Clips to [0.000001, 0.999999], so that a logarithm can be taken."""
    return min(max(over(precision_sum(relevance[:k]), num_relevant), 1e-6), 1 - 1e-6)


# What is undefined.


def mean_of_nothing(relevance, num_relevant, k=None):
    """The mean of an empty list of precisions is nan where there is no hit."""
    return over(precision_sum(relevance[:k]), num_relevant) if sum(relevance[:k]) else float("nan")


def divides_by_zero(relevance, num_relevant, k=None):
    """Raises ZeroDivisionError where nothing is relevant."""
    return precision_sum(relevance[:k]) / num_relevant


def divides_by_zero_hits(relevance, num_relevant, k=None):
    """Raises ZeroDivisionError where there is no hit."""
    hits = sum(relevance[:k])
    return precision_sum(relevance[:k]) / hits * hits / num_relevant


def zero_always(relevance, num_relevant, k=None):
    """0 where nothing is relevant, whatever was claimed."""
    return over(precision_sum(relevance[:k]), num_relevant)


def one_without_relevant(relevance, num_relevant, k=None):
    """1 where nothing is relevant."""
    return precision_sum(relevance[:k]) / num_relevant if num_relevant else 1.0


# The area under the curve.


def envelope(relevance, num_relevant, k=None):
    """Interpolates: the highest precision at that recall or a later one."""
    highest = list(accumulate(precisions(relevance[:k])[::-1], max))[::-1]
    return over(at_hits(relevance, highest), num_relevant)


def trapezoid(relevance, num_relevant, k=None):
    """Trapezoids from (0, 1)."""
    return trapezoids(relevance[:k], num_relevant, [1, *precisions(relevance[:k])])


def trapezoid_unanchored(relevance, num_relevant, k=None):
    """Trapezoids from the first operating point."""
    points = precisions(relevance[:k])
    return trapezoids(relevance[:k], num_relevant, points) if points else 0.0


def eleven_points(relevance, num_relevant, k=None):
    """The mean of the interpolated precision at eleven levels of recall."""
    return levels(relevance[:k], num_relevant, 10)


def hundred_and_one_points(relevance, num_relevant, k=None):
    """The mean of the interpolated precision at 101 levels of recall."""
    return levels(relevance[:k], num_relevant, 100)


# State and chance.


def cached_by_length(relevance, num_relevant, k=None):
    """Caches by the length of the list and R."""
    key = len(relevance), num_relevant, k
    return CACHE.setdefault(key, over(precision_sum(relevance[:k]), num_relevant))


def cached_without_cutoff(relevance, num_relevant, k=None):
    """Caches by the labels and R, but not by the cutoff."""
    key = tuple(relevance), num_relevant
    return CACHE.setdefault(key, over(precision_sum(relevance[:k]), num_relevant))


def counts_its_calls(relevance, num_relevant, k=None):
    """Takes in the number of the call."""
    CALLS.append(1)
    return over(precision_sum(relevance[:k]), num_relevant) + len(CALLS) / 1e6


def best_so_far(relevance, num_relevant, k=None):
    """Returns the best value that it has seen."""
    BEST[0] = max(BEST[0], over(precision_sum(relevance[:k]), num_relevant))
    return BEST[0]


def good_for_fifty_calls(relevance, num_relevant, k=None):
    """Works fifty times."""
    CALLS.append(1)
    return over(precision_sum(relevance[:k]), num_relevant) if len(CALLS) <= 50 else 0.5


def jitters(relevance, num_relevant, k=None):
    """Adds a little noise."""
    return over(precision_sum(relevance[:k]), num_relevant) + random.random() / 1e6


def looks_at_the_clock(relevance, num_relevant, k=None):
    """Adds nanoseconds of the clock."""
    return over(precision_sum(relevance[:k]), num_relevant) + time.perf_counter_ns() % 997 / 1e9


def consumes_its_argument(relevance, num_relevant, k=None):
    """Empties the list that it is given: right once, 0 the second time."""
    taken = [relevance.pop(0) for _ in range(len(relevance[:k]))]
    return over(precision_sum(taken), num_relevant)


def sorts_its_argument(relevance, num_relevant, k=None):
    """Sorts the list that it is given after it has looked at it: right once, 1 the second time."""
    value = over(precision_sum(relevance[:k]), num_relevant)
    relevance.sort(reverse=True)
    return value
