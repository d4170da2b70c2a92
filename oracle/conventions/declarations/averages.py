"""Averages of precision: areas under the precision-recall curve, TAP, and a point of the curve."""

from __future__ import annotations

from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.declarations.family import OF_VALUES, Cut, family, geometric
from rankspec.oracle.definitions.expression import COUNT, HIT, HITS, RANK, RELEVANT, Definition

_AP_AT_R = clause("ap.at-relevant")(Definition(term=HIT * (COUNT / RANK), divisor=RELEVANT, is_of_curve=True))
_CONTEXT_PRECISION = clause("contexts.precision")(Definition(term=HIT * (COUNT / RANK), divisor=HITS, is_of_curve=True))

_AP = family(
    "AP@10",
    "average precision",
    Cut.OPTIONAL,
    *("is_area", "is_monotone", "is_judgeable"),
    axes=(*OF_VALUES, "denominator", "interpolation", "recall_grid"),
    unstated=("AP", "AP@10"),
)

DECLARED = (
    _AP,
    family(
        "AP11",
        "11-point average precision",
        Cut.OPTIONAL,
        *("is_area", "is_monotone", "is_judgeable"),
        axes=(*OF_VALUES, "denominator", "recall_grid"),
        implies=MappingProxyType({"interpolation": axes.Interpolation.ELEVEN_POINT}),
    ),
    family(
        "TAP@5",
        "threshold average precision",
        Cut.FALSE_POSITIVES,
        axes=(*OF_VALUES, "tap_quantile", "tap_insufficient", "tap_ties"),
        unstated=("TAP@1",),
    ),
    geometric(_AP),
    family(
        "AP@R",
        "average precision of the first R documents",
        Cut.NONE,
        *("is_monotone", "limit_is_relevant"),
        definition=_AP_AT_R,
        unstated=("AP@R",),
    ),
    family(
        "ContextPrecision",
        "precision averaged over the hits in the list: context precision of retrieval-augmented generation",
        Cut.OPTIONAL,
        definition=_CONTEXT_PRECISION,
    ),
    family(
        "IPrec@0.1",
        "precision interpolated at a recall level",
        Cut.RECALL,
        *("is_monotone", "is_judgeable"),
        axes=(*OF_VALUES, "recall_grid"),
    ),
)
"""In the order in which measures are listed."""
