"""Lists longer than 262,143 documents: certified where ranks are only divided by, with exact values."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.reals.real import log_sum, quotient
from rankspec.oracle.scoring.batch.fixed import Segments
from rankspec.oracle.scoring.batch.lists import Judged, Lists, Places
from rankspec.oracle.scoring.batch.values import values_of
from rankspec.oracle.values import to_double

LENGTHS = (262_143, 262_144, 524_287, 524_288, 2**24, 2**31 - 1, 10)


def lists(tied=None):
    """Return a list of each length with three relevant documents: the third, one in the middle, the last."""
    ranks = np.array([rank for length in LENGTHS for rank in (3, length // 2 + 3, length)], np.int64)
    segments = Segments(np.arange(0, ranks.size + 1, 3))
    tops = None if tied is None else ranks - 1
    ones = np.ones_like(ranks)
    return Lists(Places(segments, ranks, tops, ones), np.array(LENGTHS), Judged(segments, ones), tied)


def of_definition(text, length):
    ranks = (3, length // 2 + 3, length)
    precisions = sum(Fraction(count, rank) for count, rank in enumerate(ranks, start=1))
    discounts = [(Fraction(1), rank + 1) for rank in ranks]
    return {
        "AP": precisions / 3,
        "ContextPrecision": precisions / 3,
        "RR": Fraction(1, 3),
        "P@1000000": Fraction(3 if length <= 1_000_000 else 1, 1_000_000),
        "SetP": Fraction(3, length),
        "DCG": log_sum(discounts),
        "nDCG": quotient(log_sum(discounts), log_sum([(Fraction(1), rank + 1) for rank in (1, 2, 3)])),
    }[text]


@pytest.mark.parametrize("ties", [Ties.INPUT_ORDER, Ties.EXPECTED])
@pytest.mark.parametrize("text", ["AP", "ContextPrecision", "RR", "P@1000000", "SetP", "DCG", "nDCG"])
def test_there_is_no_cliff(text, ties):
    given = lists(np.zeros(len(LENGTHS), np.bool_) if ties is Ties.EXPECTED else None)
    values = values_of(parse_measure(text), given, replace(DEFAULT, ties=ties))
    assert values.certified.all()
    for place, length in enumerate(LENGTHS):
        assert values.doubles[place] == to_double(of_definition(text, length)), length


def test_what_is_known_is_enclosed_with_more_digits():
    values = values_of(parse_measure("AP"), lists())
    decimals = values.decimals(30)
    assert [decimals[place] for place in range(len(LENGTHS))] == [
        round(of_definition("AP", length) * 10**30) for length in LENGTHS
    ]
