"""Measures of novelty, trec_eval's measures of preferences, and those that it averages over judgment groups."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axes import AxisValue
from rankspec.oracle.conventions.declarations.family import (
    OF_LISTS,
    OF_MEANS,
    OF_QUERIES,
    OF_VALUES,
    RELEVANCE,
    Cut,
    Family,
    family,
)


def _novelty(example: str, about: str, *parameters: str, cut: Cut = Cut.REQUIRED, axis: str = "") -> Family:
    axes_ = (*OF_VALUES, axis) if axis else OF_VALUES
    traits, taken = ("needs_ranks", "by_subtopic"), (*parameters, *RELEVANCE)
    return family(example, about, *traits, cut=cut, axes=axes_, parameters=taken)


_SCALED, _IDEAL = "novelty_normalization", "novelty_ideal"
_OVER_IDEAL = "over that of an ideal ranking"
_DCG = "discounted gain of subtopics, less for each time one came before"
_NRBP = "novelty- and rank-biased precision"
_ERR = "intent-aware expected reciprocal rank"
_OF_NOVELTY: tuple[Family, ...] = (
    _novelty("alpha_DCG(alpha=0.5)@10", _DCG, "alpha", axis=_SCALED),
    _novelty("alpha_nDCG(alpha=0.5)@10", f"alpha-DCG {_OVER_IDEAL}", "alpha", axis=_IDEAL),
    _novelty("ERR_IA@10", _ERR, "alpha", axis=_SCALED),
    _novelty("nERR_IA@10", f"{_ERR} {_OVER_IDEAL}", "alpha", axis=_IDEAL),
    _novelty("NRBP(alpha=0.5, beta=0.5)", _NRBP, "alpha", "beta", cut=Cut.NONE, axis=_SCALED),
    _novelty("nNRBP(alpha=0.5, beta=0.5)", f"{_NRBP} {_OVER_IDEAL}", "alpha", "beta", cut=Cut.NONE, axis=_IDEAL),
    _novelty("AP_IA", "intent-aware average precision: the mean over subtopics", cut=Cut.NONE),
    _novelty("P_IA@10", "intent-aware precision: the mean over subtopics"),
    _novelty("StRecall@10", "the share of subtopics that the first documents cover"),
)
"""In the order in which measures are listed."""


_OF_PLACES = ("negative_grades", "duplicates", "score_precision", "ties", "depth", *OF_QUERIES, "prefs_ties")
_OF_RATIOS = (*_OF_PLACES, *OF_MEANS, "prefs_counted")
_OF_GROUPS = ("unjudged", *OF_LISTS, *OF_MEANS)
_TWICE = "gives a document two ranks, and a preference compares one of each"
_NO_WORTH = "orders documents by their grades, and preferences have none"
_UNCLEAR: Mapping[AxisValue, str] = {
    axes.Duplicates.COUNTED: _TWICE,
    axes.Duplicates.FIRST: _TWICE,
    axes.Ties.OPTIMISTIC: _NO_WORTH,
    axes.Ties.PESSIMISTIC: _NO_WORTH,
}
_NO_IMPLIED = MappingProxyType(
    {**_UNCLEAR, axes.PrefsCounted.IMPLIED: "is none of the two ways to count R that it has: all, retrieved"}
)
_TRAITS = ("tells_unjudged", "counts_outside", "by_preference")
_COUNTED: Mapping[str, Mapping[str, AxisValue]] = {
    "ret": {"prefs_counted": axes.PrefsCounted.RETRIEVED},
    "imp": {"prefs_counted": axes.PrefsCounted.IMPLIED},
}


def _ratio(name: str, about: str, *traits: str, **declared: Any) -> Family:
    implies = _COUNTED.get(name.rpartition("_")[2], {})
    fields = {"parameters": (), "excludes": _UNCLEAR, "axes": _OF_RATIOS, **declared}
    return family(name, about, *(traits or ("needs_ranks",)), *_TRAITS, implies=implies, **fields)


def _nonrelevant(name: str, about: str) -> Family:
    return _ratio(name, about, axes=(*_OF_RATIOS, "prefs_nonrelevant"), excludes=_NO_IMPLIED)


def _by_group(example: str, of: str, cut: Cut, *more: str) -> Family:
    about = f"{of}, a mean over judgment groups"
    return family(example, about, "by_subtopic", cut=cut, axes=(*_OF_GROUPS, *more), of_each_group=of)


_COUNT, _OF_COUNTS = ("is_count", "needs_ranks"), (*_OF_PLACES, "prefs_counted")
DECLARED: tuple[Family, ...] = (
    *_OF_NOVELTY,
    _ratio(
        "prefs_num_prefs_poss",
        "preferences of the judgments",
        *("is_count", "is_order_free", "is_of_query"),
        axes=("negative_grades", *OF_QUERIES),
    ),
    _ratio("prefs_num_prefs_ful", "preferences fulfilled", *_COUNT, axes=_OF_COUNTS),
    _ratio("prefs_num_prefs_ful_ret", "preferences fulfilled between documents retrieved", *_COUNT, axes=_OF_COUNTS),
    _ratio("prefs_simp", "the share of preferences that are fulfilled"),
    _ratio("prefs_pair", "the same, a mean over pairs of documents"),
    _ratio("prefs_avgjg", "the same, a mean over judgment groups"),
    _nonrelevant("prefs_avgjg_Rnonrel", "the same, with as many nonrelevant documents as relevant ones"),
    _ratio("prefs_simp_ret", "prefs_simp between documents retrieved"),
    _ratio("prefs_pair_ret", "prefs_pair between documents retrieved"),
    _ratio("prefs_avgjg_ret", "prefs_avgjg between documents retrieved"),
    _nonrelevant("prefs_avgjg_Rnonrel_ret", "prefs_avgjg_Rnonrel between documents retrieved"),
    _ratio("prefs_simp_imp", "prefs_simp where a document was retrieved"),
    _ratio("prefs_pair_imp", "prefs_pair where a document was retrieved"),
    _ratio("prefs_avgjg_imp", "prefs_avgjg where a document was retrieved"),
    _by_group("map_avgjg", "AP", Cut.NONE),
    _by_group("P_avgjg@10", "P", Cut.REQUIRED),
    _by_group("Rprec_mult_avgjg@0.4", "RprecMult", Cut.MULTIPLE, "multiple_rounding"),
)
"""In the order in which trec_eval prints them."""
