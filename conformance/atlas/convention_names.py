"""A library's name for a convention: `--under pytrec_eval` is what was recorded of it, at its newest version."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.families import UNSTATED
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import convention_text, parse_convention, parse_expression
from rankspec.oracle.language.trec_eval_names import named_measure

if TYPE_CHECKING:
    from rankspec.conformance.atlas.record import Measured

_OF_CLASSES: Mapping[str, str] = {"coco": "coco-classes", "voc2007": "voc2007-classes", "voc2010": "voc2010-classes"}
"""The profile of one class, whose images are queries -> that of classes.

Where an image is a query, `coco` and the `voc` profiles put the documents of all queries into one ranking. A file of
detections has that behind it: its queries are the classes, each one list, and the value is the mean over them.
"""


def convention_named(text: str, *measures: Measure | None) -> Convention:
    """Read a convention, or a library's or adapter's name with settings of its own: `ranx[ties=grouped]`."""
    # A name that is a profile's means the profile. Of a library it is what was recorded for the first of the measures.
    # `ConventionError` if it is neither, or the library follows none, or was not measured on the measure.
    measure = measures[0] if measures else None
    profile = PROFILES.get(text.partition("[")[0].strip())
    unknown = [each for each in measures if each and profile and profile.is_library and not profile.knows(each)]
    if unknown and profile:
        # A library's measures can follow rules of their own: scikit-learn's nDCG is sklearn_ndcg.
        of_library = [each for name, each in PROFILES.items() if name.startswith(f"{profile.name}_")]
        other = next((each.name for each in of_library if each.knows(unknown[0])), None)
        in_its_name = text.replace(profile.name, other, 1) if other else ""
        if other and all(PROFILES[other].knows(each) for each in measures if each):
            return parse_convention(in_its_name)
        rules = convention_text(parse_convention(text), unknown[0])
        more = f"its rules without its name: --under '{rules}'"
        raise ConventionError(
            f"{profile.name}: {unknown[0]} follows rules of its own there: ask for it alone, --under '{in_its_name}'"
            if other
            else f"{profile.name}: {unknown[0]} was not measured on it; {more}",
            code="convention-not-recorded",
        )
    try:
        return parse_convention(text)
    except ConventionError:
        # Most names are conventions', and need no records: loading what reads them takes as long as numpy.
        from rankspec.conformance.atlas.records import AtlasError, measured_as, named, shipped_records
        from rankspec.conformance.implementations.pinned import normalised

        base, bracket, settings = text.partition("[")
        try:
            records = [each for each in named(shipped_records(), base.strip()) if each.measured]
        except AtlasError:
            records = []
        if not records:
            raise
    asked = measure or Measure(UNSTATED)
    own = [
        each
        for each in measured_as(replace(records[-1], measured=_without_options(records[-1].measured)), asked)
        if normalised(base.partition("==")[0].strip())
        in {normalised(each.implementation), normalised(records[-1].library)}
    ]
    whole = [each.convention for each in own if each.is_whole]
    if not whole or whole[0] is None:
        raise ConventionError(
            f"{base.strip()}: {asked} of it {'follows no convention in every case' if own else 'was not measured'}; "
            f"`rankspec atlas {base.strip()}` says what is known",
            code="convention-not-recorded",
        )
    convention = whole[0]
    stated = parse_convention(f"default[{settings}" if bracket else "default")
    for axis in re.findall(r"(\w+)\s*=", settings):
        convention = convention.with_setting(axis, getattr(stated, axis))
    return convention


def _without_options(measured: Sequence[Measured]) -> tuple[Measured, ...]:
    """Return of each program the plainest call alone: a bare `trec_eval` does not mean `trec_eval -M 10`."""
    plainest = {each.spec.partition(" ")[0]: each.spec for each in reversed(measured)}
    return tuple(each for each in measured if each.spec == plainest[each.spec.partition(" ")[0]])


def side_named(text: str, measure: str | Measure | None) -> str | Convention:
    """Return a side of a comparison: a library without adapter as its record's convention, or `ConventionError`."""
    from rankspec.conformance.atlas.records import AtlasError, named, shipped_records
    from rankspec.conformance.implementations.describing import adapters_named
    from rankspec.conformance.implementations.specs import known_adapters

    name = text.strip().partition("[")[0].partition("==")[0].strip()
    if ":" in name or "/" in name or name in PROFILES or adapters_named(name, known_adapters()):
        return text
    try:
        named(shipped_records(), name)
    except AtlasError:
        return text
    return convention_named(text, named_measure(measure) if isinstance(measure, str) else measure)


def expression_named(text: str, measure: Measure) -> tuple[Measure, Convention]:
    """Read `AP@10 under kaggle`, or a convention for the measure that is stated; `ConventionError` if it is neither."""
    return parse_expression(text) if " under " in text else (measure, convention_named(text, measure))


def of_classes(convention: Convention, qrels: Qrels) -> Convention:
    """Return the convention where queries are classes; `ConventionError` if it pools several classes' detections."""
    for images, classes in _OF_CLASSES.items():
        if convention == PROFILES[images].convention:
            return PROFILES[classes].convention
    if convention.aggregate is Aggregate.MICRO and len(qrels.judgments) > 1:
        raise ConventionError(
            f"{convention_text(convention)} pools all queries, here {len(qrels.judgments)} classes; "
            "start from coco-classes, voc2007-classes or voc2010-classes",
            code="queries-pooled",
        )
    return convention
