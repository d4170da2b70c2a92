"""Weights of queries, from a file or a dictionary; and of documents, as scikit-learn's `sample_weight`.

A document of weight 2 counts as two documents of its score.

Precision and recall are quotients of such counts, so that all weights times a number change nothing where each score is
one point of the curve (`ties=grouped`). In a list of single ranks a part of a document has no place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain, repeat
from math import gcd, lcm
from pathlib import Path
from typing import Any

from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.run import parse_score
from rankspec.oracle.errors import ConventionError, InputError
from rankspec.oracle.readers.lines import miscounted, read_lines, text_of

_HEADER = "weight"


def read_weights(source: Path | str) -> dict[str, Fraction]:
    """Return query -> weight of lines `query weight` or `query,weight`; `InputError` with file, line and reason."""
    weights: dict[str, Fraction] = {}
    for line in read_lines(text_of(source)):
        columns = tuple(" ".join(line.columns).replace(",", " ").split())
        if line.number == 1 and columns[1:] == (_HEADER,):
            continue
        if len(columns) != len(("query", _HEADER)):
            raise line.refused(miscounted(line._replace(columns=columns), "query weight"), code="columns-miscounted")
        query, text = columns
        if query in weights:
            raise line.refused(f"query {query} has a weight already; give it once", code="weight-repeated")
        weights[query] = parsed_weight(text, f"{line.file}, line {line.number}")
    return weights


def parsed_weights(weights: Mapping[str, object]) -> dict[str, Fraction]:
    """Return query -> weight, floats as doubles; `InputError` for one that is no number, infinite or below 0."""
    return {str(query): parsed_weight(weight, f"query {query}") for query, weight in weights.items()}


def parsed_weight(weight: object, where: str) -> Fraction:
    """Return a weight, read exactly; an `InputError` says where one that is no number, infinite or below 0 stands."""
    try:
        weight = Fraction(parse_score(weight, where))
    except (InputError, ValueError, OverflowError):
        weight = Fraction(-1)
    if weight < 0:
        raise InputError(f"{where}: {weight!r} is not a weight; give a number, 0 or more", code="weight-out-of-range")
    return weight


_MOST_COPIES = 1_000_000  # Some seconds; two hundred weights of three decimals need a tenth


def in_copies(items: Sequence[Any], weights: Sequence[object]) -> list[Any]:
    """Return items as often as they weigh, by the smallest whole numbers that are to each other as the weights."""
    if len(items) != len(weights):
        reason = f"{len(items)} labels and {len(weights)} weights; there must be as many of each"
        raise InputError(reason, code="lengths-differ")
    # A double stands for the decimal that is printed for it: 0.1 is a tenth, and not 3602879701896397 / 2^55.
    decimals = [repr(float(weight)) if isinstance(weight, float) else weight for weight in weights]
    read = [parsed_weight(weight, f"sample_weight, place {place}") for place, weight in enumerate(decimals, start=1)]
    scale = lcm(*(weight.denominator for weight in read))
    counts = [int(weight * scale) for weight in read]
    counts = [count // (gcd(*counts) or 1) for count in counts]
    if sum(counts) > _MOST_COPIES:
        raise InputError(
            f"sample_weight: in whole numbers the weights add up to {sum(counts):,}, more than {_MOST_COPIES:,}; "
            "round them (three decimals, say)",
            code="too-many-copies",
        )
    return list(chain.from_iterable(map(repeat, items, counts)))


def require_points(measure: Measure, convention: Convention) -> None:
    """Refuse (`ConventionError`) what weights of documents have no meaning for: single ranks, and cutoffs by rank."""
    if convention.ties is not Ties.GROUPED:
        raise ConventionError(
            f"{measure}: weights of documents need one point of the curve a score; say so by a convention, such as "
            "'default[ties=grouped]' or sklearn",
            code="weights-meaningless",
        )
    if measure.k is not None or convention.depth is not None:
        raise ConventionError(f"{measure}: weights of documents have no ranks to cut at", code="weights-meaningless")
