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
            ("denominator", "ties", "no_relevant"),
            "AP@10 over min(R, k), ties in input order, queries without relevant documents left out",
        ),
        # What the measure itself says counts, and the axis of an area means nothing to nDCG.
        (
            "nDCG(dcg='exp-log2')@5 under default",
            ("gain", "discount", "denominator"),
            "nDCG(dcg='exp-log2')@5, discounts log2(i + 1)",
        ),
        ("AP under default[depth=5]", ("depth",), "AP, the first 5 documents of each query"),
        (
            "AP under default[interpolation=all-ranks]",
            ("denominator", "interpolation"),
            "AP as the mean precision over every rank",
        ),
    ],
)
def test_a_convention_is_stated_in_a_sentence(expression: str, axes: tuple[str, ...], expected: str) -> None:
    assert sentence(*parse_expression(expression), axes) == expected


def test_whatever_differs_from_the_default_is_stated_and_no_two_values_alike() -> None:
    for axis in AXES.values():
        settings = axis.values or axis.examples
        phrases = {setting: axis.phrase(setting) for setting in settings}
        said = [phrase for phrase in phrases.values() if phrase]
        assert len(said) == len({*said}), axis.name
        # Inputs that are doubles show no difference.
        unsaid = {str(each) for each, phrase in phrases.items() if not phrase and each != getattr(DEFAULT, axis.name)}
        assert unsaid <= ({"float64"} if axis.name == "score_precision" else set()), axis.name
