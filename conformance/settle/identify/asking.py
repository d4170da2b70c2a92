"""Asking: everything in one batch, twice, in two processes and two orders; or a slow implementation one by one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from types import TracebackType
from typing import Self

from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.judge.bounds import UNIT_FLOAT64, forward_error
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.conformance.run.outcomes import NotAsked, Number, Outcome, PerQuery, Raised, Report
from rankspec.conformance.run.session import Session
from rankspec.conformance.settle.identify.probe import Put
from rankspec.conformance.worker.messages import Call, Hello

HASH_SEEDS = ("0", "1")
"""PYTHONHASHSEED of the two processes: an answer that depends on the order of a set changes."""


@dataclass(frozen=True)
class Change:
    """Two answers to one probe."""

    asked: Put
    first: Outcome
    second: Outcome
    how: str


@dataclass
class Interview:
    """Two processes with the same implementation, and all that it has answered. A context manager.

    The first process is asked at once, the second, whose start takes its time, in the background: the same calls, the
    last one first.
    """

    implementation: Implementation
    limits: Limits | None = None
    answers: dict[Put, Outcome] = field(default_factory=dict)
    mutated: list[Put] = field(default_factory=list)
    change: Change | None = None
    calls: int = 0
    seconds_a_call: float = 0.0

    def __enter__(self) -> Self:
        """Start both processes. Raises ``ImportFailure``."""
        self._halt = Halt()
        self._first = Session(self.implementation, self.limits, {"PYTHONHASHSEED": HASH_SEEDS[0]}, self._halt)
        self._second = Session(self.implementation, self.limits, {"PYTHONHASHSEED": HASH_SEEDS[1]}, self._halt)
        self._background = ThreadPoolExecutor(max_workers=1)
        self._waiting: list[tuple[list[Put], Future[Report]]] = []
        started = self._background.submit(self._second.__enter__)
        with ExitStack() as stack:
            stack.callback(self._abandon, started)
            stack.enter_context(self._first)
            started.result()
            stack.pop_all()
        return self

    def _abandon(self, started: Future[Session]) -> None:
        """End the second process where the first one can't be asked, or somebody interrupts."""
        self._halt.stop("given up")
        self._background.shutdown()
        if started.exception() is None:
            self._second.__exit__(None, None, None)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End both processes; after an interruption nothing is waited for."""
        if kind is not None:
            self._halt.stop("interrupted")
        self._background.shutdown(wait=True, cancel_futures=True)
        try:
            self._first.__exit__(kind, error, traceback)
        finally:
            self._second.__exit__(kind, error, traceback)

    @property
    def hello(self) -> Hello:
        """What the implementation says of itself."""
        return self._first.hello

    def ask(self, puts: Sequence[Put], *, twice: bool = True) -> list[Outcome]:
        """Ask what was not asked yet, and return the answers to all."""
        new = list(dict.fromkeys(each for each in puts if each not in self.answers))
        if new:
            if twice:
                backwards = new[::-1]
                calls = [each.call for each in backwards]
                self._waiting.append((backwards, self._background.submit(self._second.ask, calls)))
            start = time.perf_counter()
            report = self._first.ask([each.call for each in new])
            self.seconds_a_call = (time.perf_counter() - start) / len(new)
            self.calls += len(new)
            self._take(new, report)
        return [self.answers[each] for each in puts]

    def settle(self, again: Sequence[Put]) -> None:
        """Wait for the second process, and ask the first one some probes again, now that it has seen others."""
        for puts, future in self._waiting:
            report = future.result()
            for each, outcome in zip(puts, report.outcomes, strict=True):
                self._compare(each, outcome, "in another process, asked in another order")
        self._waiting.clear()
        if self.change is None and again:
            report = self._first.ask([each.call for each in again])
            for each, outcome in zip(again, report.outcomes, strict=True):
                self._compare(each, outcome, "when asked again, after other inputs")

    def raw(self, calls: Sequence[Call]) -> tuple[Outcome, ...]:
        """Ask calls whose answers are not kept."""
        self.calls += len(calls)
        return self._first.ask(calls).outcomes

    def _take(self, puts: Sequence[Put], report: Report) -> None:
        for index, (each, outcome) in enumerate(zip(puts, report.outcomes, strict=True)):
            self.answers[each] = outcome
            if index in report.mutated:
                self.mutated.append(each)
            if index in report.again:
                self._compare(each, report.again[index], "from the same arguments, which it had changed")

    def _compare(self, each: Put, second: Outcome, how: str) -> None:
        first = self.answers[each]
        if not same(first, second) and (self.change is None or each.probe.size < self.change.asked.probe.size):
            self.change = Change(each, first, second, how)


def same(first: Outcome, second: Outcome) -> bool:
    """Compare two answers to one call. The last bits may differ, where a program adds up in the order of a set."""
    if isinstance(first, NotAsked) or isinstance(second, NotAsked):
        return True
    if isinstance(first, Raised) and isinstance(second, Raised):
        return first.type == second.type
    if isinstance(first, Number) and isinstance(second, Number):
        return _nearly(first, second)
    if isinstance(first, PerQuery) and isinstance(second, PerQuery):
        return first.values.keys() == second.values.keys() and all(
            _nearly(number, second.values[query]) for query, number in first.values.items()
        )
    return type(first) is type(second)


def _nearly(first: Number, second: Number) -> bool:
    if first.value == second.value:
        return True
    if not isinstance(first.value, Fraction) or not isinstance(second.value, Fraction):
        return False
    return abs(first.value - second.value) <= forward_error(1, abs(first.value), UNIT_FLOAT64)
