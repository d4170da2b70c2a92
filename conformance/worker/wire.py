"""A line of the protocol: one JSON object, its type, its fields; and what is no message at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rankspec.conformance.worker.values import one_line

VERSION = 1
"""The version of the protocol, which both sides state and compare."""

_SHOWN = 100


class ProtocolError(Exception):
    """A line that is no message, or not the one that was due."""


class NoiseError(ProtocolError):
    """A line that is not even a JSON object: something that was printed beside the protocol."""


def written(message: Mapping[str, object]) -> bytes:
    """Write a message as a line."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def parsed(line: bytes, *types: str) -> dict[str, Any]:
    """Read a message of one of these types.

    Raises ``NoiseError`` for a line that is no JSON object, ``ProtocolError`` for an object of another type.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
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
