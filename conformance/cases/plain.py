"""Records as plain data for JSON: one function for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import DecimalGrade
from rankspec.oracle.language.expression import convention_text


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
        return [plain(each) for each in value]
    if is_dataclass(value) and type(value).__str__ is object.__str__:
        return data_of(value)
    return str(value)


def data_of(record: Any, *names: str, **renamed: str) -> dict[str, Any]:
    """Return a record as an object: the attributes of these names, or all its fields; and those that are renamed.

    >>> data_of(3 + 4j, "real", imaginary="imag")
    {'real': 3.0, 'imaginary': 4.0}
    """
    named = names or (() if renamed else tuple(each.name for each in fields(record)))
    return {
        name: plain(getattr(record, attribute))
        for name, attribute in [*zip(named, named, strict=True), *renamed.items()]
    }
