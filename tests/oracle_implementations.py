"""Implementations made of the oracle: what a convention demands, in each shape, in this process."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace

from rankspec.conformance.cases.inputs import QUERY, from_actual_predicted, from_labels_scores, from_relevance
from rankspec.oracle import Convention, Measure, Qrels, Run, UndefinedValueError, evaluate
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.run import as_float64
from rankspec.oracle.sweeps.space import observable_settings

_LARGE = 60
"""Lists of hundreds of documents take most of the time, and few axes show on them: conventions share their values."""
_ALWAYS = ("aggregate", "empty_mean", "geometric_zero", "no_hits", "no_relevant", "ties", "unjudged")
_LARGE_VALUES = {}


@dataclass
class OracleImplementation:
    """What a convention demands for a measure: one value for a set of queries."""

    measure: Measure
    convention: Convention
    _known: dict[object, float | None] = field(default_factory=dict)

    def value(self, grades, listed, k):
        """Return the double nearest to the value; what is undefined is an error."""
        key = (repr(grades), repr(listed), k)
        if key not in self._known:
            self._known[key] = self._computed(key, Qrels.of(grades), Run.of(listed))
        known = self._known[key]
        if known is None:
            raise ValueError("undefined")
        return known

    def _computed(self, key, qrels, run):
        measure = self.measure if key[2] is None else replace(self.measure, k=key[2])
        if sum(len(run.documents(query)) for query in run) <= _LARGE:
            return _double(measure, qrels, run, self.convention)
        axes = sorted({*_ALWAYS, *observable_settings(measure, Data(qrels, run, scored=True))})
        shared = (measure, key, *(getattr(self.convention, axis) for axis in axes))
        if shared not in _LARGE_VALUES:
            _LARGE_VALUES[shared] = _double(measure, qrels, run, self.convention)
        return _LARGE_VALUES[shared]

    def of_one(self, read, k):
        """Return the value of one query."""
        return self.value({QUERY: read[0]}, {QUERY: read[1]}, k)


def _double(measure, qrels, run, convention):
    try:
        return evaluate(measure, qrels, run, convention).double
    except UndefinedValueError:
        return None


def implementation_of(measure, convention, shape):
    """Return a function of a shape that computes a measure under a convention; it takes a cutoff where there is one."""
    oracle = OracleImplementation(measure, convention)

    def ranking(relevance, num_relevant, k=None):
        return oracle.of_one(from_relevance(relevance, num_relevant), k)

    def labels_scores(y_true, y_score, k=None):
        return oracle.of_one(from_labels_scores(y_true, [as_float64(score) for score in y_score]), k)

    def actual_predicted(actual, predicted, k=None):
        return oracle.of_one(from_actual_predicted(actual, predicted), k)

    def qrels_run(qrels, run, k=None):
        listed = {query: [(docno, as_float64(score)) for docno, score in docs.items()] for query, docs in run.items()}
        return oracle.value(qrels, listed, k)

    functions = {"ranking": ranking, "labels-scores": labels_scores, "actual-predicted": actual_predicted}
    function = functions.get(shape, qrels_run)
    if measure.k is None:
        signature = inspect.signature(function)
        parameters = [each for each in signature.parameters.values() if each.name != "k"]
        function.__signature__ = signature.replace(parameters=parameters)
    return function
