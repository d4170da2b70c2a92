"""What an implementation returned: the number in it, as text that loses nothing, and back.

A float travels as ``float.hex()``, a whole number in decimal (hexadecimal beyond 4,000 digits, which Python
does not convert otherwise), every other rational as ``p/q``; beside it the name of its type. NaN and the
infinities are numbers. ``None``, a bool, a text, a list, a complex number are not.

Programs in other languages write decimals: read as the nearest double, unless the type says otherwise.
"""

from __future__ import annotations

import math
import numbers
import re
import reprlib
import struct
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankspec.conformance.worker.adapter import Printed
from rankspec.conformance.worker.packing import CUTOFFS
from rankspec.conformance.worker.parameter_uses import ORDINALS

if TYPE_CHECKING:
    from rankspec.conformance.worker.messages import Call

DOUBLE = "double"  # The type of a number of which nothing else is said
SINGLE = "float32"  # The type of a decimal that is to be read as the nearest single
EXACT_DECIMAL = "decimal"  # The type of a decimal that is meant as it stands
PRINTED = "printed"  # The type of a decimal that was rounded to the digits that are there

LONGEST_NUMBER_BITS = 1 << 17
"""An exact average precision over 90,000 documents has as many. `10 ** 100_000` has more than twice as many:
hundreds of such answers are compared with every convention in minutes."""
_LONGEST_DECIMAL_BITS = 12_000
_LONGEST_TEXT = 160
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?(\d+|0[xX][0-9a-fA-F]+)", re.ASCII)
_LARGEST_EXPONENT = 5000


class Special(Enum):
    """The numbers that are no rationals."""

    NAN = "nan"
    INFINITY = "inf"
    NEGATIVE_INFINITY = "-inf"


_SPECIAL = {
    **dict.fromkeys(("nan", "+nan", "-nan"), Special.NAN),
    **dict.fromkeys(("inf", "+inf", "infinity", "+infinity"), Special.INFINITY),
    **dict.fromkeys(("-inf", "-infinity"), Special.NEGATIVE_INFINITY),
}
"""The spellings of what is no rational in the languages there are, in small letters."""


class NotANumberError(Exception):
    """What was returned is not a number; the message says in short what it is."""


def type_name(value: object) -> str:
    """Give the name of a value's type: ``float``, ``numpy.float32``, ``fractions.Fraction``."""
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def short(value: object) -> str:
    """Give a repr of at most a line, whatever the value does when it is asked for one."""
    try:
        text = reprlib.repr(value)
    except BaseException:  # noqa: BLE001 - the repr is the implementation's own code and may do anything
        text = f"<{type(value).__name__} without a repr>"
    return one_line(text, _LONGEST_TEXT)


def one_line(text: str, longest: int) -> str:
    """Cut a text to one printable line of at most ``longest`` characters."""
    line = " ".join(text[: longest * 4].split()).encode("utf-8", "backslashreplace").decode("utf-8")
    return line if len(line) <= longest else line[: longest - 3] + "..."


def number_text(value: object) -> str:
    """Write a number exactly.  Raises ``NotANumberError`` for anything else."""
    # The unbound methods of ``float`` and ``int`` are called, so that a subclass can't interfere.
    if isinstance(value, float):
        return float.hex(value)
    if isinstance(value, bool):
        raise NotANumberError(f"a bool, {value}")
    if isinstance(value, int):
        return _whole_text(int.__index__(value))
    if isinstance(value, Decimal):
        return _decimal_text(value)
    if isinstance(value, numbers.Rational):
        return _ratio_text(int(value.numerator), int(value.denominator))
    if isinstance(value, numbers.Real):
        return _real_text(value)
    raise NotANumberError(f"a value of type {type_name(value)}, {short(value)}")


def parse_typed(text: str, kind: str) -> tuple[Fraction | Special, Fraction]:
    """Read a number as its type says, and the unit of its last digit if printed, else 0.  Raises ``ValueError``."""
    # A number that was printed without a point or an exponent is whole, so its unit is 0 too: who counts does not
    # round.
    if kind in (PRINTED, EXACT_DECIMAL) and _DECIMAL.fullmatch(text):
        value, unit = _parse_digits(text)
        return value, unit if kind == PRINTED else Fraction(0)
    value_or_special = parse_number(text)
    if kind == SINGLE and isinstance(value_or_special, Fraction):
        return _nearest_single(value_or_special), Fraction(0)
    return value_or_special, Fraction(0)


def _parse_digits(text: str) -> tuple[Fraction, Fraction]:
    decimal = Decimal(text)
    exponent = decimal.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > _LARGEST_EXPONENT or len(text) > _LARGEST_EXPONENT:
        raise ValueError(f"a decimal with more digits than are read: {text[:40]}")
    is_whole = text.lstrip("+-").isdigit()
    return Fraction(decimal), Fraction(0) if is_whole else Fraction(10) ** exponent


def _nearest_single(value: Fraction) -> Fraction | Special:
    try:
        return Fraction(struct.unpack("f", struct.pack("f", float(value)))[0])
    except OverflowError:
        return Special.INFINITY if value > 0 else Special.NEGATIVE_INFINITY


def parse_number(text: str) -> Fraction | Special:
    """Read a number that ``number_text`` or another language wrote.  Raises ``ValueError`` for any other text.

    >>> parse_number("0x1.8p-1"), parse_number("7/12"), parse_number("0.75"), parse_number("-Infinity")
    (Fraction(3, 4), Fraction(7, 12), Fraction(3, 4), <Special.NEGATIVE_INFINITY: '-inf'>)
    """
    if special := _SPECIAL.get(text.lower()):
        return special
    if _DECIMAL.fullmatch(text) and not text.lstrip("+-").isdigit():
        double = float(text)
        if math.isinf(double):
            return Special.INFINITY if double > 0 else Special.NEGATIVE_INFINITY
        return Fraction(double)
    if "p" in text.lower() and text.isascii():
        try:
            return Fraction(float.fromhex(text))
        except OverflowError as error:
            raise ValueError(f"a number beyond the doubles: {text[:40]}") from error
    numerator, slash, denominator = text.partition("/")
    if slash and not _parse_whole(denominator):
        raise ValueError(f"a denominator of zero: {text[:40]}")
    return Fraction(_parse_whole(numerator), _parse_whole(denominator) if slash else 1)


def _whole_text(value: int) -> str:
    bits = value.bit_length()
    if bits > LONGEST_NUMBER_BITS:
        raise NotANumberError(f"a number of {bits} bits, more than is read")
    return str(value) if bits <= _LONGEST_DECIMAL_BITS else hex(value)


def _parse_whole(text: str) -> int:
    if len(text) > LONGEST_NUMBER_BITS or not _WHOLE.fullmatch(text):
        raise ValueError(f"not a number: {text[:40]!r}")
    return int(text, 16 if "x" in text else 10)


def _ratio_text(numerator: int, denominator: int) -> str:
    if denominator == 1:
        return _whole_text(numerator)
    return f"{_whole_text(numerator)}/{_whole_text(denominator)}"


def _decimal_text(value: Decimal) -> str:
    if value.is_nan():
        return "nan"
    if value.is_infinite():
        return "-inf" if value.is_signed() else "inf"
    if value and abs(value.adjusted()) > LONGEST_NUMBER_BITS // 4:
        raise NotANumberError(f"a Decimal with the exponent {value.adjusted()}, more than is read")
    return _ratio_text(*value.as_integer_ratio())


def _real_text(value: numbers.Real) -> str:
    """Write numpy's float16, float32 and longdouble, and whatever else is registered as a real number."""
    double = float(value)
    if math.isnan(double):
        return "nan"
    ratio = getattr(value, "as_integer_ratio", None)
    if ratio is None:
        raise NotANumberError(f"a value of type {type_name(value)} that has no exact ratio, {short(value)}")
    try:
        numerator, denominator = ratio()
    except OverflowError:
        return "-inf" if double < 0 else "inf"
    exact = _ratio_text(int(numerator), int(denominator))
    return (
        float.hex(double) if math.isfinite(double) and Fraction(double) == Fraction(numerator, denominator) else exact
    )


def value_in(returned: Any, call: Call) -> Any:
    """Return the value that a call asks for, out of a number, a mapping of queries, or a list; nothing is computed."""
    # What holds no such value is returned as it is. ``NotANumberError``: of several values by name none is the
    # measure's. `target in ranked[:k]` is a hit, though a bool is no number (only a user's function has names).
    value = _value_in(_of_one_cutoff(returned) if CUTOFFS in call.form else returned, call)
    return _hits_as_numbers(value) if call.names else value


def _of_one_cutoff(returned: Any) -> Any:
    """Return the only value of a list or a mapping, which has one for each cutoff."""
    by_name = _by_name(returned)
    values = returned if by_name is None else [*by_name.values()]
    return values[0] if isinstance(values, list) and len(values) == 1 else returned


def _value_in(returned: Any, call: Call) -> Any:
    value = _unwrapped(returned)
    if isinstance(value, str):
        return _printed_in(value)
    if hasattr(value, "columns") and hasattr(value, "index"):
        rows = [dict(zip(map(str, value.columns), row, strict=True)) for row in value.to_numpy().tolist()]
        return _in_frame(value, call) if (row := _row_of_cutoff(rows, call)) is None else _value_in(row, call)
    ranked = getattr(call.arguments, "relevance", getattr(call.arguments, "predicted", ()))
    ranked = max(ranked, key=len) if "curve" in call.form and hasattr(call.arguments, "queries") else ranked
    if "curve" in call.form and hasattr(value, "__len__") and 0 < len(value) == len(ranked):
        return value[-1]
    by_name = _by_name(value)
    if by_name is None:
        return _in_sequence(value, call)
    if name := _name_of_measure(by_name, call):
        inner = _by_name(_unwrapped(by_name[name]))
        if inner is None or (len(inner) == 1 and not hasattr(call.arguments, "qrels")):
            return _value_in(by_name[name] if inner is None else next(iter(inner.values())), call)
        is_of_queries = not (inner and all(map(str.isdecimal, inner))) or hasattr(call.arguments, "qrels")
        return {key: _unwrapped(each) for key, each in inner.items()} if is_of_queries else _of_no_name(inner, call)
    if (nested := _nested(by_name, call)) is not None:
        return nested
    if hasattr(call.arguments, "qrels") and "single" not in call.form:  # the others are queries
        return {query: _value_of_query(each, call) for query, each in by_name.items()}
    return _of_no_name(by_name, call)


def _in_sequence(value: Any, call: Call) -> Any:
    """Return a value of several side by side: all by query, the first measure of a tuple, one cutoff."""
    if not isinstance(value, list | tuple) or not value:
        return value
    if (row := _row_of_cutoff(value, call)) is not None:
        return _value_in(row, call)
    # What is in a list in a list was put there by no measure: a list that was cut into pieces has such.
    is_nested = isinstance(value[0], list | tuple)
    is_first = isinstance(value, tuple) and (is_nested or call.arguments.query_count == 1)
    if is_first or (len(value) == 1 and not is_nested):
        return _value_in(value[0], call)
    return [_value_of_query(each, call) for each in value] if all(map(_by_name, value)) else value


def _nested(by_name: Mapping[str, Any], call: Call) -> Any:
    """Return the measure's value out of results in results, `{"overall": {"recall": ...}}`; None if there is none."""
    # Those by query are left: theirs is a value each. What is called by the cutoff comes before what has other numbers.
    queries = {query for side in ("qrels", "run") for query, _ in getattr(call.arguments, side, ())}
    inner = {name: _by_name(_unwrapped(each)) for name, each in by_name.items() if name not in queries}
    k = str(_cutoff_of(call))
    for name in sorted(filter(inner.get, inner), key=lambda each: k not in re.findall(r"\d+", each)):
        values = inner[name] or {}
        if _name_of_measure(values, call):
            return _value_in(values, call)
        if not {*values} <= queries and (deeper := _nested(values, call)) is not None:
            return deeper
    of_queries: dict[str, Any] = next((values for values in inner.values() if values and {*values} <= queries), {})
    return {query: _value_of_query(each, call) for query, each in of_queries.items()} or None


def _row_of_cutoff(rows: Any, call: Call) -> dict[str, Any] | None:
    """Return that of several rows of values by name that has the call's cutoff, or else the last; None without any."""
    named = [_by_name(row) or {} for row in rows]
    column = next((name for name in (named[0] if named else ()) if name.casefold() in _OF_CUTOFFS), "")
    if not column or any(column not in row for row in named):
        return None
    return next((row for row in named if row[column] == _cutoff_of(call)), named[-1])


_OF_CUTOFFS = ("k", "cutoff", "topk", "top_k", "at", "at_k")
"""What a row of a result calls the cutoff that its values have."""


def _of_no_name(by_name: Mapping[str, Any], call: Call) -> Any:
    """Return the only value, the first of those without names, or of values by cutoff that which is asked for."""
    if by_name and all(map(str.isdecimal, by_name)):
        k = str(_cutoff_of(call))
        return _unwrapped(by_name[k if k in by_name else max(by_name, key=int)])
    if len(by_name) == 1 or next(iter(by_name), "") == ORDINALS[0]:
        return _value_in(next(iter(by_name.values())), call)
    raise NotANumberError(f"{', '.join(by_name) or 'nothing'}, and no value of {call.measure}")


def _hits_as_numbers(value: Any) -> Any:
    """Return 1 and 0 for True and False, also in a list of a value a query."""
    if type(value) in (list, dict):
        numbers = [*map(_hits_as_numbers, value.values() if type(value) is dict else value)]
        return dict(zip(value, numbers, strict=True)) if type(value) is dict else numbers
    is_array = getattr(getattr(value, "dtype", None), "kind", "") == "b"
    return value.astype(int) if is_array else int(value) if type(value) is bool else value


def _in_frame(frame: Any, call: Call) -> Any:
    """Return the column of a call's measure by query: another column has their ids, or else the index."""
    by_name = {str(name): list(frame[name]) for name in frame.columns}
    name = _name_of_measure(by_name, call)
    if not name:
        raise NotANumberError(f"a data frame of {', '.join(by_name)}, and no value of {call.measure}")
    asked = {query for side in ("qrels", "run") for query, _ in getattr(call.arguments, side, ())}
    ids = [values for values in by_name.values() if {*map(str, values)} <= asked]
    return dict(zip(map(str, ids[0] if ids else frame.index), by_name[name], strict=True))


def _value_of_query(value: Any, call: Call) -> Any:
    by_name = _by_name(_unwrapped(value)) or {}
    name = _name_of_measure(by_name, call)
    return _unwrapped(by_name[name] if name else value)


def _name_of_measure(by_name: Mapping[str, Any], call: Call) -> str:
    """Return the name of the value of a call's measure, the one with its cutoff before others; empty if there is none.

    What a query is called is no measure's name.
    """
    queries = {query for side in ("qrels", "run") for query, _ in getattr(call.arguments, side, ())}
    bare = {name: bare_name(name) for name in by_name if name not in queries}
    named = [name for name in bare if {bare[name], bare[name].removesuffix("s")} & {*call.names}]
    cutoffs = {name: re.search(r"(?<![Ff])\d+$", name) for name in named}
    # Who takes no cutoff is asked for a measure that has one all the same: `recall@5` and `recall@10` are two.
    exact = [name for name, digits in cutoffs.items() if digits and int(digits[0]) == _cutoff_of(call)]
    return next(iter((*exact, *(name for name in named if cutoffs[name] is None), *named)), "")


def _cutoff_of(call: Call) -> int | None:
    stated = re.search(r"@(\d+)$", call.expression)
    return call.k if stated is None else int(stated[1])


def bare_name(name: str) -> str:
    """Return the small letters and digits of a value's name, without what stands around a measure's."""
    return _AROUND_NAME.sub("", name.casefold()).translate(_SIGNS)


_AROUND_NAME = re.compile(r"^(mean|sum|total)_|^avg_(?!p)|(@.*|_at_?(k|\d+)|_k|_?\d+|_dict|_list)$")
"""What stands in a result around a measure's name: `mean_recall`, `sum_mrr`, `ndcg@10`, `recall_at_5`, `mrr_list`."""
_SIGNS = {ord(each): None for each in " _-.@"}


def _printed_in(text: str) -> Any:
    """Return the one number that a text has, `P@10 = 0.2000`; the text where it has none, or several."""
    whole = text.strip()
    decimals = [whole] if _DECIMAL.fullmatch(whole) else re.findall(r"\d*\.\d+", whole)
    return Printed(decimals[0]) if len(decimals) == 1 and not isinstance(text, Printed) else text


def _unwrapped(value: Any) -> Any:
    """Return what a coroutine, a tensor, an array of one element, or a generator holds."""
    if hasattr(value, "cr_await"):
        value = import_module("asyncio").run(value)
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    elif type(value).__module__.startswith("tensorflow") and hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, Iterator):
        return list(value)
    if getattr(value, "ndim", None) == 0 or (getattr(value, "size", 0) == 1 and hasattr(value, "reshape")):
        return value.reshape(-1)[0]
    return value


def _by_name(value: Any) -> dict[str, Any] | None:
    """Return what has several values by name as a dict: a mapping, a dataclass, a named tuple; None for all else."""
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): each for key, each in value.items()}
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return dict(_NAMED_NUMBER.findall("\n".join(value))) or None
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=True))
    # An object of a class without methods of a number, of a container or of a function has its values as attributes.
    is_plain = hasattr(value, "__dict__") and not any(hasattr(value, name) for name in _OF_OTHERS)
    return dict(vars(value)) or None if is_plain else None


_NAMED_NUMBER = re.compile(r"(?m)^\s*([A-Za-z][\w@ -]*?)\s*[:=]\s*(\d*\.?\d+(?:[eE]-?\d+)?)\s*$")
"""A line of what is returned as text: `Hit Ratio:0.5`."""
_OF_OTHERS = ("__array__", "__call__", "__float__", "__len__", "__next__")
