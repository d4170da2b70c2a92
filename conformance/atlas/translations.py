"""The table of translations: for libraries that many use, and each measure that two have, a recipe or a proof of none.

Conventions are compared as far as both calls can show them: an axis that one of them hides is set as in the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from rankspec.conformance.atlas.record import Measured, Record
from rankspec.conformance.atlas.value_recipe import differing_in_values
from rankspec.conformance.atlas.value_translation import Pair, ValueTranslation, translate_values
from rankspec.conformance.cases.schema import shipped_folder
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.language.expression import convention_text, parse_expression

LIBRARIES = (
    "scikit-learn",
    "torchmetrics",
    "xgboost",
    "lightgbm",
    "catboost",
    "pyspark",
    "sentence-transformers",
    "llama-index-core",
    "ranx",
    "pytrec-eval-terrier",
)
"""Those that most people's numbers come from: a choice, not a measurement."""

_CUTOFF = 3
"""What a small list is longer than; a recipe names k, and holds for others as it does for this one."""

SCHEMA = "rankspec/translations/1"
FILE = "translations.json"


@dataclass(frozen=True)
class Direction:
    """From one library to another, for a measure.

    Attributes:
        names: of the adapters.
        versions: of the libraries.
        conventions: of both, as far as both calls can show them.
        whole: a convention explains all that each of them does; otherwise it is the nearest.
    """

    measure: Measure
    names: tuple[str, str]
    versions: tuple[str, str]
    conventions: tuple[Convention, Convention]
    whole: bool

    @property
    def key(self) -> tuple[str, str, str]:
        """What its translation goes by."""
        return (str(self.measure), *map(convention_text, self.conventions))  # type: ignore[return-value]


def shipped_table() -> dict[str, Any]:
    """Return the table that comes with rankspec."""
    data: dict[str, Any] = json.loads((shipped_folder() / FILE).read_text(encoding="utf-8"))
    return data


def directions(records: Iterable[Record]) -> Iterator[Direction]:
    """Yield every ordered pair of functions of two of the libraries that compute one measure.

    Args:
        records: of which the newest measured one of each library counts.
    """
    newest = {each.library: each for each in records if each.measured and each.library in LIBRARIES}
    functions = [(newest[name], each) for name in LIBRARIES if name in newest for each in newest[name].measured]
    for (first, a), (second, b) in permutations(functions, 2):
        measure = _common(a, b)
        if first.library == second.library or measure is None:
            continue
        conventions = _aligned(measure, a, b)
        if conventions is not None:
            names = (first.name_of(a), second.name_of(b))
            versions = (first.version or "", second.version or "")
            yield Direction(measure, names, versions, conventions, a.is_whole and b.is_whole)


def _common(a: Measured, b: Measured) -> Measure | None:
    """Return the measure that both were asked for, with a small cutoff; None if they are two."""
    if a.expression is None or b.expression is None:
        return None
    first, second = parse_expression(a.expression)[0], parse_expression(b.expression)[0]
    smaller = min((first, second), key=lambda each: each.k or 0)
    if first.family is not second.family or (first.k is None) is not (second.k is None):
        return None
    return smaller if smaller.k is None else replace(smaller, k=min(smaller.k, _CUTOFF))


def _aligned(measure: Measure, a: Measured, b: Measured) -> tuple[Convention, Convention] | None:
    first, second = a.convention, b.convention
    if first is None or second is None:
        return None
    for axis in dict.fromkeys((*a.not_observable, *b.not_observable)):
        hidden = axis in a.not_observable, axis in b.not_observable
        setting = getattr(DEFAULT if all(hidden) else second if hidden[0] else first, axis)
        first, second = first.with_setting(axis, setting), second.with_setting(axis, setting)
    return None if meaningless(measure, first) or meaningless(measure, second) else (first, second)


def table(records: Sequence[Record]) -> dict[str, Any]:
    """Find every translation, and return the table as data; each pair of conventions is asked once."""
    listed = list(directions(records))
    distinct = {each.key: each for each in listed}
    found = {key: translation(each) for key, each in sorted(distinct.items())}
    places = {key: place for place, key in enumerate(found)}
    return {
        "schema": SCHEMA,
        "libraries": list(LIBRARIES),
        "translations": list(found.values()),
        "pairs": [
            {
                "measure": str(each.measure),
                "a": each.names[0],
                "b": each.names[1],
                "versions": list(each.versions),
                "whole": each.whole,
                "translation": places[each.key],
            }
            for each in listed
        ],
    }


def translation(each: Direction) -> dict[str, Any]:
    """Find out how the values of one library become those of another, and return it as data."""
    measure, a, b = each.key
    said: dict[str, Any] = {"measure": measure, "a": a, "b": b}
    if not differing_in_values(each.measure, *each.conventions):
        return {**said, "status": "same"}
    return {**said, **value_data(translate_values(each.measure, *each.conventions))}


def value_data(found: ValueTranslation) -> dict[str, Any]:
    """Return what is known of a translation of values as data."""
    return {
        "status": found.status,
        "steps": [] if found.recipe is None else list(found.recipe.steps),
        "function": None if found.recipe is None else found.recipe.code,
        "apart": None if found.apart is None else [_pair_data(each) for each in found.apart],
        "bound": found.bound,
        "tried": found.tried,
        "random": found.random,
    }


def _pair_data(pair: Pair) -> Mapping[str, Any]:
    a, b = (None if each is None else str(each) for each in (pair.a, pair.b))
    return {"input": pair.query.given, "a": a, "b": b}
