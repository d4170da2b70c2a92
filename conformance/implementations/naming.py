"""What a function's name says that it computes, where nobody said it: `ndcg_at_k` is no average precision."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import takewhile

from rankspec.conformance.worker.messages import ANY_MEASURE, Hello
from rankspec.conformance.worker.shapes import CUTOFF, Need
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import ALIASES, FAMILIES, UNSTATED
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.expression import parse_measure

_SHORTEST = 2
_CUTOFF = 10
_PHRASES = {
    ("average", "precision"): UNSTATED,
    ("avg", "precision"): UNSTATED,
    ("avg", "prec"): UNSTATED,
    ("rank", "biased", "precision"): "RBP",
    ("r", "precision"): "Rprec",
    ("expected", "reciprocal", "rank"): "ERR",
    ("reciprocal", "rank"): "RR",
    ("normalized", "discounted", "cumulative", "gain"): "nDCG",
    ("normalised", "discounted", "cumulative", "gain"): "nDCG",
    ("discounted", "cumulative", "gain"): "DCG",
    ("hits", "at"): "Success",
    ("f1",): "F",
    ("prec",): "P",
    ("auc",): "Accuracy",
}
"""Names in full; a longer one stands before those that end it."""
_OTHERS_TOO = ("accuracy",)  # Words that mean something else to most who write them
_WORD = re.compile(r"[Ff]1(?!\d)|[A-Z]{2,}(?=at([A-Z_]|$))|n?DCG|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_SHORT = re.compile(r"([pr])(?:@|_at_|_)?(k|\d+)")


@cache
def measure_in(name: str) -> Measure | None:
    """Return the measure that a function's name tells, if it is no average precision; None if it tells none.

    >>> [str(measure_in(name)) for name in ("metrics.py:ndcg_at_k", "NDCGatK_r", "hitRate", "mapk")]
    ['nDCG@10', 'nDCG@10', 'Success', 'None']
    """
    own = name.rpartition(":")[2]
    kind, _, method = own.rpartition(".")
    if kind and (of_method := measure_in(method)):  # of the class only if the method tells none
        return of_method
    if short := _SHORT.fullmatch(own.casefold()):
        return Measure(short[1].upper(), int(short[2]) if short[2] != "k" else _CUTOFF)
    words = tuple(each[0].casefold() for each in _WORD.finditer(own))
    known = {each.casefold(): ALIASES.get(each, each) for each in (*FAMILIES, *ALIASES) if len(each) >= _SHORTEST}
    words = tuple(word.removesuffix("k") if word.removesuffix("k") in known else word for word in words)  # `ndcgk`
    singular = ((word, word.removesuffix("s")) for word in words)  # `hits` are counted
    in_full = {word for phrase in _PHRASES for word in phrase} | {"recall"}
    words = tuple(one if one in {*known, *in_full} - {"hit", "hits"} else word for word, one in singular)
    told = _phrase(words) or next((known[word] for word in words if word in known and word not in _OTHERS_TOO), None)
    if told is None or FAMILIES[told].is_area:
        return None
    family = FAMILIES[told]
    if family.cut in (Cut.FALSE_POSITIVES, Cut.RECALL, Cut.MULTIPLE):
        return parse_measure(family.example)
    takes_cutoff = family.cut is Cut.REQUIRED or (family.cut is Cut.OPTIONAL and family.has("discount"))
    return Measure(family.name, _CUTOFF if takes_cutoff else None)


def says_average_precision(name: str) -> bool:
    """Tell whether a function is called average precision, which is also what is assumed of one without a name.

    >>> [says_average_precision(name) for name in ("metrics.py:compute_map", "mean_average_precision", "heatmap")]
    [True, True, False]
    """
    words = " ".join(each[0].casefold() for each in _WORD.finditer(name.rpartition(":")[2]))
    return re.search(r"\b(m?apk?|(average|avg) prec(ision)?)\b", words) is not None


def cutoff_in(name: str) -> int | None:
    """Return the number at the end of a function's name; None where it has none.

    >>> cutoff_in("metrics.py:map_at_10")
    10
    """
    digits = re.search(r"(?<![Ff])\d+$", name)
    return int(digits[0]) if digits else None


def _phrase(words: tuple[str, ...]) -> str | None:
    for phrase, family in _PHRASES.items():
        if phrase in {words[start : start + len(phrase)] for start in range(len(words))}:
            return family
    return None


@cache
def names_of(family: str) -> tuple[str, ...]:
    """Return what the value of a measure is called among others, in small letters and digits.

    >>> names_of("AP")
    ('ap', 'averageprecision', 'avgprec', 'avgprecision', 'map')
    """
    named = [(name, name) for name in FAMILIES] + [*ALIASES.items()]
    named += [("".join(words), told) for words, told in _PHRASES.items()]
    return tuple(sorted({re.sub("[^a-z0-9]", "", name.casefold()) for name, measure in named if measure == family}))


def measure_by_name(hello: Hello) -> Measure | None:
    """Return the measure that a function is taken for by its name, or by that of the first value that it returns."""
    # Nobody states one. An adapter or a program says itself what it offers, so its name says nothing; nor does a name
    # of average precision.
    if ANY_MEASURE not in hello.functions:
        return None
    named = takewhile(lambda name: re.sub("[^a-z]", "", name.casefold()) not in names_of(UNSTATED), hello.returns)
    return measure_in(hello.name) or next(filter(None, map(measure_in, named)), None)


def measures_returned(hello: Hello) -> dict[str, Measure]:
    """Return the measure of each value that a function returns by name, of those whose names tell one."""
    # Where neither the name nor the measure says a cutoff, but the function takes one, the measure has one. Of two
    # values of one measure (a mean, and a dict of what it is the mean of) the first is what is asked for.
    takes_cutoff = any(each.need(CUTOFF) is not Need.ABSENT for each in hello.functions.values())
    families = {name: _of_value(name, takes_cutoff=takes_cutoff) for name in hello.returns}
    named = {measure: name for name, measure in reversed((families | hello.fitting).items()) if measure is not None}
    return {name: measure for measure, name in reversed(named.items())}


def _of_value(name: str, *, takes_cutoff: bool) -> Measure | None:
    bare = re.sub("[^a-z]", "", re.sub(r"(@|_at_?|_)?(k|\d+)?$", "", name.casefold()))
    measure = Measure(UNSTATED) if bare in names_of(UNSTATED) else measure_in(name)
    if measure is None or measure.family.cut not in (Cut.REQUIRED, Cut.OPTIONAL):
        return measure
    return replace(measure, k=cutoff_in(name) or (_CUTOFF if takes_cutoff else measure.k))


def function_named(family: str, hello: Hello) -> str:
    """Say that a function is taken for what its name tells, or for which of the values that it returns."""
    if measure_in(hello.name) is None and hello.returns:
        return f"Taken for {family}, the first of what it returns ({', '.join(hello.returns)}). To override: --measure"
    return f"Taken for {family}, inferred from its name. To override: --measure"
