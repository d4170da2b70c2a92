"""From an engine's product to a run's values: missing and unknown queries, the mean, what does not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rankspec.oracle.batch.values import Mean, Values, values_of
from rankspec.oracle.conventions.axes import MissingQuery, NoRelevant, UnknownQuery
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, require_meaning
from rankspec.oracle.engines.product import Product
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluate import OF_THE_QUERY
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.measures.worth import relevant_of
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.values import Exact, Undefined, worst


@dataclass(frozen=True)
class RunValues:
    """A run's values under one measure.

    Attributes:
        product: the queries and their lists.
        values: the values by place.
    """

    product: Product
    values: Values

    @property
    def measure(self) -> Measure:
        """Return the measure."""
        return self.values.measure

    @cached_property
    def mean(self) -> Mean:
        """Return the value of the query set."""
        return self.values.mean()

    @cached_property
    def exact_mean(self) -> Exact:
        """Return the same exactly, which takes longer."""
        return self.mean.exact if self.mean.exact is not None else self.values.exact_mean()

    @cached_property
    def counting(self) -> dict[str, int]:
        """Return query -> place, for the queries that count."""
        undefined = self.values.undefined
        return {
            query: place
            for place, query in enumerate(self.product.queries)
            if undefined.get(place) is not Undefined.SKIP
        }

    @cached_property
    def excluded(self) -> dict[str, str]:
        """Return query -> why it does not count."""
        product, convention = self.product, self.values.convention
        reasons = {}
        for place, query in enumerate(product.queries):
            if self.values.undefined.get(place) is Undefined.SKIP:
                if query not in product.qrels:
                    reasons[query] = "not in the qrels"
                elif query not in product.lengths:
                    reasons[query] = "not in the run"
                else:
                    empty = Ranking((), tuple(product.qrels.grades(query).values()))
                    found = relevant_of(empty, self.measure, convention)
                    reasons[query] = (
                        "none of its relevant documents is in the list" if found else "no relevant documents"
                    )
        return reasons


def score_product(measure: Measure, product: Product, convention: Convention = DEFAULT) -> RunValues:
    """Return the correctly rounded values of a run's queries, and of their mean.

    Raises:
        ConventionError: the convention means nothing for the measure.
        NeedsScoresError: the product does not decide the value; `evaluate` does.
        UndefinedValueError: a value is undefined and the convention says `error`.
    """
    require_meaning(measure, convention)
    inner = measure.under(convention)
    given = _given(measure, product, inner)
    for place, value in given.items():
        if value is Undefined.ERROR:
            raise UndefinedValueError(
                f"query {product.queries[place]}: the value is undefined, and the convention says error"
            )
    return RunValues(product, values_of(measure, product.lists, convention, given=given))


def score_many(
    measures: Iterable[Measure], product: Product, convention: Convention = DEFAULT
) -> Mapping[Measure, RunValues]:
    """Return a run's values under several measures."""
    return {measure: score_product(measure, product, convention) for measure in measures}


_MISSING: Mapping[MissingQuery, Undefined | None] = {
    MissingQuery.ZERO: None,
    MissingQuery.SKIP: Undefined.SKIP,
    MissingQuery.ERROR: Undefined.ERROR,
}
_NUMBERS = (Fraction(0), Fraction(1))
_EXCLUDING = {NoRelevant.SKIP: Undefined.SKIP, NoRelevant.ERROR: Undefined.ERROR}


def _given(measure: Measure, product: Product, convention: Convention) -> dict[int, Exact]:
    """Return place -> value, of queries that the run lacks and of those that the qrels lack.

    Clauses undefined.missing-query.*, undefined.unknown-query.*.
    """
    given: dict[int, Exact] = {}
    for place, query in enumerate(product.qrels):
        if query not in product.lengths:
            given[place] = _of_missing(measure, product, query, convention)
    unknown: Exact = Undefined.SKIP
    if convention.unknown_query is UnknownQuery.ERROR:
        unknown = Undefined.ERROR
    elif convention.unknown_query is UnknownQuery.ZERO:
        unknown = _NUMBERS[measure.name == "NumQ"]
    first = len(product.qrels.judgments)
    return given | dict.fromkeys(range(first, product.lists.queries), unknown)


def _of_missing(measure: Measure, product: Product, query: str, convention: Convention) -> Exact:
    empty = Ranking((), tuple(product.qrels.grades(query).values()))
    rules: list[Exact] = [_MISSING[convention.missing_query] or _NUMBERS[0]]
    excluding = convention.no_relevant in _EXCLUDING and "no_relevant" in measure.family.axes
    if excluding and relevant_of(empty, measure, convention) == 0:
        rules.append(_EXCLUDING[convention.no_relevant])
    if undefined := worst(rules):
        return undefined
    return value_of(empty, measure, convention) if measure.name in OF_THE_QUERY else rules[0]
