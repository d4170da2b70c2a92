"""Measures of novelty and diversity: documents are relevant to some of a query's subtopics (ndeval)."""

from __future__ import annotations

from rankspec.oracle.conventions.declarations.family import OF_VALUES, Cut, Family, Samples

_RELEVANCE = ("judged_only", "rel")
_SCALED = (*OF_VALUES, "novelty_normalization")
_HELD_AGAINST_IDEAL = (*OF_VALUES, "novelty_ideal")

_NOVELTY = Family(
    name="",
    about="",
    example="",
    cut=Cut.REQUIRED,
    axes=_SCALED,
    parameters=("alpha", *_RELEVANCE),
    needs_ranks=True,
    by_subtopic=True,
)
"""What they have in common."""

DECLARED = (
    _NOVELTY._replace(
        name="alpha_DCG",
        about="discounted gain of subtopics, less for each time one came before",
        example="alpha_DCG(alpha=0.5)@10",
    ),
    _NOVELTY._replace(
        name="alpha_nDCG",
        about="alpha-DCG over that of an ideal ranking",
        axes=_HELD_AGAINST_IDEAL,
        example="alpha_nDCG(alpha=0.5)@10",
    ),
    _NOVELTY._replace(
        name="ERR_IA",
        about="intent-aware expected reciprocal rank",
        example="ERR_IA@10",
    ),
    _NOVELTY._replace(
        name="nERR_IA",
        about="intent-aware expected reciprocal rank over that of an ideal ranking",
        axes=_HELD_AGAINST_IDEAL,
        example="nERR_IA@10",
    ),
    _NOVELTY._replace(
        name="NRBP",
        about="novelty- and rank-biased precision",
        cut=Cut.NONE,
        parameters=("alpha", "beta", *_RELEVANCE),
        example="NRBP(alpha=0.5, beta=0.5)",
        samples=Samples(neighbours=("NRBP",), witnesses=("NRBP",)),
    ),
    _NOVELTY._replace(
        name="nNRBP",
        about="novelty- and rank-biased precision over that of an ideal ranking",
        cut=Cut.NONE,
        parameters=("alpha", "beta", *_RELEVANCE),
        axes=_HELD_AGAINST_IDEAL,
        example="nNRBP(alpha=0.5, beta=0.5)",
    ),
    _NOVELTY._replace(
        name="AP_IA",
        about="intent-aware average precision: the mean over subtopics",
        cut=Cut.NONE,
        parameters=_RELEVANCE,
        axes=OF_VALUES,
        example="AP_IA",
    ),
    _NOVELTY._replace(
        name="P_IA",
        about="intent-aware precision: the mean over subtopics",
        parameters=_RELEVANCE,
        axes=OF_VALUES,
        example="P_IA@10",
    ),
    _NOVELTY._replace(
        name="StRecall",
        about="the share of subtopics that the first documents cover",
        parameters=_RELEVANCE,
        axes=OF_VALUES,
        example="StRecall@10",
    ),
)
"""In the order in which measures are listed."""
