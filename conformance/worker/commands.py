"""In the worker: a program that prints trec_eval's columns, run anew for each call, as a function of two files."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rankspec.conformance.worker.messages import ANY_MEASURE, Answer, Died, Errored, Unusable
from rankspec.conformance.worker.printed_rows import read_rows
from rankspec.conformance.worker.programs import (
    CUTOFF_PLACE,
    MEASURE_PLACE,
    QRELS,
    RUN,
    THRESHOLD_PLACE,
)
from rankspec.conformance.worker.shapes import CUTOFF, EXPRESSION, THRESHOLD, Need, Shape, Signature
from rankspec.conformance.worker.trec_names import TREC_NAMES, TrecName, option_name
from rankspec.conformance.worker.values import one_line

LONGEST_OUTPUT = 16 * 1024**2
_CHUNK = 1 << 16
_KEPT_OF_ERRORS = 4096
_LONGEST_LINE = 300
_TICK_SECONDS = 0.05


@dataclass(frozen=True)
class Command:
    """A command line with places for what a call is about; calling it runs the program."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the program."""
        return Path(self.words[0]).name

    def has(self, place: str) -> bool:
        """Say whether the command line has a place."""
        return any(place in word for word in self.words)

    def signatures(self) -> Mapping[str, Signature]:
        """Say what the program can be asked.

        With a place for the measure, every measure that trec_eval has a name for; else the one that the user says.
        """
        rel = Need.OPTIONAL if self.has(THRESHOLD_PLACE) else Need.ABSENT
        if not self.has(MEASURE_PLACE):
            k = Need.REQUIRED if self.has(CUTOFF_PLACE) else Need.ABSENT
            return {ANY_MEASURE: _signature(k, rel)}
        level = (("recall", Need.OPTIONAL),)  # a part of the name; other parameters have no place in one
        return {family: _signature(self._cutoff(names), rel, level) for family, names in TREC_NAMES.items()}

    def _cutoff(self, names: TrecName) -> Need:
        if self.has(CUTOFF_PLACE):
            return Need.REQUIRED
        if names.cut is None:
            return Need.ABSENT
        return Need.REQUIRED if names.whole is None and not names.takes_level else Need.OPTIONAL

    def __call__(
        self, qrels_path: str, run_path: str, expression: str, k: int | None = None, rel: int | None = None
    ) -> Answer:
        """Run the program and read what it prints."""
        places = {
            QRELS: qrels_path,
            RUN: run_path,
            MEASURE_PLACE: option_name(expression),
            CUTOFF_PLACE: "" if k is None else str(k),
            THRESHOLD_PLACE: "1" if rel is None else str(rel),
        }
        return _run([_filled(word, places) for word in self.words], expression)


def _signature(k: Need, rel: Need, parameters: tuple[tuple[str, Need], ...] = ()) -> Signature:
    natives = Shape.FILES.natives
    roles = (*natives, EXPRESSION, CUTOFF, THRESHOLD)
    return Signature(
        Shape.FILES, natives, k, rel, keywords=tuple((role, role) for role in roles), parameters=parameters
    )


def _filled(word: str, places: Mapping[str, str]) -> str:
    for place, value in places.items():
        word = word.replace(place, value)
    return word


def _run(words: Sequence[str], expression: str) -> Answer:
    try:
        process = subprocess.Popen(  # noqa: S603 - running it is the point
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        return Errored("OSError", f"{words[0]} can't be started: {error.strerror}")
    printed, complaints, is_complete = _drained(process)
    if not is_complete:
        return Unusable(f"it printed more than {LONGEST_OUTPUT // 1024**2} MiB")
    status = process.wait()
    if status < 0:
        return Died(_signal_name(-status))
    if status > 0:
        lines = [line for line in complaints.decode("utf-8", "backslashreplace").splitlines() if line.strip()]
        return Errored(f"exit status {status}", one_line(lines[-1], _LONGEST_LINE) if lines else "")
    return read_rows(printed.decode("utf-8", "backslashreplace"), expression)


def _drained(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes, bool]:
    """Read both outputs until the program ends, and say whether that was all; children may keep them open longer."""
    if process.stdout is None or process.stderr is None:
        raise RuntimeError("the program was started without its outputs")
    printed, complaints = bytearray(), bytearray()
    with process.stdout as out, process.stderr as errors, selectors.DefaultSelector() as selector:
        for stream in (out, errors):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            has_ended = process.poll() is not None  # looked at first: what it wrote before is there by then
            ready = selector.select(0 if has_ended else _TICK_SECONDS)
            if has_ended and not ready:
                break
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fileobj)
                elif key.fileobj is out:
                    printed += chunk
                else:
                    complaints = (complaints + chunk)[-_KEPT_OF_ERRORS:]
            if len(printed) > LONGEST_OUTPUT:
                with suppress(OSError):
                    process.kill()
                process.wait()
                return bytes(printed), bytes(complaints), False
    return bytes(printed), bytes(complaints), True


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
