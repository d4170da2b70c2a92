"""Measures of relevant documents: precision, recall, F, success, the first hit, and those of a set."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.declarations.family import OF_LISTS, OF_VALUES, RELEVANCE, Cut, family
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
        columns=_HITS,
        factors=(("p", HITS / of_precision), ("r", HITS / of_recall), ("w", _WEIGHT)),
        formula=("(1 + w) p r / (w p + r)", r"\frac{(1+w) p r}{w p + r}"),
    )


_P = clause("precision.at", "precision.denominator.*")(
    Definition(term=HIT, divisor=_PRECISION, counted="hits", columns=_HITS)
)
_R = clause("recall.at", "recall.denominator.*")(Definition(term=HIT, divisor=_RECALL, counted="hits", columns=_HITS))
_F = clause("f.at", "f.weight.*")(_weighed(_PRECISION, _RECALL))
_SUCCESS = clause("success.at")(Definition(term=FIRST, columns=_HITS, adds="the first hit adds 1"))
_RR = clause("rr.first", "ranking.ties.grouped", "ranking.ties.expected")(
    Definition(term=FIRST / RANK, adds="the first hit adds 1/rank")
)
_RPREC = clause("rprec.at")(Definition(term=HIT, divisor=RELEVANT, counted="hits", columns=_HITS))
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
_RPREC_MULT = clause("rprec.multiple")(Definition(term=HIT, divisor=CUTOFF, counted="hits", columns=_HITS))
_SET_P = clause("set.precision", "set.relative-precision")(
    Definition(term=HIT, divisor=Choice("relative"), counted="hits", columns=_HITS)
)
_SET_R = clause("set.recall")(Definition(term=HIT, divisor=RELEVANT, counted="hits", columns=_HITS))
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

DECLARED = (
    family(
        "P@10",
        "precision",
        Cut.REQUIRED,
        *("is_monotone", "is_judgeable"),
        definition=_P,
        parameters=(*RELEVANCE, "relative"),
        axes=(*OF_VALUES, "precision_denominator"),
        unstated=("P@5",),
    ),
    family(
        "R@100",
        "recall",
        Cut.REQUIRED,
        *("is_monotone", "is_judgeable"),
        definition=_R,
        axes=(*OF_VALUES, "recall_denominator"),
        unstated=("R@5",),
    ),
    family(
        "F@10",
        "F of precision and recall at a cutoff",
        Cut.REQUIRED,
        *("is_monotone", "is_judgeable"),
        definition=_F,
        parameters=("beta", *RELEVANCE),
        axes=(*OF_VALUES, "precision_denominator", "recall_denominator", "f_weight"),
        unstated=("F(beta=2)@5",),
    ),
    family(
        "Success@10",
        "whether there is a hit",
        Cut.OPTIONAL,
        *("is_monotone", "is_judgeable"),
        definition=_SUCCESS,
    ),
    family(
        "RR@10",
        "reciprocal rank of the first hit",
        Cut.OPTIONAL,
        *("is_monotone", "is_judgeable"),
        definition=_RR,
    ),
    family(
        "Rprec",
        "precision at R",
        Cut.NONE,
        *("is_monotone", "is_judgeable", "limit_is_relevant"),
        definition=_RPREC,
    ),
    family(
        "Accuracy@10",
        "the share of pairs of a hit and a miss in the right order",
        Cut.OPTIONAL,
        *("needs_ranks", "counts_retrieved"),
        definition=_ACCURACY,
        unstated=("Accuracy",),
    ),
    family(
        "RprecMult@0.4",
        "precision at a multiple of R",
        Cut.MULTIPLE,
        *("is_monotone", "limit_is_relevant"),
        definition=_RPREC_MULT,
        axes=(*OF_VALUES, "multiple_rounding"),
    ),
    family(
        "SetP",
        "precision of the whole list",
        Cut.NONE,
        *("is_monotone", "is_judgeable", "is_order_free", "counts_retrieved"),
        definition=_SET_P,
        parameters=(*RELEVANCE, "relative"),
    ),
    family(
        "SetR",
        "recall of the whole list",
        Cut.NONE,
        *("is_monotone", "is_judgeable", "is_order_free"),
        definition=_SET_R,
    ),
    family(
        "SetF(beta=2)",
        "F of the whole list",
        Cut.NONE,
        *("is_monotone", "is_judgeable", "is_order_free", "counts_retrieved"),
        definition=_SET_F,
        parameters=("beta", *RELEVANCE),
        axes=(*OF_VALUES, "f_weight"),
        unstated=("SetF(beta=2)",),
    ),
    family(
        "SetAP",
        "precision times recall of the whole list",
        Cut.NONE,
        *("is_monotone", "is_judgeable", "is_order_free", "counts_retrieved"),
        definition=_SET_AP,
    ),
    family(
        "Utility(hit=2, miss=-1)",
        "weighed counts of hits, misses and what was not found",
        Cut.NONE,
        *("is_monotone", "is_order_free", "counts_retrieved"),
        definition=_UTILITY,
        parameters=("hit", "lost", "miss", *RELEVANCE),
        axes=("unjudged", *OF_LISTS, "empty_mean", "aggregate"),
        unstated=("Utility",),
        excludes=MappingProxyType({axes.Aggregate.GEOMETRIC: "has no roots of utilities below 0"}),
    ),
)
"""In the order in which measures are listed."""
