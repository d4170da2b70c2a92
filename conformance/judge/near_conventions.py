"""Which convention an unexpected answer follows: the declared one with one axis changed, or a named one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from rankspec.conformance.judge.verdicts import Judgement, NearConvention, Verdict, judge
from rankspec.conformance.questions.expectation import expected
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.oracle.conventions.convention import AXES, Convention, setting_text
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.conventions.profiles import PROFILES

_MOST_NAMED = 3


def with_near_conventions(
    measure: Measure, asked: Asked, outcome: Outcome, declared: Convention, judgement: Judgement
) -> Judgement:
    """Name the conventions that demand what was answered, if any; a value alone may fit several."""
    # An exception says too little to name a convention by: whoever fails on an input would seem to demand an error.
    if judgement.verdict not in {Verdict.WRONG, Verdict.UNDEFINED} or not isinstance(outcome, Number | PerQuery):
        return judgement
    near = tuple(
        each
        for each in _neighbours(measure, declared)
        if judge(outcome, expected(measure, asked.qrels, asked.run, each.convention)).verdict.conforms
    )
    if not near:
        return judgement
    more = f" or {len(near) - _MOST_NAMED} more" if len(near) > _MOST_NAMED else ""
    return Judgement(Verdict.OTHER_CONVENTION, " or ".join(each.name for each in near[:_MOST_NAMED]) + more, near)


def likeliest(explanations: Iterable[Sequence[str]]) -> tuple[Sequence[str], int]:
    """Return the conventions that explain most answers, and how many; none if none explains any.

    Args:
        explanations: for each answer, the names of the conventions that demand it.
    """
    counted = Counter(name for names in explanations for name in names)
    most = max(counted.values(), default=0)
    return [name for name, count in counted.items() if count == most], most


@cache
def _neighbours(measure: Measure, declared: Convention) -> tuple[NearConvention, ...]:
    """Return the declared convention with one axis changed, then the named ones."""
    return (*_changed(measure, declared), *_named(measure, declared))


def _changed(measure: Measure, declared: Convention) -> Iterator[NearConvention]:
    for axis in measure.axes(declared):
        for setting in AXES[axis].values or ():
            changed = declared.with_setting(axis, setting)
            if changed != declared and meaningless(measure, changed) is None:
                yield NearConvention(f"{axis}={setting_text(setting)}", changed)


def _named(measure: Measure, declared: Convention) -> Iterator[NearConvention]:
    for profile in PROFILES.values():
        is_known = profile.knows(measure) and meaningless(measure, profile.convention) is None
        if is_known and profile.convention != declared:
            yield NearConvention(profile.name, profile.convention)
