"""Measures of gains (Q-measure among them), and those that tell judged documents from unjudged ones."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.declarations.family import (
    GAINS,
    OF_JUDGED_VALUES,
    OF_LISTS,
    OF_MEANS,
    OF_VALUES,
    Cut,
    Family,
    Favoured,
    family,
    geometric,
)
from rankspec.oracle.definitions.expression import (
    COUNT,
    DOCUMENT,
    GAIN,
    GAINED,
    GRADE,
    HIT,
    IDEAL_GAIN,
    IDEAL_GAINED,
    IDEAL_TOTAL,
    JUDGED,
    MISSED,
    NONRELEVANT_ABOVE,
    POOLED_ABOVE,
    RANK,
    RELEVANT,
    Above,
    Choice,
    Definition,
    Parameter,
    greatest,
    log2,
)

_OF_RELEVANT = axes.PrecisionDenominator.MIN_RELEVANT_CUTOFF

_BETA = Parameter("beta", Fraction(1))
_BLENDED_RATIO = clause("q.blended-ratio")((COUNT + _BETA * GAINED) / (RANK + _BETA * IDEAL_GAINED))
_Q = clause("q.at")(
    Definition(
        term=HIT * _BLENDED_RATIO,
        divisor=RELEVANT,
        adds="a document that gains adds (hits + beta * gained) / (rank + beta * ideal), beta = {beta}",
        worded=(("beta", _BETA),),
        columns=(("hits", COUNT), ("gained", GAINED), ("ideal", IDEAL_GAINED)),
    )
)

_DISCOUNT = Choice("discount")
_DCG = clause("dcg.at", "ranking.ties.expected")(
    Definition(
        term=GAIN / _DISCOUNT,
        adds="a row adds gain/discount, discount = {discount}",
        worded=(("discount", _DISCOUNT),),
        columns=(("gain", GAIN), ("discount", _DISCOUNT)),
    )
)
_NDCG = clause("ndcg.at")(_DCG._replace(divisor=IDEAL_TOTAL))
_BING = clause("bing.at", "ranking.ties.expected")(
    Definition(term=HIT / log2(2 + MISSED), divisor=RELEVANT, adds="a hit adds 1/log2(2 + misses above)")
)
_BEHIND = greatest(0, IDEAL_GAINED + greatest(0, RANK - RELEVANT) - GAINED)  # copies gain more than the ideal list
_G = clause("g.at", "ranking.ties.expected")(
    Definition(
        term=GAIN / log2(2 + _BEHIND),
        divisor=IDEAL_GAIN,
        divisor_name="the gains of all judged documents",
        adds="a row adds gain/log2(2 + behind), behind = max(ideal gain, 1) less gain, summed up to the row",
        columns=(("gain", GAIN), ("behind", _BEHIND)),
    )
)
_STOP = (2**GRADE - 1) / 2 ** Parameter("err_max_grade")
_ERR = clause("err.at", "err.stopping", "ranking.ties.expected")(
    Definition(
        term=_STOP / RANK * Above(1 - _STOP),
        adds="a row adds reached * stops / rank, stops = {stops}",
        worded=(("stops", _STOP),),
        columns=(("reached", Above(1 - _STOP)), ("stops", _STOP)),
    )
)
_LOST = Choice("bpref_variant")
_BPREF_SUM = clause("bpref.at", "ranking.ties.expected")(
    Definition(
        term=HIT * (1 - _LOST),
        divisor=RELEVANT,
        adds="a hit adds 1 - lost, lost = {lost}, nb nonrelevant above",
        worded=(("lost", _LOST),),
        columns=(("nonrelevant above", NONRELEVANT_ABOVE), ("lost", _LOST)),
        at_hits=("lost",),
    )
)
_ABOVE, _EPSILON = COUNT - HIT, Parameter("infap_epsilon")
_IN_POOL = _ABOVE + NONRELEVANT_ABOVE + POOLED_ABOVE
_INFAP = clause("infap.at", "infap.expected-precision", "infap.epsilon", "ranking.ties.expected")(
    Definition(
        term=HIT * (1 / RANK + _IN_POOL / RANK * ((_ABOVE + _EPSILON) / (_ABOVE + NONRELEVANT_ABOVE + 2 * _EPSILON))),
        divisor=RELEVANT,
        adds="a hit at rank j adds 1/j + (h+n+pooled)/j * (h+e)/(h+n+2e), h hits and n nonrelevant above it, e = {e}",
        worded=(("e", _EPSILON),),
        columns=(("hits above", _ABOVE), ("nonrelevant above", NONRELEVANT_ABOVE), ("pooled above", POOLED_ABOVE)),
    )
)
_P = Parameter("rbp_persistence")
_WEIGHT = (1 - _P) * _P ** (RANK - 1)
_RBP = clause("rbp.at", "rbp.persistence", "ranking.ties.expected")(
    Definition(
        term=_WEIGHT * Choice("rbp_gain"),
        adds="a row adds gain * weight, gain = {gain}, weight = {weight}",
        worded=(("gain", Choice("rbp_gain")), ("weight", _WEIGHT)),
        columns=(("gain", Choice("rbp_gain")), ("weight", _WEIGHT)),
    )
)
_RESIDUAL = clause("rbp.at", "rbp.residual.*", "ranking.ties.expected")(
    Definition(
        term=_WEIGHT * (DOCUMENT - JUDGED),
        extra=Choice("rbp_residual"),
        extra_name="the ranks after the list",
        adds="an open row adds its weight, weight = {weight}",
        worded=(("weight", _WEIGHT),),
        columns=(("open", DOCUMENT - JUDGED), ("weight", _WEIGHT)),
    )
)
_BPREF = family(
    "Bpref",
    "binary preference",
    Cut.NONE,
    *("is_monotone", "is_judgeable", "needs_ranks", "tells_unjudged", "counts_outside"),
    definition=_BPREF_SUM,
    parameters=("rel",),
    axes=(*OF_JUDGED_VALUES, "bpref_variant"),
    unstated=("Bpref",),
)
_JUDGED = clause("judged.at")(
    Definition(term=JUDGED, divisor=Choice("precision_denominator"), counted="judged documents")
)
_UNJUDGED = clause("unjudged.at")(
    Definition(term=DOCUMENT - JUDGED, divisor=Choice("precision_denominator"), counted="unjudged documents")
)


def _share(example: str, definition: Definition, favours: Favoured) -> Family:
    return family(
        example,
        f"the share of {favours.value} documents",
        Cut.REQUIRED,
        *("is_monotone", "tells_unjudged"),
        definition=definition,
        parameters=(),
        axes=("unjudged", *OF_LISTS, *OF_MEANS, "precision_denominator"),
        excludes=MappingProxyType({_OF_RELEVANT: f"is about relevant documents, not {favours.value} ones"}),
        favours=favours,
    )


DECLARED: tuple[Family, ...] = (
    family(
        "DCG@10",
        "discounted cumulated gain",
        Cut.OPTIONAL,
        *("is_graded", "is_additive", "is_monotone", "is_judgeable", "needs_ranks"),
        definition=_DCG,
        parameters=GAINS,
        axes=(*OF_VALUES, "gain", "discount"),
    ),
    family(
        "nDCG(dcg='exp-log2')@10",
        "discounted cumulated gain over the ideal one",
        Cut.OPTIONAL,
        *("is_graded", "is_additive", "is_monotone", "is_judgeable", "needs_ranks"),
        definition=_NDCG,
        parameters=GAINS,
        axes=(*OF_VALUES, "gain", "discount", "ideal"),
        unstated=("nDCG", "nDCG@10"),
    ),
    family(
        "nDCGRel",
        "nDCG averaged over the relevant documents",
        Cut.NONE,
        *("is_graded", "needs_ranks"),
        parameters=GAINS,
        axes=(*OF_VALUES, "gain", "discount"),
        unstated=("nDCGRel",),
    ),
    family(
        "RnDCG",
        "nDCG averaged over the ranks at which the ideal gain falls",
        Cut.NONE,
        *("is_graded", "needs_ranks", "counts_retrieved"),
        parameters=GAINS,
        axes=(*OF_VALUES, "gain", "discount"),
        unstated=("RnDCG",),
    ),
    family(
        "G",
        "gain discounted by how far the list is behind the ideal one",
        Cut.NONE,
        *("is_graded", "needs_ranks"),
        definition=_G,
        parameters=("dcg", "judged_only"),
        axes=(*OF_VALUES, "gain"),
        unstated=("G",),
    ),
    family(
        "BinG",
        "hits discounted by the misses above them",
        Cut.NONE,
        *("is_monotone", "needs_ranks"),
        definition=_BING,
        unstated=("BinG",),
    ),
    family(
        "ERR@10",
        "expected reciprocal rank",
        Cut.OPTIONAL,
        *("is_graded", "is_monotone", "is_judgeable", "needs_ranks"),
        definition=_ERR,
        parameters=(),
        axes=(*OF_VALUES, "err_max_grade"),
        unstated=("ERR",),
    ),
    _BPREF,
    geometric(_BPREF),
    family(
        "infAP",
        "inferred average precision",
        Cut.NONE,
        *("needs_ranks", "tells_unjudged"),
        definition=_INFAP,
        parameters=("rel",),
        axes=(*OF_VALUES, "infap_epsilon"),
        unstated=("infAP",),
    ),
    family(
        "RBP(p=0.8)",
        "rank-biased precision",
        Cut.OPTIONAL,
        *("is_additive", "is_monotone", "is_judgeable", "needs_ranks"),
        definition=_RBP,
        parameters=("judged_only", "p", "rel"),
        axes=(*OF_VALUES, "rbp_persistence", "rbp_gain"),
        unstated=("RBP",),
    ),
    family(
        "RBPResidual(p=0.8)",
        "what rank-biased precision could still gain",
        Cut.OPTIONAL,
        *("is_monotone", "is_of_query", "needs_ranks", "tells_unjudged"),
        definition=_RESIDUAL,
        parameters=("judged_only", "p"),
        axes=("unjudged", *OF_LISTS, *OF_MEANS, "rbp_persistence", "rbp_residual"),
        unstated=("RBPResidual",),
        favours=Favoured.UNJUDGED,
    ),
    _share("Judged@10", _JUDGED, Favoured.JUDGED),
    _share("Unjudged@10", _UNJUDGED, Favoured.UNJUDGED),
    family(
        "Q(beta=1)@10",
        "Q-measure: precision blended with cumulated gain, averaged over the relevant documents (Sakai 2004)",
        Cut.OPTIONAL,
        *("is_graded", "needs_ranks"),
        definition=_Q,  # beta is the weight of gains beside hits, 1 if not given; of 0 it is average precision
        parameters=("beta", *GAINS),
        axes=(*OF_VALUES, "gain"),
        unstated=("Q",),
    ),
)
"""In the order in which measures are listed."""
