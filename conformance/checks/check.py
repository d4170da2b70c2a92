"""Checking one implementation: every question put twice, in fresh processes and two orders, and every answer judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from rankspec.conformance.checks import stability
from rankspec.conformance.checks.labels_above_one import label_of_two
from rankspec.conformance.checks.records import Diagnosis
from rankspec.conformance.implementations.naming import function_named, measure_by_name
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.judge import verdicts
from rankspec.conformance.questions.question import Question, Refused, Rendering, put
from rankspec.conformance.run import outcomes
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED, Connectable, last_connection
from rankspec.conformance.run.limits import LONGER_CALL, Halted
from rankspec.conformance.worker.messages import ANY_MEASURE, Call, Hello, Preparing
from rankspec.oracle.conventions.convention import DEFAULT, Convention, setting_text
from rankspec.oracle.conventions.textbook import BEYOND_RANGE, HIGHEST_LABEL, beyond_range
from rankspec.oracle.language.expression import convention_text, differences_text, parse_convention

# A power of 2 with a million bits takes a millisecond, one with four thousand million ten seconds and the memory.
_HIGHEST_POWER = 2**20


@dataclass(frozen=True)
class Answer:
    """What came of one question."""

    question: Question
    rendering: Rendering | Refused  # the question as it was put, or why it could not be
    outcome: outcomes.Outcome | None  # what came of it the first time; None if it could not be put
    judgement: verdicts.Judgement
    pair: stability.MinimalPair | None = None  # of an unstable one, the smallest pair of calls found that shows it

    @property
    def verdict(self) -> verdicts.Verdict:
        """The verdict."""
        return self.judgement.verdict

    @property
    def is_number(self) -> bool:
        """Whether a number came, or one a query."""
        return isinstance(self.outcome, outcomes.Number | outcomes.PerQuery)


@dataclass(frozen=True)
class Checked:
    """What a check of one implementation found."""

    name: str  # as the user wrote it
    hello: Hello  # what the implementation says of itself
    convention: Convention  # what the answers were judged under
    answers: tuple[Answer, ...]
    mutated: tuple[str, ...] = ()  # ids of the questions whose arguments it changed
    remarks: tuple[str, ...] = ()  # further findings, a line each
    questions: int = 0  # how many answers there are if it is complete
    complete: bool = True  # whether all that was to be asked was asked, and twice
    diagnosis: Diagnosis | None = None  # what failures come from, or what is wrong beyond the cases where none fails
    is_textbook: bool = False  # nobody stated the convention, so that it is the textbook's

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


class CheckPlan(NamedTuple):
    """What to check with."""

    questions: Sequence[Question]  # what is asked
    under: Convention | None = None  # the convention; None for the declared one
    fixed_measure: bool = False  # whether the user stated the measure, or answers did
    # nobody stated the convention, so it is the textbook's: what is beyond a scale is not held against anyone then
    is_textbook: bool = False
    unordered: Convention | None = None  # what it follows but for ties, where these are in arbitrary order and may be
    # of one that follows no rule: the axes on which textbooks leave the choice, and nobody knows what it chooses
    unknown_choices: frozenset[str] = frozenset()
    remark: str = ""  # what was assumed


@dataclass(frozen=True)
class Listener:
    """Who is told how a check gets on, one thing at a time."""

    on_progress: Callable[[int, int], None] | None = None  # hears how many answers are known, of how many
    on_answer: Callable[[Answer], None] | None = None  # is given each answer once it is final, in any order
    # is given, before the first answer, what the implementation says of itself and the convention that it is held to
    on_hello: Callable[[Hello, Convention], None] | None = None
    on_preparing: Callable[[Preparing], None] | None = None  # hears what takes long before that: compiling
    # is held while something is told, and while the oracle is asked: several checks may share one
    turn: AbstractContextManager[object] = field(default_factory=nullcontext)


def check(connectable: Connectable, plan: CheckPlan, listener: Listener | None = None) -> Checked:
    """Ask an implementation all questions, twice, and judge the answers; after a halt they are timeouts."""
    # `ImportFailure` if it can't be loaded, `Halted` if it was stopped before.
    listener = listener or Listener()
    connectable.halt.on_preparing = listener.on_preparing
    return _Check(connectable, plan, listener).run()


class _Posed(NamedTuple):
    """A question that could be put."""

    place: int  # among all questions
    question: Question
    rendering: Rendering


@dataclass
class _Check:
    """A check under way."""

    connectable: Connectable
    plan: CheckPlan
    listener: Listener
    convention: Convention = DEFAULT
    posed: list[_Posed] = field(default_factory=list)  # what is asked, in order: an index counts these
    calls: list[stability.NamedCall] = field(default_factory=list)  # their calls
    answers: dict[int, Answer] = field(default_factory=dict)  # by the place of the question among all
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
        once = outcomes.TimedOut | outcomes.NotCalled | outcomes.OutOfMemory  # to fill the memory again takes as long
        again = [index for index, outcome in enumerate(first.outcomes) if not isinstance(outcome, once)]
        second = stability.Repetition(self.calls)
        if not self.connectable.is_fresh:
            second.where = "when asked again in this process, the last question first"
        # What an interruption left unasked is left out: the findings are what is known so far.
        answered = first.outcomes[: first.known] if self.halt.interrupted else first.outcomes
        late = [index for index, outcome in enumerate(answered) if outcomes.is_unanswered(outcome)]
        for index, outcome in enumerate(answered):
            if isinstance(outcome, once):
                self._progress()
                if not outcomes.is_unanswered(outcome):
                    self._answer(index, outcome)
        self._repeat(first, again, second)
        # What had no answer in time is asked once more, alone, under the hash seed under which it had none.
        late_outcomes = self._second_calls(first, late, FIRST_SEED)
        lost = [index for index, outcome in sorted(second.outcomes.items()) if isinstance(outcome, outcomes.TimedOut)]
        second.outcomes |= self._second_calls(first, lost, SECOND_SEED)
        final = (late_outcomes.get(index, outcome) for index, outcome in enumerate(first.outcomes))
        first = replace(first, outcomes=tuple(final))
        for index in late:
            self._answer(index, first.outcomes[index])
        remarks = self._remarks(first, second)
        left = [index for index in again if self.posed[index].place not in self.answers]
        for index in sorted(left, key=lambda index: (self.posed[index].question.size, index)):  # small ones tell more
            self._answer(index, stability.settled(first, second, index), stability.change_of(first, second, index))
        return self._checked(first, second, remarks)

    def _labels_above_one(self, connection: outcomes.Connection, first: outcomes.Report) -> str:
        """Return what a label of 2 does in a user's own function; an adapter declares which labels a library takes."""
        if ANY_MEASURE not in first.hello.functions or first.ended or self.halt.reason:
            return ""
        pairs = sorted(zip(self.posed, first.outcomes, strict=True), key=lambda pair: pair[0].question.size)
        usual = ((each.question.measure, each.rendering.call, outcome) for each, outcome in pairs)
        answered = [(call, outcome) for measure, call, outcome in usual if measure.rel == 1 and not measure.is_graded]
        words = label_of_two(answered, lambda calls: connection.ask(calls).outcomes)
        return f"{words[:1].upper()}{words[1:]}." if words else ""

    def _repeat(self, first: outcomes.Report, again: Sequence[int], second: stability.Repetition) -> None:
        """Ask again what was answered, and give the answers that stay the same."""

        def count(index: int) -> None:
            self._progress()
            outcome = stability.settled(first, second, index)
            if not outcomes.is_unanswered(outcome) and stability.change_of(first, second, index) is None:
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

    def _second_calls(self, first: outcomes.Report, late: Sequence[int], seed: str) -> dict[int, outcomes.Outcome]:
        """Return the answers that come in time over a new connection, by the index of the question."""
        # Who has answered nothing is not asked again. The first question was answered before, for imports take time.
        answered = next((index for index, each in enumerate(first.outcomes) if not outcomes.is_unanswered(each)), None)
        if not late or answered is None or not self.connectable.is_fresh or self.halt.reason:
            return {}
        order = sorted(late, key=lambda index: isinstance(first.outcomes[index], outcomes.TimedOut))
        try:
            with last_connection(self.connectable, seed) as connection:
                report = connection.ask([self.calls[index].call for index in (answered, *order)])
        except (ImportFailure, Halted):
            return {}
        late_outcomes = zip(order, report.outcomes[1:], strict=True)
        return {index: outcome for index, outcome in late_outcomes if not outcomes.is_unanswered(outcome)}

    def _calls(self, hello: Hello) -> list[Call]:
        """Put the questions into the shape of what was loaded; those that can't be put are answered by that."""
        with self.listener.turn:
            self.convention = self.plan.under or parse_convention(hello.convention or "default")
            if self.listener.on_hello is not None:
                self.listener.on_hello(hello, self.convention)
            renderings = [
                Refused(verdicts.Verdict.UNSUPPORTED.value, self._beyond_range(question))
                if self._is_beyond_power(question)
                else put(question, self.convention, hello, fixed=self.plan.fixed_measure)
                for question in self.plan.questions
            ]
        for place, (question, rendering) in enumerate(zip(self.plan.questions, renderings, strict=True)):
            if isinstance(rendering, Rendering):
                self.posed.append(_Posed(place, question, rendering))
            else:
                judged = verdicts.Judgement(verdicts.Verdict(rendering.verdict), rendering.reason)
                self._final(place, Answer(question, rendering, None, judged))
        self.calls = [stability.NamedCall(each.question.id, each.rendering.call) for each in self.posed]
        return [each.call for each in self.calls]

    def _answer(self, index: int, outcome: outcomes.Outcome, change: stability.Instability | None = None) -> None:
        """Judge what came of a question; if it changes, look for the pair of calls that shows why."""
        place, question, rendering = self.posed[index]
        with self.listener.turn:
            judged = verdicts.judge(outcome, rendering.expectation)
            if beyond := "" if judged.verdict.conforms else self._left_open(question, rendering, outcome):
                self.beyond.setdefault(beyond, []).append(question.id)
                judged, change = verdicts.Judgement(verdicts.Verdict.UNSUPPORTED, beyond), None
            else:
                judged = self._with_near(question, rendering, outcome, judged)
        pair = None
        if change is not None:
            text, pair = stability.explained(self.laboratory, self.calls[index], change)
            judged = verdicts.Judgement(verdicts.Verdict.UNSTABLE, text)
        self._final(place, Answer(question, rendering, outcome, judged, pair))

    def _left_open(self, question: Question, rendering: Rendering, outcome: outcomes.Outcome) -> str:
        """Return what textbooks do not define in a question, if that may be why the answer is another."""
        if self.plan.is_textbook:
            if beyond := self._beyond_range(question):
                return beyond
            # A function of several values raises for one of them, whichever is asked for.
            if isinstance(outcome, outcomes.Raised) and max(_grades(question), default=0) > HIGHEST_LABEL:
                return f"{BEYOND_RANGE}above {HIGHEST_LABEL}"
        unknown = self.plan.unknown_choices
        if unknown and verdicts.turns_on(unknown, question.measure, rendering, self.convention):
            return "a choice that textbooks leave open"
        is_unordered = self.plan.unordered is not None
        is_order = is_unordered and verdicts.is_of_some_order(question.measure, rendering, outcome, self.convention)
        return "tied documents" if is_order else ""

    def _with_near(
        self, question: Question, rendering: Rendering, outcome: outcomes.Outcome, judged: verdicts.Judgement
    ) -> verdicts.Judgement:
        """Name the rules that an answer follows instead; of tied documents, those that it follows in some order."""
        judged = verdicts.with_near_conventions(question.measure, rendering, outcome, self.convention, judged)
        own = self.plan.unordered
        is_wrong = judged.verdict is verdicts.Verdict.WRONG
        if not is_wrong or own is None or not verdicts.is_of_some_order(question.measure, rendering, outcome, own):
            return judged
        rules = [f"{axis}={setting_text(value)}" for axis, value in own.differences(self.convention).items()]
        near = tuple(verdicts.NearConvention(rule, own) for rule in rules)
        return verdicts.Judgement(verdicts.Verdict.OTHER_CONVENTION, " and ".join(rules), near) if near else judged

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

    def _remarks(self, first: outcomes.Report, second: stability.Repetition) -> list[str]:
        """Say what no verdict says: memory that ran full, processes that ended, what was not asked."""
        remarks = [first.hello.shape_note] if first.hello.shape_note else []
        named = None if self.plan.fixed_measure else measure_by_name(first.hello)
        remarks += [function_named(named.name, first.hello)] if named else []
        remarks += filter(None, (self.plan.remark, self.labels))
        remarks += [f"{self.calls[index].id}: {text}" for index, text in stability.short_of_memory(first, second)]
        between = [incident.outcome for incident in first.incidents if incident.index is None]
        remarks += [f"{stability.words_of(lost)} between two questions" for lost in between[:1]]
        final = (stability.settled(first, second, index) for index in range(len(first.outcomes)))
        if late := sum(isinstance(outcome, outcomes.TimedOut) for outcome in final):
            remarks.append(f"{late} question{'s' * (late > 1)} had no answer in time; {LONGER_CALL}")
        if changed := stability.last_digits(first, second):
            remarks.append(changed)
        if second.ended:
            once = len(self.calls) - len(second.outcomes)
            remarks.append(f"{once} questions were not asked a second time: {second.ended}")
        return remarks

    def _checked(self, first: outcomes.Report, second: stability.Repetition, remarks: Sequence[str]) -> Checked:
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
            len(self.plan.questions),
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
