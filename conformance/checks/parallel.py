"""Checking several implementations at once: each in processes of its own, watched by a thread of this one.

The work is done by the processes; what is done here (the oracle, the verdicts, the listeners) is done in turn.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

from rankspec.conformance.checks.check import Checked, CheckPlan, Listener, check
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.limits import Halt, Halted
from rankspec.conformance.run.worker_process import NotReady
from rankspec.conformance.worker.messages import Hello
from rankspec.oracle.conventions.convention import Convention

INTERRUPTED = "interrupted"
_TICK_SECONDS = 0.1
_IN_NO_TIME = (Halted, NotReady)  # What comes of one that could not be started in time


@dataclass(frozen=True)
class CheckBatch:
    """What was found of several implementations, in the order in which they were named."""

    checks: tuple[Checked, ...]  # of those that were started
    not_started: tuple[str, ...] = ()  # the names of the others, where there was no time for them
    not_ready: tuple[str, ...] = ()  # those of them that did not come to be asked in the time of a start, in words
    reason: str = ""  # why not everything was asked; empty if it was
    interruption: KeyboardInterrupt | None = None  # what interrupted it, if something did

    @property
    def complete(self) -> bool:
        """Whether everything was asked that was to be asked."""
        return not self.not_started and all(checked.complete for checked in self.checks)


def check_all(  # noqa: PLR0913 - four that are stated by name
    workers: Sequence[Workers],
    plan: CheckPlan | Sequence[CheckPlan],
    *,
    jobs: int | None = None,
    run_seconds: float | None = None,
    spent: float = 0.0,
    listen: Callable[[str], Listener] = lambda _: Listener(),
) -> CheckBatch:
    """Check implementations, several at a time; what is found does not depend on how many."""
    # An interruption (Ctrl-C) ends all processes; what is known by then is returned. `run_seconds`, of which some are
    # spent, are for all together; what was not asked by then has the verdict `timeout`. Listeners are told one thing at
    # a time, from several threads. `ImportFailure` if one can't be loaded, which stops the others, or if none was ready
    # in time; where one alone is too slow, what the others answer is of use, and it may take minutes.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    at_once = max(1, min(len(workers), jobs or cores))
    halts, started = [Halt(run_seconds, spent) for _ in workers], set[int]()  # the places of what was loaded
    turn = threading.RLock()
    plans = [plan] * len(workers) if isinstance(plan, CheckPlan) else plan

    def one(place: int) -> Checked:
        listener = listen(workers[place].text)
        told = listener.on_hello

        def on_hello(hello: Hello, convention: Convention) -> None:
            started.add(place)
            if told is not None:
                told(hello, convention)

        if halts[place].reason:
            raise Halted(halts[place].reason)
        listener = replace(listener, on_hello=on_hello, turn=turn)
        return check(replace(workers[place], halt=halts[place]), plans[place], listener)

    with ThreadPoolExecutor(at_once, thread_name_prefix="check") as pool:
        futures = [pool.submit(one, place) for place in range(len(workers))]
        interruption = _wait(futures, halts, started)
    found = [None if isinstance(each.exception(), _IN_NO_TIME) else each.result() for each in futures]
    late = tuple(str(future.exception()) for future in futures if isinstance(future.exception(), NotReady))
    if late and not any(found):
        raise NotReady("; ".join(late), code="not-ready")
    return CheckBatch(
        tuple(checked for checked in found if checked is not None),
        tuple(each.text for each, checked in zip(workers, found, strict=True) if checked is None),
        late,
        next((halt.reason for halt in halts if halt.reason), "; ".join(late)),
        interruption,
    )


def _wait(runs: Sequence[Future[Checked]], halts: Sequence[Halt], started: Collection[int]) -> KeyboardInterrupt | None:
    """Wait until all have ended; stop them when there is an interruption, or when one can't be loaded."""
    interruption = None
    pending = set(runs)
    while pending:
        try:
            pending = wait(pending, _TICK_SECONDS, FIRST_COMPLETED).not_done
            errors = [run.exception() if run.done() else None for run in runs]
            failed = [place for place, error in enumerate(errors) if error and not isinstance(error, _IN_NO_TIME)]
            if failed:
                for place, halt in enumerate(halts):
                    if place > failed[0] or place in started:
                        halt.stop("another one can't be loaded")
        except KeyboardInterrupt as error:  # a second one finds the first one's work under way
            interruption = interruption or error
            for halt in halts:
                halt.stop(INTERRUPTED)
    return interruption
