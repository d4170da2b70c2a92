"""Checking one implementation: every question put twice, in fresh processes and two orders, and every answer judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from rankspec.conformance.checks import stability
from rankspec.conformance.checks.labels_above_one import label_of_two
from rankspec.conformance.checks.records import Diagnosis
from rankspec.conformance.implementations.naming import function_named, measure_by_name
from rankspec.conformance.implementations.specs import Implementation, ImportFailure
from rankspec.conformance.judge.verdicts import (
    Judgement,
    NearConvention,
    Verdict,
    is_of_some_order,
    judge,
    turns_on,
    with_near_conventions,
)
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Refused, Rendering, put
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED, Connectable, Workers, last_connection
from rankspec.conformance.run.limits import LONGER_CALL, Halt, Halted, Limits
from rankspec.conformance.run.outcomes import (
    Connection,
    NotCalled,
    Number,
    Outcome,
    OutOfMemory,
    PerQuery,
    Raised,
    Report,
    TimedOut,
    is_unanswered,
)
from rankspec.conformance.run.shape_inference import Memory
from rankspec.conformance.worker.messages import ANY_MEASURE, Call, Hello, Preparing
from rankspec.oracle.conventions.convention import DEFAULT, Convention, setting_text
from rankspec.oracle.conventions.textbook import BEYOND_RANGE, HIGHEST_LABEL, beyond_range
from rankspec.oracle.language.expression import convention_text, differences_text, parse_convention

_IN_THIS_PROCESS = "when asked again in this process, the last question first"

# A power of 2 with a million bits takes a millisecond, one with four thousand million ten seconds and the memory.
_HIGHEST_POWER = 2**20


@dataclass(frozen=True)
class Answer:
    """What came of one question."""

    question: Question
    rendering: Rendering | Refused  # the question as it was put, or why it could not be
    outcome: Outcome | None  # what came of it the first time; None if it could not be put
    judgement: Judgement
    # for an unstable one, the smallest pair of calls that shows it, if one was found
    pair: stability.MinimalPair | None = None

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
        remarks: further findings, a line each.
        questions: how many answers there are if it is complete.
        complete: whether all that was to be asked was asked, and twice.
        diagnosis: what the failures come from, or what is wrong beyond the cases where none fails; else None.
        is_textbook: nobody stated the convention, so that it is the textbook's.
    """

    name: str
    hello: Hello
    convention: Convention
    answers: tuple[Answer, ...]
    mutated: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    questions: int = 0
    complete: bool = True
    diagnosis: Diagnosis | None = None
    is_textbook: bool = False

    @property
    def convention_text(self) -> str:
        """The canonical text of the convention."""
        return own_text(self.convention, is_textbook=self.is_textbook)

    @property
    def applicable(self) -> tuple[Answer, ...]:
        """The answers to questions that could be put."""
        return tuple(answer for answer in self.answers if answer.verdict.is_applicable)

    @property
    def answered(self) -> bool:
        """Whether something was asked, and every answer is a number."""
        return bool(self.applicable) and all(answer.is_number for answer in self.applicable)

    @property
    def nonconforming(self) -> tuple[Answer, ...]:
        """The answers that are not the convention's."""
        return tuple(answer for answer in self.applicable if not answer.verdict.conforms)


class Plan(NamedTuple):
    """What to check with."""

    questions: Sequence[Question]  # what is asked
    under: Convention | None = None  # the convention; None for the declared one
    fixed_measure: bool = False  # whether the user stated the measure, or answers did
    # whether nobody stated the convention, so that it is the textbook's: what is beyond a measure's scale is not held
    # against an implementation then
    is_textbook: bool = False
    # the convention that it follows but for ties, which it leaves in arbitrary order; None where it orders them, or
    # where it is held to an order
    unordered: Convention | None = None
    # of one that follows no rule: the axes on which textbooks leave the choice, and nobody knows what it chooses
    unknown_choices: frozenset[str] = frozenset()
    memory: Memory | None = None  # how it is called, once it was found
    remark: str = ""  # what was assumed


@dataclass(frozen=True)
class Listener:
    """Who is told how a check gets on, one thing at a time."""

    on_progress: Callable[[int, int], None] | None = None  # hears how many answers are known, of how many
    # is given each answer once it is final, in whatever order that happens
    on_answer: Callable[[Answer], None] | None = None
    # is given, before the first answer, what the implementation says of itself and the convention that it is held to
    on_hello: Callable[[Hello, Convention], None] | None = None
    # hears what is done before that, if it takes long: compiling
    on_preparing: Callable[[Preparing], None] | None = None
    # is held while something is told, and while the oracle is asked: several checks may share one
    turn: AbstractContextManager[object] = field(default_factory=nullcontext)


def check(
    implementation: Implementation,
    plan: Plan,
    limits: Limits | None = None,
    listener: Listener | None = None,
    halt: Halt | None = None,
) -> Checked:
    """Ask an implementation all questions, twice, and judge the answers; after a `halt` they are timeouts."""
    # `ImportFailure` if it can't be loaded, `Halted` if it was stopped before.
    memory = plan.memory or Memory()
    return check_connected(Workers(implementation, limits or Limits(), halt or Halt(), memory=memory), plan, listener)


def check_connected(connectable: Connectable, plan: Plan, listener: Listener | None = None) -> Checked:
    """Do the same with whatever can be connected to."""
    listener = listener or Listener()
    connectable.halt.on_preparing = listener.on_preparing
    return _Check(connectable, plan, listener).run()


@dataclass
class _Check:
    """A check under way."""

    connectable: Connectable
    plan: Plan
    listener: Listener
    convention: Convention = DEFAULT
    renderings: list[Rendering | Refused] = field(default_factory=list)
    calls: list[stability.NamedCall] = field(default_factory=list)  # the calls of the questions that could be put
    places: list[int] = field(default_factory=list)  # their places among all questions
    answers: dict[int, Answer] = field(default_factory=dict)  # by these places
    beyond: dict[str, list[str]] = field(default_factory=dict)  # ids of cases by what is beyond the measure's scale
    known: int = 0
    labels: str = ""  # what a label of 2 does, which no question has

    def __post_init__(self) -> None:
        self.halt = self.connectable.halt
        self.laboratory = stability.Laboratory(self.connectable)

    def run(self) -> Checked:
        with self.connectable.connect(FIRST_SEED) as connection:
            first = connection.ask(self._calls(connection.hello), lambda *_: self._progress())
            self.labels = self._labels_above_one(connection, first)
        again = {
            index: outcome
            for index, outcome in enumerate(first.outcomes)
            if not isinstance(outcome, TimedOut | NotCalled | OutOfMemory)  # to fill the memory again takes as long
        }
        second = stability.Repetition(self.calls)
        if not self.connectable.is_fresh:
            second.where = _IN_THIS_PROCESS
        # What an interruption left unasked is left out: the findings are what is known so far.
        answered = first.known if self.halt.interrupted else len(first.outcomes)
        late = [index for index, outcome in enumerate(first.outcomes[:answered]) if is_unanswered(outcome)]
        for index in range(answered):
            if index not in again:
                self._progress()
        declined = [index for index in range(answered) if index not in again and index not in late]
        for index in declined:
            self._answer(index, first.outcomes[index])
        self._repeat(first, again, second)
        # What had no answer in time is asked once more, alone, under the hash seed under which it had none.
        late_outcomes = self._second_calls(first, late, FIRST_SEED)
        lost = [index for index, outcome in sorted(second.outcomes.items()) if isinstance(outcome, TimedOut)]
        second.outcomes |= self._second_calls(first, lost, SECOND_SEED)
        outcomes = (late_outcomes.get(index, outcome) for index, outcome in enumerate(first.outcomes))
        first = replace(first, outcomes=tuple(outcomes))
        for index in late:
            self._answer(index, first.outcomes[index])
        remarks = self._remarks(first, second)
        left = [index for index in again if self.places[index] not in self.answers]
        for index in sorted(left, key=lambda index: (self._question(index).size, index)):  # small ones tell more
            self._answer(index, stability.settled(first, second, index), stability.change_of(first, second, index))
        return self._checked(first, second, remarks)

    def _labels_above_one(self, connection: Connection, first: Report) -> str:
        """Return what a label of 2 does in a user's own function; an adapter declares which labels a library takes."""
        if ANY_MEASURE not in first.hello.functions or first.ended or self.halt.reason:
            return ""
        measures = [self._question(index).measure for index in range(len(self.calls))]
        indices = [index for index, each in enumerate(measures) if each.rel == 1 and not each.is_graded]
        indices.sort(key=lambda index: self._question(index).size)
        answered = [(self.calls[index].call, first.outcomes[index]) for index in indices]
        said = label_of_two(answered, lambda calls: connection.ask(calls).outcomes)
        return f"{said[:1].upper()}{said[1:]}." if said else ""

    def _repeat(self, first: Report, again: Mapping[int, Outcome], second: stability.Repetition) -> None:
        """Ask again what was answered, and give the answers that stay the same."""

        def count(index: int) -> None:
            self._progress()
            outcome = stability.settled(first, second, index)
            if not is_unanswered(outcome) and stability.change_of(first, second, index) is None:
                self._answer(index, outcome)

        second.on_question = count
        if first.ended:  # what it may take is spent
            second.ended = first.ended
        elif again:
            try:
                with self.connectable.connect(SECOND_SEED) as connection:
                    second.ask(connection, again)
            except Halted as halted:
                second.ended = str(halted)

    def _second_calls(self, first: Report, late: Sequence[int], seed: str) -> dict[int, Outcome]:
        """Return the answers that come in time over a new connection, by the index of the question."""
        # Who has answered nothing at all is not asked again. The question that comes first was answered before: imports
        # are behind it when time counts.
        answered = next((index for index, outcome in enumerate(first.outcomes) if not is_unanswered(outcome)), None)
        if not late or answered is None or not self.connectable.is_fresh or self.halt.reason:
            return {}
        order = sorted(late, key=lambda index: isinstance(first.outcomes[index], TimedOut))
        try:
            with last_connection(self.connectable, seed) as connection:
                report = connection.ask([self.calls[index].call for index in (answered, *order)])
        except (ImportFailure, Halted):
            return {}
        late_outcomes = zip(order, report.outcomes[1:], strict=True)
        return {index: outcome for index, outcome in late_outcomes if not is_unanswered(outcome)}

    def _question(self, index: int) -> Question:
        return self.plan.questions[self.places[index]]

    def _calls(self, hello: Hello) -> list[Call]:
        """Put the questions into the shape of what was loaded; those that can't be put are answered by that."""
        with self.listener.turn:
            declared = DEFAULT if hello.convention is None else parse_convention(hello.convention)
            self.convention = self.plan.under or declared
            if self.listener.on_hello is not None:
                self.listener.on_hello(hello, self.convention)
            fixed = self.plan.fixed_measure
            self.renderings = [
                Refused(Verdict.UNSUPPORTED.value, self._beyond_range(question))
                if self._is_beyond_power(question)
                else put(question, self.convention, hello, fixed=fixed)
                for question in self.plan.questions
            ]
        for place, (question, rendering) in enumerate(zip(self.plan.questions, self.renderings, strict=True)):
            if isinstance(rendering, Rendering):
                self.calls.append(stability.NamedCall(question.id, rendering.call))
                self.places.append(place)
            else:
                self._final(
                    place, Answer(question, rendering, None, Judgement(Verdict(rendering.verdict), rendering.reason))
                )
        return [each.call for each in self.calls]

    def _answer(self, index: int, outcome: Outcome, change: stability.Instability | None = None) -> None:
        """Judge what came of a question; if it changes, look for the pair of calls that shows why."""
        question, rendering = self._question(index), self.renderings[self.places[index]]
        if not isinstance(rendering, Rendering):
            raise TypeError("what was asked is a question that can be asked")
        with self.listener.turn:
            judged = judge(outcome, rendering.expectation)
            if beyond := "" if judged.verdict.conforms else self._left_open(question, rendering, outcome):
                self.beyond.setdefault(beyond, []).append(question.id)
                judged, change = Judgement(Verdict.UNSUPPORTED, beyond), None
            else:
                judged = self._with_near(question, rendering, outcome, judged)
        pair = None
        if change is not None:
            text, pair = stability.explained(self.laboratory, self.calls[index], change)
            judged = Judgement(Verdict.UNSTABLE, text)
        self._final(self.places[index], Answer(question, rendering, outcome, judged, pair))

    def _left_open(self, question: Question, rendering: Rendering, outcome: Outcome) -> str:
        """Return what textbooks do not define in a question, if that may be why the answer is another."""
        if self.plan.is_textbook and (beyond := self._beyond_range(question)):
            return beyond
        # A function of several values raises for one of them, whichever is asked for.
        if self.plan.is_textbook and isinstance(outcome, Raised) and max(_grades(question), default=0) > HIGHEST_LABEL:
            return f"{BEYOND_RANGE}above {HIGHEST_LABEL}"
        unknown = self.plan.unknown_choices
        if unknown and turns_on(unknown, question.measure, rendering, self.convention):
            return "a choice that textbooks leave open"
        if self.plan.unordered is None:
            return ""
        is_order = is_of_some_order(question.measure, rendering, outcome, self.convention)
        return "tied documents" if is_order else ""

    def _with_near(self, question: Question, rendering: Rendering, outcome: Outcome, judged: Judgement) -> Judgement:
        """Name the rules that an answer follows instead; of tied documents, those that it follows in some order."""
        judged = with_near_conventions(question.measure, rendering, outcome, self.convention, judged)
        own = self.plan.unordered
        is_wrong = judged.verdict is Verdict.WRONG
        if not is_wrong or own is None or not is_of_some_order(question.measure, rendering, outcome, own):
            return judged
        rules = [f"{axis}={setting_text(value)}" for axis, value in own.differences(self.convention).items()]
        near = tuple(NearConvention(rule, own) for rule in rules)
        return Judgement(Verdict.OTHER_CONVENTION, " and ".join(rules), near) if near else judged

    def _beyond_range(self, question: Question) -> str:
        return beyond_range(question.measure, self.convention, _grades(question))

    def _is_beyond_power(self, question: Question) -> bool:
        """Tell whether a grade is so far beyond the scale of a cascade that a power of it takes seconds."""
        has_scale = self.plan.is_textbook and "err_max_grade" in question.measure.axes(self.convention)
        return has_scale and max(_grades(question), default=0) > _HIGHEST_POWER

    def _final(self, place: int, answer: Answer) -> None:
        with self.listener.turn:
            self.answers[place] = answer
            if self.listener.on_answer is not None:
                self.listener.on_answer(answer)

    def _progress(self) -> None:
        self.known += 1
        if self.listener.on_progress is not None:
            with self.listener.turn:
                self.listener.on_progress(self.known, 2 * len(self.calls))

    def _remarks(self, first: Report, second: stability.Repetition) -> list[str]:
        """Say what no verdict says: memory that ran full, processes that ended, what was not asked."""
        remarks = [first.hello.shape_note] if first.hello.shape_note else []
        named = None if self.plan.fixed_measure else measure_by_name(first.hello)
        remarks += [function_named(named.name, first.hello)] if named else []
        remarks += list(filter(None, (self.plan.remark, self.labels)))
        remarks += [f"{self.calls[index].id}: {text}" for index, text in stability.short_of_memory(first, second)]
        between = [incident.outcome for incident in first.incidents if incident.index is None]
        remarks += [f"{stability.words_of(lost)} between two questions" for lost in between[:1]]
        if late := sum(
            isinstance(stability.settled(first, second, index), TimedOut) for index in range(len(first.outcomes))
        ):
            remarks.append(f"{late} question{'s' * (late > 1)} had no answer in time; {LONGER_CALL}")
        if changed := stability.last_digits(first, second):
            remarks.append(changed)
        if second.ended:
            once = len(self.calls) - len(second.outcomes)
            remarks.append(f"{once} questions were not asked a second time: {second.ended}")
        return remarks

    def _checked(self, first: Report, second: stability.Repetition, remarks: Sequence[str]) -> Checked:
        reason = self.halt.reason
        is_right = all(answer.verdict.conforms or not answer.verdict.is_applicable for answer in self.answers.values())
        beyond_cases = Diagnosis("identified", self.labels, None, None) if self.labels and is_right else None
        return Checked(
            self.connectable.text,
            first.hello,
            self.convention,
            tuple(self.answers[place] for place in sorted(self.answers)),
            tuple(self.calls[index].id for index in sorted(first.mutated)),
            (*remarks, *(_not_held(what, ids) for what, ids in self.beyond.items())),
            len(self.renderings),
            complete=not reason or reason not in {first.ended, second.ended},
            diagnosis=beyond_cases,
            is_textbook=self.plan.is_textbook,
        )


def own_text(convention: Convention, *, is_textbook: bool) -> str:
    """Write what answers are held to; choices that a function was seen to make are not called by a library's name."""
    return differences_text(convention) if is_textbook else convention_text(convention)


def _grades(question: Question) -> list[int]:
    qrels = question.qrels
    return [grade for query in qrels for grade in qrels.grades(query).values() if isinstance(grade, int)]


def _not_held(what: str, ids: Sequence[str]) -> str:
    cases = f"{len(ids)} cases with {what}" if len(ids) > 1 else f"A case with {what}"
    verb, them = ("are", "them") if len(ids) > 1 else ("is", "it")
    return f"{cases} {verb} not counted (first {ids[0]}): textbooks don't define {them}. --under counts {them}."
