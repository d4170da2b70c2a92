"""Deviations at a score: from it on documents count, or are equal. Which score it is is found by asking, in bisection.

One hit is put at a score below a miss, or above one, and moved up. Where its place changes nothing but the value
does, there is a threshold; a right implementation has none, and is asked no more than the ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from rankspec.conformance.infer.interview.effective_depth import BEYOND, answer_of
from rankspec.conformance.infer.interview.inputs import probe
from rankspec.conformance.infer.interview.interview import Interview
from rankspec.conformance.infer.interview.probe import Probe
from rankspec.conformance.infer.interview.version_space import SHOWN
from rankspec.conformance.infer.mistakes import inputs
from rankspec.conformance.infer.mistakes.mistake import Mistake, of_input
from rankspec.oracle.conventions.axis import Needs
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.scores import Score, as_float64

_END = 1000.0
"""Thresholds are looked for between -1000 and 1000: probabilities, similarities, percentages and ratings lie there."""
_HALVINGS = 80
"""An interval of 2000 is a denormal double after 80 halvings at most; where doubles are wider apart it ends before."""
_Listed = list[tuple[bool, float]]
"""Whether a document is a hit, and its score, in the order of the file."""

_MOVED: tuple[Callable[[float], _Listed], ...] = (
    lambda score: [(True, score), (False, _END)],
    lambda score: [(False, -_END), (True, score)],
    lambda score: [(True, score), (False, -_END)],
    lambda score: [(False, score), (True, _END)],
    lambda score: [(True, _END), (False, score)],
)
"""Lists in which a document moves: a hit below a miss, a hit above a miss (the last in the file and the first), and a
miss below a hit. What ties break by, one of them shows."""


def threshold_deviations(interview: Interview) -> Iterator[Mistake]:
    """Yield what may become of scores at the thresholds that are found."""
    if Needs.SCORES not in SHOWN[interview.target.signature.shape]:
        return
    found = dict.fromkeys(filter(None, (_threshold(interview, made) for made in _MOVED)))
    for lost, kept in found:
        yield from _at(lost, kept, interview.target.measure)


def _threshold(interview: Interview, made: Callable[[float], _Listed]) -> tuple[float, float] | None:
    """Return the last score with one answer and the first with another; None if all are answered alike."""
    measure = interview.target.measure
    if interview.target.others and measure.k is not None:
        measure = replace(measure, k=BEYOND)

    def answer(score: float) -> object:
        each = interview.shaped(_probe(made(score), measure))
        return None if each is None else answer_of(interview.respondent.raw([each.call])[0])

    lost, kept = 1 - _END, _END - 1
    least, most = answer(lost), answer(kept)
    if least is None or most is None or least == most:
        return None
    for _ in range(_HALVINGS):
        middle = (lost + kept) / 2
        if middle in {lost, kept}:
            break
        lost, kept = (middle, kept) if answer(middle) == least else (lost, middle)
    return lost, kept


def _probe(listed: _Listed, measure: Measure) -> Probe:
    grade = max(measure.rel, 1)
    names = "abcdefghijkl"[: len(listed)]
    grades = {name: grade if hit else 0 for name, (hit, _) in zip(names, listed, strict=True)}
    run = [(name, repr(score)) for name, (_, score) in zip(names, listed, strict=True)]
    return probe(f"scores {[score for _, score in listed]}", measure, {"q": grades}, {"q": run})


def telling_scores(measure: Measure) -> tuple[Probe, ...]:
    """Return lists that tell ways to lose digits, or to compare them, from each other: halves, tenths, and signs."""
    scores = (-0.5, 0.5, 0.25, -1.5, 1.5, -0.75, 1.25, 2.5, -2.25, 10.5, 9.5, 0.75)
    return tuple(
        _probe([(place * step % 7 in {0, 2, 3}, scores[(place * step) % 12]) for place in range(12)], measure)
        for step in (1, 5, 7, 11)
    )


def _at(lost: float, kept: float, measure: Measure) -> Iterator[Mistake]:
    """Yield what may be lost below a threshold; in words the number of the two that is the shorter to write."""
    is_least = len(repr(kept)) <= len(repr(lost))
    at = kept if is_least else lost
    which = f"below {at:g}" if is_least else f"of {at:g} or less"

    def is_lost(score: Score) -> bool:
        double = float(as_float64(score))
        return double < at if is_least else double <= at

    refuting = tuple(
        _probe([(bool(hit), score) for score, hit in zip((lost, at + 1, kept, at - 1, at), hits, strict=True)], measure)
        for hits in ((1, 0, 0, 1, 0), (0, 0, 1, 1, 1), (0, 1, 1, 0, 0), (1, 1, 0, 0, 1))
    )
    # Where all that is lost stands at the end of the list, dropped is what it is called.
    for words, change in (inputs.DROPPED, inputs.UNHIT, inputs.NONRELEVANT):
        yield Mistake(f"scores {which}", words.format(which), of_input(change(is_lost)), refuting=refuting)
    for words, score in (
        (f"scores {which} are all equal, and so are all others", lambda score: float(not is_lost(score))),
        (f"scores {which} count as {at:g}", lambda score: max(score, at)),
        (f"scores above {at:g} count as {at:g}", lambda score: min(score, at)),
    ):
        yield Mistake("scores", words, of_input(inputs.of_scores(score)), refuting=refuting)
