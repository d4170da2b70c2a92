"""What a bug report says: the smallest call, its answer, the value that the definition has, and what causes it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from tempfile import TemporaryDirectory

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.catalogue import Clause, shipped_clauses
from rankspec.conformance.checks.check import Answer, Checked, CheckPlan, check
from rankspec.conformance.implementations import specs
from rankspec.conformance.implementations.pinned import normalised
from rankspec.conformance.infer.identify.diagnosis import diagnosed
from rankspec.conformance.infer.identify.identification import shrunk
from rankspec.conformance.infer.interview.probe import Probe
from rankspec.conformance.judge.verdicts import Judgement, Verdict, judge, with_near_conventions
from rankspec.conformance.questions.question import Question, Refused, Rendering, put
from rankspec.conformance.reproducing.snippet import snippet_lines
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.environments import environment_of
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import Connection, Outcome, Raised
from rankspec.conformance.worker.loading import built_in
from rankspec.conformance.worker.messages import CommandSource, FileSource, ModuleSource, ProgramSource
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.errors import UserError
from rankspec.oracle.language.expression import parse_convention

_SECONDS = 300  # A library may compile for a minute
_MOST_LINES = 3
_LONGEST_LINE = 300
_FOLDERS = re.compile(r'(?<=File ").*/(?:site-packages|python3\.\d+|tmp[^/]*)/')
"""Where a traceback says that a library, or the snippet, lies on this machine."""
_KINDS = frozenset({Verdict.OTHER_CONVENTION, Verdict.WRONG, Verdict.UNDEFINED, Verdict.ERROR})
"""What is found by asking once; whatever costs a process or a wait a time is left as large as it is."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Printed:
    """What came of a snippet."""

    status: int | None  # the exit status; below 0 the signal that ended it, None where it did not end in time
    lines: tuple[str, ...]  # the last lines that it printed


def run_snippet(implementation: specs.Implementation, lines: Sequence[str]) -> Printed | None:
    """Run a Python snippet where the library is; `ImportFailure` if its version's environment can't be made."""
    if isinstance(implementation.source, CommandSource | ProgramSource):
        return None
    own = isinstance(implementation.source, FileSource | ModuleSource)
    pinned = implementation.pinned
    python = sys.executable if pinned is None else str(environment_of(pinned).executable)
    with TemporaryDirectory() as folder:
        script = Path(folder) / "snippet.py"
        script.write_text("\n".join(lines), encoding="utf-8")
        # A user's function is found from where one stands; the snippets of libraries may write files.
        where = Path.cwd() if own else folder
        settings = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
        if own:
            settings["PYTHONPATH"] = str(where)
        try:
            done = subprocess.run(  # noqa: S603 - the call that the implementation was asked already
                [python, str(script)],
                cwd=where,
                env=settings,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Printed(None, ())
    said = [_FOLDERS.sub("", line.rstrip()) for line in done.stdout.decode("utf-8", "replace").splitlines()]
    said = [line for line in said if line.strip(" ^~")]
    return Printed(done.returncode, tuple(line[:_LONGEST_LINE] for line in said[-_MOST_LINES:]))


def smaller(question: Question, convention: Convention, connection: Connection, *, fixed: bool) -> Question:
    """Return the smallest question found that fails as this one does; the same one if it conforms."""
    # The same way is: the same verdict, the same exception, one of the same conventions that explain the answer.

    def answered(questions: Sequence[Question]) -> list[tuple[Question, Outcome, Judgement]]:
        asked = [(each, put(each, convention, connection.hello, fixed=fixed)) for each in questions]
        calls = [(each, one) for each, one in asked if isinstance(one, Rendering)]
        outcomes = connection.ask([one.call for _, one in calls]).outcomes
        judged = [judge(outcome, one.expectation) for (_, one), outcome in zip(calls, outcomes, strict=True)]
        return [
            (each, outcome, with_near_conventions(each.measure, one, outcome, convention, verdict))
            for (each, one), outcome, verdict in zip(calls, outcomes, judged, strict=True)
        ]

    first = answered([question])
    if not first or first[0][2].verdict not in _KINDS:
        return question
    _, outcome, judged = first[0]
    kind = outcome.type if isinstance(outcome, Raised) else None
    allowed = _emptiness(question)

    def part(probes: Sequence[Probe]) -> Probe | None:
        candidates = [replace(question, qrels=each.qrels, run=each.run) for each in probes]
        by_question = dict(zip(map(id, candidates), probes, strict=True))
        for each, got, one in answered([each for each in candidates if _emptiness(each) <= allowed]):
            same = one.verdict is judged.verdict and (got.type if isinstance(got, Raised) else None) == kind
            if same and (not judged.near or set(judged.conventions) & set(one.conventions)):
                return by_question[id(each)]
        return None

    found = shrunk(Probe(question.id, question.measure, question.qrels, question.run), part)
    return replace(question, qrels=found.qrels, run=found.run)


def _emptiness(question: Question) -> frozenset[str]:
    """Return what is empty: a list, a query's judgments. What was not so must not become so: it is another question."""
    sizes = {
        "list": [len(question.run.documents(query)) for query in question.run],
        "judgments": [len(question.qrels.grades(query)) for query in question.qrels],
    }
    return frozenset(name for name, each in sizes.items() if 0 in each)


@dataclass(frozen=True)
class Bug:
    """All that a report says."""

    checked: Checked  # what the implementation says of itself, and what it is held to
    answer: Answer  # to the smallest input found
    library: str  # the distribution whose maintainer reads it; empty for a user's function
    version: str | None  # of that library
    case: str  # the id under which the larger input is known
    smaller: bool  # whether the input is smaller than that of the case
    cause: str  # what its failures come from, where that was found; empty where not
    demands: tuple[Clause, ...]  # the clauses that demand another answer
    packages: Mapping[str, str]  # what the library stands on, with versions
    snippet: tuple[str, ...]  # lines that need the library alone; none for an input that is too long to be read
    printed: Printed | None  # what came of them in a fresh Python; None where they were not run

    @property
    def is_reproduced(self) -> bool:
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


class NothingToReportError(UserError):
    """The answer is what the convention demands."""


@dataclass(frozen=True)
class Filed:
    """What a report is about."""

    question: Question  # what the implementation fails on
    case: Case | None = None  # the case that the question comes from, if it is one
    library: str = ""  # the distribution that a user's function calls: the report is about that; else empty
    # version of the library -> what its record says that it does, which no convention says
    causes: Mapping[str | None, str] = field(default_factory=dict)


def bug_of(implementation: specs.Implementation, filed: Filed, plan: CheckPlan, limits: Limits) -> Bug:
    """Ask, make the input small, ask again, and write down what came of it; the plan's questions are not used."""
    # `NothingToReportError` for an answer that conforms; `SpecificationError` if it can't be loaded, or asked that.
    question = filed.question
    with Workers(implementation, limits).connect() as connection:
        hello = connection.hello
        convention = plan.under or parse_convention(hello.convention or "default")
        small = smaller(question, convention, connection, fixed=plan.fixed_measure)
    stated = question.measure if plan.fixed_measure else None
    checked = check(Workers(implementation, limits), CheckPlan([small], convention, plan.fixed_measure))
    (answer,) = checked.answers
    if isinstance(answer.rendering, Refused):
        why = f"{implementation.text}: {question.id} can't be put to it: {answer.rendering.reason}"
        raise specs.SpecificationError(why, code="question-not-askable")
    if answer.verdict.conforms:
        conforms = f"{question.id} conforms to {checked.convention_text} ({answer.verdict.value})"
        raise NothingToReportError(f"{implementation.text}: {conforms}", code="nothing-to-report")
    lines = tuple(snippet_lines(implementation, hello, answer, is_wrapper=bool(filed.library)))
    cause = filed.causes.get(hello.version, "")
    if not cause and (diagnosis := diagnosed(checked, Workers(implementation, limits), stated).diagnosis):
        cause = diagnosis.words or ""
    library = filed.library or library_of(implementation)
    version = specs.installed_version(filed.library) if filed.library else hello.version
    printed = run_snippet(implementation, lines) if lines else None
    clauses, packages = demanding_clauses(filed.case, convention), packages_of(implementation, library)
    is_smaller = small != question
    return Bug(checked, answer, library, version, question.id, is_smaller, cause, clauses, packages, lines, printed)


def library_of(implementation: specs.Implementation) -> str:
    """Return the distribution that an adapter calls; empty for what is no adapter."""
    adapter = implementation.text.partition("==")[0]
    return built_in(adapter).distribution if adapter in specs.known_adapters() else ""


def demanding_clauses(case: Case | None, convention: Convention) -> tuple[Clause, ...]:
    """Return the clauses that say what the answer should be: what the case is about, as the convention reads it."""
    about = None if case is None else shipped_clauses().get(case.clause)
    if about is None or about.axis is None:
        return () if about is None else (about,)
    return axis_clauses(convention, about.axis)


def axis_clauses(convention: Convention, axis: str) -> tuple[Clause, ...]:
    """Return the clauses of a convention's setting of an axis."""
    text = setting_text(getattr(convention, axis))
    return tuple(each for each in shipped_clauses().values() if each.axis == axis and each.value in {text, None})


def packages_of(implementation: specs.Implementation, library: str) -> dict[str, str]:
    """Return what a library stands on: all that is in its environment, or what it says that it needs."""
    if implementation.pinned is not None:
        made = environment_of(implementation.pinned)
        return {name: each for name, each in made.packages.items() if normalised(name) != normalised(library)}
    try:
        needed = requires(library) or [] if library else []
    except PackageNotFoundError:
        return {}
    names = [found[0] for each in needed if "extra ==" not in each and (found := _NAME.match(each)) is not None]
    return {name: each for name in sorted(set(names)) if (each := specs.installed_version(name)) is not None}
