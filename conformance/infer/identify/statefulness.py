"""What a function may keep between calls, as a rule that tells every answer of a process from the calls before it.

A rule is believed if it tells all that was answered in two processes, which were asked in opposite orders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise

from rankspec.conformance.infer.interview.interview import Interview
from rankspec.conformance.infer.interview.prediction import Predicted, fits
from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.infer.interview.respondent import History
from rankspec.conformance.infer.interview.version_space import Versions, narrowed
from rankspec.conformance.judge.agreement import Known, agrees, bound_of
from rankspec.conformance.run.outcomes import Outcome, PerQuery, is_unanswered
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.rankings.ranking import is_relevant

_FEWEST = 20  # So many answers a rule tells at least that are not those to first calls
_MOST_FEATURES = 3
"""With more features nearly every call is the first with the same ones, and any function follows the rule."""
_MOST_FOLDED = 4000  # Each convention is replayed call by call over two histories
_MANY_ROUNDINGS = 4000  # Of a mean of hundreds of answers


@dataclass(frozen=True)
class StateRule:
    """A rule that tells every answer."""

    said: str  # what it does, in words
    versions: Versions  # the conventions with which it tells everything


def state_rule(interview: Interview) -> StateRule | None:
    """Return the first rule that tells all answers together with some convention; None if none does."""
    histories = _histories(interview)
    every = Versions.all_of(interview.space)
    return _first_answers(interview, every, histories) or _answers_before(interview, every, histories)


def accumulation_rule(interview: Interview, versions: Versions) -> StateRule | None:
    """Return the first rule by which answers are made of earlier ones, with some of the conventions; else None."""
    histories = _histories(interview)
    # What no first call asked about, as queries that the run lacks, the later answers may tell.
    if (every := versions.complete(_MOST_FOLDED)) is not None:
        versions = replace(versions, members=every, joined=frozenset(versions.space.settings))
    for said, fold in _FOLDS.items():
        members = [
            member
            for member in versions.members[:_MOST_FOLDED]
            if histories and all(_tells(interview, member, history, fold) for history in histories)
        ]
        if members:
            return StateRule(said, replace(versions, members=tuple(members)))
    return None


def _histories(interview: Interview) -> list[History]:
    """Return what each process was asked; nothing if one was lost meanwhile."""
    histories: list[History] = [
        [(each, outcome) for each, outcome in history if not is_unanswered(outcome)]
        for history in interview.respondent.histories
        if history
    ]
    return histories if len(histories) == len(interview.respondent.histories) else []


_FEATURES: Mapping[str, Callable[[ShapedProbe], object]] = {
    "queries": lambda asked: sorted({*asked.qrels, *asked.run}),
    "number of queries": lambda asked: len({*asked.qrels, *asked.run}),
    "length of the list": lambda asked: [len(asked.run.documents(query)) for query in sorted(asked.run)],
    "number of relevant documents": lambda asked: [
        sum(is_relevant(grade, asked.measure.rel) for grade in asked.qrels.grades(query).values())
        for query in sorted(asked.qrels)
    ],
    "list": lambda asked: [[docno for docno, _ in asked.run.documents(query)] for query in sorted(asked.run)],
    "scores": lambda asked: [[score for _, score in asked.run.documents(query)] for query in sorted(asked.run)],
    "labels": lambda asked: [
        [asked.qrels.grades(query).get(docno) for docno, _ in asked.run.documents(query)] for query in sorted(asked.run)
    ],
    "judgments": lambda asked: [sorted(asked.qrels.grades(query).items()) for query in sorted(asked.qrels)],
    "cutoff": lambda asked: asked.measure.k,
    "threshold": lambda asked: asked.measure.rel,
}
"""What answers may be kept by."""


def _first_answers(interview: Interview, versions: Versions, histories: Sequence[History]) -> StateRule | None:
    """The first answer with the same features is given again: which features, the fewest."""
    told = {
        each: {name: repr(of(each)) for name, of in _FEATURES.items()} for history in histories for each, _ in history
    }
    for count in range(_MOST_FEATURES + 1 if histories else 0):
        for names in combinations(_FEATURES, count):
            firsts = [
                _firsts(history, {each: tuple(told[each][name] for name in names) for each, _ in history})
                for history in histories
            ]
            if None in firsts:
                continue
            left = _narrowed(interview, versions, [pair for found in firsts for pair in found or ()])
            if left.members:
                same = f"the first call with the same {' and '.join(names)}" if names else "the first call of a process"
                return StateRule(f"it repeats the value of {same}", left)
    return None


def _firsts(history: History, keys: Mapping[ShapedProbe, object]) -> History | None:
    """Return the first call of each key; None if another one with that key had another answer, or there are few."""
    known: dict[object, tuple[ShapedProbe, Outcome]] = {}
    for each, outcome in history:
        _, first = known.setdefault(keys[each], (each, outcome))
        if not agrees(first, outcome, bound_of(each.call)):
            return None
    return list(known.values()) if len(history) - len(known) >= _FEWEST else None


def _answers_before(interview: Interview, versions: Versions, histories: Sequence[History]) -> StateRule | None:
    """Each answer is the one to the call before."""
    moved = [(before, outcome) for history in histories for (before, _), (_, outcome) in pairwise(history)]
    left = _narrowed(interview, versions, moved)
    return StateRule("it returns the value of the previous call", left) if moved and left.members else None


def _narrowed(interview: Interview, versions: Versions, given: History) -> Versions:
    """Return the conventions under which all these answers are right."""
    answers: dict[ShapedProbe, list[Outcome]] = {}
    for each, outcome in given:
        answers.setdefault(each, []).append(outcome)
    quick = [each for each in answers if interview.is_quick(each) and not each.probe.loose]

    def keep(each: ShapedProbe, member: Convention) -> bool:
        return not interview.is_feasible(each, member) or all(
            interview.fits(each, outcome, member) for outcome in answers[each]
        )

    return narrowed(versions, quick, keep)


State = dict[object, Fraction]
Fold = Callable[[State, ShapedProbe, Predicted], Predicted | None]
"""What is answered after some calls, which it remembers; None where that means nothing."""


def _tells(interview: Interview, member: Convention, history: History, fold: Fold) -> bool:
    state: State = {}
    for each, outcome in history:
        now = interview.predictor.predicted(each, member)
        if each.probe.loose and isinstance(outcome, PerQuery):  # nobody says what it is, so it is what came
            came = {query: number.value for query, number in outcome.values.items() if query in each.qrels}
            now = replace(now, per_query={query: value for query, value in came.items() if isinstance(value, Fraction)})
        told = fold(state, each, now)
        if told is None or not (each.probe.loose or fits(outcome, told)):
            return False
    return True


def _so_far(made: Callable[[State], Fraction]) -> Fold:
    """Answer with what is made of the sum and the number of the values so far."""

    def fold(state: State, _: ShapedProbe, now: Predicted) -> Predicted | None:
        if not isinstance(now.value, Fraction):
            return None
        state["sum"], state["count"] = state.get("sum", Fraction(0)) + now.value, state.get("count", Fraction(0)) + 1
        return Predicted(made(state), {}, _MANY_ROUNDINGS)

    return fold


def _numbers(now: Predicted) -> dict[str, Fraction] | None:
    """Return the values of the queries, None where one is no number."""
    values = {query: value for query, value in now.per_query.items() if isinstance(value, Fraction)}
    return values if len(values) == len(now.per_query) else None


def _queries_so_far(state: State, _: ShapedProbe, now: Predicted) -> Predicted | None:
    values = _numbers(now)
    if values is None or not (values or state):
        return None
    state.update(values)
    known: dict[str, Known] = {str(query): value for query, value in state.items()}
    return Predicted(sum(state.values(), Fraction(0)) / len(state), known, _MANY_ROUNDINGS)


def _first_of_each_query(state: State, _: ShapedProbe, now: Predicted) -> Predicted | None:
    if (values := _numbers(now)) is None:
        return None
    first = {query: state.setdefault(query, value) for query, value in values.items()}
    known: dict[str, Known] = {**first}
    return replace(now, per_query=known, value=sum(first.values(), Fraction(0)) / (len(first) or 1))


_FOLDS: Mapping[str, Fold] = {
    "it repeats the first value of a query for every query of that name": _first_of_each_query,
    "it returns the mean of its values for all calls so far": _so_far(lambda state: state["sum"] / state["count"]),
    "it returns the sum of its values for all calls so far": _so_far(lambda state: state["sum"]),
    "its value covers the queries of all calls so far": _queries_so_far,
}
