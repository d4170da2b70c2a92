"""Weights of queries: a file of lines `query weight` (or `query,weight`), or a dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from rankspec.oracle.data.run import parse_score
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.lines import miscounted, read_lines

_HEADER = "weight"


def read_weights(source: Path | str) -> dict[str, Fraction]:
    """Return query -> weight, decimals read exactly; `InputError` with file, line and reason."""
    weights: dict[str, Fraction] = {}
    for line in read_lines(source):
        columns = tuple(" ".join(line.columns).replace(",", " ").split())
        if line.number == 1 and columns[1:] == (_HEADER,):
            continue
        if len(columns) != len(("query", _HEADER)):
            raise line.refused(miscounted(line._replace(columns=columns), "query weight"), code="columns-miscounted")
        query, text = columns
        if query in weights:
            raise line.refused(f"query {query} has a weight already; give it once", code="weight-repeated")
        weights[query] = weight_given(text, f"{line.file}, line {line.number}")
    return weights


def weights_given(given: Mapping[str, object]) -> dict[str, Fraction]:
    """Return query -> weight, floats as doubles; `InputError` for one that is no number, infinite or below 0."""
    return {str(query): weight_given(weight, f"query {query}") for query, weight in given.items()}


def weight_given(given: object, where: str) -> Fraction:
    """Return a weight, read exactly; an `InputError` says where one that is no number, infinite or below 0 stands."""
    try:
        weight = Fraction(parse_score(given, where))
    except (InputError, ValueError, OverflowError):
        weight = Fraction(-1)
    if weight < 0:
        raise InputError(f"{where}: {given!r} is not a weight; give a number, 0 or more", code="weight-out-of-range")
    return weight
