"""`rankspec measures NAME`: the formula first, then a worked example and the named conventions that differ."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from rankspec.conformance.reports.blocks import Fields, Line, Report
from rankspec.conformance.reports.derivations.text import text
from rankspec.conformance.reports.reference import Details
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.declarations.family import Family
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.definitions.expression import ONE, ZERO, Definition
from rankspec.oracle.definitions.writing import text as written
from rankspec.oracle.derivation import explain
from rankspec.oracle.errors import OracleError
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.language.sentence import joined, phrases
from rankspec.oracle.values import Undefined

_QRELS = Qrels.of({"q": {"a": 1, "b": 0, "c": 1, "d": 1, "e": 1, "f": 1}})
_RUN = Run.of({"q": [("a", 3), ("b", 2), ("c", 1)]})
_COMMAND = "rankspec explain --relevance 1,0,1 --num-relevant 5 --measure"  # The example, and what prints it

_DEFINED_AS = {"AP": "AP@R"}
"""A family of areas -> the family whose definition is its formula under the default convention."""


def measure_report(details: Details, most: int | None = None) -> Report:
    """Yield what is said of a family of measures; with `most` so many conventions at most, and nothing after them."""
    family = FAMILIES[str(details["name"])]
    yield Line(family.name, style="bold")
    yield f"  {family.about}"
    definition = FAMILIES[_DEFINED_AS.get(family.name, family.name)].definition
    if definition is not None:
        yield f"  formula: {_formula(definition)}"
    yield from _example(family)
    if differing := dict(_differing(family)):
        yield "  named conventions that differ from the default:"
        yield Fields(islice(differing.items(), most), indent=4)
    if most is not None:
        if len(differing) > most:
            yield f"    and {len(differing) - most} more"
        return
    if others := details.get("other_names"):
        yield "  other names:"
        yield Fields(others.items(), indent=4)
    yield f"  parameters: {', '.join(sorted(family.parameters)) or 'none'}; cutoff: {family.cut.value}"
    yield f"  axes: {', '.join(details['axes'])}"


def _formula(definition: Definition) -> str:
    """Write a formula in a line, in the words of `rankspec explain`."""
    if definition.formula[0]:
        return (
            f"{definition.formula[0]}, with {', '.join(f'{name} = {written(of)}' for name, of in definition.factors)}"
        )
    total = "" if definition.term == ZERO else f"the sum over the documents of {written(definition.term)}"
    beside = "" if definition.extra == ZERO else written(definition.extra)
    divided = "" if definition.divisor == ONE else f", divided by {written(definition.divisor)}"
    return f"{' plus '.join(part for part in (total, beside) if part)}{divided}"


def _example(family: Family) -> Iterator[Line | str]:
    measure = parse_measure(family.example)
    if "dcg" in family.parameters:  # the plain one, whatever the example shows
        measure = replace(measure, dcg=None)
    measure = measure if measure.k is None else replace(measure, k=3)
    try:
        derivation = explain(measure, _QRELS, _RUN)
    except OracleError:  # a measure of subtopics or preferences
        return
    if isinstance(derivation.value, Undefined):
        return
    yield Line(f"  example: {_COMMAND} {shlex.quote(str(measure))}", copied=True)
    yield from (f"    {line}".rstrip() for line in text(derivation).splitlines())


def _differing(family: Family) -> Iterator[tuple[str, str]]:
    """Yield the conventions that are known for the family, with the words of what differs."""
    measure = parse_measure(family.example)
    for profile in PROFILES.values():
        differing = [axis for axis in profile.convention.differences() if axis in family.axes]
        if differing and profile.knows(measure) and profile.convention != DEFAULT:
            yield profile.name, joined(phrases(measure, profile.convention, differing, only_stated=True) or ["-"])
