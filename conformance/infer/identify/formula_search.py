"""The search for a formula: questions of its own, a sieve, and more questions until what is left can't be told apart.

What it finds are deviations like all others: they are named only if they predict every answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from rankspec.conformance.infer.formulas.edits import IGNORED
from rankspec.conformance.infer.formulas.formula import Formula
from rankspec.conformance.infer.formulas.grammar import Grammar, grammar_of
from rankspec.conformance.infer.formulas.listing import Query
from rankspec.conformance.infer.formulas.sifting import Answered, Sieve
from rankspec.conformance.infer.formulas.words import name_of, words_of
from rankspec.conformance.infer.identify.deviating_formulas import OfTheFormula
from rankspec.conformance.infer.identify.deviation import Deviation, Level
from rankspec.conformance.infer.identify.formula_questions import formula_probes, number_of, query_in
from rankspec.conformance.infer.identify.interview import Interview
from rankspec.conformance.infer.identify.probe import Probe, ShapedProbe
from rankspec.oracle.conventions.axes import Aggregate, Ties
from rankspec.oracle.conventions.axis import Setting

_DOUBLES = 1e-9
_SINGLES = 2e-6
_SHOWING = 20
"""So many lists have to be answered with a number."""
_ROUNDS = 4
_ASKED_A_ROUND = 6
_BANK = 6
"""So many times as many lists as are asked are looked through for those that tell formulas apart."""
_MOST_WITH_TIES = 2
_MOST_TRIED = 4
_SCALE = 1e8
"""Two formulas are the same where they differ by less than its inverse."""


def formula_deviations(interview: Interview, *, singles: bool, digits: int | None = None) -> Iterator[Deviation]:
    """Yield the formulas that give the answers to lists without ties, the plainest first.

    Args:
        interview: who is asked.
        singles: it answers in singles.
        digits: it answers with so many digits after the point.
    """
    for own in interview.own_cutoffs:
        grammar = _grammar(interview, own)
        if grammar is not None:
            tolerance = 10.0**-digits if digits is not None else _SINGLES if singles else _DOUBLES
            yield from _with(grammar, own, interview, tolerance)


def _grammar(interview: Interview, own: int | None) -> Grammar | None:
    measure = interview.target.measure
    if own is None:
        return grammar_of(measure)
    cut = grammar_of(replace(measure, k=own))
    # Without a cutoff in the measure no convention speaks of one, so a formula has to.
    if cut is None:
        return None
    return replace(cut, owned=cut.owned - _OF_CUTOFFS, cuts=tuple(each for each in cut.cuts if each is not IGNORED))


_OF_CUTOFFS = frozenset({"denominator", "precision_denominator", "recall_denominator"})


def _with(grammar: Grammar, own: int | None, interview: Interview, tolerance: float) -> Iterator[Deviation]:
    measures = [*interview.target.measures, *interview.target.others[:1]]
    answered = _asked(interview, _in_shape(interview, formula_probes(measures, seed=11), own))
    if len(answered) < _SHOWING or not any(each.value for each in answered):
        return
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


def _asked(interview: Interview, given: Sequence[tuple[ShapedProbe, Query]]) -> list[Answered]:
    outcomes = interview.respondent.raw([each.call for each, _ in given])
    numbers = [(query, number_of(outcome)) for (_, query), outcome in zip(given, outcomes, strict=True)]
    return [Answered(query, number) for query, number in numbers if number is not None and math.isfinite(number)]


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
        answered = _asked(interview, [bank[place] for place in chosen])
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
        words_of(formula, grammar) + ("" if own is None else f"; k is {own} of its own"),
        lambda base: OfTheFormula(formula, base.effort, own),
        Level.AREA,
        restricted=restricted,
    )
