"""The search for a program that gives the answers: questions of its own, on which slips of programs part.

What it finds are deviations like all others: they are named only if they predict every answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from rankspec.conformance.infer.deviations.deviation import Deviation
from rankspec.conformance.infer.formulas.programs import program_deviations
from rankspec.conformance.infer.interview.evidence import EMPTY
from rankspec.conformance.infer.interview.inputs import name_of_three, probe, seeded
from rankspec.conformance.infer.interview.interview import Interview
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.oracle.conventions.measure import Measure

_SHORT = 28
"""On short lists most programs part, and a reader can check them."""
_LONG = 8
"""Lists of 20 to 40 documents, where what depends on the length alone shows."""
_GAPS = 8
"""Up to 21 misses in a row, where programs give up."""
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


_DOUBLES = 1e-9
"""Far above what a program of doubles is off on 40 documents, far below what two formulas differ by."""
_SINGLES = 2e-6
"""The same of singles, whose unit roundoff is 6e-8."""
_SHOWING = 20
"""So many lists have to be answered with a number."""


def formula_deviations(interview: Interview, *, singles: bool, digits: int | None = None) -> Iterator[Deviation]:
    """Yield the programs that give the answers to lists without ties, those first that explain the most.

    Args:
        interview: who is asked.
        singles: it answers in singles.
        digits: it answers with so many digits after the point.
    """
    tolerance = 10.0**-digits if digits is not None else _SINGLES if singles else _DOUBLES
    measures = [*interview.target.measures, *interview.target.others[:1]]
    shaped = [each for each in map(interview.shaped, formula_probes(measures, seed=11)) if each is not None]
    outcomes = interview.respondent.raw([each.call for each in shaped])
    answered = _finite(zip(shaped, outcomes, strict=True))
    if len(answered) < _SHOWING:
        answered += _finite((each, interview.answers[each]) for each in interview.answers if _is_plain(each))
    if len(answered) >= _SHOWING and any(value for _, value in answered):
        for own in interview.own_cutoffs:
            yield from program_deviations(interview, answered, own, tolerance)


def _finite(outcomes: Iterable[tuple[ShapedProbe, Outcome]]) -> list[tuple[ShapedProbe, float]]:
    numbers = [(asked, number_of(outcome)) for asked, outcome in outcomes]
    return [(asked, number) for asked, number in numbers if number is not None and math.isfinite(number)]


def _is_plain(asked: ShapedProbe) -> bool:
    """Tell a list with hits of one query, and without ties and difficulties."""
    is_short = asked.longest <= _WIDEST and len({*asked.qrels, *asked.run}) == 1
    return is_short and not asked.features & _DIFFICULT and not asked.settings.keys() & {"ties", "duplicates"}


_WIDEST = 40
"""As long as the lists of formulas: slips are run on each of them."""
_DIFFICULT = frozenset({EMPTY, "a query without relevant documents", "a list without hits", "no documents at all"})
