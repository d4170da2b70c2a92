"""The messages between the harness and a worker: one JSON object a line.

Harness to worker: ``start``, then any number of ``batch``es of calls. Worker to harness: ``hello`` or
``failed`` in answer to ``start``; for each call ``started`` before it is made and ``result`` after it. Each
call has a sequence number, which its messages repeat. A number travels as text (see ``values``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rankspec.conformance.implementations.arguments import (
    arguments_message,
    parse_arguments,
    shape_of,
)
from rankspec.conformance.implementations.messages import (
    Answer,
    Call,
    Errored,
    Failed,
    Hello,
    Result,
    Skipped,
    Start,
    Started,
    Unusable,
    Value,
    Values,
    WireNumber,
)
from rankspec.conformance.implementations.shapes import Need, Shape, Signature
from rankspec.conformance.implementations.sources import (
    AdapterSource,
    FileSource,
    ModuleSource,
    Source,
)

VERSION = 1


class ProtocolError(Exception):
    """A line that is no message, or not the one that was due."""


def start_line(start: Start) -> bytes:
    """Write the message that a worker reads first."""
    match start.source:
        case AdapterSource(name):
            source = {"adapter": name}
        case FileSource(path, function):
            source = {"file": path, "function": function}
        case ModuleSource(module, function):
            source = {"module": module, "function": function}
    shape = start.shape.value if start.shape else None
    return _line(
        {
            "type": "start",
            "protocol": VERSION,
            "source": source,
            "shape": shape,
            "scratch": start.scratch,
        }
    )


def parse_start(line: bytes) -> Start:
    """Read ``start_line``.  Raises ``ProtocolError``, also for another version of the protocol."""
    message = _parse(line, "start")
    if message.get("protocol") != VERSION:
        raise ProtocolError(f"start: protocol {message.get('protocol')!r}, this worker speaks {VERSION}")
    source: Source
    match message.get("source"):
        case {"adapter": str(name)}:
            source = AdapterSource(name)
        case {"file": str(path), "function": str(function)}:
            source = FileSource(path, function)
        case {"module": str(module), "function": str(function)}:
            source = ModuleSource(module, function)
        case other:
            raise ProtocolError(f"start: no source: {other!r}")
    shape = message.get("shape")
    return Start(source, Shape(shape) if shape else None, _text(message, "scratch"))


def batch_line(first: int, calls: Sequence[Call]) -> bytes:
    """Write a batch of calls with the sequence numbers ``first``, ``first + 1``, ..."""
    return _line(
        {
            "type": "batch",
            "calls": [_call_message(seq, call) for seq, call in enumerate(calls, first)],
        }
    )


def parse_batch(line: bytes) -> list[Any]:
    """Read the calls of a batch as they came; each is read by ``parse_call`` when its turn comes."""
    calls = _parse(line, "batch").get("calls")
    if not isinstance(calls, list):
        raise ProtocolError("batch: no list of calls")
    return calls


def _call_message(seq: int, call: Call) -> dict[str, object]:
    message: dict[str, object] = {
        "seq": seq,
        "measure": call.measure,
        "shape": shape_of(call.arguments).value,
        "arguments": arguments_message(call.arguments),
    }
    if call.k is not None:
        message["k"] = call.k
    if call.rel is not None:
        message["rel"] = call.rel
    return message


def parse_call(message: Any) -> tuple[int, Call]:
    """Read one call of a batch and its sequence number.  Raises ``ProtocolError``."""
    try:
        arguments = parse_arguments(Shape(message["shape"]), message["arguments"])
        return message["seq"], Call(message["measure"], arguments, message.get("k"), message.get("rel"))
    except (KeyError, TypeError, ValueError) as error:
        raise ProtocolError(f"batch: not a call: {error}") from error


def hello_line(hello: Hello) -> bytes:
    """Write the worker's greeting."""
    functions = {
        measure: {
            "natives": signature.natives,
            "k": signature.k.value,
            "rel": signature.rel.value,
        }
        for measure, signature in hello.functions.items()
    }
    return _line(
        {
            "type": "hello",
            "protocol": VERSION,
            "name": hello.name,
            "version": hello.version,
            "python": hello.python,
            "shape": hello.shape.value,
            "convention": hello.convention,
            "functions": functions,
        }
    )


def failed_line(failed: Failed) -> bytes:
    """Write why nothing could be loaded."""
    return _line({"type": "failed", "reason": failed.reason, "missing": failed.missing})


def parse_greeting(line: bytes) -> Hello | Failed:
    """Read the answer to ``start``.  Raises ``ProtocolError``."""
    message = _parse(line, "hello", "failed")
    if message["type"] == "failed":
        return Failed(_text(message, "reason"), _text_or_none(message, "missing"))
    if message.get("protocol") != VERSION:
        raise ProtocolError(f"hello: protocol {message.get('protocol')!r}, this harness speaks {VERSION}")
    try:
        shape = Shape(message["shape"])
        functions = {
            measure: Signature(shape, tuple(entry["natives"]), Need(entry["k"]), Need(entry["rel"]))
            for measure, entry in message["functions"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ProtocolError(f"hello: {error!r}") from error
    return Hello(
        name=_text(message, "name"),
        version=_text_or_none(message, "version"),
        python=_text(message, "python"),
        shape=shape,
        convention=_text_or_none(message, "convention"),
        functions=functions,
    )


def started_line(seq: int) -> bytes:
    """Write that a call is about to be made."""
    return b'{"type":"started","seq":%d}\n' % seq


def result_line(result: Result) -> bytes:
    """Write the answer to a call."""
    message = {"type": "result", "seq": result.seq, **_answer_message(result.answer)}
    if result.mutated:
        message["mutated"] = True
    if result.again is not None:
        message["again"] = _answer_message(result.again)
    return _line(message)


def _answer_message(answer: Answer) -> dict[str, object]:
    match answer:
        case Value(value):
            return {"outcome": "value", "value": {"number": value.number, "type": value.type}}
        case Values(values):
            listed = [[query, {"number": value.number, "type": value.type}] for query, value in values]
            return {"outcome": "values", "values": listed}
        case Unusable(reason):
            return {"outcome": "malformed", "reason": reason}
        case Errored(error, text):
            return {"outcome": "errored", "error": error, "message": text}
        case Skipped(reason):
            return {"outcome": "skipped", "reason": reason}


def parse_answer(line: bytes) -> Started | Result:
    """Read what a worker says about a call.  Raises ``ProtocolError``."""
    message = _parse(line, "started", "result")
    seq = message.get("seq")
    if type(seq) is not int:
        raise ProtocolError(f"{message['type']}: seq is {seq!r}, not a whole number")
    if message["type"] == "started":
        return Started(seq)
    again = _answer(message["again"], seq) if "again" in message else None
    return Result(seq, _answer(message, seq), message.get("mutated") is True, again)


def _answer(message: object, seq: int) -> Answer:
    match message:
        case {"outcome": "value", "value": value}:
            return Value(_number(value))
        case {"outcome": "values", "values": [*pairs]}:
            return Values(tuple(map(_pair, pairs)))
        case {"outcome": "malformed", "reason": str(reason)}:
            return Unusable(reason)
        case {"outcome": "errored", "error": str(error), "message": str(text)}:
            return Errored(error, text)
        case {"outcome": "skipped", "reason": str(reason)}:
            return Skipped(reason)
        case _:
            outcome = message.get("outcome") if isinstance(message, dict) else message
            raise ProtocolError(f"result {seq}: no outcome that is known: {str(outcome)[:80]!r}")


def _number(message: object) -> WireNumber:
    match message:
        case {"number": str(number), "type": str(kind)}:
            return WireNumber(number, kind)
        case _:
            raise ProtocolError(f"result: not a number with its type: {str(message)[:80]}")


def _pair(message: object) -> tuple[str, WireNumber]:
    match message:
        case [str(query), value]:
            return query, _number(value)
        case _:
            raise ProtocolError(f"result: not a query with its number: {str(message)[:80]}")


def _line(message: Mapping[str, object]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def _parse(line: bytes, *types: str) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not a line of JSON: {line[:80]!r}") from error
    if not isinstance(message, dict) or message.get("type") not in types:
        raise ProtocolError(f"not a message of type {' or '.join(types)}: {line[:80]!r}")
    return message


def _text(message: Mapping[str, object], key: str) -> str:
    value = message.get(key)
    if not isinstance(value, str):
        raise ProtocolError(f"{message.get('type')}: {key} is {value!r}, not a text")
    return value


def _text_or_none(message: Mapping[str, object], key: str) -> str | None:
    return None if message.get(key) is None else _text(message, key)
