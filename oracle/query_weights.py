"""What queries weigh in their mean: what a user states, their relevant documents, what their counts are divided by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError, InputError
from rankspec.oracle.measures.defined import DefinedList
from rankspec.oracle.measures.evaluated_list import evaluated_lists
from rankspec.oracle.measures.worth import relevant_of
from rankspec.oracle.query_set import QuerySet
from rankspec.oracle.rankings.ranking import Ranking


@clause("map.aggregate.ratio")
def _divisor(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return what a count of one ranking is divided by, the same in every order of its ties."""
    relevant = relevant_of(ranking, measure, convention)
    _, evaluated = next(iter(evaluated_lists(ranking, measure, relevant, convention)))
    return Fraction(DefinedList(evaluated, measure, convention).divisor)


_OF_RANKING: Mapping[Aggregate, Callable[[Ranking, Measure, EffectiveConvention], Fraction | int]] = clause(
    "map.aggregate.by-relevant", "map.aggregate.ratio"
)(MappingProxyType({Aggregate.BY_RELEVANT: relevant_of, Aggregate.RATIO: _divisor}))


@clause("map.mean")
def weights_of(
    names: Iterable[str], measure: Measure, queries: QuerySet, convention: EffectiveConvention
) -> list[Fraction] | None:
    """Return the weight of each of some queries, None where all weigh the same."""
    of_ranking, stated = _OF_RANKING.get(convention.aggregate), queries.weights
    if of_ranking is None and stated is None:
        return None
    weights = []
    for query in names:
        own = 1 if of_ranking is None else of_ranking(queries.ranking(query, measure, convention), measure, convention)
        weights.append(Fraction(own) * (1 if stated is None else _stated(query, stated)))
    return weights


def _stated(query: str, weights: Mapping[str, Fraction]) -> Fraction:
    if query not in weights:
        raise InputError(f"query {query} has no weight; give it one, or 0", code="weight-missing")
    return weights[query]


def require_weighted_mean(measure: Measure, convention: EffectiveConvention) -> None:
    """Refuse stated weights where no mean takes them, by a `ConventionError` with the reason."""
    if measure.family.is_count:
        raise ConventionError(f"{measure}: a count is added up, and takes no weights", code="weights-meaningless")
    if convention.aggregate in {Aggregate.GEOMETRIC, Aggregate.MICRO}:
        raise ConventionError(
            f"{measure}: aggregate={convention.aggregate} takes no weights; a weighted mean is arithmetic",
            code="weights-meaningless",
        )
