"""Averages of precision: areas under the precision-recall curve, TAP, and a point of the curve."""

from __future__ import annotations

from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.declarations.family import OF_VALUES, RELEVANCE, Cut, Family
from rankspec.oracle.definitions.expression import COUNT, HIT, HITS, RANK, RELEVANT, Definition

_AP_AT_R = clause("ap.at-relevant")(Definition(term=HIT * (COUNT / RANK), divisor=RELEVANT, is_of_curve=True))
_CONTEXT_PRECISION = clause("contexts.precision")(Definition(term=HIT * (COUNT / RANK), divisor=HITS, is_of_curve=True))

DECLARED = (
    Family(
        name="AP",
        about="average precision",
        cut=Cut.OPTIONAL,
        parameters=RELEVANCE,
        axes=(*OF_VALUES, "denominator", "interpolation", "recall_grid"),
        example="AP@10",
        unstated=("AP", "AP@10"),
        is_area=True,
        is_monotone=True,
        is_judgeable=True,
    ),
    Family(
        name="AP11",
        about="11-point average precision",
        cut=Cut.OPTIONAL,
        parameters=RELEVANCE,
        axes=(*OF_VALUES, "denominator", "recall_grid"),
        example="AP11",
        implies=MappingProxyType({"interpolation": axes.Interpolation.ELEVEN_POINT}),
        is_area=True,
        is_monotone=True,
        is_judgeable=True,
    ),
    Family(
        name="TAP",
        about="threshold average precision",
        cut=Cut.FALSE_POSITIVES,
        parameters=RELEVANCE,
        axes=(*OF_VALUES, "tap_quantile", "tap_insufficient", "tap_ties"),
        example="TAP@5",
        unstated=("TAP@1",),
    ),
    Family(
        name="GMAP",
        about="average precision, its mean geometric",
        cut=Cut.OPTIONAL,
        parameters=RELEVANCE,
        axes=(*OF_VALUES, "denominator", "interpolation", "recall_grid"),
        example="GMAP",
        unstated=("GMAP",),
        implies=MappingProxyType({"aggregate": axes.Aggregate.GEOMETRIC}),
        is_area=True,
        is_monotone=True,
        is_judgeable=True,
    ),
    Family(
        name="AP@R",
        definition=_AP_AT_R,
        about="average precision of the first R documents",
        cut=Cut.NONE,
        parameters=RELEVANCE,
        axes=OF_VALUES,
        example="AP@R",
        unstated=("AP@R",),
        is_monotone=True,
        limit_is_relevant=True,
    ),
    Family(
        name="ContextPrecision",
        definition=_CONTEXT_PRECISION,
        about="precision averaged over the hits in the list: context precision of retrieval-augmented generation",
        cut=Cut.OPTIONAL,
        parameters=RELEVANCE,
        axes=OF_VALUES,
        example="ContextPrecision",
    ),
    Family(
        name="IPrec",
        about="precision interpolated at a recall level",
        cut=Cut.RECALL,
        parameters=RELEVANCE,
        axes=(*OF_VALUES, "recall_grid"),
        example="IPrec@0.1",
        is_monotone=True,
        is_judgeable=True,
    ),
)
"""In the order in which measures are listed."""
