"""Tests that go through very many inputs (`-m campaign`), and those that draw their inputs (`-m drawn`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest

# What .ci/campaign --seed sets. Tests that draw inputs without Hypothesis are marked `drawn`, and seed by `seeded`.
SEED = int(os.environ.get("RANKSPEC_SEED", "0"))


def seeded(own: int | str) -> int:
    """Return the seed of one test's generator in this run: its own number, or what its name comes to, with seed 0."""
    number = own if isinstance(own, int) else int.from_bytes(own.encode(), "big")
    return number + SEED * 1_000_003


def in_campaign(
    rows: Iterable[Any], *, but: Collection[str] = (), ids: Callable[[Any], str] = lambda row: row[0].__name__
) -> list[Any]:
    """Return the parameters of a catalogue that the campaign runs whole; the rows named in `but` run every time too."""
    parameters = [
        pytest.param(
            *(row if isinstance(row, tuple) else (row,)),
            id=ids(row),
            marks=() if ids(row) in but else pytest.mark.campaign,
        )
        for row in rows
    ]
    assert {*but} <= {each.id for each in parameters}
    return parameters


def sizes(short: int, long: int) -> list[Any]:
    """Return two sizes as parameters: one that is tried every time, and one for the campaign."""
    return [pytest.param(short), pytest.param(long, marks=pytest.mark.campaign)]
