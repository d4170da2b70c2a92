"""Which tests a run takes: each time, in the campaign, in this turn of it. The seeds of drawn inputs."""

import os
from collections.abc import Callable
from typing import Any
from zlib import crc32

import pytest

SEED = int(os.environ.get("RANKSPEC_SEED", "0"))
"""What .ci/campaign --seed sets. Tests that draw inputs without Hypothesis are marked `drawn`, and seed by `seeded`."""
TURN = os.environ.get("RANKSPEC_TURN")
"""Which tests of the campaign are due, a whole number; all of them where it is not set."""
DAYS, DAYS_OF_VALUES, DAYS_OF_PAIRS, DAYS_OF_LIBRARIES, DAYS_OF_MUTANTS, DAYS_OF_PLANTED = 7, 4, 6, 6, 8, 3
"""In so many turns each test of the campaign, value of an axis, pair of axes, library by its record, program with all
its mutants, and planted deviation is run once."""
DAYS_OF_NAIVE, NAIVE = 2, "_against_naive.py::"
"""The oracle against another one on every input of a size, 480 s of CPU, and what stands in the names of these tests.
Every test has a part of its inputs in the plain suite too, or the random test over every axis has it."""

OF_RANX = (pytest.mark.campaign(days=DAYS_OF_LIBRARIES), pytest.mark.xdist_group("ranx"))
"""Marks of what asks ranx, which compiles itself in each process that asks it: one worker has all of it."""


def seeded(own):
    """Return the seed of one test's generator in this run: its own number, or what its name comes to, with seed 0."""
    number = own if isinstance(own, int) else int.from_bytes(own.encode(), "big")
    return number + SEED * 1_000_003


def is_due(name, days=DAYS):
    """Tell whether a test is run in this turn. Its name decides, so that one that is inserted moves no other."""
    return TURN is None or crc32(name.encode()) % days == int(TURN) % days


def whose_turn_it_is(name, rows, days):
    """Return the row that is run in this turn, one after the other in the turns in which the name is due."""
    if TURN is None:
        return rows
    place = (crc32(name.encode()) + int(TURN)) // days % len(rows)
    return rows[place : place + 1] if is_due(name, days) else ()


def is_item_due(item):
    """Tell whether a test that pytest has collected is run in this turn; `pytest.mark.campaign(days=1)` is in each."""
    marker, group = item.get_closest_marker("campaign"), item.get_closest_marker("xdist_group")
    name = item.nodeid.removeprefix("tests/")
    if group is not None:  # all of a file in one turn: what they share is started in that one alone
        name = name.partition("::")[0]
    if NAIVE in name:
        return is_due(name, DAYS_OF_NAIVE if marker else 1)
    return is_due(name, marker.kwargs.get("days", DAYS) if marker else DAYS)


class _Run:
    """Whether this run of pytest selects the campaign: `conftest.py` says so before tests are collected."""

    has_campaign = True


def select(expression):
    """Take over the expression of pytest's option `-m`."""
    _Run.has_campaign = expression != "not campaign"


def catalogue(rows):
    """Return the rows of a test that the campaign alone runs. Elsewhere they are not made, which can take seconds."""
    return [*rows()] if _Run.has_campaign else []


def in_campaign(rows, *, but=(), every=None, ids=lambda row: row[0].__name__, days=DAYS):
    """Return the parameters of a catalogue that the campaign runs in so many turns.

    The rows that are named in `but` run every time; with a step, the first row and each that is so many after it.
    """
    named = [(ids(row), row if isinstance(row, tuple) else (row,)) for row in rows]
    assert {*but} <= {name for name, _ in named}
    each_time = [name in but or (every is not None and place % every == 0) for place, (name, _) in enumerate(named)]
    return [
        pytest.param(*row, id=name, marks=() if runs_now else pytest.mark.campaign(days=days))
        for (name, row), runs_now in zip(named, each_time, strict=True)
        if runs_now or _Run.has_campaign
    ]


def one_in(step):
    """Return a decorator that leaves to the campaign all but one in so many of the rows that stand below it."""

    def thinned(test):
        (names, rows), options = test.pytestmark[-1].args, dict(test.pytestmark[-1].kwargs)
        as_sets = [row if isinstance(row, _Row) else _row(row, is_one="," not in str(names)) for row in rows]
        if not callable(ids := options.get("ids") or str):
            as_sets = [each._replace(id=name) for each, name in zip(as_sets, ids, strict=True)]
            del options["ids"]
        kept = [
            each if place % step == 0 else each._replace(marks=(*each.marks, pytest.mark.campaign))
            for place, each in enumerate(as_sets)
            if place % step == 0 or _Run.has_campaign
        ]
        test.pytestmark[-1] = pytest.mark.parametrize(names, kept, **options).mark
        return test

    return thinned


_Row = type(pytest.param())


def _row(row, *, is_one):
    return pytest.param(row) if is_one else pytest.param(*row)


TestOfOne, Test = Callable[[Any], None], Callable[[], None]


def of_every(rows, name=str):
    """Make of a test of one row a test of all of them, which says of each row that fails what is wrong with it.

    For rows of a catalogue that take less time than pytest needs for a test.
    """

    def of_all(test_of_one):
        def test():
            tried, failed = [*rows], []
            for row in tried:
                try:
                    test_of_one(row)
                except Exception as error:  # noqa: BLE001 - each is shown
                    error.add_note(f"This is of {name(row)}.")
                    failed.append(error)
            assert tried
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(tried)} rows", failed)

        test.__name__, test.__doc__ = test_of_one.__name__, test_of_one.__doc__
        return test

    return of_all


def sizes(short, long):
    """Return two sizes as parameters: one that is tried every time, and one for the campaign."""
    return [pytest.param(short), pytest.param(long, marks=pytest.mark.campaign)]
