"""What came of many lists: numbers, enclosed and rounded, or what a query is worth that is worth none."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from rankspec.oracle.conventions.axes import NoHits, NoRelevant
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.reals.real import Real
from rankspec.oracle.scoring.batch.fixed import BITS, LARGEST, Doubles, Fixed, Integers, Mask
from rankspec.oracle.values import Exact, Undefined

NUMBER = 0
STATES = (None, Undefined.NAN, Undefined.SKIP, Undefined.ERROR)
"""What a query can be worth: a number, or one of these, by its place here."""

# Whole numbers up to here are doubles: one IEEE division of two of them rounds their exact quotient once.
_LARGEST_EXACT = 1 << 53


class Outcomes(NamedTuple):
    """The queries' values."""

    fixed: Fixed  # the numbers, enclosed
    doubles: Doubles  # the nearest doubles, where certain
    certain: Mask  # which of them are; the others are left to the exact path
    enclosed: Mask  # which of the numbers are enclosed by `fixed`, as a mean needs them
    states: Integers  # `NUMBER`, or the place in `STATES` of the value of a query

    @classmethod
    def of(cls, fixed: Fixed) -> Outcomes:
        """Return numbers with the doubles that they round to."""
        doubles, certain = fixed.doubles()
        return cls(fixed, doubles, certain, np.ones_like(certain), np.zeros(doubles.size, np.int64))

    @classmethod
    def quotients(cls, above: Integers, below: Integers) -> Outcomes:
        """Return whole numbers over whole numbers; 0 over 0 is 0."""
        # IEEE division rounds the exact quotient of two doubles once, and whole numbers up to 2^53 are doubles.
        by = np.where(below == 0, 1, below)
        exact = (np.abs(above) <= _LARGEST_EXACT) & (by <= _LARGEST_EXACT)
        small = (above >= 0) & (above <= LARGEST) & (below >= 0) & (below <= LARGEST)
        zero = np.int64(0)
        fixed = Fixed.ratios(np.where(small, above, zero), np.where(small, below, zero))
        if not small.all():
            large = np.flatnonzero(~small & (below != 0) & (np.abs(above) // by < LARGEST))
            pairs = zip(above[large].tolist(), below[large].tolist(), strict=True)
            scaled = [(numerator << BITS, denominator) for numerator, denominator in pairs]
            ends = [(numerator // denominator, -(-numerator // denominator)) for numerator, denominator in scaled]
            fixed = fixed.replaced(large, Fixed.between(ends))
            small[large] = True
        return cls(fixed, above / by, exact, small, np.zeros(above.size, np.int64))

    @classmethod
    def nothing(cls, queries: int) -> Outcomes:
        """Return numbers of which nothing is known: the exact path decides them all."""
        zeros, no = np.zeros(queries, np.int64), np.zeros(queries, np.bool_)
        return cls(Fixed.whole(zeros), zeros.astype(np.float64), no, no, zeros)

    def ruled(self, undefined: Mask, rule: NoRelevant | NoHits) -> Outcomes:
        """Put in what a convention says of some queries. Clauses undefined.no-relevant.*, undefined.no-hits.*."""
        return self.set(undefined, RULES[rule])

    def set(self, chosen: Mask, value: Exact) -> Outcomes:
        """Put in one value for some queries, a small fraction or an undefined one."""
        if not chosen.any():
            return self
        is_undefined = isinstance(value, Undefined)
        number = Fraction(0) if isinstance(value, Undefined | Real) else value
        above, below = (np.full(chosen.size, part) for part in (number.numerator, number.denominator))
        return Outcomes(
            Fixed.ratios(above, below).where(chosen, self.fixed),
            np.where(chosen, float(number), self.doubles),
            self.certain | chosen,
            self.enclosed | chosen,
            np.where(chosen, STATES.index(value) if is_undefined else NUMBER, self.states),
        )

    def except_for(self, unknown: Mask) -> Outcomes:
        """Leave some queries to the exact path."""
        if not unknown.any():
            return self
        return Outcomes(self.fixed, self.doubles, self.certain & ~unknown, self.enclosed & ~unknown, self.states)
