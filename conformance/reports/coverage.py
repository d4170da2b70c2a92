"""How far the cases reach: clauses and axes without a case, how strong they are, what there is of every measure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rankspec.conformance.atlas.measure_coverage import NO_LIBRARY, MeasureCoverage
from rankspec.conformance.cases.coverage import Coverage
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.conformance.reports.plain import data_of
from rankspec.conformance.settle.witness.strength import Strength

_FEW = 2
"""Libraries that are named; the others are counted."""
_MOST_UNSEPARATED = 20


def coverage_data(
    covered: Coverage, measures: Sequence[MeasureCoverage], strengths: Sequence[Strength]
) -> dict[str, Any]:
    """Return all of it as `fixtures coverage --json` has it."""
    return {
        "schema": "rankspec/fixtures-coverage/1",
        "cases": covered.cases,
        "clauses": [
            {
                **data_of(each.clause, "id", "kind"),
                **data_of(each, "cases", "needs_implementation", implemented_by="implementers"),
            }
            for each in covered.clauses
        ],
        **data_of(covered, "holes", axes="exercised"),
        "measures": {
            each.name: {**data_of(each), "no_library": NO_LIBRARY.get(each.name), "holes": list(each.holes())}
            for each in measures
        },
        "strength": [
            data_of(each, "family", "kind", "pairs", "equal", "separable", "separated", "share", "unseparated")
            for each in strengths
        ],
    }


def coverage_report(covered: Coverage, measures: Sequence[MeasureCoverage], strengths: Sequence[Strength]) -> Report:
    """Yield the tables, each with the holes at its end."""
    yield from _strengths(strengths)
    yield from _measures(measures)
    yield Table(*("clauses", "kind", "stated", "with a case", "cases", "in the oracle"), rows=_clause_rows(covered))
    yield ""
    exercised = (
        (axis, "  ".join(f"{value} {count}" for value, count in values.items()))
        for axis, values in covered.exercised.items()
    )
    yield Table("axis", "cases that exercise each value", rows=exercised)
    yield ""
    yield from (Line(hole, style="red") for hole in covered.holes)
    yield f"{len(covered.holes)} holes" if covered.holes else "no hole"


def _clause_rows(covered: Coverage) -> Iterator[tuple[object, ...]]:
    """Count clauses by section and kind, and those with a case and with a function of the oracle."""
    sections = Counter((each.clause.id.partition(".")[0], each.clause.kind) for each in covered.clauses)
    for section, kind in sections:
        rows = [
            each for each in covered.clauses if each.clause.id.startswith(f"{section}.") and each.clause.kind == kind
        ]
        needed = [each for each in rows if each.needs_implementation]
        implemented = sum(bool(each.implementers) for each in needed)
        counts = (len(rows), sum(bool(each.cases) for each in rows), sum(len(each.cases) for each in rows))
        yield f"{section}.*", kind, *counts, f"{implemented} of {len(needed)}" if needed else "-"
    with_a_case = sum(bool(each.cases) for each in covered.clauses)
    yield "all", "", len(covered.clauses), with_a_case, covered.cases, ""


def _measures(measures: Sequence[MeasureCoverage]) -> Report:
    table = Table("measure", "clauses", "cases", "naive twin", "explained", "libraries asked")
    for each in measures:
        twin = {None: "no tests here", True: "yes", False: "no"}[each.has_twin]
        cells = (len(each.clauses), each.cases, twin, "yes" if each.is_explained else "no")
        table.add_row(each.name, *cells, _libraries(each))
    holes = [hole for each in measures for hole in each.holes()]
    yield table
    yield ""
    yield from (Line(hole, style="red") for hole in holes)
    if not holes:
        yield "no measure without one of these"
    yield ""


def _libraries(each: MeasureCoverage) -> str:
    if not each.asked:
        return f"none: {NO_LIBRARY[each.name]}" if each.name in NO_LIBRARY else "none"
    more = len(each.asked) - _FEW
    return ", ".join(each.asked[:_FEW]) + (f" and {more} more" if more > 0 else "")


def _strengths(strengths: Sequence[Strength]) -> Report:
    """Yield how strong the cases are, with the pairs of conventions that they leave together at the end."""
    table = Table("measure", "convention pairs", "pairs", "one convention", "separable", "separated", "share")
    for each in strengths:
        # 100 is said only where nothing is left.
        share = 100.0 if not each.unseparated else min(100 * each.share, 99.99)
        counts = (each.pairs, each.equal, each.separable, each.separated)
        table.add_row(each.family, each.kind, *counts, f"{share:.2f} %")
    left = [pair for each in strengths for pair in each.unseparated]
    separable, separated = sum(each.separable for each in strengths), sum(each.separated for each in strengths)
    yield table
    yield ""
    yield from (Line(f"not separated: {a} and {b}", style="red") for a, b in left[:_MOST_UNSEPARATED])
    if len(left) > _MOST_UNSEPARATED:
        yield f"and {len(left) - _MOST_UNSEPARATED} more"
    yield f"{separated:,} of {separable:,} pairs of conventions that can be separated are separated by a case"
    yield ""
