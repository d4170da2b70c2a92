"""How one number becomes the other: for a person and for a program."""

from __future__ import annotations

from typing import Any

from rankspec.conformance.atlas.translate import Translation
from rankspec.conformance.reports.console import say
from rankspec.oracle.language.expression import convention_text
from rich.console import Console

SCHEMA = "rankspec/translate/1"


def translation_json(found: Translation, names: tuple[str, str]) -> dict[str, Any]:
    """Return what was found as one object."""
    status = "same" if found.same else "inputs" if found.recipe is not None else "unknown"
    return {
        "schema": SCHEMA,
        "measure": str(found.measure),
        "a": {"name": names[0], "convention": convention_text(found.conventions[0])},
        "b": {"name": names[1], "convention": convention_text(found.conventions[1])},
        "status": status,
        "differing": list(found.differing),
        "steps": [] if found.recipe is None else list(found.recipe.steps),
        "function": None if found.recipe is None else found.recipe.code,
        "why": found.why,
        "tried": {"bound": found.bound, "small": found.inputs, "random": found.random},
        "apart": None
        if found.apart is None
        else [{"input": dict(each.given), "a": each.a, "b": each.b} for each in found.apart],
    }


def print_translation(console: Console, found: Translation, names: tuple[str, str]) -> None:
    """Print the recipe with its function, or why there is none."""
    a, b = names
    for name, convention in zip(names, found.conventions, strict=True):
        say(console, f"{name}: {found.measure} under {convention_text(convention)}", style="bold")
    if found.same:
        say(console, f"the same: {found.measure} depends on nothing on which they differ")
        return
    say(console, f"they differ on {', '.join(found.differing)}")
    if found.apart is not None:
        say(console, "")
        say(console, f"The value of {b} does not follow from that of {a}:", style="bold")
        for each in found.apart:
            given = ", ".join(f"{name} {value}" for name, value in each.given.items())
            say(console, f"  {given}: {a} {each.a}, {b} {each.b}")
    say(console, "")
    if found.recipe is None:
        say(console, f"No recipe on the inputs: {found.why}", style="bold")
        return
    say(console, f"Change the inputs, and {a} gives the value of {b}:", style="bold")
    for number, step in enumerate(found.recipe.steps, start=1):
        say(console, f"  {number}. {step}")
    documents = f"{found.bound} document{'' if found.bound == 1 else 's'}"
    tried = f"every input of up to {documents} that can tell them apart and some larger ones, {found.inputs} in all"
    say(console, f"  it holds on {tried}, and on {found.random} random ones", style="dim")
    say(console, "")
    console.print(found.recipe.code, soft_wrap=True)
