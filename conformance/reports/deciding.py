"""Which data would decide between the conventions that give a number: for the terminal, and for the resolver's page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankspec.conformance.infer.resolve.resolve import Resolution
from rankspec.conformance.infer.witness.separation import separate
from rankspec.conformance.reports.derivations.layout import value_text

_MOST_INPUTS = 500
"""Where none of the smallest inputs tells two conventions apart, a reader has none at hand that would."""


def deciding(resolution: Resolution) -> tuple[Mapping[str, Any], tuple[str, str]] | None:
    """Return data that tell the two simplest explanations apart, with the value of each; None if none is known."""
    if resolution.explanations[1:] == ():
        return None
    (measure, one), (its_measure, other) = ((each.measure, each.convention) for each in resolution.explanations[:2])
    if measure != its_measure:
        return None
    separation = separate(measure, one, other, _MOST_INPUTS)
    if separation.input is None or separation.values is None:
        return None
    first, second = map(value_text, separation.values)
    return separation.input.given, (first, second)
