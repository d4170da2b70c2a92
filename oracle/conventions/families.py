"""The measures that there are, as data: what each takes, and the axes on which its value can depend.

Names and parameters are ir_measures'; AP11, TAP, GMAP, F, DCG, RBPResidual and some counts are added in its grammar.
How a value is computed is in `measures/`; which combinations mean something is in `measure.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType


class Cut(Enum):
    """What a measure takes after `@`."""

    NONE = "none"
    """Nothing."""

    OPTIONAL = "optional"
    """A number of documents, if it likes."""

    REQUIRED = "required"
    """A number of documents."""

    RECALL = "recall"
    """A recall level, from 0 to 1."""


@dataclass(frozen=True)
class Family:
    """A family of measures.

    Attributes:
        name: what stands before `(` and `@`.
        about: what it is, in a line.
        cut: what it takes after `@`.
        parameters: what it takes in brackets.
        axes: the axes on which its value can depend.
        example: an expression that is one of it.
        is_count: it is a number of things, which is added up over the queries, and has no undefined values.
        is_graded: grades are gains, instead of relevant or not.
    """

    name: str
    about: str
    cut: Cut
    parameters: tuple[str, ...]
    axes: tuple[str, ...]
    example: str
    is_count: bool = False
    is_graded: bool = False


_LIST = ("negative_grades", "duplicates", "score_precision", "ties", "depth", "missing_query", "unknown_query")
_MEAN = ("aggregate", "geometric_floor", "geometric_zero")
_VALUE = ("unjudged", *_LIST, "no_relevant", "no_hits", *_MEAN)
_JUDGED = tuple(axis for axis in _VALUE if axis != "unjudged")
_RELEVANCE = ("judged_only", "rel")
_GAINS = ("dcg", "gains", "judged_only")
_COUNT = ("unjudged", *_LIST)

_DEFINITIONS = (
    Family(
        "AP",
        "average precision",
        Cut.OPTIONAL,
        _RELEVANCE,
        (*_VALUE, "denominator", "interpolation", "recall_grid"),
        "AP@10",
    ),
    Family(
        "AP11", "11-point average precision", Cut.OPTIONAL, _RELEVANCE, (*_VALUE, "denominator", "recall_grid"), "AP11"
    ),
    Family(
        "TAP",
        "threshold average precision",
        Cut.REQUIRED,
        _RELEVANCE,
        (*_VALUE, "tap_quantile", "tap_insufficient", "tap_ties"),
        "TAP@5",
    ),
    Family(
        "GMAP",
        "average precision, its mean geometric",
        Cut.OPTIONAL,
        _RELEVANCE,
        (*_VALUE, "denominator", "interpolation", "recall_grid"),
        "GMAP",
    ),
    Family(
        "IPrec",
        "precision interpolated at a recall level",
        Cut.RECALL,
        _RELEVANCE,
        (*_VALUE, "recall_grid"),
        "IPrec@0.1",
    ),
    Family("P", "precision", Cut.REQUIRED, _RELEVANCE, (*_VALUE, "precision_denominator"), "P@10"),
    Family("R", "recall", Cut.REQUIRED, _RELEVANCE, (*_VALUE, "recall_denominator"), "R@100"),
    Family(
        "F",
        "F of precision and recall at a cutoff",
        Cut.REQUIRED,
        ("beta", *_RELEVANCE),
        (*_VALUE, "precision_denominator", "recall_denominator", "f_weight"),
        "F@10",
    ),
    Family("Success", "whether there is a hit", Cut.REQUIRED, _RELEVANCE, _VALUE, "Success@10"),
    Family("RR", "reciprocal rank of the first hit", Cut.OPTIONAL, _RELEVANCE, _VALUE, "RR@10"),
    Family("Rprec", "precision at R", Cut.NONE, _RELEVANCE, _VALUE, "Rprec"),
    Family("SetP", "precision of the whole list", Cut.NONE, (*_RELEVANCE, "relative"), _VALUE, "SetP"),
    Family("SetR", "recall of the whole list", Cut.NONE, _RELEVANCE, _VALUE, "SetR"),
    Family("SetF", "F of the whole list", Cut.NONE, ("beta", *_RELEVANCE), (*_VALUE, "f_weight"), "SetF(beta=2)"),
    Family("SetAP", "precision times recall of the whole list", Cut.NONE, _RELEVANCE, _VALUE, "SetAP"),
    Family(
        "DCG",
        "discounted cumulated gain",
        Cut.OPTIONAL,
        _GAINS,
        (*_VALUE, "gain", "discount"),
        "DCG@10",
        is_graded=True,
    ),
    Family(
        "nDCG",
        "discounted cumulated gain over the ideal one",
        Cut.OPTIONAL,
        _GAINS,
        (*_VALUE, "gain", "discount", "ideal"),
        "nDCG(dcg='exp-log2')@10",
        is_graded=True,
    ),
    Family("Bpref", "binary preference", Cut.NONE, ("rel",), (*_JUDGED, "bpref_variant"), "Bpref"),
    Family("infAP", "inferred average precision", Cut.NONE, ("rel",), (*_VALUE, "infap_epsilon"), "infAP"),
    Family(
        "RBP",
        "rank-biased precision",
        Cut.OPTIONAL,
        ("judged_only", "p", "rel"),
        (*_VALUE, "rbp_persistence", "rbp_gain"),
        "RBP(p=0.8)",
    ),
    Family(
        "RBPResidual",
        "what rank-biased precision could still gain",
        Cut.OPTIONAL,
        ("judged_only", "p"),
        ("unjudged", *_LIST, *_MEAN, "rbp_persistence", "rbp_residual"),
        "RBPResidual(p=0.8)",
    ),
    Family(
        "Judged",
        "the share of judged documents",
        Cut.REQUIRED,
        (),
        ("unjudged", *_LIST, *_MEAN, "precision_denominator"),
        "Judged@10",
    ),
    Family("NumQ", "queries", Cut.NONE, (), ("missing_query", "unknown_query"), "NumQ", is_count=True),
    Family("NumRet", "documents retrieved", Cut.NONE, (), _COUNT, "NumRet", is_count=True),
    Family(
        "NumRel",
        "relevant documents in the qrels",
        Cut.NONE,
        ("rel",),
        ("missing_query", "unknown_query"),
        "NumRel",
        is_count=True,
    ),
    Family("NumRelRet", "relevant documents retrieved", Cut.NONE, ("rel",), _COUNT, "NumRelRet", is_count=True),
    Family(
        "NumNonrelJudgedRet",
        "judged nonrelevant documents retrieved",
        Cut.NONE,
        ("rel",),
        _COUNT,
        "NumNonrelJudgedRet",
        is_count=True,
    ),
)

FAMILIES: Mapping[str, Family] = MappingProxyType({family.name: family for family in _DEFINITIONS})
"""Every family by name. The family of averages of precision comes first."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "MAP": "AP",
        "MRR": "RR",
        "NDCG": "nDCG",
        "Precision": "P",
        "Recall": "R",
        "HitRate": "Success",
        "BPref": "Bpref",
        "InfAP": "infAP",
        "RPrec": "Rprec",
        "SetRelP": "SetP",
    }
)
"""Other names that are read, and never written."""
