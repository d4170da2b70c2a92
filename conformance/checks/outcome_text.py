"""What came of a call in a few words, as plain data, and whether it is the same as what came of another."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery, Raised


def same(outcome: Outcome, second: Outcome) -> bool:
    """Compare what came both times. The words of an exception may differ (they may name an address)."""
    if isinstance(outcome, Raised) and isinstance(second, Raised):
        return outcome.type == second.type
    if isinstance(outcome, Number) and isinstance(second, Number):
        return outcome.value == second.value
    if isinstance(outcome, PerQuery) and isinstance(second, PerQuery):
        values, others = ({query: number.value for query, number in each.values.items()} for each in (outcome, second))
        of_the_set, other = (None if each.overall is None else each.overall.value for each in (outcome, second))
        return values == others and of_the_set == other
    return type(outcome) is type(second)


def outcome_text(outcome: Outcome | None) -> str:
    """Write what came of a call in a few words: a number, or what happened instead."""
    value = outcome_value(outcome)
    if value is not None:
        return str(value)
    match outcome:
        case Raised(kind, _):
            return kind
        case PerQuery(values):
            return "no queries" if not values else "no number"
        case _:
            return type(outcome).__name__.lower()


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
