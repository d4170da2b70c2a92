"""What the oracle demands as the answer to a question under a convention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2

from rankspec.conformance.questions.roundings import (
    NO_ROUNDINGS,
    Roundings,
    Sizes,
    of_logarithms,
    of_measure,
    sizes_of_queries,
)
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluation import Evaluation, ExactValues, evaluate_set
from rankspec.oracle.query_set import QuerySet
from rankspec.oracle.reals.deciding import compare
from rankspec.oracle.sweeps.space import observable_settings
from rankspec.oracle.values import Undefined, to_double, to_text


@dataclass(frozen=True)
class Expectation(ExactValues):
    """The exact answer; its value is `Undefined.ERROR` where an error is demanded."""

    pooled: bool = False  # queries have no values of their own
    roundings: Roundings = NO_ROUNDINGS  # how many units of roundoff a sensible program may be off
    is_count: bool = False  # it is a number of things, in which a program can't be a little off

    @property
    def text(self) -> str:
        """The exact value as text."""
        return to_text(self.exact)

    def equals(self, other: Expectation) -> bool:
        """Tell whether both are of one value, however it is written."""
        if isinstance(self.exact, Undefined) or isinstance(other.exact, Undefined):
            return self.exact is other.exact
        return compare(self.exact, other.exact) == 0


class Demands:
    """What conventions demand as the answer to one question; what several order alike is ordered once."""

    def __init__(self, measure: Measure, qrels: Qrels, run: Run) -> None:
        self._measure = measure
        self._queries = QuerySet(qrels, run)
        self._sizes: dict[bool, Sizes] = {}

    def under(self, convention: Convention) -> Expectation:
        """Return what a convention demands; `ConventionError` where it means nothing for the measure."""
        measure = self._measure
        convention = measure.under(convention)
        pooled = convention.aggregate is Aggregate.MICRO and not measure.family.is_count
        if pooled not in self._sizes:
            self._sizes[pooled] = sizes_of_queries(self._measure, self._queries.qrels, self._queries.run, pooled=pooled)
        roundings = of_measure(measure, self._sizes[pooled], convention)
        try:
            evaluation = evaluate_set(measure, self._queries, convention)
        except UndefinedValueError:
            return Expectation(Undefined.ERROR, pooled=pooled, roundings=roundings)
        if convention.aggregate is Aggregate.GEOMETRIC:
            roundings = _of_geometric_mean(roundings, evaluation, convention)
        return Expectation(evaluation.exact, evaluation.exact_per_query, pooled, roundings, measure.family.is_count)

    def under_each(self, conventions: Sequence[Convention]) -> list[Expectation]:
        """Return what each of some conventions demands; those that the input can't tell apart are asked for once."""
        # Of a case's forty conventions near by, that leaves 14. `ConventionError` for one that means nothing,
        # `InputError` for a value that is not computed.
        if len(conventions) == 1:
            return [self.under(conventions[0])]
        axes = self._deciding_axes()
        known: dict[tuple[Setting, ...], Expectation] = {}
        listed = []
        for each in conventions:
            is_geometric = self._measure.under(each).aggregate is Aggregate.GEOMETRIC
            of_means = (each.geometric_floor, each.geometric_zero) if is_geometric else ()
            settings = (*[getattr(each, axis) for axis in axes], *of_means)
            if settings not in known:
                known[settings] = self.under(each)
            listed.append(known[settings])
        return listed

    def _deciding_axes(self) -> set[str]:
        """Return the axes that can matter for the input, and some more: one too few would be a wrong answer."""
        # A block of ties that is longer than the cutoff is dropped whole when it is grouped, which leaves no hits; and
        # where queries are pooled, what is left of them may have no relevant document, no hit, or unjudged documents.
        qrels, run = self._queries.qrels, self._queries.run
        numbers = {
            axis for axis in self._measure.family.axes if AXES[axis].values is None and axis != "geometric_floor"
        }
        axes = {*observable_settings(self._measure, Data(qrels, run)), "depth", "aggregate", "empty_mean", *numbers}
        if "ties" in axes and self._measure.k is not None:
            axes.add("no_hits")
        if len({*qrels, *run}) != 1 or {*qrels} != {*run}:
            axes |= {"no_relevant", "no_hits", "unjudged"}
        return axes


def expected(measure: Measure, qrels: Qrels, run: Run, convention: Convention) -> Expectation:
    """Return what one convention demands; `ConventionError` where it means nothing for the measure."""
    return Demands(measure, qrels, run).under(convention)


_MOST_EXPONENT = 1074  # The logarithm to base 2 of the least double, but for its sign


def _of_geometric_mean(one: Roundings, evaluation: Evaluation, convention: Convention) -> Roundings:
    """Count the logarithms too, and what is off relative to 1 relative to the least value above 0."""
    floor = to_double(convention.geometric_floor)
    doubles = [to_double(exact) for exact in evaluation.exact_per_query.values()]
    least = min((max(double, floor) for double in doubles if double > 0 or floor > 0), default=1.0)
    size = min(max(1, ceil(-log2(least))), _MOST_EXPONENT) if least > 0 else _MOST_EXPONENT
    # A value of 0 is one in floats as well: what is taken from 1 there is 1 itself.
    subtracted = min((max(double, floor) for double in doubles if double > 0), default=1.0)
    relative = one.relative + ceil(one.absolute / subtracted)
    # Doubles may be complements, each of whose roundings is relative to 1.
    return Roundings(relative, one.absolute, ceil(one.total / subtracted)) + of_logarithms(len(doubles), size)
