"""The measures that there are: every declared family by name, and the other names by which they are read.

Names and parameters are ir_measures'; AP11, TAP, GMAP, F, DCG, RBPResidual and some counts are added in its grammar.
How a value is computed is in `measures/`; which combinations mean something is in `measure.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.conventions.declarations import gains_and_judgements, preferences, relevance
from rankspec.oracle.conventions.declarations.family import Family


class OtherName(NamedTuple):
    """Another name of a family."""

    family: str  # the family's own name
    about: str = ""  # who says it, and what is to be known of it; nothing for a mere spelling
    parameters: Mapping[str, bool] = MappingProxyType({})  # what it says besides the family


_RAG = "retrieval-augmented generation"
_STATEMENTS = "the relevant documents are the statements of the reference answer, the retrieved ones those attributed"

OTHER_NAMES: Mapping[str, OtherName] = {
    "MAP": OtherName("AP", "the mean over the queries, which `score` prints as `all`"),
    "mAP": OtherName("AP", "object detection: a class is a query; under coco-classes, voc2007-classes, ..."),
    "MRR": OtherName("RR", "the mean over the queries; over lists with a hit alone, it is under no_hits=skip"),
    "NDCG": OtherName("nDCG"),
    "Precision": OtherName("P"),
    "Recall": OtherName("R"),
    "MAR": OtherName(
        "R", "recommenders: the mean of R@k over users; COCO's AR is SetR, its queries every class at every overlap"
    ),
    "HitRate": OtherName("Success", "recommenders: the mean over users"),
    "HR": OtherName("Success", "recommenders: the mean over users"),
    "Hit": OtherName("Success", "RecBole, LensKit"),
    "HitRatio": OtherName("Success", "cornac"),
    "BPref": OtherName("Bpref"),
    "InfAP": OtherName("infAP"),
    "RPrec": OtherName("Rprec"),
    "SetRelP": OtherName("SetP", "ir_measures", MappingProxyType({"relative": True})),
    "MAP@R": OtherName("AP@R", "metric learning"),
    "P@R": OtherName("Rprec", "metric learning"),
    "MAP_IA": OtherName("AP_IA", "ndeval"),
    "ContextualPrecision": OtherName("ContextPrecision", f"{_RAG} (DeepEval)"),
    "ContextRecall": OtherName("SetR", f"{_RAG} (ragas): {_STATEMENTS}"),
    "ContextualRecall": OtherName("SetR", f"{_RAG} (DeepEval): {_STATEMENTS}"),
    "ContextualRelevancy": OtherName("SetP", f"{_RAG} (DeepEval): the documents are statements of the contexts"),
}
"""Other name -> what it stands for."""


def other_names_of(family: str, example: str) -> dict[str, str]:
    """Return an expression under each other name of a family, with what is to be known of the name.

    >>> other_names_of("Rprec", "Rprec"), list(other_names_of("Success", "Success@10"))
    ({'RPrec': '', 'P@R': 'metric learning'}, ['HitRate@10', 'HR@10', 'Hit@10', 'HitRatio@10'])
    """
    named = {name: other for name, other in OTHER_NAMES.items() if other.family == family}
    return {name + example.removeprefix(family): other.about for name, other in named.items()}


_DECLARED = (*relevance.DECLARED, *gains_and_judgements.DECLARED, *preferences.DECLARED, *relevance.COUNTS)
FAMILIES: Mapping[str, Family] = MappingProxyType({family.name: family for family in _DECLARED})
"""Every family by name. The family of averages of precision comes first."""

UNSTATED = "AP"  # The family that a function is taken for where nobody says what it computes
ALIASES: Mapping[str, str] = MappingProxyType({name: other.family for name, other in OTHER_NAMES.items()})
"""Other names that are read, and never written."""

WITH_THRESHOLD: Mapping[str, str] = MappingProxyType({"NumRet": "NumRelRet"})
"""Families that another one is where a threshold is given: ir_measures' NumRet(rel=1)."""
