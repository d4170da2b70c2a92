"""An identification, for a person and for a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankspec.conformance.answers.function import headline
from rankspec.conformance.answers.statements import statements
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.infer.identify.identification import Counterexample, Identification, Status
from rankspec.conformance.reports.blocks import Fields, Line, Report
from rankspec.conformance.reports.words import shortened_fraction, shortened_list, shortened_text

_MOST_ON_SCREEN = 4
_TWO = 2
_LONGEST_OBSERVATION = 300
_LONGEST_ANSWER = 120
_STYLES = {Status.IDENTIFIED: "green", Status.AMBIGUOUS: "yellow"}


def identification_data(identification: Identification) -> dict[str, Any]:
    """Return what was found as `identify --json` has it."""
    return {
        "schema": "rankspec/identify/1",
        **data_of(identification, "implementation", "version", "shape", "measure", "status", "axes", "not_observable"),
        "conventions": [] if identification.deviations else list(identification.texts),
        "apart_from_deviations": list(identification.texts) if identification.deviations else [],
        "observations": list(identification.observations),
        "witness": identification.witness
        and data_of(identification.witness, "measure", "got", "exact", "convention", "input"),
        "nearest": identification.nearest,
        "explained": identification.explained or identification.is_good,
        "deviations": list(identification.deviations),
        "pair": identification.pair and identification.pair.data,
        **data_of(identification, "snippet", "unused", asked="calls", undecided="open_axes"),
        "answered": {
            **data_of(identification.answered, "questions", "numbers", "instead", "options"),
            "sure": list(identification.sure),
        },
        "stopped": dict(identification.answered.stopped),
        "statements": dict(statements(identification)),
        "classes": len(identification.classes),
        "seconds": round(identification.seconds, 3),
    }


def identification_report(identification: Identification) -> Report:
    """Yield what was found: the answer in a sentence, then every detail."""
    yield Line(headline(identification.implementation.rpartition(":")[2], identification), style="bold")
    yield ""
    version = f" {identification.version}" if identification.version else ""
    yield Line(
        (f"{identification.implementation}{version}", "bold"),
        f" ({identification.shape}): ",
        (identification.status.value, f"bold {_STYLES.get(identification.status, 'red')}"),
    )
    # Of what is identified apart from something, that is the first observation.
    texts = () if identification.deviations and identification.status is not Status.IDENTIFIED else identification.texts
    shown = 1 if len(identification.classes) == 1 else _MOST_ON_SCREEN
    for text in texts[:shown]:
        yield f"  {text}"
    if len(identification.classes) > 1 and len(texts) > shown:
        yield Line(f"  and {len(texts) - shown} more, see --json", style="dim")
    for observation in identification.observations:
        yield f"  * {shortened_text(observation, _LONGEST_OBSERVATION)}"
    if identification.witness is not None:
        yield from _witness(identification.witness, identification.status)
    if identification.snippet:
        yield "  code that shows it:"
        yield from (Line(line, copied=True) for line in identification.snippet)
    if identification.axes:
        yield Fields(_axes(identification), indent=2)
    if identification.unused:
        yield Line(f"  no effect on this measure: {', '.join(identification.unused)}", style="dim")
    if len(identification.classes) == 1 and len(texts) > 1:
        others = [*texts[1:3], f"and {len(texts) - 3} more, see --json"][: len(texts) - 1]
        yield Line(f"  also match (this function's inputs can't tell them apart): {'; '.join(others)}", style="dim")
    if identification.not_observable:
        yield Line(
            f"  not visible (this function's inputs can't express it): {', '.join(identification.not_observable)}",
            style="dim",
        )
    yield from _statements(identification)
    yield Line(f"  {identification.calls} calls, {identification.seconds:.1f} s", style="dim")


def _statements(identification: Identification) -> Report:
    """Yield what can be copied elsewhere."""
    for what, text in statements(identification).items():
        first, *others = text.splitlines()
        if others:
            yield f"  {_HEADINGS[what]}:"
            yield from (Line(f"    {line}", copied=True) for line in (first, *others))
        else:
            yield f"  {_HEADINGS[what]}: {first}"


_HEADINGS = {"change": "to change", "paper": "for a paper", "ci": "for CI", "profile": "as a profile (TOML)"}


def _axes(identification: Identification) -> Iterator[tuple[str, str]]:
    for axis, values in identification.axes.items():
        if axis in identification.unused:
            continue
        values_text = " or ".join(values) or "none of the known values"
        if len(values) > _TWO:
            values_text = f"any of {', '.join(values)}"
        if axis in identification.open_axes:
            values_text = f"not determined: {', '.join(values)}"
        yield axis, values_text


def _witness(witness: Counterexample, status: Status) -> Report:
    is_unstable = status is Status.UNSTABLE
    what = "repeated calls differ" if is_unstable else "they differ"
    yield f"  smallest input found on which {what}, {witness.measure}:"
    exact = shortened_fraction(witness.exact)
    expected = ("then" if is_unstable else "expected", exact)
    if witness.convention is not None:
        expected = ("expected", f"{exact}   {witness.convention}")
    returned = ("returned", shortened_text(witness.got, _LONGEST_ANSWER))
    yield Fields([*_input(witness.input), returned, expected], indent=4)


def _input(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in data.items():
        if isinstance(value, Mapping):
            for query, documents in value.items():
                pairs = documents.items() if isinstance(documents, Mapping) else documents
                items = [f"{docno} {number}" for docno, number in pairs]
                yield f"{name} {query}", shortened_list(items, ", ") or "nothing"
            if not value:
                yield name, "nothing"
        else:
            yield name, (shortened_list(value) if isinstance(value, list) else str(value)) or "nothing"
