"""Weights of documents, scikit-learn's `sample_weight`: one of weight 2 counts as two documents of its score.

Precision and recall are quotients of such counts, so that all weights times a number change nothing where each score is
one point of the curve (`ties=grouped`). In a list of single ranks a part of a document has no place.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from math import gcd, lcm
from typing import Any

from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError, InputError
from rankspec.oracle.readers.weights import weight_given

_MOST_COPIES = 1_000_000  # Some seconds; two hundred weights of three decimals need a tenth


def in_copies(items: Sequence[Any], weights: Sequence[object]) -> list[Any]:
    """Return items as often as they weigh, by the smallest whole numbers that are to each other as the weights."""
    if len(items) != len(weights):
        raise InputError(
            f"{len(items)} labels and {len(weights)} weights; there must be as many of each", code="lengths-differ"
        )
    # A double stands for the decimal that is printed for it: 0.1 is a tenth, and not 3602879701896397 / 2^55.
    decimals = [repr(float(weight)) if isinstance(weight, float) else weight for weight in weights]
    read = [weight_given(weight, f"sample_weight, place {place}") for place, weight in enumerate(decimals, start=1)]
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
