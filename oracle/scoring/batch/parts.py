"""What limits leave of blocks of undecided order: each list that can be left, with its chance. Clause ranking.depth.

A limit that falls into a block of n documents leaves m of them: t of the c documents of each kind, with a chance of the
product of the C(c, t) over C(n, m). For every such choice a list takes the place of the query, in which the block is
two: the documents that are left, and the others. No limit falls into a block then, and the mean of the lists' values,
each with its chance, is the query's. It is taken in fractions, so that it is no wider than the widest of the values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, comb, floor, prod
from typing import NamedTuple

import numpy as np
from rankspec.oracle.conventions.axes import Unjudged
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.worth import counts_as_relevant, worth_of
from rankspec.oracle.rankings.cutting import number_of_parts
from rankspec.oracle.rankings.ordering import label_of
from rankspec.oracle.rankings.ranking import is_judged
from rankspec.oracle.scoring.batch.blocks import in_cut_blocks
from rankspec.oracle.scoring.batch.fixed import Fixed, Integers, Mask, Segments, distinct
from rankspec.oracle.scoring.batch.lists import Lists, Places
from rankspec.oracle.scoring.batch.outcomes import NUMBER, Outcomes

MOST = 1 << 22
"""Documents of lists made at once, times their kinds: arrays of 32 MB. Of more, fewer queries are taken at a time."""

Kind = Callable[[int], Hashable]
"""Returns what tells documents of a grade from others; None if a list without them is the same."""


class TooManyPartsError(Exception):
    """The lists that a limit can leave have more documents than are put in arrays at once."""


class Parts(NamedTuple):
    """Lists that no limit divides a block of.

    Attributes:
        lists: the lists.
        owners: the query of each, ascending.
        chances: of each to be that query's list.
    """

    lists: Lists
    owners: Integers
    chances: Sequence[Fraction]

    @classmethod
    def of(cls, lists: Lists) -> Parts:
        """Return lists by themselves."""
        return cls(lists, np.arange(lists.queries), [Fraction(1)] * lists.queries)

    def cut(self, limit: Integers | int | None, kind: Kind) -> Parts:
        """Return the lists that a limit can leave: one number for all lists, or one a list.

        Raises:
            TooManyPartsError: there are too many.
        """
        if limit is None or not in_cut_blocks(self.lists.places, limit).any():
            return self
        places, kinds = _of_kinds(self.lists.places, kind)
        limits = np.broadcast_to(np.asarray(limit, np.int64), self.lists.lengths.shape)
        inside = np.flatnonzero(in_cut_blocks(places, limits))
        blocks = places.segments.kept(inside)
        tops, ends = _tops(places)[inside], places.ranks[inside]
        documents = (places.segments.sizes + self.lists.judged.whole.segments.sizes).tolist()
        chances, is_left, made = [[Fraction(1)]] * limits.size, [np.zeros(0, np.bool_)], 0
        for each in np.flatnonzero(blocks.sizes).tolist():
            block = slice(*blocks.starts[each : each + 2].tolist())
            size, room = int(ends[block.start] - tops[block.start]), int(limits[each] - tops[block.start])
            _, of_kind, counts = np.unique(kinds[inside[block]], return_inverse=True, return_counts=True)
            totals = [*counts.tolist(), size - of_kind.size]
            made += number_of_parts(totals, room) * documents[each] * len(totals)
            if made > MOST:
                raise TooManyPartsError
            choices = list(_choices(totals, room))
            orders = comb(size, room)
            chances[each] = [Fraction(prod(map(comb, totals, choice)), orders) for choice in choices]
            is_left.append((_ordinals(of_kind) < np.array(choices)[:, of_kind]).ravel())
        of_list = np.repeat(np.arange(limits.size), [len(one) for one in chances])
        return Parts(
            _divided(replace(self.lists, source=places).at(of_list), limits[of_list], np.concatenate(is_left)),
            self.owners[of_list],
            [
                own * chance if len(of_block) > 1 else own
                for own, of_block in zip(self.chances, chances, strict=True)
                for chance in of_block
            ],
        )

    def mean(self, outcomes: Outcomes, queries: int) -> Outcomes:
        """Return the queries' values, the means of those of their lists."""
        if len(self.chances) == queries:
            return outcomes
        starts = np.searchsorted(self.owners, np.arange(queries + 1))
        several = np.diff(starts) > 1
        states = np.maximum.reduceat(outcomes.states, starts[:-1])
        is_known = np.logical_and.reduceat(outcomes.certain | outcomes.enclosed, starts[:-1])
        is_number = several & (states == NUMBER) & np.logical_and.reduceat(outcomes.enclosed, starts[:-1])
        segments, members = Segments(starts).at(np.flatnonzero(is_number))
        chances = (self.chances[place] for place in members.tolist())
        pairs = zip(chances, outcomes.fixed.at(members).ends(), strict=True)
        weighed = [(chance * least, chance * most) for chance, (least, most) in pairs]
        bounds = [weighed[start:end] for start, end in pairwise(segments.starts.tolist())]
        means = [(floor(sum(least for least, _ in one)), ceil(sum(most for _, most in one))) for one in bounds]
        alone = outcomes.at(starts[:-1])
        fixed = alone.fixed.put(np.flatnonzero(is_number), Fixed.between(means, len(alone.fixed.limbs)))
        doubles, certain = fixed.doubles()
        is_undefined = several & (states != NUMBER) & is_known
        return Outcomes(
            fixed,
            np.where(is_number, doubles, alone.doubles),
            np.where(several, (is_number & certain) | is_undefined, alone.certain),
            np.where(several, is_number | is_undefined, alone.enclosed),
            states,
        )


def kind_of(measure: Measure, convention: EffectiveConvention) -> Kind:
    """Return what tells documents from others under a measure."""
    worth, counts = worth_of(measure, convention), counts_as_relevant(measure, convention)
    judged_matter = measure.family.tells_unjudged or convention.unjudged is Unjudged.REMOVED

    def kind(grade: int) -> Hashable:
        label = label_of(grade, convention.negative_grades)
        if worth(label) > 0 or counts(label) > 0:
            return worth(label), counts(label) > 0
        return (label if not is_judged(label) else 0) if judged_matter else None

    return kind


def _of_kinds(places: Places, kind: Kind) -> tuple[Places, Integers]:
    """Return the documents that a list is not the same without, and a number for the kind of each."""
    grades, index = distinct(places.grades)
    kinds = list(map(kind, grades.tolist()))
    numbers = {each: number for number, each in enumerate(dict.fromkeys(kinds)) if each is not None}
    numbered = np.array([numbers.get(each, -1) for each in kinds], np.int64)[index]
    return places.chosen(numbered >= 0), numbered[numbered >= 0]


def _choices(totals: Sequence[int], room: int) -> Iterator[tuple[int, ...]]:
    """Yield how many of each kind there can be among so many documents."""
    first, *others = totals
    for taken in range(max(room - sum(others), 0), min(first, room) + 1):
        if others:
            yield from ((taken, *rest) for rest in _choices(others, room - taken))
        else:
            yield (taken,)


def _ordinals(kinds: Integers) -> Integers:
    """Return how many of its kind stand before each one."""
    order = np.argsort(kinds, kind="stable")
    ordinals = np.empty_like(order)
    ordinals[order] = Segments(np.append(np.searchsorted(kinds[order], np.unique(kinds)), kinds.size)).counting() - 1
    return ordinals


def _divided(lists: Lists, limits: Integers, is_left: Mask) -> Lists:
    """Return lists whose blocks that the limits fall into are two: the documents that are left, and the others."""
    places = lists.places
    inside = np.flatnonzero(in_cut_blocks(places, limits))
    limit = places.segments.of(limits)[inside]
    # Blocks stand one behind the other; within each those that are left come first.
    order = np.lexsort((~is_left, places.segments.of(np.arange(limits.size))[inside]))
    ranks, tops, grades = places.ranks.copy(), _tops(places).copy(), places.grades.copy()
    ranks[inside] = np.where(is_left[order], limit, ranks[inside])
    tops[inside] = np.where(is_left[order], tops[inside], limit)
    grades[inside] = grades[inside][order]
    return replace(lists, source=places._replace(ranks=ranks, tops=tops, grades=grades))


def _tops(places: Places) -> Integers:
    if places.tops is None:
        raise TypeError("documents in strict order stand in no blocks")
    return places.tops
