"""Many queries at once: `values_of(measure, lists, convention)` gives each query's correctly rounded double.

Kernels enclose the values (`fixed.py` has the proof); what no kernel has, and what they leave open, the oracle decides.
No value is a plain float's, nor is a mean: the enclosures of the values enclose it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import Final, NamedTuple, NoReturn, cast

import numpy as np
from rankspec.oracle.conventions.axes import Aggregate, Ties
from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure, effective
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.measures.rules import mean_over_no_query, undefined_value
from rankspec.oracle.rankings.ordering import label_of
from rankspec.oracle.rankings.ranking import Block, Ranking
from rankspec.oracle.reals.deciding import agreed_decimal, nearest_decimal
from rankspec.oracle.reals.real import Number, Real, enclosed, geometric_mean
from rankspec.oracle.scoring.batch.evaluated import NUMBER, STATES, EvaluatedLists, Outcomes
from rankspec.oracle.scoring.batch.fixed import BITS, Doubles, Ends, Mask
from rankspec.oracle.scoring.batch.lists import Lists
from rankspec.oracle.scoring.batch.routes import LONGEST, exactly, has_form_of_ties, is_of_whole_ties
from rankspec.oracle.values import Exact, Undefined, to_double

# ---- The exact path. The oracle's measures are loaded when the first value needs them: of a run, hardly any does

RankingOf = Callable[[int], Ranking]  # Query, by its place in the batch -> its ranking


def exact_value(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the oracle's value of one list."""
    from rankspec.oracle.measures.values import value_of

    return value_of(ranking, measure, convention)


def exact_whole(measure: Measure, values: Iterable[Exact], convention: Convention) -> Exact:
    """Return what queries are worth to the oracle together; `UndefinedValueError` for none under `error`."""
    from rankspec.oracle.evaluation import value_of_set

    return value_of_set(measure, values, convention)


def rankings_of(lists: Lists, convention: Convention) -> RankingOf:
    """Return a function from queries to rankings: documents that the qrels do not name stand alone and unjudged."""
    rule = convention.negative_grades

    def ranking_of(query: int) -> Ranking:
        places = lists.places
        judged = lists.judged
        mine = slice(*places.segments.starts[query : query + 2].tolist())
        ranks = places.ranks[mine].tolist()
        tops = [rank - 1 for rank in ranks] if places.tops is None else places.tops[mine].tolist()
        retrieved, every = (of.grades if of.objects is None else of.objects for of in (places, judged))
        labels = [label_of(grade, rule) for grade in retrieved[mine].tolist()]
        of_qrels = slice(*judged.segments.starts[query : query + 2].tolist())
        blocks: list[Block] = []
        above = 0
        for (top, end), block in groupby(list(zip(tops, ranks, labels, strict=True)), key=lambda place: place[:2]):
            labels = [label for _, _, label in block]
            blocks += [(None,)] * (top - above)
            blocks.append((*labels, *(None,) * (end - top - len(labels))))
            above = end
        blocks += [(None,)] * (int(lists.lengths[query]) - above)
        return Ranking(tuple(blocks), tuple(every[of_qrels].tolist()))

    return ranking_of


class NeedsScoresError(ConventionError):
    """The ranks of judged documents do not decide a value: all documents' scores do."""


class Mean(NamedTuple):
    """The value of a query set."""

    double: float  # the nearest double; NaN if there is no number
    is_certified: bool  # it came about without the exact path
    exact: Exact | None = None  # the exact value, where it was needed


@dataclass(eq=False, repr=False, match_args=False)
class Values:
    """Many queries' values of one measure."""

    measure: Measure
    convention: EffectiveConvention  # the convention, with what the measure says put in
    doubles: Doubles  # the nearest doubles; NaN where a query is worth no number
    by_exact_path: Mask  # which queries the exact path decided
    undefined: Mapping[int, Undefined]  # by place, what queries are worth that are worth no number
    exact: dict[int, Exact]  # by place, what the exact path found, here or when it was asked for
    reason: str | None  # why the exact path decided all of them, if it did
    lists: Lists
    outcomes: Outcomes
    ranking_of: RankingOf

    @property
    def certified(self) -> Mask:
        """Return which queries have a value that is certified without the exact path."""
        return ~self.by_exact_path

    def exact_of(self, query: int) -> Exact:
        """Return a query's exact value, by its place in the batch."""
        if query in self.undefined:
            return self.undefined[query]
        if query not in self.exact:
            self.exact[query] = exact_value(self.ranking_of(query), self.measure, self.convention)
        return self.exact[query]

    def decimals(self, digits: int) -> dict[int, int]:
        """Return place -> the whole number nearest to its value times 10^digits, ties to even."""
        # Enclosures decide; what they leave open is decided exactly.
        is_number, fixed = self.outcomes.states == NUMBER, self.outcomes.fixed
        open_ = is_number & self.outcomes.enclosed
        open_[[*self.exact]] = False
        places = np.flatnonzero(open_)
        agreed = (agreed_decimal(ends, 1 << BITS, digits) for ends in fixed.at(places).ends())
        known = dict(zip(places.tolist(), agreed, strict=True))
        return {
            place: nearest_decimal(self._number(place), digits) if (decimal := known.get(place)) is None else decimal
            for place in np.flatnonzero(is_number).tolist()
        }

    def _number(self, place: int) -> Number:
        return cast("Number", self.exact_of(place))  # which is asked of numbers alone

    def mean_decimal(self, digits: int) -> int:
        """Return the whole number nearest to the mean (of counts the total) times 10^digits, ties to even."""
        exact = self.mean().exact
        if exact is None and self.measure.family.is_count:
            exact = Fraction(self.mean().double)  # a total of whole numbers
        if exact is None:
            if (decimal := agreed_decimal(*self._mean_ends(), digits)) is not None:
                return decimal
            exact = self.exact_mean()
        if isinstance(exact, Undefined):
            raise TypeError(f"{exact} is not a number")
        return nearest_decimal(exact, digits)

    def mean(self) -> Mean:
        """Return the mean over the queries that count, or the total of counts. Clauses map.mean, count.total."""
        counting = self.outcomes.states != STATES.index(Undefined.SKIP)
        defined = self.outcomes.states == NUMBER
        if self.measure.family.is_count:
            counts = self.doubles[defined]
            if (counts == np.rint(counts)).all():
                return Mean(float(math.fsum(counts)), is_certified=True)
            # A limit inside a tie makes counts means over its orders, whose doubles are rounded.
            total = self.exact_mean()
            return Mean(to_double(total), is_certified=False, exact=total)
        if not defined[counting].all() or not counting.any():
            numberless = np.flatnonzero(counting & ~defined).tolist()
            exact = exact_whole(self.measure, [self.undefined[place] for place in numberless], self.convention)
            return Mean(to_double(exact), is_certified=True, exact=exact)
        (least, most), divisor = self._mean_ends()
        if (double := least / divisor) == most / divisor:  # Python divides whole numbers with one rounding
            return Mean(double, is_certified=True)
        exact = self.exact_mean()
        return Mean(to_double(exact), is_certified=False, exact=exact)

    def _mean_ends(self) -> tuple[Ends, int]:
        """Return whole numbers and a divisor that enclose the mean of enclosed and other, exact values."""
        counting = self.outcomes.states != STATES.index(Undefined.SKIP)
        is_enclosed = counting & self.outcomes.enclosed
        is_enclosed[[*self.exact]] = False
        others = [self._number(place) for place in np.flatnonzero(counting & ~is_enclosed).tolist()]
        fixed = self.outcomes.fixed.at(np.flatnonzero(is_enclosed))
        if self.convention.aggregate is Aggregate.GEOMETRIC:
            from rankspec.oracle.evaluation import geometric_factors  # loads the measures

            known = [_Enclosed(ends, BITS) for ends in fixed.ends()]
            root = geometric_mean(*geometric_factors([*known, *others], self.convention))
            bits = 2 * BITS  # roots of small values have as many digits
            return enclosed(root, bits), 1 << bits
        parts = [enclosed(value, BITS) for value in others]
        least, most = fixed.total()  # others are of counts, which are not pooled
        ends = least + sum(low for low, _ in parts), most + sum(high for _, high in parts)
        return ends, (fixed.width.size + len(parts)) << BITS

    def exact_mean(self) -> Exact:
        """Return the exact mean (of counts the total), every query's value taken exactly."""
        places = np.flatnonzero(self.outcomes.states != STATES.index(Undefined.SKIP)).tolist()
        return exact_whole(self.measure, map(self.exact_of, places), self.convention)


def values_of(  # noqa: PLR0913 - what a batch can bring along is given by name
    measure: Measure,
    lists: Lists,
    convention: Convention = DEFAULT,
    *,
    unlisted: Mapping[int, Exact] | None = None,
    rankings: Mapping[int, Ranking] | None = None,
    names: Sequence[str] | None = None,
) -> Values:
    """Return the correctly rounded values of many queries.

    Args:
        measure: the measure.
        lists: the ranked lists; see `lists_of_labels`.
        convention: the convention. Rules for ties and scores are those that the lists came about by.
        names: what the queries are called in messages; by default their places.
        unlisted: by place, values that do not come from the list: of queries that a run lacks, say.
        rankings: by place, rankings that take the exact path instead of their lists.

    Raises:
        ConventionError: the convention means nothing for the measure.
        NeedsScoresError: the lists do not decide the value.
        UndefinedValueError: a value is undefined and the convention says `error`.
    """
    holding = effective(measure, convention)
    case = exactly(measure, holding, blocks=lists.tied is not None)
    if case is not None and case.needs_scores:
        raise NeedsScoresError(f"{measure}: {case.why}", code="scores-missing")
    of_list, stated_rankings = rankings_of(lists, holding), rankings or {}

    def whole(place: int) -> Ranking:
        return stated_rankings[place] if place in stated_rankings else of_list(place)

    outcomes = Outcomes.nothing(lists.queries) if case is not None else outcomes_of(measure, lists, holding)
    if stated_rankings:
        is_stated = np.zeros(lists.queries, np.bool_)
        is_stated[[*stated_rankings]] = True
        outcomes = outcomes.except_for(is_stated)
    stated = dict(unlisted or {})
    for value in set(stated.values()):
        chosen = np.zeros(lists.queries, np.bool_)
        chosen[[place for place, other in stated.items() if other == value]] = True
        outcomes = outcomes.set(chosen, value)
    open_places = np.flatnonzero(~outcomes.certain)
    exact = {place: exact_value(whole(place), measure, holding) for place in open_places.tolist()}
    doubles = outcomes.doubles.copy()
    states = outcomes.states.copy()
    for place, value in exact.items():
        doubles[place] = to_double(value)
        states[place] = STATES.index(value) if isinstance(value, Undefined) else NUMBER
    numberless = np.flatnonzero(states != NUMBER).tolist()
    undefined = {place: cast("Undefined", STATES[int(states[place])]) for place in numberless}
    if Undefined.ERROR in undefined.values():
        first = next(place for place, value in undefined.items() if value is Undefined.ERROR)
        named = f"{first} of the batch" if names is None else names[first]
        raise undefined_value(f"query {named}", holding)
    if not measure.family.is_count and (states == STATES.index(Undefined.SKIP)).all():
        mean_over_no_query(holding.empty_mean)  # which may be an error
    doubles[states != NUMBER] = math.nan
    return Values(
        measure,
        holding,
        doubles,
        ~outcomes.certain,
        undefined,
        exact | {place: value for place, value in stated.items() if not isinstance(value, Undefined)},
        None if case is None else case.why,
        lists,
        outcomes._replace(states=states),
        whole,
    )


def outcomes_of(measure: Measure, lists: Lists, convention: EffectiveConvention) -> Outcomes:
    """Return what is read; nothing of lists that are too long for it, or that ties leave open."""
    is_open = (lists.lengths > LONGEST) | (lists.judged.segments.sizes > LONGEST)
    undecided = lists.places.tops is not None and convention.ties is Ties.EXPECTED
    if undecided and lists.tied is not None and not has_form_of_ties(measure, convention):
        is_open |= lists.tied
    lists = lists.without(is_open)
    evaluated = EvaluatedLists(lists.deep(convention), measure, convention)
    if undecided:
        is_open |= lists.places.divided(convention.depth)
        if not is_of_whole_ties(measure, convention):
            is_open |= evaluated.lists.places.divided(evaluated.limit)
        evaluated = replace(evaluated, lists=evaluated.lists.without(is_open))
    return evaluated.outcomes().except_for(is_open)


class _Enclosed(Real):
    """A number of which no more is known than whole numbers between which it lies, times 2^bits."""

    def __init__(self, ends: Ends, bits: int) -> None:
        self.ends: Final = ends
        self.bits: Final = bits

    def enclose(self, bits: int) -> Ends:
        """Return the ends as they are."""
        low, high = self.ends
        more = bits - self.bits
        return (low << more, high << more) if more > 0 else (low >> -more, -(-high >> -more))

    def expression(self) -> NoReturn:
        """Refuse: it is not known."""
        raise TypeError("a number that is enclosed has no expression")
