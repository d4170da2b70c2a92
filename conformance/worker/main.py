"""The worker process: loads one implementation, answers calls, and outlives what it can.

Run as ``python -m rankspec.conformance.worker.main READ_FD WRITE_FD``. It speaks the protocol on
these two descriptors, never on 0, 1 and 2, which implementations read, write and close.

Each call costs one write: the result of the call before it goes out together with its ``started``. So
nothing that is known is lost when the process dies, and the harness knows which call it died of.
"""

from __future__ import annotations

import faulthandler
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any, NoReturn

from rankspec.conformance.worker import protocol
from rankspec.conformance.worker.adapter import Printed, UnsupportedError
from rankspec.conformance.worker.arguments import Files
from rankspec.conformance.worker.loading import Loaded, LoadError, load
from rankspec.conformance.worker.messages import (
    ANY_MEASURE,
    CHANNEL_LOST,
    Answer,
    Call,
    Died,
    Errored,
    Result,
    Skipped,
    Unusable,
    Value,
    Values,
    WireNumber,
)
from rankspec.conformance.worker.packing import CUTOFFS, handed_beside, is_same, packed
from rankspec.conformance.worker.shapes import (
    CUTOFF,
    EXPRESSION,
    PARAMETERS,
    THRESHOLD,
    WEIGHTS,
    Form,
    Need,
    Shape,
    Signature,
)
from rankspec.conformance.worker.values import (
    PRINTED,
    NotANumberError,
    number_text,
    one_line,
    short,
    type_name,
    value_in,
)

_MODULES = ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath")
"""Where numpy keeps them: from 2.0 on, and before."""


def numpy_features() -> tuple[str, ...]:
    """Return the features for which numpy has code of its own and that it uses; none where it is not loaded."""
    # Those that `NPY_DISABLE_CPU_FEATURES` names are not used. Nothing is imported for this.
    for name in _MODULES:
        module = sys.modules.get(name)
        if module is not None:
            enabled = getattr(module, "__cpu_features__", {})
            return tuple(feature for feature in getattr(module, "__cpu_dispatch__", ()) if enabled.get(feature))
    return ()


_CHUNK = 1 << 16
_LONGEST_MESSAGE = 500


class Channel:
    """The two descriptors of the protocol, in a process whose implementation may do anything to them."""

    def __init__(self, read: int, write: int) -> None:
        """Keep the descriptors from the implementation's own children, and remember what they are."""
        self._read = read
        self._write = write
        self._process = os.getpid()
        for descriptor in (read, write):
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - it takes no keywords
        self._identity = self._identify()

    def _identify(self) -> tuple[int, int]:
        status = os.fstat(self._write)
        return status.st_dev, status.st_ino

    def lines(self) -> Iterator[bytes]:
        """Give the harness's lines until it closes its end."""
        rest = b""
        while chunk := os.read(self._read, _CHUNK):
            *complete, rest = (rest + chunk).split(b"\n") if b"\n" in chunk else (rest + chunk,)
            yield from complete

    def send(self, data: bytes) -> None:
        """Write to the harness, unless the descriptor is another one by now or this is a forked child."""
        if os.getpid() != self._process:
            os._exit(0)  # a child that the implementation forked and let return: the parent answers
        try:
            if self._identify() != self._identity:
                _leave()
            while data:
                data = data[self._put(data) :]
        except OSError:
            _leave()

    def _put(self, data: bytes) -> int:
        try:
            return os.write(self._write, data)
        except BlockingIOError:
            os.set_blocking(self._write, True)
            return 0


def _leave() -> NoReturn:
    os._exit(CHANNEL_LOST)


def serve(channel: Channel) -> None:
    """Answer ``start``, then the calls of each batch in turn, until the harness closes its end."""
    lines = channel.lines()
    start = protocol.parse_start(next(lines))
    scratch = Path(start.scratch)
    try:
        loaded = load(start.source, start.shape, lambda preparing: channel.send(protocol.preparing_line(preparing)))
    except LoadError as error:
        channel.send(protocol.failed_line(error.failed))
        return
    channel.send(protocol.hello_line(loaded.hello))
    try:
        home = os.open(".", os.O_RDONLY)  # the folder in which each call starts
    except OSError:
        home = -1  # it is gone already, and no call can return to it
    features: tuple[str, ...] = ()
    for line in lines:
        known = b""
        for message in protocol.parse_batch(line):
            seq, call = protocol.parse_call(message)
            channel.send(known + protocol.started_line(seq))
            result = answered(loaded, seq, call, scratch / str(seq))
            if not features and (features := numpy_features()):
                result = replace(result, numpy_features=features)
            known = protocol.result_line(result)
            with suppress(OSError):
                os.fchdir(home)  # the next call starts where this one did
        channel.send(known)


def answered(loaded: Loaded, seq: int, call: Call, folder: Path) -> Result:
    """Make one call, and say what came of it; files for it are written in the folder."""
    measure = call.measure if call.measure in loaded.functions else ANY_MEASURE
    # It is made as it states, where the answers tell which way is right.
    signature = loaded.hello.by_form.get(call.form) or loaded.hello.signature(call.measure)
    if signature is None:
        return Result(seq, Skipped(f"there is no function for the measure {call.measure}"))
    if unfit := _unfit(signature, call):
        return Result(seq, Skipped(unfit))
    plain = call.arguments.natives(folder)
    try:
        given = packed(signature.form, plain, call.k)
        constants = handed_beside(signature.form, given)
    except (UnsupportedError, OverflowError) as error:  # an array of 64 bits can't hold every label
        return Result(seq, Skipped(one_line(str(error), _LONGEST_MESSAGE)))
    values = {**given, **_beside(call)}
    if CUTOFFS in signature.form.packing and call.k is not None:
        values[CUTOFF] = [call.k]
    values |= {name: _like(next(iter(given.values())), values[name]) for name in WEIGHTS if values[name] is not None}
    absent = {role for role in (CUTOFF, THRESHOLD, *PARAMETERS, *WEIGHTS) if values[role] is None}
    positional = [values[role] for role in signature.positional if role not in absent]
    keywords = {name: values[role] for role, name in signature.keywords if role not in absent}
    keywords |= constants
    function = loaded.functions[measure]
    call = replace(call, form=call.form or signature.form.value)
    answer = _called(function, positional, keywords, call)
    mutated = _changed(call, given, signature)
    # Whoever evaluates twice hands over the same data twice: what was changed must not tell.
    again = _called(function, positional, keywords, call) if mutated and isinstance(answer, Value | Values) else None
    if signature.shape is Shape.FILES:
        rmtree(folder, ignore_errors=True)
    return Result(seq, answer, mutated, again)


def _beside(call: Call) -> dict[str, Any]:
    """Give what stands in the call beside the arguments of its shape, None for what the measure has not."""
    parameters = {name: dict(value) if isinstance(value, tuple) else value for name, value in call.parameters}
    none = dict.fromkeys((*PARAMETERS, *WEIGHTS))
    return {**none, **parameters, CUTOFF: call.k, THRESHOLD: call.rel, EXPRESSION: call.expression}


def _like(argument: Any, weights: Mapping[int, float]) -> Any:
    """Hand over weights as the argument is: by its keys, as an array, or as a list."""
    if isinstance(argument, Mapping):
        return dict(zip(argument, weights.values(), strict=True))
    numbers = list(weights.values())
    numpy = sys.modules.get("numpy")
    return numpy.asarray(numbers) if numpy is not None and isinstance(argument, numpy.ndarray) else numbers


def _called(function: Callable[..., object], positional: list[Any], keywords: Mapping[str, Any], call: Call) -> Answer:
    try:
        returned = function(*positional, **keywords)
        if isinstance(returned, Value | Values | Unusable | Errored | Died):
            return returned  # what a program printed is read already
        value = value_in(returned, call)
        return _value(value if isinstance(value, Printed) else call.arguments.by_query(value))
    except UnsupportedError as error:
        return Skipped(one_line(str(error), _LONGEST_MESSAGE))
    except NotANumberError as error:
        return Unusable(f"it returned {error}")
    except BaseException as error:  # noqa: BLE001 - SystemExit and KeyboardInterrupt are outcomes too
        return _errored(error)


def _unfit(signature: Signature, call: Call) -> str | None:
    """Say why the function can't be asked this, if it can't."""
    shape = call.arguments.shape
    if shape is not signature.shape:
        return f"it has the shape {signature.shape.value}, the arguments are those of {shape.value}"
    values = _beside(call)
    words = {CUTOFF: "cutoff k", THRESHOLD: "relevance threshold rel"}
    for role in (CUTOFF, THRESHOLD, *PARAMETERS, *WEIGHTS):
        need, word = signature.need(role), words.get(role, f"parameter {role}")
        if values[role] is not None and need is Need.ABSENT:
            return f"it takes no {word}"
        if values[role] is None and need is Need.REQUIRED:
            return f"it requires a {word}, and the measure has none"
    return None


def _value(returned: object) -> Answer:
    """Put what was returned into a message: a number, a number a query, or what it is instead."""
    if not isinstance(returned, Mapping):
        try:
            return Value(_number(returned))
        except NotANumberError as error:
            return Unusable(f"it returned {error}")
    values: list[tuple[str, WireNumber]] = []
    for query, value in returned.items():
        if not isinstance(query, str):
            return Unusable(f"it returned a mapping with the key {short(query)}, which is not text")
        try:
            values.append((str(query), _number(value)))
        except NotANumberError as error:
            return Unusable(f"it returned for query {short(query)} {error}")
    return Values(tuple(values))


def _number(value: object) -> WireNumber:
    """Write a number.  Raises ``NotANumberError``."""
    if isinstance(value, Printed):
        return WireNumber(str(value), PRINTED)
    return WireNumber(number_text(value), type_name(value))


def _errored(error: BaseException) -> Errored:
    name = type_name(error)
    try:
        return Errored(name, one_line(str(error), _LONGEST_MESSAGE))
    except BaseException:  # noqa: BLE001 - the text of an exception is the implementation's own code
        return Errored(name, "(its text can't be had)")


def _changed(call: Call, arguments: Mapping[str, Any], signature: Signature) -> bool:
    try:
        if signature.form == Form(Shape.FILES, "text"):
            return False
        if isinstance(call.arguments, Files):
            return not call.arguments.unchanged(arguments)
        fresh = packed(signature.form, call.arguments.natives(Path()), call.k)
        return not all(is_same(arguments[name], value) for name, value in fresh.items())
    except BaseException:  # noqa: BLE001 - comparing runs the code of whatever was put in there
        return True


def _no_core_file() -> None:
    try:
        import resource  # noqa: PLC0415 - not on every platform
    except ImportError:
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _adopt_orphans() -> None:
    """Become the parent of descendants whose parent ends, where Linux can: so the harness finds them all."""
    if sys.platform != "linux":
        return
    try:
        import ctypes  # noqa: PLC0415 - not in every build of Python

        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return


_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Take over the two descriptors and serve."""
    read, write = int(sys.argv[1]), int(sys.argv[2])
    del sys.argv[1:]
    faulthandler.enable()
    _no_core_file()
    _adopt_orphans()
    serve(Channel(read, write))


if __name__ == "__main__":
    main()
