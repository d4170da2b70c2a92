"""A measure as it is asked for: its name, what stands after `@`, and what stands in brackets."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from .conventions import Options
from .preferences import COUNTS as COUNTS_OF_PREFERENCES
from .preferences import NONREL, PREFERENCES, RANKED
from .readers import READERS, number_given
from .subtopics import NOVELTY

AREAS = ("AP", "AP11", "GMAP")
COUNTS = ("NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet", *COUNTS_OF_PREFERENCES)
# Mean over judgment groups -> of what.
AVERAGED = {"map_avgjg": "AP", "P_avgjg": "P", "Rprec_mult_avgjg": "RprecMult"}
GAINS = ("DCG", "nDCG", "nDCGRel", "RnDCG", "G", "Q")
# What neither no_relevant nor no_hits applies to.
EXEMPT = ("Judged", "Unjudged", "Utility", "RBPResidual", *COUNTS, *PREFERENCES, *AVERAGED)
# Numbers of documents over what no order changes.
SHARES = ("P", "R", "F", "Rprec", "RprecMult", "SetP", "SetR", "SetF", "Judged", "Unjudged")
NOT_OF_ONE_LIST = ("TAP", *NOVELTY, *PREFERENCES, *AVERAGED)
RANK_BY_RANK = (
    *GAINS,
    *("Accuracy", "BinG", "ERR", "Bpref", "GMBpref", "infAP", "RBP", "RBPResidual"),
    *READERS,
    "Compat",
    *NOVELTY,
    *RANKED,
)
NEEDS_CUTOFF = ("min-relevant-cutoff", "min-relevant-cutoff-length", "min-cutoff-length", "cutoff")

SCALE = ("min_rel", "max_rel")
BINARY = ("rel", "judged_only")
# Name -> (whether a cutoff is needed, possible, a recall level, or none; the parameters).
MEASURES: dict[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(("AP", "AP11", "GMAP", "Success", "RR", "Accuracy", "ContextPrecision"), ("optional", BINARY)),
    **dict.fromkeys(("TAP", "R", "P_IA", "StRecall", "P_avgjg"), ("needed", BINARY)),
    **dict.fromkeys(("Rprec", "SetR", "SetAP", "AP@R", "BinG", "AP_IA", "map_avgjg"), ("none", BINARY)),
    **dict.fromkeys(("RprecMult", "Rprec_mult_avgjg"), ("multiple", BINARY)),
    "IPrec": ("recall", BINARY),
    "P": ("needed", (*BINARY, "relative")),
    "F": ("needed", (*BINARY, "beta")),
    "SetP": ("none", (*BINARY, "relative")),
    "SetF": ("none", (*BINARY, "beta")),
    "Utility": ("none", (*BINARY, "hit", "miss", "lost")),
    **dict.fromkeys(("DCG", "nDCG"), ("optional", ("dcg", "gains", "judged_only"))),
    **dict.fromkeys(("nDCGRel", "RnDCG"), ("none", ("dcg", "gains", "judged_only"))),
    "G": ("none", ("dcg", "judged_only")),
    "Q": ("optional", ("beta", "dcg", "gains", "judged_only")),
    "ERR": ("optional", ()),
    **dict.fromkeys(("Judged", "Unjudged"), ("needed", ())),
    **dict.fromkeys(("NumQ", "NumRet", *PREFERENCES), ("none", ())),
    **dict.fromkeys(("Bpref", "GMBpref", "infAP", "NumRel", "NumRelRet", "NumNonrelJudgedRet"), ("none", ("rel",))),
    "RBP": ("optional", ("p", *BINARY)),
    "RBPResidual": ("optional", ("p", "judged_only")),
    **dict.fromkeys(("NERR8", "NERR9", "SDCG"), ("needed", SCALE)),
    "NERR10": ("none", ("p", *SCALE)),
    **dict.fromkeys(("NERR11", "INSQ", "INST"), ("none", ("T", *SCALE))),
    "BPM": ("needed", ("T", *SCALE)),
    "Compat": ("none", ("p", "normalize")),
    **dict.fromkeys(("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA"), ("needed", ("alpha", *BINARY))),
    **dict.fromkeys(("NRBP", "nNRBP"), ("none", ("alpha", "beta", *BINARY))),
}
ALIASES = {
    "MAP": "AP",
    "mAP": "AP",
    "MRR": "RR",
    "MAP_IA": "AP_IA",
    "NDCG": "nDCG",
    "Precision": "P",
    "MAP@R": "AP@R",
    **dict.fromkeys(("Recall", "MAR"), "R"),
    **dict.fromkeys(("HitRate", "HR", "Hit", "HitRatio"), "Success"),
    "BPref": "Bpref",
    "InfAP": "infAP",
    "RPrec": "Rprec",
    "P@R": "Rprec",
    "ContextualRelevancy": "SetP",
    "ContextualPrecision": "ContextPrecision",
    "ContextRecall": "SetR",
    "ContextualRecall": "SetR",
}


@dataclass(frozen=True)
class Question:
    """A measure with everything that was said of it."""

    name: str
    cutoff: int | None = None
    level: Fraction | None = None
    rel: int = 1
    given: Mapping[str, object] = field(default_factory=dict)


def question_of(name: str, cut: int | Fraction | str | None, rel: int, params: Mapping[str, object]) -> Question:
    """Put a measure together, or raise ValueError if there is none such."""
    if name not in MEASURES:
        message = f"unknown measure {name!r}"
        raise ValueError(message)
    kind, allowed = MEASURES[name]
    given = dict(params)
    if rel != 1:
        given["rel"] = rel
    reasons = {
        "this measure has no such parameter": any(name not in allowed for name in given),
        "this measure needs a cut": cut is None and kind in ("needed", "recall", "multiple"),
        "a multiple is above 0": cut is not None and kind == "multiple" and Fraction(cut) <= 0,
        "this measure has no cut": cut is not None and kind == "none",
        "a cutoff is a whole number, at least 1": (
            cut is not None and kind in ("needed", "optional") and (Fraction(cut) < 1 or Fraction(cut).denominator != 1)
        ),
        "a recall level is from 0 to 1": cut is not None and kind == "recall" and not 0 <= Fraction(cut) <= 1,
        "a threshold is at least 0": int(str(given.get("rel", 1))) < 0,
        "a weight is at least 0": Fraction(str(given.get("beta", 1))) < 0,
        "a persistence is from 0 to below 1": not 0 <= Fraction(str(given.get("p", 0))) < 1,
        "dcg is log2 or exp-log2": given.get("dcg", "log2") not in ("log2", "exp-log2"),
        "a gain is at least 0": any(gain < 0 for gain in gains_given(given).values()),
    }
    reasons["what a subtopic loses is from 0 to 1"] = not 0 <= number_given(given, "alpha", "0.5") <= 1
    reasons["NRBP's persistence is below 1"] = name in ("NRBP", "nNRBP") and number_given(given, "beta", "0.5") >= 1
    reasons["what a reader wants is above 0"] = number_given(given, "T", "1") <= 0
    reasons["a scale rises from a grade"] = (
        not 0 <= number_given(given, "min_rel", "0") < number_given(given, "max_rel", "1")
    )
    reasons["a hit is worth no less than a miss"] = (
        weights_given(given)[0] - weights_given(given)[2] < (weights_given(given)[1])
    )
    for reason, holds in reasons.items():
        if holds:
            raise ValueError(reason)
    threshold = int(str(given.get("rel", 1)))
    if cut is None:
        return Question(name, rel=threshold, given=given)
    if kind in ("recall", "multiple"):
        return Question(name, level=Fraction(cut), rel=threshold, given=given)
    return Question(name, cutoff=int(cut), rel=threshold, given=given)


def gains_given(given: Mapping[str, object]) -> dict[int, Fraction]:
    """The mapping of `gains={grade: gain}`, empty without one."""
    pairs = given.get("gains") or {}
    if not isinstance(pairs, Mapping):
        message = "gains is a mapping"
        raise ValueError(message)
    return {int(grade): Fraction(str(gain)) for grade, gain in pairs.items()}


def weights_given(given: Mapping[str, object]) -> tuple[Fraction, Fraction, Fraction]:
    """What Utility gives a hit, a miss, and a relevant document that is not there."""
    hit, miss, lost = (given.get(name, default) for name, default in (("hit", 1), ("miss", -1), ("lost", 0)))
    return Fraction(str(hit)), Fraction(str(miss)), Fraction(str(lost))


def parsed(text: str) -> Question:
    """Read `NAME(param=value, ...)@CUT`, naively: brackets as a Python call, numbers as their texts."""
    match = re.fullmatch(r"([A-Za-z0-9_]+)(?:\((.*)\))?(?:@([0-9.]+|R))?", text)
    if match is None:
        message = f"{text!r} is not a measure"
        raise ValueError(message)
    name, inside, cut = match.groups()
    params: dict[str, object] = {}
    if cut == "R":
        name, cut = f"{name}@R", None
    # Numbers become texts first, so that 0.1 stays 1/10; grades, the keys of gains, are whole numbers anyway.
    quoted = re.sub(r"(?<![\w'\-.])(-?[0-9]*\.?[0-9]+|-?[0-9]+\.)(?![\w'.])", r"'\1'", inside or "")
    call = ast.parse(f"measure({quoted})", mode="eval").body
    if isinstance(call, ast.Call):
        params = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    if "cutoff" in params:
        cut = str(params.pop("cutoff"))
    if "recall" in params:
        cut = str(params.pop("recall"))
    if name == "SetRelP":
        name, params["relative"] = "SetP", True
    if name == "NumRet" and "rel" in params:
        name = "NumRelRet"
    return question_of(ALIASES.get(name, name), cut, 1, params)


def settled(question: Question, options: Options) -> Options:
    """The convention with what the measure itself says put in."""
    given = question.given
    if question.name == "AP11":
        options = replace(options, interpolation="11-point")
    if question.name in ("GMAP", "GMBpref"):
        options = replace(options, aggregate="geometric")
    if given.get("judged_only"):
        options = replace(options, unjudged="removed")
    if question.name == "P" and given.get("relative"):
        options = replace(options, precision_denominator="min-relevant-cutoff")
    if "dcg" in given:
        options = replace(options, gain={"log2": "linear", "exp-log2": "exponential"}[str(given["dcg"])])
    if "p" in given:
        options = replace(options, rbp_persistence=Fraction(str(given["p"])))
    if question.name == "Compat" and "p" in given:
        options = replace(options, compat_persistence=Fraction(str(given["p"])))
    if "normalize" in given:
        options = replace(options, compat_normalization="ideal" if given["normalize"] else "none")
    if question.name in RANKED:
        which = {"ret": "retrieved", "imp": "implied"}.get(question.name.split("_")[-1], options.prefs_counted)
        ties = options.ties if options.prefs_ties == "same" else options.prefs_ties
        options = replace(options, prefs_counted=which, ties=ties)
    if question.name == "RBP" and "rel" in given:
        options = replace(options, rbp_gain="binary")
    return options


def refuse_excluded(question: Question, options: Options) -> None:
    """Raise ValueError for a combination that the semantics exclude."""
    block_expectation = options.ties in ("grouped", "expected", "mid-rank")
    name = question.name
    tap = name == "TAP"
    area = name in AREAS
    padded = options.interpolation == "all-ranks-padded"
    uses_denominator = not padded and options.interpolation != "all-ranks"
    micro = options.aggregate == "micro" and name not in COUNTS
    reasons = {
        "subtopics and preferences are not pooled": micro and name in NOT_OF_ONE_LIST,
        "no relevant documents to weigh by": (
            options.aggregate == "by-relevant" and name not in COUNTS and name in (*NOT_OF_ONE_LIST, *EXEMPT)
        ),
        "no number of documents over another": options.aggregate == "ratio" and name not in (*SHARES, *COUNTS),
        "TAP does not combine depth with grouped or expected ties": (
            tap and options.depth is not None and block_expectation
        ),
        "only TAP knows the reciprocal": not tap and name not in EXEMPT and options.no_relevant == "reciprocal",
        "this interpolation is not defined for grouped ties": (
            area and options.ties == "grouped" and options.interpolation in ("all-ranks-padded", "sloped-line")
        ),
        "all-ranks-padded needs a cutoff": area and padded and question.cutoff is None,
        "this denominator needs a cutoff": (
            area and uses_denominator and options.denominator in NEEDS_CUTOFF and question.cutoff is None
        ),
        "micro and ratio do not combine depth with grouped or expected ties": (
            (micro or (options.aggregate == "ratio" and name in SHARES))
            and options.depth is not None
            and block_expectation
        ),
        "utilities below 0 have no roots": name == "Utility" and options.aggregate == "geometric",
        "this measure has no value for a block": name in RANK_BY_RANK and options.ties == "grouped",
        "documents with one rank are not counted": options.ties == "mid-rank" and name not in ("RR", "Success"),
        "preferences are between documents, each at one rank": (
            name in RANKED and options.duplicates in ("counted", "first")
        ),
        "no document is better for preferences": name in RANKED and options.ties in ("optimistic", "pessimistic"),
        "R is counted in one of two ways": name in NONREL and options.prefs_counted == "implied",
        "judged documents are not divided by relevant ones": (
            name in ("Judged", "Unjudged") and options.precision_denominator == "min-relevant-cutoff"
        ),
    }
    for reason, holds in reasons.items():
        if holds:
            raise ValueError(reason)
