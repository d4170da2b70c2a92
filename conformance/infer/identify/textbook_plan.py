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
from rankspec.conformance.implementations.naming import measures_returned
from rankspec.conformance.implementations.specs import OF_ONE_FUNCTION, ImportFailure
from rankspec.conformance.infer.identify.identification import Identification, Status
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.conformance.worker.messages import ANY_MEASURE, FileSource, ModuleSource
from rankspec.conformance.worker.shapes import CUTOFF, Need
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.textbook import textbook
from rankspec.oracle.language.expression import parse_expression

_OWN = (FileSource, ModuleSource)
_OF_ODD_INPUTS = frozenset({"duplicates", "empty_mean", "missing_query", "no_relevant", "ties", "unknown_query"})
"""The choices of one that follows no rule that nobody can know: others, as a gain, show in nearly all that is asked."""


class OwnPlan(NamedTuple):
    """What to check a function with, and the identification that it rests on, if it rests on one."""

    plan: Plan
    identification: Identification | None = None


def own_plan(  # noqa: PLR0913 - two that are stated by name
    connectable: Connectable,
    cases: Sequence[Case],
    measure: Measure | None = None,
    under: Convention | None = None,
    progress: OnProgress = silent,
    *,
    choices: Convention | None = None,
    search: bool | None = None,
) -> OwnPlan:
    """Return what to check an implementation with; the user's words come first.

    Args:
        connectable: what is checked.
        cases: what it may be asked.
        measure: what it computes; by default what it is identified as.
        under: the convention; by default what it declares, and of a function the textbook.
        progress: hears how far identifying is.
        choices: what it is to do where textbooks leave the choice; by default what its answers show.
        search: whether it is identified; by default a user's function is.
    """
    held_to, is_textbook = choices or under, choices is not None
    memory = connectable.memory if isinstance(connectable, Workers) else None
    stated = OwnPlan(Plan(questions_of(cases, measure), held_to, measure is not None, is_textbook, memory=memory))
    is_program = isinstance(connectable, Workers) and not isinstance(connectable.implementation.source, _OWN)
    if search is False or is_program or (measure is not None and held_to is not None):
        return stated
    try:
        identification = identify_connected(connectable, measure, progress)
    except ImportFailure as refusal:
        if measure is None and refusal.code in OF_ONE_FUNCTION:  # it computes no ranking metric, and nobody says that
            raise
        return stated
    except Exception:  # noqa: BLE001 - whatever becomes of a search, the check asks its cases and says what it can't ask
        return stated
    signature = None if identification.hello is None else identification.hello.functions.get(ANY_MEASURE)
    if signature is None or identification.status is Status.FAILED:
        return stated
    follows = bool(identification.texts)
    named, convention = parse_expression(identification.texts[0]) if follows else (identification.measure, DEFAULT)
    takes_any = measure is None and signature.need(CUTOFF) is not Need.ABSENT

    uncut = replace(named, k=None) if identification.is_uncut_without else None

    def keeps(own: Measure) -> bool:
        if not takes_any or own.family is not named.family:
            return False
        return replace(named, k=own.k) == own if own.k is not None else own == uncut

    # A cutoff of its own is found where none was stated: `AP` of a function that takes ten documents is AP@10.
    has_own = measure is not None and measure.k is None and replace(named, k=None) == measure
    questions = questions_of(cases, named if measure is None or has_own else measure, keeps)
    is_own = held_to is None
    values = measures_returned(identification.hello) if measure is None and identification.hello is not None else ()
    plan = Plan(
        questions,
        held_to or textbook(convention),
        fixed_measure=True,
        is_textbook=under is None,
        unordered=convention if is_own and identification.has_unordered_ties else None,
        unknown_choices=_OF_ODD_INPUTS if is_own and not follows else frozenset(),
        memory=memory,
        remark=f"Of the values that it returns ({', '.join(values)}) {named} alone is checked" * (len(values) > 1),
    )
    return OwnPlan(plan, identification)
