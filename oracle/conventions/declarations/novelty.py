"""Measures of novelty and diversity: documents are relevant to some of a query's subtopics (ndeval)."""

from __future__ import annotations

from rankspec.oracle.conventions.declarations.common import OF_VALUES
from rankspec.oracle.conventions.declarations.family import Cut, Family, Samples

_RELEVANCE = ("judged_only", "rel")
_SCALED = (*OF_VALUES, "novelty_normalization")
_HELD_AGAINST_IDEAL = (*OF_VALUES, "novelty_ideal")

DECLARED = (
    Family(
        name="alpha_DCG",
        about="discounted gain of subtopics, less for each time one came before",
        cut=Cut.REQUIRED,
        parameters=("alpha", *_RELEVANCE),
        axes=_SCALED,
        example="alpha_DCG(alpha=0.5)@10",
        needs_ranks=True,
        by_subtopic=True,
    ),
    Family(
        name="alpha_nDCG",
        about="alpha-DCG over that of an ideal ranking",
        cut=Cut.REQUIRED,
        parameters=("alpha", *_RELEVANCE),
        axes=_HELD_AGAINST_IDEAL,
        example="alpha_nDCG(alpha=0.5)@10",
        needs_ranks=True,
        by_subtopic=True,
    ),
    Family(
        name="ERR_IA",
        about="intent-aware expected reciprocal rank",
        cut=Cut.REQUIRED,
        parameters=("alpha", *_RELEVANCE),
        axes=_SCALED,
        example="ERR_IA@10",
        needs_ranks=True,
        by_subtopic=True,
    ),
    Family(
        name="nERR_IA",
        about="intent-aware expected reciprocal rank over that of an ideal ranking",
        cut=Cut.REQUIRED,
        parameters=("alpha", *_RELEVANCE),
        axes=_HELD_AGAINST_IDEAL,
        example="nERR_IA@10",
        needs_ranks=True,
        by_subtopic=True,
    ),
    Family(
        name="NRBP",
        about="novelty- and rank-biased precision",
        cut=Cut.NONE,
        parameters=("alpha", "beta", *_RELEVANCE),
        axes=_SCALED,
        example="NRBP(alpha=0.5, beta=0.5)",
        samples=Samples(neighbours=("NRBP",), witnesses=("NRBP",)),
        needs_ranks=True,
        by_subtopic=True,
    ),
    Family(
        name="nNRBP",
        about="novelty- and rank-biased precision over that of an ideal ranking",
        cut=Cut.NONE,
        parameters=("alpha", "beta", *_RELEVANCE),
        axes=_HELD_AGAINST_IDEAL,
        example="nNRBP(alpha=0.5, beta=0.5)",
        needs_ranks=True,
        by_subtopic=True,
    ),
    Family(
        name="AP_IA",
        about="intent-aware average precision: the mean over subtopics",
        cut=Cut.NONE,
        parameters=_RELEVANCE,
        axes=OF_VALUES,
        example="AP_IA",
        needs_ranks=True,
        by_subtopic=True,
    ),
    Family(
        name="P_IA",
        about="intent-aware precision: the mean over subtopics",
        cut=Cut.REQUIRED,
        parameters=_RELEVANCE,
        axes=OF_VALUES,
        example="P_IA@10",
        needs_ranks=True,
        by_subtopic=True,
    ),
    Family(
        name="StRecall",
        about="the share of subtopics that the first documents cover",
        cut=Cut.REQUIRED,
        parameters=_RELEVANCE,
        axes=OF_VALUES,
        example="StRecall@10",
        needs_ranks=True,
        by_subtopic=True,
    ),
)
"""In the order in which measures are listed."""
