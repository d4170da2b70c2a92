"""Checking one implementation: every question put twice, in fresh processes and two orders, and every answer judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from rankspec.conformance.implementations.messages import ANY_MEASURE, Call, Hello
from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.judge.suspects import suspected
from rankspec.conformance.judge.verdicts import Judgement, Verdict, judge
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Asked, Refused, render
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import NotAsked, Number, Outcome, PerQuery, Raised, Report, TimedOut
from rankspec.conformance.run.session import ask
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.language.expression import convention_text, parse_convention

HASH_SEEDS = ("0", "1")
"""PYTHONHASHSEED of the first and the second asking: an answer that depends on the order of a set changes."""


UNSTATED = "AP"
"""What a function of one's own computes, if the user does not say."""


@dataclass(frozen=True)
class Answer:
    """What came of one question.

    Attributes:
        put: the question as it was put, or why it could not be.
        outcome: what came of it the first time; None if it could not be put.
    """

    question: Question
    put: Asked | Refused
    outcome: Outcome | None
    judgement: Judgement

    @property
    def verdict(self) -> Verdict:
        """The verdict."""
        return self.judgement.verdict

    @property
    def is_number(self) -> bool:
        """Whether a number came, or one a query."""
        return isinstance(self.outcome, Number | PerQuery)


@dataclass(frozen=True)
class Checked:
    """What a check of one implementation found.

    Attributes:
        name: as the user wrote it.
        hello: what the implementation says of itself.
        convention: what the answers were judged under.
        mutated: ids of the questions whose arguments it changed.
        remarks: what else is worth saying, a line each.
    """

    name: str
    hello: Hello
    convention: Convention
    answers: tuple[Answer, ...]
    mutated: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=())

    @property
    def convention_text(self) -> str:
        """The canonical text of the convention."""
        return convention_text(self.convention)

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many answers have which verdict, in the order of the verdicts."""
        counted = Counter(answer.verdict for answer in self.answers)
        return {verdict: counted[verdict] for verdict in Verdict if counted[verdict]}

    @property
    def asked(self) -> tuple[Answer, ...]:
        """The answers to questions that could be put."""
        return tuple(answer for answer in self.answers if answer.verdict.asked)

    @property
    def answered(self) -> bool:
        """Whether something was asked, and every answer is a number."""
        return bool(self.asked) and all(answer.is_number for answer in self.asked)

    @property
    def nonconforming(self) -> tuple[Answer, ...]:
        """The answers that are not the convention's."""
        return tuple(answer for answer in self.asked if not answer.verdict.conforms)


class Plan(NamedTuple):
    """What to check with: questions, the convention (None: the declared one), whether the user stated the measure."""

    questions: Sequence[Question]
    under: Convention | None = None
    fixed_measure: bool = False


def check(
    implementation: Implementation,
    plan: Plan,
    limits: Limits | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Checked:
    """Ask an implementation all questions, twice, and judge the answers.

    Args:
        implementation: what is checked.
        plan: what to check with.
        limits: how long and how much it may take.
        on_progress: is told how many answers are known, of how many.

    Raises:
        ImportFailure: it can't be loaded.
    """
    put: list[tuple[Question, Asked | Refused]] = []
    judged_under: list[Convention] = []

    def calls(hello: Hello) -> list[Call]:
        judged_under[:] = [_declared(hello) if plan.under is None else plan.under]
        put[:] = [(question, _put(question, judged_under[0], hello, plan)) for question in plan.questions]
        return [rendered.call for _, rendered in put if isinstance(rendered, Asked)]

    def told(before: int) -> Callable[[int], None] | None:
        if on_progress is None:
            return None
        total = 2 * sum(isinstance(rendered, Asked) for _, rendered in put)
        return lambda known: on_progress(before + known, total)

    seeds = [{"PYTHONHASHSEED": seed} for seed in HASH_SEEDS]
    first = ask(implementation, calls, limits, seeds[0], lambda known: _tell(told(0), known))
    asked = [rendered.call for _, rendered in put if isinstance(rendered, Asked)]
    again = _ask_again(implementation, asked, first.outcomes, limits, seeds[1], told(len(first.outcomes)))
    return _judged(implementation, first, again, put, judged_under[0])


def _ask_again(  # noqa: PLR0913 - what `ask` takes, and the calls with what came of them
    implementation: Implementation,
    calls: Sequence[Call],
    outcomes: Sequence[Outcome],
    limits: Limits | None,
    environment: Mapping[str, str],
    on_progress: Callable[[int], None] | None,
) -> tuple[Outcome, ...]:
    """Ask once more in a fresh process, the last call first, and return the outcomes in the order of the calls.

    What had no answer in time is not waited for again: its outcome stands.
    """
    backwards = [index for index in reversed(range(len(calls))) if not isinstance(outcomes[index], TimedOut | NotAsked)]
    if not backwards:
        return tuple(outcomes)
    again = ask(implementation, [calls[index] for index in backwards], limits, environment, on_progress)
    answered = dict(zip(backwards, again.outcomes, strict=True))
    return tuple(answered.get(index, outcome) for index, outcome in enumerate(outcomes))


def _tell(listener: Callable[[int], None] | None, known: int) -> None:
    if listener is not None:
        listener(known)


def _declared(hello: Hello) -> Convention:
    """Return the convention that an adapter declares; a function declares none, so the default."""
    return DEFAULT if hello.convention is None else parse_convention(hello.convention)


def _put(question: Question, convention: Convention, hello: Hello, plan: Plan) -> Asked | Refused:
    # A function of one's own computes what the user says; who says nothing means the first of the family, AP.
    if ANY_MEASURE in hello.functions and question.measure.name != UNSTATED and not plan.fixed_measure:
        return Refused("unsupported", f"it is taken for {UNSTATED}; state what it computes with --measure")
    return render(question, convention, hello.signature(question.measure.name), fixed=plan.fixed_measure)


def _judged(
    implementation: Implementation,
    first: Report,
    again: Sequence[Outcome],
    put: Sequence[tuple[Question, Asked | Refused]],
    convention: Convention,
) -> Checked:
    indices = iter(range(len(first.outcomes)))
    answers = []
    for question, rendered in put:
        if isinstance(rendered, Refused):
            refused = Judgement(Verdict(rendered.verdict), rendered.reason)
            answers.append(Answer(question, rendered, None, refused))
        else:
            answers.append(_answer(question, rendered, first, again, next(indices), convention))
    asked_ids = [question.id for question, rendered in put if isinstance(rendered, Asked)]
    remarks = [f"{type(incident.outcome).__name__} that did not come again" for incident in first.incidents]
    return Checked(
        implementation.text,
        first.hello,
        convention,
        tuple(answers),
        tuple(asked_ids[index] for index in sorted(first.mutated)),
        tuple(remarks),
    )


def _answer(  # noqa: PLR0913 - a question with all that came of it
    question: Question, rendered: Asked, first: Report, again: Sequence[Outcome], index: int, convention: Convention
) -> Answer:
    outcome, second = first.outcomes[index], again[index]
    spoilt = first.again.get(index, outcome)
    if not _same(outcome, second):
        judgement = _unstable(outcome, second, "in another order")
    elif not _same(outcome, spoilt):
        judgement = _unstable(outcome, spoilt, "from the same arguments, which it had changed")
    else:
        judgement = suspected(question.measure, rendered, outcome, convention, judge(outcome, rendered.expectation))
    return Answer(question, rendered, outcome, judgement)


def _unstable(outcome: Outcome, second: Outcome, how: str) -> Judgement:
    return Judgement(Verdict.UNSTABLE, f"{outcome_text(outcome)}, then {outcome_text(second)} {how}")


def _same(outcome: Outcome, second: Outcome) -> bool:
    """Compare what came both times. The words of an exception may differ (they may name an address)."""
    if isinstance(outcome, Raised) and isinstance(second, Raised):
        return outcome.type == second.type
    if isinstance(outcome, Number) and isinstance(second, Number):
        return outcome.value == second.value
    if isinstance(outcome, PerQuery) and isinstance(second, PerQuery):
        values, others = ({query: number.value for query, number in each.values.items()} for each in (outcome, second))
        return values == others
    return type(outcome) is type(second)


def outcome_text(outcome: Outcome | None) -> str:
    """Write what came of a call in a few words: a number, or what happened instead."""
    value = outcome_value(outcome)
    if value is not None:
        return str(value)
    match outcome:
        case Raised(kind, _):
            return kind
        case PerQuery(values):
            return "no queries" if not values else "no number"
        case _:
            return type(outcome).__name__.lower()


def outcome_value(outcome: Outcome | None) -> float | str | None:
    """Return the number of an outcome, the mean where there is one a query; None if there is none.

    NaN and infinities, and numbers that no double holds, are text.
    """
    if isinstance(outcome, PerQuery) and outcome.values:
        values = [number.value for number in outcome.values.values()]
        numbers = [value for value in values if isinstance(value, Fraction)]
        return _plain(sum(numbers, Fraction()) / len(numbers), mean=True) if len(numbers) == len(values) else "nan"
    if not isinstance(outcome, Number):
        return None
    if not isinstance(outcome.value, Fraction):
        return outcome.value.value
    return _plain(outcome.value)


def _plain(value: Fraction, *, mean: bool = False) -> float | str:
    """Return a double where one holds the number (or it is a mean, which is rounded), else a text."""
    try:
        as_double = float(value)
    except OverflowError:
        return f"{Decimal(value.numerator) / Decimal(value.denominator):.6g}"
    if mean or Fraction(as_double) == value:
        return as_double
    return str(value) if value.denominator.bit_length() <= _LONGEST_BITS else f"about {as_double!r}"


_LONGEST_BITS = 1024
"""Of a denominator that is written out: enough for every case, and far below what Python refuses to write."""
