r"""What each family of measures computes, in LaTeX: its general form, of one query unless it has a Q in it.

Where conventions part, a sign is named after the axis that decides; what the axes say stands on their pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from types import MappingProxyType

from latex2mathml.converter import convert
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.definitions.writing import latex, signs

_SIGNS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "n": ("n", "the number of evaluated documents, at most k where there is a cutoff"),
        r"\mathrm{rel}": (r"\mathrm{rel}_i", "1 if the document at rank i is relevant, else 0"),
        "h": ("h_i", "the relevant documents among the first i"),
        "R": ("R", "the relevant documents of the query"),
        "D": ("D", "what the sum is divided by (axis denominator)"),
        "s": ("s_i", "the score at rank i"),
        "x": ("x", "the cutoff by score that all queries have in common"),
        "m": ("m", "the last rank with a score of x or more"),
        "Q": ("Q", "the queries"),
        r"\varepsilon": (r"\varepsilon", "the floor under a value (axes geometric_floor, geometric_zero)"),
        "k": ("k", "the cutoff"),
        "r": ("r", "a recall level"),
        "g": ("g_i", "the gain at rank i (axis gain)"),
        "p": ("p", "the persistence, stated by the parameter p or by the convention"),
        "L": ("L", "the ranks at which the ideal ranking ends a level of gain"),
        "t": ("t_u", "the rank of the relevant document u"),
        r"\mathrm{on}": (r"\mathrm{on}_i", "the probability of going on from rank i"),
        r"\mathrm{gain}": (r"\mathrm{gain}_i", "the gain at rank i, from 0 to 1 (parameters min_rel, max_rel)"),
        "W": ("W", "the gain that a reader wants in all, the parameter T"),
        "z": ("z_i", "the gain of the first i ranks"),
        "B": ("B", "the rank at which the reader stops: W is found, or k is reached"),
        "l": ("l_i", "the documents among the first i of the list and of the ideal ranking"),
        "a": ("a_i", "the gain at rank i: for each subtopic 1 less alpha to the times that it came before"),
        r"\mathrm{best}": (r"\mathrm{best}_i", "that gain at rank i of the ideal ranking (axis novelty_ideal)"),
        "q": ("q", "the persistence, the parameter beta"),
        "T": ("T", "the subtopics that some document is relevant to"),
        "f": ("f_i", "the subtopics that the first i documents cover"),
        "J": ("J", "the judgment groups"),
        "A": ("A_j", "the preferences that judgment group j states"),
        "N": ("N_j", "those of them that count (axis prefs_counted), or those about a pair of documents"),
        "F": ("F_j", "those of them that the list fulfils: the better document comes first"),
        r"\mathrm{even}": (
            r"N^{\mathrm{even}}_j",
            "the same with as many nonrelevant documents as relevant ones (axis prefs_nonrelevant)",
        ),
        "U": ("U", "the pairs of documents about which preferences count"),
    }
)
"""Tokens of formulas -> the sign in LaTeX, and what it stands for."""

_TOKEN = re.compile(r"\\(?:text|mathrm)\{[^}]*\}|\\[a-zA-Z]+|\\[{}]|\d+(?:\.\d+)?|\S", re.ASCII)
"""A command, a letter, a number or a sign; a text is one token with its command."""
_SUMMED = r"\sum_{i=1}^{n} \mathrm{rel}_i \cdot \frac{h_i}{i}"
_WITH = r"\text{ with }"

_READ = (
    r"\frac{\sum_{i=1}^{n} \mathrm{gain}_i \prod_{j=1}^{i-1} \mathrm{on}_j}{\sum_{i} \prod_{j=1}^{i-1} \mathrm{on}_j}"
)
_PREFERENCES = r"\frac{\sum_{j \in J} F_j}{\sum_{j \in J} N_j}"
_PAIRS = r"\frac{1}{|U|} \sum_{j \in U} \frac{F_j}{N_j}"
_GROUPS = r"\frac{1}{|J|} \sum_{j \in J} \frac{F_j}{N_j}"
_EVEN_GROUPS = r"\frac{1}{|J|} \sum_{j \in J} \frac{F^{\mathrm{even}}_j}{N^{\mathrm{even}}_j}"
_GOING_ON = {
    "NERR8": r"1 - \mathrm{gain}_i",
    "NERR9": r"\frac{i}{i+1} (1 - \mathrm{gain}_i)",
    "NERR10": r"p (1 - \mathrm{gain}_i)",
    "NERR11": r"(\frac{i + 2 W - 1}{i + 2 W})^2 (1 - \mathrm{gain}_i)",
    "INSQ": r"(\frac{i + 2 W - 1}{i + 2 W})^2",
    "INST": r"(\frac{i + 2 W - z_i - 1}{i + 2 W - z_i})^2",
}
"""Measure -> the probability of going on from rank i."""


def _geometric(name: str) -> str:
    return rf"\sqrt[Q]{{\prod_{{\text{{queries}}}} \max(\mathrm{{{name}}}, \varepsilon)}}"


FORMULAS: Mapping[str, str] = MappingProxyType(
    {
        "AP": rf"\frac{{1}}{{D}} {_SUMMED}",
        "AP11": r"\frac{1}{11} \sum_{r \in \{0, 0.1, \ldots, 1\}} \max_{i: h_i \ge r R} \frac{h_i}{i}",
        "TAP": r"\frac{1}{R+1} (\sum_{i: s_i \ge x} \mathrm{rel}_i \cdot \frac{h_i}{i} + \frac{h_m}{m})",
        "GMAP": _geometric("AP"),
        "IPrec": r"\max_{i: h_i \ge r R} \frac{h_i}{i}",
        "nDCGRel": r"\frac{1}{R} \sum_{u=1}^{R} \mathrm{nDCG}_{t_u}",
        "RnDCG": r"\frac{1}{|L|} \sum_{i \in L} \mathrm{nDCG}_i",
        **{name: rf"{_READ}, {_WITH} \mathrm{{on}}_i = {going}" for name, going in _GOING_ON.items()},
        "BPM": r"\frac{1}{B} \sum_{i=1}^{B} \mathrm{gain}_i",
        "SDCG": r"\frac{\sum_{i=1}^{k} \mathrm{gain}_i / \log_2(i + 1)}{\sum_{i=1}^{k} 1 / \log_2(i + 1)}",
        "Compat": r"\frac{\sum_{i} p^{i-1} l_i / i}{\sum_{i} p^{i-1} \min(i, R) / i}",
        "alpha_DCG": r"\sum_{i=1}^{k} \frac{a_i}{\log_2(i + 1)}",
        "alpha_nDCG": r"\frac{\sum_{i=1}^{k} a_i / \log_2(i + 1)}{\sum_{i=1}^{k} \mathrm{best}_i / \log_2(i + 1)}",
        "ERR_IA": r"\sum_{i=1}^{k} \frac{a_i}{i}",
        "nERR_IA": r"\frac{\sum_{i=1}^{k} a_i / i}{\sum_{i=1}^{k} \mathrm{best}_i / i}",
        "NRBP": r"\sum_{i=1}^{n} a_i q^{i-1}",
        "nNRBP": r"\frac{\sum_{i=1}^{n} a_i q^{i-1}}{\sum_{i} \mathrm{best}_i q^{i-1}}",
        "AP_IA": r"\frac{1}{|T|} \sum_{j \in T} \mathrm{AP}_j",
        "P_IA": r"\frac{1}{|T|} \sum_{j \in T} \mathrm{P}_j",
        "StRecall": r"\frac{f_k}{|T|}",
        "prefs_num_prefs_poss": r"\sum_{j \in J} A_j",
        "prefs_num_prefs_ful": r"\sum_{j \in J} F_j",
        "prefs_num_prefs_ful_ret": r"\sum_{j \in J} F_j",
        **dict.fromkeys(("prefs_simp", "prefs_simp_ret", "prefs_simp_imp"), _PREFERENCES),
        **dict.fromkeys(("prefs_pair", "prefs_pair_ret", "prefs_pair_imp"), _PAIRS),
        **dict.fromkeys(("prefs_avgjg", "prefs_avgjg_ret", "prefs_avgjg_imp"), _GROUPS),
        **dict.fromkeys(("prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"), _EVEN_GROUPS),
        "map_avgjg": r"\frac{1}{|J|} \sum_{j \in J} \mathrm{AP}_j",
        "P_avgjg": r"\frac{1}{|J|} \sum_{j \in J} \mathrm{P}_j",
        "Rprec_mult_avgjg": r"\frac{1}{|J|} \sum_{j \in J} \mathrm{RprecMult}_j",
        "GMBpref": _geometric("Bpref"),
    }
)
"""Formulas of families without a definition, and of those that are a mean over queries of their own."""


def formula(family: str) -> str:
    """Return what a family computes, as a `math` element."""
    definition = FAMILIES[family].definition
    written = latex(definition) if definition and family not in FORMULAS else FORMULAS[family]
    return convert(written, display="block")


def legend(family: str) -> list[tuple[str, str]]:
    """Return the signs of a family's formula as `math` elements, with what they stand for."""
    definition = FAMILIES[family].definition
    if definition and family not in FORMULAS:
        pairs = signs(definition)
    else:
        used = set(_TOKEN.findall(FORMULAS[family]))
        pairs = [pair for token, pair in _SIGNS.items() if token in used]
    return [(convert(sign), meaning) for sign, meaning in pairs]


def typeset(text: str) -> str:
    """Return a text as HTML, with `math` elements for the formulas in it: what stands between dollars, or all of it."""
    if "$" in text:
        parts = re.split(r"\$+([^$]+)\$+", text)
    elif "\\" in text:  # between formulas stand words
        parts = ["", *re.split(r"(,? (?:with|where|and|for) )", text)]
    else:
        parts = [text]
    return "".join(_converted(part) if place % 2 else with_code(part) for place, part in enumerate(parts))


def with_code(text: str) -> str:
    """Return a text as HTML, with `code` elements for what stands between single backticks."""
    return re.sub("(?<!`)`([^`]+)`(?!`)", r"<code>\1</code>", escape(text))


def _converted(formula: str) -> str:
    """Return a formula as a `math` element; a part of one that makes no whole, as it stands."""
    try:
        return convert(formula)
    except Exception:  # noqa: BLE001 - the converter has many ways to say that it does not understand
        return escape(formula)
