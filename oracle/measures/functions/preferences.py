"""trec_eval's measures of preferences: which of those that judges stated a ranking fulfils.

The documents judged for a query stand at places: those retrieved by rank, then the others by docno. A preference of one
place to another is fulfilled if it is the lesser of the two and its document was retrieved. Sets of places are whole
numbers, a bit a place. Source: trec_eval 9.0.8 and 10.0, form_prefs_counts.c and the modules m_prefs_*.c.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import groupby
from operator import or_
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import PrefsCounted, PrefsNonrelevant, Unjudged
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.preferences import PreferenceGrade, levels_of
from rankspec.oracle.errors import InputError
from rankspec.oracle.measures.evaluated_list import counts_as_judged
from rankspec.oracle.measures.rules import mean_over_lists
from rankspec.oracle.rankings.ordering import docno_bytes
from rankspec.oracle.rankings.ranking import MISS, Label, Ranking, after_removal, cut, is_judged, orders_of_lists
from rankspec.oracle.reals.real import sum_of_fractions
from rankspec.oracle.values import Exact

Places = int  # A set of places: bit i is set if place i is in it


@dataclass(frozen=True)
class Group:
    """A judgment group."""

    preferred: tuple[Places, ...]  # for each place, the places that it is preferred to
    relevant: Places  # the places of levels above 0
    nonrelevant: Places  # those of level 0
    is_whole: bool  # it has one subgroup, so that all its levels compare


@dataclass(frozen=True)
class Placed:
    """The judged documents of a query on a list."""

    groups: tuple[Group, ...]  # the judgment groups
    retrieved: int  # how many of the documents were, which stand at the first places
    counted: PrefsCounted  # which preferences count
    nonrelevant: PrefsNonrelevant  # how nonrelevant documents are brought to the number of relevant ones

    @property
    def retrieved_places(self) -> Places:
        """Return the places of documents that were retrieved."""
        return _first(self.retrieved)

    def possible(self, place: int, others: Places) -> int:
        """Count those of a place's preferences that count."""
        return (others & self.paired_with(place)).bit_count()

    def fulfilled(self, place: int, others: Places) -> int:
        """Count those that are fulfilled: the place is retrieved, and the other one is behind it."""
        behind = ~_first(place + 1)
        return (others & self.paired_with(place) & behind).bit_count() if place < self.retrieved else 0

    @clause("prefs.counted.*")
    def paired_with(self, place: int) -> Places:
        """Return the places with which a place makes pairs that count."""
        match self.counted:
            case PrefsCounted.ALL:
                return -1
            case PrefsCounted.IMPLIED:
                return -1 if place < self.retrieved else self.retrieved_places
            case PrefsCounted.RETRIEVED:
                return self.retrieved_places if place < self.retrieved else 0
            case _:
                assert_never(self.counted)

    def shares(self, preferred: Sequence[Places]) -> tuple[int, int]:
        """Return how many preferences are fulfilled, and how many count."""
        return (
            sum(self.fulfilled(place, others) for place, others in enumerate(preferred)),
            sum(self.possible(place, others) for place, others in enumerate(preferred)),
        )


def _first(number: int) -> Places:
    return (1 << number) - 1


def _places(members: Places) -> Iterator[int]:
    while members:
        lowest = members & -members
        yield lowest.bit_length() - 1
        members ^= lowest


@clause("prefs.places")
def placed(order: Sequence[Label], judged: Sequence[int], convention: EffectiveConvention) -> Placed:
    """Put the judged documents at their places, and read off the judgment groups."""
    first = [_known(label) for label in order if is_judged(label)]
    left = Counter(map(_known, filter(counts_as_judged(convention), judged)))
    left.subtract(first)
    rest = sorted(left.elements(), key=lambda grade: docno_bytes(getattr(grade, "docno", "")))
    return Placed(groups_of([*first, *rest]), len(first), convention.prefs_counted, convention.prefs_nonrelevant)


def _known(grade: int) -> int:
    """Return a grade; of those below 0 one stands for all, since they are one level."""
    return grade if isinstance(grade, PreferenceGrade) or grade >= 0 else MISS


@clause("prefs.preferred", "prefs.plain-grades")
def groups_of(grades: Sequence[int]) -> tuple[Group, ...]:
    """Return the judgment groups of documents at their places, in the order of their names."""
    levels: dict[str, dict[str, dict[int, Fraction]]] = {}
    for place, grade in enumerate(grades):
        for name, of_group in levels_of(grade).items():
            for subgroup, level in of_group.items():
                levels.setdefault(name, {}).setdefault(subgroup, {})[place] = level
    return tuple(_group(list(levels[name].values()), len(grades)) for name in sorted(levels))


def _group(subgroups: Sequence[Mapping[int, Fraction]], size: int) -> Group:
    preferred = [0] * size
    for levels in subgroups:
        below = 0
        for _, same in groupby(sorted(levels, key=lambda place: levels[place]), key=lambda place: levels[place]):
            tied = list(same)
            for place in tied:
                preferred[place] |= below
            below |= _set_of(tied)
    if len(subgroups) > 1:
        preferred = transitive(preferred)
    is_relevant = {place: level > 0 for levels in subgroups for place, level in levels.items()}
    return Group(
        tuple(preferred),
        _set_of(place for place, is_above in is_relevant.items() if is_above),
        _set_of(place for place, is_above in is_relevant.items() if not is_above),
        is_whole=len(subgroups) == 1,
    )


def _set_of(members: Iterator[int] | Sequence[int]) -> Places:
    return reduce(or_, (1 << place for place in members), 0)


@clause("prefs.transitive")
def transitive(preferred: list[Places]) -> list[Places]:
    """Add what follows: a place is preferred to what is below a place that it is preferred to."""
    closed = list(preferred)
    for middle in range(len(closed)):
        for place, others in enumerate(closed):
            if others >> middle & 1:
                closed[place] = others | closed[middle]
    return closed


@clause("prefs.simple")
def simple(placed: Placed) -> Fraction:
    """Return the preferences fulfilled over those that count."""
    fulfilled, possible = map(
        sum, zip((0, 0), *(placed.shares(group.preferred) for group in placed.groups), strict=True)
    )
    return _share(fulfilled, possible)


@clause("prefs.pairs")
def over_pairs(placed: Placed) -> Fraction:
    """Return the mean over pairs of documents of the share of their preferences that is fulfilled."""
    pairs: dict[tuple[int, int], list[int]] = {}
    for group in placed.groups:
        for place, others in enumerate(group.preferred):
            for other in _places(others & placed.paired_with(place)):
                fulfilled_and_possible = pairs.setdefault((min(place, other), max(place, other)), [0, 0])
                fulfilled_and_possible[0] += place < other and place < placed.retrieved
                fulfilled_and_possible[1] += 1
    if not pairs:
        return Fraction(0)
    kinds = Counter(tuple(pair) for pair in pairs.values())
    shares = (Fraction(fulfilled, possible) * n for (fulfilled, possible), n in kinds.items())
    return sum_of_fractions(shares) / len(pairs)


def _share(fulfilled: int, possible: int) -> Fraction:
    """Return a share, 0 where there is nothing to share."""
    return Fraction(fulfilled, possible) if possible else Fraction(0)


def _mean(shares: Sequence[Fraction]) -> Fraction:
    return sum_of_fractions(shares) / len(shares) if shares else Fraction(0)


@clause("prefs.nonrelevant.described", "prefs.nonrelevant.trec_eval")
def over_balanced_groups(placed: Placed) -> Fraction:
    """Return the mean over judgment groups with as many nonrelevant documents as relevant ones."""
    match placed.nonrelevant:
        case PrefsNonrelevant.DESCRIBED:
            return _mean([_share(*as_described(placed, group)) for group in placed.groups])
        case PrefsNonrelevant.TREC_EVAL:
            shares = [as_computed(placed, group) for group in placed.groups]
            if any(possible == 0 for _, possible in shares):
                return Fraction(0)  # 0/0 is not a number, a sum with it is none, and what is not above 0 is left at 0
            return _mean([Fraction(*share) for share in shares])
        case _:
            assert_never(placed.nonrelevant)


@clause("prefs.nonrelevant.described")
def as_described(placed: Placed, group: Group) -> tuple[int, int]:
    """Return the preferences fulfilled and those that count, the nonrelevant documents brought to R."""
    relevant, nonrelevant = _counted_numbers(placed, group)
    if nonrelevant > relevant:
        return placed.shares(_without(group, _behind(_counted(placed, group.nonrelevant), relevant)))
    fulfilled, possible = placed.shares(group.preferred)
    more = relevant - nonrelevant
    retrieved = (group.relevant & placed.retrieved_places).bit_count()
    return fulfilled + retrieved * more, possible + relevant * more


@clause("prefs.nonrelevant.trec_eval")
def as_computed(placed: Placed, group: Group) -> tuple[int, int]:
    """Return the same as trec_eval computes it; `InputError` where that reads what is not in its lists."""
    relevant, nonrelevant = _counted_numbers(placed, group)
    if nonrelevant <= relevant:
        fulfilled, possible = placed.shares(group.preferred)
        more = relevant - nonrelevant
        retrieved = (group.relevant & placed.retrieved_places).bit_count()
        return fulfilled + retrieved * more, possible + group.relevant.bit_count() * more
    if any(group.preferred[place] for place in _places(group.nonrelevant)):
        raise InputError(
            "a judgment group has several levels up to 0, and fewer documents above; trec_eval reads beyond its lists "
            "to bring their number down, and what it finds there is no value; ask for another measure",
            code="levels-beyond-trec-eval",
        )
    if not group.is_whole:
        all_relevant = group.relevant.bit_count()
        return placed.shares(_without(group, _behind(_counted(placed, group.nonrelevant), all_relevant)))
    left = _counted(placed, group.nonrelevant)
    kept = left & ~_behind(left, relevant)
    members = group.relevant | group.nonrelevant
    held = [others & group.relevant for others in group.preferred]
    return placed.shares([others | (kept if members >> place & 1 else 0) for place, others in enumerate(held)])


def _counted(placed: Placed, members: Places) -> Places:
    return members & placed.retrieved_places if placed.counted is PrefsCounted.RETRIEVED else members


def _counted_numbers(placed: Placed, group: Group) -> tuple[int, int]:
    """Return R and N."""
    return _counted(placed, group.relevant).bit_count(), _counted(placed, group.nonrelevant).bit_count()


def _behind(members: Places, number: int) -> Places:
    return _set_of(list(_places(members))[number:])


def _without(group: Group, dropped: Places) -> list[Places]:
    return [0 if dropped >> place & 1 else others & ~dropped for place, others in enumerate(group.preferred)]


PREFERENCES: Mapping[str, Callable[[Placed], Fraction]] = clause("prefs.possible", "prefs.fulfilled", "prefs.groups")(
    {
        "prefs_num_prefs_poss": lambda placed: Fraction(
            sum(others.bit_count() for group in placed.groups for others in group.preferred)
        ),
        **dict.fromkeys(
            ("prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"),
            lambda placed: Fraction(sum(placed.shares(group.preferred)[0] for group in placed.groups)),
        ),
        **dict.fromkeys(("prefs_simp", "prefs_simp_ret", "prefs_simp_imp"), simple),
        **dict.fromkeys(("prefs_pair", "prefs_pair_ret", "prefs_pair_imp"), over_pairs),
        **dict.fromkeys(
            ("prefs_avgjg", "prefs_avgjg_ret", "prefs_avgjg_imp"),
            lambda placed: _mean([_share(*placed.shares(group.preferred)) for group in placed.groups]),
        ),
        **dict.fromkeys(("prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"), over_balanced_groups),
    }
)
"""Measure -> its value of a list."""


@clause("prefs.places", "ranking.ties.expected")
def preference_value(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the mean value over the orders of a ranking's ties, taken one by one; `InputError` for too many."""
    deep = cut(ranking.blocks, convention.depth, convention.ties)
    judged = ((probability, after_removal(each, Unjudged.REMOVED)) for probability, each in deep)
    return mean_over_lists(
        (share, PREFERENCES[measure.name](placed(order, ranking.judged, convention)))
        for share, order in orders_of_lists(judged)
    )
