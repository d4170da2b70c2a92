"""The messages of the line protocol: one JSON object a line (docs/line-protocol.md).

Harness to worker: ``start``, then any number of ``batch``es of calls. Worker to harness: ``hello`` or
``failed`` in answer to ``start``; for each call a ``result``, before it a ``started`` if it likes.
Each call has a sequence number, which its messages repeat. A number travels as text (see ``values``).

A worker is the harness's own Python process or a program in any language; both speak this. An answer that is
well-formed as a message but holds no number where one belongs is the implementation's fault, not the end of the
conversation: it is read as ``Unusable``, with what is wrong.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankspec.conformance.worker import messages
from rankspec.conformance.worker.arguments import parse_arguments
from rankspec.conformance.worker.shapes import FURTHER, Need, Shape, Signature, parse_form
from rankspec.conformance.worker.values import DOUBLE, number_text, one_line

VERSION = 1  # The version of the protocol, which both sides state and compare

_SHOWN = 100


class ProtocolError(Exception):
    """A line that is no message, or not the one that was due."""


class NoiseError(ProtocolError):
    """A line that is not even a JSON object: something that was printed beside the protocol."""


def written(message: Mapping[str, object]) -> bytes:
    """Write a message as a line."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def parsed(line: bytes, *types: str) -> dict[str, Any]:
    """Read a message of one of these types.  Raises ``NoiseError`` for no JSON object, else ``ProtocolError``."""
    # One that is nested too deeply, a ``ProtocolError``, may be the answer, for which nobody need wait.
    try:
        message = json.loads(line)
    except RecursionError as error:
        raise ProtocolError(f"nested too deeply: {shown(line)}") from error
    except ValueError as error:
        raise NoiseError(f"not a line of JSON: {shown(line)}") from error
    if not isinstance(message, dict):
        raise NoiseError(f"not a JSON object: {shown(line)}")
    if message.get("type") not in types:
        raise ProtocolError(f"not a message of type {' or '.join(types)}: {shown(line)}")
    return message


def shown(line: bytes) -> str:
    """Give the beginning of a line for a person to read."""
    return one_line(line[: _SHOWN * 4].decode("utf-8", "backslashreplace"), _SHOWN)


def text(message: Mapping[str, object], key: str) -> str:
    """Give a text of a message.  Raises ``ProtocolError``."""
    value = message.get(key)
    if not isinstance(value, str):
        raise ProtocolError(f"{message.get('type')}: {key} is {one_line(repr(value), _SHOWN)}, not a text")
    return value


def text_or_none(message: Mapping[str, object], key: str) -> str | None:
    """Give a text that may be absent or null.  Raises ``ProtocolError``."""
    return None if message.get(key) is None else text(message, key)


_LONGEST_NAME = 200


_SOURCES: Mapping[Any, tuple[str, ...]] = {
    messages.AdapterSource: ("adapter",),
    messages.EntryPointSource: ("entry_point",),
    messages.FileSource: ("file", "function"),
    messages.ModuleSource: ("module", "function"),
    messages.CommandSource: ("command",),
}
"""What a message calls the fields of each source, in their order."""


def start_line(start: messages.Start) -> bytes:
    """Write the message that a worker reads first. A program gets no more than the version of the protocol."""
    message: dict[str, object] = {"type": "start", "protocol": VERSION}
    if isinstance(start.source, messages.ProgramSource):
        return written(message)
    message["source"] = dict(zip(_SOURCES[type(start.source)], vars(start.source).values(), strict=True))
    if start.shape is not None:
        message["shape"] = start.shape.value
    return written({**message, "scratch": start.scratch})


def parse_start(line: bytes) -> messages.Start:
    """Read ``start_line``.  Raises ``ProtocolError``, also for another version of the protocol."""
    message = parsed(line, "start")
    if message.get("protocol") != VERSION:
        raise ProtocolError(f"start: protocol {message.get('protocol')!r}, this worker speaks {VERSION}")
    given = message.get("source")
    fields = given if isinstance(given, dict) else {}
    kind = next((kind for kind, names in _SOURCES.items() if {*names} == fields.keys()), None)
    if kind is None:
        raise ProtocolError(f"start: no source: {given!r}")
    values: list[Any] = [fields[name] for name in _SOURCES[kind]]
    source: messages.Source = kind(*(tuple(value) if isinstance(value, list) else value for value in values))
    shape = message.get("shape")
    return messages.Start(source, parse_form(shape) if shape else None, text(message, "scratch"))


def batch_line(first: int, calls: Sequence[messages.Call]) -> bytes:
    """Write a batch of calls with the sequence numbers ``first``, ``first + 1``, ..."""
    return written({"type": "batch", "calls": [_call_message(seq, call) for seq, call in enumerate(calls, first)]})


def parse_batch(line: bytes) -> list[Any]:
    """Read the calls of a batch as they came; each is read by ``parse_call`` when its turn comes."""
    calls = parsed(line, "batch").get("calls")
    if not isinstance(calls, list):
        raise ProtocolError("batch: no list of calls")
    return calls


def _stated(message: Mapping[str, object]) -> dict[str, object]:
    """Leave out what is absent."""
    return {key: value for key, value in message.items() if value not in (None, "", [], {})}


def _call_message(seq: int, call: messages.Call) -> dict[str, object]:
    own = {"k": call.k, "rel": call.rel, "parameters": dict(call.parameters), "form": call.form}
    arguments = {"shape": call.arguments.shape.value, "arguments": call.arguments.message()}
    stated = _stated({**own, "names": [*call.names]})
    return {"seq": seq, "measure": call.measure, "expression": call.expression, **stated, **arguments}


def parse_call(message: Any) -> tuple[int, messages.Call]:
    """Read one call of a batch and its sequence number.  Raises ``ProtocolError``."""
    try:
        arguments = parse_arguments(Shape(message["shape"]), message["arguments"])
        k, rel, expression = message.get("k"), message.get("rel"), message.get("expression", "")
        parameters = tuple(  # gains are pairs, as runs are
            (name, tuple((int(grade), float(gain)) for grade, gain in value) if isinstance(value, list) else value)
            for name, value in message.get("parameters", {}).items()
        )
        form, names = message.get("form", ""), tuple(message.get("names", ()))
        return message["seq"], messages.Call(message["measure"], arguments, k, rel, expression, parameters, form, names)
    except (KeyError, TypeError, ValueError) as error:
        raise ProtocolError(f"batch: not a call: {error}") from error


def hello_line(hello: messages.Hello) -> bytes:
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
        "candidates": [_signature_message(signature, None) for signature in hello.candidates],
        "doubt": hello.doubt,
        "returns": [*hello.returns],
        "made": hello.is_of_maker or None,
    }
    return written(_stated(message))


def _signature_message(signature: Signature, shape: Shape | None) -> dict[str, object]:
    needs = {"k": signature.k, "rel": signature.rel}
    # Of one of several ways the parameters need not have the names of the roles.
    handed = {"positional": [*signature.positional], "keywords": dict(signature.keywords)} if shape is None else {}
    return {
        **_stated(
            {
                "shape": None if signature.shape is shape else signature.shape.value,
                "arguments": None if signature.natives == signature.shape.natives else [*signature.natives],
                **{name: need.value for name, need in needs.items() if need is not Need.ABSENT},
                "packing": signature.packing,
                "columns": [*(signature.columns or ())],
                "short_ids": signature.short_ids or None,
                "parameters": {name: need.value for name, need in signature.parameters},
            }
        ),
        **handed,
    }


def preparing_line(preparing: messages.Preparing) -> bytes:
    """Write what is being done before the greeting."""
    return written({"type": "preparing", "doing": preparing.step, "seconds": preparing.seconds})


def failed_line(failed: messages.Failed) -> bytes:
    """Write why nothing could be loaded."""
    return written({"type": "failed", "reason": failed.reason, **_stated({"missing": failed.missing})})


def parse_greeting(line: bytes) -> messages.Hello | messages.Failed | messages.Preparing:
    """Read the answer to ``start``, or what comes before it.  Raises ``ProtocolError``."""
    message = parsed(line, "hello", "failed", "preparing")
    if message["type"] == "preparing":
        seconds = message.get("seconds")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
            raise ProtocolError(f"preparing: seconds is {one_line(repr(seconds), 40)}, no number above 0")
        return messages.Preparing(one_line(text(message, "doing"), _LONGEST_NAME), float(seconds))
    if message["type"] == "failed":
        return messages.Failed(one_line(text(message, "reason"), _LONGEST_NAME * 2), text_or_none(message, "missing"))
    if type(message.get("protocol")) is not int or message["protocol"] != VERSION:
        raise ProtocolError(f"hello: protocol {message.get('protocol')!r}, this harness speaks {VERSION}")
    shape = _choice(Shape, message, "shape", "hello")
    measures = message.get("measures")
    if not isinstance(measures, dict) or not measures:
        raise ProtocolError('hello: measures names none; write {"AP": {}}, for instance')
    version = text_or_none(message, "version")
    return messages.Hello(
        name=one_line(text(message, "name"), _LONGEST_NAME),
        version=None if version is None else one_line(version, _LONGEST_NAME),
        python=text_or_none(message, "python"),
        shape=shape,
        convention=text_or_none(message, "convention"),
        functions={measure: _signature(entry, shape, f"hello: {measure}") for measure, entry in measures.items()},
        candidates=tuple(_signature(entry, shape, "hello: candidates") for entry in message.get("candidates") or ()),
        doubt=text_or_none(message, "doubt") or "",
        is_of_maker=message.get("made") is True,
        returns=tuple(each for each in message.get("returns") or () if isinstance(each, str)),
    )


def _signature(entry: object, shape: Shape, where: str) -> Signature:
    if not isinstance(entry, dict):
        raise ProtocolError(f'{where} is {one_line(repr(entry), 40)}; write {{}} or {{"k": "optional"}}')
    own = _choice(Shape, entry, "shape", where) if "shape" in entry else shape
    natives = entry.get("arguments", list(own.natives))
    listed = isinstance(natives, list) and all(isinstance(each, str) for each in natives)
    needed = () if "packing" in entry else own.required  # a frame holds labels and scores
    if not listed or not set(needed) <= set(natives) <= set(own.natives):
        raise ProtocolError(f"{where}: arguments are not those of {own.value}, {', '.join(own.natives)}")
    k, rel = (_choice(Need, entry, key, where, "absent") for key in ("k", "rel"))
    listed_parameters = entry.get("parameters", {})
    if not isinstance(listed_parameters, dict) or not set(listed_parameters) <= {*FURTHER}:
        raise ProtocolError(f"{where}: parameters are an object with keys of {', '.join(FURTHER)}")
    parameters = [(name, _choice(Need, listed_parameters, name, where)) for name in listed_parameters]
    short = entry.get("short_ids") is True
    packing = text_or_none(entry, "packing") or ""
    positional, keywords = entry.get("positional") or (), entry.get("keywords") or {}
    return Signature(
        *(own, tuple(natives), k, rel),
        positional=tuple(positional),
        keywords=tuple(dict(keywords).items()),
        parameters=tuple(parameters),
        short_ids=short,
        columns=tuple(entry["columns"]) if "columns" in entry else None,
        packing=packing,
    )


def _choice(kind: Any, message: Mapping[str, object], key: str, where: str, default: str | None = None) -> Any:
    """Read a member of an enumeration, and say which there are if it is none."""
    value = message.get(key, default)
    known = {member.value: member for member in kind}
    if not isinstance(value, str) or value not in known:
        raise ProtocolError(f"{where}: {key} is {one_line(repr(value), 40)}; there are {', '.join(known)}")
    return known[value]


_UNNAMED = "error"
_LONGEST_CONTEXT = 300


_NEEDS = {
    "value": "field 'value'",
    "values": "field 'values'",
    "malformed": "text 'reason'",
    "crashed": "text 'reason'",
    "skipped": "text 'reason'",
}


class _NoAnswerError(Exception):
    """What stands in a result is not an answer; the message says what is wrong with it."""


def started_line(seq: int) -> bytes:
    """Write that a call is about to be made."""
    return b'{"type":"started","seq":%d}\n' % seq


def result_line(result: messages.Result) -> bytes:
    """Write the answer to a call."""
    message = {"type": "result", "seq": result.seq, **_answer_message(result.answer)}
    if result.mutated:
        message["mutated"] = True
    if result.again is not None:
        message["again"] = _answer_message(result.again)
    if result.numpy_features:
        message["numpy_features"] = list(result.numpy_features)
    return written(message)


def _answer_message(answer: messages.Answer) -> dict[str, object]:
    match answer:
        case messages.Value(value):
            return {"outcome": "value", "value": _number_message(value)}
        case messages.Values(values, overall):
            listed = [[query, _number_message(value)] for query, value in values]
            whole = {} if overall is None else {"all": _number_message(overall)}
            return {"outcome": "values", "values": listed, **whole}
        case messages.Unusable(reason):
            return {"outcome": "malformed", "reason": reason}
        case messages.Errored(error, text):
            return {"outcome": "errored", "error": error, "message": text}
        case messages.Died(how):
            return {"outcome": "crashed", "reason": how}
        case messages.Skipped(reason):
            return {"outcome": "skipped", "reason": reason}


def _number_message(value: messages.WireNumber) -> dict[str, str]:
    return {"number": value.number, "type": value.type}


def parse_answer(line: bytes) -> messages.Started | messages.Result:
    """Read what a worker says about a call.  Raises ``NoiseError`` for no JSON object, else ``ProtocolError``."""
    message = parsed(line, "started", "result")
    seq = message.get("seq")
    if type(seq) is not int:
        raise ProtocolError(f"{message['type']}: seq is {one_line(repr(seq), 40)}, not a whole number")
    if message["type"] == "started":
        return messages.Started(seq)
    again = _answer(message["again"]) if "again" in message else None
    listed = message.get("numpy_features")
    features = tuple(each for each in listed if isinstance(each, str)) if isinstance(listed, list) else ()
    return messages.Result(seq, _answer(message), message.get("mutated") is True, again, features)


def _answer(message: object) -> messages.Answer:
    try:
        return _read(message)
    except _NoAnswerError as error:
        return messages.Unusable(f"its result is not an answer: {error}")


def _read(message: object) -> messages.Answer:
    if not isinstance(message, dict):
        raise _NoAnswerError(f"{one_line(repr(message), 80)} is not an outcome")
    match message:
        case {"outcome": "value", "value": value}:
            return messages.Value(_number(value))
        case {"outcome": "values", "values": [*pairs]}:
            return _values([_pair(each) for each in pairs], message)
        case {"outcome": "values", "values": {**values}}:
            return _values([(str(query), _number(value)) for query, value in values.items()], message)
        case {"outcome": "malformed", "reason": str(reason)}:
            return messages.Unusable(reason)
        case {"outcome": "errored"}:
            return _errored(message)
        case {"outcome": "crashed", "reason": str(how)}:
            return messages.Died(how)
        case {"outcome": "skipped", "reason": str(reason)}:
            return messages.Skipped(reason)
        case {"outcome": str(outcome)} if outcome in _NEEDS:
            raise _NoAnswerError(f"an outcome of {outcome!r} needs a {_NEEDS[outcome]}")
        case _:
            raise _NoAnswerError(f"there is no outcome {one_line(repr(message.get('outcome')), 80)}")


def _values(pairs: list[tuple[str, messages.WireNumber]], message: dict[str, Any]) -> messages.Values:
    seen: set[str] = set()
    for query, _ in pairs:
        if query in seen:
            raise _NoAnswerError(f"query {one_line(query, 40)} has two values")
        seen.add(query)
    return messages.Values(tuple(pairs), _number(message["all"]) if "all" in message else None)


def _errored(message: dict[str, Any]) -> messages.Errored:
    """Read the name of the error, its text, and what else a program says of it; all may be absent."""
    name, text = message.get("error", _UNNAMED), message.get("message", "")
    if not isinstance(name, str) or not isinstance(text, str):
        raise _NoAnswerError("'error' and 'message' are texts")
    if "context" in message:
        context = message["context"] if isinstance(message["context"], str) else json.dumps(message["context"])
        text = f"{text} ({one_line(context, _LONGEST_CONTEXT)})" if text else one_line(context, _LONGEST_CONTEXT)
    return messages.Errored(name, text)


def _number(message: object) -> messages.WireNumber:
    match message:
        case {"number": str(number), "type": str(kind)}:
            return messages.WireNumber(number, kind)
        case {"number": str(number)} | str(number):
            return messages.WireNumber(number, DOUBLE)
        case bool():
            pass
        case float() | int():
            return messages.WireNumber(number_text(message), DOUBLE)
        case None:
            raise _NoAnswerError('null is not a number (JSON has no NaN and no infinity: send the text "nan" or "inf")')
        case _:
            pass
    raise _NoAnswerError(f"{one_line(json.dumps(message), 80)} is not a number")


def _pair(message: object) -> tuple[str, messages.WireNumber]:
    match message:
        case [str(query), value]:
            return query, _number(value)
        case _:
            raise _NoAnswerError(f"{one_line(json.dumps(message), 80)} is not a pair of a query and its number")
