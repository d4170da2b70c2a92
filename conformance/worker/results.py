"""What a worker says of a call: that it was started, and what came of it.

An answer that is well-formed as a message but holds no number where one belongs is the implementation's fault, not
the end of the conversation: it is read as ``Unusable``, with what is wrong.
"""

from __future__ import annotations

import json
from typing import Any

from rankspec.conformance.worker.messages import (
    Answer,
    Died,
    Errored,
    Result,
    Skipped,
    Started,
    Unusable,
    Value,
    Values,
    WireNumber,
)
from rankspec.conformance.worker.values import DOUBLE, number_text, one_line
from rankspec.conformance.worker.wire import ProtocolError, parsed, written

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
    """What stands in a result is no answer; the message says what is wrong with it."""


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
    if result.numpy_features:
        message["numpy_features"] = list(result.numpy_features)
    return written(message)


def _answer_message(answer: Answer) -> dict[str, object]:
    match answer:
        case Value(value):
            return {"outcome": "value", "value": _number_message(value)}
        case Values(values, overall):
            listed = [[query, _number_message(value)] for query, value in values]
            whole = {} if overall is None else {"all": _number_message(overall)}
            return {"outcome": "values", "values": listed, **whole}
        case Unusable(reason):
            return {"outcome": "malformed", "reason": reason}
        case Errored(error, text):
            return {"outcome": "errored", "error": error, "message": text}
        case Died(how):
            return {"outcome": "crashed", "reason": how}
        case Skipped(reason):
            return {"outcome": "skipped", "reason": reason}


def _number_message(value: WireNumber) -> dict[str, str]:
    return {"number": value.number, "type": value.type}


def parse_answer(line: bytes) -> Started | Result:
    """Read what a worker says about a call.

    Raises ``NoiseError`` for what is no JSON object, ``ProtocolError`` for an object that is neither message.
    """
    message = parsed(line, "started", "result")
    seq = message.get("seq")
    if type(seq) is not int:
        raise ProtocolError(f"{message['type']}: seq is {one_line(repr(seq), 40)}, not a whole number")
    if message["type"] == "started":
        return Started(seq)
    again = _answer(message["again"]) if "again" in message else None
    listed = message.get("numpy_features")
    features = tuple(each for each in listed if isinstance(each, str)) if isinstance(listed, list) else ()
    return Result(seq, _answer(message), message.get("mutated") is True, again, features)


def _answer(message: object) -> Answer:
    try:
        return _read(message)
    except _NoAnswerError as error:
        return Unusable(f"its result is no answer: {error}")


def _read(message: object) -> Answer:
    if not isinstance(message, dict):
        raise _NoAnswerError(f"{one_line(repr(message), 80)} is no outcome")
    match message:
        case {"outcome": "value", "value": value}:
            return Value(_number(value))
        case {"outcome": "values", "values": [*pairs]}:
            return _values([_pair(each) for each in pairs], message)
        case {"outcome": "values", "values": {**values}}:
            return _values([(str(query), _number(value)) for query, value in values.items()], message)
        case {"outcome": "malformed", "reason": str(reason)}:
            return Unusable(reason)
        case {"outcome": "errored"}:
            return _errored(message)
        case {"outcome": "crashed", "reason": str(how)}:
            return Died(how)
        case {"outcome": "skipped", "reason": str(reason)}:
            return Skipped(reason)
        case {"outcome": str(outcome)} if outcome in _NEEDS:
            raise _NoAnswerError(f"an outcome of {outcome!r} needs a {_NEEDS[outcome]}")
        case _:
            raise _NoAnswerError(f"there is no outcome {one_line(repr(message.get('outcome')), 80)}")


def _values(pairs: list[tuple[str, WireNumber]], message: dict[str, Any]) -> Values:
    seen: set[str] = set()
    for query, _ in pairs:
        if query in seen:
            raise _NoAnswerError(f"query {one_line(query, 40)} has two values")
        seen.add(query)
    return Values(tuple(pairs), _number(message["all"]) if "all" in message else None)


def _errored(message: dict[str, Any]) -> Errored:
    """Read the name of the error, its text, and what else a program says of it; all may be absent."""
    name, text = message.get("error", _UNNAMED), message.get("message", "")
    if not isinstance(name, str) or not isinstance(text, str):
        raise _NoAnswerError("'error' and 'message' are texts")
    if "context" in message:
        context = message["context"] if isinstance(message["context"], str) else json.dumps(message["context"])
        text = f"{text} ({one_line(context, _LONGEST_CONTEXT)})" if text else one_line(context, _LONGEST_CONTEXT)
    return Errored(name, text)


def _number(message: object) -> WireNumber:
    match message:
        case {"number": str(number), "type": str(kind)}:
            return WireNumber(number, kind)
        case {"number": str(number)} | str(number):
            return WireNumber(number, DOUBLE)
        case bool():
            pass
        case float() | int():
            return WireNumber(number_text(message), DOUBLE)
        case None:
            raise _NoAnswerError('null is no number (JSON has no NaN and no infinity: send the text "nan" or "inf")')
        case _:
            pass
    raise _NoAnswerError(f"{one_line(json.dumps(message), 80)} is no number")


def _pair(message: object) -> tuple[str, WireNumber]:
    match message:
        case [str(query), value]:
            return query, _number(value)
        case _:
            raise _NoAnswerError(f"{one_line(json.dumps(message), 80)} is no pair of a query and its number")
