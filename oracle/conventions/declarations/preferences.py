"""trec_eval's measures of preferences, and those that it averages over judgment groups, by its names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axes import AxisValue
from rankspec.oracle.conventions.declarations.family import (
    OF_LISTS,
    OF_MEANS,
    OF_QUERIES,
    RELEVANCE,
    Cut,
    Family,
    Samples,
)

_OF_PLACES = ("negative_grades", "duplicates", "score_precision", "ties", "depth", *OF_QUERIES, "prefs_ties")
_OF_RATIOS = (*_OF_PLACES, *OF_MEANS, "prefs_counted")
_OF_GROUPS = ("unjudged", *OF_LISTS, *OF_MEANS)

_TWICE = "gives a document two ranks, and a preference compares one of each"
_NO_WORTH = "orders documents by their grades, and preferences have none"
_UNCLEAR: Mapping[AxisValue, str] = MappingProxyType(
    {
        axes.Duplicates.COUNTED: _TWICE,
        axes.Duplicates.FIRST: _TWICE,
        axes.Ties.OPTIMISTIC: _NO_WORTH,
        axes.Ties.PESSIMISTIC: _NO_WORTH,
    }
)
_NO_IMPLIED = MappingProxyType(
    {**_UNCLEAR, axes.PrefsCounted.IMPLIED: "is none of the two ways to count R that it has: all, retrieved"}
)
_RETRIEVED = MappingProxyType({"prefs_counted": axes.PrefsCounted.RETRIEVED})
_IMPLIED = MappingProxyType({"prefs_counted": axes.PrefsCounted.IMPLIED})


def _ratio(name: str, about: str, implies: Mapping[str, AxisValue], *, sampled: bool) -> Family:
    return Family(
        name=name,
        about=about,
        cut=Cut.NONE,
        axes=_OF_RATIOS,
        example=name,
        samples=Samples(neighbours=(name,) if sampled else (), witnesses=(name,) if sampled else ()),
        implies=implies,
        excludes=_UNCLEAR,
        needs_ranks=True,
        tells_unjudged=True,
        counts_outside=True,
        by_preference=True,
    )


def _nonrelevant(name: str, about: str, implies: Mapping[str, AxisValue], *, sampled: bool) -> Family:
    return Family(
        name=name,
        about=about,
        cut=Cut.NONE,
        axes=(*_OF_RATIOS, "prefs_nonrelevant"),
        example=name,
        samples=Samples(neighbours=(name,), witnesses=(name,)) if sampled else Samples(),
        implies=implies,
        excludes=_NO_IMPLIED,
        needs_ranks=True,
        tells_unjudged=True,
        counts_outside=True,
        by_preference=True,
    )


def _count(name: str, about: str, axes_: tuple[str, ...], implies: Mapping[str, AxisValue], *, ordered: bool) -> Family:
    return Family(
        name=name,
        about=about,
        cut=Cut.NONE,
        axes=axes_,
        example=name,
        implies=implies,
        excludes=_UNCLEAR,
        is_count=True,
        is_order_free=not ordered,
        is_of_query=not ordered,
        needs_ranks=ordered,
        tells_unjudged=True,
        counts_outside=True,
        by_preference=True,
    )


def _by_group(name: str, of: str, cut: Cut, example: str, *more: str) -> Family:
    return Family(
        name=name,
        about=f"{of}, a mean over judgment groups",
        cut=cut,
        parameters=RELEVANCE,
        axes=(*_OF_GROUPS, *more),
        example=example,
        by_subtopic=True,
        of_each_group=of,
    )


_NONE: Mapping[str, AxisValue] = MappingProxyType({})

DECLARED = (
    _count(
        "prefs_num_prefs_poss",
        "preferences of the judgments",
        ("negative_grades", *OF_QUERIES),
        _NONE,
        ordered=False,
    ),
    _count("prefs_num_prefs_ful", "preferences fulfilled", (*_OF_PLACES, "prefs_counted"), _NONE, ordered=True),
    _count(
        "prefs_num_prefs_ful_ret",
        "preferences fulfilled between documents retrieved",
        (*_OF_PLACES, "prefs_counted"),
        _RETRIEVED,
        ordered=True,
    ),
    _ratio("prefs_simp", "the share of preferences that are fulfilled", _NONE, sampled=True),
    _ratio("prefs_pair", "the same, a mean over pairs of documents", _NONE, sampled=False),
    _ratio("prefs_avgjg", "the same, a mean over judgment groups", _NONE, sampled=False),
    _nonrelevant(
        "prefs_avgjg_Rnonrel",
        "the same, with as many nonrelevant documents as relevant ones",
        _NONE,
        sampled=True,
    ),
    _ratio("prefs_simp_ret", "prefs_simp between documents retrieved", _RETRIEVED, sampled=False),
    _ratio("prefs_pair_ret", "prefs_pair between documents retrieved", _RETRIEVED, sampled=False),
    _ratio("prefs_avgjg_ret", "prefs_avgjg between documents retrieved", _RETRIEVED, sampled=False),
    _nonrelevant(
        "prefs_avgjg_Rnonrel_ret",
        "prefs_avgjg_Rnonrel between documents retrieved",
        _RETRIEVED,
        sampled=False,
    ),
    _ratio("prefs_simp_imp", "prefs_simp where a document was retrieved", _IMPLIED, sampled=False),
    _ratio("prefs_pair_imp", "prefs_pair where a document was retrieved", _IMPLIED, sampled=False),
    _ratio("prefs_avgjg_imp", "prefs_avgjg where a document was retrieved", _IMPLIED, sampled=False),
    _by_group("map_avgjg", "AP", Cut.NONE, "map_avgjg"),
    _by_group("P_avgjg", "P", Cut.REQUIRED, "P_avgjg@10"),
    _by_group("Rprec_mult_avgjg", "RprecMult", Cut.MULTIPLE, "Rprec_mult_avgjg@0.4", "multiple_rounding"),
)
"""In the order in which trec_eval prints them."""
