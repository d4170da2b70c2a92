"""Tests that go through very many inputs: some of them every time, all of them in the campaign (`-m campaign`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def every(step: int, values: Iterable[Any], ids: Callable[[Any], str] = str) -> list[Any]:
    """Return parameters: the first, and each `step`th after it, is tried every time, the others in the campaign."""
    return [
        pytest.param(value, id=ids(value), marks=() if place % step == 0 else pytest.mark.campaign)
        for place, value in enumerate(values)
    ]


def every_row(step: int, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Do the same for rows of several parameters."""
    return [
        pytest.param(*row, marks=() if place % step == 0 else pytest.mark.campaign) for place, row in enumerate(rows)
    ]


def sizes(short: int, long: int) -> list[Any]:
    """Return two sizes as parameters: one that is tried every time, and one for the campaign."""
    return [pytest.param(short), pytest.param(long, marks=pytest.mark.campaign)]
