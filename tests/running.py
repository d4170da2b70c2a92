"""A verb run in this process: what a person who types it gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from rankspec.conformance.cli.main import main


class Ended(NamedTuple):
    """The exit status of a verb, and what it printed."""

    status: int
    out: str
    err: str


def runner(capture: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Return a function that runs a verb with its arguments."""

    def run(*arguments: object) -> Ended:
        capture.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            status = ended.code
        return Ended(int(status or 0), *capture.readouterr())

    return run
