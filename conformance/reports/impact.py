"""What conventions change about runs, as text and one object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankspec.conformance.answers.numbers import axis_title
from rankspec.conformance.atlas.impact import Impact, RunScore, Swap
from rankspec.conformance.cases.plain import data_of, plain
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.conformance.reports.words import counted
from rankspec.oracle.conventions.convention import Convention, parse_setting
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.language.sentence import joined, phrases

_EFFECT = ("pairs swapped", "Kendall's tau", "largest change")
_DIGITS = 4
_LONGEST = 40
_MOST_SWAPS, _MOST_RUNS, _MOST_RULES = 4, 6, 8

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


def _value(value: RunScore) -> dict[str, Any]:
    return {"exact": str(value.exact), "float": value.double}


def impact_report(
    impact: Impact, libraries: Libraries, *, of_libraries: bool = False, left_out: Sequence[str] = ()
) -> Report:
    """Yield whether conventions decide the order of runs, an example a pair, and what each rule or library changes."""
    yield Line(headline(impact), style="bold")
    if impact.swaps:
        yield ""
        swaps = ([_swap_text(impact, swap, libraries)] for swap in impact.swaps[:_MOST_SWAPS])
        yield Table("", rows=swaps, indent=2, has_headings=False)
        yield from _more(len(impact.swaps) - _MOST_SWAPS, "pair")
    yield ""
    runs = sorted(impact.spans, key=lambda each: each.highest.double - each.lowest.double, reverse=True)[:_MOST_RUNS]
    rows = ((span.run, *map(short, (span.base, span.lowest, span.highest))) for span in impact.spans if span in runs)
    yield Table("run", str(impact.measure), "lowest", "highest", rows=rows, indent=2, right=(1, 2, 3))
    yield from _more(len(impact.runs) - _MOST_RUNS, "run")
    if of_libraries:
        yield ""
        yield _of_libraries(impact, libraries)
        yield from _more(sum(impact.effect(each) is not None for each in libraries) - _MOST_RULES, "convention")
        if left_out:
            named = f"{', '.join(left_out[:_MOST_RULES])}{' and more' if len(left_out) > _MOST_RULES else ''}"
            yield Line(f"Left out, as no convention says all that they do: {named}.", style="dim")
    elif effective := [each for each in impact.axes if each.largest]:
        yield ""
        rules = (
            (each.swaps, each.tau, f"{each.largest:.{_DIGITS}f}", _rule(impact, {each.axis: each.value}))
            for each in effective[:_MOST_RULES]
        )
        yield Table(*_EFFECT, "one rule", rows=rules, indent=2)
        yield from _more(len(effective) - _MOST_RULES, "rule")
    yield ""
    yield f"Tried: {tried_text(impact)}. The conventions at both ends: --json"


def headline(impact: Impact) -> str:
    """Say in one sentence what conventions do to the order of the runs."""
    pairs = counted(len(impact.runs) * (len(impact.runs) - 1) // 2, "pair")
    if impact.swaps:
        most = f" Most depends on {axis_title(impact.axes[0].axis)}." if impact.axes and impact.axes[0].swaps else ""
        change = "changes" if len(impact.swaps) == 1 else "change"
        decides = "The convention decides" if most else "Several rules together decide"
        return f"{decides} the order: {len(impact.swaps)} of {pairs} of runs {change} places.{most}"
    if any(span.lowest.double != span.highest.double for span in impact.spans):
        return f"The order of the runs does not depend on the convention; their {impact.measure} does."
    return f"No convention that was tried changes a value of {impact.measure}."


def _swap_text(impact: Impact, swap: Swap, libraries: Libraries) -> str:
    """Return under what two runs change places, with their values there, and by which query."""
    first, *others = sorted(swap.under, key=lambda each: (not libraries.get(each.convention), len(each.changed)))
    names = libraries.get(first.convention)
    rule = f"as {_enumeration(names)} does" if names else f"if {impact.measure} {_rule(impact, first.changed)}"
    values = " and ".join(short(first.worths[run]) for run in (swap.below, swap.above))
    more = f"; {counted(len(others), 'other change')} of rules would do, too" if others else ""
    is_first = first is swap.under[0]  # the query is of that one
    query = "" if swap.moved is None or not is_first else f"; query {in_one_line(swap.moved.query)} changes most"
    return f"{swap.below} is above {swap.above} {rule} ({values}{query}){more}"


def _rule(impact: Impact, changed: Mapping[str, str]) -> str:
    """Return changed axes as verb phrases."""
    settings = {axis: parse_setting(axis, value) for axis, value in changed.items()}
    convention = impact.convention.with_settings(settings)
    return joined(phrases(impact.measure, convention, changed) or [f"{a}={v}" for a, v in changed.items()])


def _more(hidden: int, what: str) -> Report:
    if hidden > 0:
        yield Line(f"  and {counted(hidden, f'more {what}')}: --json", style="dim")


def _of_libraries(impact: Impact, libraries: Libraries) -> Table:
    found = [(names, effect) for each, names in libraries.items() if (effect := impact.effect(each)) is not None]
    found.sort(key=lambda each: (-each[1].swaps, each[1].tau, -each[1].largest))
    rows = (
        (_enumeration(names), each.swaps, each.tau, f"{each.largest:.{_DIGITS}f}")
        for names, each in found[:_MOST_RULES]
    )
    return Table("as in", *_EFFECT, rows=rows, indent=2)


def tried_text(impact: Impact) -> str:
    """Say how many other conventions were tried."""
    whole = "" if impact.complete or impact.untried else ", those with the fewest differences of all"
    left_out = f"; gain=exponential was not tried: {impact.untried}" if impact.untried else ""
    return f"{counted(impact.tried - 1, 'other convention')}{whole}{left_out}"


def _enumeration(names: Sequence[str]) -> str:
    listed = ", ".join(names)
    return listed if len(listed) <= _LONGEST else f"{names[0]} and {len(names) - 1} more"


def short(value: RunScore) -> str:
    """Write the value of a run with few decimals."""
    return f"{value.double:.{_DIGITS}f}"
