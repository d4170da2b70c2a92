"""What a label of 2 does where questions have labels 0 and 1 alone: it is relevant as a label of 1 is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain

from rankspec.conformance.run.outcomes import Number, Outcome
from rankspec.conformance.worker.arguments import LabelsScores, Matrices, RankedLabels
from rankspec.conformance.worker.messages import Call

# Some answers are the same whatever a label adds, so a few are asked, and a few of those between 0 and 1: a share of
# one relevant document is 1 whatever its label.
_MOST_LABELS = 3
_ROUNDING = Fraction(1, 10**9)


def label_of_two(answered: Iterable[tuple[Call, Outcome]], ask: Callable[[Sequence[Call]], Sequence[Outcome]]) -> str:
    """Return in words what a label of 2 for a 1 changes in what was asked, smallest first; empty where nothing."""
    numbers = [(call, value) for call, outcome in answered if (value := _number(outcome))]
    changed = [(value, calls) for call, value in numbers if (calls := _with_other_labels(call))]
    asked = [*changed[:_MOST_LABELS], *[each for each in changed[_MOST_LABELS:] if 0 < each[0] < 1][:_MOST_LABELS]]
    outcomes = ask([call for _, calls in asked for call in calls])
    for (value, (call, _)), two, none in zip(asked, outcomes[::2], outcomes[1::2], strict=False):
        if (of_two := _number(two)) is None or of_two == value:
            continue
        what, of_none = "a label above 1 changes the value", _number(none)
        if of_none == of_two:
            what = "only a label of 1 is relevant"
        elif of_none is not None and abs(of_two - 2 * value + of_none) < _ROUNDING:
            what = "it adds the label, not 1"
        labels = " ".join(map(str, _labels(call)))
        values = f"{float(of_two):.4g} instead of {float(value):.4g}"
        return f"{what}: with a label of 2 instead of 1 it returns {values} (labels {labels})"
    return ""


def _number(outcome: Outcome) -> Fraction | None:
    return outcome.value if isinstance(outcome, Number) and isinstance(outcome.value, Fraction) else None


def _labels(call: Call) -> tuple[int, ...]:
    match call.arguments:
        case RankedLabels(labels) | LabelsScores(labels):
            return labels
        case Matrices(_, rows):
            return tuple(chain(*rows))
    return ()


def _with_other_labels(call: Call) -> list[Call]:
    """Return a call with 2 and with 0 in the place of the first 1 among its labels; none if it has none."""
    labels = _labels(call)
    if 1 not in labels:
        return []
    place = labels.index(1)
    changed = [(*labels[:place], each, *labels[place + 1 :]) for each in (2, 0)]
    match call.arguments:
        case RankedLabels(_, num_relevant):
            return [replace(call, arguments=RankedLabels(each, num_relevant)) for each in changed]
        case LabelsScores(_, scores):
            return [replace(call, arguments=LabelsScores(each, scores)) for each in changed]
        case Matrices(queries, rows, scores):
            width = len(rows[0])
            split = [tuple(each[at : at + width] for at in range(0, len(each), width)) for each in changed]
            return [replace(call, arguments=Matrices(queries, each, scores)) for each in split]
    return []
