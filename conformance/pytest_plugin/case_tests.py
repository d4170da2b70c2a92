"""One test of a suite: a case to be checked, or an entry of the known failures that is a test by itself."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, NoReturn

import pytest
from rankspec.conformance.answers.check import CheckAnswer, cause_sentence, check_answer
from rankspec.conformance.cases.plain_text import in_one_line, printable
from rankspec.conformance.checks.causes import Cause
from rankspec.conformance.checks.check import Answer
from rankspec.conformance.checks.known_failures import is_rule
from rankspec.conformance.checks.recording import input_lines
from rankspec.conformance.checks.stability import outcome_text, outcome_value
from rankspec.conformance.infer.resolve.first_difference import parting
from rankspec.conformance.judge.verdicts import NearConvention, likeliest
from rankspec.conformance.pytest_plugin.suite import Entry, Suite, SuiteError
from rankspec.conformance.questions.question import Rendering
from rankspec.conformance.reports.derivations.text import compared, lines_of
from rankspec.conformance.reports.words import compared_texts, counted, value_and_decimal
from rankspec.conformance.reproducing.snippet import snippet_lines
from rankspec.conformance.run.outcomes import PerQuery
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.derivation import explain
from rankspec.oracle.errors import OracleError
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.values import to_text

# ---- Failures

_MOST_QUERIES = 12
_WIDTH = 70


def failure_text(suite: Suite, answer: Answer, cause: Cause | None) -> str:
    """Write down all that is known of an answer that is not the convention's, its cause first."""
    if not isinstance(answer.rendering, Rendering):
        return headline(suite, answer, cause)
    others = [case for case in answer.question.cases if case != answer.question.id]
    shared = f" ({counted(len(others), 'other case')} with the same input)" if others else ""
    why = [*answer.judgement.conventions[:1], answer.judgement.detail][0]
    meaning = f"{answer.verdict.meaning.removesuffix('.')}{f': {why}' if why else ''}"
    fields = [
        ("case", [f"{answer.question.id}{shared}"]),
        ("held to", [f"{answer.question.measure} under {suite.convention_text}"]),
        ("input", input_lines(answer.rendering.call)),
        ("returned", _returned(answer)),
        ("expected", [value_and_decimal(answer.rendering.expectation.value)]),
        ("verdict", textwrap.wrap(in_one_line(f"{answer.verdict.value}: {meaning}"), _WIDTH)),
        ("accept", _accepting(_check_answer(suite)) if cause else []),
    ]
    likely, _ = likeliest(each.judgement.conventions for each in suite.answers)
    lines = [*textwrap.wrap(headline(suite, answer, cause), _WIDTH), ""]
    for name, texts in fields:
        lines += [f"{name if number == 0 else '':<9}{text}" for number, text in enumerate(texts)]
    lines += ["", *derivation_lines(answer, suite.convention, likely)]
    if snippet := snippet_lines(suite.implementation, suite.hello, answer):
        lines += ["", "reproduce it without rankspec", *(f"    {line}" for line in snippet)]
    return printable("\n".join(line.rstrip() for line in lines))


def _check_answer(suite: Suite) -> CheckAnswer:
    return check_answer(suite.record, suite.record.implementations[0], commands=False)


def _accepting(answer: CheckAnswer) -> list[str]:
    """Return the argument that accepts what an implementation follows, if one does."""
    return [text for label, text in answer.following if label == "To accept it"]


def headline(suite: Suite, answer: Answer, cause: Cause | None) -> str:
    """Say in one line what is wrong, and in how many cases; of a failure that is known, the verdict."""
    got, exact = outcome_text(answer.outcome) if answer.outcome is not None else "nothing", ""
    if isinstance(answer.rendering, Rendering):
        expected = answer.rendering.expectation.value
        exact = f", expected {value_and_decimal(expected, 4, 14)}"
        got, _ = compared_texts(got, to_text(expected))
    if cause is None:
        detail = f" ({answer.judgement.detail})" if answer.judgement.detail else ""
        return in_one_line(f"{answer.verdict.value}: {got}{exact}{detail}")
    cases = f"{len(cause.cases)} cases: " if len(cause.cases) > 1 else ""
    return in_one_line(f"{cases}{cause_sentence(suite.record.implementations[0], cause)} Returned {got}{exact}.")


def _returned(answer: Answer) -> list[str]:
    value = outcome_value(answer.outcome)
    if value is None:
        return [in_one_line(answer.judgement.detail) or outcome_text(answer.outcome)]
    lines = [str(value)]
    if isinstance(answer.outcome, PerQuery) and isinstance(answer.rendering, Rendering):
        lines[0] += " (the mean)"
        exact = answer.rendering.expectation.per_query
        listed = [
            f"query {query}: {outcome_value(number)}"
            + (f", expected {value_and_decimal(exact[query])}" if query in exact else ", which does not count")
            for query, number in answer.outcome.values.items()
        ]
        lines += listed[:_MOST_QUERIES]
        lines += [f"... and {counted(len(listed) - _MOST_QUERIES, 'query')}"] if len(listed) > _MOST_QUERIES else []
    return lines


def summary_lines(suite: Suite) -> Iterator[str]:
    """Yield the lines of one suite; none if nothing of it ran."""
    if not suite.answers:
        return
    # The first test that failed looked for the cause. Where none did, as after Ctrl-C, nothing is begun at the end.
    if suite.failing and "diagnosis" not in vars(suite):
        yield f"{suite.name}: {counted(len(suite.failing), 'case')} of {len(suite.answers)} do not conform."
        return
    answer = _check_answer(suite)
    left_out = " and ".join(f"{count} {verdict}" for verdict, count in sorted(suite.left_out.items()))
    yield f"{answer.headline}{f' No tests: {left_out}.' if left_out else ''}"
    for cause in answer.causes:
        yield f"  {cause.count}: {cause.sentence}"
    yield from (f"  To accept it: {accepting}" for accepting in _accepting(answer))
    for remark in suite.remarks:
        yield f"  {remark}"


_MOST_LINES = 40
_DERIVATION_WIDTH = 79


def followed(answer: Answer, likely: Sequence[str]) -> NearConvention | None:
    """Return the convention of an answer whose verdict names some, a `likely` one of most others first."""
    near = {each.name: each for each in answer.judgement.near}
    return next((near[name] for name in likely if name in near), next(iter(near.values()), None))


def derivation_lines(answer: Answer, convention: Convention, likely: Sequence[str] = ()) -> list[str]:
    """Lay out how the exact value comes about; where another convention was followed, the lines that differ."""
    if not isinstance(answer.rendering, Rendering):
        return []
    qrels, run, measure = answer.rendering.qrels, answer.rendering.run, answer.question.measure
    other = followed(answer, likely)
    name = convention_text(convention)
    try:
        exact = explain(measure, qrels, run, convention)
        theirs = None if other is None else explain(measure, qrels, run, other.convention)
    except OracleError:  # a value that has no derivation
        return []
    shape = answer.rendering.call.arguments.shape
    if other is None or theirs is None:
        (lines,) = lines_of(exact, shape=shape)
        return [f"derivation of the exact value, under {name}", *_shortened([f"  {line}" for line in lines if line])]
    found = parting(exact, theirs)
    lines, others = ([line for line in each if line] for each in lines_of(exact, theirs, shape=shape))
    return [
        f"derivation: - under {name}, + under {other.name}, which gives what was returned",
        *(textwrap.wrap(f"first difference: {found.text}", _DERIVATION_WIDTH, subsequent_indent="  ") if found else []),
        *_shortened(compared(lines, others, _MOST_LINES)),
    ]


def _shortened(lines: Sequence[str]) -> list[str]:
    hidden = len(lines) - _MOST_LINES
    more = [f"  ... and {hidden} lines more; `rankspec explain` prints them all"] if hidden > 0 else []
    return [*lines[:_MOST_LINES], *more]


class Nonconforming(pytest.fail.Exception):  # type: ignore[name-defined,misc]  # mypy does not follow pytest there
    """An answer that is not the convention's, or an entry that is out of date."""

    __module__ = "builtins"  # so that pytest prints the bare name, as it does for its own

    def __init__(self, headline: str, text: str) -> None:
        """Keep what is printed; the traceback would be the harness's."""
        super().__init__(msg=text, pytrace=False)
        self.headline = headline  # the finding in a line


class ConformanceCase:
    """A case that an implementation is held to: what a test that `parametrize_with_cases` decorates is given.

    Attributes:
        id: of the case.
        aliases: the ids of other cases with the same input and measure, which are asked with it.
        known: why it is known to fail by its id; None if it is not.
    """

    def __init__(self, suite: Suite, case: str) -> None:
        """Name a test of a suite."""
        question, _ = suite.question(case)
        self.suite = suite
        self.id = case
        self.needs: Sequence[str] = (case,)
        self.aliases = tuple(each for each in question.cases if each != case)
        self.known = suite.reason(case)

    def __repr__(self) -> str:
        return self.id

    @property
    def measure(self) -> str:
        """The measure that is asked for: `AP@10`."""
        return str(self.suite.question(self.id)[0].measure)

    @property
    def exact(self) -> str:
        """The exact answer, as text: `7/12`."""
        return to_text(self.suite.question(self.id)[1].expectation.value)

    @property
    def answer(self) -> Answer:
        """What the implementation answered, and the verdict. The first one that is wanted has all of them asked."""
        return self.suite.answer(self.id)

    def check(self) -> None:
        """Fail, with all that is known of the answer, unless it is the convention's."""
        __tracebackhide__ = True
        answer = self.answer
        if answer.verdict.conforms:
            return
        if not answer.verdict.is_applicable:  # no convention is stated, and textbooks don't define it
            pytest.skip(answer.judgement.detail)
        if self.known is None and (reason := self.suite.pattern_reason(self.id)) is not None:
            pytest.xfail(reason)
        cause, smallest = self.suite.cause(self.id), self.suite.smallest_of_cause(self.id)
        if cause is not None and smallest != self.id:  # one mistake is one failure
            pytest.skip(f"the same cause as {smallest}: {cause_sentence(self.suite.record.implementations[0], cause)}")
        raise Nonconforming(headline(self.suite, answer, cause), failure_text(self.suite, answer, cause))


class KnownFailure:
    """An entry of the known failures as a test: it fails when the entry is out of date."""

    def __init__(self, suite: Suite, entry: Entry) -> None:
        """Name an entry of a suite."""
        self.suite = suite
        self.id = f"known_failures:{entry.id}"
        self.needs: Sequence[str] = entry.matched
        self.aliases: tuple[str, ...] = ()
        self.known: str | None = None
        self._entry = entry

    def __repr__(self) -> str:
        return self.id

    def check(self) -> None:
        """Fail if the entry is about no case, or if every case that it matches conforms."""
        __tracebackhide__ = True
        entry = f"{self._entry.id} is listed as a known failure"
        if self._entry.problem:
            self._fail(f"{entry}, but {self._entry.problem}: remove it from the list")
        answers = [self.suite.answer(case) for case in self._entry.matched]
        if is_rule(self._entry.id):
            answers = [answer for answer in answers if self._entry.id in answer.judgement.conventions]
        if all(answer.verdict.conforms for answer in answers):
            self._fail(f"{entry}, but every case that it matches conforms: remove it from the list")

    @staticmethod
    def _fail(line: str) -> NoReturn:
        raise Nonconforming(line, line)


SuiteTest = ConformanceCase | KnownFailure


def tests_of(suite: Suite) -> list[SuiteTest]:
    """Return the tests of a suite, in order; `SuiteError` if there is none, or nothing to be loaded."""
    cases: list[SuiteTest] = [ConformanceCase(suite, question.id) for question in suite.tests]
    return [*cases, *(KnownFailure(suite, entry) for entry in suite.entries)]


def marks_of(test: SuiteTest) -> list[pytest.MarkDecorator]:
    """Return the mark of a test that is known to fail: a test that passes after all fails."""
    if test.known is None:
        return []
    return [pytest.mark.xfail(reason=test.known, strict=True, raises=(pytest.fail.Exception, AssertionError))]


class Parameters(Collection[Any]):
    """The parameters of a suite's tests; they are made when pytest collects, and not when a file is imported."""

    def __init__(self, suite: Suite) -> None:
        """Keep the suite."""
        self._suite = suite

    @cached_property
    def _cases(self) -> list[Any]:
        try:
            return [pytest.param(test, id=test.id, marks=marks_of(test)) for test in tests_of(self._suite)]
        except SuiteError as error:
            raise pytest.Collector.CollectError(f"rankspec: {error}") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cases)

    def __len__(self) -> int:
        return len(self._cases)

    def __contains__(self, test: object) -> bool:
        return test in self._cases


def suite_tests(item: pytest.Item) -> list[SuiteTest]:
    """Return the tests of suites that an item is about: none for most."""
    own = getattr(item, "suite_test", None)
    callspec = getattr(item, "callspec", None)
    params = [] if callspec is None else [*callspec.params.values()]
    return [each for each in (own, *params) if isinstance(each, SuiteTest)]
