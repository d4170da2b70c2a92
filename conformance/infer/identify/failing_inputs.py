"""Errors on one kind of input: from which size on, or on what; all else is judged as if these had not been asked."""

from __future__ import annotations

from collections.abc import Collection

from rankspec.conformance.infer.identify.counterexamples import outcome_text
from rankspec.conformance.infer.identify.evidence import longest
from rankspec.conformance.infer.identify.interview import Interview
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.conformance.infer.identify.relations import sized
from rankspec.conformance.run.outcomes import Malformed, NotAsked, Number, Outcome, PerQuery, Raised, is_unanswered


def is_error(outcome: Outcome) -> bool:
    """Tell whether there is no answer, though there was a question."""
    return not isinstance(outcome, Number | PerQuery | Malformed | NotAsked)


def observe_errors(interview: Interview, refused: Collection[str], long: Collection[ShapedProbe] = ()) -> None:
    """Note on which of the larger inputs it fails, but for those that have a feature that it refuses anyway.

    Args:
        interview: what was asked.
        refused: features that it refuses.
        long: smaller inputs that it refuses, and all of whose lists are longer than any that it answers.
    """
    failing = [
        each for each in interview.related if is_error(interview.answers[each]) and not each.features & set(refused)
    ]
    kinds: dict[str, list[str]] = {}
    for each in failing:
        relation = interview.related[each]
        if not relation.size:
            kinds.setdefault(_kind(interview.answers[each]), []).append(relation.family)
    interview.observations += [f"{kind} for {', '.join(dict.fromkeys(families))}" for kind, families in kinds.items()]
    by_size = {each: interview.related[each].size for each in failing if interview.related[each].size}
    if not by_size:
        if long:
            interview.observations.append(_words(interview, min(long, key=longest), "", min(map(longest, long))))
        return
    smallest = min(by_size, key=by_size.__getitem__)
    family = interview.related[smallest].family
    works, breaks = 1, min([by_size[smallest], *map(longest, long)])  # a list of one document tells nothing of sizes
    while breaks - works > 1:
        middle = (works + breaks) // 2
        shorter = interview.shaped(sized(family, middle, smallest.probe.measure).probe)
        outcomes = () if shorter is None else interview.respondent.raw([shorter.call])
        if not outcomes or is_unanswered(outcomes[0]):
            break
        if is_error(outcomes[0]):
            breaks = middle
        else:
            works = middle
    every = all(
        is_error(interview.answers[each]) for each, relation in interview.related.items() if relation.size >= breaks
    )
    interview.observations.append(_words(interview, smallest, "" if every else family, breaks))


def _words(interview: Interview, asked: ShapedProbe, family: str, size: int) -> str:
    return f"{_kind(interview.answers[asked])} for {family or 'lists'} of {size} documents or more"


def _kind(outcome: Outcome) -> str:
    """Say what came, without a message that may be long."""
    return f"raises {outcome.type}" if isinstance(outcome, Raised) else outcome_text(outcome)
