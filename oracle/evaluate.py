"""From qrels and a run to a value: which queries count, what each is worth, and what they are worth together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from types import MappingProxyType

import sympy
from rankspec.oracle.conventions.axes import Aggregate, MissingQuery, NoRelevant, UnknownQuery
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, require_meaning
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.data.scores import Score
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.measures import tap
from rankspec.oracle.measures.average_precision import average_precision
from rankspec.oracle.pooling import pooled_ranking
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.values import Exact, Undefined, Value, to_value, worst


@dataclass(frozen=True)
class Evaluation:
    """The value of a query set, and how it came about.

    Attributes:
        value: the value of the set; NaN if no query counts.
        per_query: the value of each query that counts, in the order of the qrels (empty where queries are pooled).
        excluded: query -> why it does not count.
    """

    value: Value
    per_query: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    excluded: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def evaluate(measure: Measure, qrels: Qrels, run: Run, convention: Convention = DEFAULT) -> Evaluation:
    """Evaluate a run against qrels, exactly.

    Raises:
        ConventionError: the convention means nothing for the measure.
        UndefinedValueError: a value is undefined and the convention says `error`.
    """
    require_meaning(measure, convention)
    if convention.aggregate is Aggregate.MICRO:
        pooled = pooled_ranking(qrels, run, convention, measure.rel)
        # The depth is each query's, and pooling has dealt with it.
        exact = average_precision(pooled, measure, convention.with_setting("depth", None))
        return Evaluation(to_value(_allowed("all queries pooled", exact, convention)))
    values: dict[str, Exact] = {}
    excluded: dict[str, str] = {}
    for query, value in _values(measure, qrels, run, convention).items():
        if _allowed(f"query {query}", value, convention) is Undefined.SKIP:
            excluded[query] = _reason(query, qrels, run, measure.rel)
        else:
            values[query] = value
    per_query = {query: to_value(value) for query, value in values.items()}
    return Evaluation(aggregate(values.values(), convention), MappingProxyType(per_query), MappingProxyType(excluded))


def value_of_ranking(measure: Measure, ranking: Ranking, convention: Convention = DEFAULT) -> Value:
    """Evaluate one ranking by itself, exactly.

    Raises:
        ConventionError: the convention means nothing for the measure.
        InputError: the measure needs scores and the ranking has none.
        UndefinedValueError: the value is undefined and the convention says `error`.
    """
    require_meaning(measure, convention)
    if measure.name == "TAP":
        exact = _tap_values(measure, {"the query": ranking}, 1, convention)["the query"]
    else:
        exact = average_precision(ranking, measure, convention)
    return to_value(_allowed("the query", exact, convention))


def tap_cutoff(measure: Measure, qrels: Qrels, run: Run, convention: Convention = DEFAULT) -> Score | None:
    """Return the score at which TAP@k cuts the lists, None if the convention keeps everything. Clause tap.cutoff.

    Raises:
        ConventionError: the convention means nothing for the measure.
        UndefinedValueError: the lists are too short and the convention says `error`.
    """
    require_meaning(measure, convention)
    missing, rankings = _missing_and_ranked(measure, qrels, run, convention)
    return _tap_cutoff(measure, rankings, _lists(missing), convention)


def aggregate(values: Iterable[Exact], convention: Convention) -> Value:
    """Return the mean of the queries' values. Clauses map.mean, map.aggregate.*, map.geometric-floor, tap.mean."""
    listed = list(values)
    numbers = [value for value in listed if isinstance(value, Fraction)]
    if worst(listed) is not None or not numbers:
        return Undefined.NAN
    if convention.aggregate is Aggregate.GEOMETRIC:
        product = prod(max(number, convention.geometric_floor) for number in numbers)
        root: sympy.Expr = sympy.Pow(to_value(Fraction(product)), sympy.Rational(1, len(numbers)))
        return root
    return to_value(sum(numbers, Fraction(0)) / len(numbers))


def _values(measure: Measure, qrels: Qrels, run: Run, convention: Convention) -> dict[str, Exact]:
    """Return the value of every query of the qrels and the run, `SKIP` for those that don't count.

    Clauses undefined.unknown-query.*.
    """
    missing, rankings = _missing_and_ranked(measure, qrels, run, convention)
    if measure.name == "TAP":
        ranked = _tap_values(measure, rankings, _lists(missing), convention)
    else:
        ranked = {query: average_precision(ranking, measure, convention) for query, ranking in rankings.items()}
    values = {query: missing[query] if query in missing else ranked[query] for query in qrels}
    return values | {query: _UNKNOWN[convention.unknown_query] for query in run if query not in qrels}


_MISSING: Mapping[MissingQuery, Exact] = {
    MissingQuery.ZERO: Fraction(0),
    MissingQuery.SKIP: Undefined.SKIP,
    MissingQuery.ERROR: Undefined.ERROR,
}
_UNKNOWN: Mapping[UnknownQuery, Exact] = {
    UnknownQuery.SKIP: Undefined.SKIP,
    UnknownQuery.ZERO: Fraction(0),
    UnknownQuery.ERROR: Undefined.ERROR,
}
_EXCLUDING: Mapping[NoRelevant, Exact] = {
    NoRelevant.SKIP: Undefined.SKIP,
    NoRelevant.ERROR: Undefined.ERROR,
}


def _missing_and_ranked(
    measure: Measure, qrels: Qrels, run: Run, convention: Convention
) -> tuple[dict[str, Exact], dict[str, Ranking]]:
    """Return the values of queries missing from the run, and the rankings of the others.

    A missing query without relevant documents is under two rules: `error` beats `skip` beats the value. Clauses
    undefined.missing-query.*.
    """
    missing: dict[str, Exact] = {}
    rankings: dict[str, Ranking] = {}
    for query in qrels:
        ranking = ranking_of(query, run.documents(query), qrels.grades(query), convention, measure.rel)
        if query in run:
            rankings[query] = ranking
            continue
        rules = [_MISSING[convention.missing_query]]
        if ranking.relevant(measure.rel) == 0 and convention.no_relevant in _EXCLUDING:
            rules.append(_EXCLUDING[convention.no_relevant])
        missing[query] = worst(rules) or rules[0]
    return missing, rankings


def _lists(missing: Mapping[str, Exact]) -> int:
    """Count the missing queries that take part, each with an empty list."""
    return sum(value is not Undefined.SKIP for value in missing.values())


def _tap_values(
    measure: Measure, rankings: Mapping[str, Ranking], missing_lists: int, convention: Convention
) -> dict[str, Exact]:
    """Return each query's APCP at the cutoff of the set."""
    x = _tap_cutoff(measure, rankings, missing_lists, convention)
    return {
        query: tap.apcp(tap.scored_list(ranking, measure.rel, convention), ranking.relevant(measure.rel), x, convention)
        for query, ranking in rankings.items()
    }


def _tap_cutoff(
    measure: Measure, rankings: Mapping[str, Ranking], missing_lists: int, convention: Convention
) -> Score | None:
    """Return the cutoff of the set. A query left out of the mean has no say in it; a missing one is an empty list."""
    speaking = [
        tap.scored_list(ranking, measure.rel, convention)
        for ranking in rankings.values()
        if ranking.relevant(measure.rel) or convention.no_relevant is not NoRelevant.SKIP
    ]
    return tap.cutoff([*speaking, *[[]] * missing_lists], measure.k or 1, convention)


def _allowed(where: str, value: Exact, convention: Convention) -> Exact:
    """Pass a value through, unless the convention demands an error for it."""
    if value is Undefined.ERROR:
        rules = (f"{axis}=error" for axis in ("no_relevant", "no_hits", "missing_query", "unknown_query"))
        demanded = [rule for rule in rules if str(getattr(convention, rule.partition("=")[0])) == "error"]
        raise UndefinedValueError(f"{where}: the value is undefined, and the convention says {' and '.join(demanded)}")
    return value


def _reason(query: str, qrels: Qrels, run: Run, rel: int) -> str:
    """Say why a query does not count."""
    if query not in qrels:
        return "not in the qrels"
    if query not in run:
        return "not in the run"
    relevant = any(grade >= max(rel, 0) for grade in qrels.grades(query).values())
    return "none of its relevant documents is in the list" if relevant else "no relevant documents"
