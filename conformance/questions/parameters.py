"""What of a measure a function is handed beside the arguments of its shape, and what keeps it from being asked.

A cutoff, a threshold, a persistence, ...: what a function takes by its name it is given, and who takes the whole
expression takes them all. Nothing is dropped in silence: a function that takes less than the measure has is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from rankspec.conformance.worker.arguments import Arguments
from rankspec.conformance.worker.messages import Call, Parameter
from rankspec.conformance.worker.shapes import CUTOFF, PARAMETERS, THRESHOLD, Need, Shape, Signature
from rankspec.oracle.conventions.measure import Measure

_LABELLED = frozenset({Shape.RANKING, Shape.LABELS_SCORES, Shape.ACTUAL_PREDICTED, Shape.LISTS, Shape.MATRICES})
"""Shapes whose labels have the threshold in them, and in which every document is judged."""
_WORDS = {CUTOFF: "cutoff", THRESHOLD: "relevance threshold", "recall": "recall level"}


def call_of(measure: Measure, arguments: Arguments, signature: Signature, *, hand_over_k: bool = True) -> Call:
    """Put a measure into a call: what of it the function takes, and the whole of it as text."""
    k = measure.k if hand_over_k and signature.need(CUTOFF) is not Need.ABSENT else None
    need = signature.need(THRESHOLD) if "rel" in measure.parameters() else Need.ABSENT
    if signature.shape in _LABELLED:  # a label is 1 where the grade reaches the threshold, and 1 is that of labels
        threshold = 1 if need is Need.REQUIRED else None
    else:
        threshold = None if need is Need.ABSENT else measure.rel
    taken = tuple((name, value) for name, value in parameters_of(measure) if signature.need(name) is not Need.ABSENT)
    return Call(measure.name, arguments, k, threshold, str(measure), taken)


def parameters_of(measure: Measure) -> Iterator[tuple[str, Parameter]]:
    """Give what a measure has beside its cutoff and its threshold."""
    names = ("recall", "multiple", "beta", "p", "hit", "miss", "lost", "alpha", "T", "min_rel", "max_rel")
    numbers = {name: getattr(measure, name) for name in names}
    yield from ((name, float(number)) for name, number in numbers.items() if number is not None)
    if measure.dcg is not None:
        yield "dcg", measure.dcg
    if measure.gains is not None:
        yield "gains", tuple((grade, float(gain)) for grade, gain in measure.gains)
    yield from ((name, True) for name in ("judged_only", "relative") if getattr(measure, name))
    if measure.normalize is not None:
        yield "normalize", measure.normalize


def not_taken(measure: Measure, signature: Signature, *, fixed: bool) -> str | None:
    """Say what keeps a function from being asked for a measure, if anything; `fixed`: what it can't take is its own."""
    has = {name for name, _ in parameters_of(measure)} | set(measure.parameters())
    has |= {CUTOFF} if measure.k is not None else set()
    if signature.shape in _LABELLED:
        has -= {THRESHOLD, "judged_only"}
    for name in (CUTOFF, THRESHOLD, *PARAMETERS):
        need, word = signature.need(name), _WORDS.get(name, f"parameter {name}")
        if name in has and need is Need.ABSENT and not (fixed and name != THRESHOLD):
            return f"it takes no {word}"
        if name not in has and need is Need.REQUIRED:
            return f"it needs a {word}"
    return None
