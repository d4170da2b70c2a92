"""Measures of readers who go on or stop, and compatibility: the vectors C and W written out, and sets that overlap."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import sympy

from .conventions import Options
from .lists import Document
from .values import Number, divided, plain, symbolic, total

READERS = ("NERR8", "NERR9", "NERR10", "NERR11", "INSQ", "INST", "BPM", "SDCG")
FAR = 1000


def number_given(given: Mapping[str, object], name: str, default: str) -> Fraction:
    """A parameter that is a number."""
    return Fraction(str(given.get(name, default)))


def scaled(grade: int | None, given: Mapping[str, object]) -> Fraction:
    """Where a grade lies between min_rel and max_rel."""
    least, most = number_given(given, "min_rel", "0"), number_given(given, "max_rel", "1")
    if grade is None or grade <= least:
        return Fraction(0)
    return Fraction(1) if grade >= most else (grade - least) / (most - least)


def going_on(name: str, rank: int, gains: list[Fraction], wanted: Fraction, persistence: Fraction) -> Fraction:
    """C(i), the chance to go on from rank i, whatever k."""
    gain = gains[rank - 1] if rank <= len(gains) else Fraction(0)
    so_far = sum(gains[:rank], Fraction(0))
    if name == "NERR8":
        return 1 - gain
    if name == "NERR9":
        return (1 - gain) * rank / (rank + 1)
    if name == "NERR10":
        return (1 - gain) * persistence
    if name == "BPM":
        return Fraction(1 if so_far < wanted else 0)
    seen = rank + 2 * wanted - (so_far if name == "INST" else 0)
    chance = (seen - 1) ** 2 / seen**2
    return chance * (1 - gain) if name == "NERR11" else chance


@cache
def falling(start: Fraction, count: int) -> Fraction:
    """1 + (s/(s+1))^2 + (s/(s+2))^2 + ..., so many terms."""
    return sum(((start / (start + place)) ** 2 for place in range(count)), Fraction(0))


def reader_value(
    name: str, gains: list[Fraction], given: Mapping[str, object], cutoff: int | None, horizon: str
) -> Number:
    """The sum of W(i) g(i), W(i) the chance to get to i over the sum of all of them."""
    if name == "SDCG":
        ranks = range(1, (cutoff or 0) + 1)
        found = sum((symbolic(gain) / sympy.log(i + 1, 2) for i, gain in enumerate(gains, 1)), sympy.Integer(0))
        return plain(found / sum((1 / sympy.log(i + 1, 2) for i in ranks), sympy.Integer(0)))
    wanted, persistence = number_given(given, "T", "1"), number_given(given, "p", "0.9")
    chances = [Fraction(1)]
    for rank in range(1, len(gains) + 1):
        chances.append(chances[-1] * going_on(name, rank, gains, wanted, persistence))
    last = cutoff if cutoff is not None else FAR
    beyond = chances.pop()
    found = sum((chance * gain for chance, gain in zip(chances, gains, strict=True)), Fraction(0))
    everywhere = sum(chances, Fraction(0))
    start = len(gains) + 2 * wanted - (sum(gains, Fraction(0)) if name == "INST" else 0)
    if name in ("NERR8", "NERR9", "BPM"):
        for rank in range(len(gains) + 1, last + 1):
            everywhere += beyond
            beyond *= going_on(name, rank, gains, wanted, persistence)
        return found / everywhere
    if name == "NERR10":
        left = 1 / (1 - persistence)
        return found / (
            everywhere + beyond * (left if horizon == "unlimited" else left - left * persistence ** (FAR - len(gains)))
        )
    if horizon == "thousand":
        return found / (everywhere + beyond * falling(start, FAR - len(gains)))
    if beyond == 0:
        return found / everywhere
    endless = symbolic(everywhere) + symbolic(beyond * start**2) * sympy.polygamma(1, symbolic(start))
    return divided(found, plain(endless))


def ideal_of(listed: list[Document], grades: Mapping[str, int]) -> list[int | None]:
    """The ideal ranking, as places in the list: by grade, then as listed; None for what the list lacks."""
    ideal: list[int | None] = []
    for level in sorted({grade for grade in grades.values() if grade > 0}, reverse=True):
        judged = [grade for grade in grades.values() if grade == level]
        there: list[int | None] = [place for place, document in enumerate(listed) if document.grade == level]
        ideal += (there + [None] * len(judged))[: len(judged)]
    return ideal


def overlap(first: list[int | None], second: list[int | None], depth: int) -> int:
    """How many are among the first so many of both; what is not in the list at all is in no other ranking."""
    return len({place for place in first[:depth] if place is not None} & set(second[:depth]))


def overlaps(first: list[int | None], second: list[int | None], options: Options) -> Number:
    """The sum of p^(i - 1) times the overlap at i over i."""
    p = options.compat_persistence
    longest = max(len(first), len(second))
    limit = FAR if options.compat_depth == "thousand" else longest
    agreed: list[Number] = [
        p ** (i - 1) * Fraction(overlap(first, second, i), i) for i in range(1, min(limit, longest) + 1)
    ]
    common = overlap(first, second, longest)
    if options.compat_depth == "thousand":
        agreed += [common * far_weights(p, longest)]
    if options.compat_depth == "unlimited" and p > 0:
        near = sum((p**i / i for i in range(1, longest + 1)), Fraction(0))
        agreed.append(plain(common * (-sympy.log(symbolic(1 - p)) - symbolic(near)) / symbolic(p)))
    return total(agreed)


@cache
def far_weights(p: Fraction, after: int) -> Fraction:
    """The sum of p^(i - 1)/i over the ranks after one, to rank 1000."""
    return sum((p ** (i - 1) / i for i in range(after + 1, FAR + 1)), Fraction(0))


def compatibility(listed: list[Document], grades: Mapping[str, int], options: Options) -> Number:
    """The overlaps with the ideal ranking, over its overlaps with itself, or over what they could be at most."""
    ideal = ideal_of(listed, grades)
    places: list[int | None] = list(range(len(listed)))
    found = overlaps(places, ideal, options)
    if options.compat_normalization == "none":
        p = options.compat_persistence
        length = FAR if options.compat_depth == "thousand" else max(len(listed), len(ideal))
        all_of_it = 1 / (1 - p) - (0 if options.compat_depth == "unlimited" else p**length / (1 - p))
        return divided(found, all_of_it)
    # Against itself every document of the ideal ranking is another one, whether or not the list has it.
    itself: list[int | None] = list(range(len(ideal)))
    unlisted: list[int | None] = [-1] * (len(listed) - len(ideal))
    return divided(found, overlaps(itself, itself + unlisted, options))
