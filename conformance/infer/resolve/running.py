"""What an installed library returns for people's data, by running it: beside what it declares, which is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from rankspec.conformance.implementations.specs import ImportFailure, SpecificationError, adapter_for, parse
from rankspec.conformance.questions.parameters import call_of, not_taken
from rankspec.conformance.questions.rendering import PROJECTIONS, LostError
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.run.session import ask
from rankspec.conformance.worker.messages import Call, Hello
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.sweeps.space import Data


class Returned(NamedTuple):
    """What came of running a library."""

    library: str  # with its version
    value: Fraction  # of all queries; the mean, where it takes one query at a time


def returned_by(library: str, measure: Measure, data: Data, limits: Limits | None = None) -> Returned | None:
    """Return what a library makes of some data; None if it is not installed, or gives no number for a query."""
    heard: list[Hello] = []

    def calls(hello: Hello) -> Sequence[Call]:
        heard.append(hello)
        return _calls(hello, measure, data)

    try:
        report = ask(parse(adapter_for(library, measure.family.name)), calls, limits)
    except (ImportFailure, SpecificationError, LostError):
        return None
    values = [_value(each) for each in report.outcomes]
    numbers = [each for each in values if each is not None]
    if not numbers or len(numbers) < len(values):
        return None
    return Returned(f"{library} {heard[0].version or ''}".strip(), sum(numbers, Fraction()) / len(numbers))


def _calls(hello: Hello, measure: Measure, data: Data) -> list[Call]:
    """Return one call of all queries, or one of each that both sides have; `LostError` for what has no place in it."""
    signature = hello.signature(measure.name)
    if signature is None or data.qrels.decimal is not None or not_taken(measure, signature, fixed=False):
        return []
    signature = replace(signature, short_ids=False)

    def call(qrels: Qrels, run: Run) -> Call:
        return call_of(measure, PROJECTIONS[signature.shape](qrels, run, measure, signature).arguments, signature)

    try:
        return [call(data.qrels, data.run)]
    except LostError:
        common = [query for query in data.qrels if query in data.run]
        one = [(Qrels.of({each: data.qrels.grades(each)}), Run.of({each: data.run.documents(each)})) for each in common]
        return [call(*each) for each in one]


def _value(outcome: Outcome) -> Fraction | None:
    if isinstance(outcome, PerQuery) and outcome.overall is None:
        numbers = [each.value for each in outcome.values.values() if isinstance(each.value, Fraction)]
        return sum(numbers, Fraction()) / len(numbers) if 0 < len(numbers) == len(outcome.values) else None
    found = outcome.overall if isinstance(outcome, PerQuery) else outcome
    return found.value if isinstance(found, Number) and isinstance(found.value, Fraction) else None
