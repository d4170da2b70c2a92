"""What `cite` states: of a library what is measured or recorded of it, of a function what it is identified as."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from rankspec.conformance.atlas.records import AtlasError, measured_as, named, of_implementation, shipped_records
from rankspec.conformance.infer.identify.identify import identify, identify_connected
from rankspec.conformance.reports.libraries.cite import citation_data, convention_citation, function_citation
from rankspec.conformance.run import progress_bars
from rankspec.conformance.run.connection import Connectable
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.verbs.implementations import versioned_implementations
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.families import UNSTATED
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import parse_convention
from rankspec.oracle.language.trec_eval_names import named_measure


@dataclass(frozen=True)
class Citation:
    """What can be cited."""

    data: dict[str, Any]  # its sentence, its BibTeX entry and what they rest on
    is_whole: bool = True  # a convention explains all that was seen


def citation_of(
    name: str | Connectable, measure: str | None = None, shape: Shape | str | None = None, limits: Limits | None = None
) -> Citation:
    """Return what to cite of a library (by its record), a convention or a function; `UserError` for none."""
    limits = limits or Limits()
    if not isinstance(name, str) or ":" in name or name.endswith(".py"):
        if not isinstance(name, str):
            identification = identify_connected(name, None if measure is None else named_measure(measure))
        else:
            (implementation,) = versioned_implementations((name,), shape, None)
            with progress_bars.bar(name) as tell:
                identification = identify(implementation, shape=shape, measure=measure, limits=limits, progress=tell)
        return Citation(function_citation(identification), identification.is_good)
    if (convention := _convention(name)) is not None:
        stated = named_measure(measure or UNSTATED)
        if measure is None and meaningless(stated, convention) is not None:  # it divides by k, say
            stated = replace(stated, k=_STANDS_FOR_ALL)
        return Citation(convention_citation(stated, convention))
    return _of_library(name, measure)


_STANDS_FOR_ALL = 10  # The usual cutoff


def _convention(name: str) -> Convention | None:
    """Return what a name means as a convention; None for a library, which goes before a profile of its name."""
    with suppress(AtlasError):
        named(shipped_records(), name)
        return None
    with suppress(ConventionError):
        return parse_convention(name)
    return None


def _of_library(name: str, text: str | None) -> Citation:
    """Return what is stated of a library (AP, or its first measure), and whether that is all; `AtlasError` for none."""
    record = [each for each in named(shipped_records(), name) if each.measured or each.why][-1]
    measure = named_measure(text or UNSTATED)
    measured = measured_as(record, measure)
    if text is None and not measured and record.measured:
        measured = [*record.measured]
        measure = named_measure(measured[0].measure)
    own = of_implementation(measured, name)
    if not own:
        why = record.why or f"{', '.join(dict.fromkeys(each.measure for each in record.measured))} were"
        raise AtlasError(f"{record.id}: {measure} was not measured: {why}", code="measure-not-recorded")
    (each, *_) = own
    verified = f"measured on {each.date}, Python {each.python}"
    if each.measure != str(measure):
        verified += f", for {each.measure}"
    return Citation(citation_data(record, each, str(measure), verified), each.is_whole or each.explained)
