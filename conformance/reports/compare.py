"""What became of a comparison of runs, for a person and for a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from rankspec.conformance.answers.compare import (
    CompareAnswer,
    Comparisons,
    compare_answer,
    lacking,
    p_text,
    signed_text,
    value_text,
)
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.conformance.reports.words import counted
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.language.sentence import first_names, joined
from rankspec.oracle.scoring.significance.comparing import Comparison, Plan, RunComparison, SignificanceTest
from rankspec.oracle.scoring.significance.results import Correction, PValue, Student
from rankspec.oracle.values import Exact, Undefined, to_double, to_text

_MOST_SHOWN = 3
_MOST_QUERIES_NAMED = 10
_PAIR = ("a", "b", "value of a", "value of b", "a - b", "won/tied/lost", "p", "corrected", "significant")


def comparison_data(comparisons: Comparisons, convention: Convention, plan: Plan) -> dict[str, Any]:
    """Return what `compare --json` has."""
    return {
        "schema": "rankspec/compare/1",
        "convention": convention_text(convention),
        "test": str(plan.test),
        "alternative": str(plan.side),
        "correction": str(plan.correction),
        "alpha": float(plan.alpha),
        "baseline": plan.baseline,
        "runs": list(next(iter(comparisons.values())).evaluations),
        "measures": {
            str(measure): {
                "values": {run: _number_data(evaluation.exact) for run, evaluation in compared.evaluations.items()},
                "missing": {run: list(queries) for run, queries in compared.missing.items()},
                "pairs": [_pair_data(pair) for pair in compared.pairs],
                "notes": list(_notes(measure.under(convention))),
            }
            for measure, compared in comparisons.items()
        },
    }


def _pair_data(pair: Comparison) -> dict[str, Any]:
    wins, ties, losses = _tally(pair)
    return {
        "a": pair.first,
        "b": pair.second,
        "queries": len(pair.paired.differences),
        "difference": _number_data(pair.paired.mean),
        "wins": wins,
        "ties": ties,
        "losses": losses,
        "p": _p_data(pair.p),
        "p_corrected": {
            "exact": None if pair.corrected is None or pair.p.exact is None else to_text(pair.corrected),
            "float": None if pair.corrected is None else to_double(pair.corrected),
        },
        "significant": pair.significant,
        "per_query": {query: _number_data(pair.paired.differences[query]) for query in _largest_first(pair)},
        "left_out": dict(pair.paired.left_out),
    }


def _p_data(p: PValue) -> dict[str, Any]:
    data: dict[str, Any] = {
        "exact": None if p.exact is None else to_text(p.exact),
        "float": None if p.number is None else to_double(p.number),
        "method": p.method,
    }
    if p.undefined is not None:
        data["undefined"] = p.undefined
    if p.sampling is not None:
        data |= {
            "interval": list(p.sampling.interval),
            "confidence": float(p.sampling.confidence),
            "estimate": to_text(p.number or Fraction(0)),
            "permutations": p.sampling.permutations,
            "extreme": p.sampling.extreme,
            "seed": p.sampling.seed,
        }
    if p.student is not None:
        data |= {"t": _t_data(p.student), "df": p.student.freedom}
    return data


def _t_data(student: Student) -> dict[str, Any]:
    if student.square is None or student.nearest is None:
        return {"exact": None, "float": None}
    exact = f"{'-' if student.sign < 0 else ''}sqrt({to_text(student.square)})" if student.is_rational else None
    return {"exact": exact, "float": to_double(student.nearest)}


def _number_data(number: Exact) -> dict[str, Any]:
    """Return a number; one that is irrational or undefined is no fraction."""
    if isinstance(number, Undefined):
        return {"exact": None, "float": None, "undefined": str(number.value)}
    return {"exact": to_text(number) if isinstance(number, Fraction) else None, "float": to_double(number)}


def table_caption(comparisons: Comparisons, convention: Convention, plan: Plan, *, pairs: bool) -> str:
    """Return what a table of runs, or one of pairs, is about: what was tested, and under which convention."""
    if pairs:
        tested = f"{_what_is_tested(next(iter(comparisons.values())), plan)}."
    else:
        tested = _answer(comparisons, convention, plan).legend
    return f"{tested} Values under {convention_text(convention)}."


def runs_table(comparisons: Comparisons, convention: Convention, plan: Plan) -> Table:
    """Return a row a run, the best first: its letter, its name, its values, each with the letters of worse runs."""
    rows = _answer(comparisons, convention, plan).rows
    has_letters = any(row.letter for row in rows)
    table = Table(*[""] * has_letters, "run", *map(str, comparisons))
    for row in rows:
        letter = [row.letter] * has_letters
        table.add_row(*letter, row.name, *(f"{value} {letters}".strip() for value, letters in row.cells))
    return table


def comparison_report(comparisons: Comparisons, convention: Convention, plan: Plan, *, commands: bool = True) -> Report:
    """Yield a row a run, the pair of which it is hardest to say, and, with commands, the options that show more."""
    answer = _answer(comparisons, convention, plan)
    yield Line(answer.headline, style="bold")
    yield runs_table(comparisons, convention, plan)
    yield answer.legend
    yield from answer.notes
    if convention != DEFAULT:
        yield f"Under {convention_text(convention)}."
    if commands:
        yield Line("All pairs: --pairs    For a paper: --latex    Figure: --plot FILE", style="dim")


def _answer(comparisons: Comparisons, convention: Convention, plan: Plan) -> CompareAnswer:
    names = short_names(next(iter(comparisons.values())).evaluations)
    return compare_answer(comparisons, plan, names, convention)


def pairs_report(comparisons: Comparisons, convention: Convention, plan: Plan, *, per_query: bool = False) -> Report:
    """Yield the pairs, and where they differ most."""
    for measure, compared in comparisons.items():
        names = short_names(compared.evaluations)
        yield Line(f"{measure} under {convention_text(convention)}: {_what_is_tested(compared, plan)}.", style="bold")
        yield Table(
            "first", "second", "difference", "won/tied/lost", "p", "significant",
            rows=map(partial(_row, compared, names), compared.pairs),
        )  # fmt: skip
        yield from _remarks(compared, names, measure.under(convention))
        yield ""
        if per_query:
            for pair in compared.pairs:
                one, other = compared.evaluations[pair.first], compared.evaluations[pair.second]
                table = Table("query", names[pair.first], names[pair.second], "difference")
                for query in _largest_first(pair):
                    values = (value_text(each.exact_per_query[query]) for each in (one, other))
                    table.add_row(query, *values, signed_text(pair.paired.differences[query]))
                yield table
                yield ""


def _row(compared: RunComparison, names: Mapping[str, str], pair: Comparison) -> tuple[str, ...]:
    """Return the cells of a pair in a terminal: each run with its value, and the p-value that decides."""
    a, b, value_of_a, value_of_b, difference, tally, _, corrected, significant = _pair_cells(pair, compared, names)
    return f"{a} {value_of_a}", f"{b} {value_of_b}", difference, tally, corrected, significant


def pairs_table(comparisons: Comparisons) -> Table:
    """Return a row a pair and measure, with the values of both runs."""
    table = Table("measure", *_PAIR)
    for measure, compared in comparisons.items():
        names = {run: run for run in compared.evaluations}
        for pair in compared.pairs:
            table.add_row(measure, *_pair_cells(pair, compared, names))
    return table


def _what_is_tested(compared: RunComparison, plan: Plan) -> str:
    pairs = len(compared.pairs)
    test = "randomization test" if plan.test is SignificanceTest.RANDOMIZATION else "paired t test"
    family = "one pair" if pairs == 1 else f"{pairs} pairs"
    correction = "uncorrected" if plan.correction is Correction.NONE else f"{str(plan.correction).title()} over"
    level = f"significant where p <= {float(plan.alpha):g}"
    many = f", {correction} {family}" if plan.correction is not Correction.NONE else f", {family}, {correction}"
    return f"{test}, {plan.side}{many}; {level}"


def _pair_cells(pair: Comparison, compared: RunComparison, names: Mapping[str, str]) -> tuple[str, ...]:
    runs = (pair.first, pair.second)
    return (
        *(names[run] for run in runs),
        *(value_text(compared.evaluations[run].exact) for run in runs),
        signed_text(pair.paired.mean),
        "/".join(map(str, _tally(pair))),
        "undefined" if pair.p.number is None else p_text(pair.p.number),
        "undefined" if pair.corrected is None else p_text(pair.corrected),
        "yes" if pair.significant else "no",
    )


def _how(pair: Comparison, names: Mapping[str, str]) -> str:
    """Say over how many queries a p-value is, how it was come by, and how sure it is."""
    queries = len(pair.paired.differences)
    over = f"{names[pair.first]} and {names[pair.second]}, {counted(queries, 'query')}: p is"
    p = pair.p
    if p.number is None:
        return f"{over} undefined, {p.undefined}"
    if p.sampling is not None:
        low, high = (f"{end:.4g}" for end in p.sampling.interval)
        drawn = f"estimated from {p.sampling.permutations:,} permutations, seed {p.sampling.seed}"
        sure = f"exact p in [{low}, {high}] ({float(100 * p.sampling.confidence):g} %)"
        return f"{over} {drawn}; before the correction, {sure}"
    if p.student is not None and p.student.nearest is not None:
        return f"{over} that of t = {to_double(p.student.nearest):.4f} with {p.student.freedom} degrees of freedom"
    return f"{over} exact"


def _remarks(compared: RunComparison, names: Mapping[str, str], convention: Convention) -> Iterable[str]:
    """Yield what has to be known beside the tables."""
    for pair in compared.pairs:
        yield _how(pair, names)
        yield f"  {_largest(pair)}"
    yield from _notes(convention)
    for queries, runs in lacking(compared, names).items():
        yield f"not in {joined(runs)}, so that the convention gives the value: {queries}"
    left_out: dict[str, list[str]] = {}
    for pair in compared.pairs:
        for reason in dict.fromkeys(pair.paired.left_out.values()):
            of_reason = [query for query, why in pair.paired.left_out.items() if why == reason]
            what = f"{first_names(of_reason, _MOST_QUERIES_NAMED)} ({reason})"
            left_out.setdefault(what, []).append(f"{names[pair.first]} and {names[pair.second]}")
    for what, pairs in left_out.items():
        between = "" if len(pairs) == len(compared.pairs) else f" between {joined(pairs)}"
        yield f"not compared{between}: {what}"


def _notes(convention: Convention) -> Iterable[str]:
    if convention.aggregate is Aggregate.GEOMETRIC:
        yield "a difference is the mean of the queries' differences, not a difference of geometric means"


def _largest(pair: Comparison) -> str:
    """Name the queries in which a pair differs most."""
    differing = [query for query in _largest_first(pair) if pair.paired.signs[query]]
    if not differing:
        return "no query differs"
    shown = ", ".join(f"{query} {signed_text(pair.paired.differences[query])}" for query in differing[:_MOST_SHOWN])
    more = len(differing) - _MOST_SHOWN
    return f"largest differences: {shown}{f' and {more} more (--per-query)' if more > 0 else ''}"


def _tally(pair: Comparison) -> tuple[int, int, int]:
    """Count where the first run wins, ties, and loses."""
    signs = list(pair.paired.signs.values())
    return signs.count(1), signs.count(0), signs.count(-1)


def _largest_first(pair: Comparison) -> list[str]:
    """Return the queries compared, the largest differences first, equal ones in the order of the qrels."""
    return sorted(pair.paired.differences, key=lambda query: -abs(to_double(pair.paired.differences[query])))


def short_names(runs: Iterable[str]) -> dict[str, str]:
    """Return file names without folders, where they are enough to tell the runs apart."""
    listed = list(runs)
    short = [Path(run).name for run in listed]
    return dict(zip(listed, short if len(set(short)) == len(listed) else listed, strict=True))
