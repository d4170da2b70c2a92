"""The text of a function that makes one convention's value of a query another one's, out of what is known beside it.

Known beside a value are the judgments of the query (R, the number of relevant documents) and how many documents were
retrieved: nothing of where the relevant ones stand. Each step is a rule for what is undefined, or a denominator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType

from rankspec.conformance.infer.witness.scope import differing_axes
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure

OF_SETS = frozenset({"aggregate", "geometric_floor", "geometric_zero", "empty_mean"})
"""Axes that say what becomes of the values of queries, which is not asked here."""

_RULES = MappingProxyType({"zero": "0", "one": "1", "nan": 'float("nan")', "skip": "None", "error": "None"})
_WORDS = MappingProxyType(
    {"zero": "is worth 0", "one": "is worth 1", "nan": "is worth nan", "skip": "is left out", "error": "is refused"}
)
_COUNTS = MappingProxyType(
    {
        "relevant": ("relevant", "R"),
        "min-relevant-cutoff": ("min(relevant, k)", "min(R, k)"),
        "min-relevant-cutoff-length": ("min(relevant, k, length)", "min(R, k, n)"),
        "min-relevant-length": ("min(relevant, length)", "min(R, n)"),
        "min-cutoff-length": ("min(k, length)", "min(k, n)"),
        "cutoff": ("k", "k"),
        "length": ("length", "n"),
    }
)
"""A denominator as Python, and in words."""
_DENOMINATORS = ("denominator", "precision_denominator", "recall_denominator")
_UNDEFINED = ("unknown_query", "missing_query", "no_relevant", "no_hits")
_HANDLED = frozenset({*_DENOMINATORS, *_UNDEFINED})


@dataclass(frozen=True)
class ValueRecipe:
    """What is done to the value of a query.

    Attributes:
        steps: in words.
        code: a function `translated(value, relevant, length)` as Python text, which needs nothing else.
    """

    steps: tuple[str, ...]
    code: str


def value_recipe(measure: Measure, a: Convention, b: Convention) -> ValueRecipe | None:
    """Write the function, if every axis on which the two differ has a step; whether it holds is for others to try."""
    differing = set(differing_in_values(measure, a, b))
    undefined = differing & set(_UNDEFINED)
    if differing - _HANDLED or any(str(getattr(b, axis)) not in _RULES for axis in undefined):
        return None
    steps: list[tuple[str, tuple[str, ...]]] = []
    if "unknown_query" in differing:
        steps.append(_unknown(b))
    leaves = any(_RULES.get(str(each.no_relevant)) == "None" for each in (a, b))
    if "missing_query" in differing or ("no_relevant" in differing and leaves):
        steps.append(_missing(b))
    if "no_relevant" in differing:
        steps.append(_no_relevant(b))
    if "no_hits" in differing:
        steps.append(_no_hits(b))
    for axis in _DENOMINATORS:
        if axis in differing:
            step = _divided(measure, str(getattr(a, axis)), str(getattr(b, axis)))
            if step is None:
                return None
            steps.append(step)
    code = "\n".join(_function(measure, [line for _, lines in steps for line in lines]))
    return ValueRecipe(tuple(words for words, _ in steps), code)


def differing_in_values(measure: Measure, a: Convention, b: Convention) -> tuple[str, ...]:
    """Return the axes on which two conventions differ in what a query is worth.

    A document that stands twice is no input to both if one of them refuses it.
    """
    refused = {"duplicates"} if "error" in {str(a.duplicates), str(b.duplicates)} else set()
    return tuple(axis for axis in differing_axes(measure, a, b) if axis not in OF_SETS | refused)


def _function(measure: Measure, lines: list[str]) -> Iterator[str]:
    yield "def translated(value, relevant, length):"
    yield '    """Return the value of a query under the other convention, None where the query does not count.'
    yield ""
    yield "    value: None where it does not count or is refused; relevant: R, None if the qrels lack the query;"
    yield "    length: the documents retrieved, None if the run lacks the query."
    yield '    """'
    if any(re.search(r"\bk\b", line) for line in lines):
        yield f"    k = {measure.k}"
    yield from (f"    {line}" for line in lines)
    yield "    return value"


def _unknown(b: Convention) -> tuple[str, tuple[str, ...]]:
    rule = str(b.unknown_query)
    return f"a query that the qrels lack {_WORDS[rule]}", ("if relevant is None:", f"    return {_RULES[rule]}")


def _missing(b: Convention) -> tuple[str, tuple[str, ...]]:
    rule, without = str(b.missing_query), str(b.no_relevant)
    worth = _RULES[rule]
    if worth != "None" and _RULES.get(without) == "None":
        worth = f"{worth} if relevant else None"  # error beats skip beats a value
    return (
        f"a query that the run lacks {_WORDS[rule]}",
        ("if relevant is not None and length is None:", f"    return {worth}"),
    )


def _no_relevant(b: Convention) -> tuple[str, tuple[str, ...]]:
    rule = str(b.no_relevant)
    return (
        f"a query without relevant documents {_WORDS[rule]}",
        ("if relevant == 0 and length is not None:", f"    return {_RULES[rule]}"),
    )


def _no_hits(b: Convention) -> tuple[str, tuple[str, ...]]:
    rule = str(b.no_hits)
    return (
        f"a query whose relevant documents were not retrieved {_WORDS[rule]}",
        ("if relevant and length is not None and (not value or value != value):", f"    return {_RULES[rule]}"),
    )


def _divided(measure: Measure, a: str, b: str) -> tuple[str, tuple[str, ...]] | None:
    if a not in _COUNTS or b not in _COUNTS:
        return None
    (first, first_words), (second, second_words) = _COUNTS[a], _COUNTS[b]
    if measure.k is not None:  # n is the length of the list that is looked at
        first, second = (text.replace("length", "min(length, k)") for text in (first, second))
    return (
        f"times {first_words} / {second_words}",
        ("if not value or not relevant or not length:", "    return value", f"return value * {first} / {second}"),
    )
