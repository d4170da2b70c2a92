"""Which conventions give a number, or several, as text and as one object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.cases.plain import data_of, plain
from rankspec.conformance.infer.resolve.resolve import Resolution
from rankspec.conformance.infer.resolve.search import Explanation
from rankspec.conformance.infer.resolve.together import Together
from rankspec.conformance.reports.blocks import Report, Table
from rankspec.oracle.values import to_text

_MOST_SHOWN = 20
_MOST_OF_SEVERAL = 5
_LONGEST_FRACTION = 9


def resolution_data(resolution: Resolution) -> dict[str, Any]:
    """Return what `resolve --json` has."""
    default = resolution.default_number
    return {
        "schema": "rankspec/resolve/1",
        **data_of(resolution, "measure", "status", value="printed"),
        "explanations": [_explanation_data(each) for each in resolution.explanations],
        "nearest": [_explanation_data(each) | {"percentage": each.percentage} for each in resolution.nearest],
        "default": {"exact": to_text(default), "decimal": decimal_text(default)},
        **data_of(resolution, "searched", "complete", "may_be_chance"),
        "expected_accidental": round(float(resolution.expected_accidental), 4),
        "errata": [plain(vars(each)) for each in resolution.errata],
    }


def together_data(together: Together) -> dict[str, Any]:
    """Return what became of several numbers: `resolve --json`'s object of the first, and all of them under `values`."""
    values = [resolution_data(each) for each in together.values]
    return {
        **values[0],
        "status": together.status,
        "values": [{name: part for name, part in each.items() if name != "schema"} for each in values],
        "pairs": [
            {
                "first": {"value": one.printed, **_explanation_data(pair.first)},
                "second": {"value": other.printed, **_explanation_data(pair.second)},
                "axes": list(pair.axes),
                "parting": pair.parting and pair.parting.text,
            }
            for (one, other), pair in together.paired
        ],
        "expected_accidental": round(float(together.expected_accidental), 4),
    }


def _explanation_data(each: Explanation) -> dict[str, Any]:
    return {
        **data_of(each, "measure", "convention", "axes", "decimal", "agreement", "profiles"),
        **data_of(each, expression="text", exact="exact_text"),
        "differences": len(each.convention.differences()),
    }


def resolution_report(resolution: Resolution, *, all_of_them: bool = False) -> Report:
    """Yield what gives the number, the simplest explanations first, or what comes near."""
    own = resolution.own
    elsewhere = [each for each in resolution.explanations if each not in own]
    among = f"{resolution.searched} conventions" + ("" if resolution.complete else " (there are more)")
    if not own:
        none = f"no convention of {resolution.measure}" if elsewhere else f"none of {among}"
        yield f"{resolution.printed} is unexplained: {none} gives it, rounded or truncated."
    elif resolution.may_be_chance:
        yield _by_chance(resolution, among)
    else:
        yield f"{resolution.printed} is explained: {len(own)} of {among} give it, the simplest first."
    if any(each.measure.family is not resolution.measure.family for each in own):
        yield f"No convention of {resolution.measure} gives it; other measures do."
    yield from _notes(resolution)
    exact, decimal = shortened(to_text(resolution.default_number)), decimal_text(resolution.default_number)
    yield f"{resolution.measure} under default is {' = '.join(dict.fromkeys(filter(None, (exact, decimal))))}."
    if own:
        shown = own if all_of_them else own[:_MOST_SHOWN]
        yield _table(shown)
        if len(own) > len(shown):
            yield f"and {len(own) - len(shown)} more; --all lists them"
    elif resolution.nearest:
        yield "The nearest values:"
        yield _table(resolution.nearest)
    if elsewhere:
        yield "With another cutoff, which nobody asked for:"
        yield _table(elsewhere if all_of_them else elsewhere[:_MOST_OF_SEVERAL])


def together_report(together: Together) -> Report:
    """Yield what became of several numbers: what explains each two of them at once, then each by itself."""
    for (one, other), pair in together.paired:
        both = f"{one.printed} is {_called(pair.first)}; {other.printed} is {_called(pair.second)}"
        axes = f"they differ on {', '.join(pair.axes)}" if pair.axes else "one convention gives both"
        yield f"{both}; {axes}"
        if pair.parting is not None:
            yield f"  first difference: {pair.parting.text}"
    for each in together.values:
        among = f"{each.searched} conventions"
        if each.own:
            fits = f"{each.printed}: {len(each.explanations)} of {among} give it, the plainest first."
            yield _by_chance(each, among) if each.may_be_chance else fits
            yield _table(each.explanations[:_MOST_OF_SEVERAL])
        else:
            yield f"{each.printed} is unexplained: none of {among} gives it."
            if each.nearest:
                yield "The nearest values:"
                yield _table(each.nearest)
        yield from _notes(each)


def _by_chance(resolution: Resolution, among: str) -> str:
    """Say that so few digits prove nothing."""
    matches = f"{resolution.printed} matches {len(resolution.explanations)} of {among}"
    chance = f"{round(resolution.expected_accidental)} matches are expected by chance"
    return f"{matches}, but {chance}: give more digits. The simplest first:"


def _called(explanation: Explanation) -> str:
    """Return what an explanation is called: by a profile's name if it comes to the same as one here."""
    if explanation.convention_text in explanation.profiles or not explanation.profiles:
        return explanation.text
    return f"{explanation.text} (as {explanation.profiles[0]})"


def _notes(resolution: Resolution) -> Report:
    """Say what is known of the number, and how much an explanation proves."""
    yield from (each.text for each in resolution.errata)
    if resolution.untried:
        yield f"gain=exponential was not tried: {resolution.untried}"
    if resolution.explanations and resolution.expected_accidental and not resolution.may_be_chance:
        expected = f"{float(resolution.expected_accidental):.2g}"
        yield f"Matches expected by chance at this precision: {expected} of {resolution.searched}"


def _table(explanations: Iterable[Explanation]) -> Table:
    table = Table("convention", "exact", "decimal", "agreement", "as in")
    for each in explanations:
        agreement = "as a percentage" if each.percentage else each.agreement or ""
        profiles = ", ".join(name for name in each.profiles if name != each.convention_text)
        table.add_row(each.text, shortened(each.exact_text), each.decimal, agreement, profiles)
    return table


def shortened(exact: str) -> str:
    """Return a value as it is, or nothing where nobody would read it; a decimal stands beside it."""
    return exact if len(exact) <= _LONGEST_FRACTION else ""
