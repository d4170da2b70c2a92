"""How one number becomes the other: for a person and for a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankspec.conformance.atlas.translate import Translation
from rankspec.conformance.atlas.translations import ValueTranslation, value_data
from rankspec.conformance.reports.console import plain_table, say
from rankspec.oracle.language.expression import convention_text
from rich.console import Console

SCHEMA = "rankspec/translate/1"


def translation_json(
    found: Translation, values: ValueTranslation | None, names: tuple[str, str], supposed: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what was found as one object; `values` is None where no query's value differs."""
    status = "same" if found.same else "inputs" if found.recipe is not None else "unknown"
    return {
        "schema": SCHEMA,
        "measure": str(found.measure),
        "a": {"name": names[0], "convention": convention_text(found.conventions[0])},
        "b": {"name": names[1], "convention": convention_text(found.conventions[1])},
        "status": status,
        "premises": list(supposed),
        "differing": list(found.differing),
        "steps": [] if found.recipe is None else list(found.recipe.steps),
        "function": None if found.recipe is None else found.recipe.code,
        "why": found.why,
        "tried": {"bound": found.bound, "small": found.inputs, "random": found.random},
        "apart": None
        if found.apart is None
        else [{"input": dict(each.given), "a": each.a, "b": each.b} for each in found.apart],
        "value": {"status": "same"} if values is None else value_data(values),
    }


def print_translation(
    console: Console,
    found: Translation,
    values: ValueTranslation | None,
    names: tuple[str, str],
    supposed: Sequence[str] = (),
) -> None:
    """Print the recipes with their functions, or why there are none; what they suppose comes first."""
    a, b = names
    if supposed and (found.same or found.recipe is not None or (values is not None and values.recipe is not None)):
        say(console, f"This holds where {'; '.join(supposed)}.", style="bold")
    for name, convention in zip(names, found.conventions, strict=True):
        say(console, f"{name}: {found.measure} under {convention_text(convention)}", style="bold")
    if found.same:
        say(console, f"the same: {found.measure} depends on nothing on which they differ")
        return
    say(console, f"they differ on {', '.join(found.differing)}")
    if values is not None:
        _print_values(console, values, names)
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


def _print_values(console: Console, values: ValueTranslation, names: tuple[str, str]) -> None:
    a, b = names
    say(console, "")
    if values.recipe is not None:
        say(console, f"Change the value that {a} gives a query into that of {b}:", style="bold")
        for number, step in enumerate(values.recipe.steps, start=1):
            say(console, f"  {number}. {step}")
        tried = f"every query of up to {values.bound} documents that can tell them apart and some larger ones"
        say(console, f"  it holds on {tried}, {values.tried} in all, and on {values.random} random ones", style="dim")
        say(console, "")
        console.print(values.recipe.code, soft_wrap=True)
    elif values.apart is not None:
        told = "the judgments and the number of retrieved documents are the same"
        say(console, f"No recipe on the value: {a} gives two queries one value, {told}, {b} two:", style="bold")
        for each in values.apart:
            given = ", ".join(f"{name} {value}" for name, value in each.query.given.items())
            say(console, f"  {given}: {a} {_worth(each.a)}, {b} {_worth(each.b)}")
    else:
        say(console, f"No recipe on the value is known, and none of {values.tried + values.random} queries refutes one")


def _worth(value: object) -> str:
    return "none" if value is None else str(value)


def print_table(console: Console, table: Mapping[str, Any], measure: str | None) -> None:
    """Print a line a pair of libraries: what makes the first one's value of a query the other's."""
    shown = plain_table("measure", "from", "to", "on the value of a query")
    for each in table["pairs"]:
        if measure in {None, each["measure"], each["measure"].partition("@")[0]}:
            said = table["translations"][each["translation"]]
            text = {"same": "the same", "none": "no recipe: two queries refute it", "unknown": "not known"}
            words = "; ".join(said["steps"]) if said["status"] == "recipe" else text[said["status"]]
            shown.add_row(each["measure"], each["a"], each["b"], ("" if each["whole"] else "~ ") + words)
    console.print(shown, crop=False)
    say(console, "~: of the nearest conventions, where none explains everything", style="dim")
