"""What definitions leave open: an expression for each value of an axis, a number for each parameter.

A new value of one of these axes is its line in `conventions/axes.py` and its row here; every reading follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from functools import cache
from typing import Any

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import BprefVariant, Discount, FWeight, RbpGain, RbpResidual
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.definitions.expression import (
    GRADE,
    HIGHEST,
    HIT,
    JUDGED_IN_LIST,
    LENGTH,
    NONRELEVANT_ABOVE,
    NONRELEVANT_IN_QRELS,
    RANK,
    RELEVANT,
    Choice,
    Definition,
    Expression,
    Number,
    Parameter,
    Quantity,
    greatest,
    least,
    log2,
    resolved,
)
from rankspec.oracle.measures.areas.denominators import LEAST_OF

DISCOUNTS: Mapping[Discount, Expression] = clause("dcg.discount.*")(
    {Discount.LOG2_RANK_PLUS_ONE: log2(RANK + 1), Discount.LOG2_RANK: log2(greatest(2, RANK))}
)
"""What a gain is divided by."""

_BETA, _PERSISTENCE = Parameter("beta", Fraction(1)), Parameter("rbp_persistence")
_DENOMINATORS = {rule: least(*map(Quantity, counts)) for rule, counts in LEAST_OF.items()}
CHOICES: Mapping[str, Mapping[Any, Expression]] = clause(
    "bpref.variant.*", "f.weight.*", "rbp.gain.*", "rbp.residual.*"
)(
    {
        **dict.fromkeys(("denominator", "precision_denominator", "recall_denominator"), _DENOMINATORS),
        "relative": {False: LENGTH, True: least(LENGTH, RELEVANT)},
        "discount": DISCOUNTS,
        "bpref_variant": {
            BprefVariant.TREC_EVAL: least(NONRELEVANT_ABOVE, RELEVANT) / least(NONRELEVANT_IN_QRELS, RELEVANT),
            BprefVariant.SIGIR_2004: least(NONRELEVANT_ABOVE, RELEVANT) / RELEVANT,
            BprefVariant.BPREF_10: least(NONRELEVANT_ABOVE, 10 + RELEVANT) / (10 + RELEVANT),
            BprefVariant.ALL_NONRELEVANT: NONRELEVANT_ABOVE / NONRELEVANT_IN_QRELS,
        },
        "f_weight": {FWeight.BETA_SQUARED: _BETA**2, FWeight.BETA: _BETA},
        "rbp_gain": {RbpGain.BINARY: HIT, RbpGain.SCALED_BY_TOPIC: GRADE / HIGHEST, RbpGain.GRADE: GRADE},
        "rbp_residual": {
            RbpResidual.WITH_TAIL: _PERSISTENCE**LENGTH,
            RbpResidual.ZERO_IF_ALL_JUDGED: _PERSISTENCE**LENGTH * least(1, LENGTH - JUDGED_IN_LIST),
        },
    }
)
"""Axis, or parameter that is a switch -> the expression that each of its values stands for."""

_AXES = frozenset(each.name for each in fields(Convention))


@cache
def chosen(expression: Expression, measure: Measure, convention: EffectiveConvention) -> Expression:
    """Return an expression with the convention's choices put in, parameters left as they are."""

    def leaf(open_: Choice | Parameter) -> Expression:
        if isinstance(open_, Parameter):
            return open_
        return CHOICES[open_.axis][getattr(convention if open_.axis in _AXES else measure, open_.axis)]

    return resolved(expression, leaf)


@cache
def settled(expression: Expression, measure: Measure, convention: EffectiveConvention) -> Expression:
    """Return an expression with what a measure and a convention say put in."""

    def leaf(open_: Choice | Parameter) -> Expression:
        if isinstance(open_, Choice):
            return open_
        setting = getattr(convention if open_.name in _AXES else measure, open_.name)
        return Number(Fraction(open_.default if setting is None else setting))

    return resolved(chosen(expression, measure, convention), leaf)


@cache
def settled_definition(measure: Measure, convention: EffectiveConvention) -> Definition:
    """Return the definition of a measure with what it and a convention say put in; `TypeError` if it has none."""
    if (definition := measure.family.definition) is None:
        raise TypeError(f"{measure} has no definition")
    return definition._replace(
        term=settled(definition.term, measure, convention),
        divisor=settled(definition.divisor, measure, convention),
        extra=settled(definition.extra, measure, convention),
    )
