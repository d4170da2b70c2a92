"""Implementations that do everything but compute: each misbehaves on one call and answers the others.

They are loaded by workers alone. ``hostile`` makes an implementation of the shape ``ranking`` from the act:
with ``num_relevant`` 13 it acts, otherwise it returns one half.
"""

from __future__ import annotations

import _thread
import atexit
import builtins
import contextlib
import ctypes
import decimal
import gc
import json
import locale
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

TRIGGER = 13
LARGEST_DESCRIPTOR = 64
FOREVER = 10_000


def hostile(act: Callable[..., Any]) -> Callable[[list[int], int], Any]:
    """Make an implementation of an act, which is given the labels if it takes an argument."""
    takes_labels = act.__code__.co_argcount

    def implementation(relevance: list[int], num_relevant: int) -> Any:
        if num_relevant != TRIGGER:
            return 0.5
        return act(relevance) if takes_labels else act()

    return implementation


# Never answers.


@hostile
def loops() -> None:
    while True:
        pass


@hostile
def sleeps() -> None:
    time.sleep(FOREVER)


@hostile
def loops_in_c() -> int:
    return sum(iter(int, 1))


@hostile
def answers_too_late() -> float:
    time.sleep(3)
    return 0.75


@hostile
def ignores_signals_and_sleeps() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(FOREVER)


@hostile
def stops_itself() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


@hostile
def swallows_everything_and_loops() -> None:
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(1)


@hostile
def prints_for_ever() -> None:
    while True:
        os.write(1, b"x" * 65536)


class _EndlessMapping(Mapping[str, float]):
    def __getitem__(self, key: str) -> float:
        return 0.5

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        while True:
            yield "q"


class _SlowRepr:
    def __repr__(self) -> str:
        time.sleep(FOREVER)
        return ""


@hostile
def returns_an_object_whose_repr_hangs() -> object:
    return _SlowRepr()


@hostile
def puts_half_a_line_on_every_descriptor_and_sleeps() -> None:
    _write_everywhere(b'{"type":"result"')
    time.sleep(FOREVER)


@hostile
def waits_for_a_thread_that_never_ends() -> None:
    thread = threading.Thread(target=time.sleep, args=(FOREVER,))
    thread.start()
    thread.join()


# Takes all there is.


@hostile
def allocates() -> None:
    hoard = []
    while True:
        hoard.append(bytearray(b"x") * (16 * 1024**2))


@hostile
def its_child_allocates() -> None:
    code = "hoard = []\nwhile True: hoard.append(bytearray(b'x') * (16 * 1024**2))"
    subprocess.run([sys.executable, "-c", code], check=False)


@hostile
def returns_an_endless_mapping() -> object:
    return _EndlessMapping()


# Ends the process.


@hostile
def exits_at_once() -> NoReturn:
    os._exit(3)


@hostile
def exits_at_once_without_fault() -> NoReturn:
    os._exit(0)


@hostile
def reads_address_zero() -> None:
    ctypes.string_at(0)


@hostile
def aborts() -> NoReturn:
    os.abort()


@hostile
def kills_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@hostile
def kills_its_group() -> None:
    os.killpg(0, signal.SIGKILL)


@hostile
def becomes_another_program() -> None:
    os.execv("/bin/sh", ["/bin/sh", "-c", "exit 5"])  # noqa: S606


@hostile
def becomes_another_program_that_stays() -> None:
    os.execv("/bin/sh", ["/bin/sh", "-c", f"sleep {FOREVER}"])  # noqa: S606


@hostile
def overflows_the_stack_of_c() -> None:
    sys.setrecursionlimit(10**9)
    threading.stack_size(0)
    nested: Any = ()
    for _ in range(10**6):
        nested = (nested,)
    hash(nested)


@hostile
def forks_and_the_parent_exits() -> float:
    if os.fork():
        os._exit(4)
    time.sleep(FOREVER)
    return 0.75


# Raises.


@hostile
def exits() -> NoReturn:
    sys.exit("enough")


@hostile
def interrupts() -> NoReturn:
    raise KeyboardInterrupt


@hostile
def interrupts_by_signal() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(FOREVER)


@hostile
def interrupts_from_a_thread() -> None:
    threading.Timer(0.01, _thread.interrupt_main).start()
    while True:
        time.sleep(0.01)


@hostile
def recurses() -> object:
    def deeper() -> object:
        return deeper()

    return deeper()


@hostile
def asks_for_too_much() -> object:
    return bytearray(1 << 62)


@hostile
def reads_standard_input() -> str:
    return input()


@hostile
def raises_a_generator_exit() -> NoReturn:
    raise GeneratorExit


class _WordlessError(Exception):
    def __str__(self) -> str:  # noqa: PLE0307
        sys.exit("no words")


@hostile
def raises_without_words() -> NoReturn:
    raise _WordlessError


@hostile
def changes_its_input_and_raises(relevance: list[int]) -> NoReturn:
    relevance.clear()
    raise ValueError("cleared")


@hostile
def raises_a_long_text() -> NoReturn:
    raise ValueError("line\n" * 10**6)


# Meddles with descriptors and processes, and answers.


@hostile
def closes_the_standard_descriptors() -> float:
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    return 0.75


@hostile
def closes_the_standard_streams() -> float:
    sys.stdin.close()
    sys.stdout.close()
    sys.stderr.close()
    return 0.75


@hostile
def prints_much() -> float:
    print("noise " * 10**6)  # noqa: T201
    return 0.75


@hostile
def prints_messages() -> float:
    print('{"type":"result","seq":0,"outcome":"value","value":{"number":"7","type":"int"}}', flush=True)  # noqa: T201
    return 0.75


@hostile
def closes_every_descriptor() -> float:
    os.closerange(0, LARGEST_DESCRIPTOR)
    return 0.75


@hostile
def closes_every_descriptor_and_sleeps() -> None:
    os.closerange(0, LARGEST_DESCRIPTOR)
    time.sleep(FOREVER)


@hostile
def replaces_every_descriptor() -> float:
    """Let the harness's descriptors be those of a file of one's own, in which nothing foreign may turn up."""
    own = os.open(os.environ["RANKSPEC_TEST_FILE"], os.O_RDWR | os.O_CREAT, 0o600)
    for descriptor in range(3, LARGEST_DESCRIPTOR):
        if descriptor != own:
            os.dup2(own, descriptor)
    return 0.75


@hostile
def writes_garbage_to_every_descriptor() -> float:
    _write_everywhere(b"garbage\n")
    return 0.75


@hostile
def writes_binary_to_every_descriptor() -> float:
    _write_everywhere(bytes(range(256)) * 16)
    return 0.75


@hostile
def writes_without_end_to_every_descriptor() -> float:
    for _ in range(10**6):
        _write_everywhere(b"x" * 65536)
    return 0.75


@hostile
def reads_every_descriptor() -> float:
    for descriptor in range(LARGEST_DESCRIPTOR):
        with contextlib.suppress(OSError):
            os.set_blocking(descriptor, False)
            os.read(descriptor, 1 << 20)
    return 0.75


@hostile
def forks_and_both_answer() -> float:
    os.fork()
    return 0.75


@hostile
def forks_children_that_stay() -> float:
    for _ in range(5):
        if not os.fork():
            time.sleep(FOREVER)
    return 0.75


@hostile
def forks_a_daemon() -> float:
    if not os.fork():
        os.setsid()
        if not os.fork():
            time.sleep(FOREVER)
        os._exit(0)
    return 0.75


@hostile
def starts_a_program_in_another_session() -> float:
    subprocess.Popen(["/bin/sh", "-c", f"sleep {FOREVER} & sleep {FOREVER}"], start_new_session=True)
    return 0.75


@hostile
def starts_threads_that_never_end() -> float:
    for _ in range(5):
        threading.Thread(target=time.sleep, args=(FOREVER,)).start()
    return 0.75


@hostile
def exits_a_little_later() -> float:
    threading.Timer(0.02, os._exit, args=(6,)).start()
    return 0.75


@hostile
def sets_an_alarm() -> float:
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    return 0.75


@hostile
def hangs_at_exit() -> float:
    atexit.register(time.sleep, FOREVER)
    return 0.75


@hostile
def deletes_its_folder() -> float:
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    Path(folder).rmdir()
    return 0.75


@hostile
def forbids_itself_descriptors() -> float:
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    return 0.75


@hostile
def changes_its_input(relevance: list[int]) -> float:
    relevance.sort(reverse=True)
    relevance.append(1)
    return 0.75


# Meddles with the interpreter: whether it still answers is its own affair.


@hostile
def breaks_json() -> float:
    json.dumps = lambda *_, **__: "{"
    json.loads = lambda *_, **__: None
    return 0.75


@hostile
def breaks_the_builtins() -> float:
    builtins.len = builtins.isinstance = None  # type: ignore[assignment]
    return 0.75


@hostile
def forgets_the_modules() -> float:
    sys.modules.clear()
    return 0.75


@hostile
def allows_no_recursion() -> float:
    with contextlib.suppress(RecursionError):
        for limit in range(60, 1, -1):
            sys.setrecursionlimit(limit)
    return 0.75


@hostile
def traces_and_raises() -> float:
    def trace(*_: object) -> NoReturn:
        raise RuntimeError("traced")

    sys.setprofile(trace)
    return 0.75


@hostile
def replaces_what_writes() -> float:
    os.write = lambda *_: 0  # type: ignore[assignment]
    json.dumps = lambda *_, **__: "{}"  # type: ignore[assignment]
    return 0.75


@hostile
def replaces_the_clock() -> float:
    time.monotonic = time.time = time.perf_counter = lambda: 0.0
    return 0.75


@hostile
def changes_its_folder() -> float:
    os.chdir("/")
    os.umask(0o777)
    return 0.75


@hostile
def changes_how_numbers_are_reckoned() -> float:
    import numpy as np  # noqa: PLC0415 - slow, and of no use to the others

    np.seterr(all="raise")
    np.set_printoptions(precision=0)
    np.random.seed(0)  # noqa: NPY002 - the global one is meant
    random.seed(0)
    decimal.setcontext(decimal.Context(prec=1, traps=[decimal.Inexact, decimal.FloatOperation]))
    locale.setlocale(locale.LC_ALL, "C")
    return 0.75


@hostile
def breaks_the_garbage_collector() -> float:
    gc.callbacks.append(lambda *_: 1 / 0)
    gc.set_threshold(1)
    return 0.75


@hostile
def blocks_every_signal_and_loops() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass


@hostile
def leaves_garbage_that_raises() -> float:
    class Raising:
        def __del__(self) -> None:
            raise SystemExit(4)

    Raising()
    return 0.75


@hostile
def warns_as_an_error() -> float:
    warnings.simplefilter("error")
    warnings.warn("no more", stacklevel=1)
    return 0.75


@hostile
def prints_through_a_broken_stream() -> float:
    sys.stdout = sys.stderr = None  # type: ignore[assignment]
    sys.excepthook = None  # type: ignore[assignment]
    return 0.75


@hostile
def starts_many_children() -> float:
    for _ in range(20):
        subprocess.Popen(["/bin/sleep", str(FOREVER)], start_new_session=True)
    return 0.75


@hostile
def a_child_forgets_where_it_comes_from() -> float:
    command = f"/bin/sh -c 'sleep {FOREVER}; :' {os.environ['RANKSPEC_TEST']} &"
    subprocess.run(["/bin/sh", "-c", command], env={}, start_new_session=True, check=False)
    return 0.75


# Returns what is not a number, or hardly one.


@hostile
def returns_nothing() -> None:
    return None


@hostile
def returns_a_text() -> str:
    return "0.75"


@hostile
def returns_a_list() -> list[float]:
    return [0.75]


@hostile
def returns_a_bool() -> bool:
    return True


@hostile
def returns_a_complex_number() -> complex:
    return 0.75 + 0j


@hostile
def returns_a_generator() -> object:
    return (value for value in (0.75,))


@hostile
def returns_itself() -> object:
    return returns_itself


class _NoRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@hostile
def returns_an_object_without_repr() -> object:
    return _NoRepr()


@hostile
def returns_a_huge_number() -> int:
    return 10**100_000


@hostile
def returns_a_huge_exponent() -> object:
    return decimal.Decimal("1E+999999999")


@hostile
def returns_keys_that_are_no_texts() -> object:
    return {1: 0.75}


@hostile
def returns_a_query_without_a_number() -> object:
    return {"q1": 0.75, "q2": None}


@hostile
def returns_surrogates() -> str:
    return "\ud800\n\x00" * 1000


class _LyingFloat(float):
    def hex(self) -> str:
        return "0x1.0p+0"

    def __float__(self) -> float:
        return 1.0

    def __eq__(self, other: object) -> bool:
        sys.exit("compared")

    __hash__ = float.__hash__


@hostile
def returns_a_lying_float() -> float:
    return _LyingFloat(0.75)


@hostile
def returns_nan() -> float:
    return math.nan


@hostile
def returns_infinity() -> float:
    return -math.inf


@hostile
def returns_a_single() -> object:
    import numpy as np  # noqa: PLC0415 - the others need not wait for it

    return np.float32(0.1)


@hostile
def returns_an_array() -> object:
    import numpy as np  # noqa: PLC0415 - the others need not wait for it

    return np.array(0.75)


@hostile
def returns_a_fraction() -> Fraction:
    return Fraction(37, 48)


@hostile
def returns_numbers_by_query() -> object:
    return {"q2": 1, "q1": 0.75}


def _write_everywhere(data: bytes) -> None:
    for descriptor in range(3, LARGEST_DESCRIPTOR):
        with contextlib.suppress(OSError):
            os.write(descriptor, data)
