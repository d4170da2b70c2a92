"""What `check` does: hold implementations to a convention, find what is wrong with each, and keep one record of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.checks import recording
from rankspec.conformance.checks.check import Answer, Checked, Listener, check, own_text
from rankspec.conformance.checks.known_failures import KnownFailures, gate, reason_for
from rankspec.conformance.checks.parallel import INTERRUPTED, CheckBatch, check_all
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.checks.stream import StreamWriter
from rankspec.conformance.implementations.specs import (
    OF_ONE_FUNCTION,
    Implementation,
    ImportFailure,
    SpecificationError,
)
from rankspec.conformance.infer.identify.diagnosis import OwnPlan, diagnosed, own_plan
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.conformance.run.progress_bars import ProgressLine
from rankspec.conformance.verbs.implementations import is_own, values_of
from rankspec.conformance.worker.messages import Hello
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError


@dataclass(frozen=True)
class CheckQuestion:
    """What is held to what."""

    cases: Sequence[Case]
    measure: Measure | None = None  # what functions compute; by default what each is identified as
    under: Convention | None = None  # by default what each declares, and of a function the textbook
    # what functions do where textbooks leave it open, or where another rule is accepted; by default what answers show
    choices: Convention | None = None
    identifies: bool | None = None  # whether a fault is named by identifying; by default of users' functions
    known_failures: KnownFailures = field(default_factory=dict)
    is_every_case: bool = True  # whether these are all cases, so that an entry of `known_failures` may be stale

    def __post_init__(self) -> None:
        """Refuse a convention beside choices, which say what is held to the textbook."""
        if self.choices is not None and self.under is not None:
            raise InputError(
                "both a convention (--under) and choices (--choices) are stated; leave one out",
                code="convention-and-choices",
            )


def check_one(connectable: Connectable, question: CheckQuestion) -> Checked:
    """Check an implementation, and diagnose what fails; `SpecificationError` if no question can be put to it."""
    stated, search = question.measure, question.identifies
    plan, identified = own_plan(
        connectable, question.cases, stated, question.under, choices=question.choices, search=search
    )
    checked = check(connectable, plan)
    _require_answers([checked])
    return diagnosed(checked, connectable, stated, question.known_failures, search=search, identification=identified)


class Checking:
    """Several implementations that are held to conventions at once, each in processes of its own."""

    def __init__(
        self,
        question: CheckQuestion,
        implementations: Sequence[Implementation],
        limits: Limits,
        begin: Callable[[str], ProgressLine],
        run_seconds: float | None = None,
        *,
        of_file: bool = False,
    ) -> None:
        """Say what each is asked, for which users' functions are identified; `begin` shows how far each is."""
        # Of the page of a file, what computes no ranking metric is left out, and functions are not compared. Each value
        # that a function returns by name is checked, where no measure is stated.
        for name, count in Counter(each.text for each in implementations).items():
            if count > 1:  # findings are kept, and reported, under it
                raise InputError(
                    f"{name} is named {count} times; name each implementation once", code="implementation-repeated"
                )
        self.question = question
        self._limits, self._begin, self._of_file = limits, begin, of_file
        self._run_seconds, self._start = run_seconds, time.monotonic()
        halt = Halt(run_seconds)
        self._interruption: KeyboardInterrupt | None = None
        has_values = question.measure is None and question.identifies is not False
        values = {
            each.text: self._values(each, halt) if of_file or (has_values and is_own(each)) else {each: None}
            for each in implementations
        }
        self.left_out = [name for name, own in values.items() if of_file and not own]  # what computes no ranking metric
        own_measures = {each: measure for own in values.values() for each, measure in own.items()}
        self._measures = {each.text: measure or question.measure for each, measure in own_measures.items()}
        self._workers = {each.text: Workers(each, limits, halt) for each in own_measures}
        self.is_page = of_file or len(self._workers) > len(implementations) == 1
        self._plans = {name: plan for name in self._workers if (plan := self._plan_if_metric(name)) is not None}
        self._workers = {name: self._workers[name] for name in self._plans}
        self._spent = time.monotonic() - self._start

    def _values(self, implementation: Implementation, halt: Halt) -> dict[Implementation, Measure | None]:
        """Return what of a function is checked, of no metric nothing; after an interruption without asking."""
        if self._interruption is None:
            try:
                return values_of(implementation, self._limits, halt)
            except ImportFailure as refusal:
                if not self._of_file or refusal.code not in OF_ONE_FUNCTION:  # the file itself can't be loaded
                    raise
                return {}
            except KeyboardInterrupt as interruption:
                self._interruption = interruption
        return {implementation: None}

    def _plan_if_metric(self, name: str) -> OwnPlan | None:
        """Return what one is asked; None, on the page of a file, of what answers as no ranking metric does."""
        try:
            question, tell = self.question, self._begin(name).show_step
            stated = self._workers[name], question.cases, self._measures[name], question.under, tell
            choices = question.choices
            if self._interruption is None:
                try:
                    return own_plan(*stated, choices=choices, search=question.identifies)
                except KeyboardInterrupt as interruption:
                    self._interruption = interruption
            return own_plan(*stated, choices=choices, search=False)
        except ImportFailure:
            if not self._of_file:
                raise
            self.left_out.append(name)
            return None

    @contextmanager
    def stream_to(self, path: Path) -> Iterator[StreamWriter]:
        """Open the file that answers are written to as they come; `InputError` if it can't be written."""
        plans = {name: own.plan for name, own in self._plans.items()}
        header = {
            "rankspec": recording.own_version(),
            "implementations": [
                {"name": name, "convention": plan.under and own_text(plan.under, is_textbook=plan.is_textbook)}
                for name, plan in plans.items()
            ],
            "measure": None if self.question.measure is None else str(self.question.measure),
            "questions": max(len(plan.questions) for plan in plans.values()),
            "to_come": sum(len(plan.questions) for plan in plans.values()),
        }
        try:
            with path.open("w", encoding="utf-8", newline="\n") as file:
                yield StreamWriter(file, header)
        except OSError as error:
            raise InputError(
                f"--stream {path}: can't be written: {error.strerror or error}", code="file-not-writable"
            ) from None

    def run(self, jobs: int | None = None, stream: StreamWriter | None = None) -> CheckBatch:
        """Ask all of them; `SpecificationError` if no question can be put to any."""
        if self._interruption is not None:  # no case was put yet
            return CheckBatch((), tuple(self._workers), reason=INTERRUPTED, interruption=self._interruption)
        batch = check_all(
            [*self._workers.values()],
            [own.plan for own in self._plans.values()],
            jobs=jobs,
            run_seconds=self._run_seconds,
            spent=self._spent,
            listen=lambda name: self._listener(name, stream),
        )
        if not batch.complete:
            return batch
        _require_answers(batch.checks)
        checks = list(batch.checks)
        interruption = batch.interruption
        try:  # one after the other: it is done in this process, and several threads would do it no sooner
            for place, checked in enumerate(checks):
                checks[place] = diagnosed(
                    checked,
                    self._workers[checked.name],
                    self._measures[checked.name],
                    self.question.known_failures,
                    search=self.question.identifies,
                    progress=self._begin(checked.name).show_step,
                    identification=self._plans[checked.name].identification,
                )
        except KeyboardInterrupt as error:  # it loses no answer
            interruption = error
        return replace(batch, checks=tuple(checks), interruption=interruption)

    def _listener(self, name: str, stream: StreamWriter | None) -> Listener:
        line, questions = self._begin(name), self._plans[name].plan.questions
        if stream is None:
            return Listener(line.count, None, None, line.prepare)
        places = {question.id: place for place, question in enumerate(questions)}

        def answer(answer: Answer) -> None:
            question = answer.question
            fails = answer.verdict.is_applicable and not answer.verdict.conforms
            rules = answer.judgement.conventions
            ids = (question.id, *question.cases)
            reason = reason_for(self.question.known_failures, name, ids, rules) if fails else None
            stream.answer(name, places[question.id], data_of(recording.answer_record(answer, reason)))

        def hello(hello: Hello, convention: Convention) -> None:
            text = own_text(convention, is_textbook=self._plans[name].plan.is_textbook)
            greeting = recording.greeting_record(name, hello, text, questions=len(places), cases=())
            stream.implementation(data_of(greeting, *recording.GREETING))

        return Listener(line.count, answer, hello, line.prepare)

    def record(self, batch: CheckBatch) -> CheckRecord:
        """Return what was found as one record, known failures marked."""
        clauses = {case.id: case.clause for case in self.question.cases}
        rows = [] if self.is_page else recording.differences(batch.checks, clauses)
        return self.gated(
            recording.record_of(batch.checks, rows, self.question.measure, batch), self.question.known_failures
        )

    def gated(self, record: CheckRecord, known: KnownFailures) -> CheckRecord:
        """Return a record with these failures marked as known."""
        return gate(record, known, all_cases=self.question.is_every_case and record.complete)


def _require_answers(checks: Sequence[Checked]) -> None:
    """Refuse to call it fine when not one question could be put; the error has the commonest reason."""
    if any(checked.applicable for checked in checks):
        return
    if not checks:
        raise SpecificationError("no function of the file could be called as a ranking metric", code="nothing-asked")
    name, answers = checks[0].name, checks[0].answers
    commonest = Counter(answer.judgement.detail for answer in answers).most_common(1)
    reason = commonest[0][0] if commonest else "the cases are about no measure that is known"
    raise SpecificationError(
        f"{name}: it can't be asked any of the {len(answers)} questions: {reason}", code="nothing-asked"
    )
