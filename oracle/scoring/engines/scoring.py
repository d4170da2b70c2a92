"""From an engine's product to a run's values: missing and unknown queries, the mean, what does not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure, effective
from rankspec.oracle.measures.gain import why_excluded
from rankspec.oracle.measures.rules import value_of_unknown
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.scoring.batch.values import Mean, NeedsScoresError, Values, values_of
from rankspec.oracle.scoring.engines.product import Product
from rankspec.oracle.values import Exact, Undefined

if TYPE_CHECKING:
    from rankspec.oracle.evaluation import Evaluation


@dataclass(eq=False, repr=False, match_args=False)
class RunValues:
    """A run's values under one measure."""

    product: Product  # the queries and their lists
    values: Values  # the values by place

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

    @property
    def evaluation(self) -> Evaluation:
        """Return what `evaluate` does: every value exactly."""
        from rankspec.oracle.evaluation import Evaluation

        values = {query: self.values.exact_of(place) for query, place in self.counting.items()}
        return Evaluation(self.exact_mean, MappingProxyType(values), MappingProxyType(self.excluded))

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
        judgments, lengths, undefined = product.qrels.judgments, product.lengths, self.values.undefined
        return {
            query: why_excluded(judgments.get(query), self.measure, convention, is_in_run=query in lengths)
            for place, query in enumerate(product.queries)
            if undefined.get(place) is Undefined.SKIP
        }


def score_product(measure: Measure, product: Product, convention: Convention = DEFAULT) -> RunValues:
    """Return the correctly rounded values of a run's queries, and of their mean. Raises as `values_of`."""
    # `NeedsScoresError`, too, where the product came about by another rule for ties (`in_order`); `evaluate` decides
    # then.
    holding = effective(measure, convention)
    if measure.family.has("ties") and holding.ties is not product.ties:
        reason = f"{measure}: ties={holding.ties}, and the run was read under ties={product.ties}"
        raise NeedsScoresError(reason, code="scores-missing")
    rankings = {}  # by place, of the queries that the engine could not count
    if (aside := product.aside) is not None:
        placed = enumerate(aside.rankings(measure, holding).items())
        rankings = {place: ranking for place, (query, ranking) in placed if query in aside.run}
    unlisted = _unlisted(measure, product, holding)
    values = values_of(measure, product.lists, convention, unlisted=unlisted, rankings=rankings, names=product.queries)
    return RunValues(product, values)


def score_many(
    measures: Iterable[Measure], product: Product, convention: Convention = DEFAULT
) -> Mapping[Measure, RunValues]:
    """Return a run's values under several measures."""
    return {measure: score_product(measure, product, convention) for measure in measures}


def _unlisted(measure: Measure, product: Product, convention: EffectiveConvention) -> dict[int, Exact]:
    """Return place -> value, of queries that the run lacks and of those that the qrels lack."""
    missing = {place: query for place, query in enumerate(product.qrels) if query not in product.lengths}
    unlisted: dict[int, Exact] = {}
    if missing:
        from rankspec.oracle.evaluation import value_of_missing

        worth = cache(lambda grades: value_of_missing(Ranking((), grades), measure, convention))
        unlisted = {place: worth(tuple(product.qrels.grades(query).values())) for place, query in missing.items()}
    unknown = value_of_unknown(measure, convention.unknown_query)
    return unlisted | dict.fromkeys(range(len(product.qrels.judgments), product.lists.queries), unknown)
