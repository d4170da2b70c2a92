"""What a parameter of weights does: those of documents say how often each is there, those of queries are of a mean.

Both are held against the implementation itself, asked the same without weights, whatever convention it follows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from rankspec.conformance.infer.interview.interview import Finding, Interview
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe
from rankspec.conformance.run.outcomes import Number, Outcome
from rankspec.conformance.worker.shapes import WEIGHTS, Shape
from rankspec.oracle.data.document_weights import in_copies
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run

_LISTS = (((1, 0, 1, 0), (2, 1, 3, 1)), ((0, 1, 1, 0, 1), (1, 3, 1, 2, 1)), ((1, 0, 0, 1), (1, 3, 1, 2)))
"""Labels, best first, and what each weighs: in none do copies change the measure as they would in another order."""
_PAIRS = (((1, 0), (0, 1)), ((0, 0, 1), (1, 0, 1)), ((1, 1, 0), (0, 1, 1)))  # Labels of two queries, best first
_OF_PAIR = (2, 1)  # What the queries weigh
_OF_ONE_LIST = frozenset({Shape.LABELS_SCORES, Shape.RANKING, Shape.ACTUAL_PREDICTED})
_SAME = 1e-9


def weights_findings(interview: Interview) -> Iterator[Finding]:
    """Yield what each parameter of weights does, or that it was left at its default where that is nothing known."""
    is_list = interview.target.signature.shape in _OF_ONE_LIST
    for name in (each for each, _ in interview.target.signature.parameters if each in WEIGHTS):
        if is_list and _all_same(interview, name, [_of_documents(interview, *each) for each in _LISTS]):
            yield Finding(f"it takes {name} as weights of documents: one of weight 2 counts as two of its score")
        elif not is_list and _all_same(interview, name, [_of_queries(interview, *each) for each in _PAIRS]):
            yield Finding(f"it takes {name} as weights of queries in the mean")
        else:
            yield Finding(f"{name} was left at its default: it follows no known rule")


_Asked = tuple[ShapedProbe | None, Sequence[int], Sequence[ShapedProbe | None]]
"""A question that is asked with weights, these, and those without: their mean by the same weights is the answer."""


def _of_documents(interview: Interview, labels: Sequence[int], weights: Sequence[int]) -> _Asked:
    scored = [(label, len(labels) - place) for place, label in enumerate(labels)]
    return _asked(interview, [scored]), weights, [_asked(interview, [in_copies(scored, weights)])]


def _of_queries(interview: Interview, *lists: Sequence[int]) -> _Asked:
    scored = [[(label, len(labels) - place) for place, label in enumerate(labels)] for labels in lists]
    return _asked(interview, scored), _OF_PAIR, [_asked(interview, [each]) for each in scored]


def _asked(interview: Interview, lists: Sequence[Sequence[tuple[int, int]]]) -> ShapedProbe | None:
    queries = {f"q{number}": list(enumerate(listed)) for number, listed in enumerate(lists)}
    qrels = {query: {f"d{place}": label for place, (label, _) in listed} for query, listed in queries.items()}
    run = {query: [(f"d{place}", score) for place, (_, score) in listed] for query, listed in queries.items()}
    return interview.shaped(Probe("weights", interview.target.measure, Qrels.of(qrels), Run.of(run)))


def _all_same(interview: Interview, name: str, questions: Sequence[_Asked]) -> bool:
    """Tell whether every answer with weights is that without, and some show that the weights are not ignored."""
    matters = False
    for whole, weights, parts in questions:
        if whole is None or None in parts:
            return False
        # As pairs, for a message has no list of numbers among a measure's parameters.
        given = (*whole.call.parameters, (name, tuple((place, float(each)) for place, each in enumerate(weights))))
        calls = [replace(whole.call, parameters=given), whole.call, *(each.call for each in parts if each is not None)]
        of_whole, unweighted, *of_parts = map(_number, interview.respondent.raw(calls))
        shares = weights if len(of_parts) > 1 else (1,)
        mean = sum(share * value for share, value in zip(shares, of_parts, strict=True)) / sum(shares)
        if not math.isclose(of_whole, mean, rel_tol=_SAME, abs_tol=_SAME):
            return False
        matters |= not math.isclose(of_whole, unweighted, rel_tol=_SAME, abs_tol=_SAME)
    return matters


def _number(outcome: Outcome) -> float:
    return float(outcome.value) if isinstance(outcome, Number) and isinstance(outcome.value, Fraction) else math.nan
