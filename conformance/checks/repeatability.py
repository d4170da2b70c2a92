"""Whether answers stay the same: asking everything a second time, over another connection, the last question first.

Odd calls stand before each question (see `neighbours`). Where they hold its queries too and a value a query is
answered, these values must be the same; the question itself, put right after them, must have the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rankspec.conformance.checks.minimal_pair import Made
from rankspec.conformance.judge.agreement import Bound, bound_of, near
from rankspec.conformance.questions.perturbations import Neighbour, neighbours_of
from rankspec.conformance.run.connection import Connection
from rankspec.conformance.run.outcomes import Lost, Outcome, PerQuery, TimedOut

_ALL_KINDS = 400
"""Up to so many questions, each has every kind of odd call before it; beyond, the kinds take turns."""
_AT_ONCE = 16
"""How many of many questions are put at a time; of fewer, one, so that what hangs once is put no more."""


@dataclass(frozen=True)
class Step:
    """One call of this asking: a question, by its index, or an odd call that goes with it.

    Attributes:
        rehearsed: it is put once more later.
    """

    index: int
    made: Made
    neighbour: Neighbour | None = None
    rehearsed: bool = False


class Beside(NamedTuple):
    """A query whose value an odd one changed: the call with the odd one, the query, what came without and with it."""

    made: Made
    query: str
    alone: Outcome
    together: Outcome


class Conditions(NamedTuple):
    """How it is asked again.

    Attributes:
        timeouts_in_a_row: after so many it ends.
        on_question: is told the index of each question that is answered.
        beside: by index, what was answered first: odd calls are put before each question, and it is noted whose value
            they change. None for no odd calls.
    """

    timeouts_in_a_row: int
    on_question: Callable[[int], None] = lambda _: None
    beside: Mapping[int, Outcome] | None = None


@dataclass
class Repetition:
    """What came of it.

    Attributes:
        outcomes: by the index of a question, its answers; there are several to the very first.
        beside: by the index of a question, the first odd query that changed the value of another.
        lost: by the index of a question, how the process was lost in it, which did not come again.
        given_up: odd calls that ended the process or had no answer in time, and what happened.
        ended: why not everything was asked; empty if it was.
        timeouts: how many questions in a row had no answer in time.
        where: how it was asked, in words that go on after an answer.
    """

    outcomes: dict[int, list[Outcome]] = field(default_factory=dict)
    beside: dict[int, Beside] = field(default_factory=dict)
    lost: dict[int, Lost] = field(default_factory=dict)
    given_up: dict[str, tuple[Made, Lost]] = field(default_factory=dict)
    ended: str = ""
    timeouts: int = 0
    where: str = "in another order"
    _made: list[Made] = field(default_factory=list)
    _places: dict[int, list[int]] = field(default_factory=dict)

    def before(self, index: int, time: int = 0) -> Sequence[Made]:
        """Return the calls that were made before a question was put, the first time or a later one."""
        return self._made[: self._places[index][time]]

    def hear(self, step: Step, outcome: Outcome) -> None:
        """Note the answer to a question."""
        self.outcomes.setdefault(step.index, []).append(outcome)
        self.timeouts = self.timeouts + 1 if isinstance(outcome, TimedOut) else 0

    def take(self, steps: Sequence[Step]) -> None:
        """Note that these calls are made next."""
        for step in steps:
            if step.neighbour is None:
                self._places.setdefault(step.index, []).append(len(self._made))
            self._made.append(step.made)


def repeatability(
    connection: Connection,
    questions: Sequence[Made],
    again: Sequence[int],
    found: Repetition,
    conditions: Conditions,
) -> None:
    """Ask again over a second connection, the last question first.

    Args:
        connection: over which it is asked. In a fresh process under another hash seed, hidden state shows too.
        questions: all questions, in the order in which they were put first.
        again: the indices of those that are put again.
        found: where it is noted what comes of it.
        conditions: how many timeouts there may be, who is told, whether there are odd calls before the questions.
    """
    backwards = sorted(again, reverse=True)
    if not backwards:
        return
    plain = [[Step(index, questions[index]) for index in backwards]]
    for steps in plain if conditions.beside is None else _lists(questions, backwards, found):
        _put(connection, steps, found, conditions)
        if found.ended:
            break


def _put(
    connection: Connection,
    steps: Sequence[Step],
    found: Repetition,
    conditions: Conditions,
) -> None:
    """Put a list of calls, and note what comes of each."""
    first = conditions.beside or {}
    found.take(steps)

    def hear(place: int, outcome: Outcome) -> None:
        step = steps[place]
        if step.neighbour is None:
            found.hear(step, outcome)
        elif isinstance(outcome, Lost):
            found.given_up.setdefault(step.neighbour.odd, (step.made, outcome))
        elif query := changed_query(step.neighbour.queries, first[step.index], outcome, bound_of(step.made.call)):
            found.beside.setdefault(step.index, Beside(step.made, query, first[step.index], outcome))

    report = connection.ask([step.made.call for step in steps], hear)
    for incident in report.incidents:
        if incident.index is not None and steps[incident.index].neighbour is None:
            found.lost.setdefault(steps[incident.index].index, incident.outcome)
    for step in steps[: report.known]:
        if step.neighbour is None and not step.rehearsed:
            conditions.on_question(step.index)
    found.ended = report.ended
    if found.timeouts >= conditions.timeouts_in_a_row:  # odd calls between don't make it better
        found.ended = f"ended after {found.timeouts} timeouts in a row"


def _lists(questions: Sequence[Made], backwards: Sequence[int], found: Repetition) -> Iterator[list[Step]]:
    """Give the calls in lists, without those that have been given up."""
    for step in _odd_steps(questions, backwards[0], found):  # each by itself, so that each that hangs is found out
        yield [step, Step(backwards[0], questions[backwards[0]], rehearsed=True)]
    at_once, kinds = (1, None) if len(backwards) <= _ALL_KINDS else (_AT_ONCE, 1)
    for start in range(0, len(backwards), at_once):
        yield [
            step
            for index in backwards[start : start + at_once]
            for step in (*_odd_steps(questions, index, found, kinds), Step(index, questions[index]))
        ]


def _odd_steps(questions: Sequence[Made], index: int, found: Repetition, most: int | None = None) -> list[Step]:
    """Return the odd calls before a question: every kind, or only so many in turn."""
    asked = questions[index]
    neighbours = neighbours_of(asked.call)
    turned = neighbours[index % len(neighbours) :] + neighbours[: index % len(neighbours)]
    return [
        Step(index, Made(asked.id, neighbour.call, neighbour.odd, beside=bool(neighbour.queries)), neighbour)
        for neighbour in turned[:most]
        if neighbour.odd not in found.given_up
    ]


def changed_query(queries: Collection[str], alone: Outcome, together: Outcome, bound: Bound) -> str:
    """Return the first of some queries whose value changed; empty if none did, or there is no value a query."""
    if not isinstance(alone, PerQuery) or not isinstance(together, PerQuery):
        return ""
    for query in sorted(queries):
        one, other = alone.values.get(query), together.values.get(query)
        if (one is None) is not (other is None) or (one and other and not near(one, other, bound)):
            return query
    return ""
