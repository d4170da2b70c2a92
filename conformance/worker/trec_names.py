"""What trec_eval calls a measure: after ``-m`` (``map_cut.10``) and in its output (``map_cut_10``)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_EXPRESSION = re.compile(r"(?P<family>[A-Za-z][A-Za-z0-9_]*)(\((?P<parameters>.*)\))?(@(?P<cut>.+))?")
_THRESHOLD = re.compile(r"\s*rel\s*=\s*\d+\s*")


@dataclass(frozen=True)
class TrecName:
    """The names of a family: without a cutoff, and with one; None if there is no such measure.

    Attributes:
        takes_level: what stands after `@` is a recall level, and always there.
    """

    whole: str | None = None
    cut: str | None = None
    takes_level: bool = False


TREC_NAMES = {
    "AP": TrecName("map", "map_cut"),
    "AP11": TrecName("11pt_avg"),
    "GMAP": TrecName("gm_map"),
    "IPrec": TrecName(cut="iprec_at_recall", takes_level=True),
    "P": TrecName(cut="P"),
    "R": TrecName(cut="recall"),
    "Success": TrecName(cut="success"),
    "RR": TrecName("recip_rank"),
    "Rprec": TrecName("Rprec"),
    "SetP": TrecName("set_P"),
    "SetR": TrecName("set_recall"),
    "SetF": TrecName("set_F"),
    "SetAP": TrecName("set_map"),
    "nDCG": TrecName("ndcg", "ndcg_cut"),
    "Bpref": TrecName("bpref"),
    "infAP": TrecName("infAP"),
    "RprecMult": TrecName(cut="Rprec_mult", takes_level=True),
    "nDCGRel": TrecName("ndcg_rel"),
    "RnDCG": TrecName("Rndcg"),
    "G": TrecName("G"),
    "BinG": TrecName("binG"),
    "GMBpref": TrecName("gm_bpref"),
    "Utility": TrecName("utility"),
    "Unjudged": TrecName(cut="unj"),
    "NumQ": TrecName("num_q"),
    "NumRet": TrecName("num_ret"),
    "NumRel": TrecName("num_rel"),
    "NumRelRet": TrecName("num_rel_ret"),
    "NumNonrelJudgedRet": TrecName("num_nonrel_judged_ret"),
}


def option_name(expression: str) -> str:
    """Give the name after ``-m``; the expression itself for a measure that trec_eval hasn't.

    >>> [option_name(text) for text in ("AP", "AP(rel=2)@10", "IPrec@0.1", "RBP(p=0.8)")]
    ['map', 'map_cut.10', 'iprec_at_recall.0.10', 'RBP(p=0.8)']
    """
    name, cut = _trec_name(expression)
    if name is None:
        return expression
    return name if cut is None else f"{name}.{cut}"


def row_names(expression: str) -> tuple[str, ...]:
    """Give the names under which a program may print the measure, trec_eval's first.

    >>> row_names("nDCG@10")
    ('ndcg_cut_10', 'ndcg_cut.10', 'nDCG@10')
    """
    name, cut = _trec_name(expression)
    if name is None:
        return (expression,)
    return (name, expression) if cut is None else (f"{name}_{cut}", f"{name}.{cut}", expression)


def _trec_name(expression: str) -> tuple[str | None, str | None]:
    """Give the name and what is appended to it. The threshold is no part of it: it is an option of its own (-l)."""
    matched = _EXPRESSION.fullmatch(expression)
    if matched is None or (matched["parameters"] and not _THRESHOLD.fullmatch(matched["parameters"])):
        return None, None
    known = TREC_NAMES.get(matched["family"], TrecName())
    if matched["cut"] is None:
        return known.whole, None
    return known.cut, _level(matched["cut"]) if known.takes_level else matched["cut"]


def _level(cut: str) -> str:
    """Write a recall level as trec_eval does, to two places."""
    try:
        return f"{float(cut):.2f}"
    except ValueError:
        return cut
