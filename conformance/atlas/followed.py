"""A library's name for a convention: `--under pytrec_eval` is what was recorded of it, at its newest version."""

from __future__ import annotations

import re

from rankspec.conformance.atlas.records import AtlasError, measured_as, named, shipped_records
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.families import UNSTATED
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import parse_convention


def convention_named(text: str, measure: Measure | None = None) -> Convention:
    """Read a convention, or the name of a library or an adapter, with settings of its own: `ranx[ties=grouped]`.

    A name that is a profile's means the profile. Of a library it is what was recorded for the measure.

    Raises:
        ConventionError: it is neither; or the library follows none, or was not measured on the measure.
    """
    try:
        return parse_convention(text)
    except ConventionError:
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
        for each in measured_as(records[-1], asked)
        if base.strip().partition("==")[0] in {each.spec.partition("==")[0], records[-1].library}
    ]
    whole = [each.convention for each in own if each.is_whole]
    if not whole or whole[0] is None:
        why = "follows no convention in every case" if own else "was not measured"
        raise ConventionError(
            f"{base.strip()}: {asked} of it {why}; `rankspec atlas {base.strip()}` says what is known"
        )
    if not bracket:
        return whole[0]
    stated = parse_convention(f"default[{settings}")
    convention = whole[0]
    for axis in re.findall(r"(\w+)\s*=", settings):
        convention = convention.with_setting(axis, getattr(stated, axis))
    return convention
