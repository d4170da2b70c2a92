"""Whether answers stay the same: asked again, in another order and process, and with other queries beside them.

Odd calls are put beside or before a question: an empty query, one without relevant documents. Whoever evaluates a query
set meets such queries. What is answered to them is a question of its own; here they show whether they change what is
answered to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import TypeVar

from rankspec.conformance.checks.minimal_pair import (
    Cause,
    Laboratory,
    MinimalPair,
    NamedCall,
    Sighting,
    SpentError,
    find_pair,
    words_of,
)
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.judge.agreement import agrees, bound_of, differ_in_last_digits, near
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED
from rankspec.conformance.run.limits import Halted
from rankspec.conformance.run.outcomes import (
    Connection,
    Crashed,
    Lost,
    Outcome,
    OutOfMemory,
    PerQuery,
    Report,
    TimedOut,
)
from rankspec.conformance.worker.arguments import (
    ActualPredicted,
    Arguments,
    Files,
    Frames,
    LabelsScores,
    Matrices,
    QrelsRun,
    QueryLists,
    RankedLabels,
    Subtopics,
)
from rankspec.conformance.worker.messages import Call

_ALL_KINDS = 400  # Up to so many questions, each has every kind of odd call before it; beyond, the kinds take turns
_AT_ONCE = 16  # How many of many questions are put at a time; of fewer, one, so that what hangs once is put no more


@dataclass(frozen=True)
class Step:
    """One call of this asking: a question, by its index, or an odd call that goes with it."""

    index: int
    made: NamedCall
    neighbour: Neighbour | None = None
    rehearsed: bool = False  # it is put once more later


@dataclass
class Repetition:
    """Questions that are asked again over a second connection, the last one first, and what came of it."""

    questions: Sequence[NamedCall]
    timeouts_in_a_row: int  # after so many it ends
    on_question: Callable[[int], None] = lambda _: None  # hears the index of each question that is answered
    # what came the first time, for odd calls that are put before each question: it is noted whose value they change.
    # None for no odd calls
    first: Report | None = None
    where: str = "in another order"  # how it was asked, in words that go on after an answer
    # by the index of a question, its answers; there are several to the very first
    outcomes: dict[int, list[Outcome]] = field(default_factory=dict)
    # by the index of a question, the first odd query that changed the value of another
    beside: dict[int, MinimalPair] = field(default_factory=dict)
    # by the index of a question, how the process was lost in it, which did not come again
    lost: dict[int, Lost] = field(default_factory=dict)
    # odd calls that ended the process or had no answer in time, and what happened
    given_up: dict[str, tuple[NamedCall, Lost]] = field(default_factory=dict)
    ended: str = ""  # why not everything was asked; empty if it was
    _timeouts: int = 0  # how many questions in a row had no answer in time
    _made: list[NamedCall] = field(default_factory=list)
    _places: dict[int, list[int]] = field(default_factory=dict)

    def ask(self, connection: Connection, again: Iterable[int]) -> None:
        """Ask the questions of these indices. In a fresh process under another hash seed, hidden state shows too."""
        backwards = sorted(again, reverse=True)
        plain = [[Step(index, self.questions[index]) for index in backwards]] if backwards else []
        for steps in self._lists(backwards) if self.first and backwards else plain:
            self._put(connection, steps)
            if self.ended:
                break

    def before(self, index: int, time: int = 0) -> Sequence[NamedCall]:
        """Return the calls that were made before a question was put, the first time or a later one."""
        return self._made[: self._places[index][time]]

    def _put(self, connection: Connection, steps: Sequence[Step]) -> None:
        """Put a list of calls, and note what comes of each."""
        for step in steps:
            if step.neighbour is None:
                self._places.setdefault(step.index, []).append(len(self._made))
            self._made.append(step.made)
        report = connection.ask([step.made.call for step in steps], lambda place, got: self._hear(steps[place], got))
        for incident in report.incidents:
            if incident.index is not None and steps[incident.index].neighbour is None:
                self.lost.setdefault(steps[incident.index].index, incident.outcome)
        for step in steps[: report.known]:
            if step.neighbour is None and not step.rehearsed:
                self.on_question(step.index)
        self.ended = report.ended
        if self._timeouts >= self.timeouts_in_a_row:  # odd calls between don't make it better
            self.ended = f"ended after {self._timeouts} timeouts in a row"

    def _hear(self, step: Step, outcome: Outcome) -> None:
        if step.neighbour is None:
            self.outcomes.setdefault(step.index, []).append(outcome)
            self._timeouts = self._timeouts + 1 if isinstance(outcome, TimedOut) else 0
        elif isinstance(outcome, Lost):
            self.given_up.setdefault(step.neighbour.odd, (step.made, outcome))
        elif self.first and step.index not in self.beside:
            question, alone = self.questions[step.index], self.first.outcomes[step.index]
            if pair := _neighbour_pair(step.neighbour.queries, question, step.made, alone, outcome):
                self.beside[step.index] = pair

    def _lists(self, backwards: Sequence[int]) -> Iterator[list[Step]]:
        """Give the calls in lists, without those that have been given up."""
        last = Step(backwards[0], self.questions[backwards[0]], rehearsed=True)
        for step in self._odd_steps(backwards[0]):  # each by itself, so that each that hangs is found out
            yield [step, last]
        at_once, kinds = (1, None) if len(backwards) <= _ALL_KINDS else (_AT_ONCE, 1)
        for start in range(0, len(backwards), at_once):
            yield [
                step
                for index in backwards[start : start + at_once]
                for step in (*self._odd_steps(index, kinds), Step(index, self.questions[index]))
            ]

    def _odd_steps(self, index: int, most: int | None = None) -> list[Step]:
        """Return the odd calls before a question: every kind, or only so many in turn."""
        asked = self.questions[index]
        neighbours = neighbours_of(asked.call)
        turned = neighbours[index % len(neighbours) :] + neighbours[: index % len(neighbours)]
        return [
            Step(index, NamedCall(asked.id, neighbour.call, neighbour.odd, beside=bool(neighbour.queries)), neighbour)
            for neighbour in turned[:most]
            if neighbour.odd not in self.given_up
        ]


def _neighbour_pair(
    queries: Collection[str], named_call: NamedCall, other: NamedCall, alone: Outcome, together: Outcome
) -> MinimalPair | None:
    """Return the first of some queries whose value an odd one changed; None if there is none, or no value a query."""
    if not isinstance(alone, PerQuery) or not isinstance(together, PerQuery):
        return None
    for query in sorted(queries):
        one, two = alone.values.get(query), together.values.get(query)
        if (one is None) is not (two is None) or (one and two and not near(one, two, bound_of(other.call))):
            return MinimalPair(Cause.NEIGHBOUR, named_call, other, one, two, query=query)
    return None


@dataclass(frozen=True)
class Instability:
    """An answer that did not stay the same."""

    text: str  # what was seen
    sightings: tuple[Sighting, ...] = ()  # the answers in their places, for a search for the cause
    pair: MinimalPair | None = None  # the pair of calls, where what was seen is one already

    @property
    def is_neighbours(self) -> bool:
        """Whether the answer itself stayed the same, and changes with an odd query beside it alone."""
        return self.pair is not None and self.pair.cause is Cause.NEIGHBOUR


def settled(first: Report, second: Repetition, index: int) -> Outcome:
    """Return what came of a question: what had no answer in time once had none, whatever it answered the other time."""
    outcomes = (first.outcomes[index], *second.outcomes.get(index, ()))
    return next((each for each in outcomes if isinstance(each, TimedOut)), outcomes[0])


def change_of(first: Report, second: Repetition, index: int) -> Instability | None:
    """Return how an answer changed, None if it did not; a timeout is one, not another answer."""
    outcome, question = first.outcomes[index], second.questions[index]
    same = partial(agrees, outcome, bound=bound_of(question.call))
    if isinstance(settled(first, second, index), TimedOut):
        return None
    for time, other in enumerate(second.outcomes.get(index, [])):
        if other != outcome and not same(other):
            again = Sighting(other, second.before(index, time), SECOND_SEED)
            once = Sighting(outcome, second.questions[:index], FIRST_SEED)
            return Instability(f"{words_of(outcome)}, then {words_of(other)} {second.where}", (again, once))
    if crashed := _crashes(first, second, index):
        return Instability(f"{words_of(crashed[0].outcome)}, then {words_of(outcome)} in a new process", crashed)
    spoilt, pair = first.again.get(index, outcome), second.beside.get(index)
    if spoilt != outcome and not same(spoilt):
        pair = MinimalPair(Cause.CHANGED_ARGUMENTS, question, question, outcome, spoilt)
    return None if pair is None else Instability(pair.text, pair=pair)


def _crashes(first: Report, second: Repetition, index: int) -> tuple[Sighting, ...]:
    """Return how a process ended in a question that did no harm in a new process: an earlier call's doing, or chance.

    If an earlier call used up the memory or the time, that is not an answer that changed.
    """
    if isinstance(first.outcomes[index], Crashed):  # it came again
        return ()
    lost = [(each.outcome, second.questions[:index], FIRST_SEED) for each in first.incidents if each.index == index]
    if index in second.lost:
        lost.append((second.lost[index], second.before(index), SECOND_SEED))
    return tuple(Sighting(*each) for each in lost if isinstance(each[0], Crashed))


def last_digits(first: Report, second: Repetition) -> str:
    """Say that answers changed in the last digits of their floats, and show one; empty if none did."""
    # A program that adds up in the order of a set is no less a program of its convention.
    changed = [
        (index, outcome)
        for index, outcomes in sorted(second.outcomes.items())
        for outcome in outcomes[:1]
        if outcome != first.outcomes[index]
        and differ_in_last_digits(first.outcomes[index], outcome, bound_of(second.questions[index].call))
    ]
    if not changed:
        return ""
    index, outcome = changed[0]
    count = f"{len(changed)} answer{'s change' if len(changed) > 1 else ' changes'} in the last digits"
    before, after = words_of(first.outcomes[index]), words_of(outcome)
    name = second.questions[index].id
    return f"{count}, as sums in another order do: {name} gives {before}, then {after} {second.where}"


def short_of_memory(first: Report, second: Repetition) -> list[tuple[int, str]]:
    """Return in which questions the memory of a process ran full that was enough for the question by itself."""
    lost = [(incident.index, incident.outcome) for incident in first.incidents] + [*second.lost.items()]
    return [
        (index, f"{outcome.bytes / 2**30:.1f} GiB of memory after other questions; alone it needs less")
        for index, outcome in lost
        if index is not None and isinstance(outcome, OutOfMemory) and not isinstance(first.outcomes[index], OutOfMemory)
    ]


def explained(laboratory: Laboratory, named_call: NamedCall, change: Instability) -> tuple[str, MinimalPair | None]:
    """Return in words how an answer changed, and the smallest pair of calls that shows it, if one is found."""
    try:
        pair = _confirmed(laboratory, named_call, change)
    except (SpentError, ImportFailure, Halted):
        seen = laboratory.explained
        return f"{change.text}; {seen} shows with what" if seen else change.text, None
    if pair is None:
        return change.text, None
    laboratory.explained = laboratory.explained or named_call.id
    return pair.text, pair


def _confirmed(laboratory: Laboratory, named_call: NamedCall, change: Instability) -> MinimalPair | None:
    if change.pair is None:
        return find_pair(laboratory, named_call, change.sightings)
    if not change.is_neighbours or change.pair.other is None or laboratory.processes >= _CONFIRMED:
        return change.pair
    alone, together = (laboratory.last([each], FIRST_SEED) for each in (named_call, change.pair.other))
    return _neighbour_pair({change.pair.query}, named_call, change.pair.other, alone, together)


_CONFIRMED = 10  # Processes that are spent on seeing again what a neighbour changes; after that it is taken for seen
_Value = TypeVar("_Value")
_Queries = tuple[tuple[str, tuple[tuple[str, _Value], ...]], ...]
_Graded = tuple[tuple[str, int | Subtopics], ...]

NO_JUDGEMENTS = "without judgements"
NO_RELEVANT = "without relevant documents"
NOTHING_RETRIEVED = "to which nothing was retrieved"
EMPTY_LIST = "an empty list"


@dataclass(frozen=True)
class Neighbour:
    """An odd call."""

    call: Call
    odd: str  # what is odd, in words that go on after the id of the question
    # the queries of the question that are in it too, whose values must be what they are without the odd ones; none
    # where a call is about one query, and the odd call stands by itself
    queries: frozenset[str] = frozenset()


def neighbours_of(call: Call) -> list[Neighbour]:
    """Return the odd calls that go with a call."""
    match call.arguments:
        case RankedLabels(relevance, _):
            misses = (0,) * max(len(relevance), 1)
            alone: dict[str, Arguments] = {EMPTY_LIST: RankedLabels((), 0), NO_RELEVANT: RankedLabels(misses, 0)}
        case LabelsScores(labels, scores):
            misses = (0,) * max(len(labels), 1)
            alone = {EMPTY_LIST: LabelsScores((), ()), NO_RELEVANT: LabelsScores(misses, scores or (1.0,))}
        case ActualPredicted(actual, predicted):
            alone = {
                EMPTY_LIST: ActualPredicted(actual or ("a",), ()),
                NO_RELEVANT: ActualPredicted((), predicted or ("a",)),
            }
        case QrelsRun() | Files() | Frames():
            return _beside(call, call.arguments)
        case QueryLists() | Matrices():
            return list(_in_rows(call, call.arguments))
    return [
        Neighbour(replace(call, arguments=arguments), odd if odd == EMPTY_LIST else f"a list {odd}")
        for odd, arguments in alone.items()
    ]


def _in_rows(call: Call, arguments: QueryLists | Matrices) -> Iterator[Neighbour]:
    """Put an odd row before the others and one behind."""
    names = frozenset(arguments.queries)
    ends = _name(names, "0"), _name(names, "z")
    queries = (ends[0], *arguments.queries, ends[1])

    def between(odd: tuple[_Value, ...], rows: tuple[tuple[_Value, ...], ...]) -> tuple[tuple[_Value, ...], ...]:
        return (odd, *rows, odd)

    found: dict[str, Arguments] = {}
    if isinstance(arguments, QueryLists):
        listed = next((ids for ids in arguments.predicted if ids), ("d",))
        for odd, ids, retrieved in ((NO_RELEVANT, (), listed), (NOTHING_RETRIEVED, listed, ())):
            found[odd] = QueryLists(queries, between(ids, arguments.actual), between(retrieved, arguments.predicted))
    elif arguments.y_true:
        misses = (0,) * len(arguments.y_true[0])
        scores = between(arguments.y_score[0], arguments.y_score)
        found[NO_RELEVANT] = Matrices(queries, between(misses, arguments.y_true), scores)
    for odd, asked in found.items():
        yield Neighbour(replace(call, arguments=asked), f"queries {odd}", names)


def _beside(call: Call, arguments: QrelsRun | Files | Frames) -> list[Neighbour]:
    """Put an odd query before the others and one behind: what goes wrong with it may tell in either."""
    # Their names and documents are as long as those that are there: some libraries compile for each length.
    names = frozenset(query for query, _ in (*arguments.qrels, *arguments.run))
    listed = next((documents for _, documents in arguments.run if documents), (("d", 1.0),))
    docnos = tuple(dict.fromkeys(docno for docno, _ in listed))
    subtopic = next(
        (grade[0][0] for _, judged in arguments.qrels for _, grade in judged if isinstance(grade, tuple)), None
    )
    misses, hits = (
        tuple((docno, grade if subtopic is None else ((subtopic, grade),)) for docno in docnos) for grade in (0, 1)
    )
    is_file = isinstance(arguments, Files | Frames)  # which has no lines of a query without any
    kinds: Mapping[str, tuple[_Graded | None, tuple[tuple[str, float | int | str], ...] | None]] = {
        NO_JUDGEMENTS: (None if is_file else (), listed),
        NO_RELEVANT: (misses, listed),
        NOTHING_RETRIEVED: (hits, None if is_file else ()),
    }
    ends = _name(names, "0"), _name(names, "z")
    found = []
    for odd, (judged, retrieved) in kinds.items():
        asked = replace(
            arguments,
            qrels=_between(ends, judged, arguments.qrels),  # type: ignore[arg-type]
            run=_between(ends, retrieved, arguments.run),  # type: ignore[arg-type]
        )
        found.append(Neighbour(replace(call, arguments=asked), f"queries {odd}", names))
    return found


def _name(taken: frozenset[str], letter: str) -> str:
    length = max(map(len, taken), default=1)
    return next(name for more in count() if (name := letter * (length + more)) not in taken)


def _between(
    ends: tuple[str, str], documents: tuple[tuple[str, _Value], ...] | None, queries: _Queries[_Value]
) -> _Queries[_Value]:
    """Put queries with these documents at both ends; None if there the odd queries are missing."""
    first, last = ends
    return queries if documents is None else ((first, documents), *queries, (last, documents))
