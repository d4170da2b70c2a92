"""On what two conventions, functions or libraries differ: a witness in sentences, a row a rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rankspec.conformance.answers.answer import Page, Row
from rankspec.conformance.answers.example import example
from rankspec.conformance.infer.witness.sides import CUTOFF_AXIS, AxisWitness, Witness
from rankspec.conformance.worker.loading import adapter_named
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import AXES, Convention, parse_setting, setting_text
from rankspec.oracle.language.expression import parse_convention

_COUNTS = ("", "one way", "two ways", "three ways", "four ways")


def sides_answer(names: tuple[str, str], witness: Witness, following: tuple[str, str] | None = None) -> Page:
    """Return the answer about two sides by their smallest differences; `following`: what shows more, its command."""
    measure, details = witness.measure, () if following is None else (following,)
    first, second = (
        f"{name} {version}" if version and version not in name else name
        for name, version in zip(names, witness.versions, strict=True)
    )
    notes = tuple(_notes(names, witness))
    if witness.texts is None:
        return Page(_agreement(first, second, witness), (), details, notes)
    values = dict(zip(names, witness.texts, strict=True))
    smallest = "" if witness.given is None else example(witness.given, measure, values)
    rows = [row for each in witness.by_axis if (row := _row_of_axis(names, witness, each)) is not None]
    if not rows:  # of a difference on one axis there is no list of axes
        faults = [(each.axis, (each.a, each.b)) for each in witness.axes]
        rows = [Row(_title(axis), "", _rule(names, axis, values), smallest) for axis, values in faults]
    if not rows:
        summary = f"{first} and {second} differ on {measure}, in what no one rule says."
        return Page(summary, (Row("example", "", "", smallest),), details, notes)
    if not witness.axes:  # the smallest example is none of theirs
        rows.append(Row("another", "", "they differ in what no one rule says", smallest))
    ways = _COUNTS[len(rows)] if len(rows) < len(_COUNTS) else f"{len(rows)} ways"
    return Page(f"{first} and {second} differ in {ways} on {measure}.", tuple(rows), details, notes)


def _agreement(first: str, second: str, witness: Witness) -> str:
    """Say how far two sides were found to agree."""
    both, measure, axis = f"{first} and {second}", witness.measure, witness.wanted.axis
    if witness.same and axis is not None:
        return f"{both} do not differ on {axis}, or {measure} does not depend on it."
    if axis == CUTOFF_AXIS:
        return f"{both} have the same cutoff of {measure}, as far as was asked."
    if witness.same:
        return f"{both} are the same on {measure}: it depends on nothing on which they differ."
    shown = "" if axis is None else f" that shows {axis}"
    numbers = " on which both give a number" if witness.wanted.only_values else ""
    looked = f" ({witness.examined:,} of them tried)" if witness.examined else ""
    wider = "".join(f"; {kind}: up to {bound}" for kind, bound in witness.narrower.items())
    beyond = f"; and on {witness.sampled} larger ones" if witness.sampled else ""
    documents = "1 document" if witness.bound == 1 else f"{witness.bound} documents"
    return f"{both} agree on {measure} on every input{shown}{numbers} of at most {documents}{looked}{wider}{beyond}."


def _notes(names: tuple[str, str], witness: Witness) -> Iterator[str]:
    """Say what was assumed, and what the two were found to be."""
    blind = [
        name
        for name, adapter in zip(names, map(adapter_named, names), strict=True)
        if adapter and adapter.shape == Shape.LABELS_SCORES.value
    ]
    if len(blind) == 1 and all(map(adapter_named, names)):
        yield (
            f"{blind[0]} takes labels and scores: it never sees relevant documents that were not retrieved. On files "
            f"that usually matters most: rankspec why {' '.join(names)} QRELS RUN"
        )
    if not witness.stated:
        yield f"No measure was named: {witness.measure} was assumed."
    yield from (f"{name}: {how_called}" for name, how_called in zip(names, witness.told, strict=True) if how_called)
    if witness.texts is not None and not witness.smallest and witness.wanted.axis != CUTOFF_AXIS:
        yield f"They agree on every input of at most {witness.bound} documents; not all sizes between were tried."
    if not witness.repeated:
        yield "The same calls returned other values when repeated."


def _row_of_axis(names: tuple[str, str], witness: Witness, found: AxisWitness) -> Row | None:
    """Return what two sides follow on an axis: conventions say it, of implementations their answers, where they can."""
    first, second = names
    conventions = [each.is_meant for each in witness.sides if isinstance(each.is_meant, Convention)]
    fitting: Sequence[Sequence[str]]
    if len(conventions) == len(names):
        fitting = [(setting_text(getattr(each, found.axis)),) for each in conventions]
        labels = (first, f"with {second}'s rule")
    elif found.settings is not None:
        fitting, labels = found.settings, names
    else:
        return None
    measure = replace(witness.measure, k=None) if found.axis == CUTOFF_AXIS else witness.measure
    shown = example(found.given, measure, dict(zip(labels, found.values, strict=True)))
    return Row(_title(found.axis), "", _rule(names, found.axis, fitting), shown)


def _title(axis: str) -> str:
    return axis.replace("_", " ")


def _rule(names: tuple[str, str], axis: str, values: Sequence[Sequence[str]]) -> str:
    return "; ".join(f"{name} {_phrase(name, axis, fitting)}" for name, fitting in zip(names, values, strict=True))


def _phrase(name: str, axis: str, fitting: Sequence[str]) -> str:
    """Say which of the values that fit a side follows: the one that it declares, else the first."""
    if axis not in AXES:
        return "has no cutoff" if fitting[0] == "none" else f"cuts at {fitting[0]} by default"
    declared = _declared(name)
    text = setting_text(getattr(declared, axis)) if declared is not None else ""
    if text not in fitting:
        text = fitting[0]
    more = " (other rules fit, too)" if len(fitting) > 1 and declared is None else ""
    return AXES[axis].phrase(parse_setting(axis, text)) + more


def _declared(name: str) -> Convention | None:
    """Return the convention that an adapter declares; None of what is no adapter."""
    adapter = adapter_named(name)
    return None if adapter is None or not adapter.convention else parse_convention(adapter.convention)
