"""Which grades give unjudged documents the lowest and the highest nDCG, whose ideal ranking moves with them.

A gain is the sum of its steps: the differences of neighbouring gains, up to it. So the sum of a ranking is, step by
step, a step times the discounts at which a gain reaches it; of the ideal ranking it is a step times the first
discounts, as many as there are gains that reach it.

Which way is best is found with discounts rounded to `_BITS` bits; ways that differ by less are taken to be equal (see
`reals/deciding.py`). The way that is found is evaluated exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate, chain, pairwise
from math import lcm

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Discount
from rankspec.oracle.judging.preference import Given, Grades, Judging, Place
from rankspec.oracle.measures.defined import IDEAL, GainedList, gain_terms
from rankspec.oracle.measures.worth import gain_of
from rankspec.oracle.rankings.ranking import is_judged
from rankspec.oracle.reals.real import LogSum, Number

_BITS = 1024

Reached = tuple[int, ...]
"""How many unjudged documents reach each gain, least gain first: no number is above the one before it."""


@dataclass(frozen=True)
class IdealChoices:
    """A ranking whose order is decided, and the grades that unjudged documents can get.

    Attributes:
        given: the ranking.
        grades: the gains above 0 that they can have, and their grades.
    """

    given: Given
    grades: Grades

    @cached_property
    def _listed(self) -> GainedList:
        """What an ideal ranking is made of, once all is judged."""
        given = self.given
        labels = given.ranking.blocks
        unjudged = (label for block in labels for label in block if not is_judged(label))
        gained = gain_of(given.measure, given.convention.gain)
        grades = (*given.ranking.judged, *unjudged)
        return GainedList(labels[: given.seen], labels[: given.depth], grades, gained, given.measure.k)  # type: ignore[arg-type]

    @cached_property
    def open(self) -> tuple[Place, ...]:
        """The unjudged documents that can be in the ideal ranking, first to last."""
        unjudged = self._listed._replace(gained=lambda label: not is_judged(label))
        return self.given.unjudged[: sum(map(int, IDEAL[self.given.convention.ideal](unjudged)[0]))]

    @cached_property
    def _steps(self) -> list[int]:
        """The steps of the gains, as multiples of a common part."""
        common = lcm(*(Fraction(gain).denominator for gain in self.grades))
        return [int((gain - before) * common) for before, gain in pairwise(chain([0], self.grades))]

    @cached_property
    def _known(self) -> tuple[list[int], int | None]:
        """How many judged gains reach each gain, and the ranks of the ideal ranking that count."""
        gains, limit = IDEAL[self.given.convention.ideal](self._listed)
        return [sum(1 for each in gains if each >= gain) for gain in self.grades], limit

    @cached_property
    def _discounts(self) -> list[int]:
        """The discounts of as many ranks as any ranking has."""
        ranks = max(len(self._listed.grades), self.given.seen)
        return _discounts(1 << ranks.bit_length(), self.given.convention.discount)

    @cached_property
    def _ideal(self) -> list[int]:
        """The first discounts of the ideal ranking, added up: none of them, one, two, ..."""
        limit = self._known[1]
        counted = (each if limit is None or rank < limit else 0 for rank, each in enumerate(self._discounts))
        return list(accumulate(counted, initial=0))

    @cached_property
    def _at_open(self) -> list[int]:
        """The discount of each open document: none outside the list that is evaluated."""
        return [self._discounts[at] if at < self.given.seen else 0 for at, _ in self.open]

    @cached_property
    def _at_judged(self) -> int:
        """The sum of the judged documents that are evaluated."""
        reached = [0] * len(self.grades)
        for rank, block in enumerate(self._listed.blocks):
            gain = self._listed.gained(block[0])
            for step, each in enumerate(self.grades):
                reached[step] += self._discounts[rank] if gain >= each else 0
        return sum(step * each for step, each in zip(self._steps, reached, strict=True))

    def _ideal_of(self, reached: Reached) -> int:
        """Return the sum of the ideal ranking."""
        pairs = zip(self._steps, self._known[0], reached, strict=True)
        return sum(step * self._ideal[known + number] for step, known, number in pairs)

    def _found_by(self, reached: Reached, sums: Sequence[int]) -> int:
        """Return the sum of the list, if `sums` are those of so many discounts."""
        return self._at_judged + sum(step * sums[number] for step, number in zip(self._steps, reached, strict=True))

    @clause("range.judgements")
    def highest(self) -> Iterator[Judging]:
        """Yield a way that has the highest value.

        With the number of documents that reach each gain, the ideal ranking is given; the list has most if the first
        ones gain most. What is left is a number for each gain. The greatest quotient is found as Dinkelbach (1967)
        does: the numbers for which list - q * ideal is greatest, q the quotient of the numbers found before, until that
        is no better. The difference is a sum over the gains, so that each number is chosen by itself: one more costs
        less in the ideal ranking where more judged ones reach the gain, so no number is above that of a lower gain.
        """
        if not self.given.inside:
            return
        sums = list(accumulate(self._at_open, initial=0))
        reached: Reached = (1, *(0 for _ in self._steps[1:]))
        while True:
            found, ideal = self._found_by(reached, sums), self._ideal_of(reached)
            better = tuple(self._best(sums, known, found, ideal) for known in self._known[0])
            if self._found_by(better, sums) * ideal <= self._ideal_of(better) * found:
                break
            reached = better
        yield self._graded(self.open, reached)

    def _best(self, sums: Sequence[int], known: int, found: int, ideal: int) -> int:
        """Return the least number for which list - found/ideal * ideal is greatest, at a gain that `known` reach."""
        return max(range(len(sums)), key=lambda number: ideal * sums[number] - found * self._ideal[known + number])

    @clause("range.judgements")
    def lowest(self) -> Iterator[Judging]:
        """Yield a way that has the lowest value of those with a hit.

        As gains vary, the list's sum is linear and the ideal's is convex, so that their quotient is lowest in a corner:
        each document gains nothing or most, and the last ones do. If a hit is needed and all that gain are outside, it
        is the last one inside with the least gain: what it adds to the ideal ranking falls less than the gain does.
        """
        sums = list(accumulate(reversed(self._at_open), initial=0))
        outside = len(self.open) - len(self.given.inside)

        def value(way: tuple[int, bool]) -> Fraction:
            last, has_one = way
            found = self._found_by((last,) * len(self._steps), sums)
            found += self._steps[0] * sums[outside + 1] if has_one else 0
            return Fraction(found, self._ideal_of((last + has_one, *(last for _ in self._steps[1:]))))

        ways = [(last, False) for last in range(0 if self._at_judged else outside + 1, len(self.open) + 1)]
        if not self._at_judged and self.given.inside:
            ways += [(last, True) for last in range(outside + 1)]
        if ways:
            last, has_one = min(ways, key=value)  # so many of the last ones, and whether one inside is a hit
            least, *_, most = (*self.grades.values(), *self.grades.values())
            chosen = dict.fromkeys(self.open[len(self.open) - last :], most)
            yield chosen | ({self.given.inside[-1]: least} if has_one else {})

    def _graded(self, places: Sequence[Place], reached: Reached) -> Judging:
        """Return the grades of places of which so many reach each gain, the first ones most."""
        chosen: dict[Place, int] = {}
        for number, grade in zip(reached, self.grades.values(), strict=True):
            chosen |= dict.fromkeys(places[:number], grade)
        return chosen


@cache
def _discounts(ranks: int, discount: Discount) -> list[int]:
    terms = gain_terms([[1]] * ranks, None, discount)
    return [_rounded(term if isinstance(term, Fraction) else term.value) for term in terms]


def _rounded(number: Number) -> int:
    return number.enclose(_BITS)[0] if isinstance(number, LogSum) else int(number * 2**_BITS)
