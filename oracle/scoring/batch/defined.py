"""The certified reading of a definition: many lists at once, in whole numbers and fixed point.

Quantities of a list are one number a query, those of a rank one number a relevant document. As long as denominators
are of the list, a sum is one of whole numbers, and the value their quotient; elsewhere terms are enclosed (`fixed.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from rankspec.oracle.conventions.axes import NegativeGrades
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.definitions.expression import (
    SIGNS,
    Above,
    Expression,
    Operation,
    Operator,
    Scope,
    degree,
    has_factor,
    names,
    parts,
    read,
)
from rankspec.oracle.measures.choices import settled_definition
from rankspec.oracle.scoring.batch.arithmetic import Arithmetic, Ratio, Read, TooWideError, Whole
from rankspec.oracle.scoring.batch.evaluated import EvaluatedLists, GainsOfLists, Outcomes
from rankspec.oracle.scoring.batch.fixed import Integers, Mask, Segments
from rankspec.oracle.scoring.batch.lists import Places
from rankspec.oracle.scoring.batch.spread import Blocks, Spread, law, whole_gains

_OF_DOCUMENTS = frozenset({"hit", "judged", "nonrelevant", "document"})


def is_read(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether a measure has a definition that whole numbers and their quotients are enough for."""
    if measure.definition is None:
        return False
    every = _parts(measure, convention)
    inside = [part for each in every for part in parts(each)]
    return (
        (any(has_factor(every[0], name) for name in ("hit", "first", "gain")) or is_of_documents(every[0]))
        and not any(isinstance(part, Above) for part in inside)
        and not any(isinstance(part, Operation) and part.operator is Operator.POWER and names(part) for part in inside)
        and not {"ideal_total", "highest", "grade"} & {name for each in every for name in names(each)}
    )


def counts_length(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether the documents that are evaluated, judged or not, enter the value of a definition."""
    used = {name for each in _parts(measure, convention) for name in names(each)} if measure.definition else set()
    return not used.isdisjoint({"length", "document", "hits_in_list"})


def _parts(measure: Measure, convention: EffectiveConvention) -> tuple[Expression, Expression, Expression]:
    """Return what a definition is made of, with what the measure and the convention say put in."""
    definition = settled_definition(measure, convention)
    return definition.term, definition.divisor, definition.beside


def is_of_documents(term: Expression) -> bool:
    """Tell whether a term is of degree 1 in what documents are by themselves, wherever they stand."""
    listed = {name for name in names(term) if SIGNS[name].scope is Scope.LIST}
    return names(term) - listed <= _OF_DOCUMENTS and degree(term, frozenset(_OF_DOCUMENTS)) <= 1


@dataclass(eq=False, repr=False, match_args=False)
class DefinedLists:
    """Many lists as a definition reads them."""

    evaluated: EvaluatedLists

    @cached_property
    def gains(self) -> GainsOfLists:
        """Return the gains of the lists, where grades are gains."""
        return whole_gains(self.evaluated)

    @cached_property
    def found(self) -> Places:
        """Return the documents that are evaluated and relevant, or gain something."""
        if not self.evaluated.measure.is_graded:
            return self.evaluated.found
        return self.gains.top.chosen(self.gains.top.grades > 0)

    @cached_property
    def hits(self) -> Integers:
        """Return their number."""
        return self.found.segments.sizes

    @cached_property
    def relevant(self) -> Integers:
        """Return R."""
        return self.gains.relevant if self.evaluated.measure.is_graded else self.evaluated.relevant

    def _of_list(self) -> dict[str, Callable[[], Integers]]:
        evaluated = self.evaluated
        return {
            "relevant": lambda: self.relevant,
            "cutoff": lambda: evaluated.cutoff,
            "length": lambda: evaluated.length,
            "hits": lambda: self.hits,
            "hits_in_list": lambda: evaluated.hits_in_list,
            "judged_in_list": lambda: evaluated.judged.segments.sizes,
            "nonrelevant_in_qrels": lambda: evaluated.nonrelevant,
            "ideal_gain": lambda: self.gains.ideal.segments.sums(self.gains.ideal.grades),
        }

    def _of_documents(self) -> dict[str, Callable[[], Integers]]:
        """Return what the documents of a list are together, times `scale`."""
        if self.evaluated.is_undecided:
            places = self.evaluated.lists.places
            is_judged = places.grades >= 0
            if self.evaluated.convention.negative_grades is NegativeGrades.NONRELEVANT:
                is_judged = np.ones_like(is_judged)
            hit = places.grades >= self.evaluated.measure.rel
            return {
                "hit": lambda: self._counted(hit),
                "judged": lambda: self._counted(is_judged),
                "nonrelevant": lambda: self._counted(is_judged & ~hit),
                "document": lambda: self.evaluated.length * self.scale,
            }
        return {
            "hit": lambda: self.hits,
            "judged": lambda: self.evaluated.judged.segments.sizes,
            "nonrelevant": lambda: self.evaluated.judged.segments.sizes - self.hits,
            "document": lambda: self.evaluated.length,
        }

    def _counted(self, chosen: Mask) -> Integers:
        """Return how many of some documents the cutoff leaves on average, times `scale`."""
        places = self.evaluated.lists.places
        blocks = Blocks.of(places, chosen.astype(np.int64), self.evaluated.limit)
        # A block that is whole counts for all of its documents, a cut one, the only one of its list, for a share of n.
        shares = np.where(blocks.counted < blocks.sizes, blocks.counted, blocks.segments.of(self.scale))
        return blocks.segments.sums(blocks.gains * shares)

    @cached_property
    def scale(self) -> Integers:
        """Return the documents of the block that the cutoff falls into; 1 where it falls into none."""
        scale = np.ones(self.evaluated.lists.queries, np.int64)
        if self.evaluated.is_undecided:
            places = self.evaluated.lists.places
            blocks = Blocks.of(places, np.ones_like(places.ranks), self.evaluated.limit)
            cut = blocks.counted < blocks.sizes
            scale[blocks.segments.of(np.arange(scale.size))[cut]] = blocks.sizes[cut]
        return scale

    def _of_ranks(self) -> dict[str, Callable[[], Integers]]:
        """Return the quantities of relevant documents."""
        found = self.found
        return {
            "hit": lambda: np.ones(found.ranks.size, np.int64),
            "rank": lambda: found.ranks,
            "count": found.counts,
            "first": lambda: (found.segments.counting() == 1).astype(np.int64),
            "missed": lambda: found.ranks - found.counts(),
            "nonrelevant_above": self._nonrelevant_above,
            "pooled_above": self._pooled_above,
            "gain": lambda: found.grades,
            "gained": lambda: _running(found.grades, found.segments),
            "ideal_gained": lambda: self.gains.ideal_at(found),
        }

    def _nonrelevant_above(self) -> Integers:
        judged = self.evaluated.judged
        is_hit = judged.grades >= self.evaluated.measure.rel
        return judged.segments.counting()[is_hit] - self.found.segments.counting()

    def _pooled_above(self) -> Integers:
        places = self.evaluated.lists.places
        if self.evaluated.convention.negative_grades is NegativeGrades.NONRELEVANT:
            return np.zeros(self.found.ranks.size, np.int64)
        pooled = (places.grades < 0).astype(np.int64)
        is_hit = places.grades >= self.evaluated.measure.rel
        return _running(pooled, places.segments)[is_hit]

    def outcomes(self) -> Outcomes:
        """Return the values, with the rules for what is undefined."""
        evaluated = self.evaluated
        try:
            outcomes = self._values()
        except TooWideError:
            return Outcomes.nothing(evaluated.lists.queries, evaluated.limbs)
        if not evaluated.measure.family.has("no_relevant"):
            return outcomes
        return outcomes.ruled(self.hits == 0, evaluated.convention.no_hits).ruled(
            self.relevant == 0, evaluated.convention.no_relevant
        )

    def _values(self) -> Outcomes:
        evaluated = self.evaluated
        definition = settled_definition(evaluated.measure, evaluated.convention)
        term, divisor, beside = definition.term, definition.divisor, definition.beside
        queries = Segments(np.arange(evaluated.lists.queries + 1))
        spread = law(term) if evaluated.is_undecided else None
        # Sums over places are wide: one more limb makes up for up to 2^20 units.
        limbs = evaluated.limbs if spread is None else evaluated.limbs + 1
        of_list = Arithmetic(self._of_list(), {}, queries, limbs)
        if is_of_documents(term):
            whole = read(term, replace(of_list, of_list=self._of_list() | self._of_documents()))
            if evaluated.is_undecided:
                by = Ratio(Whole(self.scale, is_of_list=True), Whole(np.ones_like(self.scale), is_of_list=True))
                whole = of_list.operation(Operator.DIVIDE, (whole, by))
        elif spread is not None:
            whole = _mean(term, spread(evaluated, limbs), of_list)
        else:
            of_ranks = replace(of_list, of_ranks=self._of_ranks(), segments=self.found.segments)
            whole = of_ranks.total(read(term, of_ranks))
        below = read(divisor, of_list)
        value = of_list.operation(
            Operator.DIVIDE, (of_list.operation(Operator.ADD, (whole, read(beside, of_list))), below)
        )
        if isinstance(value, Ratio):
            outcomes = Outcomes.quotients(value.above.numbers, value.below.numbers, limbs)
        else:
            outcomes = Outcomes.of(of_list.fixed(value))
        if definition.empty and isinstance(below, Ratio):
            outcomes = outcomes.set(below.above.numbers == 0, definition.empty)
        return outcomes


def _mean(term: Expression, spread: Spread, of_list: Arithmetic) -> Read:
    """Return the mean of a sum over the orders of the blocks."""
    of_ranks = replace(of_list, of_ranks=spread.of_ranks, segments=spread.segments)
    found = read(term, of_ranks)
    if isinstance(spread.chance, Ratio):
        found = of_ranks.fixed(found)  # two ratios may be too large together
    return of_ranks.total(of_ranks.operation(Operator.MULTIPLY, (found, spread.chance)))


def _running(numbers: Integers, segments: Segments) -> Integers:
    """Return running sums within each query."""
    running = np.concatenate((np.zeros(1, np.int64), np.cumsum(numbers)))
    within: Integers = running[1:] - segments.of(running[segments.starts[:-1]])
    return within
