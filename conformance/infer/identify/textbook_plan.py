"""What your own function is held to where you state nothing: the measure that it computes, as textbooks have it.

Textbooks leave ties, repeated documents and queries without relevant documents open. A function that follows them is
right, whatever it chooses there, so its own choices are taken from its answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rankspec.conformance.cases.case import Case
from rankspec.conformance.checks.check import Plan
from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.on_progress import OnProgress, silent
from rankspec.conformance.worker.messages import ANY_MEASURE, FileSource, ModuleSource
from rankspec.conformance.worker.shapes import CUTOFF, Need
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.textbook import textbook
from rankspec.oracle.language.expression import parse_expression

_OWN = (FileSource, ModuleSource)


class OwnPlan(NamedTuple):
    """What to check a function with, and the identification that it rests on, if it rests on one."""

    plan: Plan
    identification: Identification | None = None


def own_plan(  # noqa: PLR0913 - two that are stated by name
    connectable: Connectable,
    cases: Sequence[Case],
    measure: Measure | None = None,
    under: Convention | None = None,
    tell: OnProgress = silent,
    *,
    search: bool | None = None,
) -> OwnPlan:
    """Return what to check an implementation with; the user's words come first; `search`: identify functions."""
    stated = OwnPlan(Plan(questions_of(cases, measure), under, measure is not None))
    is_program = isinstance(connectable, Workers) and not isinstance(connectable.implementation.source, _OWN)
    if search is False or is_program or (measure is not None and under is not None):
        return stated
    try:
        identification = identify_connected(connectable, measure, tell)
    except Exception:  # noqa: BLE001 - whatever becomes of a search, the check asks its cases and says what it can't ask
        return stated
    signature = None if identification.hello is None else identification.hello.functions.get(ANY_MEASURE)
    if signature is None or not identification.texts:
        return stated
    named, convention = parse_expression(identification.texts[0])
    takes_any = measure is None and signature.need(CUTOFF) is not Need.ABSENT

    uncut = replace(named, k=None) if identification.is_uncut_without else None

    def keeps(own: Measure) -> bool:
        if not takes_any or own.family is not named.family:
            return False
        return replace(named, k=own.k) == own if own.k is not None else own == uncut

    # A cutoff of its own is found where none was stated: `AP` of a function that takes ten documents is AP@10.
    has_own = measure is not None and measure.k is None and replace(named, k=None) == measure
    questions = questions_of(cases, named if measure is None or has_own else measure, keeps)
    held_to = under or textbook(convention)
    unordered = convention if under is None and identification.has_unordered_ties else None
    plan = Plan(questions, held_to, fixed_measure=True, is_textbook=under is None, unordered=unordered)
    return OwnPlan(plan, identification)
