"""Measures of gains, and those that tell judged documents from unjudged ones."""

from __future__ import annotations

from types import MappingProxyType

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.declarations.common import GAINS, OF_JUDGED_VALUES, OF_LISTS, OF_MEANS, OF_VALUES
from rankspec.oracle.conventions.declarations.family import Cut, Family, Favoured, Samples

DECLARED = (
    Family(
        name="DCG",
        about="discounted cumulated gain",
        cut=Cut.OPTIONAL,
        parameters=GAINS,
        axes=(*OF_VALUES, "gain", "discount"),
        example="DCG@10",
        samples=Samples(neighbours=("DCG@2",)),
        is_graded=True,
        is_additive=True,
        is_monotone=True,
        needs_ranks=True,
    ),
    Family(
        name="nDCG",
        about="discounted cumulated gain over the ideal one",
        cut=Cut.OPTIONAL,
        parameters=GAINS,
        axes=(*OF_VALUES, "gain", "discount", "ideal"),
        example="nDCG(dcg='exp-log2')@10",
        samples=Samples(neighbours=("nDCG", "nDCG@2"), witnesses=("nDCG", "nDCG@2"), unstated=("nDCG", "nDCG@10")),
        is_graded=True,
        is_additive=True,
        is_monotone=True,
        needs_ranks=True,
    ),
    Family(
        name="ERR",
        about="expected reciprocal rank",
        cut=Cut.OPTIONAL,
        axes=(*OF_VALUES, "err_max_grade"),
        example="ERR@10",
        samples=Samples(neighbours=("ERR", "ERR@2"), witnesses=("ERR",), unstated=("ERR",)),
        is_graded=True,
        is_monotone=True,
        needs_ranks=True,
    ),
    Family(
        name="Bpref",
        about="binary preference",
        cut=Cut.NONE,
        parameters=("rel",),
        axes=(*OF_JUDGED_VALUES, "bpref_variant"),
        example="Bpref",
        samples=Samples(neighbours=("Bpref",), witnesses=("Bpref",), unstated=("Bpref",)),
        is_monotone=True,
        needs_ranks=True,
        tells_unjudged=True,
        counts_outside=True,
    ),
    Family(
        name="infAP",
        about="inferred average precision",
        cut=Cut.NONE,
        parameters=("rel",),
        axes=(*OF_VALUES, "infap_epsilon"),
        example="infAP",
        samples=Samples(neighbours=("infAP",), witnesses=("infAP",), unstated=("infAP",)),
        needs_ranks=True,
        tells_unjudged=True,
    ),
    Family(
        name="RBP",
        about="rank-biased precision",
        cut=Cut.OPTIONAL,
        parameters=("judged_only", "p", "rel"),
        axes=(*OF_VALUES, "rbp_persistence", "rbp_gain"),
        example="RBP(p=0.8)",
        samples=Samples(neighbours=("RBP", "RBP@2"), witnesses=("RBP",), unstated=("RBP",)),
        is_additive=True,
        is_monotone=True,
        is_judgeable=True,
        needs_ranks=True,
    ),
    Family(
        name="RBPResidual",
        about="what rank-biased precision could still gain",
        cut=Cut.OPTIONAL,
        parameters=("judged_only", "p"),
        axes=("unjudged", *OF_LISTS, *OF_MEANS, "rbp_persistence", "rbp_residual"),
        example="RBPResidual(p=0.8)",
        samples=Samples(neighbours=("RBPResidual",), witnesses=("RBPResidual",), unstated=("RBPResidual",)),
        favours=Favoured.UNJUDGED,
        is_monotone=True,
        is_of_query=True,
        needs_ranks=True,
        tells_unjudged=True,
    ),
    Family(
        name="Judged",
        about="the share of judged documents",
        cut=Cut.REQUIRED,
        axes=("unjudged", *OF_LISTS, *OF_MEANS, "precision_denominator"),
        example="Judged@10",
        samples=Samples(neighbours=("Judged@2",)),
        excludes=MappingProxyType(
            {axes.PrecisionDenominator.MIN_RELEVANT_CUTOFF: "is about relevant documents, not judged ones"}
        ),
        favours=Favoured.JUDGED,
        is_monotone=True,
        tells_unjudged=True,
    ),
)
"""In the order in which measures are listed."""
