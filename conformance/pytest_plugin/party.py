"""Who is asked: what a specification names, in a worker; or a function object, in this process."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Protocol

from rankspec.conformance.checks.answer import Answer
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, parse
from rankspec.conformance.pytest_plugin.in_process import answers_of, loaded_object, object_name
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.session import ask
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.loading import Loaded
from rankspec.conformance.worker.messages import Hello
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.language.expression import parse_convention

Put = Sequence[tuple[Question, Asked]]
Answered = tuple[Sequence[Answer], Sequence[str]]
"""The answers, and what else is worth saying."""


class Party(Protocol):
    """Who is asked."""

    name: str

    @property
    def implementation(self) -> Implementation | Callable[..., object] | Adapter:
        """What a specification names, or the object."""

    @property
    def hello(self) -> Hello:
        """What it says of itself.

        Raises:
            ImportFailure: it can't be loaded.
        """

    def ask(self, put: Put, convention: Convention, *, fixed: bool) -> Answered:
        """Ask everything twice, and judge the answers."""


def declared(hello: Hello) -> Convention:
    """Return the convention that an adapter declares; a function declares none, so the default."""
    return DEFAULT if hello.convention is None else parse_convention(hello.convention)


class InWorker:
    """What a specification names. Each list of questions has two workers, one after the other."""

    def __init__(self, text: str, shape: str | None, limits: Limits) -> None:
        """Read the text.

        Raises:
            SpecificationError: it names nothing that can be run.
        """
        self.implementation = parse(text, shape)
        self.name = text
        self._limits = limits

    @cached_property
    def hello(self) -> Hello:
        """Start a worker and hear its greeting."""
        with _workers_find_what_is_found_here():
            return ask(self.implementation, [], self._limits).hello

    def ask(self, put: Put, convention: Convention, *, fixed: bool) -> Answered:
        """Check it."""
        plan = Plan([question for question, _ in put], convention, fixed)
        with _workers_find_what_is_found_here():
            checked = check(self.implementation, plan, self._limits)
        return checked.answers, [*checked.remarks, *_mutated(checked.mutated)]


@contextmanager
def _workers_find_what_is_found_here() -> Iterator[None]:
    """Let workers import what this process can: pytest's `pythonpath` is on its own path alone."""
    before = os.environ.get("PYTHONPATH")
    own = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders = [folder for folder in sys.path if folder and folder not in own and Path(folder).is_dir()]
    added = [folder for folder in folders if not any(folder.startswith(f"{each}{os.sep}") for each in own)]
    os.environ["PYTHONPATH"] = os.pathsep.join([*([before] if before else []), *added])
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


class Here:
    """A function object, which is called in this process."""

    def __init__(self, function: Callable[..., object] | Adapter, shape: str | None) -> None:
        """Keep it.

        Raises:
            SpecificationError: it can't be called, or there is no such shape.
        """
        self.name = object_name(function)
        if not callable(function) and not isinstance(function, Adapter):
            raise SpecificationError(
                f"{function!r} can't be called; state a function, or the text of a specification (sklearn, file.py:f)"
            )
        self.implementation = function
        try:
            self._shape = None if shape is None else Shape(shape)
        except ValueError:
            known = ", ".join(each.value for each in Shape)
            raise SpecificationError(f"shape={shape!r}: no such shape; there are {known}") from None

    @cached_property
    def _loaded(self) -> Loaded:
        return loaded_object(self.implementation, self._shape)

    @property
    def hello(self) -> Hello:
        """Say how it is called."""
        return self._loaded.hello

    def ask(self, put: Put, convention: Convention, *, fixed: bool) -> Answered:  # noqa: ARG002 - a worker needs it
        """Call it."""
        answers, mutated = answers_of(self._loaded, convention, put)
        return answers, _mutated(mutated)


def _mutated(cases: Sequence[str]) -> list[str]:
    if not cases:
        return []
    return [f"it changed its arguments in {len(cases)} case{'s' if len(cases) > 1 else ''}, first in {cases[0]}"]
