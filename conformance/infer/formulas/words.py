"""A formula in words: what an engineer would say of it, part by part where it is not the usual one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankspec.conformance.infer.formulas.formula import Formula
from rankspec.conformance.infer.formulas.grammar import Grammar
from rankspec.conformance.infer.formulas.ideals import IdealList
from rankspec.conformance.infer.formulas.shares import NOTHING_DIVIDES, ONCE

_SYMBOLS = {
    "i": "the rank",
    "c": "the hits down to it",
    "g": "the grade",
    "H": "the hits",
    "m": "the documents that are looked at",
    "n": "the length of the list",
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
    used = [f"{symbol} {meaning}" for symbol, meaning in _SYMBOLS.items() if _needs_explanation(symbol, text)]
    return f"{text} ({', '.join(used)})" if used else text


def _needs_explanation(symbol: str, text: str) -> bool:
    return bool(re.search(rf"(?<![\w'@]){symbol}(?![\w'@])", text)) and f"{symbol}, the" not in text


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
        yield f"after the cutoff {looking.after.words}"


def _sum_clauses(formula: Formula, grammar: Grammar) -> Iterator[str]:
    plain = grammar.plain
    term, places, combination = formula.term, formula.places, formula.combination
    same_term = term is plain.term or grammar.cost_of_term(term) <= 1
    if combination is not plain.combination:
        usual = "" if plain.places.is_one else f", not {plain.combination.words}"
        yield f"takes {combination.words} of {term.words} {places.words}{usual}"
    elif places is not plain.places:
        due = places_due = plain.places.words
        if not same_term:
            due = f"where {plain.term.words} is due {places_due}"
        verb = "takes" if places.is_one else "adds"
        yield f"{verb} {term.words} {places.words}, {due if not same_term else f'not {due}'}"
    elif not same_term:
        verb = "takes" if places.is_one else "adds"
        yield f"{verb} {term.words} {places.words}, where {plain.term.words} is due"


def _share_clauses(formula: Formula, grammar: Grammar) -> Iterator[str]:
    plain, divisor, factor = grammar.plain, formula.divisor, formula.factor
    if grammar.cost_of_divisor(divisor) > 1:
        yield _division(formula, grammar)
    if factor is not plain.factor:
        if factor is ONCE:
            yield f"does not multiply by {plain.factor.words}"
        else:
            yield f"multiplies by {factor.words}"


def _other_clauses(formula: Formula) -> Iterator[str]:
    if formula.ideal_term is not None:
        yield f"adds {formula.ideal_term.words} in the ideal list, not {formula.term.words}"
    if formula.without_hits is not None:
        yield f"a list without a hit is worth {formula.without_hits.words}"


def _division(formula: Formula, grammar: Grammar) -> str:
    divisor, usual = formula.divisor, grammar.plain.divisor
    if isinstance(divisor, IdealList):
        return divisor.words
    by = "the value of the ideal list" if isinstance(usual, IdealList) else usual.words.split(",")[0]
    if divisor.words == NOTHING_DIVIDES.words:
        return f"does not divide by {by}"
    return f"divides by {divisor.words}" + ("" if usual is NOTHING_DIVIDES else f", not by {by}")
