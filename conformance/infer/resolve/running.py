"""What an installed library returns for people's data, by running it: beside what it declares, which is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from rankspec.conformance.implementations.specs import ImportFailure, SpecificationError, adapter_for, parse
from rankspec.conformance.infer.resolve.known import KnownConvention
from rankspec.conformance.questions.question import PROJECTIONS, LostError, call_of, not_taken
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import mean_of
from rankspec.conformance.run.progress_bars import OnProgress
from rankspec.conformance.run.session import ask
from rankspec.conformance.worker.messages import Call, Hello
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run


class Returned(NamedTuple):
    """What came of running a library."""

    library: str  # with its version
    value: Fraction | None  # of all queries; the mean, where it takes one at a time; None if one of them has no number


def returned_by_each(
    libraries: Mapping[str, KnownConvention], measure: Measure, data: Data, limits: Limits, progress: OnProgress
) -> dict[str, Returned]:
    """Return what libraries, as they were asked for, make of the queries that each takes; by the name it has there."""
    returned: dict[str, Returned] = {}
    for place, (text, known) in enumerate(libraries.items()):
        progress("running what is installed", place, len(libraries))
        # The environment of a stated version is made only where somebody asks for a check.
        value = None if "==" in text else returned_by(known.name, measure, data.without(known.left_out), limits)
        returned |= {} if value is None else {known.name: value}
    return returned


def returned_by(library: str, measure: Measure, data: Data, limits: Limits | None = None) -> Returned | None:
    """Return what a library makes of some data; None if it is not installed, or the data has no place in its call."""
    greetings: list[Hello] = []

    def calls(hello: Hello) -> Sequence[Call]:
        greetings.append(hello)
        return _calls(hello, measure, data)

    try:
        report = ask(parse(adapter_for(library, measure.family.name)), calls, limits)
    except (ImportFailure, SpecificationError, LostError):
        return None
    if not report.outcomes:
        return None
    means = [each.value for each in map(mean_of, report.outcomes) if each is not None]
    numbers = [each for each in means if isinstance(each, Fraction)]
    value = sum(numbers, Fraction()) / len(numbers) if len(numbers) == len(report.outcomes) else None
    return Returned(f"{library} {greetings[0].version or ''}".strip(), value)


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
