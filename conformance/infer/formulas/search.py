"""The search for a formula: questions of its own, a sieve, and more questions until what is left can't be told apart.

What it finds are deviations like all others: they are named only if they predict every answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from random import Random

import numpy as np
from rankspec.conformance.infer.deviations.deviation import Deviation, Level, Made
from rankspec.conformance.infer.deviations.each_query import OfEachQuery
from rankspec.conformance.infer.formulas.formula import Formula, Grammar, fix_of, grammar_of, name_of, words_of
from rankspec.conformance.infer.formulas.lists import Query, query_of
from rankspec.conformance.infer.formulas.programs import program_deviations
from rankspec.conformance.infer.formulas.sieve import Answered, Sieve
from rankspec.conformance.infer.interview.evidence import EMPTY
from rankspec.conformance.infer.interview.inputs import name_of_three, probe, seeded
from rankspec.conformance.infer.interview.interview import Interview
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.oracle.conventions.axes import Aggregate, Ties
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import DEFAULT, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.measures.worth import relevant_of, worth_of
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.values import Exact, Undefined

_SHORT = 28
"""On short lists most formulas part, and a reader can check them."""
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


_DOUBLES = 1e-9
"""Far above what a program of doubles is off on 40 documents, far below what two formulas differ by."""
_SINGLES = 2e-6
"""The same of singles, whose unit roundoff is 6e-8."""
_SHOWING = 20
"""So many lists have to be answered with a number."""
_ROUNDS = 4
_ASKED_A_ROUND = 6
"""After six questions the groups of a round are mostly single formulas."""
_BANK = 6
"""So many times as many lists as are asked are looked through for those that tell formulas apart."""
_MOST_WITH_TIES = 2
"""Of formulas that give the same answers without ties, the two plainest are tried with each rule for ties."""
_MOST_TRIED = 4
"""Formulas that can't be told apart differ on nothing that was asked, so a few stand for all."""
_SCALE = 1e8
"""Two formulas are the same where they differ by less than its inverse."""


def formula_deviations(
    interview: Interview, *, singles: bool, digits: int | None = None, is_failing: bool = False
) -> Iterator[Deviation]:
    """Yield the formulas that give the answers to lists without ties, the plainest first.

    Args:
        interview: who is asked.
        singles: it answers in singles.
        digits: it answers with so many digits after the point.
        is_failing: it fails on some inputs, and gives a convention's answers to the others.
    """
    tolerance = 10.0**-digits if digits is not None else _SINGLES if singles else _DOUBLES
    measures = [*interview.target.measures, *interview.target.others[:1]]
    for own in interview.own_cutoffs:
        answered = _asked(interview, _in_shape(interview, formula_probes(measures, seed=11), own))
        numbers = [(asked, each.value) for asked, each in answered]
        if len(numbers) < _SHOWING:
            numbers += _without_ties(interview)
        if len(numbers) < _SHOWING or not any(value for _, value in numbers):
            continue
        yield from program_deviations(interview, numbers, own, tolerance)
        if len(answered) < _SHOWING or is_failing:
            continue
        grammar = _grammar(interview, own)
        if grammar is not None:
            yield from _with(grammar, own, interview, [each for _, each in answered], tolerance)


def _without_ties(interview: Interview) -> list[tuple[ShapedProbe, float]]:
    """Return lists with hits and without difficulties that were answered before."""
    plain = (
        each
        for each in interview.answers
        if each.longest <= _WIDEST
        and not each.features & _DIFFICULT
        and not each.settings.keys() & {"ties", "duplicates"}
        and query_in(each)
    )
    numbers = ((each, number_of(interview.answers[each])) for each in plain)
    return [(each, number) for each, number in numbers if number is not None and math.isfinite(number)]


_WIDEST = 40
"""As long as the lists of formulas: slips are run on each of them."""
_DIFFICULT = frozenset({EMPTY, "a query without relevant documents", "a list without hits", "no documents at all"})


def _grammar(interview: Interview, own: int | None) -> Grammar | None:
    measure = interview.target.measure
    if own is None:
        return grammar_of(measure)
    cut = grammar_of(replace(measure, k=own))
    # Without a cutoff in the measure no convention speaks of one, so a formula has to.
    return None if cut is None else replace(cut, owned=cut.owned - _OF_CUTOFFS)


_OF_CUTOFFS = frozenset({"denominator", "precision_denominator", "recall_denominator"})


def _with(
    grammar: Grammar, own: int | None, interview: Interview, answered: Sequence[Answered], tolerance: float
) -> Iterator[Deviation]:
    sieve = Sieve(grammar, answered, tolerance)
    left = _told_apart(interview, sieve, sieve.kept(), own)
    # Where a convention's formula is left, the others differ from it on nothing that was answered.
    if not any(map(grammar.is_conventional, left)):
        for formula in left[:_MOST_TRIED]:
            yield _deviation(formula, grammar, interview, own)
    for each in grammar.without_hits(left[0]) if left else ():
        yield _deviation(each, grammar, interview, own)
    if Ties.INPUT_ORDER in interview.space.settings.get("ties", ()):
        for formula in left[:_MOST_WITH_TIES]:
            for each in grammar.of_ties(formula):
                yield _deviation(each, grammar, interview, own)


def _in_shape(interview: Interview, probes: Sequence[Probe], own: int | None) -> list[tuple[ShapedProbe, Query]]:
    shaped = [interview.shaped(each) for each in probes]
    pairs = [(each, query_in(each)) for each in shaped if each is not None]
    return [(each, query if own is None else replace(query, k=own)) for each, query in pairs if query is not None]


def _asked(interview: Interview, given: Sequence[tuple[ShapedProbe, Query]]) -> list[tuple[ShapedProbe, Answered]]:
    outcomes = interview.respondent.raw([each.call for each, _ in given])
    numbers = [(*pair, number_of(outcome)) for pair, outcome in zip(given, outcomes, strict=True)]
    return [
        (asked, Answered(query, number))
        for asked, query, number in numbers
        if number is not None and math.isfinite(number)
    ]


def _told_apart(interview: Interview, sieve: Sieve, kept: Sequence[Formula], own: int | None) -> list[Formula]:
    """Return one formula, the plainest, of those that can't be told apart; after questions chosen to refute others."""
    measures = [*interview.target.measures, *interview.target.others]
    bank = _in_shape(interview, formula_probes(measures, seed=12, times=_BANK), own)
    left = list(kept)
    groups: list[Formula] = []
    for _ in range(_ROUNDS):
        values = np.array([formula.values([query for _, query in bank]).astype(float) for formula in left])
        if not len(values):
            return []
        rounded = np.round(values * _SCALE)
        classes = {numbers.tobytes(): place for place, numbers in reversed(list(enumerate(rounded)))}
        groups = [left[place] for place in sorted(classes.values())]
        if len(groups) == 1:
            break
        chosen = telling(rounded[sorted(classes.values())])
        answered = [each for _, each in _asked(interview, [bank[place] for place in chosen])]
        left = [formula for formula in groups if sieve.gives_all(formula, answered)]
        bank = [pair for place, pair in enumerate(bank) if place not in chosen]
    return groups


def telling(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[int]:
    """Return the questions that divide formulas into the most groups, one after the other."""
    chosen: list[int] = []
    groups = np.zeros(len(values), dtype=int)
    for _ in range(_ASKED_A_ROUND):
        counts = [len(set(zip(groups.tolist(), column.tolist(), strict=True))) for column in values.T]
        best = int(np.argmax(counts))
        chosen.append(best)
        pairs = list(zip(groups.tolist(), values[:, best].tolist(), strict=True))
        numbers = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
        groups = np.array([numbers[pair] for pair in pairs])
        if len(numbers) == len(values):
            break
    return chosen


def _deviation(formula: Formula, grammar: Grammar, interview: Interview, own: int | None) -> Deviation:
    settings = interview.space.settings
    restricted: dict[str, tuple[Setting, ...]] = {
        axis: usual[:1] for axis, usual in settings.items() if axis in grammar.owned
    }
    restricted |= {axis: (setting,) for axis, setting in grammar.settings(formula).items() if axis in settings}
    if "ties" in settings:
        restricted["ties"] = tuple(each for each in settings["ties"] if each not in {Ties.GROUPED, Ties.EXPECTED})
    if "aggregate" in settings:
        restricted["aggregate"] = tuple(each for each in settings["aggregate"] if each is not Aggregate.MICRO)
    return Deviation(
        name_of(formula, grammar),
        words_of(formula, grammar) + ("" if own is None else f"; its own cutoff is {own}"),
        of_formula(formula, own),
        Level.AREA,
        restricted=restricted,
        fix=fix_of(formula, grammar),
    )


def of_formula(formula: Formula, own_cutoff: int | None = None) -> Made:
    """Compute another formula; with a cutoff of its own where none is asked for."""
    values: dict[Query, Exact | None] = {}
    has_rule = formula.places.needs_hits and formula.without_hits is None

    def computed(query: Query) -> Exact | None:
        if has_rule and not any(row.gain > 0 for row in formula.looking.rows(query)):
            return None
        (value,) = formula.values([query])
        return Fraction(value) if math.isfinite(value) else Undefined.NAN

    def value(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
        # Rules for lists without a hit hold where the formula looks at hits, and says nothing.
        if relevant_of(ranking, measure, convention) == 0 and formula.without_hits is None:
            return RULES[convention.no_relevant]
        query = query_of(ranking, measure, convention)
        if query.k is None:
            query = replace(query, k=own_cutoff)
        if query not in values:
            values[query] = computed(query)
        known = values[query]
        return RULES[convention.no_hits] if known is None else known

    return partial(OfEachQuery, value=value, is_about=lambda measure: grammar_of(measure) is not None)
