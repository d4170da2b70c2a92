"""Quantities that compare runs: differences, and the p-values of tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from rankspec.conformance.cases.inputs import CaseInput
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.scoring.significance.comparing import Comparison, Plan, SignificanceTest, compare_runs
from rankspec.oracle.scoring.significance.families import Correction
from rankspec.oracle.scoring.significance.results import Side
from rankspec.oracle.values import Exact, Undefined, to_text, to_value

PERMUTATIONS, SEED = 999, 1
"""What `p-monte-carlo` is drawn with."""

_RUN = "the run"


def _t(compared: Comparison) -> str:
    t = None if compared.p.student is None else compared.p.student.t
    return to_text(Undefined.NAN if t is None else t)


def _p(compared: Comparison) -> str:
    return _text(compared.p.number)


def _corrected(compared: Comparison) -> str:
    return _text(compared.corrected)


def _text(number: Exact | None) -> str:
    return to_text(to_value(Undefined.NAN if number is None else number))


_QUANTITIES: Mapping[str, tuple[Plan, Callable[[Comparison], str]]] = {
    "difference": (Plan(), lambda compared: _text(compared.paired.mean)),
    "p-randomization": (Plan(), _p),
    "p-greater": (Plan(side=Side.GREATER), _p),
    "p-less": (Plan(side=Side.LESS), _p),
    "p-monte-carlo": (Plan(permutations=PERMUTATIONS, seed=SEED), _p),
    "p-holm": (Plan(correction=Correction.HOLM), _corrected),
    "p-bonferroni": (Plan(correction=Correction.BONFERRONI), _corrected),
    "t": (Plan(test=SignificanceTest.STUDENT), _t),
}
COMPARISONS = frozenset(_QUANTITIES)
"""The quantities that compare runs."""


def comparison_text(kind: str, other: str, given: CaseInput, measure: Measure, convention: Convention) -> str:
    """Return the quantity of the run compared with another one, as text.

    Raises:
        InputError: the case has no other run of that name.
    """
    if other not in given.against:
        raise InputError(f"the input has no run {other!r} in `against`", code="unknown-run")
    plan, quantity = _QUANTITIES[kind]
    runs = {_RUN: given.run, **given.against}
    pairs = compare_runs([measure], given.qrels, runs, convention, replace(plan, baseline=_RUN))[measure].pairs
    return next(quantity(pair) for pair in pairs if pair.second == other)
