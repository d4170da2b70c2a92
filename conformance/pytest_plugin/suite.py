"""A suite: one implementation held to one convention, as tests with ids. No test is asked before the first one runs.

Which cases are tests is known before: those that the implementation's shape can express and its functions support. For
that a function whose convention nobody states is identified, as `check` does. All
tests that were selected are asked in one go, so that a worker starts twice and not a thousand times.
"""

from __future__ import annotations

import difflib
import os
import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.catalogue import CatalogueError, load_cases, matching, shipped_cases
from rankspec.conformance.cases.files.yaml_source import SourceError
from rankspec.conformance.checks.causes import Cause, causes_of
from rankspec.conformance.checks.check import Answer, Checked, check
from rankspec.conformance.checks.known_failures import (
    KnownFailures,
    entries_of,
    gate,
    is_pattern,
    is_rule,
    matches,
    read_known_failures,
    reason_by_id,
    reason_by_pattern,
)
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.checks.records import CheckRecord, Diagnosis
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, parse
from rankspec.conformance.infer.identify.diagnosis import OwnPlan, diagnosed, own_plan
from rankspec.conformance.questions.question import Question, Refused, Rendering, put
from rankspec.conformance.reports.words import counted
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.verbs.check import CheckQuestion
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.messages import ANY_MEASURE, Hello
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import OracleError, UserError
from rankspec.oracle.language.expression import convention_text, parse_convention, parse_measure

_Value = TypeVar("_Value")


class SuiteError(UserError):
    """What was stated makes no suite; the message is one line that says what, where and what to do."""


@dataclass(frozen=True)
class Stated:
    """What a maintainer states."""

    # a specification's text, which a worker runs, or a function object, which is called here
    implementation: str | Callable[..., object] | Adapter
    under: str | Convention | None = None  # the convention; None for the one that it declares
    measure: str | Measure | None = None  # what a function computes; every input is asked under it
    cases: str | None = None  # a pattern of ids; None for every case
    # own case files, one or several, instead of the shipped ones
    fixtures: Collection[str | Path] | str | Path | None = None
    known_failures: Mapping[str, str] | str | Path | None = None  # reasons by id or pattern; or a file of them
    shape: str | None = None  # how it is called, if its parameter names don't show it
    case_seconds: float | None = None  # the time for one call, in a worker
    startup_seconds: float | None = None  # the time for import and first call, and for all that has no answer
    # whether it is identified where no convention explains what fails; by default a user's function is
    identify: bool | None = None
    # what a function is to do where textbooks leave the choice; None for what its answers show
    choices: str | Convention | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """The case files."""
        given = (self.fixtures,) if isinstance(self.fixtures, str | Path) else self.fixtures or ()
        return tuple(map(Path, given))


@dataclass(frozen=True)
class Entry:
    """A known failure that is a test by itself: a pattern, or an id that is asked of nobody."""

    id: str  # the pattern, or the id
    matched: tuple[str, ...] = ()  # the ids of the tests that a pattern stands for
    problem: str = ""  # what is wrong with it whatever is answered; empty if that depends


class Suite:
    """One implementation held to one convention."""

    def __init__(self, stated: Stated) -> None:
        """Keep what is stated; it is looked at when it is needed."""
        self.stated = stated
        self._answers: dict[str, Answer] = {}
        self._checks: list[Checked] = []
        self._selected: set[str] | None = None
        self._cached: tuple[int, tuple[CheckRecord, Mapping[str, Cause]]] | None = None
        self.remarks: list[str] = []

    @cached_property
    def name(self) -> str:
        """What the implementation is called: its specification, or the name of the function object."""
        return self._connectable.text

    @cached_property
    def measure(self) -> Measure | None:
        """The measure that was stated, if any."""
        stated = self.stated.measure
        return _read(lambda: parse_measure(stated)) if isinstance(stated, str) else stated

    @cached_property
    def convention(self) -> Convention:
        """What it is held to: what was stated, or what the implementation declares, or of a function the textbook."""
        return self._own.plan.under or _convention(self.hello.convention) or DEFAULT

    @property
    def convention_text(self) -> str:
        """Its canonical text."""
        return convention_text(self.convention)

    @cached_property
    def _connectable(self) -> Workers | InProcess:
        return self._new_connectable()

    def _new_connectable(self) -> Workers | InProcess:
        stated = self.stated
        call = Limits().case_seconds if stated.case_seconds is None else stated.case_seconds
        limits = Limits(case_seconds=call, startup_seconds=stated.startup_seconds)
        asked = stated.implementation
        if isinstance(asked, str):
            environment = {"PYTHONPATH": _search_path()}
            return _read(lambda: Workers(parse(asked, stated.shape), limits, environment=environment))
        return _read(lambda: InProcess(asked, stated.shape))

    @property
    def implementation(self) -> Implementation | Callable[..., object] | Adapter:
        """What is asked: what a specification names, or the object."""
        return self._connectable.implementation

    @cached_property
    def hello(self) -> Hello:
        """What it says of itself."""

        def greeted() -> Hello:
            with self._connectable.connect() as connection:
                return connection.hello

        return _read(greeted)

    @cached_property
    def _own(self) -> OwnPlan:
        """What a check would ask; a function whose convention nobody states is identified for it."""
        cases = matching(self._all_cases, self.stated.cases)
        if not cases:
            raise SuiteError(
                f"cases {self.stated.cases}: no case has such an id; `rankspec fixtures list` shows them",
                code="unknown-case",
            )
        under, choices = map(_convention, (self.stated.under, self.stated.choices))
        _read(lambda: CheckQuestion(cases, self.measure, under, choices))
        search = self.stated.identify if ANY_MEASURE in self.hello.functions else False
        return _read(lambda: own_plan(self._connectable, cases, self.measure, under, choices=choices, search=search))

    @cached_property
    def _renderings(self) -> Mapping[str, tuple[Question, Rendering]]:
        """The questions that can be put, by their ids. What can't is counted in `left_out`."""
        # What can't be read is said before anything is started.
        plan, convention, hello = self._own.plan, self.convention, self.hello
        rendered_questions: dict[str, tuple[Question, Rendering]] = {}
        refused: list[Refused] = []
        for question in plan.questions:
            rendered = put(question, convention, hello, fixed=plan.fixed_measure)
            if isinstance(rendered, Rendering):
                rendered_questions[question.id] = (question, rendered)
            else:
                refused.append(rendered)
        self.left_out = Counter(each.verdict for each in refused)
        if not rendered_questions:
            commonest = Counter(each.reason for each in refused).most_common(1)
            why = commonest[0][0] if commonest else "the cases are about no measure that is known"
            raise SuiteError(
                f"{self.name}: it can't be asked any of the {len(refused)} questions: {why}", code="nothing-asked"
            )
        return rendered_questions

    @property
    def tests(self) -> Sequence[Question]:
        """The questions that are tests, in the order of the cases; `SuiteError` as `tests_of` raises it."""
        return [question for question, _ in self._renderings.values()]

    @cached_property
    def known(self) -> Mapping[str, str]:
        """The known failures of this implementation: reasons by id or pattern."""
        stated = self.stated.known_failures
        if stated is None:
            return {}
        if isinstance(stated, Mapping):
            known = dict(stated)
        else:
            failures_file = _read(lambda: read_known_failures(Path(stated)))
            known = entries_of(failures_file, self.name)
        for case, reason in known.items():
            if not isinstance(case, str) or not isinstance(reason, str) or not reason.strip():
                raise SuiteError(f"known_failures: {case}: say the reason in words", code="reason-missing")
        return known

    def reason(self, case: str) -> str | None:
        """Return why a test is known to fail by its very id (or that of a case with the same question)."""
        ids = self.question(case)[0].cases or (case,)
        return reason_by_id(self.known, (case, *ids))

    def pattern_reason(self, case: str) -> str | None:
        """Return why a test is known to fail by a rule or a pattern, once it has failed."""
        by_rule = reason_by_id(self.known, self.answer(case).judgement.conventions)
        return by_rule if by_rule is not None else reason_by_pattern(self.known, (case, *self.question(case)[0].cases))

    @cached_property
    def entries(self) -> Sequence[Entry]:
        """The known failures that are tests by themselves."""
        applicable = {case for question in self.tests for case in (question.id, *question.cases)}
        entries = []
        for entry in self.known:
            if is_rule(entry):
                entries.append(Entry(entry, tuple(question.id for question in self.tests)))
            elif is_pattern(entry):
                ids = ((question.id, (question.id, *question.cases)) for question in self.tests)
                matched = tuple(test for test, cases in ids if matches(entry, cases))
                if matched or not self._left_out(entry):
                    entries.append(Entry(entry, matched, "" if matched else "it matches no case that is asked"))
            elif entry not in applicable and not self._left_out(entry):
                entries.append(Entry(entry, problem=self._why_stale(entry)))
        return entries

    def _left_out(self, entry: str) -> bool:
        """Tell whether an entry may be about cases that `cases` left out."""
        if self.stated.cases is None or fnmatchcase(entry, self.stated.cases):
            return False
        return any(fnmatchcase(case.id, entry) for case in self._all_cases)

    @property
    def _all_cases(self) -> Sequence[Case]:
        paths = self.stated.paths
        return _read(lambda: load_cases(paths) if paths else shipped_cases())

    def _why_stale(self, entry: str) -> str:
        ids = [case.id for case in self._all_cases]
        if entry in ids:
            return "this implementation can't be asked it (see the summary)"
        near = difflib.get_close_matches(entry, ids, n=1)
        return f"no case has this id{f'; did you mean {near[0]}?' if near else ''}"

    def question(self, case: str) -> tuple[Question, Rendering]:
        """Return a test's question, and how it is put."""
        return self._renderings[case]

    def select(self, cases: Iterable[str]) -> None:
        """Say which tests will run, so that nothing else is asked."""
        self._selected = (self._selected or set()) | set(cases)

    def answer(self, case: str) -> Answer:
        """Return the answer to a test; the first time, everything that was selected is asked."""
        if case not in self._answers:
            selected = (set(self._renderings) if self._selected is None else self._selected) | {case}
            unanswered = [
                self._renderings[each][0] for each in self._renderings if each in selected and each not in self._answers
            ]
            plan = self._own.plan._replace(questions=unanswered, under=self.convention)
            checked = check(self._connectable, plan)
            self._answers.update((answer.question.id, answer) for answer in checked.answers)
            self._checks.append(checked)
            self.remarks += checked.remarks
            if checked.mutated:
                cases = counted(len(checked.mutated), "case")
                self.remarks.append(f"it changed its arguments in {cases}, first in {checked.mutated[0]}")
        return self._answers[case]

    @property
    def record(self) -> CheckRecord:
        """The answers that are there as a check has them, those that are known to fail marked."""
        return self._recorded[0]

    @property
    def _recorded(self) -> tuple[CheckRecord, Mapping[str, Cause]]:
        """The record, and the cause of each failure by its id; kept, since every failing test reads it."""
        if self._cached is None or self._cached[0] != len(self._answers):
            diagnosis = self.diagnosis if self.failing else None
            checked = replace(self._checks[0], answers=tuple(self.answers), diagnosis=diagnosis)
            record = gate(record_of([checked], measure=self.measure), self._known, all_cases=False)
            causes = causes_of(record.implementations[0])
            by_case = {case.id: cause for cause in causes for case in cause.cases}
            self._cached = (len(self._answers), (record, by_case))
        return self._cached[1]

    @property
    def _known(self) -> KnownFailures:
        return {(self.name, entry): reason for entry, reason in self.known.items()}

    @cached_property
    def diagnosis(self) -> Diagnosis | None:
        """What the failures among the answers come from, once a test has failed; None where that is not found."""
        checked = replace(self._checks[0], answers=tuple(self.answers))
        return diagnosed(
            checked,
            self._new_connectable(),
            self.measure,
            self._known,
            search=self.stated.identify,
            identification=self._own.identification,
        ).diagnosis

    def smallest_of_cause(self, case: str) -> str:
        """Return the id of the smallest test that fails for what a test fails for, if it runs as well; else its own."""
        cause = self.cause(case)
        smallest = case if cause is None else cause.cases[0].id
        return smallest if self._selected is not None and smallest in self._selected else case

    def cause(self, case: str) -> Cause | None:
        """Return what a test fails for, which others fail for, too; None of one that is known to fail."""
        return self._recorded[1].get(case)

    @property
    def failing(self) -> Sequence[Answer]:
        """The answers that are not the convention's."""
        return [answer for answer in self.answers if answer.verdict.is_applicable and not answer.verdict.conforms]

    @property
    def answers(self) -> Sequence[Answer]:
        """The answers that are there so far."""
        return [self._answers[case] for case in self._renderings if case in self._answers]


def _convention(stated: str | Convention | None) -> Convention | None:
    return _read(lambda: parse_convention(stated)) if isinstance(stated, str) else stated


def _read(reading: Callable[[], _Value]) -> _Value:
    """Read what was stated; what is wrong with it becomes one line."""
    try:
        return reading()
    except CatalogueError as error:
        raise SuiteError(error.findings[0], code=error.code) from error
    except (OracleError, SpecificationError, SourceError) as error:
        raise SuiteError(" ".join(str(error).split()), code=error.code) from error


def _search_path() -> str:
    """Let workers import what this process can: pytest's `pythonpath` is on its own path alone."""
    own = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders = [folder for folder in sys.path if folder and folder not in own and Path(folder).is_dir()]
    added = [folder for folder in folders if not any(folder.startswith(f"{each}{os.sep}") for each in own)]
    before = os.environ.get("PYTHONPATH")
    return os.pathsep.join([*([before] if before else []), *added])
