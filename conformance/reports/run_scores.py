"""Certified values of one run, or of many as a leaderboard, for a person and for a program."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.reports.console import plain_table, print_table
from rankspec.conformance.reports.listing import Lines
from rankspec.conformance.reports.score import ALL, SCHEMA, Shown, decimal, left_out, said_once, value_data
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.engines.scoring import RunValues
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.query_matching import Unmatched
from rankspec.oracle.values import Exact, Undefined

_DIGITS_OF_A_DOUBLE = 15


@dataclass(frozen=True)
class RunScores:
    """One run's values.

    Attributes:
        run: its file.
        engine: what read it.
        note: why it was another engine than was asked for, if it was.
        convention: the convention.
        unmatched: the queries that only the qrels or only the run have.
        found: measure -> values.
    """

    run: str
    engine: str
    note: str | None
    convention: Convention
    unmatched: Unmatched
    found: Mapping[Measure, RunValues]

    @cached_property
    def excluded(self) -> Mapping[str, str]:
        """Return query -> why it does not count."""
        return said_once({measure: values.excluded for measure, values in self.found.items()})

    @cached_property
    def counted(self) -> int:
        """Return the number of queries that count for at least one measure."""
        return max((len(values.counting) for values in self.found.values()), default=0)

    @cached_property
    def queries(self) -> list[str]:
        """Return the queries that count for at least one measure."""
        return list(dict.fromkeys(query for values in self.found.values() for query in values.counting))


def run_data(scores: RunScores, *, per_query: bool, exact: bool) -> dict[str, Any]:
    """Return one run's values as `score --json` has them, each with the path that it took.

    "exact" is filled with `exact`; "by_exact_path" counts the queries that the exact path decided.
    """
    values = {
        str(measure): _mean_data(values, exact=exact)
        | {"queries": len(values.counting), "by_exact_path": int(values.values.by_exact_path.sum())}
        for measure, values in scores.found.items()
    }
    queries = {query: _query_data(scores, query, exact=exact) for query in (scores.queries if per_query else ())}
    return {
        "schema": SCHEMA,
        "convention": convention_text(scores.convention),
        "run": scores.run,
        "engine": scores.engine,
        **({} if scores.note is None else {"engine_note": scores.note}),
        "queries": scores.counted,
        **scores.unmatched._asdict(),
        "values": values,
        "per_query": queries,
        "excluded": dict(scores.excluded),
    }


def _mean_data(values: RunValues, *, exact: bool) -> dict[str, Any]:
    path = "certified" if values.mean.is_certified else "exact"
    if exact or math.isnan(values.mean.double):
        return value_data(values.exact_mean, exact=exact) | {"path": path}
    return {"exact": None, "float": values.mean.double, "path": path}


def _query_data(scores: RunScores, query: str, *, exact: bool) -> dict[str, Any]:
    return {
        str(measure): _value_of(values, values.counting[query], exact=exact)
        for measure, values in scores.found.items()
        if query in values.counting
    }


def _value_of(values: RunValues, place: int, *, exact: bool) -> dict[str, Any]:
    path = "exact" if values.values.by_exact_path[place] else "certified"
    double = float(values.values.doubles[place])
    if exact or math.isnan(double):
        return value_data(values.values.exact_of(place), exact=exact) | {"path": path}
    return {"exact": None, "float": double, "path": path}


def print_run(scores: RunScores, shown: Shown) -> None:
    """Print one run's values: measure, query, value; the queries first, the whole last."""
    exact, digits = shown.exact, shown.digits
    table = plain_table("measure", "query", "value", *(["exact"] if exact else []), right=(2,))
    for query in scores.queries if shown.per_query else ():
        for measure, values in scores.found.items():
            if (place := values.counting.get(query)) is not None:
                wanted = values.values.exact_of(place) if exact or digits > _DIGITS_OF_A_DOUBLE else None
                double = float(values.values.doubles[place])
                table.add_row(str(measure), in_one_line(query), *_cells(measure, double, wanted, digits, exact=exact))
    for measure, values in scores.found.items():
        wanted = values.exact_mean if exact or digits > _DIGITS_OF_A_DOUBLE else None
        table.add_row(str(measure), ALL, *_cells(measure, values.mean.double, wanted, digits, exact=exact))
    counted = "1 query" if scores.counted == 1 else f"{scores.counted} queries"
    matching = scores.unmatched.text(scores.convention)
    under = convention_text(scores.convention)
    head = f"{counted} under {under}, read by {scores.engine}{matching and f'; {matching}'}"
    print_table(Lines(head, table, *left_out(scores.excluded)), as_csv=shown.as_csv)


def _cells(measure: Measure, double: float, wanted: Exact | None, digits: int, *, exact: bool) -> list[str]:
    places = 0 if measure.family.is_count else digits
    if wanted is not None:
        text = decimal(wanted, places)
        return [text, str(value_data(wanted, exact=True).get("exact") or "irrational")] if exact else [text]
    return [Undefined.NAN.value if math.isnan(double) else f"{double:.{places}f}"]


def leaderboard_data(runs: Sequence[RunScores], *, per_query: bool, exact: bool) -> dict[str, Any]:
    """Return many runs' values: `runs` has one object each, as for a single run."""
    listed = [run_data(scores, per_query=per_query, exact=exact) for scores in runs]
    for each in listed:
        del each["schema"]
    return {"schema": SCHEMA, "convention": convention_text(runs[0].convention), "runs": listed}


def print_leaderboard(runs: Sequence[RunScores], shown: Shown) -> None:
    """Print a row a run, the best first by the first measure."""
    measures = list(runs[0].found)
    table = plain_table("run", *map(str, measures), "queries", right=range(1, len(measures) + 2))
    for scores in _best_first(runs, measures[0]):
        cells = (_cells(each, scores.found[each].mean.double, None, shown.digits, exact=False)[0] for each in measures)
        table.add_row(in_one_line(scores.run), *cells, str(scores.counted))
    head = f"{len(runs)} runs under {convention_text(runs[0].convention)}"
    print_table(Lines(head, table), as_csv=shown.as_csv)


def _best_first(runs: Iterable[RunScores], measure: Measure) -> list[RunScores]:
    def key(scores: RunScores) -> tuple[bool, float]:
        double = scores.found[measure].mean.double
        return math.isnan(double), -double

    return sorted(runs, key=key)
