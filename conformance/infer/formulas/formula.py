"""A formula: one choice of each part of the grammar, and its value for queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rankspec.conformance.infer.formulas.arithmetic import Numbers, over
from rankspec.conformance.infer.formulas.edits import FIRST_K, PLAIN_LIST, Edit
from rankspec.conformance.infer.formulas.ideals import IdealList
from rankspec.conformance.infer.formulas.listing import Query, Rows
from rankspec.conformance.infer.formulas.numbering import PLAIN_NUMBERING, Numbering
from rankspec.conformance.infer.formulas.shares import ONCE, Share
from rankspec.conformance.infer.formulas.sight import Sight, sight_of
from rankspec.conformance.infer.formulas.sums import SUM, Combination, Places
from rankspec.conformance.infer.formulas.terms import Term
from rankspec.oracle.conventions.axis import Setting


@dataclass(frozen=True)
class Looking:
    """Which list is looked at, and how it is numbered."""

    before: Edit = PLAIN_LIST
    cut: Edit = FIRST_K
    after: Edit = PLAIN_LIST
    numbering: Numbering = PLAIN_NUMBERING

    @property
    def of_ties(self) -> bool:
        """Whether it speaks of ties."""
        return self.numbering.of_ties or self.cut.of_ties

    def rows(self, query: Query) -> Rows:
        """Return what is looked at of a query."""
        return self.after.of(self.cut.of(self.before.of(list(query.rows), query), query), query)

    def sight(self, queries: Sequence[Query], *, precise: bool = False) -> Sight:
        """Put what is looked at of some queries side by side."""
        return sight_of([self.rows(query) for query in queries], queries, self.numbering, precise=precise)

    def ideal_sights(
        self, ideal: IdealList, queries: Sequence[Query], *, precise: bool = False
    ) -> tuple[Sight, Sight | None]:
        """Put the ideal lists side by side, and those of no worth, if there are any."""
        looked_at = [(self.rows(query), query) for query in queries]
        best = [ideal.of(rows, query) for rows, query in looked_at]
        above = ideal.above
        worst = None if above is None else [above(rows, query) for rows, query in looked_at]
        return (
            sight_of(best, queries, self.numbering, precise=precise),
            None if worst is None else sight_of(worst, queries, self.numbering, precise=precise),
        )


@dataclass(frozen=True)
class Formula:
    """What is computed of a query: the list, what is added where, how it is put together, and what divides it.

    Attributes:
        ideal_term: what is added in the ideal list, where it is something else.
        without_hits: what a list without a hit is worth, where no rule says it.
    """

    term: Term
    places: Places
    divisor: Share | IdealList
    factor: Share = ONCE
    combination: Combination = SUM
    looking: Looking = Looking()
    ideal_term: Term | None = None
    without_hits: Share | None = None

    @property
    def settings(self) -> Mapping[str, Setting]:
        """Axis -> setting, of those parts that are a convention's."""
        return {**self.divisor.settings, **self.term.settings}

    def values(self, queries: Sequence[Query], *, precise: bool = False) -> Numbers:
        """Return its value for each query; what is too large for a double is infinite, and no answer."""
        with np.errstate(all="ignore"):
            return self._values(queries, precise=precise)

    def _values(self, queries: Sequence[Query], *, precise: bool) -> Numbers:
        x = self.looking.sight(queries, precise=precise)
        found = self._put_together(x, self.term)
        if isinstance(self.divisor, Share):
            value = over(found * self.factor.of(x)[:, 0], self.divisor.of(x)[:, 0])
        else:
            ideal = self.ideal_term or self.term
            best, worst = self.looking.ideal_sights(self.divisor, queries, precise=precise)
            least = 0 if worst is None else self._put_together(worst, ideal)
            value = over((found - least) * self.factor.of(x)[:, 0], self._put_together(best, ideal) - least)
        if self.without_hits is not None:
            value = np.where(x.h[:, 0] > 0, value, self.without_hits.of(x)[:, 0])
        return value

    def _put_together(self, x: Sight, term: Term) -> Numbers:
        where = self.places.of(x)
        return self.combination.of(np.broadcast_to(term.of(x), where.shape), where)
