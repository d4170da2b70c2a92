"""The text of a function that changes qrels and a run so that one convention gives another one's value.

Each axis on which two conventions differ has a step, in the order in which a value comes about; where an axis has none,
no such function is known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rankspec.conformance.infer.witness.scope import differing_axes
from rankspec.oracle.conventions.axes import Denominator, PrecisionDenominator, RecallDenominator
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.denominators import LEAST_OF

_FILL = MappingProxyType(
    {
        "zero": ("grades, docs, filled = {'relevant': rel}, [('miss', 1)], True",),
        "one": ("grades, docs, filled = {'relevant': rel}, [('relevant', 1)], True",),
        "skip": ("continue",),
    }
)
_SCORE = MappingProxyType(
    {
        "exact": "score",
        "float64": "float(score)",
        "float32": "struct.unpack('f', struct.pack('f', float(score)))[0]",
    }
)
_ORDER = MappingProxyType(
    {
        "input-order": (),
        "reverse-input": ("docs.reverse()",),
        "docno-descending": ("docs.sort(key=lambda doc: doc[0].encode(), reverse=True)",),
        "docno-ascending": ("docs.sort(key=lambda doc: doc[0].encode())",),
        "optimistic": ("docs.sort(key=lambda doc: -(grades.get(doc[0], 0) >= rel))",),
        "pessimistic": ("docs.sort(key=lambda doc: grades.get(doc[0], 0) >= rel)",),
    }
)
_OF_INPUTS = MappingProxyType({"relevant": "relevant", "cutoff": "k", "length": "len(docs)", "hits": "len(hits)"})
_OF_VALUES = MappingProxyType({"relevant": "relevant", "cutoff": "k", "length": "length"})
_SYMBOLS = MappingProxyType({"relevant": "R", "cutoff": "k", "length": "n"})
"""The counts of denominators: as the code of a recipe has them, where it knows them, and in words."""


_AnyDenominator = Denominator | PrecisionDenominator | RecallDenominator


def _least(rule: _AnyDenominator, counts: Mapping[str, str]) -> str | None:
    """Write a denominator, None if it is made of a count that is not known there."""
    names = LEAST_OF[rule]
    if not counts.keys() >= {*names}:
        return None
    listed = ", ".join(counts[name] for name in names)
    return f"min({listed})" if len(names) > 1 else listed


@dataclass(frozen=True)
class Recipe:
    """What is done to the inputs.

    Attributes:
        steps: in words, one an axis.
        code: a function `translated(qrels, run)` as Python text, which needs the standard library alone.
    """

    steps: tuple[str, ...]
    code: str


@dataclass(frozen=True)
class _Step:
    words: str
    lines: tuple[str, ...]


def recipe(measure: Measure, a: Convention, b: Convention) -> Recipe | str:
    """Write the function that makes A give B's value, or say which axis has no step."""
    differing = differing_axes(measure, a, b)
    steps: list[_Step] = []
    done: set[str] = set()
    for axes, make in _STEPS:
        if not axes & set(differing):
            continue
        step = make(measure, a, b)
        if step is None:
            continue
        steps.append(step)
        done |= axes
    without = [axis for axis in differing if axis not in done]
    if without:
        return f"no change of the inputs is known for {', '.join(without)}"
    return Recipe(tuple(step.words for step in steps), "\n".join(_function(measure, steps)))


def _function(measure: Measure, steps: list[_Step]) -> Iterator[str]:
    lines = [line for step in steps for line in step.lines]
    if any("struct." in line for line in lines):
        yield from ("import struct", "", "")
    yield "def translated(qrels, run):"
    yield '    """Return qrels {query: {docno: grade}} and a run {query: {docno: score}} to be evaluated instead."""'
    yield f"    k, rel = {measure.k}, {measure.rel}"
    yield "    new_qrels, new_run = {}, {}"
    yield "    for query in [*qrels, *(query for query in run if query not in qrels)]:"
    yield "        grades, docs, filled = dict(qrels.get(query, {})), list(run.get(query, {}).items()), False"
    yield from (f"        {line}" for line in lines)
    yield "        if query in qrels or filled:"
    yield "            new_qrels[query] = grades"
    yield "        if query in run or filled:"
    yield "            new_run[query] = dict(docs)"
    yield "    return new_qrels, new_run"


def _unknown(_: Measure, a: Convention, b: Convention) -> _Step | None:
    return _filled("a query of the run that the qrels lack", "unknown_query", "query not in qrels", a, b)


def _missing(_: Measure, a: Convention, b: Convention) -> _Step | None:
    return _filled("a query of the qrels that the run lacks", "missing_query", "query not in run", a, b)


def _no_relevant(_: Measure, a: Convention, b: Convention) -> _Step | None:
    test = "query in qrels and not any(grade >= rel for grade in qrels[query].values())"
    if str(b.no_relevant) != "skip":  # which holds of a query that the run lacks, too
        test = f"query in run and {test}"
    return _filled("a query without relevant documents", "no_relevant", test, a, b)


def _filled(what: str, axis: str, test: str, a: Convention, b: Convention) -> _Step | None:
    wanted = str(getattr(b, axis))
    if wanted == "error":
        return _Step(f"have no {what.removeprefix('a ')}: it is refused", ())
    if wanted not in _FILL or (wanted == "zero" and str(a.no_hits) != "zero"):
        return None
    words = {
        "zero": f"replace {what} by one whose relevant document is not retrieved: it scores 0",
        "one": f"replace {what} by one whose relevant document is retrieved first: it scores 1",
        "skip": f"leave out {what}",
    }[wanted]
    return _Step(words, (f"if {test}:", *(f"    {line}" for line in _FILL[wanted])))


def _unjudged(_: Measure, __: Convention, b: Convention) -> _Step | None:
    if str(b.unjudged) == "removed":
        return _Step("drop unjudged documents", ("docs = [doc for doc in docs if doc[0] in grades]",))
    return _Step(
        "judge every retrieved document: those without a grade get 0",
        ("if query in qrels:", "    grades = {**{docno: 0 for docno, _ in docs}, **grades}"),
    )


def _negative(_: Measure, __: Convention, b: Convention) -> _Step | None:
    if str(b.negative_grades) == "nonrelevant":
        return _Step(
            "replace negative grades by 0", ("grades = {docno: max(grade, 0) for docno, grade in grades.items()}",)
        )
    return _Step(
        "take documents with negative grades out of the qrels",
        ("grades = {docno: grade for docno, grade in grades.items() if grade >= 0}",),
    )


def _depth(measure: Measure, a: Convention, b: Convention) -> _Step | None:
    if a.depth is not None or (order := _order(measure, a, b)) is None:
        return None
    return _Step(f"{order.words}; keep the first {b.depth}", (*order.lines, f"docs = docs[:{b.depth}]"))


def _order(_: Measure, __: Convention, b: Convention) -> _Step | None:
    ties, precision = str(b.ties), str(b.score_precision)
    if ties not in _ORDER:
        return None
    return _Step(
        f"order documents by score ({precision}), ties {ties}, and score them n, n-1, ..., 1",
        (
            f"docs = [(docno, {_SCORE[precision]}) for docno, score in docs]",
            *_ORDER[ties],
            "docs.sort(key=lambda doc: doc[1], reverse=True)",
            "docs = [(docno, len(docs) - place) for place, (docno, _) in enumerate(docs)]",
        ),
    )


def _denominator(measure: Measure, a: Convention, b: Convention) -> _Step | None:
    count = _least(b.denominator, _OF_INPUTS)
    if a.denominator is not Denominator.RELEVANT or count is None or b.unjudged is not a.unjudged:
        return None
    if (order := _order(measure, a, b)) is None:
        return None
    cut = ("docs = docs[:k]",) if measure.k is not None else ()
    return _Step(
        f"cut the list, and have as many relevant documents outside of it as make R the denominator ({b.denominator})",
        (
            *order.lines,
            *cut,
            "relevant = sum(grade >= rel for grade in grades.values())",
            "hits = {docno for docno, _ in docs if grades.get(docno, 0) >= rel}",
            f"outside = {count} - len(hits)",
            "if hits and not filled:",
            "    grades = {docno: grade for docno, grade in grades.items() if docno in hits or grade < rel}",
            "    grades.update({f'outside {place}': rel for place in range(outside)})",
        ),
    )


def _gain(measure: Measure, a: Convention, b: Convention) -> _Step | None:
    if (str(a.gain), str(b.gain)) != ("linear", "exponential") or not measure.is_graded:
        return None
    return _Step(
        "replace each grade g above 0 by 2^g - 1",
        ("grades = {docno: 2**grade - 1 if grade > 0 else grade for docno, grade in grades.items()}",),
    )


_Maker = Callable[[Measure, Convention, Convention], _Step | None]
_STEPS: tuple[tuple[frozenset[str], _Maker], ...] = (
    (frozenset({"duplicates"}), lambda _, __, ___: _Step("have no document twice in a list: a dict has none", ())),
    (frozenset({"negative_grades"}), _negative),
    (frozenset({"unjudged"}), _unjudged),
    (frozenset({"depth"}), _depth),
    (frozenset({"ties", "score_precision"}), _order),
    (frozenset({"denominator"}), _denominator),
    (frozenset({"gain"}), _gain),
    (frozenset({"no_relevant"}), _no_relevant),
    (frozenset({"missing_query"}), _missing),
    (frozenset({"unknown_query"}), _unknown),
)
"""Axes with the step that deals with them, in the order in which a value comes about."""


OF_SETS = frozenset({"aggregate", "geometric_floor", "geometric_zero", "empty_mean"})
"""Axes that say what becomes of the values of queries, which is not asked here."""

_RULES = MappingProxyType({"zero": "0", "one": "1", "nan": 'float("nan")', "skip": "None", "error": "None"})
_WORDS = MappingProxyType(
    {"zero": "scores 0", "one": "scores 1", "nan": "scores nan", "skip": "is left out", "error": "is refused"}
)
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
        steps.append(_unknown_value(b))
    leaves = any(_RULES.get(str(each.no_relevant)) == "None" for each in (a, b))
    if "missing_query" in differing or ("no_relevant" in differing and leaves):
        steps.append(_missing_value(b))
    if "no_relevant" in differing:
        steps.append(_no_relevant_value(b))
    if "no_hits" in differing:
        steps.append(_no_hits(b))
    for axis in _DENOMINATORS:
        if axis in differing:
            step = _divided(measure, getattr(a, axis), getattr(b, axis))
            if step is None:
                return None
            steps.append(step)
    code = "\n".join(_value_function(measure, [line for _, lines in steps for line in lines]))
    return ValueRecipe(tuple(words for words, _ in steps), code)


def differing_in_values(measure: Measure, a: Convention, b: Convention) -> tuple[str, ...]:
    """Return the axes on which two conventions differ in what a query is worth.

    A document that appears twice is no input to both if one of them refuses it.
    """
    refused = {"duplicates"} if "error" in {str(a.duplicates), str(b.duplicates)} else set()
    return tuple(axis for axis in differing_axes(measure, a, b) if axis not in OF_SETS | refused)


def _value_function(measure: Measure, lines: list[str]) -> Iterator[str]:
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


def _unknown_value(b: Convention) -> tuple[str, tuple[str, ...]]:
    rule = str(b.unknown_query)
    return f"a query missing from the qrels {_WORDS[rule]}", ("if relevant is None:", f"    return {_RULES[rule]}")


def _missing_value(b: Convention) -> tuple[str, tuple[str, ...]]:
    rule, without = str(b.missing_query), str(b.no_relevant)
    worth = _RULES[rule]
    if worth != "None" and _RULES.get(without) == "None":
        worth = f"{worth} if relevant else None"  # error beats skip beats a value
    return (
        f"a query missing from the run {_WORDS[rule]}",
        ("if relevant is not None and length is None:", f"    return {worth}"),
    )


def _no_relevant_value(b: Convention) -> tuple[str, tuple[str, ...]]:
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


def _divided(measure: Measure, a: _AnyDenominator, b: _AnyDenominator) -> tuple[str, tuple[str, ...]] | None:
    # n is the length of the evaluated list.
    counts = _OF_VALUES if measure.k is None else {**_OF_VALUES, "length": "min(length, k)"}
    first, second = _least(a, counts), _least(b, counts)
    if first is None or second is None:
        return None
    return (
        f"times {_least(a, _SYMBOLS)} / {_least(b, _SYMBOLS)}",
        ("if not value or not relevant or not length:", "    return value", f"return value * {first} / {second}"),
    )
