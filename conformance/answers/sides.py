"""On what two conventions, functions or libraries differ: a witness in sentences, a row a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rankspec.conformance.answers.answer import Page, Row
from rankspec.conformance.answers.example import example
from rankspec.conformance.answers.function import finding_of, follows_rule, identified_example, is_different
from rankspec.conformance.answers.library import ARBITRARY, leaves_ties_open
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.infer.witness.implementation_search import MOST_USUAL, largest_grade
from rankspec.conformance.infer.witness.sides import CUTOFF_AXIS, AxisWitness, Side, Witness
from rankspec.conformance.worker.loading import adapter_named
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention, parse_setting, setting_text
from rankspec.oracle.language.expression import parse_convention

_COUNTS = ("", "one way", "two ways", "three ways", "four ways")


def sides_answer(
    names: tuple[str, str],
    witness: Witness,
    following: tuple[str, str] | None = None,
    identified: Mapping[str, Identification] | None = None,
) -> Page:
    """Return the answer about two sides by their smallest differences; `following`: what shows more, its command."""
    # `identified`: what functions were found to be, by name.
    measure, details = witness.measure, () if following is None else (following,)
    first, second = (
        f"{name} {version}" if version and version not in name else name
        for name, version in zip(names, witness.versions, strict=True)
    )
    notes = tuple(_notes(names, witness, identified or {}))
    if witness.texts is None:
        return Page(_agreement(first, second, witness), (), details, notes)
    values = dict(zip(names, witness.texts, strict=True))
    smallest = "" if witness.input is None else example(witness.input, measure, values)
    rows = [row for each in witness.by_axis if (row := _row_of_axis(names, witness, each)) is not None]
    if not witness.by_axis:  # of a difference on one axis there is no list of axes
        faults = [(each.axis, (each.a, each.b)) for each in witness.axes]
        rules = ((axis, _rule(names, witness.sides, axis, values)) for axis, values in faults)
        rows = [Row(_title(axis), "", rule, smallest) for axis, rule in rules if rule]
    refusing = [name for name, text in values.items() if text[:1].isalpha()]
    by_name = identified or {}
    if any(map(_is_mistaken, by_name.values())):
        differing = {name: each for name, each in by_name.items() if is_different(each)}
        is_explained = bool(refusing or (rows and witness.axes))
        of_mistake = {name: identified_example(each) if is_explained else smallest for name, each in differing.items()}
        rows += [
            Row(name, "", finding_of(each), of_mistake[name] if _is_mistaken(each) else "")
            for name, each in differing.items()
        ]
    if not rows and (rule := _rule_of_unordered(names, witness, by_name)):
        rows = [Row("ties", "", rule, smallest)]
    if not rows and _huge_grade(witness):
        summary = f"{first} and {second} agree on {measure} as far as was asked with grades of up to {MOST_USUAL:,}."
        return Page(summary, (Row("grade", "", "", smallest),), details, notes)
    if not rows and not refusing:
        summary = f"{first} and {second} differ on {measure}, in what no one rule says."
        return Page(summary, (Row("example", "", "", smallest),), details, notes)
    if not witness.axes and smallest not in {row.example for row in rows}:  # the smallest example is none of theirs
        rule = "they differ in what no one rule says"
        if refusing:
            others = [name for name in names if name not in refusing]
            rule = f"{refusing[0]} refuses it{f'; {others[0]} does not' if others else ''}"
        rows.append(Row("refusal" if refusing else "another", "", rule, smallest))
    ways = _COUNTS[len(rows)] if len(rows) < len(_COUNTS) else f"{len(rows)} ways"
    return Page(f"{first} and {second} differ in {ways} on {measure}.", tuple(rows), details, notes)


def _agreement(first: str, second: str, witness: Witness) -> str:
    """Say how far two sides were found to agree."""
    both, measure, axis = f"{first} and {second}", witness.measure, witness.filter.axis
    if witness.same and axis is not None:
        return f"{both} do not differ on {axis}, or {measure} does not depend on it."
    if axis == CUTOFF_AXIS:
        return f"{both} have the same cutoff of {measure}, as far as was asked."
    if witness.same:
        return f"{both} are the same on {measure}: it depends on nothing on which they differ."
    shown = "" if axis is None else f" that shows {axis}"
    numbers = " on which both give a number" if witness.filter.only_values else ""
    examined = f" ({witness.examined:,} of them tried)" if witness.examined else ""
    wider = "".join(f"; {kind}: up to {bound}" for kind, bound in witness.narrower.items())
    beyond = f"; and on {witness.sampled} larger ones" if witness.sampled else ""
    documents = "1 document" if witness.bound == 1 else f"{witness.bound} documents"
    return f"{both} agree on {measure} on every input{shown}{numbers} of at most {documents}{examined}{wider}{beyond}."


def _notes(names: tuple[str, str], witness: Witness, identified: Mapping[str, Identification]) -> Iterator[str]:
    """Say what was assumed, and what the two were found to be."""
    adapters = (adapter_named(side.text) for side in witness.sides)
    blind = [
        name
        for name, adapter in zip(names, adapters, strict=True)
        if adapter and adapter.shape == Shape.LABELS_SCORES.value
    ]
    if len(blind) == 1:
        on_files = f" On files that usually matters most: rankspec why {' '.join(names)} QRELS RUN"
        more = on_files if all(map(adapter_named, names)) else ""
        yield f"{blind[0]} takes labels and scores: it never sees relevant documents that were not retrieved.{more}"
    without_scores = [name for name, each in identified.items() if "ties" in each.not_observable]
    if len(without_scores) == 1:  # else neither has ties
        yield f"{without_scores[0]} is given no scores: ties were not compared."
    if not witness.stated:
        yield f"No measure was named: {witness.measure} was assumed."
    yield from (f"{name}: {note}" for name, note in zip(names, witness.shape_notes, strict=True) if note)
    if (
        witness.texts is not None
        and not (witness.smallest or _huge_grade(witness))
        and witness.filter.axis != CUTOFF_AXIS
    ):
        yield f"They agree on every input of at most {witness.bound} documents; not all sizes between were tried."
    if not witness.repeated:
        yield "The same calls returned other values when repeated."


def _row_of_axis(names: tuple[str, str], witness: Witness, on_axis: AxisWitness) -> Row | None:
    """Return what two sides follow on an axis: conventions say it, of implementations their answers, where they can."""
    first, second = names
    conventions = [each.is_meant for each in witness.sides if isinstance(each.is_meant, Convention)]
    fitting: Sequence[Sequence[str]]
    if len(conventions) == len(names):
        fitting = [(setting_text(getattr(each, on_axis.axis)),) for each in conventions]
        labels = (first, f"with {second}'s rule")
    elif on_axis.settings is not None:
        fitting, labels = on_axis.settings, names
    else:
        return None
    measure = replace(witness.measure, k=None) if on_axis.axis == CUTOFF_AXIS else witness.measure
    shown = example(on_axis.input, measure, dict(zip(labels, on_axis.values, strict=True)))
    rule = _rule(names, witness.sides, on_axis.axis, fitting)
    return Row(_title(on_axis.axis), "", rule, shown) if rule else None


def _title(axis: str) -> str:
    return axis.replace("_", " ")


def _rule(names: tuple[str, str], sides: Sequence[Side], axis: str, values: Sequence[Sequence[str]]) -> str:
    """Say what two sides follow on an axis; empty where that can't be, by what is known of them."""
    phrases = [_phrase(side, axis, fits) for side, fits in zip(sides, values, strict=True)]
    alike = phrases[0] == phrases[1]
    return "" if alike or not all(phrases) else "; ".join(map(" ".join, zip(names, phrases, strict=True)))


def _rule_of_unordered(names: tuple[str, str], witness: Witness, identified: Mapping[str, Identification]) -> str:
    """Say that one of two leaves ties in arbitrary order, where their example has ties; empty if none is known to."""
    run = {} if witness.input is None else case_input(witness.input).run.results
    if all(len({score for _, score in documents}) == len(documents) for documents in run.values()):
        return ""
    phrases = []
    for name, side in zip(names, witness.sides, strict=True):
        own = identified.get(name)
        arbitrary = leaves_ties_open(side.text, witness.measure) if own is None else own.has_unordered_ties
        known = side.follows or _declared(side.text) or DEFAULT
        phrases.append(ARBITRARY if arbitrary else AXES["ties"].phrase(known.ties))
    return "; ".join(map(" ".join, zip(names, phrases, strict=True))) if ARBITRARY in phrases else ""


def _huge_grade(witness: Witness) -> int:
    """Return the largest grade of an example, if few programs can hold it; else 0."""
    largest = 0 if witness.input is None else largest_grade(case_input(witness.input).qrels.judgments)
    return largest if largest > MOST_USUAL else 0


def _is_mistaken(identification: Identification) -> bool:
    """Tell a function that does what no convention says."""
    return bool(identification.beyond_choices) or not follows_rule(identification)


def _phrase(side: Side, axis: str, fitting: Sequence[str]) -> str:
    """Say which of the values that fit a side follows; empty if it is known to follow none of them."""
    if axis not in AXES:
        return "does not cut" if fitting[0] == "none" else f"cuts at {fitting[0]} by default"
    known = side.follows or _declared(side.text)
    text = fitting[0] if known is None else setting_text(getattr(known, axis))
    more = " (other rules fit, too)" if len(fitting) > 1 and known is None else ""
    return AXES[axis].phrase(parse_setting(axis, text)) + more if text in fitting else ""


def _declared(name: str) -> Convention | None:
    """Return the convention that an adapter declares; None of what is no adapter."""
    adapter = adapter_named(name)
    return None if adapter is None or not adapter.convention else parse_convention(adapter.convention)
