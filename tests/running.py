"""A verb run in this process: what a person who types it gets."""

from __future__ import annotations

import json
from typing import NamedTuple

import click
import pytest
from rankspec.conformance.cli.main import main
from rankspec.oracle.errors import UserError

RIGHT = """
def f(relevance, num_relevant, k=None):
    places = [rank for rank, label in enumerate(relevance[:k], 1) if label]
    return sum(i / rank for i, rank in enumerate(places, 1)) / num_relevant if places else 0.0
"""
"""The source of a function that conforms, and of one that divides by the hits."""
OVER_HITS = RIGHT.replace("/ num_relevant if", "/ len(places) if")


class _Printed(NamedTuple):
    """The exit status of a verb, and what it printed."""

    status: int
    out: str
    err: str


class Ended(_Printed):
    """The same, with the code of what it was refused for."""

    code: str | None = None

    @property
    def json(self):
        """Return the object that it printed, where it ended well."""
        assert self.status == 0, self
        return json.loads(self.out)

    def assert_refused(self, code, *tokens):
        """Hold it to a refusal of this code whose line has each token: places and offending words."""
        assert self.code == code, self
        self.assert_one_line(*map(str, tokens))

    def assert_one_line(self, *texts):
        """Hold it to what a user's mistake ends with: status 2, and one line on standard error that has some texts."""
        assert (self.status, self.out) == (2, ""), self
        assert self.err.startswith("rankspec: "), self
        assert self.err.count("\n") == self.err.endswith("\n") == 1, self
        assert "Traceback" not in self.err, self
        for text in texts:
            assert text in self.err, self


def code_of(fault):
    """Return the code of a user's mistake; what click refuses is `usage`, what the system refuses `system`."""
    if isinstance(fault, UserError):
        return fault.code
    if isinstance(fault, click.ClickException):
        return "usage"
    return "system" if isinstance(fault, OSError) else None


def runner(capture):
    """Return a function that runs a verb with its arguments."""

    def run(*arguments):
        capture.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        printed = Ended(int(ended.value.code or 0), *capture.readouterr())
        printed.code = code_of(ended.value.__context__)
        return printed

    return run
