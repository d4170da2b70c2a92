"""The value of one query in the AP family: operating points, and the ten ways to sum them up."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from .conventions import Options
from .lists import RELEVANT, Ranking, cut
from .values import Value, mean

Point = tuple[int, int]  # (documents so far, hits so far)

PLAIN_VALUES: dict[str, Value] = {
    "zero": Fraction(0),
    "one": Fraction(1),
    "nan": "nan",
    "skip": "skip",
    "error": "error",
}


def hits_of(ranking: Ranking) -> int:
    """The relevant documents of a list."""
    count = 0
    for block in ranking:
        for document in block:
            if document.label == RELEVANT:
                count += 1
    return count


def operating_points(ranking: Ranking) -> list[Point]:
    """(documents, hits) so far, at the end of every block."""
    points = []
    documents = 0
    hits = 0
    for block in ranking:
        for document in block:
            documents += 1
            if document.label == RELEVANT:
                hits += 1
        points.append((documents, hits))
    return points


def query_value(uncut: Ranking, relevant: int, cutoff: int | None, options: Options) -> Value:
    """The measure of one list in one order, undefined-value rules included."""
    if relevant == 0:
        return PLAIN_VALUES[options.no_relevant]
    looked_at = cut(uncut, cutoff)
    if hits_of(looked_at) == 0:
        return PLAIN_VALUES[options.no_hits]
    points = operating_points(looked_at)
    if options.interpolation == "all-ranks":
        return all_ranks(points)
    if options.interpolation == "all-ranks-padded":
        return all_ranks_padded(points, needed(cutoff))
    denominator = denominator_of(uncut, looked_at, relevant, cutoff, options.denominator)
    if options.interpolation == "step":
        return step(points, denominator)
    if options.interpolation == "envelope":
        return envelope(points, denominator)
    if options.interpolation == "11-point":
        return levels_mean(points, denominator, 10, options.recall_grid)
    if options.interpolation == "101-point":
        return levels_mean(points, denominator, 100, options.recall_grid)
    if options.interpolation == "trapezoid":
        return trapezoid([(Fraction(0), Fraction(1)), *curve(points, denominator)])
    if options.interpolation == "trapezoid-unanchored":
        return trapezoid(curve(points, denominator))
    if options.interpolation == "step-unanchored":
        rank, hits = points[0]
        return step(points, denominator) - Fraction(hits, denominator) * Fraction(hits, rank)
    if options.interpolation == "linear-101":
        return linear_101(points, denominator)
    return sloped_line(points, denominator)


def needed(cutoff: int | None) -> int:
    """The cutoff, where the convention can't do without one."""
    if cutoff is None:
        message = "this convention needs a measure with a cutoff"
        raise ValueError(message)
    return cutoff


def denominator_of(uncut: Ranking, looked_at: Ranking, relevant: int, cutoff: int | None, rule: str) -> int:
    """D: what the hits are divided by."""
    length = sum(len(block) for block in looked_at)
    if rule == "relevant":
        return relevant
    if rule == "min-relevant-cutoff":
        return min(relevant, needed(cutoff))
    if rule == "min-relevant-cutoff-length":
        return min(relevant, needed(cutoff), length)
    if rule == "min-relevant-length":
        return min(relevant, length)
    if rule == "min-cutoff-length":
        return min(needed(cutoff), length)
    if rule == "retrieved-relevant":
        return hits_of(looked_at)
    if rule == "relevant-in-list":
        return hits_of(uncut)
    if rule == "cutoff":
        return needed(cutoff)
    return length


def curve(points: list[Point], denominator: int) -> list[tuple[Fraction, Fraction]]:
    """(recall, precision) at every operating point."""
    return [(Fraction(hits, denominator), Fraction(hits, rank)) for rank, hits in points]


def best_from(points: list[Point], start: int) -> Fraction:
    """The highest precision at the operating point number `start` or after it."""
    return max(Fraction(hits, rank) for rank, hits in points[start:])


def step(points: list[Point], denominator: int) -> Fraction:
    """The sum of recall increments times precision."""
    total = Fraction(0)
    before = 0
    for rank, hits in points:
        total += Fraction(hits - before, denominator) * Fraction(hits, rank)
        before = hits
    return total


def envelope(points: list[Point], denominator: int) -> Fraction:
    """`step` with the highest precision at this point or after it."""
    total = Fraction(0)
    before = 0
    for number, (_, hits) in enumerate(points):
        total += Fraction(hits - before, denominator) * best_from(points, number)
        before = hits
    return total


def hits_needed(level: int, steps: int, denominator: int, grid: str) -> int:
    """C(t): the hits that recall level number `level` of 0..steps asks for."""
    if grid == "exact":
        return math.ceil(Fraction(level, steps) * denominator)
    if grid == "float64":
        threshold = level * (0.1 if steps == 10 else 0.01)
        count = 0
        while count / denominator < threshold:
            count += 1
        return count
    if grid == "float32":
        # torch.linspace: one rounding to a single, of multiples of the step's single, from below and from above.
        step = Fraction(float(np.float32(1 / steps)))
        exact = level * step if 2 * level <= steps else 1 - (steps - level) * step
        return reached(np.float32(float(exact)), denominator)
    product = (level / steps) * denominator
    if grid == "trec_eval-9":
        return math.floor(product + 0.9)
    # Half away from zero, on the double's exact value: adding 0.5 in doubles could itself round.
    return math.floor(Fraction(product) + Fraction(1, 2))


def reached(level: np.float32, denominator: int) -> int:
    """The hits whose recall, a double, is no less than a single."""
    count = 0
    while np.float64(count) / denominator < np.float64(level):
        count += 1
    return count


def levels_mean(points: list[Point], denominator: int, steps: int, grid: str) -> Fraction:
    """11-point and 101-point: the mean over the recall levels of the best precision that still has them."""
    total = Fraction(0)
    for level in range(steps + 1):
        count = hits_needed(level, steps, denominator, grid)
        total += max((Fraction(hits, rank) for rank, hits in points if hits >= count), default=Fraction(0))
    return total / (steps + 1)


def trapezoid(line: list[tuple[Fraction, Fraction]]) -> Fraction:
    """The area under a polyline."""
    total = Fraction(0)
    for (left, left_height), (right, right_height) in itertools.pairwise(line):
        total += (right - left) * (left_height + right_height) / 2
    return total


def all_ranks(points: list[Point]) -> Fraction:
    """The mean of the precisions at the operating points."""
    return sum((Fraction(hits, rank) for rank, hits in points), Fraction(0)) / len(points)


def all_ranks_padded(points: list[Point], cutoff: int) -> Fraction:
    """The mean of P@1 .. P@k; the ranks past the end of the list are misses."""
    hits_at = dict(points)
    total = Fraction(0)
    hits = 0
    for rank in range(1, cutoff + 1):
        hits = hits_at.get(rank, hits)
        total += Fraction(hits, rank)
    return total / cutoff


def height_at(line: list[tuple[Fraction, Fraction]], place: Fraction) -> Fraction:
    """numpy.interp's rule: the last of several points at one place counts, linear in between."""
    last = 0
    for number, (recall, _) in enumerate(line):
        if recall <= place:
            last = number
    recall, height = line[last]
    if recall == place or last == len(line) - 1:
        return height
    next_recall, next_height = line[last + 1]
    return height + (next_height - height) * (place - recall) / (next_recall - recall)


def linear_101(points: list[Point], denominator: int) -> Fraction:
    """The envelope with ends (0, 1) and (1, 0), read off at 101 recalls, area by trapezoids."""
    line = [(Fraction(0), Fraction(1))]
    for number, (_, hits) in enumerate(points):
        line.append((Fraction(hits, denominator), best_from(points, number)))
    line.append((max(Fraction(1), line[-1][0]), Fraction(0)))
    read = [(Fraction(step_number, 100), height_at(line, Fraction(step_number, 100))) for step_number in range(101)]
    return trapezoid(read)


def sloped_line(points: list[Point], denominator: int) -> Fraction:
    """The lecture document's: hits and midpoints between them, each worth the end of its rising segment."""
    ranks = []
    before = 0
    for rank, hits in points:
        if hits > before:
            ranks.append(rank)
        before = hits
    hits_at = dict(points)
    heights = []
    for rank in ranks:
        end = rank
        while end + 1 in ranks:
            end += 1
        heights.append(Fraction(hits_at[end], end))
    return (heights[0] + 2 * sum(heights[1:], Fraction(0))) / (2 * denominator - 1)


def mean_over_orders(values: list[Value]) -> Value:
    """`expected`: the mean, unless an order is an error, else is skipped, else is nan."""
    for word in ("error", "skip", "nan"):
        if word in values:
            return word
    return mean([value for value in values if not isinstance(value, str)])
