"""A failing question made as small as it stays failing in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankspec.conformance.infer.identify.identification import shrunk
from rankspec.conformance.infer.interview.probe import Probe
from rankspec.conformance.judge.near_conventions import with_near_conventions
from rankspec.conformance.judge.verdicts import Judgement, Verdict, judge
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Asked, put
from rankspec.conformance.run.connection import Connection
from rankspec.conformance.run.outcomes import Outcome, Raised
from rankspec.oracle.conventions.convention import Convention

_KINDS = frozenset({Verdict.OTHER_CONVENTION, Verdict.WRONG, Verdict.UNDEFINED, Verdict.ERROR})
"""What is found by asking once; whatever costs a process or a wait a time is left as large as it is."""


def smaller(question: Question, convention: Convention, connection: Connection, *, fixed: bool) -> Question:
    """Return the smallest question found that fails as this one does; the same one if it conforms.

    The same way is: the same verdict, the same exception, one of the same conventions that explain the answer.

    Args:
        question: what fails.
        convention: what it is held to.
        connection: to the implementation.
        fixed: the measure is the one that the user states.
    """

    def answered(questions: Sequence[Question]) -> list[tuple[Question, Outcome, Judgement]]:
        asked = [(each, put(each, convention, connection.hello, fixed=fixed)) for each in questions]
        calls = [(each, one) for each, one in asked if isinstance(one, Asked)]
        outcomes = connection.ask([one.call for _, one in calls]).outcomes
        return [
            (
                each,
                outcome,
                with_near_conventions(each.measure, one, outcome, convention, judge(outcome, one.expectation)),
            )
            for (each, one), outcome in zip(calls, outcomes, strict=True)
        ]

    first = answered([question])
    if not first or first[0][2].verdict not in _KINDS:
        return question
    _, outcome, judged = first[0]
    kind = outcome.type if isinstance(outcome, Raised) else None
    allowed = _emptiness(question)

    def part(probes: Sequence[Probe]) -> Probe | None:
        candidates = [replace(question, qrels=each.qrels, run=each.run) for each in probes]
        by_question = dict(zip(map(id, candidates), probes, strict=True))
        for each, got, one in answered([each for each in candidates if _emptiness(each) <= allowed]):
            same = one.verdict is judged.verdict and (got.type if isinstance(got, Raised) else None) == kind
            if same and (not judged.near or set(judged.conventions) & set(one.conventions)):
                return by_question[id(each)]
        return None

    found = shrunk(Probe(question.id, question.measure, question.qrels, question.run), part)
    return replace(question, qrels=found.qrels, run=found.run)


def _emptiness(question: Question) -> frozenset[str]:
    """Return what is empty: a list, a query's judgments. What was not so must not become so: it is another question."""
    lists = [question.run.documents(query) for query in question.run]
    grades = [question.qrels.grades(query) for query in question.qrels]
    found = {"list": not all(lists) or not lists, "judgments": not all(grades) or not grades}
    return frozenset(name for name, is_empty in found.items() if is_empty)
