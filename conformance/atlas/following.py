"""Which libraries follow which convention of a measure, as the records say."""

from __future__ import annotations

from collections.abc import Iterable

from rankspec.conformance.atlas.record import Measured, Record
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.language.expression import parse_measure


def measured_as(record: Record, measure: Measure) -> list[Measured]:
    """Return what was measured of a measure in a record: with this cutoff where it was, else with another one."""
    of_family = [each for each in record.measured if _fits(parse_measure(each.measure), measure)]
    return [each for each in of_family if each.measure == str(measure)] or of_family


def following(records: Iterable[Record], measure: Measure) -> dict[Convention, tuple[str, ...]]:
    """Return the conventions that explain everything some library answered for a measure, with those libraries."""
    found: dict[Convention, dict[str, None]] = {}
    for record in records:
        for each in measured_as(record, measure):
            convention = each.convention
            if each.is_whole and convention is not None and meaningless(measure, convention) is None:
                found.setdefault(convention, {})[f"{record.name_of(each)} {record.version}"] = None
    return {convention: tuple(names) for convention, names in found.items()}


def _fits(stated: Measure, measure: Measure) -> bool:
    """Tell whether what was found of a measure holds of another: the same, with any cutoff if both have one."""
    return stated.family is measure.family and (stated.k is None) == (measure.k is None)
