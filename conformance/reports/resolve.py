"""What became of a number, for a person and for a program."""

from __future__ import annotations

from typing import Any

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.infer.resolve.resolve import Explanation, Resolution
from rankspec.conformance.infer.resolve.together import Together
from rankspec.conformance.reports.console import plain_table
from rankspec.conformance.reports.listing import Lines, Listing
from rankspec.oracle.values import to_text

SCHEMA = "rankspec/resolve/1"

_MOST_SHOWN = 20
_MOST_OF_SEVERAL = 5


def resolution_data(found: Resolution) -> dict[str, Any]:
    """Return the finding as `resolve --json` has it."""
    return {
        "schema": SCHEMA,
        "value": found.printed,
        "measure": str(found.measure),
        "status": found.status,
        "explanations": [_explanation_data(each) for each in found.explanations],
        "nearest": [_explanation_data(each) | {"percentage": each.percentage} for each in found.nearest],
        "default": {"exact": to_text(found.default_number), "decimal": decimal_text(found.default_number)},
        "searched": found.searched,
        "complete": found.complete,
        "expected_accidental": round(float(found.expected_accidental), 4),
        "may_be_chance": found.may_be_chance,
        "errata": [vars(each) for each in found.errata],
    }


def together_data(found: Together) -> dict[str, Any]:
    """Return what became of several numbers: `resolve --json`'s object of the first, and all of them under `values`."""
    values = [resolution_data(each) for each in found.values]
    return {
        **values[0],
        "status": found.status,
        "values": [{name: part for name, part in each.items() if name != "schema"} for each in values],
        "pairs": [
            {
                "first": {"value": one.printed, **_explanation_data(pair.first)},
                "second": {"value": other.printed, **_explanation_data(pair.second)},
                "axes": list(pair.axes),
                "parting": None if pair.parting is None else pair.parting.text,
            }
            for (one, other), pair in found.paired
        ],
        "expected_accidental": round(float(found.expected_accidental), 4),
    }


def together_report(found: Together) -> Lines:
    """Return what became of several numbers as text: what explains each two of them at once, then each by itself."""
    lines: list[str | Listing] = []
    for (one, other), pair in found.paired:
        both = f"{one.printed} is {_called(pair.first)}; {other.printed} is {_called(pair.second)}"
        axes = f"they differ on {', '.join(pair.axes)}" if pair.axes else "one convention gives both"
        lines.append(f"{both}; {axes}")
        if pair.parting is not None:
            how = "they part at" if pair.parting.behind else "first difference:"
            lines.append(f"  {how} {pair.parting.text}")
    for each in found.values:
        if each.explanations:
            plainest = each.explanations[:_MOST_OF_SEVERAL]
            count = len(each.explanations)
            among = f"{each.searched} conventions"
            fits = f"{each.printed}: {count} of {among} give it, the plainest first."
            lines.append(_by_chance(each, among) if each.may_be_chance else fits)
            lines.append(_table(plainest))
        else:
            lines.append(f"{each.printed} is unexplained: none of {each.searched} conventions gives it.")
            lines += ["The nearest values:", _table(each.nearest)] if each.nearest else []
        lines += _notes(each)
    return Lines(*lines)


def _by_chance(found: Resolution, among: str) -> str:
    """Say that so few digits prove nothing."""
    fits = "1 fits" if len(found.explanations) == 1 else f"{len(found.explanations)} fit"
    chance = f"{round(found.expected_accidental)} would by chance"
    return f"{found.printed}: {fits} of {among}, but {chance}; give more digits. The simplest first."


def _called(explanation: Explanation) -> str:
    """Return what an explanation is called: by a profile's name if it comes to the same as one here."""
    if explanation.convention_text in explanation.profiles or not explanation.profiles:
        return explanation.text
    return f"{explanation.text} (as {explanation.profiles[0]})"


def _notes(found: Resolution) -> list[str]:
    """Say what is known of the number, and how much an explanation proves."""
    notes = [each.text for each in found.errata]
    if found.explanations and found.expected_accidental and not found.may_be_chance:
        expected = f"{float(found.expected_accidental):.2g}"
        notes.append(
            f"A number of so many digits is hit by chance by about {expected} of {found.searched} conventions."
        )
    return notes


def _explanation_data(each: Explanation) -> dict[str, Any]:
    return {
        "measure": str(each.measure),
        "convention": each.convention_text,
        "expression": each.text,
        "axes": each.axes,
        "differences": len(each.convention.differences()),
        "exact": each.exact_text,
        "decimal": each.decimal,
        "agreement": None if each.agreement is None else str(each.agreement),
        "profiles": list(each.profiles),
    }


def resolution_report(found: Resolution, *, all_of_them: bool = False) -> Lines:
    """Return the finding as text, the simplest explanations first."""
    among = f"{found.searched} conventions" + ("" if found.complete else " (the first ones; there are more)")
    exact, decimal = shortened(to_text(found.default_number)), decimal_text(found.default_number)
    equals = "" if decimal == exact else f" = {decimal}"
    default = f"{found.measure} under default is {exact}{equals}."
    if not found.explanations:
        head = f"{found.printed} is unexplained: none of {among} gives it, rounded or truncated."
        nearest: list[str | Listing] = []
        if found.nearest:
            nearest = ["The nearest values:", _table(found.nearest)]
        return Lines(head, *_notes(found), default, *nearest)
    others = [each for each in found.explanations if each.measure.family is not found.measure.family]
    note = [f"No convention of {found.measure} gives it; other measures do."] if others else []
    cut = [each for each in found.explanations if not others and each.measure.k != found.measure.k]
    if cut and cut[0] is found.explanations[0]:
        only = "No convention" if len(cut) == len(found.explanations) else "No plain convention"
        note = [f"{only} of {found.measure} gives it; with another cutoff, plain ones do."]
    shown = found.explanations if all_of_them else found.explanations[:_MOST_SHOWN]
    count = len(found.explanations)
    head = (
        _by_chance(found, among)
        if found.may_be_chance
        else f"{found.printed} is explained: {count} of {among} give it, the simplest first."
    )
    rest = len(found.explanations) - len(shown)
    more = [f"and {rest} more; --all lists them"] if rest else []
    return Lines(head, *note, *_notes(found), default, _table(shown), *more)


def _table(explanations: tuple[Explanation, ...]) -> Listing:
    table = plain_table("convention", "exact", "decimal", "agreement", "as in")
    for each in explanations:
        agreement = "as a percentage" if each.percentage else "" if each.agreement is None else str(each.agreement)
        profiles = [name for name in each.profiles if name != each.convention_text]
        table.add_row(each.text, shortened(each.exact_text), each.decimal, agreement, ", ".join(profiles))
    return table


_LONGEST_FRACTION = 60


def shortened(exact: str) -> str:
    """Return a value as it is, or, where nobody would read it, how long it is; a decimal stands beside it."""
    if len(exact) <= _LONGEST_FRACTION:
        return exact
    kind = "a fraction" if exact.removeprefix("-").replace("/", "").isdigit() else "an expression"
    return f"{kind} of {len(exact):,} characters"
