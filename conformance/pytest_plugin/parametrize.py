"""The decorator that makes a test function one test a case."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from rankspec.conformance.pytest_plugin.case_tests import SuiteTest, marks_of, tests_of
from rankspec.conformance.pytest_plugin.suite import Stated, Suite, SuiteError
from rankspec.conformance.worker.adapter import Adapter
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure


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


def parametrized(  # noqa: PLR0913 - what can be stated
    implementation: str | Callable[..., object] | Adapter,
    *,
    under: str | Convention | None,
    measure: str | Measure | None,
    cases: str | None,
    fixtures: Collection[str | Path] | str | Path,
    known_failures: Mapping[str, str] | str | Path | None,
    shape: str | None,
    case_seconds: float | None,
    startup_seconds: float | None,
    argname: str,
) -> pytest.MarkDecorator:
    """Return the mark."""
    paths = (fixtures,) if isinstance(fixtures, str | Path) else fixtures
    known = Path(known_failures) if isinstance(known_failures, str) else known_failures
    stated = Stated(
        implementation,
        under,
        measure,
        cases,
        tuple(Path(path) for path in paths),
        known,
        shape,
        case_seconds,
        startup_seconds,
    )
    return pytest.mark.parametrize(argname, Parameters(Suite(stated)))


def suite_tests(item: pytest.Item) -> list[SuiteTest]:
    """Return the tests of suites that an item is about: none for most."""
    own = getattr(item, "suite_test", None)
    callspec = getattr(item, "callspec", None)
    params = [] if callspec is None else [*callspec.params.values()]
    return [each for each in (own, *params) if isinstance(each, SuiteTest)]
