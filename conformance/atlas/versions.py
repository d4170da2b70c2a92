"""What bisection found, as the record of a library keeps it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rankspec.conformance.atlas.bisection import History, Step, is_silent
from rankspec.conformance.atlas.record import Measured, Record, VersionChange, VersionsAsked
from rankspec.conformance.checks.drift import AnswerChange
from rankspec.conformance.questions.question import Question
from rankspec.oracle.data.scores import Score


def smallest_change(step: Step) -> AnswerChange:
    """Return the change with the smallest input; the more of its two answers are numbers, the sooner."""

    def without_a_number(each: AnswerChange) -> int:
        return (each.old.value is None) + (each.new.value is None)

    return min(step.drift.real, key=lambda each: (without_a_number(each), each.new.size))


def versions_asked(found: History, questions: Mapping[str, Question], command: str) -> VersionsAsked:
    """Return what was found as a record keeps it.

    Args:
        found: what was found.
        questions: what was asked, by id.
        command: how it was found.
    """
    return VersionsAsked(
        found.asked,
        found.failed,
        tuple(_change(step, questions) for step in found.steps),
        command,
        dt.datetime.now(tz=dt.UTC).date().isoformat(),
    )


def with_versions(record: Record, adapter: str, measure: str, versions: VersionsAsked) -> Record:
    """Return a record that says since when it answers so, for one measure of one adapter."""
    return replace(
        record,
        measured=tuple(
            replace(each, versions=versions) if _is(each, adapter, measure) else each for each in record.measured
        ),
    )


def _is(each: Measured, adapter: str, measure: str) -> bool:
    return each.spec.partition("==")[0] == adapter and each.measure == measure


def _change(step: Step, questions: Mapping[str, Question]) -> VersionChange:
    smallest = smallest_change(step)
    old, new = smallest.texts
    if is_silent(step.drift.old):  # the call is of a later version, or the environment's packages are
        old = f"{old}, as to every input"
    return VersionChange(
        step.drift.old.version or "",
        step.drift.new.version or "",
        step.unasked,
        len(step.drift.real),
        step.drift.compared,
        given(questions[smallest.id]),
        old,
        new,
    )


def given(question: Question) -> dict[str, Any]:
    """Return the input of a question as a case file writes it, with its cutoff."""
    qrels, run = question.qrels, question.run
    data: dict[str, Any] = {
        "qrels": {query: dict(qrels.grades(query)) for query in qrels},
        "run": {query: [[docno, _written(score)] for docno, score in run.documents(query)] for query in run},
    }
    return data if question.measure.k is None else {**data, "k": question.measure.k}


def _written(score: Score) -> int | str:
    """Write a score as case files do: whole, or the text of a decimal."""
    if isinstance(score, float):
        return int(score) if score.is_integer() else repr(score)
    return int(score) if score == int(score) else repr(float(Fraction(score)))
