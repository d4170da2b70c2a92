"""What a formula may speak of: ranks, hits and grades at each place, and the sizes of a query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from rankspec.conformance.infer.formulas.arithmetic import Numbers
from rankspec.conformance.infer.formulas.lists import Numbering, Query, Rows
from rankspec.oracle.conventions.axis import Setting


@dataclass(frozen=True, eq=False)
class Sight:
    """Several lists side by side: a row each, filled up to the longest; and a column of each size.

    Attributes:
        i: the rank.
        c: the hits down to it.
        g: the grade, 0 for a miss.
        s: the grades down to it, added up.
        there: where there is a document at all.
        r: R, the relevant documents.
        k: the cutoff, or the length of the list where there is none.
        n: the length of the list before the cutoff.
        m: the documents that are looked at.
        h: the hits among them.
        a: the hits in the list before the cutoff.
        j: the judged documents.
        best: the highest grade that was judged.
        top: the highest grade that was retrieved.
        t: the judged grades, added up.
        end: the rank of the last hit, 0 if there is none.
    """

    i: Numbers
    c: Numbers
    g: Numbers
    s: Numbers
    there: Numbers
    r: Numbers
    k: Numbers
    n: Numbers
    m: Numbers
    h: Numbers
    a: Numbers
    j: Numbers
    best: Numbers
    top: Numbers
    t: Numbers
    end: Numbers

    @property
    def hit(self) -> Numbers:
        """Where there is a hit."""
        return np.asarray(self.g > 0, dtype=bool)


@dataclass(frozen=True, eq=False)
class Quantity:
    """A number at each place of a list, or one for the list: what is added, a gain, a discount, a divisor, a factor.

    Attributes:
        words: the formula, or what it is.
        of: its value at each place; a column of sizes where it is one for the list.
        settings: axis -> setting, where it is a convention's; those of axes that a measure has count.
        cost: how many things differ in it from what is plain.
        cuts: it speaks of k, and means nothing new where there is none.
        graded: it speaks of grades, which are no more than hits where grades are no gains.
    """

    words: str
    of: Callable[[Sight], Numbers]
    settings: Mapping[str, Setting] = field(default_factory=dict)
    cost: int = 1
    cuts: bool = False
    graded: bool = False


def sight_of(evaluated: Sequence[Rows], queries: Sequence[Query], numbering: Numbering) -> Sight:
    """Put lists side by side, each what is looked at of a query."""
    width = max(1, max((len(rows) for rows in evaluated), default=0))
    numbered = [numbering.of(rows) for rows in evaluated]
    grades = [[row.gain for row in rows] for rows in evaluated]
    lengths = np.array([len(rows) for rows in evaluated], dtype=int)
    there = np.arange(width) < lengths[:, None]
    gained = _filled(grades, width)
    ranks, counts = (_filled([each[which] for each in numbered], width) for which in (0, 1))

    def column(sizes: Sequence[float]) -> Numbers:
        return np.array(sizes, dtype=float)[:, None]

    return Sight(
        ranks,
        counts,
        gained,
        np.cumsum(gained, axis=1),
        there,
        column([query.relevant for query in queries]),
        column([query.limit for query in queries]),
        column([len(query.rows) for query in queries]),
        column([len(rows) for rows in evaluated]),
        column([sum(gain > 0 for gain in each) for each in grades]),
        column([sum(row.gain > 0 for row in query.rows) for query in queries]),
        column([len(query.judged) for query in queries]),
        column([max(query.judged, default=0) for query in queries]),
        column([max((row.gain for row in query.rows), default=0) for query in queries]),
        column([sum(query.judged) for query in queries]),
        column([max((place for place, gain in enumerate(each, 1) if gain > 0), default=0) for each in grades]),
    )


def _filled(lists: Sequence[Sequence[float]], width: int) -> Numbers:
    filled = np.ones((len(lists), width))
    for place, numbers in enumerate(lists):
        filled[place, : len(numbers)] = numbers
        filled[place, len(numbers) :] = 0 if not len(numbers) else numbers[-1]
    return filled
