"""The questions by which formulas are told apart: lists without ties, all judged, so that a formula alone decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from rankspec.conformance.infer.formulas.listing import Query, query_of
from rankspec.conformance.infer.identify.candidate_inputs import name_of_three, probe, seeded
from rankspec.conformance.infer.identify.probe import Probe, ShapedProbe
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.worth import worth_of
from rankspec.oracle.rankings.ordering import ranking_of

_SHORT = 28
_LONG = 8
_GAPS = 8
_GRADES = (1, 1, 2, 3, 4)


def formula_probes(measures: Sequence[Measure], seed: int, times: int = 1) -> list[Probe]:
    """Return short lists, long ones, and ones with gaps of misses: each has a hit in sight, and sizes of its own."""
    generator = seeded(seed)
    made = [_made(generator) for _ in range(times)]
    return [
        _probe(number, labels, measures[number % len(measures)], generator)
        for number, labels in enumerate(labels for lists in made for labels in lists)
    ]


def _made(generator: Random) -> Iterator[list[bool]]:
    for number in range(_SHORT):
        length = generator.randint(1, 4) if number % 7 == 6 else generator.randint(4, 11)  # noqa: PLR2004
        yield [generator.random() < generator.choice((0.3, 0.5, 0.7)) for _ in range(length)]
    for _ in range(_LONG):
        yield [generator.random() < generator.choice((0.2, 0.5)) for _ in range(generator.randint(20, 40))]
    for number in range(_GAPS):
        misses = (2, 3, 4, 5, 7, 10, 15, 21)[number]
        start = [generator.random() < 0.6 for _ in range(4)]  # noqa: PLR2004
        yield [*start, True, *[False] * misses, True, *[False] * (misses - 1), True, False]


def _probe(number: int, hits: Sequence[bool], measure: Measure, generator: Random) -> Probe:
    labels = [generator.choice(_GRADES) if hit else 0 for hit in hits]
    if not any(labels[: measure.k]):
        labels[generator.randrange(min(len(labels), measure.k or len(labels)))] = generator.choice(_GRADES)
    outside = [generator.choice(_GRADES) for _ in range(generator.choice((0, 0, 1, 2, 3, 5)))]
    if not measure.is_graded:
        labels, outside = ([max(measure.rel, 1) if each else 0 for each in grades] for grades in (labels, outside))
    names = [name_of_three(each) for each in range(len(labels) + len(outside))]
    grades = dict(zip(names, [*labels, *outside], strict=True))
    listed = [(name, str(len(labels) - place)) for place, name in enumerate(names[: len(labels)])]
    return probe(f"formula {number}", measure, {"q": grades}, {"q": listed})


def query_in(asked: ShapedProbe) -> Query | None:
    """Return the one query of a question as a formula sees it; None if there are others."""
    queries = {*asked.qrels, *asked.run}
    if len(queries) != 1:
        return None
    (query,) = queries
    convention = asked.measure.under(DEFAULT)
    grades = asked.qrels.grades(query)
    worth = worth_of(asked.measure, convention)
    ranking = ranking_of(query, asked.run.documents(query), grades, convention, worth)
    return query_of(ranking, asked.measure, convention)


def number_of(outcome: Outcome) -> float | None:
    """Return the number that was answered for one query, None if there is none."""
    match outcome:
        case PerQuery(values):
            numbers = list(values.values())
        case Number():
            numbers = [outcome]
        case _:
            numbers = []
    if len(numbers) != 1:
        return None
    try:
        return float(numbers[0].value)  # type: ignore[arg-type]
    except (OverflowError, TypeError, ValueError):
        return None
