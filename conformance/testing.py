"""A test a case, in a user's test file.

    from mypkg.metrics import average_precision
    from rankspec.conformance.testing import parametrize_with_cases

    @parametrize_with_cases(average_precision, under="kaggle", measure="AP@10", known_failures={"edge.x": "see #12"})
    def test_conforms(case):
        case.check()

Needs pytest (`rankspec[pytest]`), and nothing else: the plugin that rankspec registers need not be active.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rankspec.conformance.worker.adapter import Adapter

if TYPE_CHECKING:
    import pytest
    from rankspec.oracle.conventions.convention import Convention
    from rankspec.oracle.conventions.measure import Measure

__all__ = ["parametrize_with_cases"]


def parametrize_with_cases(  # noqa: PLR0913 - what can be stated
    implementation: str | Callable[..., object] | Adapter,
    *,
    under: str | Convention | None = None,
    choices: str | Convention | None = None,
    measure: str | Measure | None = None,
    cases: str | None = None,
    fixtures: Collection[str | Path] | str | Path = (),
    known_failures: Mapping[str, str] | str | Path | None = None,
    shape: str | None = None,
    case_seconds: float | None = None,
    startup_seconds: float | None = None,
    identify: bool | None = None,
    argname: str = "case",
) -> pytest.MarkDecorator:
    """Run a test function once for each case that an implementation can be asked; `case.check()` is the check.

    Every implementation is asked twice, in two orders, when the first of the selected tests runs.

    Args:
        implementation: the text of a specification (`sklearn`, `mypkg.metrics:average_precision`, `metrics.py:f`,
            `jsonl:./harness`), which is run in a worker process with a time and a memory limit; or a function object,
            also a lambda or an instance, which is called in this process: breakpoints and coverage work in it, but
            nothing ends it if it hangs, and if it crashes, pytest does.
        under: the convention that it is held to (`kaggle`, `default[ties=grouped]`); what an adapter declares, and of a
            function the textbook, with the choices of its own where textbooks leave one.
        choices: what a function is to do where textbooks leave the choice; by default what its answers show.
        measure: what a function computes (`AP@10`); every input is asked under it.
        cases: only cases whose id matches, e.g. `edge.ties.*`.
        fixtures: case files of your own instead of the shipped ones.
        known_failures: a reason for each case that is known not to conform, by its id, or by a pattern for several. It
            is strict: a listed case that conforms fails, and so does an id that is not asked. Or a file of them.
        shape: how a function is called, where its parameters don't tell (`ranking`, `labels-scores`, ...).
        case_seconds: the time for one call in a worker (10).
        startup_seconds: the time for import and first call, and for all that has no answer (30, or what it declares).
        identify: whether it is identified where no convention explains what fails, so that failing tests say what is
            wrong; by default a user's function is.
        argname: the name of the test function's parameter.

    Returns:
        a `pytest.mark.parametrize`. What can't be read in the arguments is an error when pytest collects the tests.
    """
    # Importing this module needs no pytest, and costs nothing before a test is decorated.
    import pytest  # noqa: PLC0415
    from rankspec.conformance.pytest_plugin.case_tests import Parameters  # noqa: PLC0415
    from rankspec.conformance.pytest_plugin.suite import Stated, Suite  # noqa: PLC0415

    limits = (case_seconds, startup_seconds)
    stated = Stated(implementation, under, measure, cases, fixtures, known_failures, shape, *limits, identify, choices)
    return pytest.mark.parametrize(argname, Parameters(Suite(stated)))
