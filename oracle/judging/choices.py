"""Which ways to judge the unjudged documents give a measure's lowest and highest value: a few, by proof.

A query with u unjudged documents can be judged in 2^u ways, in more if there are grades. For most measures a handful of
them has both ends, so that these alone have to be evaluated. A document judged relevant adds 1 to R, and 1 to the hits
if it is `inside` the list that is evaluated, as against `outside`. Where the order is undecided (`ties=expected`, a
block of several documents), there is no such list, and no rule here holds.

The two ends are evaluated for among the ways with a hit. The others have one value, or that of a query without relevant
documents, and one of each is always among the choices.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate, chain, pairwise
from math import lcm

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import INTERPOLATIONS, Discount, Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.defined import IDEAL, GainedList, gain_terms
from rankspec.oracle.measures.gain import gain_of
from rankspec.oracle.rankings.ranking import Ranking, cut, is_judged, is_relevant
from rankspec.oracle.reals.real import enclosed

Place = tuple[int, int]  # A document's block, and its place there
Choice = frozenset[Place]  # The documents that are judged relevant, of those that are not judged
Judging = Mapping[Place, int]  # The grades of those that are judged relevant
Grades = Mapping[Fraction | int, int]
"""Gain -> the grade that has it: what a document that is judged relevant can gain, in ascending order."""


@dataclass(frozen=True)
class OrderedRanking:
    """A ranking whose order is decided, and what is evaluated of it."""

    ranking: Ranking
    measure: Measure
    convention: EffectiveConvention

    @cached_property
    def unjudged(self) -> tuple[Place, ...]:
        """The unjudged documents, first to last."""
        return unjudged_places(self.ranking)

    @cached_property
    def depth(self) -> int:
        """How many blocks exist at all."""
        return self._blocks_of(self.convention.depth)

    @cached_property
    def evaluated(self) -> int:
        """How many blocks are evaluated. Once all is judged nothing is removed, so a cutoff counts documents."""
        limits = [each for each in (self.convention.depth, self.measure.k) if each is not None]
        return self._blocks_of(min(limits, default=None))

    def _blocks_of(self, limit: int | None) -> int:
        ((_, whole),) = cut(self.ranking.blocks, limit, self.convention.ties)
        return len(whole)

    @cached_property
    def inside(self) -> tuple[Place, ...]:
        """The unjudged documents that are evaluated."""
        return tuple(place for place in self.unjudged if place[0] < self.evaluated)

    @cached_property
    def outside(self) -> Choice:
        """The others."""
        return frozenset(self.unjudged[len(self.inside) :])

    @cached_property
    def relevant(self) -> int:
        """R, of what is judged."""
        return self.ranking.relevant(self.measure.rel)

    @cached_property
    def hits(self) -> tuple[int, ...]:
        """The hits of each block, of what is judged."""
        rel = self.measure.rel
        return tuple(sum(is_relevant(label, rel) for label in block) for block in self.ranking.blocks)

    @property
    def documents(self) -> int:
        """Return their number."""
        return self.ends[-1] if self.ends else 0

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The documents down to the end of each block."""
        return tuple(accumulate(map(len, self.ranking.blocks)))


def unjudged_places(ranking: Ranking) -> tuple[Place, ...]:
    """Return the unjudged documents of a ranking, first to last."""
    blocks = enumerate(ranking.blocks)
    return tuple((at, place) for at, block in blocks for place, each in enumerate(block) if not is_judged(each))


# ---- Ideal rankings

_BITS = 1024  # Of discounts: ways whose sums agree in 300 digits are taken to be equal
Reached = tuple[int, ...]
"""How many unjudged documents reach each gain, least gain first: no number is above the one before it."""


@dataclass(frozen=True)
class IdealChoices:
    """A ranking whose order is decided, and the grades that unjudged documents can get."""

    ordered: OrderedRanking  # the ranking
    grades: Grades  # the gains above 0 that they can have, and their grades

    @cached_property
    def _gained_list(self) -> GainedList:
        """What an ideal ranking is made of, once all is judged."""
        ordered = self.ordered
        labels = ordered.ranking.blocks
        unjudged = (label for block in labels for label in block if not is_judged(label))
        gained = gain_of(ordered.measure, ordered.convention.gain)
        grades = (*ordered.ranking.judged, *unjudged)
        return GainedList(labels[: ordered.evaluated], labels[: ordered.depth], grades, gained, ordered.measure.k)  # type: ignore[arg-type]

    @cached_property
    def open(self) -> tuple[Place, ...]:
        """The unjudged documents that can be in the ideal ranking, first to last."""
        unjudged = self._gained_list._replace(gained=lambda label: not is_judged(label))
        return self.ordered.unjudged[: sum(map(int, IDEAL[self.ordered.convention.ideal](unjudged)[0]))]

    @cached_property
    def _steps(self) -> list[int]:
        common = lcm(*(Fraction(gain).denominator for gain in self.grades))
        return [int((gain - before) * common) for before, gain in pairwise(chain([0], self.grades))]

    @cached_property
    def _known(self) -> tuple[list[int], int | None]:
        """How many judged gains reach each gain, and the ranks of the ideal ranking that count."""
        gains, limit = IDEAL[self.ordered.convention.ideal](self._gained_list)
        return [sum(1 for each in gains if each >= gain) for gain in self.grades], limit

    @cached_property
    def _discounts(self) -> list[int]:
        ranks = max(len(self._gained_list.grades), self.ordered.evaluated)
        return _discounts(1 << ranks.bit_length(), self.ordered.convention.discount)

    @cached_property
    def _ideal(self) -> list[int]:
        """The first discounts of the ideal ranking, added up: none of them, one, two, ..."""
        limit = self._known[1]
        counted = (each if limit is None or rank < limit else 0 for rank, each in enumerate(self._discounts))
        return list(accumulate(counted, initial=0))

    @cached_property
    def _at_open(self) -> list[int]:
        """The discount of each open document: none outside the list that is evaluated."""
        return [self._discounts[at] if at < self.ordered.evaluated else 0 for at, _ in self.open]

    @cached_property
    def _at_judged(self) -> int:
        """The sum of the judged documents that are evaluated."""
        reached = [0] * len(self.grades)
        for rank, block in enumerate(self._gained_list.blocks):
            gain = self._gained_list.gained(block[0])
            for step, each in enumerate(self.grades):
                reached[step] += self._discounts[rank] if gain >= each else 0
        return sum(step * each for step, each in zip(self._steps, reached, strict=True))

    def _ideal_of(self, reached: Reached) -> int:
        pairs = zip(self._steps, self._known[0], reached, strict=True)
        return sum(step * self._ideal[known + number] for step, known, number in pairs)

    def _list_total(self, reached: Reached, sums: Sequence[int]) -> int:
        """Return the sum of the list, if `sums` are those of so many discounts."""
        return self._at_judged + sum(step * sums[number] for step, number in zip(self._steps, reached, strict=True))

    @clause("range.judgements")
    def highest(self) -> Iterator[Judging]:
        """Yield a way that has the highest value."""
        # With the number of documents that reach each gain, the ideal ranking is given; the list has most if the first
        # ones gain most. What is left is a number for each gain. The greatest quotient is found as Dinkelbach (1967)
        # does: the numbers for which list - q * ideal is greatest, q the quotient of the numbers found before, until
        # that is no better. The difference is a sum over the gains, so that each number is chosen by itself: one more
        # costs less in the ideal ranking where more judged ones reach the gain, so no number is above that of a lower
        # gain.
        if not self.ordered.inside:
            return
        sums = list(accumulate(self._at_open, initial=0))
        reached: Reached = (1, *(0 for _ in self._steps[1:]))
        while True:
            list_total, ideal = self._list_total(reached, sums), self._ideal_of(reached)
            better = tuple(self._best(sums, known, list_total, ideal) for known in self._known[0])
            if self._list_total(better, sums) * ideal <= self._ideal_of(better) * list_total:
                break
            reached = better
        yield self._graded(self.open, reached)

    def _best(self, sums: Sequence[int], known: int, list_total: int, ideal: int) -> int:
        """Return the least number for which list - found/ideal * ideal is greatest, at a gain that `known` reach."""
        return max(range(len(sums)), key=lambda number: ideal * sums[number] - list_total * self._ideal[known + number])

    @clause("range.judgements")
    def lowest(self) -> Iterator[Judging]:
        """Yield a way that has the lowest value of those with a hit."""
        # As gains vary, the list's sum is linear and the ideal's is convex, so that their quotient is lowest in a
        # corner: each document gains nothing or most, and the last ones do. If a hit is needed and all that gain are
        # outside, it is the last one inside with the least gain: what it adds to the ideal ranking falls less than the
        # gain does.
        sums = list(accumulate(reversed(self._at_open), initial=0))
        outside = len(self.open) - len(self.ordered.inside)

        def value(way: tuple[int, bool]) -> Fraction:
            last, has_one = way
            list_total = self._list_total((last,) * len(self._steps), sums)
            list_total += self._steps[0] * sums[outside + 1] if has_one else 0
            return Fraction(list_total, self._ideal_of((last + has_one, *(last for _ in self._steps[1:]))))

        ways = [(last, False) for last in range(0 if self._at_judged else outside + 1, len(self.open) + 1)]
        if not self._at_judged and self.ordered.inside:
            ways += [(last, True) for last in range(outside + 1)]
        if ways:
            last, has_one = min(ways, key=value)  # so many of the last ones, and whether one inside is a hit
            least, *_, most = (*self.grades.values(), *self.grades.values())
            chosen = dict.fromkeys(self.open[len(self.open) - last :], most)
            yield chosen | ({self.ordered.inside[-1]: least} if has_one else {})

    def _graded(self, places: Sequence[Place], reached: Reached) -> Judging:
        """Return the grades of places of which so many reach each gain, the first ones most."""
        chosen: dict[Place, int] = {}
        for number, grade in zip(reached, self.grades.values(), strict=True):
            chosen |= dict.fromkeys(places[:number], grade)
        return chosen


@cache
def _discounts(ranks: int, discount: Discount) -> list[int]:
    terms = gain_terms([[1]] * ranks, None, discount)
    return [enclosed(term if isinstance(term, Fraction) else term.value, _BITS)[0] for term in terms]


@clause("range.judgements")
def is_by_number(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether each number of relevant documents has two ways with the ends, or three, in a decided order."""
    # * An area, and interpolated precision, falls or stays if D grows: a sum is divided by it; and each recall level
    # needs as many hits or more, at which the highest precision is as high or lower. Documents outside can do nothing
    # but make D grow. With the number inside fixed, D is given. A hit that changes places with a miss above it raises
    # precisions and hits at the ranks between, and lowers none.
    # * Bpref: with the number fixed, so are R and N. A relevant document that changes places with a nonrelevant one
    # above it, or from outside with one inside, has fewer of them above it, and no other one has more.
    # So the first ones have the highest value, and the last ones the lowest; where these are without a hit, one hit has
    # it: the last document inside, and others outside.
    traits = INTERPOLATIONS[convention.interpolation]
    is_divided = measure.family.is_area and traits.is_monotone and traits.is_divided
    return measure.family.tells_unjudged or measure.family.cut is Cut.RECALL or is_divided


@clause("range.judgements")
def decisive_choices(
    ranking: Ranking, measure: Measure, convention: EffectiveConvention, grades: Grades
) -> list[Judging] | None:
    """Return ways to judge that have the lowest and the highest value among them; None if no rule leaves few."""
    # The measure's family `is_judgeable`. Each rule is proved where it stands. Trapezoids and sloped lines have none: a
    # hit further up can lower them.
    if convention.ties is Ties.EXPECTED and any(len(block) > 1 for block in ranking.blocks):
        return None
    ordered = OrderedRanking(ranking, measure, convention)
    traits = INTERPOLATIONS[convention.interpolation]
    if measure.family.is_area and not traits.is_monotone:
        return None
    if is_by_number(measure, convention):
        return None
    if not grades:
        return [{}]
    *_, best = grades.values()
    # Nothing relevant (R may be 0), and all that is not looked at (no hit may be inside, and R is above 0).
    ways: list[Judging] = [{}, dict.fromkeys(ordered.outside, best)]
    if measure.is_graded:
        ideal = IdealChoices(ordered, grades)
        graded = (ideal.highest(), ideal.lowest()) if measure.family.has("ideal") else (_by_gain(ordered, grades),)
        return ways + list(chain.from_iterable(graded))
    choices = _at_relevant(ordered) if measure.family.limit_is_relevant else _by_place(ordered)
    return ways + [dict.fromkeys(choice, best) for choice in choices]


def _by_place(ordered: OrderedRanking) -> Iterator[Choice]:
    """Yield the ends of measures that rise with each relevant document inside, and fall, if at all, with each outside.

    Shares h/D (P, R, F, SetP, SetR, SetF, SetAP, Success): D is R, a constant, or the least of some, so one more
    relevant document adds 1 to D at most, and h <= D. Inside it adds 1 to h: (h+1)/(D+1) >= h/D. Outside, h stays and D
    does not fall. F, and the product of two shares, rise with each of them.
    Sums and firsts (RBP, RR, areas that are no share of recall): R has no say. Each label adds what its rank weighs, or
    is the first. RBP's highest grade is the same for all ways with a relevant document.

    So the highest value is that of all inside and none outside; the lowest that of none inside and all outside or, if
    that is without a hit, of one inside: the last, at which a single hit weighs least.
    """
    yield frozenset(ordered.inside)
    if ordered.inside:
        last = frozenset(ordered.inside[-1:])
        yield last | ordered.outside
        yield last


def _by_gain(ordered: OrderedRanking, grades: Grades) -> Iterator[Judging]:
    """Yield the ends of sums that rise with each gain inside, and know nothing outside."""
    # DCG adds a gain over its discount. In ERR what is above a document has no say in how its own stopping counts, but
    # for the chance s/i that it adds and the share s that it takes of all below; that is worth 1/(i+1) at most.
    # So the highest value is that of all inside with the highest grade; the lowest that of none or, if that is without
    # a hit, of the last one with the least grade that gains: it gains least, where it weighs least.
    gaining = list(grades.values())
    yield dict.fromkeys(ordered.inside, gaining[-1])
    yield dict.fromkeys(ordered.inside[-1:], gaining[0])


def _at_relevant(ordered: OrderedRanking) -> Iterator[Choice]:
    """Yield the ends of a share of hits among the first R."""
    # With the number m of relevant ones fixed, so are R and what is evaluated: the first m give the most hits there,
    # the last m the fewest. If these have none, the fewest with a hit are one that is evaluated and the last m - 1.
    # Both ends are counted for every m.
    counted = list(accumulate(ordered.hits, initial=0))
    unjudged = (sum(not is_judged(label) for label in block) for block in ordered.ranking.blocks)
    open_ = list(accumulate(unjudged, initial=0))
    total = len(ordered.unjudged)
    highest, lowest = Fraction(0), Fraction(2)
    most = fewest = without = frozenset[Place]()
    for chosen in range(total + 1):
        relevant = ordered.relevant + chosen
        blocks = min(bisect_left(ordered.ends, relevant + 1), ordered.depth)
        hits = counted[blocks] + min(chosen, open_[blocks])
        if hits and Fraction(hits, relevant) > highest:
            highest, most = Fraction(hits, relevant), frozenset(ordered.unjudged[:chosen])
        last = frozenset(ordered.unjudged[total - chosen :])
        hits = counted[blocks] + max(0, chosen - (total - open_[blocks]))
        if not hits and relevant:
            without = last
            if chosen and open_[blocks]:
                hits = 1
                last = frozenset((ordered.unjudged[open_[blocks] - 1], *ordered.unjudged[total - chosen + 1 :]))
        if hits and Fraction(hits, relevant) < lowest:
            lowest, fewest = Fraction(hits, relevant), last
    yield from (most, fewest, without)
