"""Checking a function object, which is called in this process: a lambda, a closure, an instance, whatever is callable.

So breakpoints, coverage and replaced parts work in it. What a worker gives is lost: no time and memory limit, a crash
is the end of the whole run, and the second asking is in the same process, under the same hash seed.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankspec.conformance.checks.answer import Answer
from rankspec.conformance.checks.minimal_pair import Cause, Made, Pair, words_of
from rankspec.conformance.checks.outcome_text import same
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.judge.near_conventions import suspected
from rankspec.conformance.judge.verdicts import Judgement, Verdict, judge
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.run.outcomes import Outcome, outcome_of
from rankspec.conformance.worker.adapter import Adapter
from rankspec.conformance.worker.loading import Loaded
from rankspec.conformance.worker.main import answered
from rankspec.conformance.worker.messages import ANY_MEASURE, Hello, Result
from rankspec.conformance.worker.shapes import Shape, ShapeError, tell
from rankspec.oracle.conventions.convention import Convention

_SECOND_TIME = "asked again in this process, the last question first"


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


def loaded_object(implementation: Callable[..., object] | Adapter, shape: Shape | None) -> Loaded:
    """Say how a function object is called.

    Raises:
        ImportFailure: its shape can't be told.
    """
    name = object_name(implementation)
    functions: Mapping[str, Callable[..., object]]
    if isinstance(implementation, Adapter):
        functions, convention, version = implementation.measures, implementation.convention, None
        shape = Shape(implementation.shape)
        if implementation.prepare is not None:
            implementation.prepare()
    else:
        functions, convention = {ANY_MEASURE: implementation}, None
        module = sys.modules.get((getattr(implementation, "__module__", None) or "").partition(".")[0])
        version = getattr(module, "__version__", None)
    try:
        signatures = {measure: tell(function, shape) for measure, function in functions.items()}
    except ShapeError as error:
        raise ImportFailure(f"{name}: {str(error).replace('--shape', 'shape=...')}") from error
    told = next(iter(signatures.values())).shape
    version = version if isinstance(version, str) else None
    return Loaded(Hello(name, version, platform.python_version(), told, convention, signatures), functions)


@dataclass
class _Interruptible:
    """Remembers what ends the whole run: the worker's way of calling takes every exception for an answer."""

    function: Callable[..., object]
    interruption: BaseException | None = None

    def __call__(self, *arguments: Any, **keywords: Any) -> object:
        try:
            return self.function(*arguments, **keywords)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) or _is_pytests(error):
                self.interruption = error
            raise


def _is_pytests(error: BaseException) -> bool:
    """Tell whether an exception is pytest's own: `q` in the debugger, `pytest.exit`."""
    return type(error).__module__.startswith("_pytest.") or type(error).__name__ == "BdbQuit"


def answers_of(
    loaded: Loaded, convention: Convention, put: Sequence[tuple[Question, Asked]]
) -> tuple[list[Answer], list[str]]:
    """Ask twice, in order and the last one first, and judge; return the ids too whose arguments were changed."""
    first = list(_asked(loaded, [asked for _, asked in put]))
    second = list(_asked(loaded, [asked for _, asked in reversed(put)]))[::-1]
    answers = [
        _answer(question, asked, convention, result, outcome_of(later.answer))
        for (question, asked), result, later in zip(put, first, second, strict=True)
    ]
    return answers, [question.id for (question, _), result in zip(put, first, strict=True) if result.mutated]


def _answer(question: Question, asked: Asked, convention: Convention, result: Result, later: Outcome) -> Answer:
    outcome = outcome_of(result.answer)
    again = None if result.again is None else outcome_of(result.again)
    if not same(outcome, later):
        text = f"{words_of(outcome)}, then {words_of(later)} when {_SECOND_TIME}"
        return Answer(question, asked, outcome, Judgement(Verdict.UNSTABLE, text))
    if again is not None and not same(outcome, again):
        made = Made(question.id, asked.call)
        pair = Pair(Cause.CHANGED_ARGUMENTS, made, made, outcome, again)
        return Answer(question, asked, outcome, Judgement(Verdict.UNSTABLE, pair.text), pair)
    judged = suspected(question.measure, asked, outcome, convention, judge(outcome, asked.expectation))
    return Answer(question, asked, outcome, judged)


def _asked(loaded: Loaded, put: Sequence[Asked]) -> Iterator[Result]:
    """Yield what came of each call."""
    watched = {measure: _Interruptible(function) for measure, function in loaded.functions.items()}
    watching = Loaded(loaded.hello, watched)
    here = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="rankspec-") as folder:
        for number, asked in enumerate(put):
            try:
                result = answered(watching, number, asked.call, Path(folder, str(number)))
            finally:
                with suppress(OSError):
                    os.chdir(here)  # the next call starts where this one did
            for each in watched.values():
                if each.interruption is not None:
                    raise each.interruption
            yield result
