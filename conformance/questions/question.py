"""A question: an input and a measure, whatever convention the answer is judged under.

Several cases may share one question (the same input under every tie rule); it is asked once, under the id of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.inputs import CaseInput
from rankspec.conformance.worker.arguments import Arguments
from rankspec.conformance.worker.messages import Call, Parameter
from rankspec.conformance.worker.shapes import CUTOFF, PARAMETERS, THRESHOLD, Need, Shape, Signature
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.language.expression import family_in, parse_measure


@dataclass(frozen=True)
class Question:
    """An input and a measure."""

    id: str  # the id of the first case that asks it
    measure: Measure
    qrels: Qrels
    run: Run
    cases: tuple[str, ...] = field(default=(), compare=False)  # the ids of all of them

    @property
    def size(self) -> tuple[int, int, int]:
        """How small it is to look at: queries, documents in the run, judged documents."""
        queries = {*self.qrels, *self.run}
        retrieved = sum(len(self.run.documents(query)) for query in queries)
        return len(queries), retrieved, sum(len(self.qrels.grades(query)) for query in queries)


def questions_of(
    cases: Iterable[Case], measure: Measure | None = None, keeps: Callable[[Measure], bool] | None = None
) -> list[Question]:
    """Return the distinct questions of cases, all under one measure but for those that it `keeps` (other cutoffs)."""
    grouped: dict[object, tuple[Case, CaseInput, Measure, list[str]]] = {}
    for case in cases:
        is_looked_up = (measure is None or keeps is not None) and family_in(case.measure) in FAMILIES
        own = parse_measure(case.measure) if is_looked_up else None  # the oracle lacks some families
        asked = own if measure is None or (own is not None and keeps is not None and keeps(own)) else measure
        if case.input is None or asked is None:
            continue
        qrels, run = case.input.qrels, case.input.run
        # A score's text is part of it: 1 and Fraction(1) are one score, 0.1 is another than the double nearest to it.
        content = [(query, tuple(qrels.grades(query).items())) for query in qrels]
        key = (asked, tuple(content), tuple((query, tuple(run.documents(query))) for query in run))
        grouped.setdefault(key, (case, case.input, asked, []))[3].append(case.id)
    return [
        Question(case.id, asked, given.qrels, given.run, tuple(ids)) for case, given, asked, ids in grouped.values()
    ]


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
