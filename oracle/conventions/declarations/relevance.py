"""Measures of relevant documents: precision, recall, F, success, the first hit, and those of a set."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.declarations.family import OF_LISTS, OF_VALUES, RELEVANCE, Cut, Family
from rankspec.oracle.definitions.expression import (
    COUNT,
    CUTOFF,
    DOCUMENT,
    FIRST,
    HIT,
    HITS,
    LENGTH,
    RANK,
    RELEVANT,
    Choice,
    Definition,
    Expression,
    Parameter,
)

_HITS = (("hits", COUNT),)
_PRECISION, _RECALL, _WEIGHT = Choice("precision_denominator"), Choice("recall_denominator"), Choice("f_weight")


def _weighed(of_precision: Expression, of_recall: Expression) -> Definition:
    """Return F of the hits over two denominators: (1 + w) p r / (w p + r), which is hits over their weighed mean."""
    return Definition(
        term=HIT,
        divisor=(_WEIGHT * of_recall + of_precision) / (1 + _WEIGHT),
        divisor_name="the mean of both denominators, recall's weighed by w",
        shown=_HITS,
        factors=(("p", HITS / of_precision), ("r", HITS / of_recall), ("w", _WEIGHT)),
        formula=("(1 + w) p r / (w p + r)", r"\frac{(1+w) p r}{w p + r}"),
    )


_P = clause("precision.at", "precision.denominator.*")(
    Definition(term=HIT, divisor=_PRECISION, counted="hits", shown=_HITS)
)
_R = clause("recall.at", "recall.denominator.*")(Definition(term=HIT, divisor=_RECALL, counted="hits", shown=_HITS))
_F = clause("f.at", "f.weight.*")(_weighed(_PRECISION, _RECALL))
_SUCCESS = clause("success.at")(Definition(term=FIRST, shown=_HITS, adds="the first hit adds 1"))
_RR = clause("rr.first", "ranking.ties.grouped", "ranking.ties.expected")(
    Definition(term=FIRST / RANK, adds="the first hit adds 1/rank")
)
_RPREC = clause("rprec.at")(Definition(term=HIT, divisor=RELEVANT, counted="hits", shown=_HITS))
_ACCURACY = clause("accuracy.at")(
    Definition(
        term=HIT * ((LENGTH - HITS) - (RANK - COUNT)),
        divisor=HITS * (LENGTH - HITS),
        empty=Fraction(1),
        empty_reason="no pair is in the wrong order",
        shown=_HITS,
        adds="a hit adds the misses below",
    )
)
_RPREC_MULT = clause("rprec.multiple")(Definition(term=HIT, divisor=CUTOFF, counted="hits", shown=_HITS))
_SET_P = clause("set.precision", "set.relative-precision")(
    Definition(term=HIT, divisor=Choice("relative"), counted="hits", shown=_HITS)
)
_SET_R = clause("set.recall")(Definition(term=HIT, divisor=RELEVANT, counted="hits", shown=_HITS))
_SET_F = clause("set.f", "f.weight.*")(_weighed(Choice("relative"), RELEVANT))
_SET_AP = clause("set.average-precision")(
    Definition(
        term=HIT,
        divisor=LENGTH * RELEVANT / HITS,
        divisor_name="n * R / hits",
        shown=_HITS,
        factors=(("p", HITS / LENGTH), ("r", HITS / RELEVANT)),
        formula=("p r", r"p \cdot r"),
    )
)
_UTILITY = clause("utility.at")(
    Definition(
        term=Parameter("hit", Fraction(1)) * HIT + Parameter("miss", Fraction(-1)) * (DOCUMENT - HIT),
        beside=Parameter("lost", Fraction(0)) * (RELEVANT - HITS),
        beside_name="relevant documents not retrieved",
        shown=_HITS,
        adds="a hit adds {hit}, another document {miss}",
        worded=(("hit", Parameter("hit", Fraction(1))), ("miss", Parameter("miss", Fraction(-1)))),
    )
)

DECLARED = (
    Family(
        name="P",
        definition=_P,
        about="precision",
        cut=Cut.REQUIRED,
        parameters=(*RELEVANCE, "relative"),
        axes=(*OF_VALUES, "precision_denominator"),
        example="P@10",
        unstated=("P@5",),
        is_monotone=True,
        is_judgeable=True,
    ),
    Family(
        name="R",
        definition=_R,
        about="recall",
        cut=Cut.REQUIRED,
        parameters=RELEVANCE,
        axes=(*OF_VALUES, "recall_denominator"),
        example="R@100",
        unstated=("R@5",),
        is_monotone=True,
        is_judgeable=True,
    ),
    Family(
        name="F",
        definition=_F,
        about="F of precision and recall at a cutoff",
        cut=Cut.REQUIRED,
        parameters=("beta", *RELEVANCE),
        axes=(*OF_VALUES, "precision_denominator", "recall_denominator", "f_weight"),
        example="F@10",
        unstated=("F(beta=2)@5",),
        is_monotone=True,
        is_judgeable=True,
    ),
    Family(
        name="Success",
        definition=_SUCCESS,
        about="whether there is a hit",
        cut=Cut.OPTIONAL,
        parameters=RELEVANCE,
        axes=OF_VALUES,
        example="Success@10",
        is_monotone=True,
        is_judgeable=True,
    ),
    Family(
        name="RR",
        definition=_RR,
        about="reciprocal rank of the first hit",
        cut=Cut.OPTIONAL,
        parameters=RELEVANCE,
        axes=OF_VALUES,
        example="RR@10",
        is_monotone=True,
        is_judgeable=True,
    ),
    Family(
        name="Rprec",
        definition=_RPREC,
        about="precision at R",
        cut=Cut.NONE,
        parameters=RELEVANCE,
        axes=OF_VALUES,
        example="Rprec",
        is_monotone=True,
        is_judgeable=True,
        limit_is_relevant=True,
    ),
    Family(
        name="Accuracy",
        definition=_ACCURACY,
        about="the share of pairs of a hit and a miss in the right order",
        cut=Cut.OPTIONAL,
        parameters=RELEVANCE,
        axes=OF_VALUES,
        example="Accuracy@10",
        unstated=("Accuracy",),
        needs_ranks=True,
        counts_retrieved=True,
    ),
    Family(
        name="RprecMult",
        definition=_RPREC_MULT,
        about="precision at a multiple of R",
        cut=Cut.MULTIPLE,
        parameters=RELEVANCE,
        axes=(*OF_VALUES, "multiple_rounding"),
        example="RprecMult@0.4",
        is_monotone=True,
        limit_is_relevant=True,
    ),
    Family(
        name="SetP",
        definition=_SET_P,
        about="precision of the whole list",
        cut=Cut.NONE,
        parameters=(*RELEVANCE, "relative"),
        axes=OF_VALUES,
        example="SetP",
        is_monotone=True,
        is_judgeable=True,
        is_order_free=True,
        counts_retrieved=True,
    ),
    Family(
        name="SetR",
        definition=_SET_R,
        about="recall of the whole list",
        cut=Cut.NONE,
        parameters=RELEVANCE,
        axes=OF_VALUES,
        example="SetR",
        is_monotone=True,
        is_judgeable=True,
        is_order_free=True,
    ),
    Family(
        name="SetF",
        definition=_SET_F,
        about="F of the whole list",
        cut=Cut.NONE,
        parameters=("beta", *RELEVANCE),
        axes=(*OF_VALUES, "f_weight"),
        example="SetF(beta=2)",
        unstated=("SetF(beta=2)",),
        is_monotone=True,
        is_judgeable=True,
        is_order_free=True,
        counts_retrieved=True,
    ),
    Family(
        name="SetAP",
        definition=_SET_AP,
        about="precision times recall of the whole list",
        cut=Cut.NONE,
        parameters=RELEVANCE,
        axes=OF_VALUES,
        example="SetAP",
        is_monotone=True,
        is_judgeable=True,
        is_order_free=True,
        counts_retrieved=True,
    ),
    Family(
        name="Utility",
        definition=_UTILITY,
        about="weighed counts of hits, misses and what was not found",
        cut=Cut.NONE,
        parameters=("hit", "lost", "miss", *RELEVANCE),
        axes=("unjudged", *OF_LISTS, "empty_mean", "aggregate"),
        example="Utility(hit=2, miss=-1)",
        unstated=("Utility",),
        excludes=MappingProxyType({axes.Aggregate.GEOMETRIC: "has no roots of utilities below 0"}),
        is_monotone=True,
        is_order_free=True,
        counts_retrieved=True,
    ),
)
"""In the order in which measures are listed."""
