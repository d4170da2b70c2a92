"""Measures of relevant documents: averages of precision, precision, recall, F, success, the first hit; counts."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.declarations.family import (
    OF_COUNTS,
    OF_LISTS,
    OF_QUERIES,
    OF_VALUES,
    RELEVANCE,
    Cut,
    Family,
    Favoured,
    family,
    geometric,
)
from rankspec.oracle.definitions.expression import (
    COUNT,
    CUTOFF,
    DOCUMENT,
    FIRST,
    HIT,
    HITS,
    LENGTH,
    NONRELEVANT,
    ONE,
    RANK,
    RELEVANT,
    ZERO,
    Choice,
    Definition,
    Expression,
    Parameter,
)

_JUDGEABLE = ("is_monotone", "is_judgeable")
_AP_AT_R = clause("ap.at-relevant")(Definition(term=HIT * (COUNT / RANK), divisor=RELEVANT, is_of_curve=True))
_CONTEXT_PRECISION = clause("contexts.precision")(Definition(term=HIT * (COUNT / RANK), divisor=HITS, is_of_curve=True))

_AP = family(
    "AP@10",
    "average precision",
    *("is_area", *_JUDGEABLE),
    axes=(*OF_VALUES, "denominator", "interpolation", "recall_grid"),
    unstated=("AP", "AP@10"),
)

_HITS = (("hits", COUNT),)
_of_hits = partial(Definition, term=HIT, counted="hits", columns=_HITS)
_PRECISION, _RECALL, _WEIGHT = Choice("precision_denominator"), Choice("recall_denominator"), Choice("f_weight")


def _weighed(of_precision: Expression, of_recall: Expression) -> Definition:
    """Return F of the hits over two denominators: (1 + w) p r / (w p + r), which is hits over their weighed mean."""
    return Definition(
        term=HIT,
        divisor=(_WEIGHT * of_recall + of_precision) / (1 + _WEIGHT),
        divisor_name="the mean of both denominators, recall's weighed by w",
        columns=_HITS,
        factors=(("p", HITS / of_precision), ("r", HITS / of_recall), ("w", _WEIGHT)),
        formula=("(1 + w) p r / (w p + r)", r"\frac{(1+w) p r}{w p + r}"),
    )


_P = clause("precision.at", "precision.denominator.*")(_of_hits(divisor=_PRECISION))
_R = clause("recall.at", "recall.denominator.*")(_of_hits(divisor=_RECALL))
_F = clause("f.at", "f.weight.*")(_weighed(_PRECISION, _RECALL))
_SUCCESS = clause("success.at")(Definition(term=FIRST, columns=_HITS, adds="the first hit adds 1"))
_RR = clause("rr.first", "ranking.ties.grouped", "ranking.ties.expected")(
    Definition(term=FIRST / RANK, adds="the first hit adds 1/rank")
)
_RPREC = clause("rprec.at")(_of_hits(divisor=RELEVANT))
_ACCURACY = clause("accuracy.at")(
    Definition(
        term=HIT * ((LENGTH - HITS) - (RANK - COUNT)),
        divisor=HITS * (LENGTH - HITS),
        empty=Fraction(1),
        empty_reason="no pair is in the wrong order",
        columns=_HITS,
        adds="a hit adds the misses below",
    )
)
_RPREC_MULT = clause("rprec.multiple")(_of_hits(divisor=CUTOFF))
_SET_P = clause("set.precision", "set.relative-precision")(_of_hits(divisor=Choice("relative")))
_SET_R = clause("set.recall")(_of_hits(divisor=RELEVANT))
_SET_F = clause("set.f", "f.weight.*")(_weighed(Choice("relative"), RELEVANT))
_SET_AP = clause("set.average-precision")(
    Definition(
        term=HIT,
        divisor=LENGTH * RELEVANT / HITS,
        divisor_name="n * R / hits",
        columns=_HITS,
        factors=(("p", HITS / LENGTH), ("r", HITS / RELEVANT)),
        formula=("p r", r"p \cdot r"),
    )
)
_UTILITY = clause("utility.at")(
    Definition(
        term=Parameter("hit", Fraction(1)) * HIT + Parameter("miss", Fraction(-1)) * (DOCUMENT - HIT),
        extra=Parameter("lost", Fraction(0)) * (RELEVANT - HITS),
        extra_name="relevant documents not retrieved",
        columns=_HITS,
        adds="a hit adds {hit}, another document {miss}",
        worded=(("hit", Parameter("hit", Fraction(1))), ("miss", Parameter("miss", Fraction(-1)))),
    )
)

_QUERIES = clause("count.queries")(Definition(term=ZERO, extra=ONE, extra_name="the query"))
_RETRIEVED = clause("count.retrieved")(Definition(term=DOCUMENT, counted="documents retrieved"))
_RELEVANT = clause("count.relevant")(
    Definition(term=ZERO, extra=RELEVANT, extra_name="relevant documents in the qrels")
)
_HITS_OF_LISTS = clause("count.relevant-retrieved")(_of_hits())
_NONRELEVANT = clause("count.nonrelevant-judged-retrieved")(
    Definition(term=NONRELEVANT, counted="judged nonrelevant documents retrieved")
)


def _count(example: str, of: Definition, *traits: str, **declared: Any) -> Family:
    about = declared.pop("about", of.extra_name or of.counted)
    fields = {"parameters": ("rel",), "axes": OF_QUERIES if "is_of_query" in traits else OF_COUNTS, **declared}
    return family(example, about, "is_count", "is_monotone", "is_order_free", *traits, definition=of, **fields)


def _of_set(example: str, of: str, *traits: str, **declared: Any) -> Family:
    return family(example, f"{of} of the whole list", *_JUDGEABLE, "is_order_free", *traits, **declared)


DECLARED = (
    _AP,
    family(
        "AP11",
        "11-point average precision",
        *("is_area", *_JUDGEABLE),
        cut=Cut.OPTIONAL,
        axes=(*OF_VALUES, "denominator", "recall_grid"),
        implies={"interpolation": axes.Interpolation.ELEVEN_POINT},
    ),
    family(
        "TAP@5",
        "threshold average precision",
        cut=Cut.FALSE_POSITIVES,
        axes=(*OF_VALUES, "tap_quantile", "tap_insufficient", "tap_ties"),
        unstated=("TAP@1",),
    ),
    geometric(_AP),
    family(
        "AP@R",
        "average precision of the first R documents",
        *("is_monotone", "limit_is_relevant"),
        cut=Cut.NONE,
        definition=_AP_AT_R,
        unstated=("AP@R",),
    ),
    family(
        "ContextPrecision",
        "precision averaged over the hits in the list: context precision of retrieval-augmented generation",
        cut=Cut.OPTIONAL,
        definition=_CONTEXT_PRECISION,
    ),
    family(
        "IPrec@0.1",
        "precision interpolated at a recall level",
        *_JUDGEABLE,
        cut=Cut.RECALL,
        axes=(*OF_VALUES, "recall_grid"),
    ),
    family(
        "P@10",
        "precision",
        *_JUDGEABLE,
        cut=Cut.REQUIRED,
        definition=_P,
        parameters=(*RELEVANCE, "relative"),
        axes=(*OF_VALUES, "precision_denominator"),
        unstated=("P@5",),
    ),
    family(
        "R@100",
        "recall",
        *_JUDGEABLE,
        cut=Cut.REQUIRED,
        definition=_R,
        axes=(*OF_VALUES, "recall_denominator"),
        unstated=("R@5",),
    ),
    family(
        "F@10",
        "F of precision and recall at a cutoff",
        *_JUDGEABLE,
        cut=Cut.REQUIRED,
        definition=_F,
        parameters=("beta", *RELEVANCE),
        axes=(*OF_VALUES, "precision_denominator", "recall_denominator", "f_weight"),
        unstated=("F(beta=2)@5",),
    ),
    family("Success@10", "whether there is a hit", *_JUDGEABLE, definition=_SUCCESS),
    family("RR@10", "reciprocal rank of the first hit", *_JUDGEABLE, definition=_RR),
    family("Rprec", "precision at R", *_JUDGEABLE, "limit_is_relevant", definition=_RPREC),
    family(
        "Accuracy@10",
        "the share of pairs of a hit and a miss in the right order",
        *("needs_ranks", "counts_retrieved"),
        definition=_ACCURACY,
        unstated=("Accuracy",),
    ),
    family(
        "RprecMult@0.4",
        "precision at a multiple of R",
        *("is_monotone", "limit_is_relevant"),
        cut=Cut.MULTIPLE,
        definition=_RPREC_MULT,
        axes=(*OF_VALUES, "multiple_rounding"),
    ),
    _of_set("SetP", "precision", "counts_retrieved", definition=_SET_P, parameters=(*RELEVANCE, "relative")),
    _of_set("SetR", "recall", definition=_SET_R),
    _of_set(
        "SetF(beta=2)",
        "F",
        "counts_retrieved",
        definition=_SET_F,
        parameters=("beta", *RELEVANCE),
        axes=(*OF_VALUES, "f_weight"),
        unstated=("SetF(beta=2)",),
    ),
    _of_set("SetAP", "precision times recall", "counts_retrieved", definition=_SET_AP),
    family(
        "Utility(hit=2, miss=-1)",
        "weighed counts of hits, misses and what was not found",
        *("is_monotone", "is_order_free", "counts_retrieved"),
        definition=_UTILITY,
        parameters=("hit", "lost", "miss", *RELEVANCE),
        axes=("unjudged", *OF_LISTS, "empty_mean", "aggregate"),
        unstated=("Utility",),
        excludes={axes.Aggregate.GEOMETRIC: "has no roots of utilities below 0"},
    ),
)
"""In the order in which measures are listed."""

COUNTS = (
    _count("NumQ", _QUERIES, "is_of_query", "counts_queries", about="queries", parameters=()),
    _count("NumRet", _RETRIEVED, "counts_retrieved", parameters=()),
    _count("NumRel", _RELEVANT, "is_of_query"),
    _count("NumRelRet", _HITS_OF_LISTS, about="relevant documents retrieved"),
    _count("NumNonrelJudgedRet", _NONRELEVANT, "tells_unjudged", favours=Favoured.NONRELEVANT),
)
"""The last of all families."""
