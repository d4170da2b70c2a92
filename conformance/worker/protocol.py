"""The messages of the line protocol, but for the results: one JSON object a line (docs/line-protocol.md).

Harness to worker: ``start``, then any number of ``batch``es of calls. Worker to harness: ``hello`` or
``failed`` in answer to ``start``; for each call a ``result``, before it a ``started`` if it likes (``results``).
Each call has a sequence number, which its messages repeat. A number travels as text (see ``values``).

A worker is the harness's own Python process or a program in any language; both speak this.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankspec.conformance.worker.arguments import parse_arguments
from rankspec.conformance.worker.messages import Call, Failed, Hello, Parameter, Preparing, Start
from rankspec.conformance.worker.shapes import EXPRESSION, PARAMETERS, Need, Shape, Signature
from rankspec.conformance.worker.sources import (
    AdapterSource,
    CommandSource,
    EntryPointSource,
    FileSource,
    ModuleSource,
    ProgramSource,
    Source,
)
from rankspec.conformance.worker.values import one_line
from rankspec.conformance.worker.wire import VERSION, ProtocolError, parsed, text, text_or_none, written

_LONGEST_NAME = 200


def start_line(start: Start) -> bytes:
    """Write the message that a worker reads first. A program gets no more than the version of the protocol."""
    message: dict[str, object] = {"type": "start", "protocol": VERSION}
    match start.source:
        case AdapterSource(name):
            message["source"] = {"adapter": name}
        case EntryPointSource(name):
            message["source"] = {"entry_point": name}
        case FileSource(path, function):
            message["source"] = {"file": path, "function": function}
        case ModuleSource(module, function):
            message["source"] = {"module": module, "function": function}
        case CommandSource(words):
            message["source"] = {"command": list(words)}
        case ProgramSource():
            return written(message)
    if start.shape is not None:
        message["shape"] = start.shape.value
    return written({**message, "scratch": start.scratch})


def parse_start(line: bytes) -> Start:
    """Read ``start_line``.  Raises ``ProtocolError``, also for another version of the protocol."""
    message = parsed(line, "start")
    if message.get("protocol") != VERSION:
        raise ProtocolError(f"start: protocol {message.get('protocol')!r}, this worker speaks {VERSION}")
    source: Source
    match message.get("source"):
        case {"adapter": str(name)}:
            source = AdapterSource(name)
        case {"entry_point": str(name)}:
            source = EntryPointSource(name)
        case {"file": str(path), "function": str(function)}:
            source = FileSource(path, function)
        case {"module": str(module), "function": str(function)}:
            source = ModuleSource(module, function)
        case {"command": [*words]} if words and all(isinstance(word, str) for word in words):
            source = CommandSource(tuple(words))
        case other:
            raise ProtocolError(f"start: no source: {other!r}")
    shape = message.get("shape")
    return Start(source, Shape(shape) if shape else None, text(message, "scratch"))


def batch_line(first: int, calls: Sequence[Call]) -> bytes:
    """Write a batch of calls with the sequence numbers ``first``, ``first + 1``, ..."""
    return written({"type": "batch", "calls": [_call_message(seq, call) for seq, call in enumerate(calls, first)]})


def parse_batch(line: bytes) -> list[Any]:
    """Read the calls of a batch as they came; each is read by ``parse_call`` when its turn comes."""
    calls = parsed(line, "batch").get("calls")
    if not isinstance(calls, list):
        raise ProtocolError("batch: no list of calls")
    return calls


def _call_message(seq: int, call: Call) -> dict[str, object]:
    message: dict[str, object] = {"seq": seq, "measure": call.measure, "expression": call.expression}
    if call.k is not None:
        message["k"] = call.k
    if call.rel is not None:
        message["rel"] = call.rel
    if call.parameters:
        message["parameters"] = dict(call.parameters)
    return {**message, "shape": call.arguments.shape.value, "arguments": call.arguments.message()}


def parse_call(message: Any) -> tuple[int, Call]:
    """Read one call of a batch and its sequence number.  Raises ``ProtocolError``."""
    try:
        arguments = parse_arguments(Shape(message["shape"]), message["arguments"])
        k, rel, expression = message.get("k"), message.get("rel"), message.get("expression", "")
        parameters = tuple((name, _parameter(value)) for name, value in message.get("parameters", {}).items())
        return message["seq"], Call(message["measure"], arguments, k, rel, expression, parameters)
    except (KeyError, TypeError, ValueError) as error:
        raise ProtocolError(f"batch: not a call: {error}") from error


def _parameter(value: Any) -> Parameter:
    """Read a parameter of a measure; gains are pairs, as runs are."""
    return tuple((int(grade), float(gain)) for grade, gain in value) if isinstance(value, list) else value


def hello_line(hello: Hello) -> bytes:
    """Write the worker's greeting."""
    measures = {measure: _signature_message(signature, hello.shape) for measure, signature in hello.functions.items()}
    message = {
        "type": "hello",
        "protocol": VERSION,
        "name": hello.name,
        "version": hello.version,
        "python": hello.python,
        "convention": hello.convention,
        "shape": hello.shape.value,
        "measures": measures,
        "candidates": [_signature_message(signature, None) for signature in hello.candidates] or None,
        "doubt": hello.doubt or None,
    }
    return written({key: value for key, value in message.items() if value is not None})


def _signature_message(signature: Signature, shape: Shape | None) -> dict[str, object]:
    message: dict[str, object] = {} if signature.shape is shape else {"shape": signature.shape.value}
    if signature.natives != signature.shape.natives:
        message["arguments"] = list(signature.natives)
    for key, need in (("k", signature.k), ("rel", signature.rel)):
        if need is not Need.ABSENT:
            message[key] = need.value
    if signature.short_ids:
        message["short_ids"] = True
    if signature.parameters:
        message["parameters"] = {name: need.value for name, need in signature.parameters}
    return message


def preparing_line(preparing: Preparing) -> bytes:
    """Write what is being done before the greeting."""
    return written({"type": "preparing", "doing": preparing.doing, "seconds": preparing.seconds})


def failed_line(failed: Failed) -> bytes:
    """Write why nothing could be loaded."""
    missing = {} if failed.missing is None else {"missing": failed.missing}
    return written({"type": "failed", "reason": failed.reason, **missing})


def parse_greeting(line: bytes) -> Hello | Failed | Preparing:
    """Read the answer to ``start``, or what comes before it.  Raises ``ProtocolError``."""
    message = parsed(line, "hello", "failed", "preparing")
    if message["type"] == "preparing":
        return _preparing(message)
    if message["type"] == "failed":
        return Failed(one_line(text(message, "reason"), _LONGEST_NAME * 2), text_or_none(message, "missing"))
    if type(message.get("protocol")) is not int or message["protocol"] != VERSION:
        raise ProtocolError(f"hello: protocol {message.get('protocol')!r}, this harness speaks {VERSION}")
    shape = _choice(Shape, message, "shape", "hello")
    measures = message.get("measures")
    if not isinstance(measures, dict) or not measures:
        raise ProtocolError('hello: measures names none; write {"AP": {}}, for instance')
    version = text_or_none(message, "version")
    return Hello(
        name=one_line(text(message, "name"), _LONGEST_NAME),
        version=None if version is None else one_line(version, _LONGEST_NAME),
        python=text_or_none(message, "python"),
        shape=shape,
        convention=text_or_none(message, "convention"),
        functions={measure: _signature(entry, shape, f"hello: {measure}") for measure, entry in measures.items()},
        candidates=tuple(_signature(entry, shape, "hello: candidates") for entry in message.get("candidates") or ()),
        doubt=text_or_none(message, "doubt") or "",
    )


def _preparing(message: Mapping[str, object]) -> Preparing:
    seconds = message.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise ProtocolError(f"preparing: seconds is {one_line(repr(seconds), 40)}, no number above 0")
    return Preparing(one_line(text(message, "doing"), _LONGEST_NAME), float(seconds))


def _signature(entry: object, shape: Shape, where: str) -> Signature:
    if not isinstance(entry, dict):
        raise ProtocolError(f'{where} is {one_line(repr(entry), 40)}; write {{}} or {{"k": "optional"}}')
    own = _choice(Shape, entry, "shape", where) if "shape" in entry else shape
    natives = entry.get("arguments", list(own.natives))
    listed = isinstance(natives, list) and all(isinstance(each, str) for each in natives)
    if not listed or not set(own.required) <= set(natives) <= set(own.natives):
        raise ProtocolError(f"{where}: arguments are not those of {own.value}, {', '.join(own.natives)}")
    k, rel = (_choice(Need, entry, key, where, "absent") for key in ("k", "rel"))
    listed_parameters = entry.get("parameters", {})
    if not isinstance(listed_parameters, dict) or not set(listed_parameters) <= {EXPRESSION, *PARAMETERS}:
        raise ProtocolError(f"{where}: parameters are an object with keys of {', '.join((EXPRESSION, *PARAMETERS))}")
    parameters = [(name, _choice(Need, listed_parameters, name, where)) for name in listed_parameters]
    short = entry.get("short_ids") is True
    return Signature(own, tuple(natives), k, rel, parameters=tuple(parameters), short_ids=short)


def _choice(kind: Any, message: Mapping[str, object], key: str, where: str, default: str | None = None) -> Any:
    """Read a member of an enumeration, and say which there are if it is none."""
    value = message.get(key, default)
    known = {member.value: member for member in kind}
    if not isinstance(value, str) or value not in known:
        raise ProtocolError(f"{where}: {key} is {one_line(repr(value), 40)}; there are {', '.join(known)}")
    return known[value]
