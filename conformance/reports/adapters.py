"""The list of adapters, what a new one needs next, and a smoke test's answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankspec.conformance.checks.answer import Checked
from rankspec.conformance.checks.minimal_pair import outcome_text, outcome_value
from rankspec.conformance.checks.records import labelled
from rankspec.conformance.implementations.catalogue import BUILT_IN, Listed
from rankspec.conformance.implementations.skeleton import Skeleton
from rankspec.conformance.reports.console import cases_table, say
from rankspec.conformance.reports.listing import Listing
from rankspec.conformance.reports.words import short_number
from rich.console import Console


def adapters_json(found: Sequence[Listed]) -> dict[str, Any]:
    """Return the list as one object."""
    return {"schema": "rankspec/adapters/1", "adapters": [_listed_json(each) for each in found]}


def _listed_json(each: Listed) -> dict[str, Any]:
    said = each.description
    return {
        "name": each.name,
        "distribution": None if said is None else said.distribution,
        "version": each.version,
        "shape": None if said is None else said.shape,
        "measures": [] if said is None else list(said.measures),
        "convention": None if said is None else said.convention,
        "origin": each.origin,
        "problem": each.problem,
    }


def print_adapters(console: Console, found: Sequence[Listed], *, every_one: bool = False) -> None:
    """Print a row an adapter, how more are installed, and what is wrong with those that can't be used.

    On a terminal those whose library is not installed are named, and have rows with `every_one`.
    """
    lacking = [each for each in found if each.description is not None and each.version is None]
    named = [] if every_one or not console.is_terminal else lacking
    console.print(adapters_table([each for each in found if each not in named]), crop=False)
    if named:
        names = ", ".join(each.name for each in named)
        say(console, f"{len(named)} more, whose libraries are not installed; --all lists what they have: {names}")
    if any(each.origin == BUILT_IN for each in lacking):
        console.print("`pip install 'rankspec[ADAPTER]'` installs the library of an adapter.", style="dim")
    for each in found:
        if each.problem is not None:
            say(console, f"{each.name} from {each.origin} can't be used: {each.problem}")


def adapters_table(found: Sequence[Listed]) -> Listing:
    """Return a row an adapter."""
    headings = ("adapter", "library", "installed", "shape", "declares")
    foreign = any(each.origin != BUILT_IN for each in found)
    table = cases_table(*headings, *(["from"] if foreign else []), "measures", indent=0)
    for each in found:
        *cells, measures = _cells(each)
        table.add_row(*cells, *([each.origin] if foreign else []), measures)
    return table


def _cells(each: Listed) -> list[str]:
    said = each.description
    if said is None:
        return [each.name, "-", "-", "-", "-", "can't be loaded"]
    return [each.name, said.distribution, each.version or "no", said.shape, said.convention, ", ".join(said.measures)]


def skeleton_json(written: Skeleton) -> dict[str, Any]:
    """Return what was written as one object."""
    return {
        "schema": "rankspec/adapters-new/1",
        "name": written.name,
        "shape": written.shape,
        "distribution": written.distribution,
        "files": [str(path) for path in written.files],
    }


def print_skeleton(console: Console, written: Skeleton) -> None:
    """Print what was written, and what to do next."""
    module, test = written.files
    for path in written.files:
        say(console, f"wrote {path}")
    lines = (
        "",
        "Next:",
        f"  1. Call {written.distribution} in the function of {module.name}; set `convention` to what it declares.",
        f"  2. rankspec smoke {module}:ADAPTER        is it called rightly?",
        f"  3. rankspec check {module}:ADAPTER        does it follow what it declares?",
        f"     rankspec identify {module}:ADAPTER     which convention it follows, if you don't know",
        f"  4. pytest {test}",
        "  5. In the package that ships it, so that everyone can say its name:",
        '       [project.entry-points."rankspec.adapters"]',
        f'       {written.name} = "{written.module}:ADAPTER"',
    )
    for line in lines:
        say(console, line)


def smoke_json(checked: Checked, seconds: float) -> dict[str, Any]:
    """Return a smoke test's answer as one object."""
    return {
        "schema": "rankspec/smoke/1",
        "implementation": checked.name,
        "version": checked.hello.version,
        "shape": checked.hello.shape.value,
        "shape_told": checked.hello.told or None,
        "works": checked.answered,
        "seconds": round(seconds, 3),
        "answers": [
            {"id": answer.question.id, "value": outcome_value(answer.outcome), "detail": answer.judgement.detail}
            for answer in checked.asked
        ],
    }


def print_smoke(console: Console, checked: Checked, seconds: float) -> None:
    """Print whether it works, and what came where it does not."""
    numbers = [answer for answer in checked.asked if answer.is_number]
    state = "works" if checked.answered else "does not work"
    label = labelled(checked.name, checked.hello.version)
    say(
        console,
        f"{label} {state}: {len(numbers)} of {len(checked.asked)} plain questions got a number"
        f" as {checked.hello.shape.value}, in {seconds:.1f} s",
    )
    if checked.hello.told:
        say(console, f"  {checked.hello.told}")
    for remark in checked.remarks:
        if remark != checked.hello.told:
            say(console, f"  {remark}")
    alike: dict[str, list[str]] = {}
    for answer in checked.asked:
        if not answer.is_number:
            what = f"{outcome_text(answer.outcome)}: {answer.judgement.detail}"
            alike.setdefault(what, []).append(answer.question.id)
    for what, cases in alike.items():
        more = f" and {len(cases) - 1} more" if len(cases) > 1 else ""
        say(console, f"  {cases[0]}{more}: {what}")
    example = next(iter(numbers), None)
    if example is not None:
        say(console, f"  e.g. {example.question.id}: {short_number(outcome_text(example.outcome))}")
