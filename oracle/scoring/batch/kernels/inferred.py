"""infAP of many lists: blocks of undecided order by the places that their judged documents can have.

A block of n documents, J of them judged (r relevant) and p pooled, stands behind N others, S of them judged (B of these
relevant) and P pooled. Its judged document with t others of them above stands at the j-th place with chance
C(j-1, t) C(n-j, J-1-t) / C(n, J), and is relevant with chance r/J; then t (r-1)/(J-1) of those t are relevant on
average, and of the j-1-t others above it p/(n-J) each are pooled. A relevant document adds

    1/(N+j) + (S + t + P + (j-1-t) p/(n-J)) / (N+j) * w,    w = (B + t (r-1)/(J-1) + e) / (S + t + 2e),

which is p/(n-J) w + (1 + (S + t + P - (N+1+t) p/(n-J)) w) / (N+j): of its places the mean of 1/(N+j) is all that
matters. A chance times 2^b, cut, is too low by less than 1, and its quotient by less than 1 more: the mean by less than
2n in all.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import count, islice
from math import comb
from operator import floordiv
from typing import NamedTuple

import numpy as np
from rankspec.oracle.conventions.axes import NegativeGrades
from rankspec.oracle.scoring.batch.defined import DefinedLists
from rankspec.oracle.scoring.batch.evaluated import EvaluatedLists, Outcomes
from rankspec.oracle.scoring.batch.fixed import LIMB, Ends, Fixed, Segments

_GUARD_BITS = 40  # Beyond the last limb, in units of which the few bits that means are too low by are next to nothing
_MOST_CHANCES = 1 << 17  # Of a query's ties; beyond, the oracle's closed form is faster
_KEPT_CHANCES = 1 << 12  # Of a size of tie: larger ones hardly come up twice, and 256 of these are 40 MB


class _Counts(NamedTuple):
    """The documents of a block, or those above it."""

    documents: int
    hits: int
    judged: int
    pooled: int


def inferred_average_precision(evaluated: EvaluatedLists) -> Outcomes:
    """Return infAP. Clauses infap.*."""
    lists = evaluated.lists
    if not evaluated.is_undecided or lists.tied is None:
        return DefinedLists(evaluated).outcomes()
    strict = DefinedLists(replace(evaluated, lists=lists.without(lists.tied).in_strict_order())).outcomes()
    return _of_blocks(replace(evaluated, lists=lists.without(~lists.tied))).where(lists.tied, strict)


def _of_blocks(evaluated: EvaluatedLists) -> Outcomes:
    places, bits = evaluated.lists.places, evaluated.limbs * LIMB + _GUARD_BITS
    is_hit = places.grades >= evaluated.measure.rel
    is_pooled = (places.grades < 0) & (evaluated.convention.negative_grades is NegativeGrades.UNJUDGED)
    begins = np.flatnonzero(places.begins_block())
    together, blocks = Segments(np.append(begins, places.ranks.size)), places.segments.kept(begins)
    tops, ends = places.ranks_above()[begins], places.ranks[begins]
    hits, pooled = (together.sums(each.astype(np.int64)) for each in (is_hit, is_pooled))
    judged = together.sizes - pooled
    too_many = blocks.sums(np.where(hits > 0, judged * (ends - tops - judged + 1), 0)) > _MOST_CHANCES
    listed = zip(
        tops.tolist(), map(_Counts, *(each.tolist() for each in (ends - tops, hits, judged, pooled))), strict=True
    )
    epsilon = evaluated.convention.infap_epsilon
    sums: list[Ends] = []
    for number, is_open in zip(blocks.sizes.tolist(), too_many.tolist(), strict=True):
        above, least, most = _Counts(0, 0, 0, 0), 0, 0
        for top, block in islice(listed, number):
            above = above._replace(documents=top)
            if block.hits and not is_open:
                low, high = _added(block, above, epsilon, bits)
                least, most = least + low, most + high
            above = _Counts(top, above.hits + block.hits, above.judged + block.judged, above.pooled + block.pooled)
        sums.append((least >> _GUARD_BITS, (most >> _GUARD_BITS) + 1))
    total = Fixed.between(sums, evaluated.limbs).over(evaluated.relevant)
    return evaluated.ruled(Outcomes.of(total)).except_for(too_many)


def _added(block: _Counts, above: _Counts, epsilon: Fraction, bits: int) -> Ends:
    """Return whole numbers between which lies what a block adds on average, times 2^bits."""
    size, hits, judged, pooled = block
    others, unjudged = max(judged - 1, 1), max(size - judged, 1)
    least = most = 0
    is_kept = judged * (size - judged + 1) <= _KEPT_CHANCES
    for number, chances in enumerate((_kept_chances if is_kept else _chances)(size, judged, bits)):
        mean = sum(map(floordiv, chances, count(above.documents + number + 1)))
        known = above.judged + number
        # w over its divisor, and what 1/(N+j) is multiplied with over p/(n-J)'s: all are whole numbers.
        weight = (above.hits * others + number * (hits - 1)) * epsilon.denominator + others * epsilon.numerator
        by = others * (known * epsilon.denominator + 2 * epsilon.numerator)
        in_pool = (known + above.pooled) * unjudged - (above.documents + 1 + number) * pooled
        factor, divisor = hits * (unjudged * by + in_pool * weight), judged * unjudged * by
        constant = (hits * pooled * weight << bits) // divisor
        low, high = sorted((factor * mean, factor * (mean + 2 * size)))
        least += low // divisor + constant
        most += high // divisor + constant + 2
    return least, most


def _chances(size: int, judged: int, bits: int) -> list[list[int]]:
    """Return the chances that the judged document with 0, 1, ... of them above stands at each of its places in a block.

    They are multiplied by 2^bits and rounded down; the first place has so many documents above.
    """
    orders, rows = comb(size, judged), []
    for above in range(judged):
        ways, row = comb(size - above - 1, judged - above - 1), []
        for place in range(above + 1, size - judged + above + 2):
            row.append((ways << bits) // orders)
            ways = ways * place * (size - place - judged + above + 1) // ((place - above) * max(size - place, 1))
        rows.append(row)
    return rows


_kept_chances = lru_cache(256)(_chances)
