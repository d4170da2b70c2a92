"""What came of a call, in a few words or as plain data."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.run.outcomes import (
    Crashed,
    Malformed,
    Number,
    Outcome,
    OutOfMemory,
    PerQuery,
    Raised,
    TimedOut,
)


def outcome_text(outcome: Outcome | None) -> str:
    """Write what came of a call in a few words: a number, the exception's name, or a word that `verdicts` explains."""
    value = outcome_value(outcome)
    if value is not None:
        return str(value)
    match outcome:
        case Raised(kind, _):
            return kind
        case Malformed():
            return "no number"
        case PerQuery(values):
            return "no queries" if not values else "no number"
        case TimedOut():
            return str(Verdict.TIMEOUT.value)
        case Crashed() | OutOfMemory():
            return str(Verdict.CRASH.value)
        case _:
            return "not asked"


def outcome_value(outcome: Outcome | None) -> float | str | None:
    """Return the number of an outcome, where there is one a query that of the set, or the mean; None if there is none.

    NaN and infinities, and numbers that no double holds, are text.
    """
    if isinstance(outcome, PerQuery) and outcome.overall is not None:
        outcome = outcome.overall
    if isinstance(outcome, PerQuery) and outcome.values:
        values = [number.value for number in outcome.values.values()]
        numbers = [value for value in values if isinstance(value, Fraction)]
        return _plain(sum(numbers, Fraction()) / len(numbers), rounded=True) if len(numbers) == len(values) else "nan"
    if not isinstance(outcome, Number):
        return None
    if not isinstance(outcome.value, Fraction):
        return outcome.value.value
    return _plain(outcome.value, rounded=outcome.unit != 0)


def has_number(outcome: Outcome | None) -> bool:
    """Tell whether an outcome has one number: NaN and the infinities are none, nor is a set of values without queries.

    >>> has_number(Number(Fraction(-1, 2), "float")), has_number(PerQuery({}))
    (True, False)
    """
    if isinstance(outcome, PerQuery):
        numbers = [outcome.overall] if outcome.overall is not None else [*outcome.values.values()]
        return bool(numbers) and all(map(has_number, numbers))
    return isinstance(outcome, Number) and isinstance(outcome.value, Fraction)


def _plain(value: Fraction, *, rounded: bool = False) -> float | str:
    """Return a double where one holds the number (or it is rounded, as means and printed numbers are), else a text."""
    try:
        as_double = float(value)
    except OverflowError:
        return f"{Decimal(value.numerator) / Decimal(value.denominator):.6g}"
    if rounded or Fraction(as_double) == value:
        return as_double
    return str(value) if value.denominator.bit_length() <= _LONGEST_BITS else f"about {as_double!r}"


_LONGEST_BITS = 1024
"""Of a denominator that is written out: enough for every case, and far below what Python refuses to write."""
