"""The measures that there are: every declared family by name, and the other names by which they are read.

Names and parameters are ir_measures'; AP11, TAP, GMAP, F, DCG, RBPResidual and some counts are added in its grammar.
How a value is computed is in `measures/`; which combinations mean something is in `measure.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rankspec.oracle.conventions.declarations import (
    averages,
    counts,
    gains_and_judgements,
    novelty,
    preferences,
    q_measure,
    reader_models,
    relevance,
)
from rankspec.oracle.conventions.declarations.family import Family
from rankspec.oracle.conventions.other_names import OTHER_NAMES

_DECLARED = (
    *averages.DECLARED,
    *relevance.DECLARED,
    *gains_and_judgements.DECLARED,
    *q_measure.DECLARED,
    *reader_models.DECLARED,
    *novelty.DECLARED,
    *preferences.DECLARED,
    *counts.DECLARED,
)

FAMILIES: Mapping[str, Family] = MappingProxyType({family.name: family for family in _DECLARED})
"""Every family by name. The family of averages of precision comes first."""

UNSTATED = "AP"
"""The family that a function is taken for where nobody says what it computes."""

ALIASES: Mapping[str, str] = MappingProxyType({name: other.family for name, other in OTHER_NAMES.items()})
"""Other names that are read, and never written."""

ALIASED_PARAMETERS: Mapping[str, Mapping[str, bool]] = MappingProxyType(
    {name: other.parameters for name, other in OTHER_NAMES.items()}
)
"""What another name says besides the family."""

WITH_THRESHOLD: Mapping[str, str] = MappingProxyType({"NumRet": "NumRelRet"})
"""Families that another one is where a threshold is given: ir_measures' NumRet(rel=1)."""
