"""Many lists as one measure looks at them: what is counted in each, as arrays of one number a query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from rankspec.oracle.conventions.axes import Denominator, PrecisionDenominator, RecallDenominator, Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.areas.denominators import LEAST_OF
from rankspec.oracle.scoring.batch.fixed import LIMBS, Integers, distinct
from rankspec.oracle.scoring.batch.lists import Lists, Places
from rankspec.oracle.scoring.batch.outcomes import Outcomes


@dataclass(eq=False, repr=False, match_args=False)
class EvaluatedLists:
    """Many lists as one measure looks at them.

    Attributes:
        lists: after depth and removal, before the cutoff.
        measure: the measure.
        convention: the convention with what the measure says put in.
        limbs: how wide the enclosures of its values are.
    """

    lists: Lists
    measure: Measure
    convention: EffectiveConvention
    limbs: int = LIMBS

    @cached_property
    def relevant(self) -> Integers:
        """Return R."""
        return self.lists.judged.relevant(self.measure.rel)

    @cached_property
    def in_list(self) -> Places:
        """Return the hits before the cutoff."""
        return self.lists.relevant(self.measure.rel)

    @cached_property
    def limit(self) -> Integers | int | None:
        """Return how many documents are evaluated: one number for all, or one a query."""
        if not self.measure.family.limit_is_relevant:
            return self.measure.k
        each, index = distinct(self.relevant)
        limits = [self.measure.limit(int(relevant), self.convention.multiple_rounding) for relevant in each]
        return np.array(limits, np.int64)[index] if limits else self.relevant

    @cached_property
    def found(self) -> Places:
        """Return the hits looked at."""
        return self.within(self.in_list)

    @cached_property
    def is_undecided(self) -> bool:
        """Tell whether documents stand in blocks of undecided order."""
        is_tied = self.lists.tied is not None and self.convention.ties is Ties.EXPECTED
        return is_tied and self.lists.places.tops is not None

    def within(self, places: Places) -> Places:
        """Return those of some documents that are evaluated; of blocks of undecided order those that begin there."""
        if self.limit is None:
            return places
        return places.begun_by(self.limit) if self.is_undecided else places.up_to(self.limit)

    @cached_property
    def hits(self) -> Integers:
        """Return their number."""
        return self.found.segments.sizes

    @cached_property
    def hits_in_list(self) -> Integers:
        """Return the number of hits before the cutoff."""
        return self.in_list.segments.sizes

    @cached_property
    def length(self) -> Integers:
        """Return the number of documents evaluated."""
        return self.lists.lengths if self.limit is None else np.minimum(self.lists.lengths, self.limit)

    @cached_property
    def cutoff(self) -> Integers:
        """Return k, or the length where there is none."""
        if self.limit is None:
            return self.length
        return np.full(self.lists.queries, self.limit) if isinstance(self.limit, int) else self.limit

    @cached_property
    def judged(self) -> Places:
        """Return the judged documents evaluated. Clauses ranking.negative-grades.*."""
        return self.within(self.lists.places.judged(self.convention.negative_grades))

    @cached_property
    def nonrelevant(self) -> Integers:
        """Return N, the judged documents of the qrels that are not relevant."""
        return self.lists.judged.counted(self.convention.negative_grades) - self.relevant

    def divisor(self, rule: Denominator | PrecisionDenominator | RecallDenominator) -> Integers:
        """Return the least of the counts that the oracle's own table names. Clauses *.denominator.*."""
        least: Integers = np.minimum.reduce([getattr(self, name) for name in LEAST_OF[rule]])
        return least

    def ruled(self, outcomes: Outcomes) -> Outcomes:
        """Put in the rules for queries without relevant documents, and without hits."""
        return outcomes.ruled(self.hits == 0, self.convention.no_hits).ruled(
            self.relevant == 0, self.convention.no_relevant
        )
