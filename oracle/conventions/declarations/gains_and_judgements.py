"""Measures of gains, those that tell judged documents from unjudged ones, and those of readers who go on or stop.

Readers are C/W/L's (Moffat et al. 2017); compatibility is a list's overlap with an ideal one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

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
        columns=(("reached", Above(1 - _STOP)), ("stops", _STOP)),
    )
)
_LOST = Choice("bpref_variant")
_BPREF_SUM = clause("bpref.at", "ranking.ties.expected")(
    Definition(
        term=HIT * (1 - _LOST),
        divisor=RELEVANT,
        adds="a hit adds 1 - lost, lost = {lost}, nb nonrelevant above",
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
        columns=(("gain", Choice("rbp_gain")), ("weight", _WEIGHT)),
    )
)
_RESIDUAL = clause("rbp.at", "rbp.residual.*", "ranking.ties.expected")(
    Definition(
        term=_WEIGHT * (DOCUMENT - JUDGED),
        extra=Choice("rbp_residual"),
        extra_name="the ranks after the list",
        adds="an open row adds its weight, weight = {weight}",
        columns=(("open", DOCUMENT - JUDGED), ("weight", _WEIGHT)),
    )
)
_BPREF = family(
    "Bpref",
    "binary preference",
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


def _share(example: str, of: Definition, favours: Favoured) -> Family:
    return family(
        example,
        f"the share of {favours.value} documents",
        *("is_monotone", "tells_unjudged"),
        cut=Cut.REQUIRED,
        definition=of,
        parameters=(),
        axes=("unjudged", *OF_LISTS, *OF_MEANS, "precision_denominator"),
        excludes={_OF_RELEVANT: f"is about relevant documents, not {favours.value} ones"},
        favours=favours,
    )


def _of_gains(example: str, about: str, *traits: str, **declared: Any) -> Family:
    fields = {"parameters": GAINS, "axes": (*OF_VALUES, "gain", "discount"), **declared}
    return family(example, about, "is_graded", "needs_ranks", *traits, **fields)


_SCALE = ("max_rel", "min_rel")  # The ends of the scale of grades, between which gains lie: ir_measures' names


def _reader(example: str, about: str, *traits: str, takes: tuple[str, ...] = ()) -> Family:
    """Return a family of readers; those of a measure without a cutoff may go on without end."""
    cut, more = (Cut.REQUIRED, ()) if "@" in example else (Cut.NONE, ("reader_horizon",))
    fields = {"cut": cut, "parameters": (*takes, *_SCALE), "axes": (*OF_VALUES, *more)}
    return _of_gains(example, about, *traits, **fields)


_NERR = "nearly expected reciprocal rank"
_ADDED = ("is_additive", "is_monotone", "is_judgeable")
DECLARED: tuple[Family, ...] = (
    _of_gains("DCG@10", "discounted cumulated gain", *_ADDED, definition=_DCG),
    _of_gains(
        "nDCG(dcg='exp-log2')@10",
        "discounted cumulated gain over the ideal one",
        *_ADDED,
        definition=_NDCG,
        axes=(*OF_VALUES, "gain", "discount", "ideal"),
        unstated=("nDCG", "nDCG@10"),
    ),
    _of_gains("nDCGRel", "nDCG averaged over the relevant documents", unstated=("nDCGRel",)),
    _of_gains(
        "RnDCG", "nDCG averaged over the ranks at which the ideal gain falls", "counts_retrieved", unstated=("RnDCG",)
    ),
    _of_gains(
        "G",
        "gain discounted by how far the list is behind the ideal one",
        definition=_G,
        parameters=("dcg", "judged_only"),
        axes=(*OF_VALUES, "gain"),
        unstated=("G",),
    ),
    family(
        "BinG",
        "hits discounted by the misses above them",
        *("is_monotone", "needs_ranks"),
        definition=_BING,
        unstated=("BinG",),
    ),
    _of_gains(
        "ERR@10",
        "expected reciprocal rank",
        *("is_monotone", "is_judgeable"),
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
        *("needs_ranks", "tells_unjudged"),
        definition=_INFAP,
        parameters=("rel",),
        axes=(*OF_VALUES, "infap_epsilon"),
        unstated=("infAP",),
    ),
    family(
        "RBP(p=0.8)",
        "rank-biased precision",
        *("needs_ranks", *_ADDED),
        cut=Cut.OPTIONAL,
        definition=_RBP,
        parameters=("judged_only", "p", "rel"),
        axes=(*OF_VALUES, "rbp_persistence", "rbp_gain"),
        unstated=("RBP",),
    ),
    family(
        "RBPResidual(p=0.8)",
        "what rank-biased precision could still gain",
        *("is_monotone", "is_of_query", "needs_ranks", "tells_unjudged"),
        cut=Cut.OPTIONAL,
        definition=_RESIDUAL,
        parameters=("judged_only", "p"),
        axes=("unjudged", *OF_LISTS, *OF_MEANS, "rbp_persistence", "rbp_residual"),
        unstated=("RBPResidual",),
        favours=Favoured.UNJUDGED,
    ),
    _share("Judged@10", _JUDGED, Favoured.JUDGED),
    _share("Unjudged@10", _UNJUDGED, Favoured.UNJUDGED),
    _of_gains(
        "Q(beta=1)@10",
        "Q-measure: precision blended with cumulated gain, averaged over the relevant documents (Sakai 2004)",
        definition=_Q,  # beta is the weight of gains beside hits, 1 if not given; of 0 it is average precision
        parameters=("beta", *GAINS),
        axes=(*OF_VALUES, "gain"),
        unstated=("Q",),
    ),
    _reader("NERR8(max_rel=4)@10", f"{_NERR}: a reader stops at a gain, or at k", "is_monotone"),
    _reader("NERR9(max_rel=4)@10", f"{_NERR}, weights over ranks", "is_monotone"),
    _reader("NERR10(max_rel=4, p=0.9)", f"{_NERR} of a persistent reader", "is_monotone", takes=("p",)),
    _reader("NERR11(T=1, max_rel=4)", f"{_NERR} of a reader who wants T in all", "is_monotone", takes=("T",)),
    _reader(
        "INSQ(T=1, max_rel=4)", "gain weighted by inverse squares of ranks", "is_additive", "is_monotone", takes=("T",)
    ),
    _reader("INST(T=1, max_rel=4)", "gain weighted by inverse squares, the less the more was gained", takes=("T",)),
    _reader(
        "BPM(T=1, max_rel=4)@10",
        "gain a document up to a gain of T, or to rank k (Bejeweled player model)",
        takes=("T",),
    ),
    _reader(
        "SDCG(max_rel=4)@10",
        "discounted cumulated gain over that of k documents of the highest grade",
        *("is_additive", "is_monotone"),
    ),
    _of_gains(
        "Compat(p=0.95)",
        "compatibility: rank-biased overlap with the nearest ideal ranking",
        *("is_monotone", "counts_retrieved"),
        parameters=("normalize", "p"),
        axes=(*OF_VALUES, "compat_persistence", "compat_depth", "compat_normalization"),
    ),
)
"""In the order in which measures are listed."""
