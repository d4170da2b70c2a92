"""What pytest loads at its start: the options, and hooks that do nothing as long as no suite is in use.

It imports pytest alone. Everything else is imported once an option or a test file asks for it.
"""

from __future__ import annotations

import sys
from argparse import BooleanOptionalAction
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

import pytest

_SUITES = "rankspec.conformance.pytest_plugin.suite"
_LINES = pytest.StashKey[Any]()
_COMMAND_LINE = pytest.StashKey[Any]()


_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "under": {"metavar": "CONVENTION", "help": "the convention to hold it to; by default, its declared one"},
    "choices": {
        "metavar": "CONVENTION",
        "help": "what a function does where textbooks leave the choice; by default, what its answers show",
    },
    "measure": {"metavar": "M", "help": "what a function computes, e.g. AP@10"},
    "shape": {"metavar": "SHAPE", "help": "how it is called, if its parameter names don't show it"},
    "cases": {"metavar": "GLOB", "help": "only cases whose id matches, e.g. 'edge.ties.*'"},
    "fixtures": {
        "action": "append",
        "metavar": "FILE",
        "help": "case files of your own instead of the shipped ones; may be given several times",
    },
    "known-failures": {"metavar": "FILE", "help": "cases that are known not to conform, with a reason each"},
    "case-seconds": {"type": float, "metavar": "SECONDS", "help": "time for one call (10)"},
    "startup-seconds": {
        "type": float,
        "metavar": "SECONDS",
        "help": "time for import and first call, and for all that has no answer (30, or what an adapter declares)",
    },
    "identify": {
        "action": BooleanOptionalAction,
        "help": "where no convention explains what fails, ask further questions and say what is wrong (by default of "
        "users' functions)",
    },
}
"""The options of what `--rankspec` names: a field of `suite.Stated` each."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("rankspec", "rankspec: a test a case of the conformance suite for ranking metrics")
    group.addoption(
        "--rankspec",
        action="append",
        metavar="IMPL",
        help="an implementation to check: an adapter (sklearn, ranx==0.3.16), path/to/file.py:function, "
        "package.module:function, jsonl:PROGRAM, cmd:PROGRAM; may be given several times",
    )
    for name, settings in _OPTIONS.items():
        group.addoption(f"--rankspec-{name}", **settings)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Take the suites of the command line, and the arguments that name their tests."""
    config.stash[_LINES] = []
    stated = {name.replace("-", "_"): config.getoption(f"--rankspec-{name}") for name in _OPTIONS}
    if not config.getoption("rankspec"):
        if dependent := [name for name in _OPTIONS if stated[name.replace("-", "_")] is not None]:
            raise pytest.UsageError(f"--rankspec-{dependent[0]}: say with --rankspec what is to be checked")
        return
    from rankspec.conformance.pytest_plugin.command_line import CommandLine  # noqa: PLC0415 - it costs a second

    config.stash[_COMMAND_LINE] = CommandLine(config, stated)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Refuse what can't be read before anything is collected (and, with xdist, before workers collect)."""
    command_line = session.config.stash.get(_COMMAND_LINE, None)
    if command_line is not None:
        command_line.require_tests()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let the suites of the command line stand beside what the session collects."""
    report = yield
    if isinstance(collector, pytest.Session):
        command_line = collector.config.stash.get(_COMMAND_LINE, None)
        if command_line is not None and report.passed:
            report.result = [*report.result, *command_line.collectors(collector)]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let `-k` find a case by the id of another one that has the same input."""
    for item, test in _suite_tests(items):
        item.extra_keyword_matches.update(["rankspec", *test.aliases])


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Tell each suite which of its tests will run, and keep what to note at the end."""
    suites = {}
    for _, test in _suite_tests(session.items):
        test.suite.select(test.needs)
        suites[id(test.suite)] = test.suite
    session.config.stash[_SUITES_KEY] = list(suites.values())


_SUITES_KEY = pytest.StashKey[list[Any]]()


def _suite_tests(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, Any]]:
    """Yield the tests of suites, each with its item. Where no suite was made, there are none."""
    if _SUITES not in sys.modules:
        return
    from rankspec.conformance.pytest_plugin.case_tests import suite_tests  # noqa: PLC0415 - it costs a second

    for item in items:
        for test in suite_tests(item):
            yield item, test


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let the short summary name the finding alone: in CI, pytest prints the whole text there once more."""
    report = yield
    headline = getattr(call.excinfo.value, "headline", None) if call.excinfo is not None else None
    crash = getattr(report.longrepr, "reprcrash", None)
    if isinstance(headline, str) and crash is not None:
        crash.message = headline
    return report


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Gather a line a suite; a worker of xdist sends them to where they are printed."""
    lines: list[str] = []
    if suites := session.config.stash.get(_SUITES_KEY, []):
        from rankspec.conformance.pytest_plugin.case_tests import summary_lines  # noqa: PLC0415 - it costs a second

        lines = [line for suite in suites for line in summary_lines(suite)]
    session.config.stash[_LINES] += lines
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["rankspec"] = lines


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the lines of a worker of xdist."""
    node.config.stash[_LINES] += (getattr(node, "workeroutput", None) or {}).get("rankspec", [])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None]:
    """Say at the very end what was held to what, what explains the failures, how many cases could not be put."""
    yield
    lines = list(dict.fromkeys(terminalreporter.config.stash[_LINES]))
    if lines and not terminalreporter.no_summary:
        terminalreporter.section("rankspec", sep="-")
        for line in lines:
            terminalreporter.line(line)
