"""One test of a suite: a case to be checked, or an entry of the known failures that is a test by itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, NoReturn

import pytest
from rankspec.conformance.checks.answer import Answer
from rankspec.conformance.checks.known_failures import is_rule
from rankspec.conformance.pytest_plugin.failure import failure_text, headline, sentence_of
from rankspec.conformance.pytest_plugin.suite import Entry, Suite, SuiteError
from rankspec.oracle.values import to_text


class Nonconforming(pytest.fail.Exception):  # type: ignore[name-defined,misc]  # mypy does not follow pytest there
    """An answer that is not the convention's, or an entry that is out of date.

    Attributes:
        headline: the finding in a line.
    """

    __module__ = "builtins"  # so that pytest prints the bare name, as it does for its own

    def __init__(self, headline: str, text: str) -> None:
        """Keep what is printed; the traceback would be the harness's."""
        super().__init__(msg=text, pytrace=False)
        self.headline = headline


class ConformanceCase:
    """A case that an implementation is held to: what a test that `parametrize_with_cases` decorates is given.

    Attributes:
        id: of the case.
        aliases: the ids of other cases with the same input and measure, which are asked with it.
        known: why it is known to fail by its id; None if it is not.
    """

    def __init__(self, suite: Suite, case: str) -> None:
        """Name a test of a suite."""
        question, _ = suite.put(case)
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
        return str(self.suite.put(self.id)[0].measure)

    @property
    def exact(self) -> str:
        """The exact answer, as text: `7/12`."""
        return to_text(self.suite.put(self.id)[1].expectation.value)

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
        if not answer.verdict.asked:  # no convention is stated, and textbooks don't define it
            pytest.skip(answer.judgement.detail)
        if self.known is None and (reason := self.suite.pattern_reason(self.id)) is not None:
            pytest.xfail(reason)
        cause, smallest = self.suite.cause(self.id), self.suite.smallest_of_cause(self.id)
        if cause is not None and smallest != self.id:  # one mistake is one failure
            pytest.skip(f"the same cause as {smallest}: {sentence_of(self.suite, cause)}")
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
    """Return the tests of a suite, in order.

    Raises:
        SuiteError: there is none, or what was stated can't be read, or the implementation can't be loaded.
    """
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
    def _made(self) -> list[Any]:
        try:
            return [pytest.param(test, id=test.id, marks=marks_of(test)) for test in tests_of(self._suite)]
        except SuiteError as error:
            raise pytest.Collector.CollectError(f"rankspec: {error}") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __contains__(self, test: object) -> bool:
        return test in self._made


def suite_tests(item: pytest.Item) -> list[SuiteTest]:
    """Return the tests of suites that an item is about: none for most."""
    own = getattr(item, "suite_test", None)
    callspec = getattr(item, "callspec", None)
    params = [] if callspec is None else [*callspec.params.values()]
    return [each for each in (own, *params) if isinstance(each, SuiteTest)]
