"""What programs answer to valid inputs: the shipped cases in their shape, and random small ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.infer.interview.inputs import random_probes
from rankspec.conformance.judge.verdicts import Judgement, judge
from rankspec.conformance.questions.question import Question, Rendering, put, questions_of
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.worker.messages import Hello
from rankspec.oracle import Convention, parse_convention, parse_measure

from programs.right import Program

_RANDOM = 120
_APART = 1e-9
"""Far more than programs of doubles differ by that compute the same; two measures of few documents differ by more."""


@cache
def shipped(measure: str | None) -> tuple[Question, ...]:
    return tuple(questions_of(shipped_cases(), None if measure is None else parse_measure(measure)))


@cache
def drawn(measure: str | None) -> tuple[Question, ...]:
    """Return random small inputs, as questions."""
    measures = [parse_measure("AP"), parse_measure("AP@3")] if measure is None else [parse_measure(measure)]
    probes = [each for each in random_probes(measures, _RANDOM, seed=21) if not each.loose]
    return tuple(Question(f"drawn {place}", each.measure, each.qrels, each.run) for place, each in enumerate(probes))


def answers(function: Callable[..., object], asked: tuple[Rendering, ...]) -> tuple[Outcome, ...]:
    with InProcess(function).connect() as connection:
        return connection.ask([each.call for each in asked]).outcomes


@dataclass(frozen=True)
class Right:
    """A right program, and what it answers."""

    program: Program

    @cached_property
    def hello(self) -> Hello:
        return InProcess(self.program.function).loaded.hello

    @cached_property
    def convention(self) -> Convention:
        return parse_convention(self.program.under)

    @cached_property
    def _known(self) -> dict[tuple[object, ...], tuple[Rendering, ...]]:
        return {}

    def puts(self, *, is_drawn: bool = False, under: Convention | None = None) -> tuple[Rendering, ...]:
        """Return the questions that can be put to it under a convention."""
        convention, measure = under or self.convention, self.program.measure
        if (is_drawn, convention) not in self._known:
            chosen = drawn(measure) if is_drawn else shipped(measure)
            puts = (put(each, convention, self.hello, fixed=measure is not None) for each in chosen)
            self._known[is_drawn, convention] = tuple(each for each in puts if isinstance(each, Rendering))
        return self._known[is_drawn, convention]

    @cached_property
    def pool(self) -> tuple[tuple[Rendering, Outcome], ...]:
        """Valid inputs, and the right answers to them."""
        asked = (*self.puts(), *self.puts(is_drawn=True))
        return tuple(zip(asked, answers(self.program.function, asked), strict=True))

    def refuted(
        self, function: Callable[..., object], under: Convention | None = None
    ) -> Iterator[tuple[Rendering, Outcome, Judgement]]:
        """Yield the shipped questions that a function answers against a convention, and the judgements."""
        asked = self.puts(under=under)
        for each, outcome in zip(asked, answers(function, asked), strict=True):
            judgement = judge(outcome, each.expectation)
            if not judgement.verdict.conforms:
                yield each, outcome, judgement

    def parting(self, function: Callable[..., object]) -> list[Rendering]:
        """Return the valid inputs on which a function answers otherwise than the right program."""
        heard = answers(function, tuple(each for each, _ in self.pool))
        if 2 * sum(isinstance(each, Number | PerQuery) for each in heard) < len(heard):
            return []  # a program that raises most of the time is not left like that
        return [each for (each, known), outcome in zip(self.pool, heard, strict=True) if differ(known, outcome)]


def differ(first: Outcome, second: Outcome) -> bool:
    """Tell whether two answers are two: by more than roundings, or in kind."""
    match first, second:
        case Number(one), Number(other):
            both = isinstance(one, Fraction) and isinstance(other, Fraction)
            return abs(one - other) > _APART if both else one != other
        case PerQuery(ones), PerQuery(others):
            return ones.keys() != others.keys() or any(differ(ones[query], others[query]) for query in ones)
        case _:
            return type(first) is not type(second)
