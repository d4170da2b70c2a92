"""What conventions change about runs, as text, Markdown and one object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankspec.conformance.atlas.impact import Impact, Moved, Scored, Span, Worth
from rankspec.conformance.cases.plain import data_of, plain
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.reports.blocks import Line, Report, Table, code, prose
from rankspec.conformance.reports.words import counted
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import convention_text, expression_text

_DIGITS = 4
_LONGEST = 40
_MOST_SWAPS = 3

Libraries = Mapping[Convention, Sequence[str]]


def impact_data(impact: Impact, libraries: Libraries) -> dict[str, Any]:
    """Return what `impact --json` has; exact values are fractions, irrational ones to 50 places."""
    tau, under = impact.lowest_tau
    return {
        "schema": "rankspec/impact/1",
        **data_of(impact, "measure", "convention", "tried", "complete"),
        "runs": [
            {
                "run": span.run,
                "value": _value(span.base),
                "lowest": {**_value(span.lowest), "under": convention_text(span.lowest_under)},
                "highest": {**_value(span.highest), "under": convention_text(span.highest_under)},
            }
            for span in impact.spans
        ],
        "swaps": [
            {
                "above": swap.above,
                "below": swap.below,
                "query": None if swap.moved is None else data_of(swap.moved, "query", "before", "after"),
                "under": [
                    {
                        **data_of(each, "convention", "changed"),
                        "values": {name: _value(each.worths[name]) for name in (swap.above, swap.below)},
                    }
                    for each in swap.under
                ],
            }
            for swap in impact.swaps
        ],
        "axes": [data_of(each, "axis", "value", "swaps", "tau", "largest") for each in impact.axes],
        "lowest_tau": {"tau": str(tau), "under": convention_text(under)},
        "libraries": [
            {
                "convention": convention_text(convention),
                "libraries": list(names),
                "effect": None if (effect := impact.effect(convention)) is None else plain(effect._asdict()),
            }
            for convention, names in libraries.items()
        ],
    }


def _value(worth: Worth) -> dict[str, Any]:
    return {"exact": str(worth.exact), "float": worth.double}


def impact_report(
    impact: Impact, libraries: Libraries, *, of_libraries: bool = False, left_out: Sequence[str] = ()
) -> Report:
    """Yield the ranges, the pairs that change places and what each axis does, or each library."""
    yield Line(f"{expression_text(impact.measure, impact.convention)}, and {tried_text(impact)}", style="bold")
    yield _ranges(impact)
    yield ""
    yield Line(swaps_text(impact), style="bold")
    for swap in impact.swaps:
        yield f"  {swap.above} is above {swap.below}, but below it under"
        for each in swap.under[:_MOST_SWAPS]:
            values = f"{short(each.worths[swap.above])} < {short(each.worths[swap.below])}"
            yield f"    {_named(each, libraries)}: {values}"
        if len(swap.under) > _MOST_SWAPS:
            yield Line(f"    and {len(swap.under) - _MOST_SWAPS} more, see --json", style="dim")
        if swap.moved is not None:
            yield f"    under the first of them by query {in_one_line(swap.moved.query)} most: {_moved(swap.moved)}"
    if of_libraries:
        yield ""
        yield _of_libraries(impact, libraries)
        if left_out:
            yield Line(f"left out, as no convention says all that they do: {', '.join(left_out)}", style="dim")
        return
    tau, convention = impact.lowest_tau
    lowest = f"lowest Kendall's tau (a) {tau} (under {convention_text(convention)})"
    if impact.axes:
        first = impact.axes[0]
        most = f"the axis that matters most is {first.axis}" if first.largest else "no axis alone changes a value"
        yield ""
        yield Line(f"{most}; {lowest}", style="bold")
        yield _axes(impact)
        if idle := [each.axis for each in impact.axes if not each.largest]:
            yield Line(f"  change nothing here by themselves: {', '.join(idle)}", style="dim")
    elif impact.tried > 1:
        yield Line(lowest, style="bold")


def _moved(moved: Moved) -> str:
    before, after = (" and ".join(f"{value:.{_DIGITS}f}" for value in pair) for pair in (moved.before, moved.after))
    return f"{before}, then {after}"


def _of_libraries(impact: Impact, libraries: Libraries) -> Table:
    found = [(names, effect) for each, names in libraries.items() if (effect := impact.effect(each)) is not None]
    found.sort(key=lambda each: (-each[1].swaps, each[1].tau, -each[1].largest))
    rows = ((_listed(names), each.swaps, each.tau, f"{each.largest:.{_DIGITS}f}") for names, each in found)
    return Table("as in", "pairs", "tau", "largest change", rows=rows, indent=2)


def impact_markdown(impact: Impact, libraries: Libraries, *, of_libraries: bool = False) -> str:
    """Return the same as Markdown."""
    parts = [
        f"## What conventions change about {code(str(impact.measure))}",
        f"Compared with {code(convention_text(impact.convention))}: {prose(tried_text(impact))}.",
        _ranges(impact).markdown(),
        f"{prose(swaps_text(impact))}.",
    ]
    if impact.swaps:
        under = "change places under"
        rows = ((swap.above, swap.below, _named(swap.under[0], libraries)) for swap in impact.swaps)
        parts.append(Table("above", "below", under, rows=rows, code=(under,)).markdown())
    if of_libraries:
        parts.append(_of_libraries(impact, libraries).markdown())
    elif impact.axes:
        parts.append(_axes(impact).markdown())
    return "\n\n".join(parts) + "\n"


def _ranges(impact: Impact) -> Table:
    rows = ((span.run, *map(short, (span.base, span.lowest, span.highest)), *_ends(span)) for span in impact.spans)
    ends = ("lowest under", "highest under")
    return Table("run", "value", "lowest", "highest", *ends, rows=rows, indent=2, code=ends)


def _ends(span: Span) -> tuple[str, str]:
    return convention_text(span.lowest_under), convention_text(span.highest_under)


def _axes(impact: Impact) -> Table:
    telling = [each for each in impact.axes if each.largest]
    rows = ((each.axis, each.swaps, each.tau, f"{each.largest:.{_DIGITS}f}", each.value) for each in telling)
    return Table("axis", "pairs", "tau", "largest change", "by", rows=rows, indent=2, code=("axis", "by"))


def tried_text(impact: Impact) -> str:
    """Say how many other conventions were tried."""
    whole = "" if impact.complete or impact.untried else ", those with the fewest differences of all"
    left_out = f"; gain=exponential was not tried: {impact.untried}" if impact.untried else ""
    return f"{counted(impact.tried - 1, 'other convention')}{whole}{left_out}"


def swaps_text(impact: Impact) -> str:
    """Say how many pairs of runs change places."""
    pairs = counted(len(impact.runs) * (len(impact.runs) - 1) // 2, "pair")
    if not impact.swaps:
        return f"none of {pairs} of runs changes places under any of them"
    return f"{len(impact.swaps)} of {pairs} of runs change places"


def _named(each: Scored, libraries: Libraries) -> str:
    if names := libraries.get(each.convention):
        return _listed(names)
    return ", ".join(f"{axis}={value}" for axis, value in each.changed.items())


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(names)
    return listed if len(listed) <= _LONGEST else f"{names[0]} and {len(names) - 1} more"


def short(worth: Worth) -> str:
    """Write what a run is worth with few decimals."""
    return f"{worth.double:.{_DIGITS}f}"
