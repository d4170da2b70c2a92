"""Records as plain data for JSON, and back: the fields of a record say their names, their order and their types."""

from __future__ import annotations

from collections import abc
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import DecimalGrade
from rankspec.oracle.errors import UserError
from rankspec.oracle.language.expression import convention_text

# Metadata of fields, beside `name`, what JSON calls the field:
ABSENT = {"absent": True}  # it is not written where it has its default
READ_ONLY = {"read_only": True}  # it is read, and written by whoever needs it

# The field for what another version of rankspec wrote and this one does not know: it is written as it was.
_OTHERS = "unknown_fields"

_Record = TypeVar("_Record")


class RecordError(UserError):
    """Something is missing, or has another form; the message says what and in which entry."""


def plain(value: object) -> Any:
    """Return a value as JSON has it."""
    # Numbers and truth values stay, enums are their values, conventions their canonical texts, records and mappings
    # objects, sequences lists; whatever else there is (a fraction, a measure, a path) is its text.
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, DecimalGrade):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Convention):
        return convention_text(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return plain(value._asdict()) if hasattr(value, "_asdict") else [plain(each) for each in value]
    if is_dataclass(value) and type(value).__str__ is object.__str__:
        return data_of(value)
    return str(value)


def data_of(record: Any, *names: str, **renamed: str) -> dict[str, Any]:
    """Return a record as an object: the attributes of these names, or all its fields; and those that are renamed.

    >>> data_of(3 + 4j, "real", imaginary="imag")
    {'real': 3.0, 'imaginary': 4.0}
    """
    if not names and not renamed:
        return dict(_written(record))
    return {
        name: plain(getattr(record, attribute))
        for name, attribute in [*zip(names, names, strict=True), *renamed.items()]
    }


def _written(record: Any) -> Iterator[tuple[str, Any]]:
    """Yield each field that is written, by its name in JSON; last what is not known here."""
    others: Mapping[str, Any] = {}
    for each in fields(record):
        value = getattr(record, each.name)
        if each.name == _OTHERS:
            others = value
        elif not ("read_only" in each.metadata or ("absent" in each.metadata and value == each.default)):
            yield each.metadata.get("name", each.name), plain(value)
    yield from others.items()


def record_from(kind: type[_Record], data: Mapping[str, Any], **others: Any) -> _Record:
    """Read a record, but for the fields that are given; `RecordError` for what is missing, or has another form."""
    read = {**fields_from(kind, data), **others}
    known = _read_fields(kind)  # type: ignore[arg-type]
    if missing := [each.name for each in known.values() if each.is_required and each.name not in read]:
        raise RecordError(f"`{missing[0]}` is missing", code="field-missing")
    return kind(**read)


def fields_from(kind: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Read the fields that an object has, null being as good as nothing; `RecordError` for what has another form."""
    known = _read_fields(kind)  # type: ignore[arg-type]
    read: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in data.items():
        each = known.get(name)
        if each is None:
            others[name] = value
        elif each.kind is not None and (value is not None or each.is_required):
            read[each.name] = _value(each.kind, value, name)
    return {**read, _OTHERS: others} if _OTHERS in known else read


class _ReadField(NamedTuple):
    """A field as it is read: its name in the record, and its type, if it is read at all."""

    name: str
    kind: Any
    is_required: bool


@cache
def _read_fields(kind: type[Any]) -> Mapping[str, _ReadField]:
    types = get_type_hints(kind)
    return {
        each.metadata.get("name", each.name): _ReadField(
            each.name,
            types[each.name] if each.init and each.name != _OTHERS else None,
            each.init and each.default is each.default_factory is MISSING,
        )
        for each in fields(kind)
    }


@cache  # what `typing` needs for it is half of the time that reading takes
def _parts_of(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    return get_origin(kind) or kind, get_args(kind)


_WORDS = {str: "text", bool: "true or false", int: "a count", tuple: "a list", abc.Mapping: "an object"}


def _value(kind: Any, value: Any, name: str) -> Any:
    """Read a value of a field: a record, a plain value, or a tuple, a mapping or a union of such."""
    if type(value) is kind is str:  # most values by far
        return value
    origin, arguments = _parts_of(kind)
    if kind is Any or (value is None and NoneType in arguments):
        return value
    match value:
        case list() if origin is tuple:
            return tuple(_value(arguments[0], each, name) for each in value)
        case dict() if origin is abc.Mapping:
            return {key: _value(arguments[1], each, name) for key, each in value.items()}
        case dict() if is_dataclass(kind):
            return record_from(kind, value)  # type: ignore[arg-type]
        case dict() if hasattr(kind, "_fields"):
            return kind(*(_value(str, value.get(each), each) for each in kind._fields))
    alternatives = [each for each in arguments if each is not NoneType] if origin is UnionType else [origin]
    if len(alternatives) == 1 and origin is UnionType:
        return _value(alternatives[0], value, name)
    if _is_plain(alternatives, value):
        return value
    if issubclass(origin, Enum) and isinstance(value, str):
        return _member(origin, value, name)
    what = " or ".join(_WORDS.get(each, "a number") for each in alternatives)
    raise RecordError(f"`{name}` is not {what}", code="check-malformed")


def _member(kind: type[Enum], value: str, name: str) -> Enum:
    if value in [each.value for each in kind]:
        return kind(value)
    raise RecordError(f"there is no {name} {value!r}; a newer rankspec may know it", code="unknown-verdict")


def _is_plain(alternatives: list[Any], value: Any) -> bool:
    """Tell whether a value is of one of these types: JSON's truth values are no numbers, its counts are numbers."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float in alternatives or (int in alternatives and value >= 0)
    return type(value) in alternatives
