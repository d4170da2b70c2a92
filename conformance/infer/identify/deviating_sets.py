"""How deviations of means predict in which queries weigh differently."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from rankspec.conformance.infer.identify.prediction import NOTHING, Predicted, Predictor
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.conformance.judge.agreement import Known
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import Undefined

Weight = Callable[[ShapedProbe, str], Fraction | int]
"""Of a query in a question."""


class OfTheWeighted(Predictor):
    """The mean over queries is a weighted one."""

    def __init__(self, weight: Weight, base: Predictor, *, chooses: bool = False) -> None:
        """Take what a query weighs, the predictor of the values, and whether queries of no weight are left out."""
        super().__init__(base.effort)
        self._chooses = chooses
        self._weight = weight
        self._base = base

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        return self._base.seen(asked)

    def touches(self, asked: ShapedProbe) -> bool:
        """Tell whether there is anything to weigh."""
        return len({*asked.qrels, *asked.run}) > 1 or self._base.touches(asked)

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Weigh the values; 0 where no query weighs anything, and nothing where there are no values of queries."""
        plain = self._base.predicted(asked, convention)
        if plain.says_nothing or convention.aggregate is not Aggregate.MEAN:
            return NOTHING
        if plain.value is Undefined.ERROR:
            return plain
        seen = self.seen(asked)
        weighed = [(value, self._weight(seen, query)) for query, value in plain.per_query.items()]
        if self._chooses:
            weighed = [(value, weight) for value, weight in weighed if weight]
        numbers = [(value, weight) for value, weight in weighed if isinstance(value, Fraction)]
        total = sum((weight for _, weight in numbers), Fraction(0))
        if not weighed:
            value: Known = comparable(RULES[convention.empty_mean])
        elif len(numbers) < len(weighed):
            value = Undefined.NAN
        else:
            added = sum((value * weight for value, weight in numbers), Fraction(0))
            value = added / total if total else Fraction(0)
        return Predicted(value, plain.per_query, plain.terms)
