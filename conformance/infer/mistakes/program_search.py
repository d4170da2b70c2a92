"""The search for a wrong program that gives the answers: known ones, slips of right ones, two slips at once.

Each is run on lists of its own that were answered, and ends with the first answer that is not its own; what is left is
a mistake like all others, and named only if it predicts every answer.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, count
from random import Random
from typing import Any

import numpy as np
from rankspec.conformance.infer.interview.evidence import EMPTY, Evidence
from rankspec.conformance.infer.interview.inputs import one_list, seeded
from rankspec.conformance.infer.interview.interview import Interview
from rankspec.conformance.infer.interview.prediction import Predictor, fits, numbers_of
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe
from rankspec.conformance.infer.mistakes import programs
from rankspec.conformance.infer.mistakes.known_programs import KNOWN
from rankspec.conformance.infer.mistakes.mistake import Level, Mistake, PerQueryPredictor, Predicting, with_empty_lists
from rankspec.conformance.infer.mistakes.slips import in_names, slips, with_epsilons
from rankspec.conformance.run.outcomes import Outcome
from rankspec.oracle.conventions.axes import Aggregate, Interpolation, Ties
from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.query_set import QuerySet
from rankspec.oracle.values import Exact, Undefined

# ---- What is asked

_SHORT = 28  # On short lists most programs part, and a reader can check them
_LONG = 8  # Lists of 20 to 40 documents, where what depends on the length alone shows
_GAPS = (2, 3, 4, 5, 7, 10, 15, 21)  # So many misses in a row, where programs give up
_GRADES = (1, 1, 2, 3, 4)
_DOUBLES, _SINGLES = 1e-9, 2e-6
"""Far above what a program of doubles is off on 40 documents, far below what two programs differ by; of singles, whose
unit roundoff is 6e-8."""
_ROUNDOFF = 1e-13  # Far above what a program of doubles is off on 40 documents, below any epsilon that people write
_FEWEST = 20  # So many lists have to be answered with a number
_WIDEST = 40  # As long as the lists above: slips are run on each of them
_DIFFICULT = frozenset({EMPTY, "a query without relevant documents", "a list without hits", "no documents at all"})
_Examples = Sequence[tuple[Mapping[str, Any], float]]  # What programs see of some queries, and the answers
_LONGEST = 50  # Slips that part do so on short lists, and programs take their time on long ones
_MOST_UNEXPLAINED, _COMPARED = 40, 120
"""So many answers that are not the plainest convention's, one of which a slip explains, and so many of all rank them."""
_MOST_TRIED = 4  # Slips that can't be told apart differ on nothing that was asked, so a few stand for all
_RULES = ("", "no_relevant, no_hits", "no_relevant")
"""The rules that hold beside a program: none, those for lists without relevant documents or hits, or the first alone."""


def program_probes(measures: Sequence[Measure], seed: int, times: int = 1) -> list[Probe]:
    """Return short lists, long ones, and ones with gaps of misses: each has a hit in sight, and sizes of its own."""
    generator = seeded(seed)
    probes = []
    for number, hits in enumerate(hits for _ in range(times) for hits in _hits(generator)):
        measure = measures[number % len(measures)]
        labels = [generator.choice(_GRADES) if hit else 0 for hit in hits]
        if not any(labels[: measure.k]):
            labels[generator.randrange(min(len(labels), measure.k or len(labels)))] = generator.choice(_GRADES)
        outside = [generator.choice(_GRADES) for _ in range(generator.choice((0, 0, 1, 2, 3, 5)))]
        if not measure.is_graded:
            labels, outside = ([max(measure.rel, 1) if each else 0 for each in grades] for grades in (labels, outside))
        probes.append(one_list(f"formula {number}", measure, labels, outside))
    return probes


def _hits(generator: Random) -> Iterator[list[bool]]:
    for number in range(_SHORT):
        length = generator.randint(1, 4) if number % 7 == 6 else generator.randint(4, 11)  # noqa: PLR2004
        yield [generator.random() < generator.choice((0.3, 0.5, 0.7)) for _ in range(length)]
    for _ in range(_LONG):
        yield [generator.random() < generator.choice((0.2, 0.5)) for _ in range(generator.randint(20, 40))]
    for misses in _GAPS:
        start = [generator.random() < 0.6 for _ in range(4)]  # noqa: PLR2004
        yield [*start, True, *[False] * misses, True, *[False] * (misses - 1), True, False]


def program_mistakes(interview: Interview, *, singles: bool, digits: int | None = None) -> Iterator[Mistake]:
    """Yield the programs that give the answers to lists without ties (to so many digits), best first."""
    # Two searches ask for the same programs, with other conventions: which these are is found once, and costs both.
    tolerance = 10.0**-digits if digits is not None else _SINGLES if singles else _DOUBLES
    searched = (mistake for each in _searches(interview, interview.all, tolerance) for mistake in each.mistakes())
    known, source = interview.searched.setdefault((singles, digits), ([], searched))
    effort = interview.predictor.effort
    for place in count():
        if place == len(known):
            before = effort.spent
            known.append((next(source, None), effort.spent - before))
        else:
            effort.spent += known[place][1]
        if (mistake := known[place][0]) is None:
            return
        yield mistake


def has_wrong_program(interview: Interview, answers: Evidence) -> bool:
    """Tell whether a wrong program of a measure gives the answers to plain lists: known, or with a slip."""
    searches = _searches(interview, answers, _SINGLES if answers.singles else _DOUBLES)
    return any(True for search in searches for _ in chain(search.known(), search.slipped()))


def _searches(interview: Interview, answers: Evidence, tolerance: float) -> Iterator[_ProgramSearch]:
    """Yield a search for each cutoff that an implementation may have by itself."""
    if answered := _answered(interview, answers):
        yield from (_ProgramSearch(interview, answered, own, tolerance) for own in interview.own_cutoffs)


def _answered(interview: Interview, others: Evidence) -> list[tuple[ShapedProbe, float]]:
    """Return plain lists with their answers: made for programs, or those that were asked; none if they are too few."""
    measures = [*interview.target.measures, *interview.target.others[:1]]
    shaped = [each for each in map(interview.shaped, program_probes(measures, seed=11)) if each is not None]
    outcomes = interview.respondent.raw([each.call for each in shaped])
    answered = _numbers(zip(shaped, outcomes, strict=True))
    if len(answered) < _FEWEST:  # lists with hits of one query, without ties and difficulties
        short = (each for each in others.answers if each.longest <= _WIDEST and len({*each.qrels, *each.run}) == 1)
        easy = (each for each in short if not (each.features & _DIFFICULT or {"ties", "duplicates"} & {*each.settings}))
        answered += _numbers((each, others.answers[each]) for each in easy)
    return answered if len(answered) >= _FEWEST and any(value for _, value in answered) else []


def _numbers(outcomes: Iterable[tuple[ShapedProbe, Outcome]]) -> list[tuple[ShapedProbe, float]]:
    """Return the questions that were answered with one number, which a double holds."""
    answered = [(question, numbers_of(outcome)) for question, outcome in outcomes]
    return [
        (question, float(numbers[0]))
        for question, numbers in answered
        if len(numbers) == 1 and abs(numbers[0]) <= sys.float_info.max
    ]


# ---- Which programs give the answers


@dataclass(frozen=True)
class WrongProgram:
    """A wrong program that gives the answers; a slip is one of the formula, known programs have names of their own."""

    words: str
    base: programs.RightProgram
    function: programs.Value
    fix: str = ""
    name: str = "the formula"


class _ProgramSearch:
    """The programs that give some answers, for a cutoff of the implementation's own, within a tolerance."""

    def __init__(
        self, interview: Interview, answered: Sequence[tuple[ShapedProbe, float]], own: int | None, tolerance: float
    ) -> None:
        self._interview, self._answered, self._own, self._tolerance = interview, answered, own, tolerance
        self._settings = interview.space.settings
        self._examples: dict[tuple[object, ...], _Examples] = {}

    def mistakes(self) -> Iterator[Mistake]:
        """Yield the programs, those that are known first, then those that explain the most, with each of the rules."""
        yield from self._by_gain(self.known())
        yield from self._by_gain(self.slipped())

    def _by_gain(self, candidates: Iterable[WrongProgram]) -> Iterator[Mistake]:
        """Yield those that explain all answers, and the best of the others when all were tried."""
        interview = self._interview
        gains: dict[tuple[bool, ...], WrongProgram] = {}
        for each in candidates:
            mistake = self._mistake(each, "")
            predictor = mistake.predictor(interview.predictor)
            convention = interview.space.restricted(mistake.restricted).start
            explained = [self._explains(one, predictor, convention) for one in self._unexplained]
            if any(explained):
                others = self._questions[:: len(self._questions) // _COMPARED + 1]
                explained += [self._explains(one, predictor, convention) for one in others]
                if tuple(explained) not in gains and all(explained):  # none explains more
                    yield from (self._mistake(each, rules) for rules in _RULES)
                gains.setdefault(tuple(explained), each)
        partly = {explained: each for explained, each in gains.items() if not all(explained)}
        for answers in sorted(partly, key=sum, reverse=True)[:_MOST_TRIED]:
            yield from (self._mistake(partly[answers], rules) for rules in _RULES)

    @cached_property
    def _questions(self) -> list[ShapedProbe]:
        return [each for each in self._interview.answers if not each.probe.loose and each.longest <= _LONGEST]

    @cached_property
    def _unexplained(self) -> list[ShapedProbe]:
        start, predictor = self._interview.space.start, self._interview.predictor
        parting = [each for each in self._questions if not self._explains(each, predictor, start)]
        return parting[:: len(parting) // _MOST_UNEXPLAINED + 1]

    def _explains(self, question: ShapedProbe, predictor: Predictor, convention: Convention) -> bool:
        is_single = self._tolerance == _SINGLES
        return fits(self._interview.answers[question], predictor.predicted(question, convention), singles=is_single)

    def known(self) -> Iterator[WrongProgram]:
        """Yield the programs that are known to compute something else."""
        for name, words, text, fix in KNOWN.get(self._interview.target.measure.name, ()):
            for base in programs.filled_in(text, self._settings):
                if _gives(base.function, self._examples_for(base), self._tolerance):
                    yield WrongProgram(words, base, base.function, fix, name)

    def slipped(self) -> Iterator[WrongProgram]:
        """Yield the slips of one place in right programs."""
        target = self._interview.target
        for base in programs.bases(target.measure, target.signature.shape, self._settings):
            examples = self._examples_for(base)
            pairs = ((base.value(each), number) for each, number in examples)
            apart = max((abs(value - number) for value, number in pairs if value is not None), default=math.inf)
            # A slip explains nothing that is no nearer to the answers than the right program, with its epsilon.
            is_apart = self._tolerance == _DOUBLES and _ROUNDOFF < apart <= _DOUBLES
            tolerance = apart / 4 if is_apart else self._tolerance
            # On lists with a hit nothing is divided by less than a hundredth.
            epsilons = [10.0**-e for e in range(3, 17) if 10.0**-e / 100 <= apart <= 10.0 ** (2 - e)]
            for slip in chain(slips(base.tree, base.kinds, base.before), with_epsilons(base.tree, epsilons)):
                function = programs.compiled(slip.code)
                if _gives(function, examples, tolerance):
                    yield WrongProgram(in_names(slip.words, base.text), base, function, in_names(slip.fix, base.text))

    def _examples_for(self, base: programs.RightProgram) -> _Examples:
        """Return what a program sees of the lists that were answered; many see the same."""
        key = (base.is_raw, *(base.settings.get(axis) for axis in ("gain", "ties", "duplicates")))
        if key not in self._examples:
            convention, examples = DEFAULT.with_settings(base.settings), []
            for question, number in self._answered:
                (query,) = {*question.qrels, *question.run}
                holding = question.measure.under(convention)
                seen = programs.program_arguments(query, question, holding, self._own, is_raw=base.is_raw)
                examples.append((seen, number))
            self._examples[key] = examples
        return self._examples[key]

    def _mistake(self, program: WrongProgram, rules: str) -> Mistake:
        settings = self._settings
        usual = [axis for axis in ("no_relevant", "no_hits") if axis not in rules]
        usual += ("unjudged", "score_precision") if program.base.before is not None else ()  # it reads scores by itself
        plain = {
            "interpolation": (Interpolation.STEP,),
            "ties": tuple(each for each in settings.get("ties", ()) if each not in {Ties.GROUPED, Ties.EXPECTED}),
            "aggregate": (Aggregate.MEAN, Aggregate.GEOMETRIC),
            **{axis: (value,) for axis, value in program.base.settings.items()},
            **{axis: settings.get(axis, ())[:1] for axis in usual},
        }
        restricted = {axis: tuple(chosen) for axis, chosen in plain.items() if axis in settings}
        words = program.words + ("" if self._own is None else f"; its own cutoff is {self._own}")
        predicting = of_program(program, self._own, rules)
        return Mistake(program.name, words, predicting, Level.AREA, restricted=restricted, fix=program.fix)


def _gives(function: programs.Value, examples: Iterable[tuple[Mapping[str, Any], float]], tolerance: float) -> bool:
    """Tell whether a program gives the answers, up to the first that it does not."""
    with np.errstate(all="ignore"):
        for each, number in examples:
            value = programs.computed(function, each)
            if value is None or not abs(value - number) <= tolerance * max(1.0, abs(number)):
                return False
    return True


def of_program(program: WrongProgram, own: int | None, rules: str) -> Predicting:
    """Give each query a program's value, with a cutoff of its own, where none of some rules holds."""

    def queries(question: ShapedProbe, convention: EffectiveConvention) -> QuerySet:
        # Where no rule holds, the program itself gives a query that the run lacks an empty list.
        return QuerySet(question.qrels, question.run) if rules else with_empty_lists(question, convention)

    def value(query: str, question: ShapedProbe, convention: EffectiveConvention) -> Exact:
        arguments = programs.program_arguments(query, question, convention, own, is_raw=program.base.is_raw)
        if rules and not arguments["relevant"]:
            return RULES[convention.no_relevant]
        if "no_hits" in rules and not any(sum(block) for _, block in arguments["blocks"]):
            return RULES[convention.no_hits]
        with np.errstate(all="ignore"):
            number = programs.computed(program.function, arguments)
        if number is None or math.isinf(number):
            return Undefined.ERROR
        return Undefined.NAN if math.isnan(number) else Fraction(number)

    return lambda base: PerQueryPredictor(base, queries=queries, value=value)
