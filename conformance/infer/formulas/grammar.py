"""The formula of each measure that has one, and what may stand in its place: the parts that mean something for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from rankspec.conformance.infer.formulas.edits import CUTS, EDITS, FIRST_R, Edit
from rankspec.conformance.infer.formulas.formula import Formula, Looking
from rankspec.conformance.infer.formulas.ideals import BEST_OF_JUDGED, IDEALS, IdealList
from rankspec.conformance.infer.formulas.numbering import NUMBERINGS, Numbering
from rankspec.conformance.infer.formulas.shares import (
    DIVISORS,
    FACTORS,
    NOTHING_DIVIDES,
    R_AND_K,
    TWICE,
    WITHOUT_HITS,
    K,
    M,
    R,
    Share,
)
from rankspec.conformance.infer.formulas.sums import FIRST_HIT, HITS
from rankspec.conformance.infer.formulas.terms import (
    ONE,
    PLAIN_DISCOUNT,
    PLAIN_GAIN,
    PRECISION,
    RECIPROCAL,
    TERMS,
    Term,
    discounted,
    discounted_terms,
    weights,
)
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.measure import Measure

_GAIN = discounted(PLAIN_GAIN, PLAIN_DISCOUNT)

PLAIN: Mapping[str, Formula] = MappingProxyType(
    {
        "AP": Formula(PRECISION, HITS, R),
        "P": Formula(ONE, HITS, K),
        "R": Formula(ONE, HITS, R),
        "F": Formula(ONE, HITS, R_AND_K, TWICE),
        "RR": Formula(RECIPROCAL, FIRST_HIT, NOTHING_DIVIDES),
        "Success": Formula(ONE, FIRST_HIT, NOTHING_DIVIDES),
        "Rprec": Formula(ONE, HITS, R, looking=Looking(cut=FIRST_R)),
        "SetP": Formula(ONE, HITS, M),
        "SetR": Formula(ONE, HITS, R),
        "DCG": Formula(_GAIN, HITS, NOTHING_DIVIDES),
        "nDCG": Formula(_GAIN, HITS, BEST_OF_JUDGED),
    }
)
"""Family -> its formula under the documents' conventions."""


@dataclass(frozen=True)
class Grammar:
    """What is searched.

    Attributes:
        plain: what the measure is.
        terms: what may be added, the plain term first.
        owned: axes that the formula decides, and no convention.
    """

    plain: Formula
    terms: tuple[Term, ...]
    edits: tuple[Edit, ...]
    cuts: tuple[Edit, ...]
    numberings: tuple[Numbering, ...]
    divisors: tuple[Share, ...]
    ideals: tuple[IdealList, ...]
    factors: tuple[Share, ...]
    owned: frozenset[str]

    def settings(self, formula: Formula) -> dict[str, Setting]:
        """Return the settings of the axes that the measure has, where parts are a convention's."""
        return {axis: setting for axis, setting in formula.settings.items() if axis in self.owned}

    def cost_of_term(self, term: Term) -> int:
        """Return how far a term is from the plain one: 1 for a convention's, 2 for each thing that is none's."""
        if term is self.plain.term:
            return 0
        return 2 * term.cost + any(axis in self.owned for axis in term.settings)

    def cost_of_divisor(self, divisor: Share | IdealList) -> int:
        """Return the same of a divisor."""
        if divisor is self.plain.divisor:
            return 0
        return 1 if any(axis in self.owned for axis in divisor.settings) else 2

    def cost(self, formula: Formula) -> int:
        """Return how far a formula is from the plain one."""
        plain, looking = self.plain, formula.looking
        others = (
            (looking.before, plain.looking.before),
            (looking.cut, plain.looking.cut),
            (looking.after, plain.looking.after),
            (looking.numbering, plain.looking.numbering),
            (formula.places, plain.places),
            (formula.combination, plain.combination),
            (formula.factor, plain.factor),
            (formula.ideal_term, plain.ideal_term),
            (formula.without_hits, plain.without_hits),
        )
        differing = sum(2 for each, usual in others if each is not usual)
        return differing + self.cost_of_term(formula.term) + self.cost_of_divisor(formula.divisor)

    def is_conventional(self, formula: Formula) -> bool:
        """Tell whether all that differs from the plain one are settings of axes."""
        term, divisor = self.cost_of_term(formula.term), self.cost_of_divisor(formula.divisor)
        return self.cost(formula) == term + divisor and term <= 1 and divisor <= 1

    def of_ties(self, formula: Formula) -> tuple[Formula, ...]:
        """Return what a formula may be besides on ties, which no list without them can tell."""
        changes: list[dict[str, Any]] = [{"numbering": each} for each in self.numberings if each.of_ties]
        changes += [{"cut": each} for each in self.cuts if each.of_ties]
        return tuple(replace(formula, looking=replace(formula.looking, **change)) for change in changes)

    def without_hits(self, formula: Formula) -> tuple[Formula, ...]:
        """Return what a formula may be besides on lists without a hit, which no list with one can tell."""
        is_cut = any(each.cuts for each in self.cuts)
        return tuple(replace(formula, without_hits=each) for each in WITHOUT_HITS if is_cut or not each.cuts)


@cache
def grammar_of(measure: Measure) -> Grammar | None:
    """Return what is searched for a measure; None if its formula is none of the grammar."""
    plain = PLAIN.get(measure.name)
    if (
        plain is None
        or measure.gains is not None
        or measure.judged_only
        or measure.relative
        or measure.beta is not None
    ):
        return None
    is_cut = measure.k is not None
    terms = tuple(each for each in TERMS if (is_cut or not each.cuts) and (measure.is_graded or not each.graded))
    if measure.is_graded:
        others = (each for each in discounted_terms() if each.words != plain.term.words)
        terms = (plain.term, *weights(), *terms, *others)
    else:
        terms = (plain.term, *weights(), *(each for each in terms if each is not plain.term))

    def offered(shares: tuple[Share, ...], usual: Share | IdealList) -> tuple[Share, ...]:
        meant = (each for each in shares if measure.is_graded or "grade" not in each.words)
        return tuple(each for each in meant if is_cut or not each.cuts or each is usual)

    return Grammar(
        plain,
        terms,
        tuple(each for each in EDITS if is_cut or not each.cuts),
        tuple(each for each in CUTS if (is_cut or not each.cuts) and each is not plain.looking.cut),
        NUMBERINGS,
        offered(DIVISORS, plain.divisor),
        tuple(each for each in IDEALS if is_cut or not each.cuts),
        offered(FACTORS, plain.factor),
        frozenset(OWNED & set(measure.family.axes)),
    )


OWNED = frozenset(
    {
        *("denominator", "interpolation", "recall_grid", "precision_denominator", "recall_denominator", "f_weight"),
        *("gain", "discount", "ideal"),
    }
)
"""Axes of formulas; all others are about lists, queries, and what is undefined."""
