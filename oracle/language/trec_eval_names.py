"""trec_eval's names in the grammar of measures: `map_cut_10` is AP@10, `set_F_0.5` SetF(beta=0.5).

They are what stands in a row of its output (`map_cut_10`) and after its `-m` (`map_cut.10`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.conventions.families import ALIASES, FAMILIES
from rankspec.oracle.conventions.measure import Measure, decimal_text
from rankspec.oracle.errors import ConventionError, nearest, suggestion
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.language.names_elsewhere import elsewhere

_WITH_ARGUMENT = re.compile(r"(?P<name>[A-Za-z0-9_]*?[A-Za-z])[_.](?:p=)?(?P<argument>[-0-9.][-0-9.=,]*)")
_DECIMAL = r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
_GAIN = r"(?P<grade>[0-9]+)=(?P<gain>[0-9.]+)"


class TrecRow(NamedTuple):
    """A measure, as its expression writes it."""

    family: str  # its name in the grammar
    cut: str | None = None  # what stands after `@`
    parameters: Mapping[str, str] = MappingProxyType({})  # what stands in brackets

    def expression(self, **parameters: str) -> str:
        """Write the measure, with more parameters.

        >>> trec_row("P_5").expression(rel="2")
        'P(rel=2)@5'
        """
        arguments = ", ".join(f"{name}={text}" for name, text in {**self.parameters, **parameters}.items())
        return f"{self.family}{f'({arguments})' if arguments else ''}{'' if self.cut is None else f'@{self.cut}'}"


_FAMILIES = {
    "map": "AP",
    "11pt_avg": "AP11",
    "gm_map": "GMAP",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "set_map": "SetAP",
    "dcg": "DCG",
    "ndcg": "nDCG",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "infAP": "infAP",
    "num_nonrel_judged_ret": "NumNonrelJudgedRet",
    "ndcg_rel": "nDCGRel",
    "Rndcg": "RnDCG",
    "G": "G",
    "binG": "BinG",
    "gm_bpref": "GMBpref",
    "utility": "Utility",
    "rbp": "RBP",
    "rbp_resid": "RBPResidual",
}
_PREFERENCES = tuple(name for name, family in FAMILIES.items() if family.by_preference)
"""Measures that have trec_eval's names in the grammar, too."""
_GAINED = ("ndcg", "ndcg_rel", "Rndcg")
_WEIGHTS = 4
_WHOLE = {
    **{name: TrecRow(family) for name, family in _FAMILIES.items()},
    **{name: TrecRow(name) for name in (*_PREFERENCES, "map_avgjg")},
    "set_relative_P": TrecRow("SetP", parameters={"relative": "True"}),
}
_CUT = {
    "map_cut": "AP",
    "iprec_at_recall": "IPrec",
    "P": "P",
    "recall": "R",
    "success": "Success",
    "ndcg_cut": "nDCG",
    "unj": "Unjudged",
    "Rprec_mult": "RprecMult",
    "P_avgjg": "P_avgjg",
    "Rprec_mult_avgjg": "Rprec_mult_avgjg",
}
"""Names that stand for several measures until a number follows them."""


def trec_row(name: str) -> TrecRow | None:
    """Return what a row is, None if the grammar has no such measure (or the row is none, as runid).

    >>> trec_row("ndcg_1=3,4=4.5").expression(), trec_row("iprec_at_recall_0.10").expression()
    ('nDCG(gains={1: 3, 4: 4.5})', 'IPrec@0.10')
    """
    if name in _WHOLE:
        return _WHOLE[name]
    matched = _WITH_ARGUMENT.fullmatch(name)
    if matched is None:
        return None
    family, argument = matched["name"], matched["argument"]
    if family in _CUT and argument.strip("0."):
        return TrecRow(_CUT[family], argument)
    if family in _CUT and family == "iprec_at_recall":
        return TrecRow(_CUT[family], argument)
    if family == "relative_P" and argument.isdigit():
        return TrecRow("P", argument, parameters={"relative": "True"})
    if family in _GAINED:
        return _with_gains(_FAMILIES[family], argument)
    if family == "utility":
        return _with_weights(argument)
    parameter = {"set_F": "beta", "rbp": "p", "rbp_resid": "p"}.get(family)
    return TrecRow(_WHOLE[family].family, parameters={parameter: argument}) if parameter else None


def row_name(measure: Measure) -> str | None:
    """Return what trec_eval's row of a measure is called; None where it has none. The threshold is no part of it.

    >>> [row_name(parse_measure(text)) for text in ("AP(rel=2)@10", "nDCG(gains={1: 3})", "RBP(p=0.8)", "Judged@5")]
    ['map_cut_10', 'ndcg_1=3', 'rbp_p=0.8', None]
    """
    stated = replace(measure, rel=1)
    parameters = stated.parameters()
    arguments = {
        "relative_P": parameters.get("relative") and str(stated.k),
        "utility": ",".join(map(decimal_text, (*stated.weights, Fraction(0)))),
        **dict.fromkeys(_GAINED, parameters.get("gains", "").strip("{}").replace(": ", "=").replace(" ", "")),
        **dict.fromkeys(("rbp", "rbp_resid"), f"p={parameters.get('p')}"),
        "set_F": parameters.get("beta"),
    }
    place = stated.recall if stated.multiple is None else stated.multiple
    cut = stated.k if place is None else f"{float(place):.2f}"
    families = {**_CUT, "relative_P": "P", **{name: row.family for name, row in _WHOLE.items()}}
    for name in (name for name, family in families.items() if family == stated.name):
        argument = arguments.get(name) if parameters else cut
        row = trec_row(written := f"{name}_{argument}" if argument else name)
        if row is not None and parse_measure(row.expression()) == stated:
            return written
    return None


def _with_weights(argument: str) -> TrecRow | None:
    """Read the four weights; the last one, of what was neither judged relevant nor retrieved, has to be 0."""
    weights = argument.split(",")
    if len(weights) != _WEIGHTS or not all(re.fullmatch(_DECIMAL, weight) for weight in weights) or float(weights[-1]):
        return None
    return TrecRow("Utility", parameters=dict(zip(("hit", "miss", "lost"), weights, strict=False)))


def _with_gains(family: str, argument: str) -> TrecRow | None:
    pairs = [re.fullmatch(_GAIN, part) for part in argument.split(",")]
    entries = [f"{pair['grade']}: {pair['gain']}" for pair in pairs if pair is not None]
    if len(entries) < len(pairs):
        return None
    return TrecRow(family, parameters={"gains": "{" + ", ".join(entries) + "}"})


_SPOKEN: Mapping[str, str] = {
    **dict.fromkeys(("meanaverageprecision", "averageprecision", "averageprecisionscore"), "AP"),
    **dict.fromkeys(("ndcgscore", "normalizeddcg", "normalizeddiscountedcumulativegain"), "nDCG"),
    "reciprocalrank": "RR",
    "meanreciprocalrank": "RR",
    "hitratio": "Success",
    "dcgscore": "DCG",
    "f1": "F",
    "rprecision": "Rprec",
    "rankbiasedprecision": "RBP",
    "expectedreciprocalrank": "ERR",
}
"""Names of ranx's, scikit-learn's and of papers, without case and signs. Families and aliases are read so, too."""
_PARTS = r"(?P<name>[A-Za-z][A-Za-z0-9 _-]*?)\s*(?P<rest>(\([^)]*\))?(@\s*[0-9]+)?)"
_PERSISTENCE = re.compile(r"rbp\.([0-9]+)", re.IGNORECASE)


def _as_written(text: str) -> str | None:
    """Return a measure in the grammar that is written as people do, None if it is none: `hit_rate@10`, `mrr`.

    >>> _as_written("ndcg@10"), _as_written("Mean Average Precision"), _as_written("hits@10")
    ('nDCG@10', 'AP', None)
    """
    parts = re.fullmatch(_PARTS, text.strip())
    if parts is None:
        return None
    bare = re.sub(r"[ _-]", "", parts["name"]).casefold()
    families = {ALIASES.get(each, each) for each in (*FAMILIES, *ALIASES) if each.casefold() == bare}
    family = _SPOKEN.get(bare) or (families.pop() if len(families) == 1 else None)
    return None if family is None else family + parts["rest"].replace(" ", "")


_NOT_TAKEN: Mapping[str, str] = {
    "runid": "trec_eval's runid is the name of the run, and no measure",
    "relstring": "trec_eval's relstring is a text, and no measure; rankspec explain shows the labels of a list",
    "yaap": "trec_eval's yaap, a logarithm of odds, is not among the measures; AP orders the runs of a query alike",
}
"""Names of trec_eval's that are no measures here, with the reason."""


def named_measure(text: str) -> Measure:
    """Read a measure in the grammar, by trec_eval's name for it, or as other libraries and people write it.

    >>> [str(named_measure(text)) for text in ("AP@10", "map_cut.10", "P_5", "map@10", "hit_rate@5")]
    ['AP@10', 'AP@10', 'P@5', 'AP@10', 'Success@5']

    Raises:
        ConventionError: it is neither, or a name that stands for several measures.
    """
    if persistence := _PERSISTENCE.fullmatch(text):  # ranx's: what stands after the point are decimals
        return parse_measure(f"RBP(p=0.{persistence[1]})")
    if (row := trec_row(text)) is not None:
        return parse_measure(row.expression())
    if text in _CUT and text not in FAMILIES:
        raise ConventionError(
            f"{text} names several measures; write one of them: {text}.10 or {_CUT[text]}@10"
            if text != "iprec_at_recall"
            else f"{text} names several measures; write one of them: {text}.0.10 or IPrec@0.1",
            code="measure-ambiguous",
        )
    name = re.split(r"[(@.]", text, maxsplit=1)[0]
    if name in _NOT_TAKEN:
        raise ConventionError(f"{text}: {_NOT_TAKEN[name]}", code="measure-not-supported")
    known = (*FAMILIES, *ALIASES, *_WHOLE, *_CUT)
    if name in FAMILIES or name in ALIASES:
        return parse_measure(text)
    if (written := _as_written(text)) is not None:
        return parse_measure(written)
    if (meaning := elsewhere(name)) is not None:
        raise ConventionError(f"{name}: {meaning}", code="measure-not-supported")
    if not nearest(name, known):
        return parse_measure(text)
    raise ConventionError(f"unknown measure {text!r}{suggestion(name, known)}", code="unknown-measure")


# ---- Names that stand for several measures.

_RANKS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_DEFAULTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("P", "recall", "relative_P", "map_cut", "ndcg_cut", "P_avgjg"), _RANKS),
    "success": ("1", "5", "10"),
    "unj": ("5", "10", "20"),
    "iprec_at_recall": tuple(f"{tenth / 10:.2f}" for tenth in range(11)),
    **dict.fromkeys(("Rprec_mult", "Rprec_mult_avgjg"), tuple(f"{fifth / 5:.2f}" for fifth in range(1, 11))),
}
"""What a name is cut at where it says nothing."""

_COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
_OFFICIAL = (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
_SETS = ("set_P", "set_relative_P", "set_recall", "set_map", "set_F")
_OF_10 = ("rbp", "rbp_resid", "unj")
NICKNAMES: Mapping[str, tuple[str, ...]] = {
    "official": _OFFICIAL,
    "set": (*_COUNTS, "utility", *_SETS),
    "all_trec": (
        *(*_OFFICIAL, "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg"),
        *("ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", *_SETS, "num_nonrel_judged_ret"),
        *_OF_10,
    ),
    "prefs": ("num_q", *_PREFERENCES[:6]),
    "all_prefs": ("num_q", *_PREFERENCES),
    "qrels_jg": ("num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
"""trec_eval's nicknames, in the order in which it prints; runid and relstring, which are texts, are left out."""


def named_measures(text: str, reading: Reading) -> list[Measure]:
    """Read a measure as `named_measure` does, or a name of trec_eval's for several, with the parameters as there.

    >>> [str(measure) for measure in named_measures("success", Reading.STRICT)]
    ['Success@1', 'Success@5', 'Success@10']

    Args:
        text: a measure, or trec_eval's name for one or several: `all_trec`.
        reading: trec_eval 9's nicknames lack what 10.0 added.

    Raises:
        ConventionError: it is neither.
    """
    names = [name for name in NICKNAMES.get(text, ()) if reading is not Reading.TREC_EVAL_9 or name not in _OF_10]
    return [
        named_measure(name if cut is None else f"{name}.{cut}")
        for name in names or [text]
        for cut in _DEFAULTS.get(name, (None,))
    ]
