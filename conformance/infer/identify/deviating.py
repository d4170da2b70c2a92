"""How deviations predict: by another question, another input, or by what becomes of the values.

Each stands on another predictor, so that two deviations go together, and computes nothing that the other one knows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from rankspec.conformance.infer.identify.prediction import NOTHING, Predicted, Predictor
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.conformance.judge.agreement import Known
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import Undefined


class OfTheInput(Predictor):
    """Another input is answered than the one that was put: other scores, grades, lists."""

    def __init__(self, changed: Callable[[ShapedProbe], ShapedProbe], base: Predictor) -> None:
        """Take what becomes of a question, and the predictor of the answers."""
        super().__init__(base.effort)
        self._changed = changed
        self._base = base
        self._instead: dict[ShapedProbe, ShapedProbe] = {}

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        if asked not in self._instead:
            self._instead[asked] = self._changed(asked)
        return self._base.seen(self._instead[asked])

    def touches(self, asked: ShapedProbe) -> bool:
        """Tell whether the input is another one."""
        self.seen(asked)
        return self._instead[asked] is not asked or self._base.touches(asked)

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict for the other input; nothing where it means nothing."""
        self.seen(asked)
        try:
            return self._base.predicted(self._instead[asked], convention)
        except (ConventionError, ArithmeticError):
            return NOTHING


class OfTheSet(Predictor):
    """The values of the queries are put together otherwise."""

    def __init__(
        self, mean: Callable[[Sequence[Fraction]], Fraction], counts: Callable[[Known], bool] | None, base: Predictor
    ) -> None:
        """Take what becomes of the values, which ones count if not all do, and the predictor of the values."""
        super().__init__(base.effort)
        self._counts = counts
        self._mean = mean
        self._base = base

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        return self._base.seen(asked)

    def touches(self, asked: ShapedProbe) -> bool:
        """Tell whether there is anything to put together."""
        return self._counts is not None or len({*asked.qrels, *asked.run}) > 1 or self._base.touches(asked)

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Put them together; nothing where there are no values of queries."""
        plain = self._base.predicted(asked, convention)
        if plain.says_nothing or plain.value is Undefined.ERROR or convention.aggregate is not Aggregate.MEAN:
            return NOTHING if convention.aggregate is not Aggregate.MEAN else plain
        counts = self._counts
        counting = {query: value for query, value in plain.per_query.items() if counts is None or counts(value)}
        numbers = [value for value in counting.values() if isinstance(value, Fraction)]
        if len(numbers) < len(counting):
            value: Known = Undefined.NAN
        else:
            value = self._mean(numbers) if numbers else comparable(RULES[convention.empty_mean])
        return Predicted(value, counting, plain.terms)


class OfTheValue(Predictor):
    """The exact value goes through a function at the end."""

    def __init__(self, function: Callable[[Fraction], Fraction], base: Predictor) -> None:
        """Take the function, and the predictor of the values."""
        super().__init__(base.effort)
        self._function = function
        self._base = base

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        return self._base.seen(asked)

    def touches(self, asked: ShapedProbe) -> bool:  # noqa: ARG002 - every value goes through it
        """Tell that it may."""
        return True

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Apply it."""
        plain = self._base.predicted(asked, convention)
        if plain.says_nothing:
            return plain
        return Predicted(
            self._applied(plain.value), {q: self._applied(v) for q, v in plain.per_query.items()}, plain.terms
        )

    def _applied(self, exact: Known) -> Known:
        return exact if isinstance(exact, Undefined) else self._function(exact)


class OfTheQuestion(Predictor):
    """Another question is answered than the one that was put: another cutoff, threshold or depth."""

    def __init__(self, base: Predictor, measure: Callable[[Measure], Measure], depth: int | None = None) -> None:
        """Take the predictor of the questions themselves, what becomes of the measure, and the depth."""
        super().__init__(base.effort)
        self._base = base
        self._measure = measure
        self._depth = depth
        self._puts_instead: dict[ShapedProbe, ShapedProbe] = {}

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        return self._base.seen(self._instead(asked))

    def touches(self, asked: ShapedProbe) -> bool:
        """Tell whether the question is another one."""
        if self._depth is not None and self._depth < _longest(asked):
            return True
        instead = self._instead(asked)
        return instead is not asked or self._base.touches(asked)

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict for the other question; nothing where that has no meaning."""
        if self._depth is not None and self._depth < _longest(asked):
            convention = convention.with_setting("depth", self._depth)
        try:
            return self._base.predicted(self._instead(asked), convention)
        except ConventionError:
            return NOTHING

    def _instead(self, asked: ShapedProbe) -> ShapedProbe:
        if asked not in self._puts_instead:
            measure = self._measure(asked.measure)
            if measure.k is not None:  # a cutoff behind every list is as good as one just behind it
                measure = replace(measure, k=max(1, min(measure.k, max(_longest(asked), asked.measure.k or 1))))
            same = measure == asked.measure
            self._puts_instead[asked] = asked if same else replace(asked, probe=replace(asked.probe, measure=measure))
        return self._puts_instead[asked]


def _longest(asked: ShapedProbe) -> int:
    return max((len(asked.run.documents(query)) for query in asked.run), default=0)
