"""Inputs that a search found, written as a case file: whole lists, whatever a screen shortens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.cases.plain import plain
from rankspec.conformance.cases.quantities import value_text
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.expression import convention_text

_WIDTH = 120
_NUMBER = re.compile(r"[-+0-9./eE]+|nan|inf")


@dataclass(frozen=True)
class SavedInput:
    """An input that is worth a case."""

    id: str  # of the case
    measure: Measure
    data: Mapping[str, Any]  # the input in a form of case files; a cutoff in it is the measure's
    convention: Convention  # under which the case states the value
    why: str  # what was seen, in words
    axis: str | None = None  # what it is about; None for the first axis on which the convention is not the default


def file_text(inputs: Iterable[SavedInput]) -> str:
    """Write a case file, which `rankspec check IMPL --fixtures FILE` asks; the oracle says what the values are."""
    content = {"document": "hand", "about": "What a search saved.", "cases": [_case(each) for each in inputs]}
    text: str = yaml.dump(
        content, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=_WIDTH, default_flow_style=None
    )
    return text


class _Writer(yaml.SafeDumper):
    """Quotes what is a number to a reader, `1/3` too, and writes no aliases."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - of no value
        return True

    def represent_data(self, data: object) -> yaml.Node:
        if isinstance(data, str) and _NUMBER.fullmatch(data):
            return self.represent_scalar("tag:yaml.org,2002:str", data, style='"')
        return super().represent_data(data)


def _case(saved: SavedInput) -> dict[str, Any]:
    given = plain({name: value for name, value in saved.data.items() if name != "k"})
    read = case_input(given)
    used = saved.measure.axes(saved.convention)
    differing = [axis for axis in saved.convention.differences() if axis in used]
    axis = next(each for each in (saved.axis, *differing, *used) if each in AXES and each is not None)
    return {
        "id": saved.id,
        "clause": AXES[axis].clause(getattr(saved.convention, axis)),
        "measure": str(saved.measure),
        "convention": convention_text(saved.convention),
        "input": given,
        "exact": value_text(read, saved.measure, saved.convention),
        "verdict": "derived",
        "why": saved.why,
    }
