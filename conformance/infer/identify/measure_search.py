"""Which measure a function computes, where neither its user nor its name says it: the usual ones are tried."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import chain, product, repeat

from rankspec.conformance.implementations.naming import measures_returned
from rankspec.conformance.infer.interview.evidence import EMPTY, HITS, MISSES, NEGATIVE, Evidence
from rankspec.conformance.infer.interview.interview import Interview, Target, target_for, with_own_cutoff
from rankspec.conformance.infer.interview.prediction import OverBudgetError, decimal_places, numbers_of
from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.infer.interview.relations import answer_of, list_of_hits
from rankspec.conformance.infer.interview.respondent import Respondent
from rankspec.conformance.infer.interview.version_space import Versions, narrowed, space_of
from rankspec.conformance.judge.agreement import UNIT_FLOAT64
from rankspec.conformance.run.connection import Connectable
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.worker.messages import Hello
from rankspec.conformance.worker.parameter_uses import ORDINALS
from rankspec.conformance.worker.shapes import CUTOFF, Need
from rankspec.conformance.worker.values import bare_name
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import FAMILIES, UNSTATED
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.textbook import fixed_differences
from rankspec.oracle.errors import ConventionError

_USUAL = ("nDCG", "RR", "Success", "P", "R", "F", "SetP", "SetR", "SetF", "Rprec", "DCG", "Accuracy")
"""The plainest first; those that take a cutoff where the function takes one."""
_FURTHER = {"P": (UNSTATED,), "SetP": (UNSTATED,)}  # "Context precision" is an average one, which is dear to try

_PLAIN_LISTS = (
    *((4, (0,), 1), (5, (1,), 1), (5, (4,), 1), (6, (2,), 2), (4, (0, 2), 2), (5, (1, 2), 3), (6, (0, 1), 3)),
    *((4, (0, 1, 2), 3), (5, (1, 3), 3), (6, (0, 4), 2), (4, (1,), 3), (5, (3,), 1), (6, (4, 5), 2)),
)
"""Lists of one query, their hits, and R: no rule for short lists, ties or missing documents is asked about."""
_FEWEST_PLAIN = 4  # So many have to be answered with a number
_FEWEST_DIGITS = 2  # Precisions at 10 have one digit, and are not rounded

# For a cutoff that each value has by itself.
_LONG_LISTS = ((25, (2, 6, 11, 22), 6), (25, (0, 4, 9, 19, 23), 5), (25, (24,), 2))
_OWN_CUTOFFS = (1, 3, 5, 10, 20)


def other_measure(interview: Interview) -> Measure | None:
    """Return the first of the usual measures that gives all answers to small inputs, as textbooks have it or else."""
    # Nothing is asked for it: what a function answers does not depend on what it is taken for. Where none does, answers
    # to grades 0 and 1 decide: a sum of grades over k is a precision that adds them. A definition with a value of its
    # own for lists that have nothing to divide by may have another one there.
    assumed, small = interview.target.measure, interview.small
    other = _measure_giving(interview, _candidates(assumed), small)
    # Of grades 0 and 1 alone a grade is as good as a hit.
    usual = small.without(NEGATIVE).answers
    binary = Evidence({each: outcome for each, outcome in usual.items() if each.highest_grade <= 1})
    if other is None and len(binary.answers) < len(small.answers):
        other = _measure_giving(interview, [assumed, *_candidates(assumed)], binary)
    if other is None:
        own = [each for each in _candidates(assumed) if each.family.definition and each.family.definition.empty]
        other = _measure_giving(interview, own, small.without(EMPTY).without(MISSES).without(HITS))
    return other if other != assumed else None


def plain_measure(interview: Interview, names: tuple[str, ...] = (), cutoffs: Sequence[int] = ()) -> Measure | None:
    """Return the usual measure whose textbook values a few plain lists have; of several values the one so named."""
    assumed, signature = interview.target.measures[0], interview.target.signature
    is_nameless = not (names or interview.target.named)
    if is_nameless and signature.need(CUTOFF) is Need.ABSENT and (depth := interview.effective_depth):
        cutoffs = (depth,)
    lists = (*_PLAIN_LISTS, *_LONG_LISTS) if names or cutoffs else _PLAIN_LISTS
    shaped = interview.all_shaped(list_of_hits("plain", n, hits, assumed, r) for n, hits, r in lists)
    replies = interview.respondent.raw([replace(each.call, names=names) for each in shaped])
    answered = [each for each in zip(shaped, replies, strict=True) if isinstance(each[1], Number | PerQuery)]
    outcomes = [outcome for _, outcome in answered]
    if len(answered) < _FEWEST_PLAIN or len({answer_of(outcome) for _, outcome in answered}) == 1:
        return None
    one_mean = not any(isinstance(outcome, PerQuery) for _, outcome in answered)
    cut = (Measure(UNSTATED, k) for k in cutoffs)
    # The precision at 1 is nDCG@1, and the recall at 1 is AP@1.
    plainest = (sorted((each, *_candidates(each)), key=lambda one: one.k == 1 and one.name not in "PR") for each in cut)
    readings = [*_as_returned(outcomes)]
    for measure in chain((assumed, *_candidates(assumed)), *plainest):
        with suppress(ConventionError):
            start = space_of(measure, signature, one_mean=one_mean).start
            posed = [replace(each, probe=replace(each.probe, measure=measure)) for each, _ in answered]
            if any(all(map(interview.fits, posed, each, repeat(start))) for each in readings):
                return measure
    return None


def _as_returned(outcomes: Sequence[Outcome]) -> Iterator[list[Outcome]]:
    """Yield answers as they are, as numbers that were printed, since people round, and both as percentages."""
    numbers = [number for each in outcomes for number in numbers_of(each)]
    digits = decimal_places(numbers, UNIT_FLOAT64)
    last = Fraction(0) if digits is None or digits < _FEWEST_DIGITS else Fraction(1, 10**digits)
    for scale, unit in product((1, 100) if max(numbers, default=0) > 1 else (1,), dict.fromkeys((Fraction(0), last))):
        yield [_scaled(each, scale, unit / scale) for each in outcomes]


def _scaled(outcome: Outcome, scale: int, unit: Fraction) -> Outcome:
    """Return an answer divided by a number, whose last digit has a unit."""
    match outcome:
        case Number(Fraction() as value):
            return replace(outcome, value=value / scale, unit=unit or outcome.unit)
        case PerQuery(values):
            return PerQuery({query: _scaled(each, scale, unit) for query, each in values.items()})  # type: ignore[misc]
    return outcome


def hello_of(connectable: Connectable) -> Hello:
    """Return what an implementation says of itself, with the measures of several values (`ImportFailure`)."""
    with connectable.connect() as connection:
        hello = connection.hello
    if hello.returns:
        with Respondent(connectable) as respondent:
            hello = respondent.hello
            deque(name_values(target_for(connectable.text, hello, None), respondent), 0)
    return hello


def name_values(target: Target, respondent: Respondent) -> Iterator[str]:
    """Find the usual measure of each value that has no name, and say which they are; the cutoffs of the others."""
    hello = respondent.hello
    unnamed = [each for each in hello.returns if each in ORDINALS]
    takes_cutoff = target.signature.need(CUTOFF) is not Need.ABSENT
    for value in unnamed if not hello.fitting else ():
        own = () if takes_cutoff else _OWN_CUTOFFS
        measure = plain_measure(Interview(target, respondent), (bare_name(value),), own)
        if measure is not None:
            hello.fitting[value] = replace(measure, k=target.measure.k) if takes_cutoff else measure
    # Others may have none.
    of_cutoff = [value for value in hello.returns if re.search(r"(@|_|at)k$|(?<![Ff])\d$", value)]
    for value, measure in [*measures_returned(hello).items()] if not (unnamed or hello.fitting) else ():
        of_value = target_for(target.name, hello, None, measure)
        if takes_cutoff and of_cutoff and value not in of_cutoff and measure.family.cut is Cut.OPTIONAL:
            uncut = replace(measure, k=None)
            if Interview(target_for(target.name, hello, uncut), respondent).own_cutoff(uncut) is None:
                hello.fitting[value] = uncut
        if not (takes_cutoff or re.search(r"(?<![Ff])\d$", value)):  # no cutoff stands in its name
            hello.fitting[value] = with_own_cutoff(replace(of_value, named=True), respondent).measure
    if unnamed:
        parts = (f"the {value.partition('_')[0]} {hello.fitting.get(value, 'no usual measure')}" for value in unnamed)
        yield f"Of the {len(unnamed)} values that it returns, {', '.join(parts)}"


def _measure_giving(interview: Interview, candidates: Iterable[Measure], evidence: Evidence) -> Measure | None:
    fitting = None
    for measure in candidates:
        # It may have no meaning in this shape, or too many conventions.
        with suppress(ConventionError, OverBudgetError), interview.predictor.effort.within():
            every = Versions.all_of(space_of(measure, interview.target.signature, one_mean=interview.one_mean))
            # Nearly every axis matters of several queries, and one list refutes most measures.
            lists_first = sorted(evidence.numbers, key=lambda each: len({*each.qrels, *each.run}))
            answers = {_of(measure, each): evidence.answers[each] for each in lists_first}
            is_right = interview.matching(answers, singles=evidence.singles)
            members = narrowed(every, answers, is_right).members if answers else ()
            if any(not fixed_differences(measure, member) for member in members):
                return measure
            fitting = fitting or (measure if members else None)
    return fitting


def _candidates(assumed: Measure) -> Iterator[Measure]:
    for name in (each for each in (*_USUAL, *_FURTHER.get(assumed.name, ())) if each != assumed.name):
        cut = FAMILIES[name].cut
        if cut is Cut.OPTIONAL or (cut is Cut.REQUIRED) is (assumed.k is not None):
            yield Measure(name, assumed.k)


def measure_of_programs(interview: Interview) -> Measure | None:
    """Return the usual measure of which a wrong program gives the answers to plain lists; None if none does."""
    # With numpy, which no convention needs: a tenth of a second.
    from rankspec.conformance.infer.mistakes.program_search import has_wrong_program

    assumed = interview.target.measure
    for measure in (assumed, *_candidates(assumed)):
        target = target_for(interview.target.name, interview.target.hello, None, measure)
        other = Interview(target, interview.respondent)
        other.space = space_of(target.measure, target.signature, one_mean=interview.one_mean)
        if measure.family.cut is assumed.family.cut:  # the same would be asked for it
            other.own_cutoffs = interview.own_cutoffs
        answers = Evidence({_of(measure, each): outcome for each, outcome in interview.small.answers.items()})
        with suppress(ConventionError):
            if has_wrong_program(other, answers):
                return measure
            if measure == assumed:  # so it need not be sought again
                interview.searched[answers.singles, None] = [(None, 0)], iter(())
    return None


def _of(measure: Measure, question: ShapedProbe) -> ShapedProbe:
    """Return a question as one about another measure, with the cutoff and the threshold that it has."""
    rel = question.measure.rel if "rel" in measure.family.parameters else 1
    return replace(question, probe=replace(question.probe, measure=Measure(measure.name, question.measure.k, rel)))
