"""An identification, for a person and for a program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rankspec.conformance.infer.identify.identification import Counterexample, Identification, Status
from rankspec.conformance.reports.console import say
from rankspec.conformance.reports.shortening import shortened_fraction, shortened_list, shortened_text
from rich.console import Console
from rich.table import Table
from rich.text import Text

SCHEMA = "rankspec/identify/1"
_MOST_ON_SCREEN = 4
_LONGEST_OBSERVATION = 300
_LONGEST_ANSWER = 120
_STYLES = {Status.IDENTIFIED: "green", Status.AMBIGUOUS: "yellow"}


def as_json(found: Identification) -> dict[str, Any]:
    """Return the finding as one object."""
    return {
        "schema": SCHEMA,
        "implementation": found.implementation,
        "version": found.version,
        "shape": found.shape,
        "measure": str(found.measure),
        "status": found.status.value,
        "axes": {axis: list(values) for axis, values in found.axes.items()},
        "not_observable": list(found.not_observable),
        "conventions": [] if found.deviations else list(found.texts),
        "apart_from_deviations": list(found.texts) if found.deviations else [],
        "observations": list(found.observations),
        "witness": None if found.witness is None else _witness_json(found.witness),
        "nearest": found.nearest,
        "explained": found.explained or found.is_good,
        "deviations": list(found.deviations),
        "pair": None if found.pair is None else found.pair.data,
        "snippet": list(found.snippet),
        "undecided": list(found.open_axes),
        "unused": list(found.unused),
        "classes": len(found.classes),
        "asked": found.asked,
        "stopped": dict(found.stopped),
        "seconds": round(found.seconds, 3),
    }


def _witness_json(witness: Counterexample) -> dict[str, Any]:
    return {
        "input": dict(witness.given),
        "measure": witness.measure,
        "got": witness.got,
        "exact": witness.exact,
        "convention": witness.convention,
    }


def print_identification(console: Console, found: Identification) -> None:
    """Print what was found, on one screen."""
    version = f" {found.version}" if found.version else ""
    say(
        console,
        Text.assemble(
            (f"{found.implementation}{version}", "bold"),
            f" ({found.shape}): ",
            (found.status.value, f"bold {_STYLES.get(found.status, 'red')}"),
        ),
    )
    # Of what is identified apart from something, that is the first observation.
    texts = () if found.deviations and found.status is not Status.IDENTIFIED else found.texts
    shown = 1 if len(found.classes) == 1 else _MOST_ON_SCREEN
    for text in texts[:shown]:
        say(console, f"  {text}")
    if len(found.classes) > 1 and len(texts) > shown:
        say(console, f"  and {len(texts) - shown} more, see --json", style="dim")
    if found.nearest is not None and not found.explained:
        say(console, f"  the nearest convention is {found.nearest}")
    for observation in found.observations:
        say(console, f"  * {shortened_text(observation, _LONGEST_OBSERVATION)}")
    if found.witness is not None:
        _print_witness(console, found.witness, found.status)
    if found.snippet:
        say(console, "  this shows it:")
        for line in found.snippet:
            console.file.write(f"{line}\n")  # as it is pasted
    if found.axes:
        _print_fields(console, _axes(found))
    _print_folded(console, found, texts)
    say(console, f"  {found.asked} calls, {found.seconds:.1f} s", style="dim")


def _print_folded(console: Console, found: Identification, texts: Sequence[str]) -> None:
    """Print what makes no difference: a line each."""
    if found.unused:
        say(console, f"  makes no difference here: {', '.join(found.unused)}", style="dim")
    if len(found.classes) == 1 and len(texts) > 1:
        others = [*texts[1:3], f"and {len(texts) - 3} more, see --json"][: len(texts) - 1]
        say(console, f"  the same in this shape: {'; '.join(others)}", style="dim")
    if found.not_observable:
        say(console, f"  not observable in this shape: {', '.join(found.not_observable)}", style="dim")


def _axes(found: Identification) -> Iterator[tuple[str, str]]:
    for axis, values in found.axes.items():
        if axis in found.unused:
            continue
        listed = " or ".join(values) or "none of the known values"
        if axis in found.open_axes:
            listed = f"could not be told: {', '.join(values)}"
        yield f"  {axis}", listed


def _print_fields(console: Console, fields: Iterable[tuple[str, str]]) -> None:
    """Print names and what is to be said of each: aligned on a terminal, elsewhere a line each, without padding."""
    if not console.is_terminal:
        for name, said in fields:
            console.file.write(f"{name}\t{said}\n")  # printing would expand the tab
        return
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, said in fields:
        table.add_row(Text(name), Text(said))
    console.print(table)


def _print_witness(console: Console, witness: Counterexample, status: Status) -> None:
    what = "it changed its answer" if status is Status.UNSTABLE else "they part"
    say(console, f"  the smallest input found on which {what}, {witness.measure}:")
    _print_fields(console, _input(witness.given))
    fields = [("    got", shortened_text(witness.got, _LONGEST_ANSWER))]
    if witness.convention is None:
        wanted = "    then" if status is Status.UNSTABLE else "    wanted"
        fields.append((wanted, shortened_fraction(witness.exact)))
    else:
        fields.append(("    exact", f"{shortened_fraction(witness.exact)}   {witness.convention}"))
    _print_fields(console, fields)


def _input(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in given.items():
        if isinstance(value, Mapping):
            for query, documents in value.items():
                pairs = documents.items() if isinstance(documents, Mapping) else documents
                listed = shortened_list([f"{docno} {number}" for docno, number in pairs], ", ")
                yield f"    {name} {query}", listed or "nothing"
            if not value:
                yield f"    {name}", "nothing"
        elif isinstance(value, list):
            yield f"    {name}", shortened_list(value) or "nothing"
        else:
            yield f"    {name}", str(value)
