"""An input that shows a difference: `relevant: a; returned: a; k = 10 -> yours 0.1, textbook 1`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from rankspec.conformance.cases.exact import decimal_text, parse_exact
from rankspec.conformance.cases.inputs import CaseInput, case_input
from rankspec.conformance.infer.witness.small_inputs import score_text
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.sentence import first_names
from rankspec.oracle.values import AnyValue

_MOST_DOCUMENTS = 8
_MOST_LABELS = 20  # So many labels alike are read at a glance
_FEWEST_DIGITS, _MOST_DIGITS = 4, 17
_LONGEST = 24  # A number that takes more characters is shown as it was returned: `1.00000e+400`


def example(data: Mapping[str, Any], measure: Measure, values: Mapping[str, str]) -> str:
    """Return a case's input, the cutoff, and values (or texts) by name, with as many digits as tell them apart."""
    read = case_input(data)
    queries = list(dict.fromkeys((*read.qrels, *read.run)))
    cutoff = [] if measure.k is None else [f"k = {measure.k}"]
    if len(queries) == 1:  # its name says nothing
        values = {name: text.removeprefix(f"{queries[0]}: ") for name, text in values.items()}
    results = ", ".join(f"{name} {text}" for name, text in apart(values).items())
    return f"{'; '.join([*_input(read, queries, measure), *cutoff])} -> {results}"


def _input(read: CaseInput, queries: Sequence[str], measure: Measure) -> Iterator[str]:
    has_scores = bool({"scores", "run"} & read.data.keys())
    for query in queries:
        of_query = f" for {query}" if len(queries) > 1 else ""
        grades = read.qrels.grades(query) if query in read.qrels else {}
        relevant = {docno: grade for docno, grade in grades.items() if grade >= max(measure.rel, 1)}
        retrieved = read.run.documents(query) if query in read.run else ()
        if not has_scores and len(retrieved) > _MOST_DOCUMENTS:  # labels of a long list are shorter than its ids
            yield f"labels{of_query}: {_labels([grades.get(docno, 0) for docno, _ in retrieved])}"
            unseen = relevant.keys() - {docno for docno, _ in retrieved}
            yield from [f"relevant{of_query}: {len(relevant)}, {len(unseen)} not returned"] if unseen else ()
            continue
        returned = [f"{docno} {score_text(score)}" if has_scores else docno for docno, score in retrieved]
        yield f"relevant{of_query}: {_in_short([_graded(docno, grade, 1) for docno, grade in relevant.items()])}"
        others = {docno: grade for docno, grade in grades.items() if docno not in relevant}
        if others and (read.form == "qrels" or any(others.values())):  # of other forms all that is returned is judged
            yield f"judged not relevant: {_in_short([_graded(docno, grade, 0) for docno, grade in others.items()])}"
        yield f"returned{of_query}: {_in_short(returned)}"


def _labels(labels: Sequence[int]) -> str:
    """Write labels in rank order, many alike by their number: `0,0,1`, `0 (1000 times), 1`."""
    runs = [(str(label), len(list(alike))) for label, alike in groupby(labels)]
    if max(times for _, times in runs) <= _MOST_LABELS:
        return ",".join(map(str, labels))
    return ", ".join(label if times == 1 else f"{label} ({times} times)" for label, times in runs)


def _graded(docno: str, grade: int, usual: int) -> str:
    return docno if grade == usual else f"{docno} ({grade})"


def apart(values: Mapping[str, str]) -> dict[str, str]:
    """Write values with four decimals, or as many as tell them apart.

    >>> apart({"yours": "1/3", "textbook": "0.33333"}), apart({"yours": "1/2", "textbook": "error"})
    ({'yours': '0.333333', 'textbook': '0.33333'}, {'yours': '0.5', 'textbook': 'error'})
    """
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS + 1):
        written = {name: _decimal(text, digits) for name, text in values.items()}
        if len({*written.values()}) == len({*values.values()}):
            break
    return written


def _decimal(text: str, digits: int) -> str:
    """Write a value as a decimal; what is no number, `error` or what a program raised, as it is."""
    try:
        value: AnyValue = Fraction(text)
    except ValueError:
        try:
            value = parse_exact(text)
        except InputError:
            return text
    written = decimal_text(value, digits)
    return written if len(written) <= _LONGEST else text


def _in_short(words: list[str]) -> str:
    return first_names(words, _MOST_DOCUMENTS) or "nothing"
