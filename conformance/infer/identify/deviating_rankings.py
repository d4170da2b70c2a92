"""How deviations predict in which a list is labelled by other judgments than those that are counted."""

from __future__ import annotations

from dataclasses import replace

from rankspec.conformance.infer.identify.altered_sets import Counted, Labels
from rankspec.conformance.infer.identify.deviating_areas import OfEachQuery
from rankspec.conformance.infer.identify.prediction import Predicted, Predictor
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.measures.worth import worth_of
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.values import Exact


class OfTwoSets(OfEachQuery):
    """The list has labels of one set of judgments, R counts another."""

    def __init__(self, labels: Labels, counted: Counted, base: Predictor) -> None:
        """Take the labels of a query's documents, the grades that are counted, and what predicts without that."""
        super().__init__(base.effort)
        self._base = base
        self._touched: dict[ShapedProbe, bool] = {}
        self._labels = labels
        self._counted = counted

    def touches(self, asked: ShapedProbe) -> bool:
        """Tell whether the two are not a query's own."""
        if asked not in self._touched:
            self._touched[asked] = self._differ(asked)
        return self._touched[asked]

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict as without it where it changes nothing."""
        return super().predicted(asked, convention) if self.touches(asked) else self._base.predicted(asked, convention)

    def _differ(self, asked: ShapedProbe) -> bool:
        return any(
            dict(self._labels(asked, query)) != dict(asked.qrels.grades(query))
            or list(self._counted(asked, query)) != list(asked.qrels.grades(query).values())
            for query in asked.qrels
        )

    def is_about(self, measure: Measure) -> bool:
        """Tell whether the value is one of a ranking by itself."""
        family = measure.family
        return not (family.cuts_by_score or family.is_count or family.is_of_query)

    def ranking(self, query: str, asked: ShapedProbe, convention: EffectiveConvention) -> Ranking:
        """Return the ranking with labels of the one, and judgments of the other."""
        measure = asked.measure
        documents, labels = asked.run.documents(query), self._labels(asked, query)
        ranking = ranking_of(query, documents, labels, convention, worth_of(measure, convention))
        return replace(ranking, judged=tuple(self._counted(asked, query)))

    def value(self, ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
        """Ask the oracle."""
        return value_of(ranking, measure, convention)
