"""`pytest --rankspec IMPL`: the suites that the options state, as collectors beside the test files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from rankspec.conformance.pytest_plugin.case_tests import SuiteTest, marks_of, tests_of
from rankspec.conformance.pytest_plugin.suite import Stated, Suite, SuiteError


class CommandLine:
    """The suites that the options state, and which of their tests the arguments name."""

    def __init__(self, config: pytest.Config, stated: Mapping[str, Any]) -> None:
        """Read the options (or `pytest.UsageError`), and take away arguments that name tests: they are no files."""
        for name in ("case", "startup"):
            seconds = stated[f"{name}_seconds"]
            if seconds is not None and not seconds > 0:
                raise pytest.UsageError(f"--rankspec-{name}-seconds {seconds:g}: a time is more than 0 seconds")
        self._suites = [Suite(Stated(text, **stated)) for text in dict.fromkeys(config.option.rankspec)]
        # Workers of xdist are given pytest's arguments as they are left, and the options; so these are kept there.
        names = [f"{text}::" for text in config.option.rankspec]
        wanted = [argument for argument in config.args if any(name in argument for name in names)]
        if wanted:
            config.option.rankspec_wanted = wanted
            config.option.rankspec_alone = len(wanted) == len(config.args)
            config.args = [argument for argument in config.args if argument not in wanted]
        if getattr(config.option, "rankspec_alone", False):
            config.args = []
        self._wanted = [_shortened(each, names) for each in getattr(config.option, "rankspec_wanted", [])]
        self._tests: list[list[SuiteTest]] = []

    def require_tests(self) -> None:
        """Read what is stated, and start the checks; `pytest.UsageError` if there is nothing to be asked."""
        try:
            self._tests = [tests_of(suite) for suite in self._suites]
        except SuiteError as error:
            raise pytest.UsageError(f"rankspec: {error}") from None
        for wanted in self._wanted:
            if not any(_is_selected(test, wanted) for tests in self._tests for test in tests):
                raise pytest.UsageError(f"not found: {wanted} (no case of this id is asked)")

    def collectors(self, session: pytest.Session) -> Iterator[pytest.Collector]:
        """Yield a collector a suite."""
        for suite, tests in zip(self._suites, self._tests, strict=True):
            kept = [
                test for test in tests if not self._wanted or any(_is_selected(test, each) for each in self._wanted)
            ]
            if kept:
                yield SuiteCollector.of(session, suite, kept)


def _shortened(argument: str, names: Sequence[str]) -> str:
    """Take away what a folder below the root puts before an id: `../mypkg:f::case`."""
    name = next(name for name in names if name in argument)
    return argument[argument.index(name) :]


def _is_selected(test: SuiteTest, pattern: str) -> bool:
    return any(f"{test.suite.name}::{case}" == pattern for case in (test.id, *test.aliases))


class SuiteCollector(pytest.Collector):
    """The tests of one implementation."""

    suite_tests: Sequence[SuiteTest]

    @classmethod
    def of(cls, session: pytest.Session, suite: Suite, tests: Sequence[SuiteTest]) -> SuiteCollector:
        """Make the node: what the implementation is called stands where a test's file stands."""
        node: SuiteCollector = cls.from_parent(session, name=suite.name, nodeid=suite.name)
        node.suite_tests = tests
        return node

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item a test."""
        for test in self.suite_tests:
            yield SuiteItem.of(self, test)


class SuiteItem(pytest.Item):
    """A test of a suite."""

    suite_test: SuiteTest

    @classmethod
    def of(cls, parent: SuiteCollector, test: SuiteTest) -> SuiteItem:
        """Make the node."""
        node: SuiteItem = cls.from_parent(parent, name=test.id)
        node.suite_test = test
        for mark in marks_of(test):
            node.add_marker(mark)
        return node

    def runtest(self) -> None:
        """Check the case."""
        self.suite_test.check()

    def reportinfo(self) -> tuple[Path, None, str]:
        """Say what heads a failure."""
        return self.path, None, f"{self.suite_test.suite.name} {self.suite_test.id}"
