"""Many queries at once: `values_of(measure, lists, convention)` gives each query's correctly rounded double.

Kernels enclose the values (`fixed.py` has the proof); what no kernel has, and what they leave open, the oracle decides.
No value is a plain float's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure, effective
from rankspec.oracle.errors import ConventionError, UndefinedValueError
from rankspec.oracle.evaluation import aggregate_exactly
from rankspec.oracle.measures.rules import mean_over_no_query
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.scoring.batch.evaluated import EvaluatedLists
from rankspec.oracle.scoring.batch.exact_path import RankingOf, rankings_of
from rankspec.oracle.scoring.batch.fixed import Doubles, Mask
from rankspec.oracle.scoring.batch.lists import Judged, Lists
from rankspec.oracle.scoring.batch.means import mean_double
from rankspec.oracle.scoring.batch.outcomes import NUMBER, STATES, Outcomes
from rankspec.oracle.scoring.batch.routes import LONGEST, exactly, kernel
from rankspec.oracle.values import Exact, Undefined, to_double

_RULES = ("no_relevant", "no_hits", "missing_query", "unknown_query")


class NeedsScoresError(ConventionError):
    """The ranks of judged documents do not decide a value: all documents' scores do."""


@dataclass(frozen=True)
class Mean:
    """The value of a query set.

    Attributes:
        double: the nearest double; NaN if there is no number.
        is_certified: it came about without the exact path.
        exact: the exact value, where it was needed.
    """

    double: float
    is_certified: bool
    exact: Exact | None = None


@dataclass(frozen=True)
class Values:
    """Many queries' values of one measure.

    Attributes:
        measure: the measure.
        convention: the convention, with what the measure says put in.
        doubles: the nearest doubles; NaN where a query is worth no number.
        by_exact_path: which queries the exact path decided.
        undefined: by place, what queries are worth that are worth no number.
        exact: by place, what the exact path found.
        reason: why the exact path decided all of them, if it did.
    """

    measure: Measure
    convention: EffectiveConvention
    doubles: Doubles
    by_exact_path: Mask
    undefined: Mapping[int, Undefined]
    exact: Mapping[int, Exact]
    reason: str | None
    outcomes: Outcomes = field(repr=False)
    ranking_of: RankingOf = field(repr=False)

    @property
    def certified(self) -> Mask:
        """Return which queries have a value that is certified without the exact path."""
        return ~self.by_exact_path

    def exact_of(self, query: int) -> Exact:
        """Return a query's exact value, by its place in the batch."""
        if query in self.undefined:
            return self.undefined[query]
        if query not in self.exact:
            return value_of(self.ranking_of(query), self.measure, self.convention)
        return self.exact[query]

    def mean(self) -> Mean:
        """Return the mean over the queries that count, or the total of counts. Clauses map.mean, count.total."""
        counting = self.outcomes.states != STATES.index(Undefined.SKIP)
        defined = self.outcomes.states == NUMBER
        if self.measure.family.is_count:
            return Mean(float(math.fsum(self.doubles[defined & counting])), is_certified=True)
        if not defined[counting].all() or not counting.any():
            numberless = np.flatnonzero(counting & ~defined).tolist()
            exact = aggregate_exactly([self.undefined[place] for place in numberless], self.convention)
            return Mean(to_double(exact), is_certified=True, exact=exact)
        enclosed = np.flatnonzero(counting & self.outcomes.enclosed & ~self.by_exact_path)
        others = np.flatnonzero(counting & ~(self.outcomes.enclosed & ~self.by_exact_path)).tolist()
        double = mean_double(self.outcomes.fixed, enclosed, [self.exact_of(each) for each in others], self.convention)
        if double is not None:
            return Mean(double, is_certified=True)
        exact = self.exact_mean()
        return Mean(to_double(exact), is_certified=False, exact=exact)

    def exact_mean(self) -> Exact:
        """Return the exact mean (of counts the total), every query's value taken exactly."""
        places = np.flatnonzero(self.outcomes.states != STATES.index(Undefined.SKIP)).tolist()
        values = [self.exact_of(place) for place in places]
        if self.measure.family.is_count:
            return sum((value for value in values if isinstance(value, Fraction)), Fraction(0))
        return aggregate_exactly(values, self.convention)


def values_of(  # noqa: PLR0913 - what a batch can bring along is given by name
    measure: Measure,
    lists: Lists,
    convention: Convention = DEFAULT,
    *,
    ranking_of: RankingOf | None = None,
    given: Mapping[int, Exact] | None = None,
    names: Sequence[str] | None = None,
) -> Values:
    """Return the correctly rounded values of many queries.

    Args:
        measure: the measure.
        lists: the ranked lists; see `lists_of_labels`.
        convention: the convention. Rules for ties and scores are those that the lists came about by.
        ranking_of: whole rankings for the exact path, by place in the batch; by default they are made of the lists.
        names: what the queries are called in messages; by default their places.
        given: by place, values that do not come from the list: of queries that a run lacks, say.

    Raises:
        ConventionError: the convention means nothing for the measure.
        NeedsScoresError: the lists do not decide the value, and `ranking_of` is not given.
        UndefinedValueError: a value is undefined and the convention says `error`.
    """
    holding = effective(measure, convention)
    has_blocks = lists.tied is not None
    case = exactly(measure, holding, blocks=has_blocks)
    if case is not None and case.needs_scores and (ranking_of is None or not case.blocks_only):
        raise NeedsScoresError(f"{measure}: {case.why}")
    whole = ranking_of or rankings_of(lists, holding)
    outcomes = Outcomes.nothing(lists.queries) if case is not None else _outcomes(measure, lists, holding)
    stated = dict(given or {})
    for value in set(stated.values()):
        chosen = np.zeros(lists.queries, np.bool_)
        chosen[[place for place, other in stated.items() if other == value]] = True
        outcomes = outcomes.set(chosen, value)
    open_places = np.flatnonzero(~outcomes.certain)
    exact = {place: value_of(whole(place), measure, holding) for place in open_places.tolist()}
    doubles = outcomes.doubles.copy()
    states = outcomes.states.copy()
    for place, value in exact.items():
        doubles[place] = to_double(value)
        states[place] = STATES.index(value) if isinstance(value, Undefined) else NUMBER
    undefined = {int(place): _undefined(int(states[place])) for place in np.flatnonzero(states != NUMBER)}
    if Undefined.ERROR in undefined.values():
        first = next(place for place, value in undefined.items() if value is Undefined.ERROR)
        named = f"{first} of the batch" if names is None else names[first]
        demanded = [f"{axis}=error" for axis in _RULES if str(getattr(holding, axis)) == "error"]
        raise UndefinedValueError(
            f"query {named}: the value is undefined, and the convention says {' and '.join(demanded)}"
        )
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
        replace(outcomes, states=states),
        whole,
    )


def _undefined(state: int) -> Undefined:
    found = STATES[state]
    if found is None:
        raise TypeError("a number is not undefined")
    return found


def _outcomes(measure: Measure, lists: Lists, convention: EffectiveConvention) -> Outcomes:
    """Return what the kernel says; nothing of lists that are too long for it, or that ties leave open."""
    judged = lists.judged
    sizes = judged.segments.sizes if isinstance(judged, Judged) else np.maximum(lists.lengths, judged.relevant(1))
    too_long = (lists.lengths > LONGEST) | (sizes > LONGEST)
    kept = lists.without(too_long)
    certified = kernel(measure, convention)
    if certified is None:
        return Outcomes.nothing(lists.queries)
    outcomes = certified(EvaluatedLists(kept.deep(convention), measure, convention)).except_for(too_long)
    if lists.tied is not None and convention.ties is Ties.EXPECTED:
        outcomes = outcomes.except_for(lists.tied)
    return outcomes
