"""What measures are worth on a run, for a person and for a program."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.reports.console import plain_table, print_table
from rankspec.conformance.reports.listing import Lines
from rankspec.oracle.conventions.axes import Aggregate, MissingQuery
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.evaluation import Evaluation
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.query_matching import unmatched
from rankspec.oracle.ranges import Range, RunRange
from rankspec.oracle.reals.deciding import enclosing_fraction
from rankspec.oracle.values import Exact, Undefined, to_double, to_value

SCHEMA = "rankspec/score/1"

ALL = "all"
"""What stands in the place of a query for the whole set, as in trec_eval's output."""

_DIGITS_OF_A_DOUBLE = 15
_MOST_NAMED = 8
_GUARD_DIGITS = 20
_LONGEST_EXPRESSION = 3000
"""In bits of the integers in it: about a thousand characters."""


@dataclass(frozen=True)
class Shown:
    """How values are shown."""

    as_json: bool
    as_csv: bool
    per_query: bool
    exact: bool
    digits: int


@dataclass(frozen=True)
class Scores:
    """Evaluations of one run under several measures, and their ranges over what `range_over` leaves open, if any."""

    convention: Convention
    qrels: Qrels
    run: Run
    evaluations: Mapping[Measure, Evaluation]
    range_over: str | None = None
    ranges: Mapping[Measure, RunRange] = field(default_factory=dict)

    @cached_property
    def excluded(self) -> Mapping[str, str]:
        """Return query -> why it does not count; for some of the measures alone, with their names."""
        return said_once({measure: evaluation.excluded for measure, evaluation in self.evaluations.items()})

    def queries(self, measure: Measure) -> int:
        """Return the number of queries that the value of a measure is made of."""
        evaluation = self.evaluations[measure]
        if measure.under(self.convention).aggregate is Aggregate.MICRO and not measure.family.is_count:
            skips = self.convention.missing_query is MissingQuery.SKIP
            return sum(1 for query in self.qrels if not skips or query in self.run)
        return len(evaluation.exact_per_query)

    @cached_property
    def counted(self) -> int:
        """Return the number of queries that count for at least one measure."""
        return max(map(self.queries, self.evaluations), default=0)


def said_once(excluded: Mapping[Measure, Mapping[str, str]]) -> Mapping[str, str]:
    """Return query -> why it does not count; for some of the measures alone, with their names."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for measure, of_measure in excluded.items():
        for query, reason in of_measure.items():
            reasons.setdefault(query, {}).setdefault(reason, []).append(str(measure))
    return {
        query: "; ".join(
            reason if len(measures) == len(excluded) else f"{reason} ({', '.join(measures)})"
            for reason, measures in given.items()
        )
        for query, given in reasons.items()
    }


def scores_data(found: Scores, *, per_query: bool, exact: bool) -> dict[str, Any]:
    """Return the values as `score --json` has them; with `exact`, irrational ones as expressions, too.

    "expression" is null where it would be too long to be read.
    """
    values = {
        str(measure): value_data(evaluation.exact, exact=exact)
        | {"queries": found.queries(measure)}
        | _range_data(found.ranges[measure].whole if found.ranges else None, exact=exact)
        for measure, evaluation in found.evaluations.items()
    }
    queries = {query: _query_data(found, query, exact=exact) for query in (_queries(found) if per_query else ())}
    return {
        "schema": SCHEMA,
        "convention": convention_text(found.convention),
        "queries": found.counted,
        **unmatched(list(found.qrels), list(found.run))._asdict(),
        "values": values,
        "per_query": queries,
        "excluded": dict(found.excluded),
    } | ({} if found.range_over is None else {"range_over": found.range_over})


def _query_data(found: Scores, query: str, *, exact: bool) -> dict[str, Any]:
    return {
        str(measure): value_data(evaluation.exact_per_query[query], exact=exact)
        | _range_data(found.ranges[measure].per_query[query] if found.ranges else None, exact=exact)
        for measure, evaluation in found.evaluations.items()
        if query in evaluation.exact_per_query
    }


def _queries(found: Scores) -> list[str]:
    return list(dict.fromkeys(query for each in found.evaluations.values() for query in each.exact_per_query))


def value_data(value: Exact, *, exact: bool) -> dict[str, Any]:
    """Return one value as `score --json` has it."""
    if isinstance(value, Undefined):
        return {"exact": None, "float": None, "undefined": str(value.value)}
    if isinstance(value, Fraction):
        return {"exact": fraction_text(value), "float": to_double(value)}
    given: dict[str, Any] = {"exact": None, "float": to_double(value)}
    return given | {"expression": expression_of(value)} if exact else given


def _range_data(given: Range | None, *, exact: bool) -> dict[str, Any]:
    if given is None:
        return {}
    return {"range": {"low": value_data(given.low, exact=exact), "high": value_data(given.high, exact=exact)}}


def expression_of(value: Exact) -> str | None:
    """Return an irrational value as a sympy expression, None where nobody could read it for its length."""
    return str(to_value(value)) if _bits(value) <= _LONGEST_EXPRESSION else None


def _bits(part: object) -> int:
    """Add up the integers that a value is made of. Writing them to find out would take longer than the value."""
    if isinstance(part, int):
        return part.bit_length()
    if isinstance(part, Fraction):
        return part.numerator.bit_length() + part.denominator.bit_length()
    parts = part if isinstance(part, tuple | list) else vars(part).values()
    return sum(map(_bits, parts))


def fraction_text(value: Fraction) -> str:
    """Write a fraction, however many digits it has; Python's own integers refuse to be written beyond 4300.

    >>> fraction_text(Fraction(37, 48)), fraction_text(Fraction(2))
    ('37/48', '2')
    """
    numerator = str(Decimal(value.numerator))
    return numerator if value.denominator == 1 else f"{numerator}/{Decimal(value.denominator)}"


def print_scores(found: Scores, shown: Shown) -> None:
    """Print the values in trec_eval's order of columns: measure, query, value; the queries first, the whole last."""
    exact, digits = shown.exact, shown.digits
    counted = "1 query" if found.counted == 1 else f"{found.counted} queries"
    matching = unmatched(list(found.qrels), list(found.run)).text(found.convention)
    head = f"{counted} under {convention_text(found.convention)}{matching and f'; {matching}'}"
    headings = ["measure", "query", "value", *(["low", "high"] if found.ranges else []), *(["exact"] if exact else [])]
    table = plain_table(*headings, right=range(2, len(headings) - exact))
    for query in _queries(found) if shown.per_query else ():
        for measure, evaluation in found.evaluations.items():
            if query in evaluation.exact_per_query:
                ends = found.ranges[measure].per_query[query] if found.ranges else None
                value = evaluation.exact_per_query[query]
                table.add_row(*_row(measure, query, _Line(value, ends), digits, exact=exact))
    for measure, evaluation in found.evaluations.items():
        line = _Line(evaluation.exact, found.ranges[measure].whole if found.ranges else None)
        table.add_row(*_row(measure, ALL, line, digits, exact=exact))
    print_table(Lines(head, table, *left_out(found.excluded)), as_csv=shown.as_csv)


def left_out(excluded: Mapping[str, str]) -> Iterator[str]:
    """Say in a line for each reason which queries are skipped."""
    for reason in dict.fromkeys(excluded.values()):
        queries = [query for query, why in excluded.items() if why == reason]
        more = f" and {len(queries) - _MOST_NAMED} more" if len(queries) > _MOST_NAMED else ""
        skipped = f"{len(queries)} {'query' if len(queries) == 1 else 'queries'} skipped"
        yield in_one_line(f"{skipped}: {reason}: {', '.join(queries[:_MOST_NAMED])}{more}")


class _Line(NamedTuple):
    """A value and the ends of its range."""

    value: Exact
    ends: Range | None


def _row(measure: Measure, query: str, line: _Line, digits: int, *, exact: bool) -> list[str]:
    numbers = [line.value, *([] if line.ends is None else [line.ends.low, line.ends.high])]
    places = 0 if measure.family.is_count else digits
    cells = [str(measure), in_one_line(query), *(decimal(number, places) for number in numbers)]
    return [*cells, _exact_text(line.value)] if exact else cells


def _exact_text(value: Exact) -> str:
    if isinstance(value, Fraction):
        return fraction_text(value)
    return "" if isinstance(value, Undefined) else expression_of(value) or "irrational"


def decimal(value: Exact, digits: int) -> str:
    """Write a value with so many decimals: of its double, as programs do, or of the value beyond what a double holds.

    >>> decimal(Fraction(2, 3), 4), decimal(Fraction(2, 3), 20), decimal(Undefined.NAN, 4)
    ('0.6667', '0.66666666666666666667', 'nan')
    """
    if isinstance(value, Undefined):
        return str(value.value)
    double = to_double(value)
    if digits <= _DIGITS_OF_A_DOUBLE and math.isfinite(double):
        return f"{double:.{digits}f}"
    scaled = round(enclosing_fraction(value, digits + _GUARD_DIGITS) * 10**digits)
    whole, rest = divmod(abs(scaled), 10**digits)
    return f"{'-' if scaled < 0 else ''}{whole}.{rest:0{digits}}"
