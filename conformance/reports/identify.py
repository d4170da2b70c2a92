"""An identification, for a person and for a program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rankspec.conformance.reports.console import say
from rankspec.conformance.settle.identify.identification import Counterexample, Identification, Status
from rich.console import Console
from rich.table import Table
from rich.text import Text

SCHEMA = "rankspec/identify/1"
_MOST_ON_SCREEN = 4
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
        "conventions": list(found.texts),
        "observations": list(found.observations),
        "witness": None if found.witness is None else _witness_json(found.witness),
        "nearest": found.nearest,
        "explained": found.explained or found.is_good,
        "deviations": list(found.deviations),
        "undecided": list(found.open_axes),
        "unused": list(found.unused),
        "classes": len(found.classes),
        "asked": found.asked,
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
    texts = () if found.deviations else found.texts
    for text in texts[:_MOST_ON_SCREEN]:
        say(console, f"  {text}")
    if len(texts) > _MOST_ON_SCREEN:
        say(console, f"  and {len(found.texts) - _MOST_ON_SCREEN} more, see --json", style="dim")
    if found.nearest is not None and not found.explained:
        say(console, f"  the nearest convention is {found.nearest}")
    if found.axes:
        _print_fields(console, _axes(found))
    if found.not_observable:
        hidden = ", ".join(found.not_observable)
        say(console, f"  not observable in this shape: {hidden}", style="dim")
    for observation in found.observations:
        say(console, f"  * {observation}")
    if found.witness is not None:
        _print_witness(console, found.witness, found.status)
    say(console, f"  {found.asked} calls, {found.seconds:.1f} s", style="dim")


def _axes(found: Identification) -> Iterator[tuple[str, str]]:
    for axis, values in found.axes.items():
        listed = " or ".join(values)
        if axis in found.unused:
            listed = f"no matter which ({', '.join(values)}): it changes nothing here"
        elif axis in found.open_axes:
            listed = f"could not be told: {', '.join(values)}"
        yield f"  {axis}", listed


def _print_fields(console: Console, fields: Iterable[tuple[str, str]]) -> None:
    """Print names and what is to be said of each: aligned on a terminal, elsewhere a line each, without padding."""
    if not console.is_terminal:
        for name, said in fields:
            console.out(f"{name}\t{said}", highlight=False)  # printing would expand the tab
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
    fields = [("    got", witness.got)]
    if witness.convention is None:
        fields.append(("    then" if status is Status.UNSTABLE else "    wanted", witness.exact))
    else:
        fields.append(("    exact", f"{witness.exact}   {witness.convention}"))
    _print_fields(console, fields)


def _input(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in given.items():
        if isinstance(value, Mapping):
            for query, documents in value.items():
                pairs = documents.items() if isinstance(documents, Mapping) else documents
                listed = ", ".join(f"{docno} {number}" for docno, number in pairs)
                yield f"    {name} {query}", listed or "nothing"
            if not value:
                yield f"    {name}", "nothing"
        elif isinstance(value, list):
            yield f"    {name}", " ".join(map(str, value)) or "nothing"
        else:
            yield f"    {name}", str(value)
