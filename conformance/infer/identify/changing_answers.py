"""Why an answer does not stay the same, and the smallest call, or pair of calls, found that shows it.

Processes tell it: the same calls in the same order, in two new processes with the same hash seed, have other answers by
chance alone. Budgets count processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from rankspec.conformance.checks.minimal_pair import (
    Cause,
    Laboratory,
    Made,
    MinimalPair,
    Sighting,
    SpentError,
    find_pair,
)
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.infer.identify.candidate_inputs import probe, ranked
from rankspec.conformance.infer.identify.counterexamples import DEGENERATE, shrunk
from rankspec.conformance.infer.identify.interview import Interview
from rankspec.conformance.infer.identify.probe import Probe, ShapedProbe
from rankspec.conformance.infer.identify.respondent import SAME_ARGUMENTS, ChangedAnswer
from rankspec.conformance.judge.agreement import agrees, bound_of
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED, Connectable
from rankspec.conformance.run.limits import Halted
from rankspec.conformance.run.outcomes import Outcome, is_unanswered

_LOOKED_AT = 20
_OFTEN = 16
"""So often a call is repeated that chance may answer."""
_REPEATED = 300
"""So many calls a counter may count."""
_SHRINKING = 400
_MOST_OTHERS, _MOST_COSTLY = 6, 3


def cause_of(interview: Interview) -> Cause | None:
    """Return what answers change with; None if that can't be told, for want of new processes."""
    respondent = interview.respondent
    if all(seen.how == SAME_ARGUMENTS for seen in respondent.changes):
        return Cause.CHANGED_ARGUMENTS
    by_size = sorted(respondent.changes, key=lambda seen: seen.asked.probe.size)
    puts = list(dict.fromkeys(seen.asked for seen in by_size))[:_LOOKED_AT]
    heard = [in_a_new_process(respondent.connectable, puts, seed) for seed in (FIRST_SEED, FIRST_SEED, SECOND_SEED)]
    first, again, elsewhere = heard
    if first is None or again is None or elsewhere is None:
        return None
    if not _all_agree(puts, first, again):
        return Cause.CHANCE
    return Cause.EARLIER_CALL if _all_agree(puts, first, elsewhere) else Cause.HASH_SEED


def in_a_new_process(
    connectable: Connectable, puts: Sequence[ShapedProbe], seed: str = FIRST_SEED
) -> tuple[Outcome, ...] | None:
    """Return what is answered in a new process; None if there is none, or it was lost."""
    if not connectable.is_fresh or connectable.halt.reason:
        return None
    try:
        with connectable.connect(seed) as connection:
            report = connection.ask([each.call for each in puts])
    except (ImportFailure, Halted):
        return None
    return None if report.incidents or any(map(is_unanswered, report.outcomes)) else report.outcomes


def shown_by(interview: Interview, cause: Cause, change: ChangedAnswer) -> Shown | None:
    """Return the smallest pair found that shows that an answer changes."""
    match cause:
        case Cause.CHANCE | Cause.HASH_SEED:
            return _of_one_call(interview, cause, change, _differing)
        case Cause.CHANGED_ARGUMENTS:
            return _of_one_call(interview, cause, change, _spoilt)
        case _:
            return _of_two_calls(interview, change)


_Two = tuple[Outcome, Outcome]
Shown = tuple[MinimalPair, ShapedProbe]
"""A pair, and the input of its last call."""


def _of_one_call(
    interview: Interview,
    cause: Cause,
    change: ChangedAnswer,
    two: Callable[[Interview, Sequence[ShapedProbe]], list[_Two | None]],
) -> Shown:
    """Make the input small as long as one call of it has two answers."""
    best, answers = change.asked, (change.first, change.second)
    allowed = best.features & DEGENERATE

    def part(probes: Sequence[Probe]) -> Probe | None:
        nonlocal best, answers
        puts = [each for each in map(interview.shaped, probes) if each is not None]
        puts = [each for each in puts if not (each.features & DEGENERATE) - allowed and not each.probe.loose]
        for each, found in zip(puts, two(interview, puts), strict=True):
            if found is not None:
                best, answers = each, found
                return each.probe
        return None

    shrunk(best.probe, part, most_calls=_SHRINKING)
    return MinimalPair(cause, _made(best), None, *answers), best


def _differing(interview: Interview, puts: Sequence[ShapedProbe]) -> list[_Two | None]:
    """Ask each call often, under both hash seeds; what chance or a seed decides needs no new process."""
    heard = interview.respondent.both([each.call for each in puts for _ in range(_OFTEN)])
    found: list[_Two | None] = []
    for place, each in enumerate(puts):
        outcomes = [
            outcome
            for listed in heard
            for outcome in listed[place * _OFTEN : (place + 1) * _OFTEN]
            if not is_unanswered(outcome)
        ]
        other = next((outcome for outcome in outcomes if not _agrees(each, outcomes[0], outcome)), None)
        found.append(None if other is None else (outcomes[0], other))
    return found


def _spoilt(interview: Interview, puts: Sequence[ShapedProbe]) -> list[_Two | None]:
    """Ask each call, and once more with the same arguments where it changed them."""
    return [
        None if second is None or agrees(first, second, bound_of(each.call)) else (first, second)
        for each, (first, second) in zip(puts, interview.respondent.twice(puts), strict=True)
    ]


def _of_two_calls(interview: Interview, change: ChangedAnswer) -> Shown | None:
    """Try the smallest inputs, each after each other one, then each many times; then what was seen."""
    connectable = interview.respondent.connectable
    most = _MOST_COSTLY if connectable.is_costly else _MOST_OTHERS
    inputs = list(islice(_tiny(interview), most))
    alone: dict[ShapedProbe, Outcome] = {}
    for each in inputs:
        heard = in_a_new_process(connectable, [each])
        if heard is None:
            return None
        alone[each] = heard[0]
    for other in inputs:
        if (found := _after(interview, other, alone)) is not None:
            return found
    for each in inputs[:2]:
        if (found := _after_many(interview, each, alone[each])) is not None:
            return found
    return _as_seen(interview, change)


def _tiny(interview: Interview) -> Iterator[ShapedProbe]:
    """Yield the smallest inputs: a hit, a miss, both, with every cutoff that is asked about."""
    known = set()
    for labels, unretrieved in (((1,), 0), ((0,), 1), ((0, 1), 0), ((1, 0), 1), ((1, 1), 0), ((1, 0, 1), 1)):
        for measure in interview.target.measures[:2]:
            grades, listed = ranked(labels, unretrieved)
            each = interview.shaped(probe("smallest", measure, {"q": grades}, {"q": listed}))
            if each is not None and each.call not in known:
                known.add(each.call)
                yield each


def _after(interview: Interview, other: ShapedProbe, alone: dict[ShapedProbe, Outcome]) -> Shown | None:
    """Find the smallest input that has another answer after this one: all of them together, then the one suspected."""
    connectable, others = interview.respondent.connectable, list(alone)
    suspected: list[ShapedProbe] = []
    heard = in_a_new_process(connectable, [other, *others])
    if heard is not None:
        suspected = [each for each, got in zip(others, heard[1:], strict=True) if not _agrees(each, alone[each], got)]
    for each in suspected[:2]:
        both = in_a_new_process(connectable, [other, each])
        if both is not None and not _agrees(each, alone[each], both[1]):
            return MinimalPair(Cause.EARLIER_CALL, _made(each), _made(other), alone[each], both[1]), each
    return None


def _after_many(interview: Interview, asked: ShapedProbe, alone: Outcome) -> Shown | None:
    """Make one call many times, and return the first time that the answer is another."""
    heard = in_a_new_process(interview.respondent.connectable, [asked] * _REPEATED)
    for times, outcome in enumerate(heard or ()):
        if not _agrees(asked, alone, outcome):
            made = _made(asked)
            return (MinimalPair(Cause.EARLIER_CALL, made, made, alone, outcome, times - 1), asked) if times else None
    return None


def _as_seen(interview: Interview, change: ChangedAnswer) -> Shown | None:
    """Return the pair that a search in the order of the calls finds: the inputs are as large as they were."""
    histories = interview.respondent.histories
    sightings = []
    for history, seed in ((histories[1], SECOND_SEED), (histories[0], FIRST_SEED)):
        places = [place for place, (each, _) in enumerate(history or []) if each is change.asked]
        if history is not None and places:
            before = tuple(_made(each) for each, _ in history[: places[-1]])
            sightings.append(Sighting(history[places[-1]][1], before, seed))
    try:
        pair = find_pair(Laboratory(interview.respondent.connectable), _made(change.asked), sightings)
    except (SpentError, ImportFailure, Halted):
        return None
    return None if pair is None else (pair, change.asked)


def _made(asked: ShapedProbe) -> Made:
    return Made(asked.probe.name, asked.call)


def _agrees(asked: ShapedProbe, first: Outcome, second: Outcome) -> bool:
    return agrees(first, second, bound_of(asked.call))


def _all_agree(puts: Sequence[ShapedProbe], first: Sequence[Outcome], second: Sequence[Outcome]) -> bool:
    return all(_agrees(each, one, other) for each, one, other in zip(puts, first, second, strict=True))
