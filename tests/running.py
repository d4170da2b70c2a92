"""A verb run in this process: what a person who types it gets."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from rankspec.conformance.cli.main import main

RIGHT = """
def f(relevance, num_relevant, k=None):
    places = [rank for rank, label in enumerate(relevance[:k], 1) if label]
    return sum(i / rank for i, rank in enumerate(places, 1)) / num_relevant if places else 0.0
"""
"""The source of a function that conforms, and of one that divides by the hits."""
OVER_HITS = RIGHT.replace("/ num_relevant if", "/ len(places) if")


class Ended(NamedTuple):
    """The exit status of a verb, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the object that it printed, where it ended well."""
        assert self.status == 0, self
        return json.loads(self.out)

    def assert_one_line(self, *texts: str) -> None:
        """Hold it to what a user's mistake ends with: status 2, and one line on standard error that has some texts."""
        assert (self.status, self.out) == (2, ""), self
        assert self.err.startswith("rankspec: "), self
        assert self.err.count("\n") == self.err.endswith("\n") == 1, self
        assert "Traceback" not in self.err, self
        for text in texts:
            assert text in self.err, self


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
