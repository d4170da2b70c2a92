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
    RELEVANCE,
    Cut,
    Family,
    Favoured,
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

# ---- Q-measure

_BETA = Parameter("beta", Fraction(1))
_BLENDED_RATIO = clause("q.blended-ratio")((COUNT + _BETA * GAINED) / (RANK + _BETA * IDEAL_GAINED))
_Q = clause("q.at")(
    Definition(
        term=HIT * _BLENDED_RATIO,
        divisor=RELEVANT,
        adds="a document that gains adds (hits + beta * gained) / (rank + beta * ideal), beta = {beta}",
        worded=(("beta", _BETA),),
        shown=(("hits", COUNT), ("gained", GAINED), ("ideal", IDEAL_GAINED)),
    )
)

_BLENDED: tuple[Family, ...] = (
    Family(
        name="Q",
        definition=_Q,
        about="Q-measure: precision blended with cumulated gain, averaged over the relevant documents (Sakai 2004)",
        cut=Cut.OPTIONAL,
        parameters=("beta", *GAINS),
        axes=(*OF_VALUES, "gain"),
        example="Q(beta=1)@10",
        unstated=("Q",),
        is_graded=True,
        needs_ranks=True,
    ),
)
"""The parameter beta is the weight of gains beside hits, 1 if not given; with beta=0 it is average precision."""


_DISCOUNT = Choice("discount")
_DCG = clause("dcg.at", "ranking.ties.expected")(
    Definition(
        term=GAIN / _DISCOUNT,
        adds="a row adds gain/discount, discount = {discount}",
        worded=(("discount", _DISCOUNT),),
        shown=(("gain", GAIN), ("discount", _DISCOUNT)),
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
        shown=(("gain", GAIN), ("behind", _BEHIND)),
    )
)
_STOP = (2**GRADE - 1) / 2 ** Parameter("err_max_grade")
_ERR = clause("err.at", "err.stopping", "ranking.ties.expected")(
    Definition(
        term=_STOP / RANK * Above(1 - _STOP),
        adds="a row adds reached * stops / rank, stops = {stops}",
        worded=(("stops", _STOP),),
        shown=(("reached", Above(1 - _STOP)), ("stops", _STOP)),
    )
)
_LOST = Choice("bpref_variant")
_BPREF = clause("bpref.at", "ranking.ties.expected")(
    Definition(
        term=HIT * (1 - _LOST),
        divisor=RELEVANT,
        adds="a hit adds 1 - lost, lost = {lost}, nb nonrelevant above",
        worded=(("lost", _LOST),),
        shown=(("nonrelevant above", NONRELEVANT_ABOVE), ("lost", _LOST)),
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
        shown=(("hits above", _ABOVE), ("nonrelevant above", NONRELEVANT_ABOVE), ("pooled above", POOLED_ABOVE)),
    )
)
_P = Parameter("rbp_persistence")
_WEIGHT = (1 - _P) * _P ** (RANK - 1)
_RBP = clause("rbp.at", "rbp.persistence", "ranking.ties.expected")(
    Definition(
        term=_WEIGHT * Choice("rbp_gain"),
        adds="a row adds gain * weight, gain = {gain}, weight = {weight}",
        worded=(("gain", Choice("rbp_gain")), ("weight", _WEIGHT)),
        shown=(("gain", Choice("rbp_gain")), ("weight", _WEIGHT)),
    )
)
_RESIDUAL = clause("rbp.at", "rbp.residual.*", "ranking.ties.expected")(
    Definition(
        term=_WEIGHT * (DOCUMENT - JUDGED),
        beside=Choice("rbp_residual"),
        beside_name="the ranks after the list",
        adds="an open row adds its weight, weight = {weight}",
        worded=(("weight", _WEIGHT),),
        shown=(("open", DOCUMENT - JUDGED), ("weight", _WEIGHT)),
    )
)
_JUDGED = clause("judged.at")(
    Definition(term=JUDGED, divisor=Choice("precision_denominator"), counted="judged documents")
)
_UNJUDGED = clause("unjudged.at")(
    Definition(term=DOCUMENT - JUDGED, divisor=Choice("precision_denominator"), counted="unjudged documents")
)

DECLARED: tuple[Family, ...] = (
    Family(
        name="DCG",
        definition=_DCG,
        about="discounted cumulated gain",
        cut=Cut.OPTIONAL,
        parameters=GAINS,
        axes=(*OF_VALUES, "gain", "discount"),
        example="DCG@10",
        is_graded=True,
        is_additive=True,
        is_monotone=True,
        is_judgeable=True,
        needs_ranks=True,
    ),
    Family(
        name="nDCG",
        definition=_NDCG,
        about="discounted cumulated gain over the ideal one",
        cut=Cut.OPTIONAL,
        parameters=GAINS,
        axes=(*OF_VALUES, "gain", "discount", "ideal"),
        example="nDCG(dcg='exp-log2')@10",
        unstated=("nDCG", "nDCG@10"),
        is_graded=True,
        is_additive=True,
        is_monotone=True,
        is_judgeable=True,
        needs_ranks=True,
    ),
    Family(
        name="nDCGRel",
        about="nDCG averaged over the relevant documents",
        cut=Cut.NONE,
        parameters=GAINS,
        axes=(*OF_VALUES, "gain", "discount"),
        example="nDCGRel",
        unstated=("nDCGRel",),
        is_graded=True,
        needs_ranks=True,
    ),
    Family(
        name="RnDCG",
        about="nDCG averaged over the ranks at which the ideal gain falls",
        cut=Cut.NONE,
        parameters=GAINS,
        axes=(*OF_VALUES, "gain", "discount"),
        example="RnDCG",
        unstated=("RnDCG",),
        is_graded=True,
        needs_ranks=True,
        counts_retrieved=True,
    ),
    Family(
        name="G",
        definition=_G,
        about="gain discounted by how far the list is behind the ideal one",
        cut=Cut.NONE,
        parameters=("dcg", "judged_only"),
        axes=(*OF_VALUES, "gain"),
        example="G",
        unstated=("G",),
        is_graded=True,
        needs_ranks=True,
    ),
    Family(
        name="BinG",
        definition=_BING,
        about="hits discounted by the misses above them",
        cut=Cut.NONE,
        parameters=RELEVANCE,
        axes=OF_VALUES,
        example="BinG",
        unstated=("BinG",),
        is_monotone=True,
        needs_ranks=True,
    ),
    Family(
        name="ERR",
        definition=_ERR,
        about="expected reciprocal rank",
        cut=Cut.OPTIONAL,
        axes=(*OF_VALUES, "err_max_grade"),
        example="ERR@10",
        unstated=("ERR",),
        is_graded=True,
        is_monotone=True,
        is_judgeable=True,
        needs_ranks=True,
    ),
    Family(
        name="Bpref",
        definition=_BPREF,
        about="binary preference",
        cut=Cut.NONE,
        parameters=("rel",),
        axes=(*OF_JUDGED_VALUES, "bpref_variant"),
        example="Bpref",
        unstated=("Bpref",),
        is_monotone=True,
        is_judgeable=True,
        needs_ranks=True,
        tells_unjudged=True,
        counts_outside=True,
    ),
    Family(
        name="GMBpref",
        definition=_BPREF,
        about="binary preference, its mean geometric",
        cut=Cut.NONE,
        parameters=("rel",),
        axes=(*OF_JUDGED_VALUES, "bpref_variant"),
        example="GMBpref",
        unstated=("GMBpref",),
        implies=MappingProxyType({"aggregate": axes.Aggregate.GEOMETRIC}),
        is_monotone=True,
        is_judgeable=True,
        needs_ranks=True,
        tells_unjudged=True,
        counts_outside=True,
    ),
    Family(
        name="infAP",
        definition=_INFAP,
        about="inferred average precision",
        cut=Cut.NONE,
        parameters=("rel",),
        axes=(*OF_VALUES, "infap_epsilon"),
        example="infAP",
        unstated=("infAP",),
        needs_ranks=True,
        tells_unjudged=True,
    ),
    Family(
        name="RBP",
        definition=_RBP,
        about="rank-biased precision",
        cut=Cut.OPTIONAL,
        parameters=("judged_only", "p", "rel"),
        axes=(*OF_VALUES, "rbp_persistence", "rbp_gain"),
        example="RBP(p=0.8)",
        unstated=("RBP",),
        is_additive=True,
        is_monotone=True,
        is_judgeable=True,
        needs_ranks=True,
    ),
    Family(
        name="RBPResidual",
        definition=_RESIDUAL,
        about="what rank-biased precision could still gain",
        cut=Cut.OPTIONAL,
        parameters=("judged_only", "p"),
        axes=("unjudged", *OF_LISTS, *OF_MEANS, "rbp_persistence", "rbp_residual"),
        example="RBPResidual(p=0.8)",
        unstated=("RBPResidual",),
        favours=Favoured.UNJUDGED,
        is_monotone=True,
        is_of_query=True,
        needs_ranks=True,
        tells_unjudged=True,
    ),
    Family(
        name="Judged",
        definition=_JUDGED,
        about="the share of judged documents",
        cut=Cut.REQUIRED,
        axes=("unjudged", *OF_LISTS, *OF_MEANS, "precision_denominator"),
        example="Judged@10",
        excludes=MappingProxyType(
            {axes.PrecisionDenominator.MIN_RELEVANT_CUTOFF: "is about relevant documents, not judged ones"}
        ),
        favours=Favoured.JUDGED,
        is_monotone=True,
        tells_unjudged=True,
    ),
    Family(
        name="Unjudged",
        definition=_UNJUDGED,
        about="the share of unjudged documents",
        cut=Cut.REQUIRED,
        axes=("unjudged", *OF_LISTS, *OF_MEANS, "precision_denominator"),
        example="Unjudged@10",
        excludes=MappingProxyType(
            {axes.PrecisionDenominator.MIN_RELEVANT_CUTOFF: "is about relevant documents, not unjudged ones"}
        ),
        favours=Favoured.UNJUDGED,
        is_monotone=True,
        tells_unjudged=True,
    ),
    *_BLENDED,
)
"""In the order in which measures are listed."""
