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
from .gained import grade_gain
from .oracle import Cut, Qrels, Run, values_of_orders
from .questions import Question, gains_given, question_of, refuse_excluded, settled
from .values import Number, Value, greatest, least

GAINED = ("DCG", "nDCG", "ERR")
"""Measures whose documents gain by their grade."""
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

    Documents in the pool are judged too. One judged relevant adds to R; what was not retrieved stays as it is. Where
    grades are gains, it can have any grade that the qrels use.
    """
    question = question_of(measure, k, rel, params or {})
    options = settled(question, options_of(convention))
    refused(question, options)
    verdicts = [0 if question.rel > 0 else -1, max(question.rel, 1)]
    if question.name in GAINED:
        verdicts = [-1, *graded_verdicts(question, qrels, options)]
    ranges: dict[str, Range] = {}
    for place, (query, grades) in enumerate(qrels.items()):
        if query not in run:
            continue
        values: list[Value] = []
        for judged in judgements(grades, [docno for docno, _ in run[query]], verdicts, options):
            # Whatever was retrieved is judged now: a verdict may be a negative grade.
            settled_now = replace(options, negative_grades="nonrelevant") if -1 in verdicts else options
            orders = values_of_orders(question, place, run[query], judged, settled_now)
            values.append("error" if orders is None else mean_over_orders(orders))
        ranges[query] = range_of(values)
    return ranges


def graded_verdicts(question: Question, qrels: Qrels, options: Options) -> list[int]:
    """The grades that the qrels use, on the measure's scale; with 1 where none of them gains."""
    used = {grade for grades in qrels.values() for grade in grades.values() if grade >= 0}
    rule = "linear" if question.name == "ERR" else options.gain
    if question.name == "ERR":
        used = {grade for grade in used if grade <= options.err_max_grade}
    if not any(grade_gain(grade, rule, gains_given(question.given)) > 0 for grade in used):
        used.add(1)
    return sorted(used)


def judgements(
    grades: Mapping[str, int], retrieved: list[str], verdicts: list[int], options: Options
) -> Iterator[Mapping[str, int]]:
    """The qrels of a query, completed in every way."""
    open_ones: list[str] = []
    for docno in retrieved:
        pooled = docno in grades and grades[docno] < 0 and options.negative_grades == "unjudged"
        if (docno not in grades or pooled) and docno not in open_ones:
            open_ones.append(docno)
    for choice in itertools.product(verdicts, repeat=len(open_ones)):
        yield {**grades, **dict(zip(open_ones, choice, strict=True))}
