"""What an implementation that sorts wrongly makes of a list: the order is written as scores that fall from 1 to 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cmp_to_key

from rankspec.conformance.infer.identify.altered_inputs import Listed
from rankspec.oracle.data.scores import as_float64

Sorting = Callable[[Listed, Mapping[str, int]], Listed]


def _in_order(listed: Listed, places: Iterable[int]) -> Listed:
    return [(listed[place][0], len(listed) - rank) for rank, place in enumerate(places)]


def _doubles(listed: Listed) -> list[float]:
    return [float(as_float64(score)) for _, score in listed]


def _down(listed: Listed) -> list[int]:
    scores = _doubles(listed)
    return sorted(range(len(scores)), key=lambda place: -scores[place])


def _up(listed: Listed) -> list[int]:
    scores = _doubles(listed)
    return sorted(range(len(scores)), key=scores.__getitem__)


def _inverse(order: list[int]) -> list[int]:
    ranks = [0] * len(order)
    for rank, place in enumerate(order):
        ranks[place] = rank
    return ranks


def _by_difference(whole: Callable[[float], int]) -> Sorting:
    """Sort as a comparator does that returns a whole number for the difference of two scores: 0 is a tie."""

    def ordered(listed: Listed, _: Mapping[str, int]) -> Listed:
        scores = _doubles(listed)

        def compare(one: int, other: int) -> int:
            difference = scores[other] - scores[one]
            return whole(difference) if math.isfinite(difference) else int(math.copysign(1, difference))

        return _in_order(listed, sorted(range(len(scores)), key=cmp_to_key(compare)))

    return ordered


def _by_docno(listed: Listed, *, last_first: bool) -> Listed:
    return _in_order(listed, sorted(range(len(listed)), key=lambda place: listed[place][0], reverse=last_first))


def _of_text(written: Callable[[float], str]) -> Sorting:
    def ordered(listed: Listed, _: Mapping[str, int]) -> Listed:
        texts = [written(score) for score in _doubles(listed)]
        levels = {text: level for level, text in enumerate(sorted(set(texts)))}
        return [(docno, levels[text]) for (docno, _), text in zip(listed, texts, strict=True)]

    return ordered


SORTINGS: tuple[tuple[str, Sorting], ...] = (
    ("it is by the docno alone", lambda listed, _: _by_docno(listed, last_first=False)),
    ("it is by the docno alone, the last one first", lambda listed, _: _by_docno(listed, last_first=True)),
    ("ranks are taken for the order of documents", lambda listed, _: _in_order(listed, _inverse(_down(listed)))),
    (
        "ranks from the lowest score up, read backwards, are taken for the order of documents",
        lambda listed, _: _in_order(listed, _inverse(_up(listed)[::-1])),
    ),
    (
        "ranks from the lowest score up are taken for the order of documents",
        lambda listed, _: _in_order(listed, _inverse(_up(listed))),
    ),
    (
        "ranks from the lowest score up are taken for the order of documents, and that is read backwards",
        lambda listed, _: _in_order(listed, _inverse(_up(listed))[::-1]),
    ),
    ("it compares differences of scores without their decimals: less than 1 is a tie", _by_difference(math.trunc)),
    ("it compares differences of scores that are rounded to whole numbers", _by_difference(round)),
    ("it compares differences of scores that are rounded down to whole numbers", _by_difference(math.floor)),
    ("scores are compared as text with 6 digits", _of_text(lambda score: f"{score:f}")),
    ("scores are compared as text, whole ones without a point", _of_text(lambda score: f"{score:g}")),
)
"""Add a line, and it is tried: what sorting does, and the list in that order."""


def _finite(convert: Callable[[float], float]) -> Callable[[float], float]:
    return lambda score: convert(score) if math.isfinite(score) else score


WHOLE: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("are rounded down to whole numbers", _finite(math.floor)),
    ("are rounded up to whole numbers", _finite(math.ceil)),
    ("are rounded to whole numbers", _finite(round)),
    ("are raised to 0 at least", lambda score: max(score, 0.0)),
    ("are 1 at most", lambda score: min(score, 1.0)),
    ("are cut to what lies between 0 and 1", lambda score: min(max(score, 0.0), 1.0)),
    ("lose what is in front of the point", _finite(lambda score: math.fmod(score, 1))),
)
"""Scores that lose something, and what is left."""
