"""Sentences of conventions for a paper: written by hand, and a phrase for all that differs from the default."""

from __future__ import annotations

import pytest
from rankspec.oracle.conventions.convention import AXES, DEFAULT
from rankspec.oracle.language.expression import parse_expression
from rankspec.oracle.language.sentence import sentence


@pytest.mark.parametrize(
    ("expression", "axes", "expected"),
    [
        (
            "AP@10 under default[denominator=min-relevant-cutoff, no_relevant=skip]",
            ("denominator", "no_relevant"),
            "AP@10 that divides by min(R, k) and skips queries without relevant documents",
        ),
        # What the measure itself says counts, and the axis of an area means nothing to nDCG.
        (
            "nDCG(dcg='exp-log2')@5 under default",
            ("gain", "discount", "denominator"),
            "nDCG(dcg='exp-log2')@5 that divides gains by log2(rank + 1)",
        ),
        ("AP under default[depth=5]", ("depth",), "AP that evaluates the first 5 documents of each query"),
        (
            "AP under default[interpolation=all-ranks]",
            ("denominator", "interpolation"),
            "AP that averages the precision at every rank",
        ),
    ],
)
def test_a_convention_is_stated_in_a_sentence(expression: str, axes: tuple[str, ...], expected: str) -> None:
    assert sentence(*parse_expression(expression), axes) == expected


def test_whatever_differs_from_the_default_is_stated() -> None:
    for axis in AXES.values():
        settings = {each for each in axis.values or axis.examples if each != getattr(DEFAULT, axis.name)}
        unstated = {str(each) for each in settings if not axis.is_stated(each)}
        # Inputs that are doubles show no difference.
        assert unstated <= ({"float64"} if axis.name == "score_precision" else set()), axis.name
