"""How a formula predicts: query by query, in numbers of 40 digits, on the lists that a convention makes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from mpmath import libmp
from rankspec.conformance.infer.formulas.formula import Formula
from rankspec.conformance.infer.formulas.grammar import grammar_of
from rankspec.conformance.infer.formulas.listing import Query, query_of
from rankspec.conformance.infer.identify.deviating_areas import OfEachQuery
from rankspec.conformance.infer.identify.prediction import Effort
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.measures.worth import relevant_of
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.values import Exact


class OfTheFormula(OfEachQuery):
    """Another formula is computed."""

    def __init__(self, formula: Formula, effort: Effort, own_cutoff: int | None = None) -> None:
        """Take the formula, where effort is counted, and the cutoff where none is asked for."""
        super().__init__(effort)
        self._own_cutoff = own_cutoff
        self._formula = formula
        self._values: dict[Query, Fraction | None] = {}

    def is_about(self, measure: Measure) -> bool:
        """Tell whether the measure has a formula."""
        return grammar_of(measure) is not None

    def value(self, ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
        """Return the value; rules for lists without a hit hold where the formula looks at hits, and says nothing."""
        if relevant_of(ranking, measure, convention) == 0 and self._formula.without_hits is None:
            return RULES[convention.no_relevant]
        query = query_of(ranking, measure, convention)
        if query.k is None:
            query = replace(query, k=self._own_cutoff)
        if query not in self._values:
            self._values[query] = self._of(query)
        value = self._values[query]
        return RULES[convention.no_hits] if value is None else value

    def _of(self, query: Query) -> Fraction | None:
        formula = self._formula
        has_rule = formula.places.needs_hits and formula.without_hits is None
        if has_rule and not any(row.gain > 0 for row in formula.looking.rows(query)):
            return None
        (value,) = formula.values([query], precise=True)
        return Fraction(*libmp.to_rational(value._mpf_)) if hasattr(value, "_mpf_") else Fraction(value)
