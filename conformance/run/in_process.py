"""A function object, which is called in this process: a lambda, a closure, an instance, whatever is callable.

So breakpoints, coverage and replaced parts work in it. What a worker gives is lost: no time and memory limit, a crash
is the end of the whole run, and every connection is to the same process, under the same hash seed.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rankspec.conformance.implementations.specs import ImportFailure, SpecificationError, stated_form
from rankspec.conformance.run.connection import FIRST_SEED
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.conformance.run.outcomes import NotCalled, Outcome, Report, outcome_of
from rankspec.conformance.run.shape_inference import as_loaded, shape_inferred
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.loading import Loaded, UncallableError, loaded_function
from rankspec.conformance.worker.main import answered, numpy_features
from rankspec.conformance.worker.messages import Call, Hello, Result
from rankspec.conformance.worker.shapes import Form, Shape, ShapeError, tell


def object_name(implementation: object) -> str:
    """Name an object as a specification would: `mypkg.metrics:average_precision`.

    >>> import statistics
    >>> object_name(statistics.fmean)
    'statistics:fmean'
    """
    if isinstance(implementation, Adapter):
        return implementation.name
    function = getattr(implementation, "func", implementation)  # functools.partial
    name = getattr(function, "__qualname__", None)
    owner = function if name else type(function)
    return f"{owner.__module__}:{name or type(function).__qualname__ + '()'}".replace("<locals>.", "")


def loaded_object(implementation: Callable[..., object] | Adapter, shape: Form | None) -> Loaded:
    """Say how a function object is called; `ImportFailure` if its shape can't be told."""
    name = object_name(implementation)
    try:
        if isinstance(implementation, Adapter):
            implementation.start()
            declared, measures = Shape(implementation.shape), implementation.measures
            signatures = {measure: tell(function, declared) for measure, function in measures.items()}
            returned = next(iter(signatures.values())).shape
            version = platform.python_version()
            return Loaded(Hello(name, None, version, returned, implementation.convention, signatures), measures)
        module = sys.modules.get((getattr(implementation, "__module__", None) or "").partition(".")[0])
        return loaded_function(implementation, name, getattr(module, "__version__", None), shape)
    except (ShapeError, UncallableError) as error:
        raise ImportFailure(f"{name}: {str(error).replace('--shape', 'shape=...')}", code="shape-unclear") from error


@dataclass
class _Interruptible:
    """Remembers what ends the whole run: the worker's way of calling takes every exception for an answer."""

    function: Callable[..., object]
    interruption: BaseException | None = None

    def __call__(self, *arguments: Any, **keywords: Any) -> object:
        try:
            return self.function(*arguments, **keywords)
        except BaseException as error:
            # pytest's own: `q` in the debugger, `pytest.exit`.
            is_pytests = type(error).__module__.startswith("_pytest.") or type(error).__name__ == "BdbQuit"
            if isinstance(error, KeyboardInterrupt) or is_pytests:
                self.interruption = error
            raise


class InProcess:
    """A function object, or an adapter's object, as something to connect to."""

    is_fresh = False
    is_costly = False

    def __init__(
        self, implementation: Callable[..., object] | Adapter, shape: Form | Shape | str | None = None
    ) -> None:
        """Keep it; `SpecificationError` if it can't be called, or there is no such shape."""
        self.text = object_name(implementation)
        self.limits = Limits()
        self.halt = Halt()
        if not callable(implementation) and not isinstance(implementation, Adapter):
            raise SpecificationError(
                f"{implementation!r} can't be called; state a function, or the text of a specification (sklearn, "
                "file.py:f)",
                code="not-callable",
            )
        self.implementation = implementation
        try:
            self._shape = stated_form(shape)
        except SpecificationError as error:
            raise SpecificationError(str(error).replace("--shape ", "shape="), code=error.code) from None

    @cached_property
    def loaded(self) -> Loaded:
        """How it is called, by its answers if only they tell; `ImportFailure` if they do not."""
        loaded = loaded_object(self.implementation, self._shape)
        hello, _ = shape_inferred(InProcessConnection(loaded, self.halt), self.text)
        return replace(loaded, hello=hello)

    @contextmanager
    def connect(self, hash_seed: str = FIRST_SEED) -> Iterator[InProcessConnection]:  # noqa: ARG002 - it has its own
        """Return a connection. There is nothing to open or to close."""
        yield InProcessConnection(self.loaded, self.halt)


@dataclass(frozen=True)
class InProcessConnection:
    """Calls functions in this process."""

    loaded: Loaded
    halt: Halt

    @property
    def hello(self) -> Hello:
        """What is known of them."""
        return self.loaded.hello

    def ask(self, calls: Sequence[Call], on_outcome: Callable[[int, Outcome], None] | None = None) -> Report:
        """Call them, in order. What ends the whole run (Ctrl-C, pytest's own exceptions) is raised."""
        outcomes: list[Outcome] = []
        mutated: set[int] = set()
        again: dict[int, Outcome] = {}
        for index, result in enumerate(self._results([as_loaded(self.hello, call) for call in calls])):
            outcomes.append(outcome_of(result.answer))
            if result.mutated:
                mutated.add(index)
            if result.again is not None:
                again[index] = outcome_of(result.again)
            if on_outcome is not None:
                on_outcome(index, outcomes[-1])
            if self.halt.reason:
                break
        unasked = len(calls) - len(outcomes)
        reason = self.halt.reason if unasked else ""
        return Report(
            replace(self.hello, numpy_features=numpy_features()),
            (*outcomes, *[NotCalled(reason)] * unasked),
            frozenset(mutated),
            again=MappingProxyType(again),
            ended=reason,
        )

    def _results(self, calls: Sequence[Call]) -> Iterator[Result]:
        watched = {measure: _Interruptible(function) for measure, function in self.loaded.functions.items()}
        watching = Loaded(self.hello, watched)
        here = Path.cwd()
        with tempfile.TemporaryDirectory(prefix="rankspec-") as folder:
            for number, call in enumerate(calls):
                try:
                    result = answered(watching, number, call, Path(folder, str(number)))
                finally:
                    with suppress(OSError):
                        os.chdir(here)  # the next call starts where this one did
                for each in watched.values():
                    if each.interruption is not None:
                        raise each.interruption
                yield result
