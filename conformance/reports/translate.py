"""How one number becomes the other: for a person and for a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankspec.conformance.atlas.recipe import Recipe, ValueRecipe
from rankspec.conformance.atlas.translate import Translation
from rankspec.conformance.atlas.translations import ValueTranslation, value_data
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.conformance.reports.words import counted
from rankspec.oracle.language.expression import convention_text


def translation_data(
    translation: Translation, values: ValueTranslation | None, names: tuple[str, str], supposed: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what `translate --json` has; `values` is None where no query's value differs."""
    recipe = translation.recipe
    return {
        "schema": "rankspec/translate/1",
        "measure": str(translation.measure),
        "a": {"name": names[0], "convention": convention_text(translation.conventions[0])},
        "b": {"name": names[1], "convention": convention_text(translation.conventions[1])},
        "status": "same" if translation.same else "inputs" if recipe is not None else "unknown",
        "premises": list(supposed),
        "differing": list(translation.differing),
        "steps": [] if recipe is None else list(recipe.steps),
        "function": recipe and recipe.code,
        "why": translation.why,
        "tried": data_of(translation, "bound", "random", small="inputs"),
        "apart": translation.apart and [data_of(each, "a", "b", input="given") for each in translation.apart],
        "value": {"status": "same"} if values is None else value_data(values),
    }


def translation_report(
    translation: Translation, values: ValueTranslation | None, names: tuple[str, str], supposed: Sequence[str] = ()
) -> Report:
    """Yield the recipes with their functions, or why there are none; what they suppose comes first."""
    a, b = names
    recipe = translation.recipe
    if supposed and (translation.same or recipe is not None or (values is not None and values.recipe is not None)):
        yield Line(f"This holds where {'; '.join(supposed)}.", style="bold")
    for name, convention in zip(names, translation.conventions, strict=True):
        yield Line(f"{name}: {translation.measure} under {convention_text(convention)}", style="bold")
    if translation.same:
        yield f"the same: {translation.measure} depends on nothing on which they differ"
        return
    yield f"they differ on {', '.join(translation.differing)}"
    if values is not None:
        yield from _values(values, names)
    if translation.apart is not None:
        yield ""
        yield Line(f"The value of {b} does not follow from that of {a}:", style="bold")
        yield from (_example(each.given, names, (each.a, each.b)) for each in translation.apart)
    yield ""
    if recipe is None:
        yield Line(f"No recipe on the inputs: {translation.why}", style="bold")
        return
    yield Line(f"Change the inputs, and {a} gives the value of {b}:", style="bold")
    tried = f"every input of up to {counted(translation.bound, 'document')}"
    yield from _recipe(recipe, tried, f"{translation.inputs} in all, and on {translation.random} random ones")


def _values(values: ValueTranslation, names: tuple[str, str]) -> Report:
    a, b = names
    yield ""
    if values.recipe is not None:
        yield Line(f"Change the value that {a} gives a query into that of {b}:", style="bold")
        tried = f"every query of up to {values.bound} documents"
        yield from _recipe(values.recipe, tried, f"{values.tried} in all, and on {values.random} random ones")
    elif values.apart is not None:
        same = "the judgments and the number of retrieved documents are the same"
        yield Line(f"No recipe on the value: {a} gives two queries one value, {same}, {b} two:", style="bold")
        yield from (_example(each.query.given, names, (each.a, each.b)) for each in values.apart)
    else:
        yield f"No recipe on the value is known, and none of {values.tried + values.random} queries refutes one"


def _recipe(recipe: Recipe | ValueRecipe, tried: str, count: str) -> Report:
    yield from (f"  {number}. {step}" for number, step in enumerate(recipe.steps, start=1))
    yield Line(f"  it holds on {tried} that can separate them and some larger ones, {count}", style="dim")
    yield ""
    yield Line(recipe.code, copied=True)


def _example(given: Mapping[str, Any], names: tuple[str, str], values: tuple[object, object]) -> str:
    data = ", ".join(f"{name} {value}" for name, value in given.items())
    a, b = ("none" if value is None else value for value in values)
    return f"  {data}: {names[0]} {a}, {names[1]} {b}"


def translations_report(table: Mapping[str, Any], measure: str | None) -> Report:
    """Yield a row a pair of libraries: what makes the first one's value of a query the other's."""
    words = {"same": "the same", "none": "no recipe: two queries refute it", "unknown": "not known"}
    rows = Table("measure", "from", "to", "on the value of a query")
    for each in table["pairs"]:
        if measure in {None, each["measure"], each["measure"].partition("@")[0]}:
            said = table["translations"][each["translation"]]
            how = "; ".join(said["steps"]) if said["status"] == "recipe" else words[said["status"]]
            rows.add_row(each["measure"], each["a"], each["b"], ("" if each["whole"] else "~ ") + how)
    yield rows
    yield Line("~: of the nearest conventions, where none explains everything", style="dim")
