"""The values of measures on a run, or on several: whatever read them, one table, one object, one leaderboard."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.reports.blocks import Report, Table, Verbatim
from rankspec.conformance.reports.words import counted
from rankspec.oracle.conventions.axes import Aggregate, MissingQuery, Reading
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.language.sentence import first_names
from rankspec.oracle.language.trec_eval_names import NICKNAMES, row_name
from rankspec.oracle.query_set import Unmatched, unmatched
from rankspec.oracle.readers.trec_eval import atol
from rankspec.oracle.reals.deciding import nearest_decimal
from rankspec.oracle.values import Exact, Undefined, to_double, to_text, to_value

if TYPE_CHECKING:
    from rankspec.oracle.evaluation import Evaluation
    from rankspec.oracle.ranges import Range, RunRange
    from rankspec.oracle.scoring.engines.product import Product
    from rankspec.oracle.scoring.engines.scoring import RunValues  # loads numpy, which small runs can do without

SCHEMA = "rankspec/score/1"

ALL = "all"  # What stands in the place of a query for the whole set, as in trec_eval's output

_DIGITS_OF_TREC_EVAL = 4
_DIGITS_OF_A_DOUBLE = 15  # Decimals that every double holds; with more, the exact value is written out
_MOST_NAMED = 3
_LONGEST_EXPRESSION = 3000  # In bits of the integers in it: about a thousand characters


class Cell(NamedTuple):
    """A value, of a query or of the whole set."""

    exact: Callable[[], Exact]  # returns the exact value
    double: float | None = None  # what an engine certified; None where the oracle computed the exact value anyway
    # returns the whole number nearest to the value times a power of ten, which an engine certified
    scaled: Callable[[int], int] | None = None
    path: str | None = None  # what decided an engine's value: `certified` or `exact`
    ends: Range | None = None  # how far the value goes, if something is left open

    @property
    def nearest(self) -> float:
        """The nearest double, NaN for what is undefined."""
        return to_double(self.exact()) if self.double is None else self.double

    def data(self, *, exact: bool) -> dict[str, Any]:
        """Return the value as `score --json` has it."""
        if exact or self.double is None or math.isnan(self.double):
            data = value_data(self.exact(), exact=exact)
        else:
            data = {"exact": None, "float": self.double}
        if self.path is not None:
            data["path"] = self.path
        if self.ends is not None:
            data["range"] = {
                "low": value_data(self.ends.low, exact=exact),
                "high": value_data(self.ends.high, exact=exact),
            }
        return data

    def text(self, digits: int) -> str:
        """Write the value with so many decimals."""
        if self.double is None:
            return decimal(self.exact(), digits)
        if math.isnan(self.double):
            return str(Undefined.NAN.value)
        if self.scaled is None or digits <= _DIGITS_OF_A_DOUBLE:
            return f"{self.double:.{digits}f}"
        return _with_point(self.scaled(digits), digits)


class Column(NamedTuple):
    """A run's values under one measure."""

    whole: Cell  # the value of the set
    per_query: Callable[[], Mapping[str, Cell]]  # returns query -> value, of the queries that count
    queries: int  # how many queries the value is made of
    by_exact_path: int | None = None  # how many an engine's exact path decided; None where there is no other

    def data(self, *, exact: bool) -> dict[str, Any]:
        """Return the value of the set as `score --json` has it."""
        path = {} if self.by_exact_path is None else {"by_exact_path": self.by_exact_path}
        return self.whole.data(exact=exact) | {"queries": self.queries} | path


class Scores(NamedTuple):
    """One run's values."""

    convention: Convention
    unmatched: Unmatched  # how many queries only the qrels or only the run have
    columns: Mapping[Measure, Column]
    excluded: Mapping[str, str]  # query -> why it does not count; for some of the measures alone, with their names
    qrels: Qrels
    ranked: Collection[str]  # the queries of the run
    engine: str = "oracle"  # what read the run
    note: str | None = None  # why it was another engine than was asked for, if it was
    run: str | None = None  # its file, where an engine read it
    range_over: str | None = None  # what is left open, if anything is
    results: Run | None = None  # what the oracle evaluated; None where an engine did
    is_weighted: bool = False  # whether a user stated what queries weigh

    @property
    def counted(self) -> int:
        """Return the number of queries that count for at least one measure."""
        return max((column.queries for column in self.columns.values()), default=0)

    def per_query(self) -> dict[str, dict[Measure, Cell]]:
        """Return query -> measure -> value, in the order of the queries."""
        cells: dict[str, dict[Measure, Cell]] = {}
        for measure, column in self.columns.items():
            for query, cell in column.per_query().items():
                cells.setdefault(query, {})[measure] = cell
        return cells


def scores_of_evaluations(  # noqa: PLR0913 - what was evaluated, and what of it
    convention: Convention,
    matching: Unmatched,
    qrels: Qrels,
    run: Run,
    evaluations: Mapping[Measure, Evaluation],
    ranges: Mapping[Measure, RunRange],
    range_over: str | None,
    note: str | None,
) -> Scores:
    """Return the oracle's values."""

    def column(measure: Measure, evaluation: Evaluation) -> Column:
        span = ranges.get(measure)

        def per_query() -> dict[str, Cell]:
            return {
                query: Cell(partial(_same, value), ends=None if span is None else span.per_query[query])
                for query, value in evaluation.exact_per_query.items()
            }

        queries = len(evaluation.exact_per_query)
        if measure.under(convention).aggregate is Aggregate.MICRO and not measure.family.is_count:
            skips = convention.missing_query is MissingQuery.SKIP
            queries = sum(1 for query in qrels if not skips or query in run)
        return Column(Cell(lambda: evaluation.exact, ends=None if span is None else span.whole), per_query, queries)

    return Scores(
        convention,
        matching,
        {measure: column(measure, evaluation) for measure, evaluation in evaluations.items()},
        _excluded({measure: evaluation.excluded for measure, evaluation in evaluations.items()}),
        qrels,
        run.results,
        note=note,
        range_over=range_over,
        results=run,
    )


def _same(value: Exact) -> Exact:
    return value


def scores_of_engine(  # noqa: PLR0913 - what was read, how, and what of it
    run: str | None,
    engine: str,
    note: str | None,
    convention: Convention,
    product: Product,
    by_measure: Mapping[Measure, RunValues],
) -> Scores:
    """Return an engine's certified values."""

    def column(values: RunValues) -> Column:
        decided = values.values.by_exact_path
        decimals = cache(values.values.decimals)

        def cell(place: int) -> Cell:
            path = "exact" if decided[place] else "certified"
            double = float(values.values.doubles[place])
            return Cell(lambda: values.values.exact_of(place), double, lambda digits: decimals(digits)[place], path)

        path = "certified" if values.mean.is_certified else "exact"
        return Column(
            Cell(lambda: values.exact_mean, values.mean.double, values.values.mean_decimal, path),
            lambda: {query: cell(place) for query, place in values.counting.items()},
            len(values.counting),
            int(decided.sum()),
        )

    columns = {measure: column(values) for measure, values in by_measure.items()}
    excluded = _excluded({measure: values.excluded for measure, values in by_measure.items()})
    matching = unmatched(list(product.qrels), product.lengths)
    return Scores(convention, matching, columns, excluded, product.qrels, product.lengths, engine, note, run)


def _excluded(excluded: Mapping[Measure, Mapping[str, str]]) -> Mapping[str, str]:
    """Return query -> why it does not count; for some of the measures alone, with their names."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for measure, of_measure in excluded.items():
        name = str(measure)
        for query, reason in of_measure.items():
            reasons.setdefault(query, {}).setdefault(reason, []).append(name)
    return {
        query: "; ".join(
            reason if len(measures) == len(excluded) else f"{reason} ({', '.join(measures)})"
            for reason, measures in by_reason.items()
        )
        for query, by_reason in reasons.items()
    }


def scores_data(scores: Scores, *, per_query: bool, exact: bool) -> dict[str, Any]:
    """Return one run's values as `score --json` has them; with `exact`, irrational ones as expressions, too."""
    # "expression" is null where it would be too long to be read; "by_exact_path" counts the queries that the exact path
    # decided.
    queries = scores.per_query() if per_query else {}
    return {
        "schema": SCHEMA,
        "convention": convention_text(scores.convention),
        **({} if scores.run is None else {"run": scores.run}),
        "queries": scores.counted,
        **scores.unmatched._asdict(),
        "values": {str(measure): column.data(exact=exact) for measure, column in scores.columns.items()},
        "per_query": {
            query: {str(measure): cell.data(exact=exact) for measure, cell in cells.items()}
            for query, cells in queries.items()
        },
        "excluded": dict(scores.excluded),
        **({} if scores.range_over is None else {"range_over": scores.range_over}),
        **({"weighted": True} if scores.is_weighted else {}),
        "engine": scores.engine,
        **({} if scores.note is None else {"engine_note": scores.note}),
    }


def leaderboard_data(runs: Sequence[Scores], *, per_query: bool, exact: bool) -> dict[str, Any]:
    """Return many runs' values: `runs` has one object each, as for a single run."""
    listed = [scores_data(scores, per_query=per_query, exact=exact) for scores in runs]
    for each in listed:
        del each["schema"]
    return {"schema": SCHEMA, "convention": convention_text(runs[0].convention), "runs": listed}


def value_data(value: Exact, *, exact: bool) -> dict[str, Any]:
    """Return one value as `score --json` has it."""
    if isinstance(value, Undefined):
        return {"exact": None, "float": None, "undefined": str(value.value)}
    if isinstance(value, Fraction):
        return {"exact": to_text(value), "float": to_double(value)}
    return {"exact": None, "float": to_double(value)} | ({"expression": _expression(value)} if exact else {})


def _expression(value: Exact) -> str | None:
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


def scores_report(scores: Scores, *, per_query: bool, exact: bool, digits: int) -> Report:
    """Yield a measure and its value a line, then what has to be known beside them."""
    values = _values(scores, digits)
    if per_query or exact or scores.range_over is not None:
        yield scores_table(scores, per_query=per_query, exact=exact, digits=digits)
    else:
        yield Table("measure", "value", rows=values.items(), right=[1], has_headings=False)
    read = "" if scores.run is None else f", read by {scores.engine}"
    read += ", weighted" if scores.is_weighted else ""
    yield f"{counted(scores.counted, 'query')} under {convention_text(scores.convention)}{read}."
    yield from scores_remarks(scores, digits)


def _values(scores: Scores, digits: int) -> dict[Measure, str]:
    return {measure: next(_texts(measure, each.whole, digits, exact=False)) for measure, each in scores.columns.items()}


def scores_remarks(scores: Scores, digits: int) -> Report:
    """Yield what has to be known beside values: queries that do not count, grades that are cut, other programs."""
    for reason in dict.fromkeys(scores.excluded.values()):
        queries = [query for query, why in scores.excluded.items() if why == reason]
        yield in_one_line(f"{counted(len(queries), 'query')} skipped: {reason}: {first_names(queries, _MOST_NAMED)}")
    if cut := scores.qrels.cut:
        grades = "1 grade is" if len(cut) == 1 else f"{len(cut):,} grades are"
        yield f"{grades} cut to a whole number, as that program does: {cut[0]} counts as {atol(cut[0])}."
    yield from _scored_by_rule(scores)
    if scores.results is not None:
        from rankspec.conformance.answers.score import score_notes  # noqa: PLC0415 - an engine does without the oracle

        of_scores = _values(scores, digits), scores.qrels, scores.results, scores.convention, digits
        yield from score_notes(*of_scores, is_weighted=scores.is_weighted)


def _scored_by_rule(scores: Scores) -> Report:
    """Say which queries have a value that no ranking decides."""
    qrels, ranked, rules = scores.qrels, scores.ranked, scores.convention
    if rules.aggregate is Aggregate.MICRO:
        return
    for queries, what, rule in (
        ([query for query in qrels if query not in ranked], "not in the run", rules.missing_query),
        (
            [query for query in qrels if query in ranked and max(qrels.grades(query).values(), default=0) < 1],
            "without relevant documents",
            rules.no_relevant,
        ),
        ([query for query in ranked if query not in qrels], "not in the qrels", rules.unknown_query),
    ):
        effect = _EFFECTS.get(str(rule))
        if queries and effect is not None:
            names = first_names(queries, _MOST_NAMED)
            yield in_one_line(f"{counted(len(queries), 'query')} {what}, {effect}: {names}.")


_EFFECTS = {"zero": "scored 0", "one": "scored 1", "minus-one": "scored -1"}
"""What becomes of a query by the rule for it."""


def scores_table(scores: Scores, *, per_query: bool, exact: bool, digits: int) -> Table:
    """Return the values in trec_eval's order of columns: measure, query, value; the queries first, the whole last."""
    ends = ["low", "high"] if scores.range_over is not None else []
    headings = ["measure", "query", "value", *ends, *(["exact"] if exact else [])]
    table = Table(*headings, right=range(2, len(headings) - exact))
    for query, cells in scores.per_query().items() if per_query else ():
        for measure, cell in cells.items():
            table.add_row(measure, in_one_line(query), *_texts(measure, cell, digits, exact=exact))
    for measure, column in scores.columns.items():
        table.add_row(measure, ALL, *_texts(measure, column.whole, digits, exact=exact))
    return table


def trec_eval_rows(scores: Scores, *, per_query: bool) -> Report:
    """Yield the rows that trec_eval prints, in its order: name, query and value between tabs, a count without decimals.

    But `runid` and `relstring`, which are texts. Version 9 has no rows of a query that the run lacks.
    """
    ordered = {name: place for place, name in enumerate(NICKNAMES["all_trec"])}

    def place(measure: Measure) -> int:
        name = _row_name(measure)
        begun = [each for each in ordered if name == each or name.startswith(f"{each}_")]
        return ordered[max(begun, key=len)] if begun else len(ordered)

    def row(measure: Measure, query: str, cell: Cell) -> str:
        name = _row_name(measure)
        return Verbatim(f"{name:<22}\t{query}\t{cell.text(0 if measure.family.is_count else _DIGITS_OF_TREC_EVAL)}")

    measures = sorted(scores.columns, key=place)
    cells_of = scores.per_query() if per_query else {}
    if scores.convention.reading is Reading.TREC_EVAL_9:
        cells_of = {query: cells for query, cells in cells_of.items() if query in scores.ranked}
    for query in sorted(cells_of, key=str.encode):
        single = [each for each in measures if _row_name(each) not in _OF_SETS and each in cells_of[query]]
        yield from (row(each, query, cells_of[query][each]) for each in single)
    yield from (row(each, ALL, scores.columns[each].whole) for each in measures)


def _row_name(measure: Measure) -> str:
    return row_name(measure) or str(measure)


_OF_SETS = ("num_q", "gm_map", "gm_bpref")  # What trec_eval prints of the whole set alone


def _texts(measure: Measure, cell: Cell, digits: int, *, exact: bool) -> Iterator[str]:
    places = 0 if measure.family.is_count else digits
    yield cell.text(places)
    if cell.ends is not None:
        yield decimal(cell.ends.low, places)
        yield decimal(cell.ends.high, places)
    if exact:
        value = cell.exact()
        if isinstance(value, Fraction):
            yield to_text(value)
        else:
            yield "" if isinstance(value, Undefined) else _expression(value) or "irrational"


def best_first(runs: Sequence[Scores]) -> list[Scores]:
    """Return runs by their first measure, the best first, those without a value last."""

    def order(scores: Scores) -> tuple[bool, float]:
        double = next(iter(scores.columns.values())).whole.nearest
        return math.isnan(double), -double

    return sorted(runs, key=order)


def leaderboard_report(runs: Sequence[Scores], digits: int, *, exact: bool = False) -> Report:
    """Yield a row a run, the best first."""
    yield f"{len(runs)} runs under {convention_text(runs[0].convention)}"
    yield _leaderboard(runs, digits, exact=exact)


def _leaderboard(runs: Sequence[Scores], digits: int, *, exact: bool) -> Table:
    measures = list(runs[0].columns)
    columns = [text for measure in measures for text in (str(measure), *([f"{measure}, exact"] if exact else []))]
    names = ["run"] if len(runs) > 1 else []
    table = Table(*names, *columns, "queries", right=range(len(names), len(names) + len(columns) + 1))
    for scores in best_first(runs):
        values = (text for each in measures for text in _texts(each, scores.columns[each].whole, digits, exact=exact))
        table.add_row(*(in_one_line(scores.run or "") for _ in names), *values, scores.counted)
    return table


def table_for_a_paper(runs: Sequence[Scores], *, per_query: bool, exact: bool, digits: int) -> tuple[str, Table]:
    """Return what a table is about, and the table: a row a run; a row a query and measure if there is more to say."""
    table = (
        scores_table(runs[0], per_query=per_query, exact=exact, digits=digits)
        if len(runs) == 1 and (per_query or runs[0].range_over)
        else _leaderboard(runs, digits, exact=exact)
    )
    return f"{counted(runs[0].counted, 'query')} under {convention_text(runs[0].convention)}.", table


def decimal(value: Exact, digits: int) -> str:
    """Write a value with so many decimals: of its double, as programs do, or of the value beyond what a double holds.

    >>> decimal(Fraction(2, 3), 4), decimal(Fraction(2, 3), 20), decimal(Undefined.NAN, 4)
    ('0.6667', '0.66666666666666666667', 'nan')
    """
    if isinstance(value, Undefined):
        return str(value.value)
    if digits <= _DIGITS_OF_A_DOUBLE and math.isfinite(double := to_double(value)):
        return f"{double:.{digits}f}"
    return _with_point(nearest_decimal(value, digits), digits)


def _with_point(scaled: int, digits: int) -> str:
    """Write a whole number over a power of ten."""
    whole, rest = divmod(abs(scaled), 10**digits)
    return f"{'-' if scaled < 0 else ''}{whole}.{rest:0{digits}}"
