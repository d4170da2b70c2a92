"""Expected reciprocal rank of many lists: readers who stop at a document with a chance that its grade says.

A reader gets to a document with the product of 1 - s over those above it; 1 - s is a whole number over 2^max, so that a
product is enclosed by a multiplication and a division a document.

In a block of undecided order, of n documents behind N others, M(t) is the mean product over t of them, and a reader
stops at the next one with chance M(t) - M(t + 1). Over the m places that count, the block adds

    sum (M(t) - M(t+1)) / (N+t+1) = M(0)/(N+1) - sum M(t) / ((N+t) (N+t+1)) - M(m)/(N+m),

the sums over t = 0, ..., m - 1 and t = 1, ..., m - 1. Where none of p documents has a grade, M is 1. One more document,
with 1 - s = f, is among t of p + 1 with chance t/(p + 1):

    M'(t) = ((p + 1 - t) M(t) + t f M(t - 1)) / (p + 1).

No difference is taken on the way, so that an enclosure gets wider by a few units a document. All of it is linear in
M(0), for which the chance to get to the block is put. Of n documents r with a grade it takes n r steps.
"""

from __future__ import annotations

import numpy as np
from rankspec.oracle.scoring.batch.evaluated import EvaluatedLists
from rankspec.oracle.scoring.batch.fixed import Fixed, Integers, Segments
from rankspec.oracle.scoring.batch.lists import Places
from rankspec.oracle.scoring.batch.outcomes import Outcomes

_HIGHEST = 18
"""The highest grade that factors of at most 2^19 leave room for."""


def expected_reciprocal_rank(evaluated: EvaluatedLists) -> Outcomes:
    """Return ERR. Clauses err.*; a grade beyond the highest one is an error, which the exact path says."""
    highest, lists = evaluated.convention.err_max_grade, evaluated.lists
    if highest > _HIGHEST:
        return Outcomes.nothing(lists.queries, evaluated.limbs)
    gaining = evaluated.within(lists.places.chosen(lists.places.grades > 0))
    goes_on = (1 << highest) + 1 - (1 << np.minimum(gaining.grades, highest))
    if evaluated.is_undecided:
        value = _of_blocks(gaining, goes_on, highest, evaluated)
    else:
        reached = _reached(gaining.segments, goes_on, highest, evaluated.limbs)
        stops = reached.times((1 << highest) - goes_on).over(np.full_like(goes_on, 1 << highest))
        value = stops.over(gaining.ranks).summed(gaining.segments)
    convention, relevant = evaluated.convention, lists.judged.relevant(1)
    outcomes = Outcomes.of(value).ruled(gaining.segments.sizes == 0, convention.no_hits)
    return outcomes.ruled(relevant == 0, convention.no_relevant).except_for(lists.judged.highest() > highest)


def _reached(segments: Segments, goes_on: Integers, highest: int, limbs: int) -> Fixed:
    """Return the chance to get to each document: the j-th ones of all lists at once, longest lists first."""
    order = np.argsort(-segments.sizes, kind="stable")
    sizes, starts = segments.sizes[order], segments.starts[:-1][order]
    chance = Fixed.whole(np.ones(order.size, np.int64), limbs)
    reached = Fixed.whole(np.zeros(goes_on.size, np.int64), limbs)
    for place in range(int(sizes.max(initial=0))):
        left = int(np.searchsorted(-sizes, -place, side="left"))
        chance = chance.at(slice(left))
        reached.set(starts[:left] + place, chance)
        if not any(limb.any() for limb in chance.limbs):
            # Below its width in units, which no document further down is above.
            behind = np.repeat(starts[:left] + place, sizes[:left] - place)
            inside = Segments(np.concatenate(([0], np.cumsum(sizes[:left] - place)))).counting() - 1
            reached.set(behind + inside, chance.at(np.repeat(np.arange(left), sizes[:left] - place)))
            break
        chance = chance.times(goes_on[starts[:left] + place]).over(np.full(left, 1 << highest))
    return reached


def _of_blocks(gaining: Places, goes_on: Integers, highest: int, evaluated: EvaluatedLists) -> Fixed:
    """Return the sum over blocks of undecided order, one limb wider: it is a difference of sums over their places."""
    if gaining.tops is None:
        raise TypeError("documents in strict order stand in no blocks")
    limbs, limit = evaluated.limbs + 1, evaluated.limit
    begins = np.flatnonzero(gaining.begins_block())
    blocks, together = gaining.segments.kept(begins), Segments(np.append(begins, goes_on.size))
    # Those with the most documents that have a grade first: the others are done after fewer steps.
    order = np.argsort(-together.sizes, kind="stable")
    graded, firsts = together.sizes[order], begins[order]
    tops, ends = gaining.tops[firsts], gaining.ranks[firsts]
    last = ends if limit is None else np.minimum(ends, limit if isinstance(limit, int) else blocks.of(limit)[order])
    places = Segments(np.concatenate(([0], np.cumsum(last - tops + 1))))
    inside = places.counting() - 1
    plain = ends - tops - graded
    reached = _reached(gaining.segments, goes_on, highest, limbs).at(firsts)
    none = Fixed.whole(np.zeros_like(inside), limbs)
    means = reached.at(np.repeat(np.arange(order.size), places.sizes)).where(inside <= places.of(plain), none)
    for number in range(int(graded.max(initial=0))):
        left = int(np.searchsorted(-graded, -number, side="left"))
        end = int(places.starts[left])
        within = Segments(places.starts[: left + 1])
        documents = within.of(plain[:left] + number + 1)
        factors = within.of(goes_on[firsts[:left] + number])
        above, here = inside[:end], means.at(slice(end))
        shifted = here.at(np.maximum(np.arange(end) - 1, 0))
        with_it = shifted.times(factors).over(np.full(end, 1 << highest)).times(above)
        means.set(slice(end), with_it.plus(here.times(np.maximum(documents - above, 0))).over(documents))
    ranks = places.of(tops) + inside
    is_last = np.zeros(inside.size, np.bool_)
    is_last[places.starts[1:] - 1] = True
    # 0 is divided by for t = 0, which is left out.
    divided = means.over(np.where(inside > 0, ranks, 0))
    lost = divided.where(is_last, divided.over(ranks + 1)).summed(places)
    added = means.at(places.starts[:-1]).over(tops + 1).minus(lost)
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return added.at(back).summed(blocks)
