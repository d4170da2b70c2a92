"""A formula: one choice of each part of the grammar, its value for queries, what may stand in its place, and its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from rankspec.conformance.infer.formulas.arithmetic import Numbers, over
from rankspec.conformance.infer.formulas.lists import (
    BEST_OF_JUDGED,
    CUTS,
    EDITS,
    FIRST_K,
    FIRST_R,
    IDEALS,
    NUMBERINGS,
    PLAIN_LIST,
    PLAIN_NUMBERING,
    Edit,
    IdealList,
    Numbering,
    Query,
    Rows,
)
from rankspec.conformance.infer.formulas.sight import Quantity, Sight, sight_of
from rankspec.conformance.infer.formulas.sums import (
    DIVISORS,
    FACTORS,
    FIRST_HIT,
    HITS,
    NOTHING_DIVIDES,
    ONCE,
    R_AND_K,
    SUM,
    TWICE,
    WITHOUT_HITS,
    Combination,
    K,
    M,
    Places,
    R,
)
from rankspec.conformance.infer.formulas.terms import (
    ONE,
    PLAIN_DISCOUNT,
    PLAIN_GAIN,
    PRECISION,
    RECIPROCAL,
    TERMS,
    discounted,
    discounted_terms,
    weights,
)
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.measure import Measure


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

    def sight(self, queries: Sequence[Query]) -> Sight:
        """Put what is looked at of some queries side by side."""
        return sight_of([self.rows(query) for query in queries], queries, self.numbering)

    def ideal_sights(self, ideal: IdealList, queries: Sequence[Query]) -> tuple[Sight, Sight | None]:
        """Put the ideal lists side by side, and those of no worth, if there are any."""
        evaluated = [(self.rows(query), query) for query in queries]
        best = [ideal.of(rows, query) for rows, query in evaluated]
        above = ideal.above
        worst = None if above is None else [above(rows, query) for rows, query in evaluated]
        return (
            sight_of(best, queries, self.numbering),
            None if worst is None else sight_of(worst, queries, self.numbering),
        )


@dataclass(frozen=True)
class Formula:
    """What is computed of a query: the list, what is added where, how it is put together, and what divides it.

    Attributes:
        ideal_term: what is added in the ideal list, where it is something else.
        without_hits: what a list without a hit is worth, where no rule says it.
    """

    term: Quantity
    places: Places
    divisor: Quantity | IdealList
    factor: Quantity = ONCE
    combination: Combination = SUM
    looking: Looking = Looking()
    ideal_term: Quantity | None = None
    without_hits: Quantity | None = None

    @property
    def settings(self) -> Mapping[str, Setting]:
        """Axis -> setting, of those parts that are a convention's."""
        return {**self.divisor.settings, **self.term.settings}

    def values(self, queries: Sequence[Query]) -> Numbers:
        """Return its value for each query; what is too large for a double is infinite, and no answer."""
        with np.errstate(all="ignore"):
            return self._values(queries)

    def _values(self, queries: Sequence[Query]) -> Numbers:
        x = self.looking.sight(queries)
        found = self._put_together(x, self.term)
        if not isinstance(self.divisor, IdealList):
            value = over(found * self.factor.of(x)[:, 0], self.divisor.of(x)[:, 0])
        else:
            best, worst = self.looking.ideal_sights(self.divisor, queries)
            ideal = self.ideal_term or self.term
            least = 0 if worst is None else self._put_together(worst, ideal)
            value = over((found - least) * self.factor.of(x)[:, 0], self._put_together(best, ideal) - least)
        if self.without_hits is not None:
            value = np.where(x.h[:, 0] > 0, value, self.without_hits.of(x)[:, 0])
        return value

    def _put_together(self, x: Sight, term: Quantity) -> Numbers:
        where = self.places.of(x)
        return self.combination.of(np.broadcast_to(term.of(x), where.shape), where)


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
    terms: tuple[Quantity, ...]
    edits: tuple[Edit, ...]
    cuts: tuple[Edit, ...]
    numberings: tuple[Numbering, ...]
    divisors: tuple[Quantity, ...]
    ideals: tuple[IdealList, ...]
    factors: tuple[Quantity, ...]
    owned: frozenset[str]

    def settings(self, formula: Formula) -> dict[str, Setting]:
        """Return the settings of the axes that the measure has, where parts are a convention's."""
        return {axis: setting for axis, setting in formula.settings.items() if axis in self.owned}

    def cost_of_term(self, term: Quantity) -> int:
        """Return how far a term is from the plain one: 1 for a convention's, 2 for each thing that is none's."""
        if term is self.plain.term:
            return 0
        return 2 * term.cost + any(axis in self.owned for axis in term.settings)

    def cost_of_divisor(self, divisor: Quantity | IdealList) -> int:
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

    def offered(shares: tuple[Quantity, ...], usual: Quantity | IdealList) -> tuple[Quantity, ...]:
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


_SYMBOLS = {
    "i": "rank",
    "c": "hits so far",
    "g": "grade",
    "H": "hits",
    "m": "evaluated documents",
    "n": "length of the list",
}


def name_of(formula: Formula, grammar: Grammar) -> str:
    """Return what it is that differs."""
    looking, plain = formula.looking, grammar.plain.looking
    if any((*_sum_clauses(formula, grammar), *_share_clauses(formula, grammar), *_other_clauses(formula))):
        return "the formula"
    changed = [
        name
        for name, each, usual in (
            ("the list", looking.before, plain.before),
            ("ties" if looking.cut.of_ties else "the cutoff", looking.cut, plain.cut),
            ("the list after the cutoff", looking.after, plain.after),
            ("ties" if looking.numbering.of_ties else "ranks and hits", looking.numbering, plain.numbering),
        )
        if each is not usual
    ]
    return changed[0] if len(changed) == 1 else "the formula"


def words_of(formula: Formula, grammar: Grammar) -> str:
    """Return what it does, a clause for each part that is not the usual one, and what its symbols stand for."""
    clauses = [*_list_clauses(formula, grammar), *_sum_clauses(formula, grammar), *_share_clauses(formula, grammar)]
    clauses += _other_clauses(formula)
    text = "; ".join(clauses)
    used = [f"{symbol}: {meaning}" for symbol, meaning in _SYMBOLS.items() if _needs_explanation(symbol, text)]
    return f"{text} ({', '.join(used)})" if used else text


def fix_of(formula: Formula, grammar: Grammar) -> str:
    """Return what to change in a program that computes it, where one clause differs; else nothing."""
    plain, sums = grammar.plain, [*_sum_clauses(formula, grammar)]
    others = [*_list_clauses(formula, grammar), *_other_clauses(formula)]
    match sums, [*_share_clauses(formula, grammar)], others:
        case [[_], [], []] if formula.combination is plain.combination:
            return f"{'take' if plain.places.is_one else 'add'} {plain.term.words} {plain.places.words}"
        case [[], [_], []] if formula.factor is plain.factor and not isinstance(plain.divisor, IdealList):
            return f"divide by {_symbol(plain.divisor)}"
        case _:
            return ""


def _needs_explanation(symbol: str, text: str) -> bool:
    return bool(re.search(rf"(?<![\w'@]){symbol}(?![\w'@])", text)) and f"{symbol} (the" not in text


def _list_clauses(formula: Formula, grammar: Grammar) -> Iterator[str]:
    looking, plain = formula.looking, grammar.plain.looking
    for each, usual in (
        (looking.before, plain.before),
        (looking.cut, plain.cut),
        (looking.numbering, plain.numbering),
    ):
        if each is not usual:
            yield each.words
    if looking.after is not plain.after:
        yield f"after the cutoff, {looking.after.words}"


def _sum_clauses(formula: Formula, grammar: Grammar) -> Iterator[str]:
    plain = grammar.plain
    term, places, combination = formula.term, formula.places, formula.combination
    same_term = term is plain.term or grammar.cost_of_term(term) <= 1
    if combination is not plain.combination:
        usual = "" if plain.places.is_one else f" instead of {plain.combination.words}"
        yield f"it takes {combination.words} of {term.words} {places.words}{usual}"
    elif places is not plain.places:
        usual = f", not {plain.places.words}" if same_term else f"; expected: {_added(plain.places, plain.term)}"
        yield f"{_added(places, term)}{usual}"
    elif not same_term:
        yield f"{_added(places, term)} instead of {plain.term.words}"


def _added(places: Places, term: Quantity) -> str:
    """Return a clause: `each hit adds c/i (precision)`."""
    if places.is_one:
        return f"it takes {term.words} {places.words}"
    return f"{places.words.removeprefix('at ')} adds {term.words}"


def _symbol(divisor: Quantity | IdealList) -> str:
    return divisor.words.partition(" (")[0]


def _share_clauses(formula: Formula, grammar: Grammar) -> Iterator[str]:
    plain, divisor, factor = grammar.plain, formula.divisor, formula.factor
    if grammar.cost_of_divisor(divisor) > 1:
        yield _division(formula, grammar)
    if factor is not plain.factor:
        if factor is ONCE:
            yield f"it does not multiply by {plain.factor.words}"
        else:
            yield f"it multiplies by {factor.words}"


def _other_clauses(formula: Formula) -> Iterator[str]:
    if formula.ideal_term is not None:
        yield f"the ideal list adds {formula.ideal_term.words} instead of {formula.term.words}"
    if formula.without_hits is not None:
        yield f"a list without hits scores {formula.without_hits.words}"


def _division(formula: Formula, grammar: Grammar) -> str:
    divisor, usual = formula.divisor, grammar.plain.divisor
    if isinstance(divisor, IdealList):
        return divisor.words
    by = "the value of the ideal list" if isinstance(usual, IdealList) else _symbol(usual)
    if divisor.words == NOTHING_DIVIDES.words:
        return f"it does not divide by {by}"
    return f"it divides by {divisor.words}" + ("" if usual is NOTHING_DIVIDES else f" instead of {by}")
