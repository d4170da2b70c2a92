"""A run of pytest with the plugin, in this process, in a folder with a small package of metrics."""

# pytester forgets every module that a run imports; numpy can't be imported twice, so all of it is imported here.
import numpy as np  # noqa: F401
import pytest
from plugin_running import LOADING, METRICS
from rankspec.conformance.pytest_plugin import case_tests, command_line, suite  # noqa: F401


@pytest.fixture
def run(pytester, monkeypatch):
    """Return a function that runs pytest, with the plugin, in a folder that has a module `metrics`."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setattr(suite, "diagnosed", lambda checked, *_, **__: checked)  # it takes seconds
    pytester.makepyfile(metrics=METRICS)
    pytester.syspathinsert()

    def run(*arguments, subprocess=False):
        method = pytester.runpytest_subprocess if subprocess else pytester.runpytest_inprocess
        return method(*LOADING, "-p", "no:cov", *arguments)

    return run


@pytest.fixture
def decorated(run, pytester):
    """Return a function that runs pytest on a test file with a decorated test."""

    def decorated(decorator, *arguments, before="", body="case.check()"):
        pytester.makepyfile(
            test_it=f"import metrics\nfrom rankspec.conformance.testing import parametrize_with_cases\n{before}\n"
            f"@parametrize_with_cases({decorator})\ndef test_it(case):\n    {body}\n"
        )
        return run("test_it.py", *arguments)

    return decorated
