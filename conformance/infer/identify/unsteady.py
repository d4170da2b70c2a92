"""Where an answer does not stay the same: what it changes with, and all that is known of the rest.

What chance decides is set apart, and the rest is read as if that had not been asked. What is kept between calls can't
spoil the first call of a process, so first calls are asked, and a rule is looked for that tells all the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rankspec.conformance.checks.minimal_pair import Cause, MinimalPair, words_of
from rankspec.conformance.infer.identify.chance import Orders, error_of, has_mixed_list, within
from rankspec.conformance.infer.identify.changing_answers import Shown, cause_of, in_a_new_process, shown_by
from rankspec.conformance.infer.identify.conclusions import MOST_MEMBERS, base, result
from rankspec.conformance.infer.identify.counterexamples import given_of, outcome_text
from rankspec.conformance.infer.identify.evidence import Evidence, read
from rankspec.conformance.infer.identify.identification import Counterexample, Identification, Status
from rankspec.conformance.infer.identify.interview import Interview
from rankspec.conformance.infer.identify.keeping import Kept, folded, kept
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.conformance.infer.identify.respondent import ChangedAnswer
from rankspec.conformance.infer.identify.version_space import Versions, classes
from rankspec.conformance.run.outcomes import NotAsked, Number, Outcome, PerQuery
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.language.expression import expression_text

_FIRST_CALLS, _FIRST_CALLS_OF_COSTLY = 14, 6
"""New processes that are asked one question each."""
_CHOSEN = 45
"""Out of so many of the first questions, which tell most."""
_TIED = "tied scores"
_BY_CHANCE = "is left to chance: it is another one when the same is asked again"
_BY_SEED = "goes by PYTHONHASHSEED, as where documents pass through a set"
Settled = Callable[[Interview], Identification]
"""Reads what an interview has been answered, where that stays the same."""


def unsteady(interview: Interview, settled: Settled) -> Identification:
    """Report that answers changed, with what, and what the others say."""
    change = interview.respondent.change
    if change is None:
        raise RuntimeError("nothing changed")
    cause = cause_of(interview)
    shown = None if cause is None else shown_by(interview, cause, change)
    if cause is Cause.CHANGED_ARGUMENTS:
        found = _spoilt_arguments(interview, settled)
    elif cause is Cause.EARLIER_CALL:
        found = _first_calls(interview)
    else:
        found = _rest(interview, settled, _BY_SEED if cause is Cause.HASH_SEED else _BY_CHANCE)
    seen = f"it answers {outcome_text(change.first)}, then {outcome_text(change.second)} {change.how}"
    known = [each for each in found.observations if each not in interview.observations]
    head, rest = found.observations[: len(known)], found.observations[len(known) :]
    return replace(
        found,
        status=Status.UNSTABLE,
        observations=(*head[:1], seen if shown is None else _words(shown[0]), *head[1:], *rest),
        witness=_witness(shown, change),
        pair=None if shown is None else shown[0],
        asked=interview.respondent.calls,
    )


def _words(pair: MinimalPair) -> str:
    """Say what was seen; the calls of an identification have no names."""
    if pair.cause is not Cause.EARLIER_CALL or pair.other is None:
        return pair.text
    if pair.other.call != pair.call.call:
        after = f"another call and {pair.more} more" if pair.more else "another call"
    else:
        after = f"the same call {pair.more + 1} times" if pair.more else "the same call"
    return f"after {after} it answers {words_of(pair.together)}; as the first call of a process {words_of(pair.alone)}"


def _witness(shown: Shown | None, change: ChangedAnswer) -> Counterexample:
    asked, first, second = change.asked, change.first, change.second
    if shown is not None and shown[0].alone is not None and shown[0].together is not None:
        asked, first, second = shown[1], shown[0].alone, shown[0].together
    return Counterexample(
        given_of(asked.call, asked), str(asked.measure), outcome_text(first), outcome_text(second), None
    )


def _line(interview: Interview, found: Identification, name: str, said: str) -> str:
    convention = found.texts[0] if found.texts else expression_text(interview.space.measure, found.classes[0][0])
    return f"all but {name} is {convention}; {said}"


def _spoilt_arguments(interview: Interview, settled: Settled) -> Identification:
    found = settled(interview)
    if not found.is_good:
        return replace(found, explained=False)
    said = "it changes its arguments, so that a second call with them has another answer"
    line = _line(interview, found, "a second call", said)
    return replace(found, explained=True, observations=(line, *found.observations))


def _first_calls(interview: Interview) -> Identification:
    """Report what first calls follow, and the rule for all others if there is one."""
    if (rule := kept(interview)) is not None:
        return _by_rule(interview, rule)
    connectable = interview.respondent.connectable
    most = _FIRST_CALLS_OF_COSTLY if connectable.is_costly else _FIRST_CALLS
    first: dict[ShapedProbe, Outcome] = {}
    puts = [each for each in interview.answers if not each.probe.loose][:_CHOSEN]
    for each in puts[:: max(1, len(puts) // most)]:
        heard = in_a_new_process(connectable, [each])
        if heard is not None:
            first[each] = heard[0]
    reading = read(interview.space, Evidence(first), interview.predictor)
    if not reading.versions.members or not first:
        said = "no convention explains what it answers to the first call of a process"
        return base(interview, Status.UNSTABLE, observations=(said, *interview.observations))
    if (rule := folded(interview, reading.versions)) is not None:
        return _by_rule(interview, rule)
    found = _of_versions(interview, reading.versions)
    text = expression_text(interview.space.measure, found.classes[0][0])
    line = f"the first call of a process follows {text} ({len(first)} asked); no rule known tells the later ones"
    return replace(found, observations=(line, *interview.observations))


def _by_rule(interview: Interview, rule: Kept) -> Identification:
    found = _of_versions(interview, rule.versions)
    line = _line(interview, found, "what it keeps between calls", rule.said)
    return replace(found, explained=True, observations=(line, *interview.observations))


def _of_versions(interview: Interview, versions: Versions) -> Identification:
    members = versions.complete(MOST_MEMBERS) or versions.members
    asked = [each for each in interview.answers if each not in interview.related]
    found = classes(members, asked, interview.predictor, one_mean=interview.one_mean)
    return result(interview, Status.UNSTABLE, versions, found)


def _rest(interview: Interview, settled: Settled, why: str) -> Identification:
    """Set apart what chance, or the hash seed, has a part in, and report what the rest follows."""
    changes = interview.respondent.changes
    error = error_of(changes)
    if error is not None and (versions := within(interview, interview.small, error)).members:
        found = _of_versions(interview, versions)
        line = _line(interview, found, "a small error", f"answers to one question are up to {error:.1g} apart")
        return replace(found, explained=True, observations=(line, *interview.observations))
    if all(_TIED in seen.asked.features for seen in changes):
        said = f"the order of tied documents {why}"
        if (read_ := _apart(interview, settled, "the order of ties", said, whole=False)) is not None:
            return read_
    said = f"the order of the documents {why}"
    if (read_ := _apart(interview, settled, "the order of a list", said, whole=True)) is not None:
        return read_
    return _unchanged(interview, settled)


def _apart(interview: Interview, settled: Settled, name: str, said: str, *, whole: bool) -> Identification | None:
    """Set apart all inputs on which an order matters; None if that does not explain what was answered to them."""
    changes = {seen.asked: seen for seen in interview.respondent.changes}
    matters = has_mixed_list if whole else _has_ties
    aside = {each: outcome for each, outcome in interview.answers.items() if matters(each)}
    if not changes.keys() <= aside.keys():
        return None
    before = list(interview.observations)
    kept_relations = interview.leave_out(aside)
    found = settled(interview)
    member = found.classes[0][0] if found.classes and found.is_good and not found.deviations else None
    both = [*aside.items(), *((each, seen.second) for each, seen in changes.items())]
    members = [] if member is None else _with_duplicates(interview, member)
    orders = Orders(interview.predictor, whole=whole)
    for each, outcome in both:
        if not each.probe.loose and not isinstance(outcome, NotAsked):
            members = [every for every in members if orders.give(each, outcome, every)]
    if members:
        axes = {axis: values for axis, values in found.axes.items() if axis != "ties"}
        if "duplicates" in axes:
            axes["duplicates"] = tuple(dict.fromkeys(setting_text(every.duplicates) for every in members))
        line = _line(interview, found, name, said)
        return replace(found, explained=True, axes=axes, observations=(line, *found.observations))
    interview.take_back(aside, kept_relations)
    interview.observations = before
    return None


def _with_duplicates(interview: Interview, member: Convention) -> list[Convention]:
    """Return a convention with every rule for duplicates: a list with one was set apart with all the others."""
    rules = interview.space.settings.get("duplicates", (member.duplicates,))
    return [member.with_setting("duplicates", rule) for rule in rules]


def _has_ties(asked: ShapedProbe) -> bool:
    return _TIED in asked.features


def _unchanged(interview: Interview, settled: Settled) -> Identification:
    """Report what the answers follow that did not change, which may be so by accident."""
    changed = dict.fromkeys(seen.asked for seen in interview.respondent.changes)
    count = len(interview.answers)
    interview.leave_out(changed)
    left = [each for each, outcome in interview.answers.items() if isinstance(outcome, Number | PerQuery)]
    said = f"{len(changed)} of {count} answers changed"
    if 2 * len(changed) >= count or not left:
        return base(interview, Status.UNSTABLE, observations=(said, *interview.observations))
    found = settled(interview)
    if found.texts and not found.deviations:
        said += f"; the others follow {found.texts[0]}"
    return replace(found, explained=False, nearest=None, observations=(said, *found.observations))
