"""What `atlas` shows: the records of one library or of all, for one measure or for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankspec.conformance.answers.answer import Page
from rankspec.conformance.answers.library import atlas_answer, library_answer, measure_answer
from rankspec.conformance.atlas.record import Record
from rankspec.conformance.atlas.records import AtlasError, named, shipped_records
from rankspec.conformance.reports.libraries.atlas import library_data, matrix_data, of_measure
from rankspec.oracle.language.names_elsewhere import elsewhere


@dataclass(frozen=True)
class Recorded:
    """Records of what libraries compute."""

    records: tuple[Record, ...]  # a record a library and version
    name: str | None = None  # the library that was asked for, if one was
    measure: str | None = None  # the measure, if one was

    def page(self) -> Page:
        """Return what a person reads."""
        if self.name is not None:
            return library_answer(self.name, self.records)
        return atlas_answer(self.records) if self.measure is None else measure_answer(self.measure, self.records)

    def as_data(self) -> Mapping[str, Any]:
        """Return the same as plain data."""
        return matrix_data(self.records) if self.name is None else library_data(self.records)


def recorded(name: str | None = None, measure: str | None = None) -> Recorded:
    """Return what was recorded of a library or of all; `AtlasError` for no such library or measure."""
    records = of_measure(shipped_records() if name is None else named(shipped_records(), name), measure)
    if not records:
        if (meaning := elsewhere(measure or "")) is not None:
            raise AtlasError(f"{measure}: {meaning}", code="measure-not-supported")
        of_name = "" if name is None else f" {name}"
        raise AtlasError(
            f"{measure} was not measured of{of_name or ' any library'}; `rankspec atlas{of_name}` says what was",
            code="measure-not-recorded",
        )
    return Recorded(records, name, measure)
