"""On what two conventions, functions or libraries differ: a witness in sentences, a row a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankspec.conformance.answers.answer import Page, Row
from rankspec.conformance.answers.example import example
from rankspec.conformance.infer.witness.record import Witness
from rankspec.conformance.worker.loading import built_in
from rankspec.oracle.conventions.convention import AXES, Convention, parse_setting, setting_text
from rankspec.oracle.language.expression import parse_convention

_COUNTS = ("", "one way", "two ways", "three ways", "four ways")


def sides_answer(names: Sequence[str], found: Witness, command: str) -> Page:
    """Return the answer about two sides.

    Args:
        names: what they are called.
        found: the smallest inputs on which they differ.
        command: what shows every detail.
    """
    first, second = names
    details = (("All axes", command),)
    if found.texts is None:
        return Page(f"No difference between {first} and {second} on {found.measure} was found.", (), details)
    rows = [_row(names, found, each) for each in _differences(found)]
    if not rows:
        summary = f"{first} and {second} differ on {found.measure}, in what no one rule says."
        return Page(summary, (Row("example", "", "", _shown(names, found, found.given, found.texts)),), details)
    ways = _COUNTS[len(rows)] if len(rows) < len(_COUNTS) else f"{len(rows)} ways"
    return Page(f"{first} and {second} differ in {ways} on {found.measure}.", tuple(rows), details)


class _Difference(NamedTuple):
    """An axis, the values on it that each side may follow, and an input with both results."""

    axis: str
    values: tuple[Sequence[str], Sequence[str]]
    given: Mapping[str, Any] | None
    texts: tuple[str, str]


def _differences(found: Witness) -> list[_Difference]:
    """Return what implementations differ in, an input each, or else the rules that explain the smallest input."""
    by_axis = [
        _Difference(each.axis, each.settings, each.given, each.values)
        for each in found.by_axis
        if each.settings is not None
    ]
    texts = found.texts or ("", "")
    return by_axis or [_Difference(each.axis, (each.a, each.b), found.given, texts) for each in found.axes]


def _row(names: Sequence[str], found: Witness, difference: _Difference) -> Row:
    sides = zip(names, difference.values, strict=True)
    said = "; ".join(f"{name} {_follows(name, difference.axis, values)}" for name, values in sides)
    shown = _shown(names, found, difference.given, difference.texts)
    return Row(difference.axis.replace("_", " "), "", said, shown)


def _shown(names: Sequence[str], found: Witness, given: Mapping[str, Any] | None, texts: tuple[str, str]) -> str:
    return "" if given is None else example(given, found.measure, dict(zip(names, texts, strict=True)))


def _follows(name: str, axis: str, values: Sequence[str]) -> str:
    """Say which of the values that fit a side follows: the one that it declares, else the first."""
    if axis not in AXES:
        return f"has the cutoff {values[0]}"
    declared = _declared(name)
    text = setting_text(getattr(declared, axis)) if declared is not None else ""
    if text not in values:
        text = values[0]
    more = " (other rules fit, too)" if len(values) > 1 and declared is None else ""
    return AXES[axis].phrase(parse_setting(axis, text)) + more


def _declared(name: str) -> Convention | None:
    """Return the convention that an adapter declares; None of what is no adapter."""
    try:
        return parse_convention(built_in(name.partition("==")[0]).convention)
    except (ImportError, AttributeError, KeyError):
        return None
