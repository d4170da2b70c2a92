"""What a bug report says: the smallest input, what is given, what is demanded and by whom, and what shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.clauses import Clause, shipped_clauses
from rankspec.conformance.checks.answer import Answer, Checked
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, known_adapters
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Refused
from rankspec.conformance.reproducing.running import Printed, run_snippet
from rankspec.conformance.reproducing.shrinking import smaller
from rankspec.conformance.reproducing.snippet import snippet_lines
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.environments import environment_of
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import Raised
from rankspec.conformance.worker.loading import built_in
from rankspec.oracle.conventions.convention import AXES, Convention, setting_text
from rankspec.oracle.language.expression import parse_convention

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Bug:
    """All that a report says.

    Attributes:
        checked: what the implementation says of itself, and what it is held to.
        answer: to the smallest input found.
        case: the id under which the larger input is known.
        smaller: whether the input is smaller than that of the case.
        demands: the clauses that demand another answer.
        packages: what the library stands on, with versions.
        snippet: lines that need the library alone; none for an input that is too long to be read.
        printed: what came of them in a fresh Python; None where they were not run.
    """

    checked: Checked
    answer: Answer
    case: str
    smaller: bool
    demands: tuple[Clause, ...]
    packages: Mapping[str, str]
    snippet: tuple[str, ...]
    printed: Printed | None

    @property
    def shown(self) -> bool:
        """Whether the snippet showed what is claimed: the same exception, an assertion that does not hold, an end."""
        if self.printed is None:
            return False
        last = self.printed.lines[-1] if self.printed.lines else ""
        if self.answer.verdict in {Verdict.CRASH, Verdict.TIMEOUT}:
            return self.printed.status != 0
        if isinstance(self.answer.outcome, Raised) and self.answer.verdict is Verdict.ERROR:
            return self.answer.outcome.type in last
        asserts = any("assert" in line or "AssertionError" in line for line in self.snippet)
        return last.startswith("AssertionError") if asserts else self.printed.status == 0


class NothingToReportError(Exception):
    """The answer is what the convention demands."""


def bug_of(implementation: Implementation, question: Question, case: Case | None, plan: Plan, limits: Limits) -> Bug:
    """Ask, make the input small, ask again, and write down what came of it.

    Args:
        implementation: that is at fault.
        question: what it fails on.
        case: the case that the question comes from, if it is one.
        plan: the convention that it is held to, and whether the user stated the measure; its questions are not used.
        limits: how long and how much it may take.

    Raises:
        NothingToReportError: the answer is what the convention demands.
        SpecificationError: the implementation can't be loaded, or the question can't be put to it.
    """
    with Workers(implementation, limits).connect() as connection:
        hello = connection.hello
        convention = plan.under or parse_convention(hello.convention or "default")
        small = smaller(question, convention, connection, fixed=plan.fixed_measure)
    checked = check(implementation, Plan([small], convention, plan.fixed_measure), limits)
    (answer,) = checked.answers
    if isinstance(answer.put, Refused):
        raise SpecificationError(f"{implementation.text}: {question.id} can't be put to it: {answer.put.reason}")
    if answer.verdict.conforms:
        raise NothingToReportError(
            f"{implementation.text}: {question.id} conforms to {checked.convention_text} ({answer.verdict.value})"
        )
    lines = tuple(snippet_lines(implementation, hello, answer))
    printed = run_snippet(implementation, lines) if lines else None
    demands = tuple(_demands(answer, case, convention))
    return Bug(checked, answer, question.id, small != question, demands, _packages(implementation), lines, printed)


def _demands(answer: Answer, case: Case | None, convention: Convention) -> Iterator[Clause]:
    """Yield the clauses that say what the answer should be, as the convention reads them."""
    clauses = shipped_clauses()
    changed = (near.name.partition("=")[0] for near in answer.judgement.near)
    axes = dict.fromkeys(axis for axis in changed if axis in AXES)
    about = None if case is None else clauses.get(case.clause)
    if about is not None and about.axis is not None:
        axes = {about.axis: None}  # what the case is about, whatever else would explain the answer
    elif about is not None:
        yield about
    for axis in axes:
        text = setting_text(getattr(convention, axis))
        yield from (each for each in clauses.values() if each.axis == axis and each.value in {text, None})


def _packages(implementation: Implementation) -> dict[str, str]:
    """Return what an adapter's library stands on: all that is in its environment, or what it says that it needs."""
    if implementation.pinned is not None:
        made = environment_of(implementation.pinned)
        return {name: each for name, each in made.packages.items() if name != made.distribution}
    adapter = implementation.text.partition("==")[0]
    if adapter not in known_adapters():
        return {}
    try:
        needed = requires(built_in(adapter).distribution) or []
    except PackageNotFoundError:
        return {}
    names = [found[0] for each in needed if "extra ==" not in each and (found := _NAME.match(each)) is not None]
    return {name: each for name in sorted(set(names)) if (each := _version(name)) is not None}


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
