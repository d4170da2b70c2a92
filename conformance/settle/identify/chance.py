"""Answers that chance has a part in: any order of ties, any order at all, a small error added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import factorial, prod

from rankspec.conformance.judge.agreement import Known
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.settle.identify.evidence import Evidence
from rankspec.conformance.settle.identify.interview import Interview
from rankspec.conformance.settle.identify.prediction import distance, fits
from rankspec.conformance.settle.identify.probe import ShapedProbe
from rankspec.conformance.settle.identify.respondent import ChangedAnswer
from rankspec.conformance.settle.identify.version_space import Versions, narrowed
from rankspec.conformance.worker.values import Special
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.data.run import Retrieved, Run
from rankspec.oracle.rankings.ranking import is_relevant
from rankspec.oracle.values import Undefined

_MOST_ORDERS = 720
_LARGEST_ERROR = 0.01


def error_of(changes: Sequence[ChangedAnswer]) -> float | None:
    """Return how far two answers to one question lie from each other, if they are numbers, and near each other."""
    apart = [_apart(seen.first, seen.second) for seen in changes]
    known = [each for each in apart if each is not None]
    return max(known) if known and len(known) == len(apart) and max(known) <= _LARGEST_ERROR else None


def _apart(first: Outcome, second: Outcome) -> float | None:
    match first, second:
        case Number(one), Number(other):
            numbers = [(one, other)]
        case PerQuery(ones), PerQuery(others) if ones.keys() == others.keys():
            numbers = [(each.value, others[query].value) for query, each in ones.items()]
        case _:
            return None
    if any(isinstance(each, Special) for pair in numbers for each in pair):
        return None
    return max((float(abs(one - other)) for one, other in numbers), default=None)  # type: ignore[operator]


def within(interview: Interview, evidence: Evidence, error: float) -> Versions:
    """Return the conventions from which no answer is farther than twice an error that was seen."""
    return narrowed(
        Versions.all_of(interview.space),
        [each for each in evidence.numbers if interview.is_quick(each)],
        lambda each, member: (
            not interview.is_feasible(each, member)
            or distance(evidence.answers[each], interview.predictor.predicted(each, member)) <= 2 * error
        ),
    )


def has_mixed_list(asked: ShapedProbe) -> bool:
    """Tell whether the order of a list can matter: it has hits and misses, or several grades, or documents twice."""
    for query in asked.run:
        grades = asked.qrels.grades(query)
        listed = [docno for docno, _ in asked.run.documents(query)]
        labels = {is_relevant(grades.get(docno), asked.measure.rel) for docno in listed}
        if len(labels) > 1 or len({grades.get(docno) for docno in listed}) > 1 or len({*listed}) < len(listed):
            return True
    return False


def is_possible(interview: Interview, asked: ShapedProbe, outcome: Outcome, member: Convention, *, whole: bool) -> bool:
    """Tell whether some order of the documents gives an answer: of tied ones, or of whole lists.

    Where there are too many orders, it must lie between the values of the worst one and the best one.
    """
    plain = member.with_setting("ties", Ties.INPUT_ORDER)
    orders = _orders(asked, whole=whole)
    if orders is None:
        return _is_between(interview, _tied(asked) if whole else asked, outcome, member)
    computed = interview.predictor.computed
    return any(fits(outcome, computed(replace(asked, run=run), plain)) for run in orders)


def _is_between(interview: Interview, asked: ShapedProbe, outcome: Outcome, member: Convention) -> bool:
    """Tell whether an answer lies between the worst order's and the best one's."""
    ends = [member.with_setting("ties", rule) for rule in (Ties.PESSIMISTIC, Ties.OPTIMISTIC)]
    if any(meaningless(asked.measure, end) is not None for end in ends):
        return False
    low, high = (interview.predictor.computed(asked, end) for end in ends)
    match outcome:
        case Number():
            found = [(outcome, low.value, high.value)]
        case PerQuery(values):
            found = [
                (number, low.per_query.get(query, Undefined.NAN), high.per_query.get(query, Undefined.NAN))
                for query, number in values.items()
            ]
        case _:
            return False
    return all(_lies_between(*each) for each in found)


def _lies_between(number: Number, low: Known, high: Known) -> bool:
    value = number.value
    if isinstance(value, Special) or isinstance(low, Undefined) or isinstance(high, Undefined):
        return False
    return low - _SLACK <= value <= high + _SLACK


_SLACK = Fraction(1, 10**6)
"""What a mean in singles may be off."""


def _tied(asked: ShapedProbe) -> ShapedProbe:
    """Return the input with all documents of a list tied."""
    lists = {query: [(docno, 1) for docno, _ in asked.run.documents(query)] for query in asked.run}
    return replace(asked, run=Run.of(lists))


def _orders(asked: ShapedProbe, *, whole: bool) -> Iterator[Run] | None:
    """Return the runs with each order; None if there are too many."""
    blocks = {query: _blocks(asked.run.documents(query), whole=whole) for query in asked.run}
    count = prod(factorial(len(block)) for each in blocks.values() for block in each)
    if count > _MOST_ORDERS:
        return None
    every = [
        [[document for block in chosen for document in block] for chosen in product(*map(permutations, each))]
        for each in blocks.values()
    ]
    return (_run(dict(zip(blocks, chosen, strict=True))) for chosen in product(*every))


def _blocks(documents: Sequence[Retrieved], *, whole: bool) -> list[list[Retrieved]]:
    if whole:
        return [list(documents)]
    scores = sorted({score for _, score in documents}, reverse=True)
    return [[document for document in documents if document.score == score] for score in scores]


def _run(lists: dict[str, list[Retrieved]]) -> Run:
    return Run.of(
        {
            query: [(docno, len(listed) - place) for place, (docno, _) in enumerate(listed)]
            for query, listed in lists.items()
        }
    )
