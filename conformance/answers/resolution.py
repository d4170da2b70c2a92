"""What became of numbers when every convention was tried that their data can show: who gives them, most used first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rankspec.conformance.answers.answer import Page, Row
from rankspec.conformance.answers.numbers import called_in_full, digits_of, in_words, is_weak, numbers_answer
from rankspec.conformance.cases.exact import Agreement
from rankspec.conformance.infer.resolve.known import KnownConvention, KnownSearch, MeasureValues
from rankspec.conformance.infer.resolve.resolve import JointResolution, Resolution
from rankspec.conformance.infer.resolve.search import Explanation
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.language.sentence import first_names
from rankspec.oracle.values import to_double

_MOST_ROWS, _MOST_ELSEWHERE, _MOST_NAMED = 8, 2, 3


def resolutions_answer(joint: JointResolution, computing: Sequence[str] = ()) -> Page:
    """Return the answer about numbers: what gives each, and the way between; `computing` lacks the measure."""
    resolutions = [replace(each, explanations=_most_used_first(each.own)) for each in joint.values]
    first, *others = resolutions
    measure = first.explanations[0].measure if first.explanations and not others else first.measure
    page = numbers_answer(
        _search(resolutions, measure), "", [*computing, "--measure", str(measure)] if computing else ()
    )
    notes = [*page.notes, *(note for each in joint.values for note in _notes(each))]
    notes += [f"First difference: {pair.parting.text}." for _, pair in joint.paired[:1] if pair.parting is not None]
    if all(each.explanations and not is_weak(each, alone=not others) for each in resolutions):
        luck, searched = float(joint.expected_accidental), sum(each.searched for each in resolutions)
        notes.append(f"Expected by luck alone: {luck:.2g} of the {searched} conventions that were tried.")
    rows = page.rows
    if not others:
        is_said_already = len(first.explanations) == 1 or not (page.rows or first.explanations)
        rows = () if is_said_already else tuple(_rows(first))
        more = len(first.explanations) - max(len(rows), 1)
        if more > 0:
            notes.insert(0, f"{more} more {'conventions give' if more > 1 else 'convention gives'} it: --all")
    return replace(page, rows=rows, notes=tuple(notes))


def _search(resolutions: Sequence[Resolution], measure: Measure) -> KnownSearch:
    """Return the explanations of one measure as conventions that somebody follows, or as what was changed in one."""
    own = [
        replace(one, explanations=tuple(each for each in one.explanations if each.measure == measure))
        for one in resolutions
    ]
    origins = {each.convention: _known(each) for one in own for each in (*one.explanations, *one.nearest)}
    return KnownSearch(MeasureValues(measure, own[0].data), tuple(own), origins)


def _known(explanation: Explanation) -> KnownConvention:
    changes = 0 if explanation.profiles else len(explanation.convention.differences())
    return KnownConvention(next(iter(explanation.profiles), ""), explanation.convention, changes=changes)


def _most_used_first(explanations: Iterable[Explanation]) -> tuple[Explanation, ...]:
    """Return those that somebody is known to follow before made-up ones; rounded before cut off."""
    return tuple(sorted(explanations, key=lambda each: (each.agreement is Agreement.TRUNCATED, not each.profiles)))


def _rows(resolution: Resolution) -> Iterator[Row]:
    """Yield a line a convention: its value, its measure, what it does, and who does so or how it is spelled."""
    explanations = _without_idle_rules(resolution.explanations or resolution.nearest)[:_MOST_ROWS]
    values = {each.measure: MeasureValues(each.measure, resolution.data) for each in explanations}
    for each in explanations:
        names = [name for name in each.profiles if name != "default"]
        spelled = convention_text(each.convention).removeprefix("default")
        users = f"({first_names(names, _MOST_NAMED)})" if names else spelled
        end = ", cut off" if each.agreement is Agreement.TRUNCATED else ", a percentage" if each.percentage else ""
        number = f"{to_double(each.number):.{digits_of(resolution.printed)}f}"
        yield Row(number, f"{each.measure}{end}", f"{in_words(values[each.measure], each.convention)} {users}")


def _without_idle_rules(explanations: Sequence[Explanation]) -> list[Explanation]:
    """Return those that somebody follows, and of which no rule can go: without it one gives the same value."""
    changed = [{*each.convention.differences().items()} for each in explanations]

    def is_idle(place: int) -> bool:
        each = explanations[place]
        same = (at for at, one in enumerate(explanations) if (one.measure, one.number) == (each.measure, each.number))
        return any(changed[at] < changed[place] for at in same)

    return [each for place, each in enumerate(explanations) if each.profiles or not is_idle(place)]


def _notes(resolution: Resolution) -> Iterator[str]:
    """Say what gives the number that nobody asked for, and what was not tried."""
    elsewhere = [each for each in resolution.explanations if each not in resolution.own]
    for each in elsewhere[:_MOST_ELSEWHERE]:
        search = _search([replace(resolution, explanations=(each,))], each.measure)
        yield f"{resolution.printed} is {called_in_full(search, each)}; {resolution.measure} was asked for."
    if resolution.nearest and resolution.nearest[0].percentage:
        yield f"If {resolution.printed} is a percentage, write {resolution.printed}%: conventions give that."
    if resolution.untried:
        yield f"gain=exponential was not tried: {resolution.untried}"
