"""Tests that go through very many inputs (`-m campaign`), and those that draw their inputs (`-m drawn`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from random import Random
from typing import Any

import pytest

# What .ci/campaign --seed sets. Tests that draw inputs without Hypothesis are marked `drawn`, and use `drawing`.
SEED = int(os.environ.get("RANKSPEC_SEED", "0"))


def drawing(name: object) -> Random:
    """Return the generator of one test or place: the same in every run of a seed."""
    return Random(f"{SEED} {name}")


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


def every(step: int, values: Iterable[Any], ids: Callable[[Any], str] = str) -> list[Any]:
    """Return parameters: the first, and each `step`th after it, is tried every time, the others in the campaign."""
    return [
        pytest.param(value, id=ids(value), marks=() if place % step == 0 else pytest.mark.campaign)
        for place, value in enumerate(values)
    ]


def sizes(short: int, long: int) -> list[Any]:
    """Return two sizes as parameters: one that is tried every time, and one for the campaign."""
    return [pytest.param(short), pytest.param(long, marks=pytest.mark.campaign)]
