"""Cases chosen by what they are about."""

from __future__ import annotations

from collections.abc import Sequence

from rankspec.conformance.cases.case import Case
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.families import ALIASES, FAMILIES
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import family_in, parse_measure
from rankspec.oracle.suggestions import suggestion


def selected(  # noqa: PLR0913 - a way to choose each
    cases: Sequence[Case],
    *,
    verdict: str | None = None,
    measure: str | None = None,
    axis: str | None = None,
    clause: str | None = None,
    document: str | None = None,
) -> list[Case]:
    """Return the cases that are all that is stated, in their order.

    Args:
        cases: to choose from.
        verdict: the verdict on what a document prints.
        measure: a family (`AP`: every AP), or a measure with its cutoff or parameters (`AP@10`: that one alone).
        axis: an axis: cases of its clauses, and those under another value of it than the default.
        clause: a clause, or what several begin with (`ranking.ties`).
        document: a part of a document's file name or title; `hand` and `computed` are the others' sources.

    Raises:
        ConventionError: there is no such measure or axis.
    """
    if axis is not None and axis not in AXES:
        raise ConventionError(f"unknown axis {axis!r}{suggestion(axis, AXES)}; the axes are {', '.join(AXES)}")
    family = None if measure is None else ALIASES.get(measure, measure)
    text = str(parse_measure(measure)) if measure is not None and family not in FAMILIES else None
    return [
        case
        for case in cases
        if verdict in {None, case.verdict}
        and (measure is None or family_in(case.measure) == family or case.measure == text)
        and (axis is None or _is_about(case, axis))
        and (clause is None or case.clause == clause or case.clause.startswith(f"{clause}."))
        and (document is None or document.casefold() in f"{case.document} {case.title or ''}".casefold())
    ]


def _is_about(case: Case, axis: str) -> bool:
    anchor = AXES[axis].anchor
    return f"{case.clause}.".startswith(f"{anchor}.") or axis in case.parsed_convention.differences()
