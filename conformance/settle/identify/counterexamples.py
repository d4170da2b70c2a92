"""Witnesses: the smallest input on which an implementation and a convention part, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from rankspec.conformance.run.outcomes import Malformed, NotAsked, Number, Outcome, PerQuery, Raised, TimedOut
from rankspec.conformance.settle.identify.identification import Witness
from rankspec.conformance.settle.identify.prediction import Predictor, predicted_text
from rankspec.conformance.settle.identify.probe import Probe, Put
from rankspec.conformance.settle.identify.shrinking import shrunk
from rankspec.conformance.worker.arguments import (
    ActualPredicted,
    Files,
    LabelsScores,
    QrelsRun,
    RankedLabels,
)
from rankspec.conformance.worker.messages import Call
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import expression_text

_DEGENERATE = frozenset({"no documents at all", "no judgments at all", "an empty list", "a query without judgments"})


def witness_of(
    asked: Put, outcome: Outcome, predictor: Predictor, convention: Convention, *, one_mean: bool
) -> Witness:
    """Return what an implementation and a convention say to an input."""
    exact = predicted_text(predictor.predicted(asked, convention), one_mean=one_mean)
    text = expression_text(asked.measure, convention)
    return Witness(given_of(asked.call, asked), str(asked.measure), outcome_text(outcome), exact, text)


def given_of(call: Call, asked: Put) -> dict[str, Any]:
    """Return the arguments of a call as a case file writes inputs, and the cutoff that was handed over."""
    match call.arguments:
        case RankedLabels(relevance, num_relevant):
            given: dict[str, Any] = {"relevance": list(relevance), "num_relevant": num_relevant}
        case LabelsScores(y_true, y_score):
            given = {"labels": list(y_true), "scores": [_score(score) for score in y_score]}
        case ActualPredicted(actual, predicted):
            given = {"actual": list(actual), "predicted": list(predicted)}
        case QrelsRun() | Files():
            given = {
                "qrels": {query: dict(asked.qrels.grades(query)) for query in asked.qrels},
                "run": {
                    query: [[docno, _score(score)] for docno, score in asked.run.documents(query)]
                    for query in asked.run
                },
            }
    return given if call.k is None else {**given, "k": call.k}


def _score(score: float | Fraction) -> int | str:
    """Write a score as case files do: whole, or the text of a decimal."""
    if isinstance(score, float) and not score.is_integer():
        return repr(score)
    return int(score) if score == int(score) else repr(float(score))


def outcome_text(outcome: Outcome | None) -> str:
    """Write an answer in a few words."""
    match outcome:
        case Number(value):
            return _number_text(value)
        case PerQuery(values):
            return ", ".join(f"{query}: {_number_text(each.value)}" for query, each in values.items()) or "no query"
        case Raised(kind, message):
            return f"raises {kind}: {message}" if message else f"raises {kind}"
        case Malformed(reason):
            return reason
        case TimedOut(seconds):
            return f"no answer within {seconds:g} s"
        case NotAsked(reason):
            return f"not asked: {reason}"
        case _:
            return type(outcome).__name__.lower()


def _number_text(value: Any) -> str:
    return repr(float(value)) if isinstance(value, Fraction) else str(value.value)


def smallest(
    parting: Sequence[Put],
    ask: Callable[[Sequence[Call]], Sequence[Outcome]],
    rendered: Callable[[Probe], Put | None],
    parts: Callable[[Put, Outcome], bool],
    rounds: int,
) -> tuple[Put, Outcome] | None:
    """Return the smallest input found on which they part, with the answer, starting from the smallest known.

    Args:
        parting: probes on which they part, the smallest first.
        ask: asks the implementation.
        rendered: puts a probe into its shape.
        parts: whether an answer is not the convention's.
        rounds: how many batches may be asked.
    """
    best: tuple[Put, Outcome] | None = None
    allowed = parting[0].features & _DEGENERATE

    def first_parting(candidates: Sequence[Probe]) -> Probe | None:
        nonlocal best
        puts = [each for each in map(rendered, candidates) if each is not None]
        puts = [each for each in puts if not (each.features & _DEGENERATE) - allowed and not each.probe.loose]
        for each, outcome in zip(puts, ask([each.call for each in puts]), strict=True):
            if parts(each, outcome):
                best = (each, outcome)
                return each.probe
        return None

    shrunk(parting[0].probe, first_parting, rounds)
    return best
