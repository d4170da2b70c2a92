"""How far a value can go: over every order of tied documents, over every way to judge the unjudged ones.

A query's range is (lowest, highest) of the numbers that there are. Where no way gives a number, it is a word:
`error` before `skip` before `nan`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

from .conventions import AxisValue, Options, options_of
from .curves import mean_over_orders
from .oracle import Cut, Qrels, Run, values_of_orders
from .questions import Question, question_of, refuse_excluded, settled
from .values import Number, Value, greatest, least

Range = tuple[Number, Number] | str


def range_of(values: list[Value]) -> Range:
    """The lowest and the highest of the numbers among some values; without a number the word that beats the others."""
    numbers = [value for value in values if not isinstance(value, str)]
    if numbers:
        return least(numbers), greatest(numbers)
    for word in ("error", "skip"):
        if word in values:
            return word
    return "nan"


def refused(question: Question, options: Options) -> None:
    """Raise ValueError where queries are not judged one by one."""
    refuse_excluded(question, options)
    if question.name == "TAP" or options.aggregate == "micro":
        message = "a range is that of one query"
        raise ValueError(message)


def tie_range(
    measure: str,
    k: Cut,
    rel: int,
    qrels: Qrels,
    run: Run,
    convention: Mapping[str, AxisValue],
    params: Mapping[str, object] | None = None,
) -> dict[str, Range]:
    """Query -> the lowest and the highest value over all orders inside tie blocks, whatever the tie rule is."""
    question = question_of(measure, k, rel, params or {})
    options = replace(settled(question, options_of(convention)), ties="expected")
    refused(question, options)
    ranges: dict[str, Range] = {}
    for place, (query, grades) in enumerate(qrels.items()):
        if query in run:
            values = values_of_orders(question, place, run[query], grades, options)
            ranges[query] = "error" if values is None else range_of(values)
    return ranges


def judgement_range(
    measure: str,
    k: Cut,
    rel: int,
    qrels: Qrels,
    run: Run,
    convention: Mapping[str, AxisValue],
    params: Mapping[str, object] | None = None,
) -> dict[str, Range]:
    """Query -> the lowest and the highest value over all ways to judge its retrieved documents that are unjudged.

    Documents in the pool are judged too. One judged relevant adds to R; what was not retrieved stays as it is.
    """
    question = question_of(measure, k, rel, params or {})
    options = settled(question, options_of(convention))
    refused(question, options)
    ranges: dict[str, Range] = {}
    for place, (query, grades) in enumerate(qrels.items()):
        if query not in run:
            continue
        values: list[Value] = []
        for judged in judgements(grades, [docno for docno, _ in run[query]], question.rel, options):
            # Whatever was retrieved is judged now: under rel=0 nonrelevant is what has a negative grade.
            settled_now = replace(options, negative_grades="nonrelevant") if question.rel == 0 else options
            orders = values_of_orders(question, place, run[query], judged, settled_now)
            values.append("error" if orders is None else mean_over_orders(orders))
        ranges[query] = range_of(values)
    return ranges


def judgements(
    grades: Mapping[str, int], retrieved: list[str], rel: int, options: Options
) -> Iterator[Mapping[str, int]]:
    """The qrels of a query, completed in every way."""
    open_ones: list[str] = []
    for docno in retrieved:
        pooled = docno in grades and grades[docno] < 0 and options.negative_grades == "unjudged"
        if (docno not in grades or pooled) and docno not in open_ones:
            open_ones.append(docno)
    for choice in itertools.product((0 if rel > 0 else -1, max(rel, 1)), repeat=len(open_ones)):
        yield {**grades, **dict(zip(open_ones, choice, strict=True))}
